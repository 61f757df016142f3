import { Button, Stack, Text } from "@mantine/core";
import type { FormEvent, ReactNode } from "react";
import { useAction } from "../account/use_action.ts";
import type { ApiKey } from "../database.ts";
import { Actions } from "../parts/actions.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Hint, Name } from "../parts/name.tsx";
import { Notice } from "../parts/notice.tsx";
import { Problem } from "../problems.ts";
import { orGone, renameApiKey } from "./calls.ts";
import { NameField, nameProblem } from "./create_key_form.tsx";

/**
 * Asks for the new name of a key.
 * @param names the names of the keys that still work
 * @param onRenamed is called with a message that says what happened
 * @param onGone is called when this person no longer has access to the key
 */
export function RenameKeyDialog(props: {
  apiKey: ApiKey | null;
  names: string[];
  onClose: () => void;
  onRenamed: (keyId: string, words: ReactNode) => Promise<void>;
  onGone: () => Promise<void>;
}) {
  const { apiKey } = props;
  const { run, pending, problem, forget } = useAction(async (key: ApiKey, entered: string) => {
    const wrong = nameProblem(entered);
    if (wrong !== undefined) throw new Problem("field", wrong, "name");
    const { name } = await orGone(renameApiKey(key.id, entered), props.onGone);
    const words =
      name === key.name ? (
        <>
          <Name>{name}</Name> keeps its name.
        </>
      ) : (
        <>
          <Name>{key.name}</Name> is called <Name>{name}</Name> now.
        </>
      );
    await props.onRenamed(key.id, words);
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
        <form onSubmit={submit} onChange={forget} noValidate>
          <Stack gap="lg">
            <NameField
              defaultValue={apiKey.name}
              error={problem?.kind === "field" ? problem.message : undefined}
              others={props.names.filter((name) => name !== apiKey.name)}
            />
            <Text size="sm" c="dimmed">
              <Hint>{apiKey.hint}</Hint> keeps working, with the same scopes. The history keeps both names.
            </Text>
            <Notice kind="problem">{problem?.kind !== "field" && problem?.message}</Notice>
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
