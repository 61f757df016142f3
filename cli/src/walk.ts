import type { ListEndpoint } from "../../functions/public-api/endpoint.ts";
import { type Connection, request } from "./connection.ts";
import type { Format, Page } from "./formats.ts";
import { Problem } from "./problem.ts";

/** Filters of a list, by parameter name. */
export type Filters = Record<string, string>;

/** A row of a list. */
export interface Place {
  id: string;
  time: string;
}

/** There are more rows, and no request can reach them. */
export class DeadEnd extends Problem {}

const most = 1000;

/** Asks for the pages of a list, newest first, each row once, until the oldest (docs/api.md, Lists).
 * @throws DeadEnd when there are more rows than one request answers and no window is narrower
 */
export async function* walk(
  connection: Connection,
  { path, parameters }: ListEndpoint,
  filters: Filters,
  format: Format,
  after: Place | null = null,
): AsyncGenerator<Page> {
  const hasWindow = parameters.some(({ name }) => name === "until");
  if (after && !hasWindow) throw new Problem(`${path} has no time window to go on in`);
  let window: Filters = after ? { until: after.time } : {};
  let seen = new Set<string>();
  const ask = (within: Filters) => {
    const query = new URLSearchParams({ ...filters, ...within, limit: String(most), format: format.name });
    return request(connection, `${path}?${query}`, format.read);
  };
  for (;;) {
    const { content, headers } = await ask(window);
    const isHad = ({ id, time }: Place) => seen.has(id) || (time === after?.time && id >= after.id);
    yield { ...content, rows: content.rows.filter((row) => !isHad(row)) };

    if (headers.get("X-Has-More") === "false") return;
    const last = content.rows.at(-1)?.time;
    if (last === undefined) throw new Problem(`${path} did not say whether there are more rows`);
    if (!hasWindow) throw new DeadEnd(deadEnd(`${path}, which has no time window`, filters));
    if (last === window.until) {
      // A page of one instant: unless it has more rows than that, the walk goes on before it.
      const instant = await ask({ since: last, until: last });
      if (instant.headers.get("X-Has-More") !== "false") throw new DeadEnd(deadEnd(`the instant ${last}`, filters));
      window = { until: justBefore(last) };
      continue;
    }
    // The next window begins with the rows of the last instant, which come again.
    seen = new Set(content.rows.filter(({ time }) => time === last).map(({ id }) => id));
    window = { until: last };
  }
}

/** The microsecond before a time, which is written as the API writes it. */
function justBefore(time: string): string {
  const microsecond = Number(time.slice(-4, -1)) - 1;
  // Date.parse drops the digits past the third, before 1970 too.
  const millisecond = new Date(Date.parse(time) - (microsecond < 0 ? 1 : 0)).toISOString();
  return millisecond.replace("Z", `${String((microsecond + 1000) % 1000).padStart(3, "0")}Z`);
}

function deadEnd(place: string, filters: Filters): string {
  const shown = Object.entries(filters).map(([name, value]) => ` --${name} ${value}`);
  return `There are more than ${most} rows at ${place}${shown.length > 0 ? `, with${shown.join("")}` : ""}: the rest cannot be reached`;
}
