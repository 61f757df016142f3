import { Drawer, Modal } from "@mantine/core";
import { type FocusEvent, type ReactNode, useLayoutEffect, useRef } from "react";
import classes from "./parts.module.css";

/** How many dialogs are open, and what had the focus before the first: one may open while another closes. */
const open = { count: 0, opener: null as Element | null };

function holdPage(page: HTMLElement): void {
  open.count += 1;
  if (open.count > 1) return;
  open.opener = document.activeElement;
  // Without the scrollbar the page is wider: what it shows stays where it is.
  page.style.paddingInlineEnd = `${window.innerWidth - document.documentElement.clientWidth}px`;
  page.inert = true;
}

function releasePage(page: HTMLElement): void {
  open.count -= 1;
  if (open.count > 0) return;
  page.inert = false;
  page.style.paddingInlineEnd = "";
  // A page that a link opened with its dialog has no opener: nothing but the body had the focus before.
  const returns = open.opener !== document.body && open.opener?.isConnected;
  const heir = returns ? open.opener : document.querySelector("h1");
  if (heir instanceof HTMLElement) heir.focus({ preventScroll: true });
}

/**
 * While a dialog is open, keyboard, pointer and screen reader cannot reach the page, and the page does not scroll
 * (page.css). When it closes, the focus is back where it was.
 */
function useInertPage(opened: boolean): void {
  const holding = useRef(false);
  // A layout effect runs before other effects: first the opener gets the focus, then the row with the outcome. And its
  // body runs after React has given the focus back to the dialog, which still fades; its cleanup would run before that.
  useLayoutEffect(() => {
    const page = document.getElementById("root");
    if (!page || holding.current === opened) return;
    holding.current = opened;
    if (opened) holdPage(page);
    else releasePage(page);
  }, [opened]);
  useLayoutEffect(
    () => () => {
      const page = document.getElementById("root");
      if (page && holding.current) releasePage(page);
      holding.current = false;
    },
    [],
  );
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

const common = {
  returnFocus: false,
  // Mantine does not scroll to what it gives the focus first: on a low screen that may be below the edge. What is in a bar that
  // sticks to an end is in sight.
  onFocus({ target }: FocusEvent): void {
    const bar = target.closest(`.${classes.header}, .${classes.actions}`);
    if (!bar || getComputedStyle(bar).position === "static") target.scrollIntoView({ block: "nearest" });
  },
  padding: "lg",
  size: "lg",
  closeButtonProps: { "aria-label": "Close" },
  classNames: classes,
  // Mantine locks scrolling with an inline style, which the Content-Security-Policy refuses.
  lockScroll: false,
} as const;

/** A dialog over the page, or at its side. */
export function Dialog(props: {
  opened: boolean;
  title: ReactNode;
  onClose: () => void;
  children: ReactNode;
  atSide?: boolean;
}) {
  const { opened, onClose, title, children, atSide = false } = props;
  useInertPage(opened);
  const shown = { opened, onClose, ...useLasting(opened, title, children), ...common };
  return atSide ? <Drawer {...shown} position="right" /> : <Modal {...shown} yOffset="4dvh" />;
}
