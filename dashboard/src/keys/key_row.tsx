import { Badge, Table, Text } from "@mantine/core";
import { type ReactNode, useEffect, useRef } from "react";
import type { ApiKey } from "../database.ts";
import { Hint, Name } from "../parts/name.tsx";
import { Ago, When } from "../parts/when.tsx";
import type { Scope } from "../scopes.ts";
import { concerns } from "./concerns.ts";
import classes from "./key_list.module.css";
import { type KeyAction, KeyMenu } from "./key_menu.tsx";

/** `read members, activity` and `write rewards`: a key's scopes in a short form. */
function shortScopes(scopes: readonly Scope[]): string[] {
  const byVerb = Map.groupBy(scopes, (scope) => scope.split(":")[0]);
  return [...byVerb].map(([verb, some]) => `${verb} ${some.map((scope) => scope.split(":")[1]).join(", ")}`);
}

/** A key's row. If it `isNews`, because something was done to it, it takes the focus. */
export function KeyRow(props: {
  apiKey: ApiKey;
  /** The key that replaces this one, and the key that this one replaces. */
  successor: ApiKey | undefined;
  predecessor: ApiKey | undefined;
  isNews: boolean;
  onAction: (action: KeyAction) => void;
}) {
  const { apiKey, successor, predecessor, isNews } = props;
  const nameId = `key-${apiKey.id}`;
  const row = useRef<HTMLTableRowElement>(null);
  useEffect(() => {
    if (isNews) row.current?.focus();
  }, [isNews]);

  return (
    <Table.Tr ref={row} tabIndex={-1} aria-labelledby={nameId} className={classes.row}>
      <Table.Td>
        <Text fw={600} id={nameId}>
          <Name>{apiKey.name}</Name>
        </Text>
        <Aside>
          <Hint>{apiKey.hint}</Hint>
          {successor && (
            <>
              {" "}
              replaced by <Hint>{successor.hint}</Hint>
            </>
          )}
          {predecessor && (
            <>
              {" "}
              replaces <Hint>{predecessor.hint}</Hint>
            </>
          )}
        </Aside>
      </Table.Td>
      <Table.Td data-column="Scopes">
        {shortScopes(apiKey.scopes).map((words) => (
          <div key={words} translate="no">
            {words}
          </div>
        ))}
      </Table.Td>
      <Table.Td data-column="Created">
        <When at={apiKey.created_at} as="day" />
        <Aside>
          by <Name>{apiKey.created_by}</Name>
        </Aside>
      </Table.Td>
      <Table.Td data-column="Last used">
        {apiKey.last_used_at === null ? "never" : <Ago at={apiKey.last_used_at} />}
      </Table.Td>
      <Table.Td data-column="Expires">
        <Status apiKey={apiKey} successor={successor} />
      </Table.Td>
      <Table.Td className={classes.actions}>
        <KeyMenu apiKey={apiKey} onAction={props.onAction} />
      </Table.Td>
    </Table.Tr>
  );
}

function Aside({ children }: { children: ReactNode }) {
  return (
    <Text size="sm" c="dimmed" component="div">
      {children}
    </Text>
  );
}

/** Until when a key works, or since when it no longer does, and what an admin has to look at. */
function Status({ apiKey, successor }: { apiKey: ApiKey; successor: ApiKey | undefined }) {
  const notes = concerns(apiKey, successor);
  return (
    <>
      {apiKey.status !== "active" && (
        <Badge className={classes.badge} data-status={apiKey.status}>
          {apiKey.status}
        </Badge>
      )}
      {apiKey.revoked_at !== null ? (
        <Aside>
          by {apiKey.revoked_by === null ? "an operator" : <Name>{apiKey.revoked_by}</Name>},{" "}
          <When at={apiKey.revoked_at} as="day" />
        </Aside>
      ) : (
        <div>{apiKey.expires_at === null ? "never" : <When at={apiKey.expires_at} as="end" />}</div>
      )}
      {notes.map((words) => (
        <Badge key={words} className={classes.badge} data-status="attention">
          {words}
        </Badge>
      ))}
    </>
  );
}
