import { Group } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./parts.module.css";

/** The buttons at the end of a dialog. */
export function Actions({ children }: { children: ReactNode }) {
  return (
    <Group justify="flex-end" className={classes.actions}>
      {children}
    </Group>
  );
}
