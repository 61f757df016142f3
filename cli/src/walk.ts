import type { ListEndpoint } from "../../functions/public-api/endpoint_types.ts";
import { type Connection, Refused, request } from "./connection.ts";
import type { Format, Page, Place, Row } from "./formats.ts";
import { Problem } from "./problem.ts";

/** Filters of a list, by parameter name. */
export type Filters = Record<string, string>;

/** Thrown when all rows after which the next page could start have been deleted. */
export class PlaceGone extends Problem {}

const most = 1000;

/**
 * Requests all pages of a list, newest first, each row once (docs/api.md, Lists). Rows may be deleted meanwhile: if the
 * last row of a page has been deleted, the next page starts after an earlier row.
 * @throws PlaceGone when every row of the last page has been deleted
 * @throws Problem when a page does not continue the one before, for example because a proxy repeats a page
 */
export async function* walk(
  connection: Connection,
  { path }: ListEndpoint,
  filters: Filters,
  format: Format,
): AsyncGenerator<Page> {
  const ask = (place: Place | undefined) => {
    const start: Filters = place ? { starting_after: place.id } : {};
    const query = new URLSearchParams({ ...filters, ...start, limit: String(most), format: format.name });
    return request(connection, `${path}?${query}`, format.read);
  };
  let page: Place[] = [];
  for (;;) {
    const { content, headers, back } = await askAfter(page, ask);
    const last = page.at(-1);
    // After an earlier row come rows that were on the page before, and perhaps some that were added since.
    const rows = back === 1 ? content.rows : content.rows.filter((row) => !last || follows(row, last));
    const hasMore = moreAfter(path, headers.get("X-Has-More"));
    if (!areInOrder(last, rows) || (hasMore && rows.length === 0))
      throw new Problem(`${path}: a page does not continue the page before; a proxy may repeat answers`);
    yield { ...content, rows };
    if (!hasMore) return;
    page = content.rows;
  }
}

/** Whether there are more rows. A proxy may drop the header: then nobody knows. */
export function moreAfter(path: string, header: string | null): boolean {
  if (header !== "true" && header !== "false")
    throw new Problem(`${path}: the answer does not say whether there are more rows (X-Has-More)`);
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

/**
 * Requests the page after the last of these rows. If that row is deleted, tries earlier rows, in growing steps. `back`
 * is how many rows from the end it began, 1 for the last one.
 */
async function askAfter<T>(
  rows: Place[],
  ask: (place: Place | undefined) => Promise<T>,
): Promise<T & { back: number }> {
  for (let back = 1; ; back = Math.min(back * 2, rows.length)) {
    try {
      return { ...(await ask(rows.at(-back))), back };
    } catch (error) {
      // The page before had the same filters: what is refused now is the row.
      if (!(error instanceof Refused && error.status === 400 && rows.length > 0)) throw error;
      if (back >= rows.length) throw new PlaceGone(error.message, error.exitCode);
    }
  }
}
