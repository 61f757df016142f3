import { type Connection, request } from "./connection.ts";
import { CliError } from "./errors.ts";
import type { Format, Page, Place, Row } from "./formats.ts";
import type { Source } from "./lists.ts";

/** Filters of a list, by parameter name. */
export type Filters = Record<string, string>;

const maxRows = 1000;

/**
 * Requests all pages of a list, newest first, each row once (docs/api.md, Lists), or the only page of totals. Rows may be
 * deleted meanwhile: a page starts after a time and an id.
 * @throws CliError when a page does not continue the one before, for example because a proxy repeats a page
 */
export async function* walk(
  connection: Connection,
  source: Source,
  filters: Filters,
  format: Format,
): AsyncGenerator<Page> {
  const { path, kind } = source;
  let last: Place | undefined;
  for (;;) {
    const start: Filters = last ? { starting_after: `${last.time}_${last.id}` } : {};
    const page: Filters = kind === "list" ? { ...start, limit: String(maxRows) } : {};
    const query = new URLSearchParams({ ...filters, ...page, format: format.name });
    const read = (body: string) => format.read(body, source);
    const { content, headers } = await request(connection, `${path}?${query}`, read);
    if (kind === "aggregates") return yield content;
    const hasMore = moreAfter(path, headers.get("X-Has-More"));
    if (!areInOrder(last, content.rows) || (hasMore && content.rows.length === 0))
      throw new CliError(`${path}: a page does not continue the page before; a proxy may repeat answers`);
    yield content;
    if (!hasMore) return;
    last = content.rows.at(-1);
  }
}

/** Whether there are more rows. A proxy may drop the header: then nobody knows. */
export function moreAfter(path: string, header: string | null): boolean {
  if (header !== "true" && header !== "false")
    throw new CliError(`${path}: the answer does not say whether there are more rows (X-Has-More)`);
  return header === "true";
}

/** Whether a row comes behind another one in a list: newest first, those of one instant by id. */
const follows = (row: Place, before: Place): boolean =>
  row.time < before.time || (row.time === before.time && row.id < before.id);

const areInOrder = (last: Place | undefined, rows: Row[]): boolean =>
  rows.every((row, index) => {
    const before = index === 0 ? last : rows[index - 1];
    return !before || follows(row, before);
  });
