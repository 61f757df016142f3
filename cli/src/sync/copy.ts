// A copy of a company in an SQLite file. The rows of an answer and the cursor after them are written in one
// transaction, so that a kill at any moment loses nothing: the next sync continues at the cursor.
import { dirname } from "node:path";
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from "node:sqlite";
import type { Column, ListEndpoint } from "../../../functions/public-api/table/types.ts";
import { CliError, exitCodes, printable } from "../errors.ts";
import { lists, nameOf } from "../lists.ts";
import { type Change, type Changes, start } from "./changes.ts";
import { isOfDisk, isRefusal } from "./sqlite.ts";
import {
  columnsOf,
  createTable,
  definition,
  indexesOf,
  madeBySync,
  namesOf,
  newTableOf,
  selectWithNames,
  tableOf,
  timeOf,
  upsert,
  viewsOf,
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
  /** The columns with which its table was filled; null when sync has not made the table. */
  columns: string | null;
}

/** Something of the user's has the name of something of ours. */
class InTheWay extends CliError {}

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
  create table if not exists sync_lists (list text primary key, cursor text, new_cursor text, synced_at text, columns text);
`;

export class Copy {
  readonly #database: DatabaseSync;
  readonly #file: string;
  /** Referenced here while its rows are read, because Node 22.13 would collect it as garbage. */
  #reading: StatementSync | undefined;

  /**
   * @param file its name, for messages
   * @throws CliError when the file is something else, or a copy of another company, or with columns of a later version
   */
  constructor(database: DatabaseSync, file: string, company: { id: string; name: string }) {
    this.#database = database;
    this.#file = file;
    const refused = (why: string) => new CliError(`${file} ${why}`, exitCodes.usage);
    const isEmpty = this.#get("select count(*) as n from sqlite_schema").n === 0;
    if (!isEmpty && this.#get("pragma application_id").application_id !== applicationId)
      throw refused("was not made by sync. Choose another file");
    // VACUUM needs room for a second file, and perhaps nothing else is writable, or the folder of TMPDIR is small.
    const folder = dirname(String(this.#get("pragma database_list").file)).replaceAll("'", "''");
    if (!process.env.SQLITE_TMPDIR) database.exec(`pragma temp_store_directory = '${folder}'`);
    this.#inTransaction(() => {
      database.exec(`pragma application_id = ${applicationId}; ${stateTables}`);
      if (isEmpty) this.#setLeftovers("none");
      const owner = database.prepare("select id, name from sync_company").get();
      if (owner && owner.id !== company.id)
        throw refused(`is a copy of another company (${printable(String(owner.name))}). Choose another file`);
      const unknown = this.#unknownColumn();
      if (unknown) throw refused(`has ${unknown} of a later version of public-data-api. Install that version`);
      const named =
        "insert into sync_company (id, name) values (?, ?) on conflict (id) do update set name = excluded.name";
      database.prepare(named).run(company.id, company.name);
    });
  }

  /**
   * The cursor at which the sync of a list continues. A table that has not all columns of this version is fetched again.
   * @throws InTheWay
   */
  cursor(list: ListEndpoint): string {
    const { cursor, new_cursor, columns } = this.#state(list);
    this.#checkNames(list, columns);
    const isWhole = (table: string) => columnsOf(list).every(({ name }) => this.#columns(table).has(name));
    if (cursor !== null && columns === namesOf(list) && isWhole(tableOf(list))) return cursor;
    if (new_cursor !== null && isWhole(newTableOf(list))) return new_cursor;
    this.restart(list);
    return start;
  }

  /** Begins again: the list is fetched into a table of its own, and the old rows stay until that is complete. */
  restart(list: ListEndpoint): void {
    this.#inTransaction(() => {
      this.#drop(newTableOf(list));
      this.#database.exec(createTable(list, newTableOf(list)));
      this.#keep(list, { cursor: null, new_cursor: start });
    });
  }

  /** Writes changes and the cursor after them. When a list that is fetched again is complete, its rows replace the old ones. */
  write(list: ListEndpoint, { rows, cursor, hasMore }: Changes): Counts {
    const isNew = this.#state(list).cursor === null;
    const synced_at = hasMore ? {} : { synced_at: new Date().toISOString() };
    return this.#inTransaction(() => {
      const counts = this.#apply(list, isNew ? newTableOf(list) : tableOf(list), rows);
      if (isNew && hasMore) {
        this.#keep(list, { new_cursor: cursor });
        return none;
      }
      this.#keep(list, { cursor, new_cursor: null, columns: namesOf(list), ...synced_at });
      return isNew ? this.#replace(list) : counts;
    });
  }

  /** What a user is told when something of theirs keeps a list from being written; undefined for another error. */
  obstacle(list: ListEndpoint, error: unknown): string | undefined {
    if (error instanceof InTheWay) return error.message;
    if (!isRefusal(error)) return undefined;
    const found = this.#database.prepare(
      "select type, name from sqlite_schema where type in ('trigger', 'index') and tbl_name = ? and sql is not null",
    );
    const theirs = found.all(tableOf(list)).filter(({ name }) => !indexesOf(list).has(String(name)));
    const named = theirs.map(({ type, name }) => `${type} ${printable(String(name))}`).join(", ");
    return `${nameOf(list)}: ${error.message}${named && `; perhaps what you have on the table ${tableOf(list)} is in the way: ${named}`}`;
  }

  /**
   * Makes the views with current names over the tables that are there. Returns the names of those that are the user's own:
   * they stay as they are.
   */
  makeViews(): string[] {
    return this.#inTransaction(() =>
      [...viewsOf(this.#tables())].flatMap(([view, sql]) => {
        const found = this.#database.prepare("select sql from sqlite_schema where name = ?").get(view);
        if (found?.sql === sql) return [];
        if (found && !String(found.sql).includes(madeBySync)) return [view];
        const triggers = this.#database.prepare(
          "select sql from sqlite_schema where type = 'trigger' and tbl_name = ?",
        );
        const kept = triggers.all(view).map((trigger) => `${trigger.sql};`);
        this.#database.exec(`drop view if exists ${view}; ${sql}; ${kept.join(" ")}`);
        return [];
      }),
    );
  }

  /** When the rows of a list were last brought up to date; null when the file does not have the list. */
  syncedAt(list: ListEndpoint): string | null {
    return this.#state(list).synced_at;
  }

  /** The rows of a list with current names, newest first. */
  rows(list: ListEndpoint): NodeJS.Iterator<Record<string, SQLOutputValue>> {
    this.#reading = this.#database.prepare(
      `select * from (${selectWithNames(list, this.#tables())}) order by "${timeOf(list)}" desc, id desc`,
    );
    this.#reading.setReadBigInts(true);
    return this.#reading.iterate();
  }

  /**
   * Rewrites the file if text of changed or deleted rows may be left in it, perhaps by an earlier process.
   * @throws CliError when that fails, as on a full disk. The next sync does it then.
   */
  removeLeftovers(): void {
    if (this.#get("pragma user_version").user_version === leftovers.none) return;
    const failed = (reason: string, advice = "") => {
      const state = "its rows are up to date, but text of changed or deleted rows may be left in the file";
      return new CliError(`${this.#file}: ${reason}; ${state}${advice}`);
    };
    try {
      this.#database.exec("vacuum");
    } catch (error) {
      const room = ". Free twice its size in its folder, or once there and in a folder that SQLITE_TMPDIR names";
      throw failed((error as Error).message, isOfDisk(error) ? room : "");
    }
    // In WAL mode the new pages stand beside the file until they are moved into it, which a reader can prevent.
    if (this.#get("pragma wal_checkpoint(truncate)").busy !== 0)
      throw failed("another program was reading it all the time");
    this.#setLeftovers("none");
  }

  #apply(list: ListEndpoint, table: string, rows: Change[]): Counts {
    const columns = columnsOf(list);
    const has = this.#database.prepare(`select 1 from ${table} where id = ?`);
    const remove = this.#database.prepare(`delete from ${table} where id = ?`);
    const put = this.#database.prepare(upsert(list, table, `values (${columns.map(() => "?").join(", ")})`));
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

  /**
   * Replaces the rows of a list by those of its new table, and counts how they differ. A table that is there is filled in
   * place, so that whatever the user has built on it stays.
   */
  #replace(list: ListEndpoint): Counts {
    const [table, next] = [tableOf(list), newTableOf(list)];
    const change = (sql: string) => Number(this.#database.prepare(sql).run().changes);
    const added = (from: string) => Number(this.#get(`select count(*) as n from ${from}`).n);
    const counts = { ...none };
    const has = this.#columns(table);
    if (has.size === 0) {
      counts.added = added(next);
      this.#database.exec(`alter table ${next} rename to ${table}`);
    } else {
      for (const column of columnsOf(list))
        if (!has.has(column.name)) this.#database.exec(`alter table ${table} add column ${definition(column)}`);
      counts.added = added(`${next} where id not in (select id from ${table})`);
      counts.deleted = change(`delete from ${table} where id not in (select id from ${next})`);
      const names = columnsOf(list).map(({ name }) => `"${name}"`);
      counts.changed = change(upsert(list, table, `select ${names.join(", ")} from ${next} where true`)) - counts.added;
      this.#drop(next);
    }
    this.#database.exec([...indexesOf(list).values()].join(";"));
    return counts;
  }

  /** @throws InTheWay when a table or column with a name of ours is not ours */
  #checkNames(list: ListEndpoint, columns: string | null): void {
    const table = tableOf(list);
    const found = this.#get(`select type from sqlite_schema where name = '${table}'`).type;
    if (found !== undefined && (found !== "table" || columns === null))
      throw new InTheWay(`${nameOf(list)}: in the file is a ${found} of your own with the name ${table}. Rename it`);
    const has = this.#columns(table);
    const ours = columns?.split(",") ?? [];
    const theirs = columnsOf(list).find(({ name }) => has.has(name) && !ours.includes(name));
    if (theirs)
      throw new InTheWay(
        `${nameOf(list)}: ${table}.${theirs.name} is a column of your own, and now one of the API too. Rename it`,
      );
  }

  /** A column that a later version has written, which this one would leave out of new rows. */
  #unknownColumn(): string | undefined {
    const known = new Set(lists.flatMap((list) => columnsOf(list).map(({ name }) => `${tableOf(list)}.${name}`)));
    const found = this.#database.prepare("select list, coalesce(columns, 'id') as columns from sync_lists").all();
    const names = found.flatMap(({ list, columns }) =>
      [...String(columns).split(","), ...this.#columns(`sync_${list}`)].map((name) => `${list}.${name}`),
    );
    return names.find((name) => !known.has(name));
  }

  /** The tables of ours that are there. */
  #tables(): Set<string> {
    const ours = lists.filter((list) => this.#state(list).columns !== null).map(tableOf);
    return new Set(ours.filter((table) => this.#columns(table).size > 0));
  }

  #drop(table: string): void {
    if (this.#columns(table).size === 0) return;
    this.#database.exec(`drop table ${table}`);
    this.#setLeftovers("possible");
  }

  /** Like the rows, this is part of the transaction. */
  #setLeftovers(state: keyof typeof leftovers): void {
    this.#database.exec(`pragma user_version = ${leftovers[state]}`);
  }

  #state(list: ListEndpoint): State {
    const found = this.#database.prepare("select * from sync_lists where list = ?");
    return { cursor: null, new_cursor: null, synced_at: null, columns: null, ...found.get(tableOf(list)) };
  }

  #keep(list: ListEndpoint, values: Partial<State>): void {
    const state = { ...this.#state(list), ...values };
    const names = ["cursor", "new_cursor", "synced_at", "columns"] as const;
    this.#database
      .prepare(
        `insert into sync_lists (list, ${names.join(", ")}) values (?, ?, ?, ?, ?)
          on conflict (list) do update set ${names.map((name) => `${name} = excluded.${name}`).join(", ")}`,
      )
      .run(tableOf(list), ...names.map((name) => state[name]));
  }

  /** The names of a table's columns; none when there is no such table. */
  #columns(table: string): Set<string> {
    const found = this.#database.prepare("select name from pragma_table_info(?)").all(table);
    return new Set(found.map(({ name }) => String(name)));
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
