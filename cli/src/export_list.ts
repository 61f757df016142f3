// Exports a list to a file or a pipe, page by page; totals, too, which are one page.
import { once } from "node:events";
import type { Writable } from "node:stream";
import type { Connection } from "./connection.ts";
import type { Format } from "./formats.ts";
import type { Source } from "./lists.ts";
import type { Progress } from "./progress.ts";
import { type Filters, walk } from "./walk.ts";
import { encode, writeWhole } from "./whole_file.ts";

/** What to export, and how. */
export interface Job {
  endpoint: Source;
  filters: Filters;
  format: Format;
  /** With gzip. */
  compress: boolean;
  out: string;
}

/** How far an export is. */
interface Reached {
  rows: number;
  /** The times of the first and of the last row; null when there is none. */
  newest: string | null;
  oldest: string | null;
}

/**
 * Writes a list to a file. Until all rows are written, the file is named like `members.incomplete-9f3c01ab.csv`, and an older
 * complete file is kept. Returns the number of rows.
 * @throws CliError when not all rows could be fetched; nothing is left of them
 */
export async function exportToFile(job: Job, connection: Connection, progress: Progress): Promise<number> {
  return await writeWhole(job.out, job.compress, (append) => writePages(job, connection, append, progress));
}

/** Writes a list to a pipe, page by page. Returns the number of rows. */
export async function exportToPipe(
  job: Job,
  connection: Connection,
  output: Writable,
  progress: Progress,
): Promise<number> {
  const { stop } = connection;
  const append = async (text: string) => {
    if (output.write(encode(text, job.compress))) return;
    await once(output, "drain", { signal: stop }).catch((error) => {
      throw stop.aborted ? stop.reason : error;
    });
  };
  return await writePages(job, connection, append, progress);
}

async function writePages(
  { endpoint, filters, format }: Job,
  connection: Connection,
  append: (text: string) => Promise<void>,
  progress: Progress,
): Promise<number> {
  const since = Date.parse(filters.since ?? "");
  const reached: Reached = { rows: 0, newest: null, oldest: null };
  let isFirst = true;
  for await (const { start, rows } of walk(connection, endpoint, filters, format)) {
    const before = isFirst ? format.mark + start : reached.rows > 0 && rows.length > 0 ? format.between : "";
    await append(before + rows.map(({ text }) => text).join(format.between));
    isFirst = false;
    reached.rows += rows.length;
    reached.newest ??= rows[0]?.time ?? null;
    reached.oldest = rows.at(-1)?.time ?? reached.oldest;
    if (endpoint.kind === "aggregates") continue;
    const back = reached.oldest?.slice(0, 10) ?? "the first";
    progress.show(share(reached, since), `${reached.rows} rows, back to ${back}`);
  }
  await append(format.end);
  return reached.rows;
}

/** How much of the requested time window is done, from 0 to 1; null if the window has no start. */
function share({ newest, oldest }: Reached, since: number): number | null {
  if (newest === null || oldest === null) return null;
  const from = Date.parse(newest);
  const done = (from - Date.parse(oldest)) / (from - since);
  return Number.isFinite(done) ? done : null;
}
