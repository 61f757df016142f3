import { ActionIcon, Badge, Menu, Paper, Table, Text, VisuallyHidden } from "@mantine/core";
import ArrowDown from "lucide-react/icons/arrow-down";
import ArrowUp from "lucide-react/icons/arrow-up";
import Ban from "lucide-react/icons/ban";
import Clock from "lucide-react/icons/clock";
import Ellipsis from "lucide-react/icons/ellipsis";
import Pencil from "lucide-react/icons/pencil";
import RefreshCw from "lucide-react/icons/refresh-cw";
import { type ReactNode, useEffect, useRef } from "react";
import type { ApiKey } from "../database.ts";
import { Hint, Name } from "../parts/name.tsx";
import { Ago, When } from "../parts/when.tsx";
import type { Scope } from "../scopes.ts";
import { type Arrangement, concerns, type Order, orders } from "./arrangement.ts";
import classes from "./key_list.module.css";

const columns: [heading: string, order: Order | null][] = [
  [orders.name, "name"],
  ["Scopes", null],
  [orders.created, "created"],
  [orders.used, "used"],
  [orders.expiry, "expiry"],
];

/** The orders that begin with the latest date. */
const newestFirst: (Order | null)[] = ["created", "used"];

/**
 * One page of the list. Where the table does not fit, each row is a card.
 * @param all all keys of the company: a key may be replaced by one of another page
 */
export function KeyTable(props: {
  all: ApiKey[];
  listed: ApiKey[];
  news: string | null;
  arrangement: Arrangement;
  onOrder: (change: Pick<Arrangement, "order" | "reversed">) => void;
  onAction: (action: KeyAction, key: ApiKey) => void;
}) {
  const { order, reversed } = props.arrangement;
  const byId = new Map(props.all.map((key) => [key.id, key]));
  const byReplaced = new Map(props.all.map((key) => [key.replaced_by, key]));
  return (
    <Paper className={classes.table}>
      <Table stickyHeader layout="fixed" aria-labelledby="keys">
        <Table.Thead>
          <Table.Tr>
            {columns.map(([heading, by]) => (
              <Heading
                key={heading}
                direction={by !== order ? null : newestFirst.includes(by) !== reversed ? "descending" : "ascending"}
                // A second click reverses the order.
                onClick={by && (() => props.onOrder({ order: by, reversed: by === order && !reversed }))}
              >
                {heading}
              </Heading>
            ))}
            <Table.Th>
              <VisuallyHidden>Actions</VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {props.listed.map((key) => (
            <KeyRow
              key={key.id}
              apiKey={key}
              successor={byId.get(key.replaced_by ?? "")}
              predecessor={byReplaced.get(key.id)}
              isNews={key.id === props.news}
              onAction={(action) => props.onAction(action, key)}
            />
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}

/** A column's heading. With `onClick` it sorts; the arrow shows by which column the list is sorted. */
function Heading(props: {
  children: string;
  direction: "ascending" | "descending" | null;
  onClick: (() => void) | null;
}) {
  const { children, direction, onClick } = props;
  if (onClick === null) return <Table.Th>{children}</Table.Th>;
  const Arrow = direction === "ascending" ? ArrowUp : ArrowDown;
  return (
    <Table.Th aria-sort={direction ?? "none"}>
      <button type="button" className={classes.heading} onClick={onClick}>
        {children}
        {direction && <Arrow aria-hidden size={14} />}
      </button>
    </Table.Th>
  );
}

/** `read members, activity` and `write rewards`: a key's scopes in a short form. */
function shortScopes(scopes: readonly Scope[]): string[] {
  const byVerb = Map.groupBy(scopes, (scope) => scope.split(":")[0]);
  return [...byVerb].map(([verb, some]) => `${verb} ${some.map((scope) => scope.split(":")[1]).join(", ")}`);
}

/** A key's row. If it `isNews`, because something was done to it, it takes the focus. */
function KeyRow(props: {
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

/** What an admin can do with a key. */
export type KeyAction = "replace" | "rename" | "history" | "revoke";

const items = {
  replace: { words: "Replace", icon: RefreshCw },
  rename: { words: "Rename", icon: Pencil },
  history: { words: "History", icon: Clock },
  revoke: { words: "Revoke", icon: Ban },
} as const;

/** What can be done with a key in its status. */
function actionsFor({ status, replaced_by }: ApiKey): KeyAction[] {
  if (status === "revoked") return ["history"];
  const replaceable = status === "active" && replaced_by === null;
  return [...(replaceable ? (["replace"] as const) : []), "rename", "history", "revoke"];
}

/** The menu behind the ⋯ of a key. */
function KeyMenu(props: { apiKey: ApiKey; onAction: (action: KeyAction) => void }) {
  const opener = useRef<HTMLButtonElement>(null);
  return (
    // In the main part of the page, where a landmark contains it.
    <Menu
      portalProps={{ target: "main" }}
      position="bottom-end"
      shadow="md"
      width={150}
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>
        <ActionIcon ref={opener} variant="default" size={30} aria-label={`Actions for ${props.apiKey.name}`}>
          <Ellipsis aria-hidden size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {actionsFor(props.apiKey).map((action) => {
          const { words, icon: Icon } = items[action];
          return (
            <Menu.Item
              key={action}
              leftSection={<Icon aria-hidden size={14} />}
              {...(action === "revoke" ? { color: "var(--mantine-color-error)" } : {})}
              onClick={() => {
                // A dialog gives the focus back to what had it when the dialog opened: the ⋯, not this entry.
                opener.current?.focus();
                props.onAction(action);
              }}
            >
              {words}
            </Menu.Item>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}
