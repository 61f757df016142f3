import { Button, Group } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./parts.module.css";

/** The buttons at the end of a dialog. */
export function Actions({ children }: { children: ReactNode }) {
  return (
    <Group justify="flex-end" pt="md" style={{ borderTop: "1px solid var(--line)" }} className={classes.actions}>
      {children}
    </Group>
  );
}

/** At the end of a form: what it does, and the way out. While it is `pending`, neither can be pressed. */
export function Decision(props: {
  words: string;
  pending: boolean;
  isFinal?: boolean;
  cancel?: string;
  onCancel: () => void;
}) {
  const { words, pending, isFinal = false, cancel = "Cancel", onCancel } = props;
  return (
    <Actions>
      <Button onClick={onCancel} disabled={pending} data-autofocus={isFinal || undefined}>
        {cancel}
      </Button>
      <Button type="submit" variant="filled" loading={pending} {...(isFinal ? { color: "red" } : {})}>
        {words}
      </Button>
    </Actions>
  );
}
