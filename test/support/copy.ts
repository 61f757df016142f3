// A copy of a company's lists that is kept by changed_after (docs/api.md, Keeping a copy), and an export to compare it
// with.
import { setTimeout as pause } from "node:timers/promises";
import type postgres from "postgres";
import { expect } from "vitest";
import type { ListEndpoint } from "../../functions/public-api/endpoint_types.ts";

type Row = Record<string, unknown> & { id: string };
type Change = Row & { cursor: string; deleted: boolean };
type Lists = Record<string, Record<string, unknown>[]>;

/** Columns with names from another list: they are those of the moment of reading, and a copy joins them by their ids. */
const derived = ["team_name", "sender_name", "sender_email", "receiver_name", "receiver_email", "category"];

/** Rows without these columns, in the order of their ids. */
const comparable = (rows: Iterable<Row>) =>
  [...rows]
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !derived.includes(name))));

export class Copy {
  readonly #lists: ReadonlyMap<string, { included: string[]; rows: Map<string, Row>; cursor: string }>;

  constructor(lists: readonly ListEndpoint[]) {
    this.#lists = new Map(
      lists.map(({ path, included }) => [
        path,
        { included: included.map(({ name }) => name), rows: new Map(), cursor: "start" },
      ]),
    );
  }

  get size(): number {
    return [...this.#lists.values()].reduce((size, { rows }) => size + rows.size, 0);
  }

  /**
   * Reads a page of changes and writes it to the copy; the cursor too, unless the reader ends before that. Returns the
   * text of the page, empty when there was no change.
   */
  async read(db: postgres.Sql, hash: string, path: string, limit: number, toTheEnd = true): Promise<string> {
    const list = this.#lists.get(path);
    if (!list) throw new Error(`there is no list ${path}`);
    const request = (): Promise<string> =>
      db<{ page: string }[]>`
        select public.list_changes(${hash}, ${path.slice(1)}, ${limit}, ${list.cursor}, ${list.included})::text as page`.then(
        ([answer]) => answer?.page ?? "",
        // The pages of readers that were killed may still be under way.
        (error) => (error.code === "PT429" ? pause(20).then(request) : Promise.reject(error)),
      );
    const text = await request();
    const page: Change[] = JSON.parse(text);
    expect(page.map(({ cursor }) => cursor)).toEqual(page.map(({ cursor }) => cursor).sort());
    if (list.cursor === "start") list.rows.clear();
    for (const { cursor, deleted, ...row } of page) {
      if (deleted) list.rows.delete(row.id);
      else list.rows.set(row.id, row);
      if (toTheEnd) list.cursor = cursor;
    }
    return page.length > 0 ? text : "";
  }

  /** The rows of all lists, as `exported` returns them. */
  lists(): Lists {
    return Object.fromEntries([...this.#lists].map(([path, { rows }]) => [path, comparable(rows.values())]));
  }
}

/** Exports all lists with all their columns, page by page. */
export async function exported(db: postgres.Sql, hash: string, lists: readonly ListEndpoint[]): Promise<Lists> {
  const all: Lists = {};
  for (const { path, rpc, included } of lists) {
    const rows: Row[] = [];
    for (let page: Row[] = [], isFirst = true; isFirst || page.length === 1000; isFirst = false) {
      const args = [`'${hash}'`, "1000", ...(rows.length > 0 ? [`starting_after => '${rows.at(-1)?.id}'`] : [])];
      if (included.length > 0) args.push(`include => '{${included.map(({ name }) => name)}}'`);
      if (path === "/rewards") args.push("include_archived => true");
      const [answer] = await db.unsafe<{ page: Row[] }[]>(`select public.${rpc}(${args}) as page`);
      page = answer?.page ?? [];
      rows.push(...page);
    }
    all[path] = comparable(rows);
  }
  return all;
}
