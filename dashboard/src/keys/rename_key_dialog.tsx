import { Button, Code, Stack, Text, TextInput } from "@mantine/core";
import type { FormEvent } from "react";
import { useAction } from "../account/use_action.ts";
import type { ApiKey } from "../database.ts";
import { Actions } from "../parts/actions.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Notice } from "../parts/notice.tsx";
import { Problem } from "../problems.ts";
import { orGone, renameApiKey } from "./calls.ts";
import { nameProblem } from "./key_request.ts";
import classes from "./keys.module.css";

/**
 * Asks for the new name of a key.
 * @param onRenamed is called with a message that says what happened
 * @param onGone is called when this person no longer has access to the key
 */
export function RenameKeyDialog(props: {
  apiKey: ApiKey | null;
  onClose: () => void;
  onRenamed: (keyId: string, words: string) => Promise<void>;
  onGone: () => Promise<void>;
}) {
  const { apiKey } = props;
  const { run, pending, problem, forget } = useAction(async (key: ApiKey, entered: string) => {
    const wrong = nameProblem(entered);
    if (wrong !== undefined) throw new Problem("field", wrong, "name");
    const { name } = await orGone(renameApiKey(key.id, entered), props.onGone);
    await props.onRenamed(key.id, name === key.name ? `${name} keeps its name.` : `${key.name} is called ${name} now.`);
  });

  function close(): void {
    if (pending) return;
    forget();
    props.onClose();
  }

  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    if (apiKey) void run(apiKey, String(new FormData(event.currentTarget).get("name")).trim());
  }

  return (
    <Dialog opened={apiKey !== null} title="Rename key" onClose={close}>
      {apiKey && (
        <form onSubmit={submit} noValidate>
          <Stack gap="lg">
            <TextInput
              label="Name"
              name="name"
              defaultValue={apiKey.name}
              autoComplete="off"
              error={problem?.kind === "field" && problem.message}
              onChange={forget}
              data-autofocus
            />
            <Text size="sm" c="dimmed">
              <Code className={classes.hint}>{apiKey.hint}</Code> goes on working as it does. The history keeps both
              names; scopes and creator stay as they are for as long as the key lives.
            </Text>
            {problem && problem.kind !== "field" && <Notice kind="problem">{problem.message}</Notice>}
            <Actions>
              <Button variant="default" onClick={close} disabled={pending}>
                Cancel
              </Button>
              <Button type="submit" loading={pending}>
                Rename key
              </Button>
            </Actions>
          </Stack>
        </form>
      )}
    </Dialog>
  );
}
