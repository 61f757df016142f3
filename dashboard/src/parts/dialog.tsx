import { Modal } from "@mantine/core";
import { type ReactNode, useLayoutEffect } from "react";
import classes from "./parts.module.css";

/** A dialog over the page. While it is open, keyboard, pointer and screen reader cannot reach the page. */
export function Dialog(props: { opened: boolean; title: ReactNode; onClose: () => void; children: ReactNode }) {
  const { opened, title, onClose, children } = props;
  // A layout effect runs before other effects: so the row with the outcome can take the focus after the opener had it.
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
      // Mantine locks scrolling with an inline style, which the Content-Security-Policy refuses.
      lockScroll={false}
    >
      {children}
    </Modal>
  );
}
