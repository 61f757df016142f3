// Exports a list to a file or a pipe, page by page.
import { once } from "node:events";
import { existsSync } from "node:fs";
import type { Writable } from "node:stream";
import type { ListEndpoint } from "../../functions/public-api/endpoint.ts";
import type { Connection } from "./connection.ts";
import type { Format, Row } from "./formats.ts";
import { Problem } from "./problem.ts";
import type { Progress } from "./progress.ts";
import { appendOlder, placesOf, type Reached, reachedWith } from "./since_last.ts";
import { asProblem, encode, openUnfinished, type Target } from "./unfinished_file.ts";
import { type Filters, PlaceGone, walk } from "./walk.ts";

/** What to export, and how. */
export interface Job {
  endpoint: ListEndpoint;
  filters: Filters;
  format: Format;
  /** With gzip. */
  compress: boolean;
  out: string;
  /** For exports of new rows only. */
  sinceLast: boolean;
}

/** The progress of an export, enough to continue it. */
interface Note {
  /** When the export began. It has no rows that were added later. */
  begun: string;
  rows: number;
  /** The text at the beginning of the file. */
  start: string;
  /** The last row; null when there is none. */
  place: { id: string; time: string } | null;
  /** The time of the first row. */
  newest: string | null;
  reached: Reached | null;
}

export interface Outcome {
  rows: number;
  /** When the export that this one continued began. */
  resumed: string | null;
}

/**
 * Writes a list to a file. Until all rows are written, the file is named like `members.incomplete.csv`. After a failure
 * that file stays, and the next export continues it. An older complete file is kept until the end.
 * @param company the company of the key: an export of another company does not continue this one's file or use its
 * state
 * @throws Problem when not all rows could be fetched; it names the file with the rows so far
 */
export async function exportToFile(
  job: Job,
  connection: Connection,
  company: string,
  progress: Progress,
): Promise<Outcome> {
  const { endpoint, filters, format, compress, out } = job;
  const ending = `${format.name}${compress ? ".gz" : ""}`;
  const name = `${connection.url} ${company} ${endpoint.path}.${ending}?${new URLSearchParams(filters)}`;
  const places = job.sinceLast ? await placesOf(endpoint.path.slice(1), name, out) : null;
  const last = places?.reached ?? null;
  const target = await openUnfinished<Note>(out, `${name} ${last?.since ?? ""}`, compress);
  try {
    const { rows, start, reached } = await writePages(job, connection, target, progress, last).catch(async (error) => {
      if (!(error instanceof PlaceGone)) throw error;
      progress.warn(`${target.path}: the row where it had stopped has been deleted; starting again from the beginning`);
      await target.restart();
      return await writePages(job, connection, target, progress, last);
    });
    // If the older file has been moved away, the new file has only the rows that are newer.
    if (last && existsSync(out)) await appendOlder(out, { format, start, hasRows: rows > 0 }, target);
    await target.append(format.end);
    const next = reached ?? last;
    if (next) await places?.announce(next);
    await target.finish();
    if (next) await places?.keep(next);
    return { rows, resumed: target.stopped?.begun ?? null };
  } catch (error) {
    const kept = await target.leave(format.end);
    const problem = asProblem(error);
    if (!problem || !kept) throw error;
    const where = `${kept} has the rows so far. Run the same command again to continue`;
    throw new Problem(`${problem.message}\n${where}`, problem.exitCode);
  }
}

/** Writes a list to a pipe, page by page. */
export async function exportToPipe(
  job: Job,
  connection: Connection,
  output: Writable,
  progress: Progress,
): Promise<Outcome> {
  const append = async (text: string) => {
    if (!output.write(encode(text, job.compress))) await once(output, "drain");
  };
  const pipe = { stopped: null, append, checkpoint: async () => {} };
  const { rows } = await writePages(job, connection, pipe, progress, null);
  await append(job.format.end);
  return { rows, resumed: null };
}

/** @param last how far the last export came; its rows are left out */
async function writePages(
  { endpoint, filters, format, sinceLast }: Job,
  connection: Connection,
  target: Pick<Target<Note>, "stopped" | "append" | "checkpoint">,
  progress: Progress,
  last: Reached | null,
): Promise<Note> {
  const within: Filters = last ? { ...filters, since: last.since } : filters;
  const had = new Set(last?.ids);
  const oldest = Date.parse(within.since ?? "");
  let note = target.stopped;
  for await (const { start, rows } of walk(connection, endpoint, within, format, note?.place?.id ?? null)) {
    const texts = rows.filter(({ id }) => !had.has(id)).map(({ text }) => text);
    const before = note === null ? start : note.rows > 0 && texts.length > 0 ? format.between : "";
    await target.append(before + texts.join(format.between));
    const reached = sinceLast ? reachedWith(rows, note?.reached ?? null, last) : null;
    note = { ...noteWith(rows, texts.length, note), start, reached };
    await target.checkpoint(note);
    progress.show(share(note, oldest), `${note.rows} rows, back to ${note.place?.time.slice(0, 10) ?? "the first"}`);
  }
  if (!note) throw new Error("A list has a first page, even if it has no rows");
  return note;
}

/** The progress after a page. `written` is how many of its rows were written. */
function noteWith(rows: Row[], written: number, before: Note | null): Omit<Note, "start" | "reached"> {
  return {
    begun: before?.begun ?? new Date().toISOString(),
    rows: (before?.rows ?? 0) + written,
    place: placeOf(rows.at(-1)) ?? before?.place ?? null,
    newest: before?.newest ?? rows[0]?.time ?? null,
  };
}

const placeOf = (row: Row | undefined): Note["place"] => (row ? { id: row.id, time: row.time } : null);

/** How much of the requested time window is done, from 0 to 1; null if the window has no start. */
function share({ newest, place }: Note, oldest: number): number | null {
  if (newest === null || place === null) return null;
  const [from, reached] = [Date.parse(newest), Date.parse(place.time)];
  const done = (from - reached) / (from - oldest);
  return Number.isFinite(done) ? done : null;
}
