import { ActionIcon, Button, Group, Menu, Paper, Table, Text, UnstyledButton, VisuallyHidden } from "@mantine/core";
import ArrowDown from "lucide-react/icons/arrow-down";
import ArrowUp from "lucide-react/icons/arrow-up";
import Ban from "lucide-react/icons/ban";
import CopyPlus from "lucide-react/icons/copy-plus";
import Ellipsis from "lucide-react/icons/ellipsis";
import List from "lucide-react/icons/list";
import Pencil from "lucide-react/icons/pencil";
import RefreshCw from "lucide-react/icons/refresh-cw";
import { Fragment, type ReactNode, useEffect, useRef } from "react";
import type { ApiKey } from "../database.ts";
import { Aside, Hint, Name, ScopeName } from "../parts/name.tsx";
import { Ago, When, zone } from "../parts/when.tsx";
import { type Arrangement, type Concern, type Order, orders, stateOf } from "./arrangement.ts";
import { clientName } from "./client_name.ts";
import classes from "./key_list.module.css";

/** The name has what the others leave, at least 14rem. */
const columns: [heading: string, order: Order | null, width?: string][] = [
  [orders.name.words, "name"],
  ["Scopes", null, "14.5rem"],
  [orders.created.words, "created", "8rem"],
  [orders.used.words, "used", "12rem"],
  [`${orders.expiry.words} (${zone})`, "expiry", "12rem"],
];

/** What an admin can do with a key. */
export type KeyAction = "details" | "replace" | "rename" | "revoke" | "again";

export const actions = {
  details: { words: "Details", icon: <List aria-hidden size={14} /> },
  replace: { words: "Replace", icon: <RefreshCw aria-hidden size={14} /> },
  rename: { words: "Rename", icon: <Pencil aria-hidden size={14} /> },
  revoke: { words: "Revoke", icon: <Ban aria-hidden size={14} /> },
  again: { words: "Create the same again", icon: <CopyPlus aria-hidden size={14} /> },
} as const;

/** What can be done with a key in its status. */
export function actionsFor({ status, replaced_by }: ApiKey): KeyAction[] {
  if (status === "revoked") return ["details", "again"];
  if (status === "expired") return ["details", "again", "rename", "revoke"];
  return ["details", ...(replaced_by === null ? (["replace"] as const) : []), "rename", "revoke"];
}

/**
 * One page of the list. Where the table does not fit, each row is a card.
 * @param all all keys of the company: a key may be replaced by one of another page
 * @param by the order in which the keys are listed, null if it is that of no column
 */
export function KeyTable(props: {
  all: ApiKey[];
  listed: ApiKey[];
  concerns: Map<string, Concern[]>;
  news: string | null;
  by: Order | null;
  reversed: boolean;
  onOrder: (change: Pick<Arrangement, "order" | "reversed">) => void;
  onAction: (action: KeyAction, key: ApiKey) => void;
}) {
  const { by, reversed } = props;
  const byId = new Map(props.all.map((key) => [key.id, key]));
  const byReplaced = new Map(props.all.map((key) => [key.replaced_by, key]));
  return (
    <Paper withBorder className={classes.table}>
      <Table stickyHeader layout="fixed" aria-label="Keys">
        <Table.Thead>
          <Table.Tr>
            {columns.map(([heading, order, width]) => (
              <Heading
                key={heading}
                width={width}
                descends={order === by && order ? orders[order].descends !== reversed : null}
                // A second click reverses the order.
                onClick={order && (() => props.onOrder({ order, reversed: order === by && !reversed }))}
              >
                {heading}
              </Heading>
            ))}
            <Table.Th w="3.25rem">
              <VisuallyHidden>Actions</VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {props.listed.map((key) => (
            <KeyRow
              key={key.id}
              apiKey={key}
              concerns={props.concerns.get(key.id) ?? []}
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
  width: string | undefined;
  descends: boolean | null;
  onClick: (() => void) | null;
}) {
  const { children, width, descends, onClick } = props;
  if (onClick === null) return <Table.Th w={width}>{children}</Table.Th>;
  const [Arrow, sort] = descends ? ([ArrowDown, "descending"] as const) : ([ArrowUp, "ascending"] as const);
  return (
    <Table.Th w={width} aria-sort={descends === null ? "none" : sort}>
      <UnstyledButton mih="1.5rem" fz="inherit" fw="inherit" className={classes.heading} onClick={onClick}>
        {children}
        {descends !== null && <Arrow aria-hidden size={14} />}
      </UnstyledButton>
    </Table.Th>
  );
}

/** A key's row. If it `isNews`, because something was done to it, it takes the focus. */
function KeyRow(props: {
  apiKey: ApiKey;
  concerns: Concern[];
  /** The key that replaces this one, and the key that this one replaces. */
  successor: ApiKey | undefined;
  predecessor: ApiKey | undefined;
  isNews: boolean;
  onAction: (action: KeyAction) => void;
}) {
  const { apiKey, concerns, successor, predecessor, isNews, onAction } = props;
  const nameId = `key-${apiKey.id}`;
  const row = useRef<HTMLTableRowElement>(null);
  useEffect(() => {
    if (isNews) row.current?.focus();
  }, [isNews]);
  return (
    <Table.Tr ref={row} tabIndex={-1} aria-labelledby={nameId} className={classes.row}>
      <Table.Td>
        <StateOf apiKey={apiKey} concerns={concerns} />
        <UnstyledButton
          id={nameId}
          mih="1.5rem"
          fz="inherit"
          className={classes.open}
          onClick={() => onAction("details")}
        >
          <Name strong>{apiKey.name}</Name>
        </UnstyledButton>
        <Aside>
          <Hint>{apiKey.hint}</Hint>
          <Relation words=" replaced by " to={successor} />
          <Relation words=" replaces " to={predecessor} />
        </Aside>
      </Table.Td>
      <Cell column="Scopes">
        {apiKey.scopes.map((scope) => (
          <div key={scope}>
            <ScopeName>{scope}</ScopeName>
          </div>
        ))}
      </Cell>
      <Cell column="Created">
        <When at={apiKey.created_at} as="day" />
      </Cell>
      <Cell column="Last used">
        <div>{apiKey.last_used_at === null ? "never" : <Ago at={apiKey.last_used_at} />}</div>
        {apiKey.last_client !== null && (
          <Aside>
            <Name>{clientName(apiKey.last_client)}</Name>
          </Aside>
        )}
        <Concerns about="used" name={apiKey.name} {...{ concerns, onAction }} />
      </Cell>
      <Cell column="Expires">
        <div>{apiKey.expires_at === null ? "never" : <When at={apiKey.expires_at} as="shortEnd" />}</div>
        <Concerns about="expiry" name={apiKey.name} {...{ concerns, onAction }} />
      </Cell>
      <Table.Td ta="end" className={classes.actions}>
        <KeyMenu apiKey={apiKey} onAction={onAction} />
      </Table.Td>
    </Table.Tr>
  );
}

/** A cell, with the name of its column, which cards show. */
const Cell = ({ column, children }: { column: string; children: ReactNode }) => (
  <Table.Td data-column={column}>
    <Text span inherit c="dimmed" className={classes.column}>
      {column}
    </Text>
    {children}
  </Table.Td>
);

const mixed = (color: string) => `color-mix(in srgb, var(--mantine-color-${color}) 80%, var(--mantine-color-text))`;
const tones = { good: mixed("teal-7"), soon: mixed("orange-7"), bad: "var(--mantine-color-error)", idle: undefined };

const Relation = ({ words, to }: { words: string; to: ApiKey | undefined }) =>
  to && (
    <span>
      {words}
      <Hint>{to.hint}</Hint>
    </span>
  );

/** The state of a key in a word and a color, and who revoked it. */
export function StateOf({ apiKey, concerns }: { apiKey: ApiKey; concerns: Concern[] }) {
  const { words, tone } = stateOf(apiKey, concerns);
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

/** What an admin has to look at, of one column, and, with `onAction`, what can be done about it. */
export function Concerns(props: {
  concerns: Concern[];
  about: Concern["about"];
  name?: string;
  onAction?: (action: KeyAction) => void;
}) {
  const { concerns, about, name, onAction } = props;
  return concerns
    .filter((concern) => concern.about === about)
    .map(({ words, remedy }) => (
      <Fragment key={words}>
        <Text span fz="0.75rem" fw={700} lh={1.3} className={classes.note}>
          {words}
        </Text>
        {remedy && onAction && (
          <div>
            <Button
              size="compact-sm"
              variant="default"
              h="auto"
              mih={26}
              mt={4}
              styles={{ label: { whiteSpace: "normal" } }}
              aria-label={`${actions[remedy].words}: ${name}`}
              onClick={() => onAction(remedy)}
            >
              {actions[remedy].words}
            </Button>
          </div>
        )}
      </Fragment>
    ));
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
      width={220}
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>
        <ActionIcon ref={opener} variant="default" size={30} aria-label={`Actions for ${props.apiKey.name}`}>
          <Ellipsis aria-hidden size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {actionsFor(props.apiKey).map((action) => (
          <Menu.Item
            key={action}
            leftSection={actions[action].icon}
            {...(action === "revoke" ? { color: "var(--mantine-color-error)" } : {})}
            onClick={() => {
              // A dialog gives the focus back to what had it when the dialog opened: the ⋯, not this entry.
              opener.current?.focus();
              props.onAction(action);
            }}
          >
            {actions[action].words}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
