// The tables of a copy in SQL: one for each list, and views that show current names.
import type { Column, ListEndpoint } from "../../../functions/public-api/table/types.ts";
import { lists, nameOf } from "../lists.ts";

/** The table of a list, as in `day_ratings`. */
export const tableOf = (list: ListEndpoint): string => nameOf(list).replaceAll("-", "_");

/** The table into which a list is fetched until it is complete. */
export const newTableOf = (list: ListEndpoint): string => `sync_${tableOf(list)}`;

export const columnsOf = ({ columns, included }: ListEndpoint): Column[] => [...columns, ...included];

/** The column by which a list is ordered. */
export const timeOf = (list: ListEndpoint): string =>
  columnsOf(list).find(({ type }) => type === "date-time")?.name ?? "id";

/**
 * The types that are not text, as other programs read them. Date-times are the text that they are: of a column declared
 * `timestamp` JDBC, Python and SQLAlchemy each expect another form, and fail. The ODBC driver cuts integers of a column
 * declared `integer` to 32 bits. SQLite itself stores booleans as 0 and 1.
 */
const types: Partial<Record<Column["type"], string>> = { integer: "bigint", number: "real", boolean: "boolean" };

export const definition = ({ name, type }: Column): string =>
  `"${name}" ${types[type] ?? "text"}${name === "id" ? " primary key" : ""}`;

export const createTable = (list: ListEndpoint, table: string): string =>
  `create table ${table} (${columnsOf(list).map(definition).join(", ")})`;

/** The names of a list's columns in this version, as `sync_lists` keeps them. */
export const namesOf = (list: ListEndpoint): string => Array.from(columnsOf(list), ({ name }) => name).join();

/**
 * Inserts rows, or changes those that differ. A row keeps what the user has in columns of their own, and only what is new
 * or differs reaches their triggers.
 * @param source `values (…)` or a query, of all columns
 */
export function upsert(list: ListEndpoint, table: string, source: string): string {
  const names = columnsOf(list).map(({ name }) => `"${name}"`);
  const set = names.map((name) => `${name} = excluded.${name}`);
  const row = (of: string) => `(${names.map((name) => `${of}.${name}`).join(", ")})`;
  return `insert into ${table} (${names.join(", ")}) ${source}
    on conflict (id) do update set ${set.join(", ")} where ${row(table)} is not ${row("excluded")}`;
}

/** Indexes on ids and times, by name. The id itself has one as the primary key. */
export const indexesOf = (list: ListEndpoint): Map<string, string> =>
  new Map(
    columnsOf(list)
      .filter(({ name, type }) => name !== "id" && (type === "uuid" || type === "date-time"))
      .map(({ name }) => {
        const index = `${tableOf(list)}_${name}`;
        return [index, `create index if not exists ${index} on ${tableOf(list)} ("${name}")`];
      }),
  );

/** Columns with a name from another list: the id that refers to it, and which column of it they show. */
const joins: Record<string, { id: string; from: string; shown: Record<string, string> }[]> = {
  members: [{ id: "team_id", from: "teams", shown: { team_name: "name" } }],
  activity: [
    { id: "sender_id", from: "members", shown: { sender_name: "name", sender_email: "email" } },
    { id: "receiver_id", from: "members", shown: { receiver_name: "name", receiver_email: "email" } },
    { id: "category_id", from: "categories", shown: { category: "name" } },
    { id: "sender_team_then_id", from: "teams", shown: { sender_team_then_name: "name" } },
    { id: "receiver_team_then_id", from: "teams", shown: { receiver_team_then_name: "name" } },
  ],
  day_ratings: [{ id: "team_id", from: "teams", shown: { team_name: "name" } }],
};

/**
 * A query of the rows of a list with current names. A row has the names at the time of its last change; the query takes the
 * current ones from the other table. Where the other table has no row, as for a person who has left, it keeps the old name.
 * The cast gives the column a type, which some programs need.
 * @param tables those that the copy has
 */
export function selectWithNames(list: ListEndpoint, tables: Set<string>): string {
  const found = (joins[tableOf(list)] ?? []).filter(({ from }) => tables.has(from));
  const columns = columnsOf(list).map(({ name }) => {
    const join = found.find(({ shown }) => name in shown);
    return join
      ? `cast(coalesce(by_${join.id}."${join.shown[name]}", t."${name}") as text) as "${name}"`
      : `t."${name}"`;
  });
  const joined = found.map(({ id, from }) => ` left join ${from} as by_${id} on by_${id}.id = t.${id}`);
  return `select ${columns.join(", ")} from ${tableOf(list)} as t${joined.join("")}`;
}

/** In the text of a view that sync has made: it may be replaced. One of the user's with the same name may not. */
export const madeBySync = "/* made by sync */";

/** The views with current names over the tables that the copy has: the name of each and its text, as SQLite keeps it. */
export const viewsOf = (tables: Set<string>): Map<string, string> =>
  new Map(
    lists
      .filter((list) => tables.has(tableOf(list)) && joins[tableOf(list)] !== undefined)
      .map((list) => {
        const view = `${tableOf(list)}_with_names`;
        return [view, `CREATE VIEW ${view} as ${madeBySync} ${selectWithNames(list, tables)}`];
      }),
  );
