import { Button, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useAction } from "../account/use_action.ts";
import type { ApiKey } from "../database.ts";
import { Actions } from "../parts/actions.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Hint, Name } from "../parts/name.tsx";
import { Notice } from "../parts/notice.tsx";
import { LastUse, When } from "../parts/when.tsx";
import { orGone, revokeApiKey } from "./calls.ts";

/**
 * Asks for confirmation, then revokes a key.
 * @param admin name of the admin who is signed in
 * @param onRevoked is called with a message that says what happened: somebody else may have revoked the key first
 * @param onGone is called when this person no longer has access to the key
 */
export function RevokeKeyDialog(props: {
  apiKey: ApiKey | null;
  admin: string;
  onClose: () => void;
  onRevoked: (keyId: string, words: ReactNode) => Promise<void>;
  onGone: () => Promise<void>;
}) {
  const { apiKey } = props;
  const { run, pending, problem, forget } = useAction(async (key: ApiKey) => {
    const { revoked_by, revoked_at } = await orGone(revokeApiKey(key.id), props.onGone);
    await props.onRevoked(
      key.id,
      revoked_by === props.admin ? (
        <>
          <Name>{key.name}</Name> is revoked: the API refuses it from now on.
        </>
      ) : (
        <>
          <Name>{key.name}</Name> had been revoked before, by{" "}
          {revoked_by === null ? "an operator" : <Name>{revoked_by}</Name>} on <When at={revoked_at} />.
        </>
      ),
    );
  });

  function close(): void {
    if (pending) return;
    forget();
    props.onClose();
  }

  return (
    <Dialog opened={apiKey !== null} title="Revoke key" onClose={close}>
      {apiKey && (
        <Stack gap="lg">
          <Text>
            <b>
              <Name>{apiKey.name}</Name>
            </b>{" "}
            <Hint>{apiKey.hint}</Hint> <LastUse apiKey={apiKey} />.
          </Text>
          <Text>Whatever uses it stops working now. This cannot be undone.</Text>
          <Notice kind="problem">{problem?.message}</Notice>
          <Actions>
            <Button variant="default" onClick={close} disabled={pending} data-autofocus>
              Cancel
            </Button>
            <Button color="red" loading={pending} onClick={() => void run(apiKey)}>
              Revoke key
            </Button>
          </Actions>
        </Stack>
      )}
    </Dialog>
  );
}
