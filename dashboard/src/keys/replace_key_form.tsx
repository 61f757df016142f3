import { NativeSelect, Text } from "@mantine/core";
import { useState } from "react";
import { useAction } from "../account/use_action.ts";
import type { ApiKey, Overlap } from "../database.ts";
import { Decision } from "../parts/actions.tsx";
import { Form } from "../parts/form.tsx";
import { Hint, Name } from "../parts/name.tsx";
import { Notice } from "../parts/notice.tsx";
import { type Scope, scopeNames } from "../scopes.ts";
import { lackOf } from "./arrangement.ts";
import { replaceApiKey } from "./calls.ts";
import { wayOf } from "./client_name.ts";
import { noScopes, ScopesField, scopesIn } from "./create_key_form.tsx";
import { readExpiry, sameLifetime } from "./expiry.ts";
import { ExpiryField } from "./expiry_field.tsx";
import type { MakingForm } from "./make_key_dialog.tsx";
import type { MadeKey } from "./new_key.tsx";

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

/** Asks how long the old key still works, what the new one opens, and when it expires. A scope that was lacking is ticked. */
export function ReplaceKeyForm(props: MakingForm & { apiKey: ApiKey }) {
  const { apiKey } = props;
  const lack = lackOf(apiKey);
  const [overlap, setOverlap] = useState<Overlap>("24 hours");
  const [wrong, setWrong] = useState<{ expiry?: string | undefined; scopes?: string | undefined }>({});

  async function replace(expires_at: string | null, scopes: Scope[]): Promise<MadeKey> {
    const made = await replaceApiKey({ key_id: apiKey.id, overlap, expires_at, scopes });
    const works_until = oldWorksUntil(apiKey, made.created_at, overlap);
    const purpose = wayOf(apiKey.last_client ?? apiKey.forbidden_client);
    return { ...made, ...(purpose && { purpose }), replaced: { hint: apiKey.hint, works_until } };
  }
  const { run, pending, problem } = useAction((...given: Parameters<typeof replace>) => props.make(replace(...given)));

  function submit(entered: FormData, form: HTMLFormElement): void {
    const [expiry, scopes] = [readExpiry(entered), scopesIn(entered)];
    const found = { expiry: expiry.problem, scopes: scopes.length === 0 ? noScopes : undefined };
    setWrong(found);
    if (found.expiry === undefined && found.scopes === undefined) void run(expiry.expires_at, scopes);
    else form.querySelector<HTMLInputElement>(`[name="${found.scopes ? "scopes" : "expires_at"}"]`)?.focus();
  }

  return (
    <Form gap="lg" onSubmit={submit} onChange={() => setWrong({})} noValidate>
      <Text>
        A new key with the same name takes the place of <Name strong>{apiKey.name}</Name> <Hint>{apiKey.hint}</Hint>.
      </Text>
      <NativeSelect
        label="Keep the old key working for"
        description={overlap === "0" ? "Whatever uses the old key stops working now." : "Both keys work meanwhile."}
        data={overlaps}
        value={overlap}
        onChange={(event) => setOverlap(event.currentTarget.value as Overlap)}
        data-autofocus
      />
      <ScopesField
        label="Scopes of the new key"
        offered={scopeNames}
        ticked={scopeNames.filter((scope) => apiKey.scopes.includes(scope) || scope === lack)}
        lacking={lack}
        description={lack === null ? "Those of the old key." : "Those of the old key, and the one that was missing."}
        error={wrong.scopes}
      />
      <ExpiryField error={wrong.expiry} preset={sameLifetime(apiKey)} />
      <Notice kind="problem">{problem && (problem.kind === "unreachable" ? lostAnswer : problem.message)}</Notice>
      <Decision words="Replace key" pending={pending} isFinal={overlap === "0"} onCancel={props.onCancel} />
    </Form>
  );
}
