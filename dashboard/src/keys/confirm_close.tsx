import { Button, Stack, Text } from "@mantine/core";
import { Actions } from "../parts/actions.tsx";
import { Name } from "../parts/name.tsx";

/** Asks for confirmation before the dialog with a new key closes, if the key has not been copied. */
export function ConfirmClose(props: { keyName: string; onBack: () => void; onClose: () => void }) {
  return (
    <Stack gap="lg">
      <Text>
        The key of{" "}
        <b>
          <Name>{props.keyName}</Name>
        </b>{" "}
        is never shown again. If you have not copied it, go back. A key that is lost can only be revoked or replaced.
      </Text>
      <Actions>
        <Button variant="default" onClick={props.onClose}>
          Close anyway
        </Button>
        <Button onClick={props.onBack} autoFocus>
          Back to the key
        </Button>
      </Actions>
    </Stack>
  );
}
