// The tables of a copy in SQL: one for each list, and views that show current names.
import type { Column, ListEndpoint } from "../../../functions/public-api/endpoint_types.ts";
import { lists, nameOf } from "../lists.ts";

/** The table of a list, as in `day_ratings`. */
export const tableOf = (list: ListEndpoint): string => nameOf(list).replaceAll("-", "_");

/** The table into which a list is fetched until it is complete. */
export const newTableOf = (list: ListEndpoint): string => `sync_${tableOf(list)}`;

export const columnsOf = ({ columns, included }: ListEndpoint): Column[] => [...columns, ...included];

/** The column by which a list is ordered. */
export const timeOf = (list: ListEndpoint): string =>
  columnsOf(list).find(({ type }) => type === "date-time")?.name ?? "id";

/** The types that other programs read. SQLite itself stores timestamps as text and booleans as 0 and 1. */
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
  `create table ${table} (${columnsOf(list).map(definition).join(", ")})`;

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

/** Columns with a name from another list: the id that refers to it, and which column of it they show. */
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

/** The view or table with the rows of a list and current names. */
export const readableOf = (list: ListEndpoint): string =>
  listsWithNames.includes(list) ? viewOf(list) : tableOf(list);

export const dropViews = listsWithNames.map((list) => `drop view if exists ${viewOf(list)};`).join("\n");

/**
 * The views over the tables that exist. A row has the names at the time of its last change; a view takes the current ones
 * from the other table. Where the other table has no row, as for a person who has left, the view keeps the old name.
 * The cast gives the column a type, which some programs need.
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
