import { Drawer, Modal } from "@mantine/core";
import { type ReactNode, useLayoutEffect, useRef } from "react";
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

/** What a dialog shows: while it closes, what it showed last, because it fades out. Then it is forgotten. */
function useLasting(opened: boolean, title: ReactNode, children: ReactNode) {
  const last = useRef<{ title: ReactNode; children: ReactNode } | null>(null);
  if (opened) last.current = { title, children };
  const forget = (): void => {
    if (!opened) last.current = null;
  };
  return { ...(last.current ?? { title, children }), onExitTransitionEnd: forget };
}

type DialogProps = { opened: boolean; title: ReactNode; onClose: () => void; children: ReactNode };

const common = {
  returnFocus: false,
  padding: "lg",
  closeButtonProps: { "aria-label": "Close" },
  classNames: {
    content: `${classes.dialog} ${classes.scrolling}`,
    header: `${classes.dialog} ${classes.header}`,
    title: classes.title ?? "",
  },
  // Mantine locks scrolling with an inline style, which the Content-Security-Policy refuses.
  lockScroll: false,
} as const;

/** A dialog over the page. */
export function Dialog({ opened, title, onClose, children }: DialogProps) {
  useInertPage(opened);
  const lasting = useLasting(opened, title, children);
  return <Modal opened={opened} onClose={onClose} size="lg" yOffset="4dvh" {...lasting} {...common} />;
}

/** A dialog at the side of the page. */
export function SideDialog({ opened, title, onClose, children }: DialogProps) {
  useInertPage(opened);
  const lasting = useLasting(opened, title, children);
  return <Drawer opened={opened} onClose={onClose} position="right" size="lg" {...lasting} {...common} />;
}
