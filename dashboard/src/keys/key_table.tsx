import { Paper, Table, VisuallyHidden } from "@mantine/core";
import ArrowDown from "lucide-react/icons/arrow-down";
import ArrowUp from "lucide-react/icons/arrow-up";
import type { ApiKey } from "../database.ts";
import { type Arrangement, type Order, orders } from "./arrangement.ts";
import classes from "./key_list.module.css";
import type { KeyAction } from "./key_menu.tsx";
import { KeyRow } from "./key_row.tsx";

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
