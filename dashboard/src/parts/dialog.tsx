import { Drawer, Modal } from "@mantine/core";
import { type ReactNode, useLayoutEffect } from "react";
import classes from "./parts.module.css";

/**
 * While a dialog is open, keyboard, pointer and screen reader cannot reach the page, and the page does not scroll
 * (page.css). When it closes, the focus is back where it was.
 */
function useInertPage(opened: boolean): void {
  // A layout effect runs before other effects: first the opener gets the focus, then the row with the outcome.
  useLayoutEffect(() => {
    const page = document.getElementById("root");
    if (!opened || !page) return;
    const opener = document.activeElement;
    const scrollbar = window.innerWidth - document.documentElement.clientWidth;
    page.inert = true;
    // Without the scrollbar the page is wider: what it shows stays where it is.
    page.style.paddingInlineEnd = `${scrollbar}px`;
    return () => {
      page.inert = false;
      page.style.paddingInlineEnd = "";
      if (opener instanceof HTMLElement) opener.focus({ preventScroll: true });
    };
  }, [opened]);
}

type DialogProps = { opened: boolean; title: ReactNode; onClose: () => void; children: ReactNode };

const common = {
  returnFocus: false,
  padding: "lg",
  closeButtonProps: { "aria-label": "Close" },
  classNames: { content: classes.dialog ?? "", header: classes.dialog ?? "", title: classes.title ?? "" },
  // Mantine locks scrolling with an inline style, which the Content-Security-Policy refuses.
  lockScroll: false,
} as const;

/** A dialog over the page. */
export function Dialog({ opened, title, onClose, children }: DialogProps) {
  useInertPage(opened);
  return (
    <Modal opened={opened} onClose={onClose} title={title} size="lg" yOffset="4dvh" {...common}>
      {children}
    </Modal>
  );
}

/** A dialog at the side of the page. */
export function SideDialog({ opened, title, onClose, children }: DialogProps) {
  useInertPage(opened);
  return (
    <Drawer opened={opened} onClose={onClose} title={title} position="right" size="lg" {...common}>
      {children}
    </Drawer>
  );
}
