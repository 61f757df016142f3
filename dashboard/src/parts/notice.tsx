import { Alert } from "@mantine/core";
import { CircleCheck, Info, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";

const kinds = {
  problem: { color: "red", icon: TriangleAlert, role: "alert" },
  warning: { color: "yellow", icon: TriangleAlert, role: "status" },
  done: { color: "teal", icon: CircleCheck, role: "status" },
  hint: { color: "indigo", icon: Info, role: "status" },
} as const;

/** Something to be told, read out by a screen reader when it appears. */
export function Notice({ kind, children }: { kind: keyof typeof kinds; children: ReactNode }) {
  const { color, icon: Icon, role } = kinds[kind];
  return (
    <Alert color={color} icon={<Icon aria-hidden size={20} />} role={role} variant="light">
      {children}
    </Alert>
  );
}
