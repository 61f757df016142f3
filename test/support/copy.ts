// A copy of a company's lists that is kept by changed_after (docs/api.md, Keeping a copy), and an export to compare it
// with.
import { setTimeout as pause } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type postgres from "postgres";
import { expect } from "vitest";
import type { ListEndpoint } from "../../functions/public-api/endpoint_types.ts";

type Row = Record<string, unknown> & { id: string };
type Change = Row & { cursor: string; deleted: boolean };
type Lists = Record<string, Row[]>;

const byId = (rows: Iterable<Row>): Row[] => [...rows].sort((a, b) => (a.id < b.id ? -1 : 1));
const named = (rows: Row[] | undefined, id: unknown): Row | undefined => rows?.find((row) => row.id === id);

/** Names that are in rows of another list are those of the moment of reading: a copy joins them by their ids. */
function join(lists: Lists): Lists {
  const people = (id: unknown, role: string) => {
    const member = named(lists["/members"], id);
    return { [`${role}_name`]: member?.name ?? "Former member", [`${role}_email`]: member?.email ?? "" };
  };
  const joined: Record<string, (row: Row) => object> = {
    "/members": ({ team_id }) => ({ team_name: named(lists["/teams"], team_id)?.name ?? "No Team" }),
    "/day-ratings": ({ team_id }) => ({ team_name: named(lists["/teams"], team_id)?.name ?? null }),
    "/activity": ({ sender_id, receiver_id, category_id }) => ({
      ...people(sender_id, "sender"),
      ...people(receiver_id, "receiver"),
      category: named(lists["/categories"], category_id)?.name,
    }),
  };
  return Object.fromEntries(
    Object.entries(lists).map(([path, rows]) => [path, rows.map((row) => ({ ...row, ...joined[path]?.(row) }))]),
  );
}

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
    const ask = (): Promise<string> =>
      db<{ page: string }[]>`
        select public.list_changes(${hash}, ${path.slice(1)}, ${limit}, ${list.cursor}, ${list.included})::text as page`.then(
        ([answer]) => answer?.page ?? "",
        // The pages of readers that were killed may still be under way.
        (error) => (error.code === "PT429" ? pause(20).then(ask) : Promise.reject(error)),
      );
    const text = await ask();
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

  /** The rows of all lists, with the names that are in other lists. */
  joined(): Lists {
    return join(Object.fromEntries([...this.#lists].map(([path, { rows }]) => [path, byId(rows.values())])));
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
    all[path] = byId(rows);
  }
  return join(all);
}

/** The rows that two sets of lists do not have alike, of both. */
export function differences(copied: Lists, expected: Lists): [path: string, copied: unknown, expected: unknown][] {
  return Object.keys(expected).flatMap((path) => {
    const [here, there] = [copied, expected].map((lists) => new Map(lists[path]?.map((row) => [row.id, row])));
    const ids = [...new Set([...(here?.keys() ?? []), ...(there?.keys() ?? [])])];
    return ids
      .map((id): [string, unknown, unknown] => [path, here?.get(id), there?.get(id)])
      .filter(([, one, other]) => !isDeepStrictEqual(one, other));
  });
}
