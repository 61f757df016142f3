import { Button, Stack, Text } from "@mantine/core";
import { type ReactNode, useEffect, useState } from "react";
import { holdPage } from "../account/session.ts";
import { Actions } from "../parts/actions.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Name } from "../parts/name.tsx";
import { type MadeKey, NewKey } from "./new_key.tsx";

type Stage = { name: "form"; pending: boolean } | { name: "key" | "closing"; made: MadeKey; copied: boolean };

const form: Stage = { name: "form", pending: false };

/** The callbacks of a form in this dialog: `make` shows the key that an answer brings. */
export type MakingForm = { make: (answer: Promise<MadeKey>) => Promise<void>; onCancel: () => void };

/**
 * The dialog with the form, then with the new key. The key is kept only here, until the dialog closes: so the dialog
 * stays open even if the session ends. As long as the key has not been copied, closing asks for confirmation.
 * @param onClose is called with the id of the new key, or null if there is none
 */
export function MakeKeyDialog(props: {
  opened: boolean;
  title: string;
  form: (making: MakingForm) => ReactNode;
  onClose: (made: string | null) => void;
}) {
  const [stage, setStage] = useState<Stage>(form);
  const keyAtStake = stage.name !== "form" && !stage.copied;
  const keyInDialog = stage.name !== "form" || stage.pending;

  useEffect(() => (keyInDialog ? holdPage() : undefined), [keyInDialog]);

  // Leaving the page would lose the key too, so the browser asks for confirmation.
  useEffect(() => {
    if (!keyAtStake) return;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, [keyAtStake]);

  async function make(answer: Promise<MadeKey>): Promise<void> {
    setStage({ name: "form", pending: true });
    try {
      setStage({ name: "key", made: await answer, copied: false });
    } catch (error) {
      setStage(form);
      throw error;
    }
  }

  function close(): void {
    setStage(form);
    props.onClose(stage.name === "form" ? null : stage.made.id);
  }

  /** Called by Done, Cancel, Escape, the close button and a click beside the dialog. */
  function mayClose(): void {
    // A key that is being created must be shown first.
    if (stage.name === "form" && stage.pending) return;
    if (stage.name === "form" || stage.copied) close();
    else setStage({ ...stage, name: stage.name === "key" ? "closing" : "key" });
  }

  const titles = {
    form: props.title,
    key: stage.name === "key" && stage.made.replaced ? "Key replaced" : "Key created",
    closing: "Close without the key?",
  };
  return (
    <Dialog opened={props.opened} title={titles[stage.name]} onClose={mayClose}>
      {stage.name === "form" && props.form({ make, onCancel: mayClose })}
      {stage.name === "key" && (
        <NewKey made={stage.made} onCopied={() => setStage({ ...stage, copied: true })} onDone={mayClose} />
      )}
      {stage.name === "closing" && (
        <ConfirmClose keyName={stage.made.name} onBack={() => setStage({ ...stage, name: "key" })} onClose={close} />
      )}
    </Dialog>
  );
}

/** Asks for confirmation before the dialog with a new key closes, if the key has not been copied. */
function ConfirmClose(props: { keyName: string; onBack: () => void; onClose: () => void }) {
  return (
    <Stack gap="lg">
      <Text>
        The key of <Name strong>{props.keyName}</Name> is never shown again. If you have not copied it, go back. A key
        that is lost can only be revoked or replaced.
      </Text>
      <Actions>
        <Button onClick={props.onClose}>Close anyway</Button>
        <Button variant="filled" onClick={props.onBack} autoFocus>
          Back to the key
        </Button>
      </Actions>
    </Stack>
  );
}
