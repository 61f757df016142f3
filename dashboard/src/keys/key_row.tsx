import { Button, Code, Table, Text, UnstyledButton } from "@mantine/core";
import { Pencil } from "lucide-react";
import { useEffect, useRef } from "react";
import type { ApiKey } from "../database.ts";
import { Notice } from "../parts/notice.tsx";
import { When } from "../parts/when.tsx";
import list from "./key_list.module.css";
import { KeyStatus } from "./key_status.tsx";
import classes from "./keys.module.css";

/** What can be done to a key. */
export type Deed = "replace" | "rename" | "revoke";

/** What was done to a key, to be said at its row: `words` is null when somebody has been told already. */
export type Outcome = { keyId: string; words: string | null };

/** A key, and below it what has just been done to it: then the row has the focus. */
export function KeyRow(props: {
  apiKey: ApiKey;
  /** The key that takes its place, and the one whose place it takes. */
  successor: ApiKey | undefined;
  predecessor: ApiKey | undefined;
  short: boolean;
  columns: number;
  outcome: Outcome | null;
  onDeed: (deed: Deed, key: ApiKey) => void;
}) {
  const { apiKey, short, outcome } = props;
  const nameId = `key-${apiKey.id}`;
  const row = useRef<HTMLTableRowElement>(null);
  useEffect(() => {
    if (outcome) row.current?.focus();
  }, [outcome]);

  const deed = (name: Deed, words: string) => (
    <Button
      variant="default"
      size={short ? "compact-xs" : "compact-sm"}
      aria-describedby={nameId}
      onClick={() => props.onDeed(name, apiKey)}
    >
      {words}
    </Button>
  );

  return (
    <>
      <Table.Tr ref={row} tabIndex={-1} aria-labelledby={nameId} className={list.row} data-status={apiKey.status}>
        <Table.Td data-column="Name">
          <Named apiKey={apiKey} id={nameId} onRename={() => props.onDeed("rename", apiKey)} />
        </Table.Td>
        <Table.Td data-column="Scopes">
          <ul className={list.scopes}>
            {apiKey.scopes.map((scope) => (
              <li key={scope}>{scope}</li>
            ))}
          </ul>
        </Table.Td>
        <Table.Td data-column="Created">
          <div>
            <When at={apiKey.created_at} as={short ? "day" : "moment"} />{" "}
            <Text span size="sm" c="dimmed" className={list.by}>
              by {apiKey.created_by}
            </Text>
          </div>
        </Table.Td>
        <Table.Td data-column="Last used">
          {apiKey.last_used_at === null ? "never" : <When at={apiKey.last_used_at} as={short ? "day" : "moment"} />}
        </Table.Td>
        <Table.Td data-column="Status">
          <KeyStatus apiKey={apiKey} successor={props.successor} predecessor={props.predecessor} short={short} />
        </Table.Td>
        <Table.Td className={list.action}>
          {apiKey.status === "active" && apiKey.replaced_by === null && deed("replace", "Replace")}
          {apiKey.status !== "revoked" && deed("revoke", "Revoke")}
        </Table.Td>
      </Table.Tr>
      {outcome?.words && (
        <Table.Tr className={list.outcome}>
          <Table.Td colSpan={props.columns}>
            <Notice kind="done">{outcome.words}</Notice>
          </Table.Td>
        </Table.Tr>
      )}
    </>
  );
}

/** What a key is called, how it ends, and the way to another name. */
function Named({ apiKey, id, onRename }: { apiKey: ApiKey; id: string; onRename: () => void }) {
  return (
    <div className={list.named}>
      <span className={list.name} id={id}>
        {apiKey.name}
      </span>{" "}
      <Code className={classes.hint}>{apiKey.hint}</Code>
      {apiKey.status !== "revoked" && (
        <UnstyledButton
          className={list.rename}
          aria-label="Rename"
          aria-describedby={id}
          title="Rename"
          onClick={onRename}
        >
          <Pencil aria-hidden size={14} />
        </UnstyledButton>
      )}
    </div>
  );
}
