// Exports a list to a file or a pipe, page by page.
import { once } from "node:events";
import type { Writable } from "node:stream";
import type { ListEndpoint } from "../../functions/public-api/endpoint_types.ts";
import type { Connection } from "./connection.ts";
import type { Format, Place, Row } from "./formats.ts";
import { asProblem, Problem } from "./problem.ts";
import type { Progress } from "./progress.ts";
import { encode, finishedNote, openUnfinished, type Target } from "./unfinished_file.ts";
import { type Filters, PlaceGone, walk } from "./walk.ts";

/** What to export, and how. */
export interface Job {
  endpoint: ListEndpoint;
  filters: Filters;
  format: Format;
  /** With gzip. */
  compress: boolean;
  out: string;
  /** One of several: when it is done and another one fails, it is not done again. */
  isPart: boolean;
}

/** The progress of an export, enough to continue it. */
interface Note {
  /** When the export began. It has no rows that were added later. */
  begun: string;
  rows: number;
  /** The last row; null when there is none. */
  place: Place | null;
  /** The time of the first row. */
  newest: string | null;
}

export interface Outcome {
  rows: number;
  /** When the export that this one continued began. */
  resumed: string | null;
}

/**
 * Writes a list to a file. Until all rows are written, the file is named like `members.incomplete.csv`. After a failure
 * that file stays, and the next export continues it. An older complete file is kept until the end.
 * @param company the company of the key: an export of another company does not continue this one's file
 * @throws Problem when not all rows could be fetched; it names the file with the rows so far
 */
export async function exportToFile(
  job: Job,
  connection: Connection,
  company: string,
  progress: Progress,
): Promise<Outcome> {
  const { endpoint, filters, format, compress, out } = job;
  const ending = `${format.mark}${format.separator}${format.name}${compress ? ".gz" : ""}`;
  const name = `${connection.url} ${company} ${endpoint.path}.${ending}?${new URLSearchParams(filters)}`;
  const done = job.isPart ? await finishedNote<Note>(out, name) : null;
  if (done) return { rows: done.rows, resumed: done.begun };
  const target = await openUnfinished<Note>(out, name, compress);
  try {
    const note = await writePages(job, connection, target, progress).catch(async (error) => {
      if (!(error instanceof PlaceGone)) throw error;
      progress.warn(`${target.path}: the row where it had stopped has been deleted; starting again from the beginning`);
      await target.restart();
      return await writePages(job, connection, target, progress);
    });
    await target.append(format.end);
    await target.finish(job.isPart ? note : null);
    return { rows: note.rows, resumed: target.stopped?.begun ?? null };
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
  const { stop } = connection;
  const append = async (text: string) => {
    if (output.write(encode(text, job.compress))) return;
    await once(output, "drain", { signal: stop }).catch((error) => {
      throw stop.aborted ? stop.reason : error;
    });
  };
  const pipe = { stopped: null, append, checkpoint: async () => {} };
  const { rows } = await writePages(job, connection, pipe, progress);
  await append(job.format.end);
  return { rows, resumed: null };
}

async function writePages(
  { endpoint, filters, format }: Job,
  connection: Connection,
  target: Pick<Target<Note>, "stopped" | "append" | "checkpoint">,
  progress: Progress,
): Promise<Note> {
  const oldest = Date.parse(filters.since ?? "");
  let note = target.stopped;
  for await (const { start, rows } of walk(connection, endpoint, filters, format, note?.place ?? null)) {
    const before = note === null ? format.mark + start : note.rows > 0 && rows.length > 0 ? format.between : "";
    await target.append(before + rows.map(({ text }) => text).join(format.between));
    note = noteWith(rows, note);
    await target.checkpoint(note);
    progress.show(share(note, oldest), `${note.rows} rows, back to ${note.place?.time.slice(0, 10) ?? "the first"}`);
  }
  if (!note) throw new Error("A list has a first page, even if it has no rows");
  return note;
}

/** The progress after a page. */
function noteWith(rows: Row[], before: Note | null): Note {
  const last = rows.at(-1);
  return {
    begun: before?.begun ?? new Date().toISOString(),
    rows: (before?.rows ?? 0) + rows.length,
    place: last ? { id: last.id, time: last.time } : (before?.place ?? null),
    newest: before?.newest ?? rows[0]?.time ?? null,
  };
}

/** How much of the requested time window is done, from 0 to 1; null if the window has no start. */
function share({ newest, place }: Note, oldest: number): number | null {
  if (newest === null || place === null) return null;
  const [from, reached] = [Date.parse(newest), Date.parse(place.time)];
  const done = (from - reached) / (from - oldest);
  return Number.isFinite(done) ? done : null;
}
