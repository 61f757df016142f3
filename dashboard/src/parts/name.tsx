import { Code, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { labelOf } from "../scopes.ts";
import classes from "./parts.module.css";

/** A name or an address of a person, of a key or of a company. One from right to left leaves the words beside it where they are. */
export function Name({ children, strong = false }: { children: string; strong?: boolean }) {
  return (
    <bdi translate="no" className={classes.name} style={{ fontWeight: strong ? 700 : undefined }}>
      {children}
    </bdi>
  );
}

/** Words and what follows them, such as a name; nothing if nothing follows: `, by Excel`. */
export function After({ words, children }: { words: string; children: ReactNode }) {
  return (
    children && (
      <span>
        {words}
        {typeof children === "string" ? <Name>{children}</Name> : children}
      </span>
    )
  );
}

/** What tells keys of one name apart: `sk_live_…` and the last four characters. */
export function Hint({ children }: { children: string }) {
  return <Code className={classes.hint}>{children}</Code>;
}

/** What stands beside or below something, quieter. */
export function Aside({ children }: { children: ReactNode }) {
  return (
    <Text size="sm" c="dimmed" component="div">
      {children}
    </Text>
  );
}

/** A scope in plain words, with its code. */
export function ScopeName({ children }: { children: string }) {
  return (
    <span>
      <span>{labelOf(children)}</span>{" "}
      <Code c="dimmed" className={classes.hint}>
        {children}
      </Code>
    </span>
  );
}
