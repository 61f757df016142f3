import type { ListEndpoint } from "../../functions/public-api/endpoint.ts";
import { type Connection, Refused, request } from "./connection.ts";
import type { Format, Page } from "./formats.ts";
import { Problem } from "./problem.ts";

/** Filters of a list, by parameter name. */
export type Filters = Record<string, string>;

/** Thrown when all rows after which the next page could start have been deleted. */
export class PlaceGone extends Problem {}

const most = 1000;

/**
 * Requests all pages of a list, newest first, each row once (docs/api.md, Lists). Rows may be deleted meanwhile: if the
 * last row of a page has been deleted, the next page starts after an earlier row.
 * @param after the id of the row to begin after
 * @throws PlaceGone when that row, or every row of the last page, has been deleted
 */
export async function* walk(
  connection: Connection,
  { path }: ListEndpoint,
  filters: Filters,
  format: Format,
  after: string | null,
): AsyncGenerator<Page> {
  const ask = (id: string | undefined) => {
    const place: Filters = id === undefined ? {} : { starting_after: id };
    const query = new URLSearchParams({ ...filters, ...place, limit: String(most), format: format.name });
    return request(connection, `${path}?${query}`, format.read);
  };
  let last = after === null ? [] : [after];
  for (;;) {
    const { content, headers } = await askAfter(last, ask);
    const had = new Set(last);
    yield { ...content, rows: content.rows.filter(({ id }) => !had.has(id)) };

    const hasMore = headers.get("X-Has-More");
    if (hasMore === "false") return;
    if (hasMore !== "true" || content.rows.length === 0)
      throw new Problem(`${path} did not say whether there are more rows`);
    last = content.rows.map(({ id }) => id);
  }
}

/** Requests the page after the last of these rows. If that row is deleted, tries earlier rows, in growing steps. */
async function askAfter<T>(ids: string[], ask: (id: string | undefined) => Promise<T>): Promise<T> {
  for (let back = 1; ; back = Math.min(back * 2, ids.length)) {
    try {
      return await ask(ids.at(-back));
    } catch (error) {
      if (!(error instanceof Refused && error.text.startsWith("starting_after must be"))) throw error;
      if (back >= ids.length) throw new PlaceGone(error.message, error.exitCode);
    }
  }
}
