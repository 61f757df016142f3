import { Alert } from "@mantine/core";
import CircleCheck from "lucide-react/icons/circle-check";
import Info from "lucide-react/icons/info";
import TriangleAlert from "lucide-react/icons/triangle-alert";
import { type ReactNode, useEffect, useRef } from "react";
import classes from "./parts.module.css";

const kinds = {
  problem: { icon: TriangleAlert, role: "alert", tone: "red-7" },
  warning: { icon: TriangleAlert, role: "status", tone: "yellow-7" },
  done: { icon: CircleCheck, role: "status", tone: "teal-7" },
  hint: { icon: Info, role: "status", tone: "indigo-6" },
} as const;

/**
 * A message that a screen reader reads out when it appears. It does so only in a region that was there before: so render
 * the notice always, without children as long as there is nothing to say. A problem is scrolled into view, and what `isSought`.
 */
export function Notice(props: {
  kind: keyof typeof kinds;
  children: ReactNode;
  isSought?: boolean;
  onClose?: () => void;
}) {
  const { kind, children, isSought = kind === "problem", onClose } = props;
  const { icon: Icon, role, tone } = kinds[kind];
  const region = useRef<HTMLDivElement>(null);
  const comesIntoView = isSought && Boolean(children);
  useEffect(() => {
    if (comesIntoView) region.current?.scrollIntoView({ block: "nearest" });
  }, [comesIntoView]);
  return (
    <div ref={region} role={role} className={classes.region}>
      {children && (
        <Alert
          icon={<Icon aria-hidden size={20} />}
          role="group"
          {...(onClose ? { withCloseButton: true, closeButtonLabel: "Close message", onClose } : {})}
          className={classes.notice}
          classNames={classes}
          style={{ "--tone": `var(--mantine-color-${tone})` }}
        >
          {children}
        </Alert>
      )}
    </div>
  );
}
