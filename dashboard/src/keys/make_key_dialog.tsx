import { type ReactNode, useEffect, useState } from "react";
import type { NewApiKey } from "../database.ts";
import { Dialog } from "../parts/dialog.tsx";
import { ConfirmClose } from "./confirm_close.tsx";
import { NewKey } from "./new_key.tsx";

type Stage = { name: "form"; pending: boolean } | { name: "key" | "closing"; created: NewApiKey; copied: boolean };

const form: Stage = { name: "form", pending: false };
const titles = { key: "Key created", closing: "Close without the key?" } as const;

/** What the form of such a dialog tells. */
export type MakingForm = {
  onPending: (pending: boolean) => void;
  onCreated: (created: NewApiKey) => void;
  onCancel: () => void;
};

/**
 * From the form to the key, which lives here until the dialog is closed and nowhere else. Until it has been copied, closing asks.
 * @param onClose told the id of the new key, if there is one
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

  // Leaving the whole page loses the key too: the browser asks.
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

  /** By Done, by Escape, by the cross, by a click beside the dialog. */
  function mayClose(): void {
    // A key that is being made must be shown.
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
