import { Code } from "@mantine/core";
import { labelOf } from "../scopes.ts";
import classes from "./parts.module.css";

/** A name or an address of a person, of a key or of a company. One from right to left leaves the words beside it where they are. */
export function Name({ children }: { children: string }) {
  return (
    <bdi translate="no" className={classes.name}>
      {children}
    </bdi>
  );
}

/** What tells keys of one name apart: `sk_live_…` and the last four characters. */
export function Hint({ children }: { children: string }) {
  return <Code className={classes.hint}>{children}</Code>;
}

/** A scope in plain words, with its code. */
export function ScopeName({ children }: { children: string }) {
  return (
    <span className={classes.scope}>
      <span>{labelOf(children)}</span> <Code className={classes.hint}>{children}</Code>
    </span>
  );
}
