import { type ReactNode, useEffect, useState } from "react";
import type { NewApiKey } from "../database.ts";
import { Dialog } from "../parts/dialog.tsx";
import { ConfirmClose } from "./confirm_close.tsx";
import { NewKey } from "./new_key.tsx";

type Stage = { name: "form"; pending: boolean } | { name: "key" | "closing"; created: NewApiKey; copied: boolean };

const form: Stage = { name: "form", pending: false };
const titles = { key: "Key created", closing: "Close without the key?" } as const;

/** The callbacks of a form in this dialog. */
export type MakingForm = {
  onPending: (pending: boolean) => void;
  onCreated: (created: NewApiKey) => void;
  onCancel: () => void;
};

/**
 * The dialog with the form, then with the new key. The key is kept only here, until the dialog closes. As long as it
 * has not been copied, closing asks for confirmation.
 * @param onClose is called with the id of the new key, or null if there is none
 */
export function MakeKeyDialog(props: {
  opened: boolean;
  title: string;
  form: (told: MakingForm) => ReactNode;
  onClose: (created: string | null) => void;
  onChanged: () => Promise<void>;
}) {
  const { opened, onChanged } = props;
  const [stage, setStage] = useState<Stage>(form);
  const keyAtStake = stage.name !== "form" && !stage.copied;

  // Leaving the page would lose the key too, so the browser asks for confirmation.
  useEffect(() => {
    if (!keyAtStake) return;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, [keyAtStake]);

  function close(): void {
    setStage(form);
    props.onClose(stage.name === "form" ? null : stage.created.id);
  }

  /** Called by Done, Cancel, Escape, the close button and a click beside the dialog. */
  function mayClose(): void {
    // A key that is being created must be shown first.
    if (stage.name === "form" && stage.pending) return;
    if (stage.name === "form" || stage.copied) close();
    else setStage({ ...stage, name: stage.name === "key" ? "closing" : "key" });
  }

  return (
    <Dialog opened={opened} title={stage.name === "form" ? props.title : titles[stage.name]} onClose={mayClose}>
      {stage.name === "form" &&
        props.form({
          onPending: (pending) => setStage({ name: "form", pending }),
          onCreated: (created) => setStage({ name: "key", created, copied: false }),
          onCancel: mayClose,
        })}
      {stage.name === "key" && (
        <NewKey
          created={stage.created}
          onCopied={() => setStage({ ...stage, copied: true })}
          onDone={mayClose}
          onChecked={onChanged}
        />
      )}
      {stage.name === "closing" && (
        <ConfirmClose keyName={stage.created.name} onBack={() => setStage({ ...stage, name: "key" })} onClose={close} />
      )}
    </Dialog>
  );
}
