import { Alert } from "@mantine/core";
import CircleCheck from "lucide-react/icons/circle-check";
import Info from "lucide-react/icons/info";
import TriangleAlert from "lucide-react/icons/triangle-alert";
import { type ReactNode, useEffect, useRef } from "react";
import classes from "./parts.module.css";

const kinds = {
  problem: { icon: TriangleAlert, role: "alert" },
  warning: { icon: TriangleAlert, role: "status" },
  done: { icon: CircleCheck, role: "status" },
  hint: { icon: Info, role: "status" },
} as const;

/**
 * A message that a screen reader reads out when it appears. It does so only in a region that was there before: so render
 * the notice always, without children as long as there is nothing to say. A problem is scrolled into view.
 */
export function Notice(props: { kind: keyof typeof kinds; children: ReactNode; onClose?: () => void }) {
  const { kind, children, onClose } = props;
  const { icon: Icon, role } = kinds[kind];
  const region = useRef<HTMLDivElement>(null);
  const isProblem = kind === "problem" && Boolean(children);
  useEffect(() => {
    if (isProblem) region.current?.scrollIntoView({ block: "nearest" });
  }, [isProblem]);
  return (
    <div ref={region} role={role} className={classes.region}>
      {children && (
        <Alert
          icon={<Icon aria-hidden size={20} />}
          role="group"
          {...(onClose ? { withCloseButton: true, closeButtonLabel: "Close message", onClose } : {})}
          classNames={{
            root: classes.notice ?? "",
            icon: classes.notice_icon ?? "",
            message: classes.notice_text ?? "",
            closeButton: classes.close ?? "",
          }}
          data-kind={kind}
        >
          {children}
        </Alert>
      )}
    </div>
  );
}
