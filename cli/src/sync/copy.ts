// A copy of a company in an SQLite file. The rows of an answer and the cursor after them are written in one
// transaction, so that a kill at any moment loses nothing: the next sync continues at the cursor.
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from "node:sqlite";
import type { Column, ListEndpoint } from "../../../functions/public-api/endpoint_types.ts";
import { exitCodes, Problem, printable } from "../problem.ts";
import { type Change, type Changes, start } from "./changes.ts";
import {
  columnsOf,
  createIndexes,
  createTable,
  createViews,
  dropViews,
  newTableOf,
  readableOf,
  shapeOf,
  tableOf,
  timeOf,
} from "./tables.ts";

/** How many rows a sync has added, changed and deleted. */
export interface Counts {
  added: number;
  changed: number;
  deleted: number;
}

const none: Counts = { added: 0, changed: 0, deleted: 0 };

/** How far a list has been synced: to `cursor`, or to `new_cursor` while a new table is being filled. */
interface State {
  cursor: string | null;
  new_cursor: string | null;
  /** When the list was last up to date. */
  synced_at: string | null;
}

/** Marks the file as ours: "pdap" in ASCII. */
const applicationId = 0x70646170;

/**
 * The `user_version` of a file: whether text of rows that were changed or deleted may be left in it. SQLite overwrites
 * such a row at once (`secure_delete`), but not the copies of it that stay behind where it has moved rows within a page.
 * A file of an older version has 0.
 */
const leftovers = { possible: 0, none: 1 } as const;

const stateTables = `
  create table if not exists sync_company (id text primary key, name text);
  create table if not exists sync_lists (list text primary key, cursor text, new_cursor text, synced_at timestamp);
`;

export class Copy {
  readonly #database: DatabaseSync;
  readonly #file: string;
  /** Referenced here while its rows are read, because Node 22.13 would collect it as garbage. */
  #reading: StatementSync | undefined;

  /**
   * @param file its name, for messages
   * @throws Problem when the file is something else, or a copy of another company
   */
  constructor(database: DatabaseSync, file: string, company: { id: string; name: string }) {
    this.#database = database;
    this.#file = file;
    const isEmpty = this.#get("select count(*) as n from sqlite_schema").n === 0;
    if (!isEmpty && this.#get("pragma application_id").application_id !== applicationId)
      throw new Problem(`${file} was not made by sync. Choose another file`, exitCodes.usage);
    this.#inTransaction(() => {
      database.exec(`pragma application_id = ${applicationId}; ${stateTables}`);
      if (isEmpty) this.#setLeftovers("none");
      const owner = database.prepare("select id, name from sync_company").get();
      if (owner && owner.id !== company.id)
        throw new Problem(
          `${file} is a copy of another company (${printable(String(owner.name))}). Choose another file`,
          exitCodes.usage,
        );
      database.prepare("insert or replace into sync_company (id, name) values (?, ?)").run(company.id, company.name);
    });
  }

  /** The cursor at which the sync of a list continues. A table that an older version made is fetched again, for its new columns. */
  cursor(list: ListEndpoint): string {
    const { cursor, new_cursor } = this.#state(list);
    const has = (table: string) => this.#shape(table) === shapeOf(list);
    if (cursor !== null && has(tableOf(list))) return cursor;
    if (new_cursor !== null && has(newTableOf(list))) return new_cursor;
    this.restart(list);
    return start;
  }

  /** Begins again: the list is fetched into a new table, and the old rows stay until that is complete. */
  restart(list: ListEndpoint): void {
    this.#inTransaction(() => {
      this.#drop(newTableOf(list));
      this.#database.exec(createTable(list, newTableOf(list)));
      this.#keep(list, { cursor: null, new_cursor: start });
    });
  }

  /** Writes changes and the cursor after them. When a new table is complete, it replaces the old one. */
  write(list: ListEndpoint, { rows, cursor, hasMore }: Changes): Counts {
    const isNew = this.#state(list).cursor === null;
    const synced_at = hasMore ? {} : { synced_at: new Date().toISOString() };
    return this.#inTransaction(() => {
      const counts = this.#apply(list, isNew ? newTableOf(list) : tableOf(list), rows);
      const isWhole = isNew && !hasMore;
      if (isNew && hasMore) this.#keep(list, { new_cursor: cursor });
      else this.#keep(list, { cursor, new_cursor: null, ...synced_at });
      if (isWhole) return this.#replace(list);
      return isNew ? none : counts;
    });
  }

  /** When the rows of a list were last brought up to date; null when the file does not have the list. */
  syncedAt(list: ListEndpoint): string | null {
    return this.#state(list).synced_at;
  }

  /** The rows of a list with current names, newest first. */
  rows(list: ListEndpoint): NodeJS.Iterator<Record<string, SQLOutputValue>> {
    this.#reading = this.#database.prepare(
      `select * from ${readableOf(list)} order by "${timeOf(list)}" desc, id desc`,
    );
    this.#reading.setReadBigInts(true);
    return this.#reading.iterate();
  }

  /**
   * Rewrites the file if text of changed or deleted rows may be left in it, perhaps by an earlier process.
   * @throws Problem when that fails, as on a full disk. The next sync does it then.
   */
  removeLeftovers(): void {
    if (this.#get("pragma user_version").user_version === leftovers.none) return;
    try {
      this.#database.exec("vacuum");
    } catch (error) {
      const state = "its rows are up to date, but text of changed or deleted rows may be left in the file";
      throw new Problem(`${this.#file}: ${(error as Error).message}; ${state}`);
    }
    this.#setLeftovers("none");
  }

  #apply(list: ListEndpoint, table: string, rows: Change[]): Counts {
    const columns = columnsOf(list);
    const names = columns.map(({ name }) => `"${name}"`);
    const has = this.#database.prepare(`select 1 from ${table} where id = ?`);
    const remove = this.#database.prepare(`delete from ${table} where id = ?`);
    const put = this.#database.prepare(
      `insert or replace into ${table} (${names.join(", ")}) values (${names.map(() => "?").join(", ")})`,
    );
    const counts = { ...none };
    for (const row of rows) {
      const isThere = has.get(row.id) !== undefined;
      if (row.deleted) remove.run(row.id);
      else put.run(...columns.map((column) => stored(row[column.name], column)));
      if (!row.deleted) counts[isThere ? "changed" : "added"]++;
      else if (isThere) counts.deleted++;
    }
    if (counts.changed + counts.deleted > 0) this.#setLeftovers("possible");
    return counts;
  }

  /** Replaces the old table by the new one, and counts how they differ. */
  #replace(list: ListEndpoint): Counts {
    const [table, next] = [tableOf(list), newTableOf(list)];
    const counts = this.#difference(list, table, next);
    this.#database.exec(dropViews);
    this.#drop(table);
    this.#database.exec(`alter table ${next} rename to ${table}`);
    const names = this.#database.prepare("select name from sqlite_schema where type = 'table'").all();
    this.#database.exec(`${createIndexes(list)} ${createViews(new Set(names.map(({ name }) => String(name))))}`);
    return counts;
  }

  #drop(table: string): void {
    if (this.#shape(table) === "") return;
    this.#database.exec(`drop table ${table}`);
    this.#setLeftovers("possible");
  }

  /** Like the rows, this is part of the transaction. */
  #setLeftovers(state: keyof typeof leftovers): void {
    this.#database.exec(`pragma user_version = ${leftovers[state]}`);
  }

  #difference(list: ListEndpoint, table: string, next: string): Counts {
    const count = (sql: string) => Number(this.#get(`select count(*) as n from ${sql}`).n);
    if (this.#shape(table) === "") return { ...none, added: count(next) };
    const shared = this.#shape(table)
      .split(",")
      .map((column) => column.split(" ")[0]);
    const names = columnsOf(list).flatMap(({ name }) => (shared.includes(name) ? [`"${name}"`] : []));
    const of = (row: string) => `(${names.map((name) => `${row}.${name}`).join(", ")})`;
    return {
      added: count(`${next} where id not in (select id from ${table})`),
      changed: count(`${next} as n join ${table} as t on t.id = n.id where ${of("n")} is not ${of("t")}`),
      deleted: count(`${table} where id not in (select id from ${next})`),
    };
  }

  #state(list: ListEndpoint): State {
    const found = this.#database.prepare("select cursor, new_cursor, synced_at from sync_lists where list = ?");
    return { cursor: null, new_cursor: null, synced_at: null, ...found.get(tableOf(list)) };
  }

  #keep(list: ListEndpoint, values: Partial<State>): void {
    const { cursor, new_cursor, synced_at } = { ...this.#state(list), ...values };
    this.#database
      .prepare("insert or replace into sync_lists (list, cursor, new_cursor, synced_at) values (?, ?, ?, ?)")
      .run(tableOf(list), cursor, new_cursor, synced_at);
  }

  /** The columns of a table with their types; empty when there is no such table. */
  #shape(table: string): string {
    const columns = this.#database.prepare("select name, lower(type) as type from pragma_table_info(?)").all(table);
    return columns.map(({ name, type }) => `${name} ${type}`).join();
  }

  #get(sql: string): Record<string, SQLOutputValue> {
    return this.#database.prepare(sql).get() ?? {};
  }

  #rollBack(): void {
    try {
      this.#database.exec("rollback");
    } catch {
      // On a full disk SQLite has rolled back already.
    }
  }

  #inTransaction<T>(work: () => T): T {
    this.#database.exec("begin immediate");
    try {
      const result = work();
      this.#database.exec("commit");
      return result;
    } catch (error) {
      this.#rollBack();
      throw error;
    }
  }
}

/** A value as SQLite stores it. A number that JavaScript cannot hold comes with its digits (`JSON.rawJSON`). */
function stored(value: unknown, { type }: Column): SQLInputValue {
  if (value === null || value === undefined) return null;
  if (type === "json") return JSON.stringify(value);
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value === "string" || typeof value === "number") return value;
  return BigInt(JSON.stringify(value));
}
