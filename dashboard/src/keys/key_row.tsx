import { Badge, Button, Code, Table, Text } from "@mantine/core";
import { useEffect, useRef } from "react";
import type { ApiKey } from "../database.ts";
import { Notice } from "../parts/notice.tsx";
import { When } from "../parts/when.tsx";
import { concerns } from "./concerns.ts";
import type { Outcome } from "./key_list.tsx";
import classes from "./keys.module.css";

/** What can be done to a key. */
export type Deed = "revoke";

/** A key, and below it what has just been done to it: then the row has the focus. */
export function KeyRow(props: {
  apiKey: ApiKey;
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

  return (
    <>
      <Table.Tr ref={row} tabIndex={-1} aria-labelledby={nameId} className={classes.row} data-status={apiKey.status}>
        <Table.Td data-column="Name">
          <div className={classes.named}>
            <span className={classes.name} id={nameId}>
              {apiKey.name}
            </span>{" "}
            <Code className={classes.hint}>{apiKey.hint}</Code>
          </div>
        </Table.Td>
        <Table.Td data-column="Scopes">
          <ul className={classes.scopes}>
            {apiKey.scopes.map((scope) => (
              <li key={scope}>{scope}</li>
            ))}
          </ul>
        </Table.Td>
        <Table.Td data-column="Created">
          <div>
            <When at={apiKey.created_at} as={short ? "day" : "moment"} />{" "}
            <Text span size="sm" c="dimmed" className={classes.by}>
              by {apiKey.created_by}
            </Text>
          </div>
        </Table.Td>
        <Table.Td data-column="Last used">
          {apiKey.last_used_at === null ? "never" : <When at={apiKey.last_used_at} as={short ? "day" : "moment"} />}
        </Table.Td>
        <Table.Td data-column="Status">
          <Status apiKey={apiKey} short={short} />
        </Table.Td>
        <Table.Td className={classes.action}>
          {apiKey.status !== "revoked" && (
            <Button
              variant="default"
              size={short ? "compact-xs" : "compact-sm"}
              aria-describedby={nameId}
              onClick={() => props.onDeed("revoke", apiKey)}
            >
              Revoke
            </Button>
          )}
        </Table.Td>
      </Table.Tr>
      {outcome?.words && (
        <Table.Tr className={classes.outcome}>
          <Table.Td colSpan={props.columns}>
            <Notice kind="done">{outcome.words}</Notice>
          </Table.Td>
        </Table.Tr>
      )}
    </>
  );
}

function Status({ apiKey, short }: { apiKey: ApiKey; short: boolean }) {
  return (
    <div className={classes.state}>
      <Badge className={classes.status} data-status={apiKey.status}>
        {apiKey.status}
      </Badge>{" "}
      {concerns(apiKey).map((words) => (
        <Badge key={words} className={classes.status} data-status="concern">
          {words}
        </Badge>
      ))}{" "}
      <Text size="sm" c="dimmed" span className={classes.by}>
        <Since apiKey={apiKey} short={short} />
      </Text>
    </div>
  );
}

/** Since when or until when the status holds. */
function Since({ apiKey, short }: { apiKey: ApiKey; short: boolean }) {
  if (apiKey.revoked_at !== null) {
    return (
      <>
        by {apiKey.revoked_by}, <When at={apiKey.revoked_at} as={short ? "day" : "moment"} />
      </>
    );
  }
  if (apiKey.expires_at === null) return "no expiry";
  return (
    <>
      {apiKey.status === "expired" ? "since" : "until"} <When at={apiKey.expires_at} as="end" />
    </>
  );
}
