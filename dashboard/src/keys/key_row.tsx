import { Button, Code, Table, Text } from "@mantine/core";
import { useEffect, useRef } from "react";
import type { ApiKey } from "../database.ts";
import { Notice } from "../parts/notice.tsx";
import { When } from "../parts/when.tsx";
import list from "./key_list.module.css";
import { KeyStatus } from "./key_status.tsx";
import classes from "./keys.module.css";
import { type RareDeed, RowMenu } from "./row_menu.tsx";

/** The actions of a key's row. */
export type Deed = "revoke" | RareDeed;

/** The actions in the row's menu. A revoked key has only its history. */
function rareDeeds({ status, replaced_by }: ApiKey): RareDeed[] {
  if (status === "revoked") return ["history"];
  return status === "active" && replaced_by === null ? ["replace", "rename", "history"] : ["rename", "history"];
}

/** What was done to a key, shown at its row. `words` is null when the person has seen it elsewhere already. */
export type Outcome = { keyId: string; words: string | null };

/** A key's row. If there is an `outcome`, it is shown below the row, and the row takes the focus. */
export function KeyRow(props: {
  apiKey: ApiKey;
  /** The key that replaces this one, and the key that this one replaces. */
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

  const size = short ? "compact-xs" : "compact-sm";

  return (
    <>
      <Table.Tr ref={row} tabIndex={-1} aria-labelledby={nameId} className={list.row} data-status={apiKey.status}>
        <Table.Td data-column="Name">
          <div className={list.named}>
            <span className={list.name} id={nameId}>
              {apiKey.name}
            </span>{" "}
            <Code className={classes.hint}>{apiKey.hint}</Code>
          </div>
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
          <div>
            {apiKey.status !== "revoked" && (
              <Button
                variant="default"
                size={size}
                aria-describedby={nameId}
                onClick={() => props.onDeed("revoke", apiKey)}
              >
                Revoke
              </Button>
            )}
            <RowMenu
              deeds={rareDeeds(apiKey)}
              size={size}
              describedBy={nameId}
              onDeed={(deed) => props.onDeed(deed, apiKey)}
            />
          </div>
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
