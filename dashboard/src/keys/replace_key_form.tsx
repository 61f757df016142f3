import { Button, Code, NativeSelect, Stack, Text } from "@mantine/core";
import { type FormEvent, useState } from "react";
import type { ApiKey, Overlap } from "../database.ts";
import { Actions } from "../parts/actions.tsx";
import { Notice } from "../parts/notice.tsx";
import { When } from "../parts/when.tsx";
import { messageOf, Problem } from "../problems.ts";
import { replaceApiKey } from "./calls.ts";
import { readExpiry } from "./expiry.ts";
import { ExpiryField } from "./expiry_field.tsx";
import classes from "./keys.module.css";
import type { MakingForm } from "./make_key_dialog.tsx";

const overlaps: { value: Overlap; label: string }[] = [
  { value: "24 hours", label: "24 hours" },
  { value: "7 days", label: "7 days" },
  { value: "1 hour", label: "1 hour" },
  { value: "0", label: "No longer: it stops at once" },
];

const lostAnswer =
  "No answer came, so the key may have been replaced without the new one being shown. Look at the list: if it is there, replace the new one.";

/** Asks how long the old key still works, and when the new one expires. */
export function ReplaceKeyForm(props: MakingForm & { apiKey: ApiKey; onChanged: () => Promise<void> }) {
  const { apiKey } = props;
  const [pending, setPending] = useState(false);
  const [atExpiry, setAtExpiry] = useState<string | undefined>();
  const [problem, setProblem] = useState<string | null>(null);

  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const form = event.currentTarget;
    const expiry = readExpiry(form);
    setProblem(null);
    setAtExpiry(expiry.problem);
    if (expiry.problem !== undefined) return form.querySelector<HTMLInputElement>('[name="expires_at"]')?.focus();

    setPending(true);
    props.onPending(true);
    try {
      const overlap = String(new FormData(form).get("overlap")) as Overlap;
      props.onCreated(await replaceApiKey(apiKey.id, overlap, expiry.expires_at));
    } catch (error) {
      setPending(false);
      props.onPending(false);
      setProblem(error instanceof Problem && error.kind === "unreachable" ? lostAnswer : messageOf(error));
    }
    void props.onChanged();
  }

  return (
    <form onSubmit={(event) => void submit(event)} onChange={() => setAtExpiry(undefined)} noValidate>
      <Stack gap="lg">
        <div className={classes.breakable}>
          <Text>
            A new key takes the place of <b>{apiKey.name}</b> <Code className={classes.hint}>{apiKey.hint}</Code>, with
            the same name and scopes. Meanwhile both work, so that nothing stops.{" "}
            {apiKey.last_used_at === null ? (
              "The old one has never been used."
            ) : (
              <>
                The old one was last used on <When at={apiKey.last_used_at} />.
              </>
            )}
          </Text>
          <Text size="sm" c="dimmed" mt="sm">
            Scopes are fixed for as long as a key lives: whoever was given it for one thing never gets more by it. For
            other scopes, create another key.
          </Text>
        </div>
        <NativeSelect label="The old key works for another" name="overlap" data={overlaps} data-autofocus />
        <ExpiryField error={atExpiry} />
        {problem !== null && <Notice kind="problem">{problem}</Notice>}
        <Actions>
          <Button variant="default" onClick={props.onCancel} disabled={pending}>
            Cancel
          </Button>
          <Button type="submit" loading={pending}>
            Replace key
          </Button>
        </Actions>
      </Stack>
    </form>
  );
}
