// What has changed in a list since a cursor (docs/api.md, Keeping a copy).
import type { Column, ListEndpoint } from "../../../functions/public-api/table/types.ts";
import { type Connection, Refused, request } from "../connection.ts";
import { CliError } from "../errors.ts";
import { everyColumn } from "../lists.ts";
import { moreAfter } from "../walk.ts";
import { columnsOf } from "./tables.ts";

/** A row as it is now. Of a deleted row only these three have values. */
export interface Change {
  id: string;
  cursor: string;
  deleted: boolean;
  [column: string]: unknown;
}

export interface Changes {
  rows: Change[];
  /** The cursor of the next request. */
  cursor: string;
  hasMore: boolean;
  /** All that was committed before this moment is in the copy, when there are no more; empty if the server does not say. */
  until: string;
}

/** The server no longer knows a cursor: everything has to be fetched again. */
export class CursorGone extends CliError {}

/** The cursor that comes before all changes. */
export const start = "start";

/**
 * Requests the next changes of a list, at most a thousand, oldest first.
 * @throws CursorGone when the cursor is no longer known
 * @throws CliError when the answer does not continue the cursor, for example because a proxy repeats a page
 */
export async function changesAfter(connection: Connection, list: ListEndpoint, cursor: string): Promise<Changes> {
  const query = new URLSearchParams({ after: cursor, limit: "1000", ...everyColumn(list) });
  const read = (body: string) => readChanges(body, list);
  const { content: rows, headers } = await request(connection, `${list.path}/changes?${query}`, read).catch((error) => {
    throw error instanceof Refused && error.status === 410 ? new CursorGone(error.message) : error;
  });
  const cursors = [...(cursor === start ? [] : [cursor]), ...rows.map((row) => row.cursor)];
  const hasMore = moreAfter(list.path, headers.get("X-Has-More"));
  if (cursors.some((next, index) => index > 0 && next <= (cursors[index - 1] ?? "")) || (hasMore && rows.length === 0))
    throw new CliError(`${list.path}: an answer does not continue the one before; a proxy may repeat answers`);
  const said = headers.get("X-Changes-Until") ?? "";
  const until = /^\d{4}-\d\d-\d\dT[\d:.]{8,15}Z$/.test(said) ? said : "";
  return { rows, cursor: cursors.at(-1) ?? start, hasMore, until };
}

/** Throws an Error when the body is not whole, or has something else than rows of this list. */
function readChanges(body: string, list: ListEndpoint): Change[] {
  const rows: (Change | null)[] = JSON.parse(body, keepDigits);
  if (!Array.isArray(rows)) throw new Error("the answer is not a list");
  return rows.map((row) => {
    const isChange =
      typeof row?.id === "string" &&
      typeof row.cursor === "string" &&
      /^[0-9a-f]{1,80}$/.test(row.cursor) &&
      typeof row.deleted === "boolean";
    if (isChange && (row.deleted || columnsOf(list).every(({ name, type }) => name in row && fits(row[name], type))))
      return row;
    throw new Error("a row that is not whole");
  });
}

/** Whether a value is one of the column's type, so that the copy can store it. */
function fits(value: unknown, type: Column["type"]): boolean {
  if (value === null || type === "json") return true;
  if (type === "boolean") return typeof value === "boolean";
  if (type !== "integer") return typeof value === "string";
  const digits = JSON.stringify(value);
  return typeof value !== "string" && /^-?\d+$/.test(digits) && BigInt.asIntN(64, BigInt(digits)) === BigInt(digits);
}

/** Keeps a number that JavaScript would write otherwise (1.10, or more than 2^53) as it was sent. */
function keepDigits(_: string, value: unknown, { source = "" }: { source?: string } = {}): unknown {
  return typeof value === "number" && String(value) !== source ? rawJSON(source) : value;
}

/** In every Node that has node:sqlite. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };
