import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useAction } from "../account/use_action.ts";
import type { ApiKey } from "../database.ts";
import { Decision } from "../parts/actions.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { entryOf, Form } from "../parts/form.tsx";
import { Hint, Name } from "../parts/name.tsx";
import { Notice } from "../parts/notice.tsx";
import { When } from "../parts/when.tsx";
import { Problem } from "../problems.ts";
import { renameApiKey, revokeApiKey } from "./calls.ts";
import { NameField, nameProblem } from "./create_key_form.tsx";
import { Uses } from "./key_drawer.tsx";
import classes from "./keys.module.css";

/**
 * @param apiKey null: closed
 * @param onDone is called with a message that says what happened
 * @param onGone is called when this person no longer has access to the key
 */
type Changing = {
  apiKey: ApiKey | null;
  onClose: () => void;
  onDone: (keyId: string, words: ReactNode) => Promise<void>;
  onGone: () => Promise<void>;
};

/**
 * A dialog that changes a key, and stays open until it has. `form` shows the key, and the problem of its field.
 * `change` returns words for what happened. Keys are never deleted: if one is not found, the person is no longer an
 * admin, or the company has moved. Loading the page again shows which.
 */
function ChangeKeyDialog(
  props: Changing & {
    title: string;
    isFinal?: boolean;
    form: (key: ApiKey, atField: string | undefined) => ReactNode;
    change: (key: ApiKey, entered: FormData) => Promise<ReactNode>;
  },
) {
  const { title, apiKey, isFinal = false } = props;
  const { run, pending, problem, forget } = useAction(async (key: ApiKey, entered: FormData) => {
    try {
      await props.onDone(key.id, await props.change(key, entered));
    } catch (error) {
      if (error instanceof Problem && error.kind === "gone") await props.onGone();
      throw error;
    }
  });
  const atField = problem?.kind === "field" ? problem.message : undefined;

  function close(): void {
    if (pending) return;
    forget();
    props.onClose();
  }

  return (
    <Dialog opened={apiKey !== null} title={title} onClose={close}>
      {apiKey && (
        <Form gap="lg" onSubmit={(entered) => void run(apiKey, entered)} onChange={forget} noValidate>
          {props.form(apiKey, atField)}
          <Notice kind="problem">{atField === undefined && problem?.message}</Notice>
          <Decision words={title} pending={pending} isFinal={isFinal} onCancel={close} />
        </Form>
      )}
    </Dialog>
  );
}

/**
 * Asks for the new name of a key.
 * @param names the names of the keys that still work
 */
export function RenameKeyDialog({ names, ...changing }: Changing & { names: string[] }) {
  async function rename(key: ApiKey, entered: FormData): Promise<ReactNode> {
    const chosen = entryOf(entered, "name");
    const wrong = nameProblem(chosen);
    if (wrong !== undefined) throw new Problem("field", wrong, "name");
    const { name } = await renameApiKey(key.id, chosen);
    const after = <Name>{name}</Name>;
    if (name === key.name) return <>{after} keeps its name.</>;
    return (
      <>
        <Name>{key.name}</Name> is called {after} now.
      </>
    );
  }
  return (
    <ChangeKeyDialog
      {...changing}
      title="Rename key"
      form={(key, atField) => (
        <>
          <NameField defaultValue={key.name} error={atField} others={names.filter((name) => name !== key.name)} />
          <Text size="sm" c="dimmed">
            <Hint>{key.hint}</Hint> keeps working, with the same scopes. The history keeps both names.
          </Text>
        </>
      )}
      change={rename}
    />
  );
}

/**
 * Asks for confirmation, then revokes a key. Somebody else may have revoked it first.
 * @param admin name of the admin who is signed in
 */
export function RevokeKeyDialog({ admin, ...changing }: Changing & { admin: string | null }) {
  async function revoke({ id, name, assistant }: ApiKey): Promise<ReactNode> {
    const { revoked_by, revoked_at } = await revokeApiKey(id);
    const key = <Name>{name}</Name>;
    const isHere = revoked_by === admin;
    if (isHere && assistant !== null) return <>{key} is disconnected: the API refuses it from now on.</>;
    if (isHere) return <>{key} is revoked: the API refuses it from now on.</>;
    return (
      <>
        {key} had been revoked before, by {revoked_by === null ? "an operator" : <Name>{revoked_by}</Name>} on{" "}
        <When at={revoked_at} />.
      </>
    );
  }
  return (
    <ChangeKeyDialog
      {...changing}
      title={changing.apiKey?.assistant ? "Disconnect" : "Revoke key"}
      isFinal
      form={(key) => (
        <>
          <Text>
            Whatever uses <Name strong>{key.name}</Name> <Hint>{key.hint}</Hint> stops working now. This cannot be
            undone.
          </Text>
          <dl className={classes.facts}>
            <Uses of={key} />
          </dl>
        </>
      )}
      change={revoke}
    />
  );
}
