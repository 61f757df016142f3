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
import { orGone, renameApiKey, revokeApiKey } from "./calls.ts";
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

/** A dialog that changes a key, and stays open until it has. `form` shows the key, and the problem of its field. */
function ChangeKeyDialog(props: {
  title: string;
  apiKey: ApiKey | null;
  isFinal?: boolean;
  form: (key: ApiKey, atField: string | undefined) => ReactNode;
  change: (key: ApiKey, entered: FormData) => Promise<void>;
  onClose: () => void;
}) {
  const { title, apiKey, isFinal = false } = props;
  const { run, pending, problem, forget } = useAction(props.change);
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
export function RenameKeyDialog({ apiKey, names, onClose, onDone, onGone }: Changing & { names: string[] }) {
  async function rename(key: ApiKey, entered: FormData): Promise<void> {
    const chosen = entryOf(entered, "name");
    const wrong = nameProblem(chosen);
    if (wrong !== undefined) throw new Problem("field", wrong, "name");
    const { name } = await orGone(renameApiKey(key.id, chosen), onGone);
    const [before, after] = [<Name key="before">{key.name}</Name>, <Name key="after">{name}</Name>];
    await onDone(
      key.id,
      name === key.name ? (
        <>{after} keeps its name.</>
      ) : (
        <>
          {before} is called {after} now.
        </>
      ),
    );
  }
  return (
    <ChangeKeyDialog
      title="Rename key"
      apiKey={apiKey}
      form={(key, atField) => (
        <>
          <NameField defaultValue={key.name} error={atField} others={names.filter((name) => name !== key.name)} />
          <Text size="sm" c="dimmed">
            <Hint>{key.hint}</Hint> keeps working, with the same scopes. The history keeps both names.
          </Text>
        </>
      )}
      change={rename}
      onClose={onClose}
    />
  );
}

/**
 * Asks for confirmation, then revokes a key. Somebody else may have revoked it first.
 * @param admin name of the admin who is signed in
 */
export function RevokeKeyDialog({ apiKey, admin, onClose, onDone, onGone }: Changing & { admin: string | null }) {
  async function revoke({ id, name }: ApiKey): Promise<void> {
    const { revoked_by, revoked_at } = await orGone(revokeApiKey(id), onGone);
    const said =
      revoked_by === admin ? (
        <>
          <Name>{name}</Name> is revoked: the API refuses it from now on.
        </>
      ) : (
        <>
          <Name>{name}</Name> had been revoked before, by{" "}
          {revoked_by === null ? "an operator" : <Name>{revoked_by}</Name>} on <When at={revoked_at} />.
        </>
      );
    await onDone(id, said);
  }
  return (
    <ChangeKeyDialog
      title={apiKey?.assistant ? "Disconnect" : "Revoke key"}
      apiKey={apiKey}
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
      onClose={onClose}
    />
  );
}
