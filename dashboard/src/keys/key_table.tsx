import { ActionIcon, Button, Group, Menu, Paper, Table, Text, UnstyledButton, VisuallyHidden } from "@mantine/core";
import ArrowDown from "lucide-react/icons/arrow-down";
import ArrowUp from "lucide-react/icons/arrow-up";
import Ban from "lucide-react/icons/ban";
import CopyPlus from "lucide-react/icons/copy-plus";
import Ellipsis from "lucide-react/icons/ellipsis";
import List from "lucide-react/icons/list";
import Pencil from "lucide-react/icons/pencil";
import Plug from "lucide-react/icons/plug";
import RefreshCw from "lucide-react/icons/refresh-cw";
import { type ReactNode, useEffect, useRef } from "react";
import type { ApiKey } from "../database.ts";
import { After, Hint, Name } from "../parts/name.tsx";
import { Ago, When, zone } from "../parts/when.tsx";
import { changedScopes, labelOf, type Scope } from "../scopes.ts";
import { type Arrangement, actionsFor, type KeyAction, type Order, orders, stateOf } from "./arrangement.ts";
import { isProven } from "./assistant.ts";
import { clientName } from "./client_name.ts";
import classes from "./key_list.module.css";
import { useKey, useKeys } from "./keys_of_page.ts";

const columns: [heading: string, order: Order | null][] = [
  [orders.name.words, "name"],
  ["Scopes", null],
  [orders.created.words, "created"],
  [orders.used.words, "used"],
  [`${orders.expiry.words} (${zone})`, "expiry"],
];

const icons = {
  details: <List aria-hidden size={14} />,
  replace: <RefreshCw aria-hidden size={14} />,
  rescope: <RefreshCw aria-hidden size={14} />,
  connect: <Plug aria-hidden size={14} />,
  rename: <Pencil aria-hidden size={14} />,
  revoke: <Ban aria-hidden size={14} />,
  again: <CopyPlus aria-hidden size={14} />,
};

/** What a button or an entry of a menu does with a key. */
const wordsOf = (action: KeyAction, { assistant }: ApiKey): string =>
  ({
    details: "Details",
    replace: "Replace",
    rescope: "Replace with other scopes",
    connect: `Connect ${assistant} again`,
    rename: "Rename",
    revoke: assistant === null ? "Revoke" : "Disconnect",
    again: "Create the same again",
  })[action];

/** A button that does something with a key. `of` names the key, where several are listed. */
export function ActionButton({ action, apiKey, of }: { action: KeyAction; apiKey: ApiKey; of?: string }) {
  const { asked, onAction } = useKeys();
  const words = wordsOf(action, apiKey);
  return (
    <Button
      size="xs"
      leftSection={icons[action]}
      {...(action === "revoke" ? { c: "var(--mantine-color-error)" } : {})}
      aria-label={of && `${words}: ${of}`}
      data-autofocus={action === asked || undefined}
      onClick={() => onAction(action, apiKey)}
    >
      {words}
    </Button>
  );
}

/**
 * One page of the list. Where the table does not fit, each row is a card.
 * @param by the order in which the keys are listed, null if it is that of no column
 */
export function KeyTable(props: {
  listed: ApiKey[];
  news: string | null;
  by: Order | null;
  reversed: boolean;
  onOrder: (change: Pick<Arrangement, "order" | "reversed">) => void;
}) {
  const { by, reversed } = props;
  return (
    <Paper withBorder className={classes.table} style={{ overflow: "clip" }}>
      {/* The rows are grids, of which not every browser knows without being told that they are rows. */}
      <Table stickyHeader verticalSpacing="0.2rem" aria-label="Keys" role="table">
        <Table.Thead role="rowgroup">
          <Table.Tr role="row">
            {columns.map(([heading, order]) => (
              <Heading
                key={heading}
                descends={order === by && order ? orders[order].descends !== reversed : null}
                // A second click reverses the order.
                onClick={order && (() => props.onOrder({ order, reversed: order === by && !reversed }))}
              >
                {heading}
              </Heading>
            ))}
            <Table.Th role="columnheader">
              <VisuallyHidden>Actions</VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody role="rowgroup">
          {props.listed.map((key) => (
            <KeyRow key={key.id} apiKey={key} isNews={key.id === props.news} />
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}

/** A column's heading. With `onClick` it sorts; the arrow shows by which column the list is sorted. */
function Heading(props: { children: string; descends: boolean | null; onClick: (() => void) | null }) {
  const { children, descends, onClick } = props;
  if (onClick === null) return <Table.Th role="columnheader">{children}</Table.Th>;
  const [Arrow, sort] = descends ? ([ArrowDown, "descending"] as const) : ([ArrowUp, "ascending"] as const);
  return (
    <Table.Th role="columnheader" aria-sort={descends === null ? "none" : sort}>
      <UnstyledButton mih="1.5rem" fz="inherit" fw="inherit" className={classes.heading} onClick={onClick}>
        {children}
        {descends !== null && <Arrow aria-hidden size={14} />}
      </UnstyledButton>
    </Table.Th>
  );
}

/** A key's row. If it `isNews`, because something was done to it, it takes the focus. */
function KeyRow({ apiKey, isNews }: { apiKey: ApiKey; isNews: boolean }) {
  const { onAction } = useKeys();
  const { concerns, successor, predecessor } = useKey(apiKey);
  const nameId = `key-${apiKey.id}`;
  const row = useRef<HTMLTableRowElement>(null);
  useEffect(() => {
    if (isNews) row.current?.focus();
  }, [isNews]);
  return (
    <Table.Tr ref={row} role="row" tabIndex={-1} aria-labelledby={nameId} className={classes.row}>
      <Table.Td role="cell" className={classes.name}>
        <UnstyledButton id={nameId} mih="1.5rem" fz="inherit" onClick={() => onAction("details", apiKey)}>
          <Name strong>{apiKey.name}</Name>
        </UnstyledButton>
        <StateOf apiKey={apiKey} />
        <Text span size="sm" c="dimmed">
          <Hint>{apiKey.hint}</Hint>
          {apiKey.assistant !== null && !isProven(apiKey) && <After words=" calls itself ">{apiKey.assistant}</After>}
          <Relation words=" replaced by " to={successor} />
          <Relation words=" replaces " to={predecessor} scopes={apiKey.scopes} />
        </Text>
      </Table.Td>
      <Cell column="Scopes">
        {apiKey.scopes.slice(0, 2).map(labelOf).join(", ")}
        {apiKey.scopes.length > 2 && ` +${apiKey.scopes.length - 2}`}
      </Cell>
      <Cell column="Created">
        <When at={apiKey.created_at} as="day" />
      </Cell>
      <Cell column="Last used">
        {apiKey.last_used_at === null ? "never" : <Ago at={apiKey.last_used_at} />}
        <After words=" · ">{apiKey.last_client && clientName(apiKey.last_client)}</After>
      </Cell>
      <Cell column="Expires">
        {apiKey.expires_at === null ? "never" : <When at={apiKey.expires_at} as="shortEnd" />}
      </Cell>
      <Table.Td role="cell" ta="end" className={classes.actions}>
        <KeyMenu apiKey={apiKey} />
      </Table.Td>
      {concerns.length > 0 && (
        <Table.Td role="cell" style={{ gridColumn: "1 / -1" }}>
          <Concerns apiKey={apiKey} />
        </Table.Td>
      )}
    </Table.Tr>
  );
}

/** A cell, with the name of its column, which cards show. */
const Cell = ({ column, children }: { column: string; children: ReactNode }) => (
  <Table.Td role="cell" data-column={column}>
    <Text span inherit c="dimmed" className={classes.column}>
      {column}
    </Text>
    {children}
  </Table.Td>
);

const mixed = (color: string) => `color-mix(in srgb, var(--mantine-color-${color}) 80%, var(--mantine-color-text))`;
const tones = { good: mixed("teal-7"), soon: mixed("orange-7"), bad: "var(--mantine-color-error)", idle: undefined };

const Relation = ({ words, to, scopes }: { words: string; to: ApiKey | undefined; scopes?: Scope[] }) =>
  to && (
    <span>
      {words}
      <Hint>{to.hint}</Hint>
      {scopes && changedScopes(to.scopes, scopes)}
    </span>
  );

/** The state of a key in a word and a color, and who revoked it. */
export function StateOf({ apiKey }: { apiKey: ApiKey }) {
  const { words, tone } = stateOf(apiKey, useKey(apiKey).concerns);
  const { revoked_at, revoked_by } = apiKey;
  return (
    <Group gap="0 0.375rem" fz="sm" lh="sm" className={classes.state} style={{ "--tone": tones[tone] }}>
      <i aria-hidden />
      <span>{words}</span>
      {revoked_at !== null && (
        <Text span size="sm" c="dimmed">
          {words === "revoked" ? "" : "revoked "}by {revoked_by === null ? "an operator" : <Name>{revoked_by}</Name>},{" "}
          <When at={revoked_at} as="day" />
        </Text>
      )}
    </Group>
  );
}

/** What an admin has to look at, and what can be done about it: a line each. */
export function Concerns({ apiKey }: { apiKey: ApiKey }) {
  return useKey(apiKey).concerns.map(({ words, remedy }) => (
    <Group key={words} gap="0.25rem 1rem" className={classes.concern}>
      <Text span size="sm" fw={600}>
        {words}
      </Text>
      {remedy && <ActionButton action={remedy} of={apiKey.name} apiKey={apiKey} />}
    </Group>
  ));
}

/** The menu behind the ⋯ of a key. */
function KeyMenu({ apiKey }: { apiKey: ApiKey }) {
  const { keys, onAction } = useKeys();
  const opener = useRef<HTMLButtonElement>(null);
  return (
    // In the main part of the page, where a landmark contains it.
    <Menu
      portalProps={{ target: "main" }}
      position="bottom-end"
      shadow="md"
      width={220}
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>
        <ActionIcon ref={opener} variant="default" size={30} aria-label={`Actions for ${apiKey.name}`}>
          <Ellipsis aria-hidden size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {actionsFor(apiKey, keys).map((action) => (
          <Menu.Item
            key={action}
            leftSection={icons[action]}
            {...(action === "revoke" ? { color: "var(--mantine-color-error)" } : {})}
            onClick={() => {
              // A dialog gives the focus back to what had it when the dialog opened: the ⋯, not this entry.
              opener.current?.focus();
              onAction(action, apiKey);
            }}
          >
            {wordsOf(action, apiKey)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
