import { Modal } from "@mantine/core";
import { type ReactNode, useEffect } from "react";

/** A dialog over the page, which meanwhile is out of reach for keyboard, pointer and screen reader alike. */
export function Dialog(props: { opened: boolean; title: ReactNode; onClose: () => void; children: ReactNode }) {
  const { opened, title, onClose, children } = props;
  useEffect(() => {
    const page = document.getElementById("root");
    if (!opened || !page) return;
    page.inert = true;
    return () => {
      page.inert = false;
    };
  }, [opened]);

  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={title}
      size="lg"
      padding="lg"
      closeButtonProps={{ "aria-label": "Close" }}
      // Mantine would lock the scrolling with an inline style; page.css does it.
      lockScroll={false}
    >
      {children}
    </Modal>
  );
}
