// A copy of lists that is kept by their changes (docs/api.md, Keeping a copy), and an export to compare it with.
import { setTimeout as pause } from "node:timers/promises";
import type postgres from "postgres";
import { expect } from "vitest";
import type { ListEndpoint } from "../../functions/public-api/table/types.ts";

type Row = Record<string, unknown> & { id: string };
type Change = Row & { cursor: string; deleted: boolean };
type Lists = Record<string, Record<string, unknown>[]>;

/** Columns with names from another list: they are those of the moment of reading, and a copy joins them by their ids. */
const derived = [
  ...["sender_team_id", "sender_team_name", "receiver_team_id", "receiver_team_name"],
  ...["sender_team_then_name", "receiver_team_then_name"],
  ...["team_name", "sender_name", "sender_email", "receiver_name", "receiver_email", "category"],
];

/** Rows without these columns, in the order of their ids. */
const comparable = (rows: Iterable<Row>) =>
  [...rows]
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !derived.includes(name))));

const names = ({ included }: ListEndpoint): string[] => included.map(({ name }) => name);

/** What has been read of a company's lists. */
export class Copy {
  readonly #lists = new Map<string, { rows: Map<string, Row>; cursor: string }>();

  get size(): number {
    return [...this.#lists.values()].reduce((size, { rows }) => size + rows.size, 0);
  }

  /** Reads a page of changes; its cursor too, unless the reader ends before. Returns its text, empty at the end. */
  async read(db: postgres.Sql, hash: string, list: ListEndpoint, limit: number, toTheEnd = true): Promise<string> {
    const { rows, cursor: since } = this.#lists.get(list.path) ?? { rows: new Map(), cursor: "start" };
    const request = (): Promise<string> =>
      db<{ page: string }[]>`
        select public.list_changes(${hash}, ${list.path.slice(1)}, ${limit}, ${since}, ${names(list)})::text as page`.then(
        ([answer]) => answer?.page ?? "",
        // The pages of readers that were killed may still be under way.
        (error) => (error.code === "PT429" ? pause(20).then(request) : Promise.reject(error)),
      );
    const text = await request();
    const page: Change[] = JSON.parse(text);
    expect(page.map(({ cursor }) => cursor)).toEqual(page.map(({ cursor }) => cursor).sort());
    if (since === "start") rows.clear();
    for (const { cursor: _, deleted, ...row } of page) {
      if (deleted) rows.delete(row.id);
      else rows.set(row.id, row);
    }
    this.#lists.set(list.path, { rows, cursor: (toTheEnd && page.at(-1)?.cursor) || since });
    return page.length > 0 ? text : "";
  }

  /** The rows of all lists, as `exported` returns them. */
  lists(): Lists {
    return Object.fromEntries([...this.#lists].map(([path, { rows }]) => [path, comparable(rows.values())]));
  }
}

/** The rows of a list with all their columns, page by page, from this id on. */
async function exportedRows(db: postgres.Sql, hash: string, list: ListEndpoint, after?: string): Promise<Row[]> {
  const args = [`'${hash}'`, "1000", ...(after ? [`starting_after => '${after}'`] : [])];
  if (list.included.length > 0) args.push(`include => '{${names(list)}}'`);
  if (list.path === "/rewards") args.push("include_archived => true");
  const [answer] = await db.unsafe<{ page: Row[] }[]>(`select public.${list.operation}(${args}) as page`);
  const page = answer?.page ?? [];
  return page.length < 1000 ? page : [...page, ...(await exportedRows(db, hash, list, page.at(-1)?.id))];
}

/** Exports all lists. */
export async function exported(db: postgres.Sql, hash: string, lists: readonly ListEndpoint[]): Promise<Lists> {
  const all: Lists = {};
  for (const list of lists) all[list.path] = comparable(await exportedRows(db, hash, list));
  return all;
}
