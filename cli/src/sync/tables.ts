// The tables of a copy in SQL: one for each list, and views that show the names of today.
import type { Column, ListEndpoint } from "../../../functions/public-api/endpoint_types.ts";
import { lists, nameOf } from "../lists.ts";

/** The table of a list, as in `day_ratings`. */
export const tableOf = (list: ListEndpoint): string => nameOf(list).replaceAll("-", "_");

/** The table in which a list is collected until it is whole. */
export const newTableOf = (list: ListEndpoint): string => `sync_${tableOf(list)}`;

export const columnsOf = ({ columns, included }: ListEndpoint): Column[] => [...columns, ...included];

/** The column by which a list is ordered. */
export const timeOf = (list: ListEndpoint): string =>
  columnsOf(list).find(({ type }) => type === "date-time")?.name ?? "id";

/** Other programs go by these names. SQLite itself stores timestamps as text and booleans as 0 and 1. */
const types: Record<Column["type"], string> = {
  uuid: "text",
  text: "text",
  json: "text",
  integer: "integer",
  boolean: "boolean",
  "date-time": "timestamp",
};

const definition = ({ name, type }: Column): string => `"${name}" ${types[type]}${name === "id" ? " primary key" : ""}`;

export const createTable = (list: ListEndpoint, table: string): string =>
  `create table if not exists ${table} (${columnsOf(list).map(definition).join(", ")})`;

/** The names and types that a list's table has when this version made it. */
export const shapeOf = (list: ListEndpoint): string =>
  columnsOf(list)
    .map(({ name, type }) => `${name} ${types[type]}`)
    .join();

/** Indexes on ids and times. The id itself has one as the primary key. */
export const createIndexes = (list: ListEndpoint): string =>
  columnsOf(list)
    .filter(({ name, type }) => name !== "id" && (type === "uuid" || type === "date-time"))
    .map(({ name }) => `create index ${tableOf(list)}_${name} on ${tableOf(list)} ("${name}");`)
    .join("\n");

/** Columns that show a name from another list: the id that leads there, and which column shows which. */
const joins: Record<string, { id: string; from: string; shown: Record<string, string> }[]> = {
  members: [{ id: "team_id", from: "teams", shown: { team_name: "name" } }],
  activity: [
    { id: "sender_id", from: "members", shown: { sender_name: "name", sender_email: "email" } },
    { id: "receiver_id", from: "members", shown: { receiver_name: "name", receiver_email: "email" } },
    { id: "category_id", from: "categories", shown: { category: "name" } },
  ],
  day_ratings: [{ id: "team_id", from: "teams", shown: { team_name: "name" } }],
};

const listsWithNames = lists.filter((list) => joins[tableOf(list)] !== undefined);
const viewOf = (list: ListEndpoint): string => `${tableOf(list)}_with_names`;

/** What to read to see the rows of a list with the names of today. */
export const readableOf = (list: ListEndpoint): string =>
  listsWithNames.includes(list) ? viewOf(list) : tableOf(list);

export const dropViews = listsWithNames.map((list) => `drop view if exists ${viewOf(list)};`).join("\n");

/**
 * The views over the tables that there are. A row of the feed has the names of the moment at which it was sent; a view
 * takes those of today from the other table. What is not there, as a person who has left, keeps the name that was sent.
 * With the cast, the column has a type for programs that ask for one.
 */
export function createViews(tables: Set<string>): string {
  return listsWithNames
    .filter((list) => tables.has(tableOf(list)))
    .map((list) => {
      const found = (joins[tableOf(list)] ?? []).filter(({ from }) => tables.has(from));
      const select = columnsOf(list).map(({ name }) => {
        const join = found.find(({ shown }) => name in shown);
        return join
          ? `cast(coalesce(by_${join.id}."${join.shown[name]}", t."${name}") as text) as "${name}"`
          : `t."${name}"`;
      });
      const joined = found.map(({ id, from }) => `left join ${from} as by_${id} on by_${id}.id = t.${id}`);
      return `create view ${viewOf(list)} as select ${select.join(", ")} from ${tableOf(list)} as t ${joined.join(" ")};`;
    })
    .join("\n");
}
