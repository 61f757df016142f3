import { ActionIcon, Button, Menu, Paper, Table, Text, UnstyledButton, VisuallyHidden } from "@mantine/core";
import ArrowDown from "lucide-react/icons/arrow-down";
import ArrowUp from "lucide-react/icons/arrow-up";
import Ban from "lucide-react/icons/ban";
import CopyPlus from "lucide-react/icons/copy-plus";
import Ellipsis from "lucide-react/icons/ellipsis";
import List from "lucide-react/icons/list";
import Pencil from "lucide-react/icons/pencil";
import RefreshCw from "lucide-react/icons/refresh-cw";
import { useEffect, useRef } from "react";
import type { ApiKey } from "../database.ts";
import { Aside, Hint, Name, ScopeName } from "../parts/name.tsx";
import { Ago, When, zone } from "../parts/when.tsx";
import { type Arrangement, type Concern, type Order, orders, stateOf } from "./arrangement.ts";
import { clientName } from "./client_name.ts";
import classes from "./key_list.module.css";

const columns: [heading: string, order: Order | null][] = [
  [orders.name, "name"],
  ["Scopes", null],
  [orders.created, "created"],
  [orders.used, "used"],
  [`${orders.expiry} (${zone})`, "expiry"],
];

/** The orders that begin with the latest date. */
const newestFirst: (Order | null)[] = ["created", "used"];

/** What an admin can do with a key. */
export type KeyAction = "details" | "replace" | "rename" | "revoke" | "again";

export const actions = {
  details: { words: "Details", icon: List },
  replace: { words: "Replace", icon: RefreshCw },
  rename: { words: "Rename", icon: Pencil },
  revoke: { words: "Revoke", icon: Ban },
  again: { words: "Create the same again", icon: CopyPlus },
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
    <Paper className={classes.table}>
      <Table stickyHeader layout="fixed" aria-label="Keys">
        <Table.Thead>
          <Table.Tr>
            {columns.map(([heading, order]) => (
              <Heading
                key={heading}
                direction={
                  order === null || order !== by
                    ? null
                    : newestFirst.includes(order) !== reversed
                      ? "descending"
                      : "ascending"
                }
                // A second click reverses the order.
                onClick={order && (() => props.onOrder({ order, reversed: order === by && !reversed }))}
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
  direction: "ascending" | "descending" | null;
  onClick: (() => void) | null;
}) {
  const { children, direction, onClick } = props;
  if (onClick === null) return <Table.Th>{children}</Table.Th>;
  const Arrow = direction === "ascending" ? ArrowUp : ArrowDown;
  return (
    <Table.Th aria-sort={direction ?? "none"}>
      <UnstyledButton className={classes.heading} onClick={onClick}>
        {children}
        {direction && <Arrow aria-hidden size={14} />}
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
        <UnstyledButton id={nameId} className={classes.open} onClick={() => onAction("details")}>
          <Name strong>{apiKey.name}</Name>
        </UnstyledButton>
        <Aside>
          <Hint>{apiKey.hint}</Hint>
          {successor && (
            <span>
              {" "}
              replaced by <Hint>{successor.hint}</Hint>
            </span>
          )}
          {predecessor && (
            <span>
              {" "}
              replaces <Hint>{predecessor.hint}</Hint>
            </span>
          )}
        </Aside>
      </Table.Td>
      <Table.Td data-column="Scopes">
        {apiKey.scopes.map((scope) => (
          <div key={scope}>
            <ScopeName>{scope}</ScopeName>
          </div>
        ))}
      </Table.Td>
      <Table.Td data-column="Created">
        <When at={apiKey.created_at} as="day" />
      </Table.Td>
      <Table.Td data-column="Last used">
        <div>{apiKey.last_used_at === null ? "never" : <Ago at={apiKey.last_used_at} />}</div>
        {apiKey.last_client !== null && (
          <Aside>
            <Name>{clientName(apiKey.last_client)}</Name>
          </Aside>
        )}
        <Concerns concerns={concerns} about="used" />
        <Remedies about="used" {...{ apiKey, concerns, onAction }} />
      </Table.Td>
      <Table.Td data-column="Expires">
        <div>{apiKey.expires_at === null ? "never" : <When at={apiKey.expires_at} as="shortEnd" />}</div>
        <Concerns concerns={concerns} about="expiry" />
        <Remedies about="expiry" {...{ apiKey, concerns, onAction }} />
      </Table.Td>
      <Table.Td className={classes.actions}>
        <KeyMenu apiKey={apiKey} onAction={onAction} />
      </Table.Td>
    </Table.Tr>
  );
}

/** The state of a key in a word and a colour, and who revoked it. */
export function StateOf({ apiKey, concerns }: { apiKey: ApiKey; concerns: Concern[] }) {
  const { words, tone } = stateOf(apiKey, concerns);
  const { revoked_at, revoked_by } = apiKey;
  return (
    <Text size="sm" component="div" className={classes.state} data-tone={tone}>
      <i aria-hidden />
      <span>{words}</span>
      {revoked_at !== null && (
        <Text span size="sm" c="dimmed">
          by {revoked_by === null ? "an operator" : <Name>{revoked_by}</Name>}, <When at={revoked_at} as="day" />
        </Text>
      )}
    </Text>
  );
}

/** What an admin has to look at, of one column. */
export function Concerns({ concerns, about }: { concerns: Concern[]; about: Concern["about"] }) {
  return concerns
    .filter((concern) => concern.about === about)
    .map(({ words }) => (
      <span key={words} className={classes.note}>
        {words}
      </span>
    ));
}

/** What can be done about the concerns of one column. */
function Remedies(props: {
  about: Concern["about"];
  apiKey: ApiKey;
  concerns: Concern[];
  onAction: (action: KeyAction) => void;
}) {
  const remedies = props.concerns.flatMap(({ about, remedy }) => (remedy && about === props.about ? [remedy] : []));
  return remedies.map((remedy) => (
    <div key={remedy}>
      <Button
        size="compact-sm"
        variant="default"
        mt={4}
        aria-label={`${actions[remedy].words}: ${props.apiKey.name}`}
        onClick={() => props.onAction(remedy)}
      >
        {actions[remedy].words}
      </Button>
    </div>
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
        {actionsFor(props.apiKey).map((action) => {
          const { words, icon: Icon } = actions[action];
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
