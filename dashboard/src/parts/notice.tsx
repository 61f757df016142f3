import { Alert } from "@mantine/core";
import { CircleCheck, Info, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import classes from "./parts.module.css";

const kinds = {
  problem: { icon: TriangleAlert, role: "alert" },
  warning: { icon: TriangleAlert, role: "status" },
  done: { icon: CircleCheck, role: "status" },
  hint: { icon: Info, role: "status" },
} as const;

/** A message that a screen reader reads out when it appears. */
export function Notice({ kind, children }: { kind: keyof typeof kinds; children: ReactNode }) {
  const { icon: Icon, role } = kinds[kind];
  return (
    <Alert
      icon={<Icon aria-hidden size={20} />}
      role={role}
      classNames={{ root: classes.notice ?? "", icon: classes.notice_icon ?? "", message: classes.notice_text ?? "" }}
      data-kind={kind}
    >
      {children}
    </Alert>
  );
}
