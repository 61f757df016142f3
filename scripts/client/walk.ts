import type { Endpoint } from "../../functions/public-api/endpoints.ts";
import { type Connection, Problem, request } from "./connection.ts";
import type { Format, Page } from "./formats.ts";

/** Filters of a list, by parameter name. */
export type Filters = Record<string, string>;

/** There are more rows, and no request can reach them. */
export class DeadEnd extends Problem {}

const most = 1000;

/** Asks for the pages of a list, newest first, each row once, until the oldest (docs/api.md, Lists).
 * @throws DeadEnd when there are more rows than one request answers and no window is narrower
 */
export async function* walk(
  connection: Connection,
  { path, parameters }: Endpoint,
  filters: Filters,
  format: Format,
): AsyncGenerator<Page> {
  const hasWindow = parameters.some(({ name }) => name === "until");
  let window: Filters = {};
  let seen = new Set<string>();
  const ask = (within: Filters) => {
    const query = new URLSearchParams({ ...filters, ...within, limit: String(most), format: format.name });
    return request(connection, `${path}?${query}`, format.read);
  };
  for (;;) {
    const { content, headers } = await ask(window);
    yield { ...content, rows: content.rows.filter(({ id }) => !seen.has(id)) };

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
  const microseconds = BigInt(Date.parse(time)) * 1000n + BigInt(time.slice(-4, -1)) - 1n;
  const milliseconds = new Date(Number(microseconds / 1000n)).toISOString();
  return milliseconds.replace("Z", `${String(microseconds % 1000n).padStart(3, "0")}Z`);
}

function deadEnd(place: string, filters: Filters): string {
  const shown = Object.entries(filters).map(([name, value]) => ` --${name} ${value}`);
  return `There are more than ${most} rows at ${place}${shown.length > 0 ? `, with${shown.join("")}` : ""}: the rest cannot be reached`;
}
