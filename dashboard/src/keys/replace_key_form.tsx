import { NativeSelect, Text } from "@mantine/core";
import { useState } from "react";
import { useAction } from "../account/use_action.ts";
import type { ApiKey, Overlap } from "../database.ts";
import { Decision } from "../parts/actions.tsx";
import { Form } from "../parts/form.tsx";
import { Hint, Name } from "../parts/name.tsx";
import { Notice } from "../parts/notice.tsx";
import { LastUse } from "../parts/when.tsx";
import { replaceApiKey } from "./calls.ts";
import { readExpiry, sameLifetime } from "./expiry.ts";
import { ExpiryField } from "./expiry_field.tsx";
import type { MakingForm } from "./make_key_dialog.tsx";

/** In the order in which they are offered. */
const overlaps: { value: Overlap; label: string; hours: number }[] = [
  { value: "7 days", label: "7 days", hours: 7 * 24 },
  { value: "24 hours", label: "24 hours", hours: 24 },
  { value: "1 hour", label: "1 hour", hours: 1 },
  { value: "0", label: "Stop it now", hours: 0 },
];

const lostAnswer =
  "No answer came, so the key may have been replaced without the new one being shown. Look at the list: if it is there, replace the new one.";

/** Until when the old key works: the end of the overlap, unless the key expires earlier. Null: it no longer works. */
function oldWorksUntil(old: ApiKey, replacedAt: string, overlap: Overlap): string | null {
  const hours = overlaps.find(({ value }) => value === overlap)?.hours ?? 0;
  if (hours === 0) return null;
  const end = Math.min(
    Date.parse(replacedAt) + hours * 3600 * 1000,
    Date.parse(old.expires_at ?? "9999-12-31T00:00:00Z"),
  );
  return new Date(end).toISOString();
}

/** Asks how long the old key still works, and when the new one expires. */
export function ReplaceKeyForm(props: MakingForm & { apiKey: ApiKey }) {
  const { apiKey } = props;
  const [overlap, setOverlap] = useState<Overlap>("24 hours");
  const [atExpiry, setAtExpiry] = useState<string | undefined>();
  const { run, pending, problem } = useAction(async (expires_at: string | null) => {
    props.onPending(true);
    try {
      const made = await replaceApiKey(apiKey.id, overlap, expires_at);
      const works_until = oldWorksUntil(apiKey, made.created_at, overlap);
      props.onMade({ ...made, replaced: { hint: apiKey.hint, works_until } });
    } catch (error) {
      props.onPending(false);
      throw error;
    }
  });

  function submit(entered: FormData, form: HTMLFormElement): void {
    const expiry = readExpiry(entered);
    setAtExpiry(expiry.problem);
    if (expiry.problem === undefined) void run(expiry.expires_at);
    else form.querySelector<HTMLInputElement>('[name="expires_at"]')?.focus();
  }

  return (
    <Form gap="lg" onSubmit={submit} onChange={() => setAtExpiry(undefined)} noValidate>
      <Text>
        A new key with the same name and scopes takes the place of <Name strong>{apiKey.name}</Name>{" "}
        <Hint>{apiKey.hint}</Hint>, which <LastUse apiKey={apiKey} />. The scopes of a key never change: for other
        scopes, create another key.
      </Text>
      <NativeSelect
        label="Keep the old key working for"
        description={overlap === "0" ? "Whatever uses the old key stops working now." : "Both keys work meanwhile."}
        data={overlaps}
        value={overlap}
        onChange={(event) => setOverlap(event.currentTarget.value as Overlap)}
        data-autofocus
      />
      <ExpiryField error={atExpiry} preset={sameLifetime(apiKey)} />
      <Notice kind="problem">{problem && (problem.kind === "unreachable" ? lostAnswer : problem.message)}</Notice>
      <Decision words="Replace key" pending={pending} isFinal={overlap === "0"} onCancel={props.onCancel} />
    </Form>
  );
}
