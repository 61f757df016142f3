import { Modal } from "@mantine/core";
import { type ReactNode, useLayoutEffect } from "react";
import classes from "./parts.module.css";

/** A dialog over the page, which meanwhile is out of reach for keyboard, pointer and screen reader alike. */
export function Dialog(props: { opened: boolean; title: ReactNode; onClose: () => void; children: ReactNode }) {
  const { opened, title, onClose, children } = props;
  // Before any other effect: what came of a dialog may take the focus from what opened it.
  useLayoutEffect(() => {
    const page = document.getElementById("root");
    if (!opened || !page) return;
    const opener = document.activeElement;
    page.inert = true;
    return () => {
      page.inert = false;
      if (opener instanceof HTMLElement) opener.focus({ preventScroll: true });
    };
  }, [opened]);

  return (
    <Modal
      opened={opened}
      onClose={onClose}
      returnFocus={false}
      title={title}
      size="lg"
      yOffset="4dvh"
      padding="lg"
      closeButtonProps={{ "aria-label": "Close" }}
      classNames={{ content: classes.dialog ?? "", header: classes.dialog ?? "", title: classes.title ?? "" }}
      // It would be done with an inline style, which the Content-Security-Policy refuses.
      lockScroll={false}
    >
      {children}
    </Modal>
  );
}
