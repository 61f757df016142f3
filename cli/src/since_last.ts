// --since-last: a state file next to the output records how far the last export came, so that the next one requests
// only newer rows.
import { createReadStream, existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import type { Format, Row } from "./formats.ts";
import { exitCodes, Problem } from "./problem.ts";
import { incomplete, replaceFile, type Target } from "./unfinished_file.ts";

/** How far an export came. The next one requests the rows since `since`, and leaves out those with these `ids`. */
export interface Reached {
  since: string;
  ids: string[];
}

/**
 * In milliseconds. A row gets its time when it is written, but becomes visible later, when its transaction commits. So
 * the last minutes are requested again.
 */
const overlap = 5 * 60 * 1000;

/** The file that an export wrote, so that the next one recognizes it. */
interface Written {
  name: string;
  bytes: number;
}

/** How far a job came, and the file that it wrote. */
interface Place {
  reached: Reached | null;
  file?: Written;
}

/** The place of one job. `next` is its place as soon as the unfinished file is renamed to the output. */
interface Entry extends Place {
  next?: { reached: Reached; file: Written; unfinished: string };
}

export interface Places {
  /** How far the last export came; null for the first one. */
  reached: Reached | null;
  /** Stores the new place as `next`, before the unfinished file is renamed. */
  announce(next: Reached): Promise<void>;
  /** Makes the new place the current one, after the file was renamed. */
  keep(next: Reached): Promise<void>;
}

/**
 * Reads the place of a job: a list, its filters and its format, of one company, in the folder of the output.
 * @throws Problem when the output exists, and is not the file that the job's last export wrote
 */
export async function placesOf(list: string, job: string, out: string): Promise<Places> {
  const folder = dirname(out);
  const path = join(folder, `${list}.state.json`);
  const entries = async (): Promise<Record<string, Entry>> =>
    JSON.parse(await readFile(path, "utf8").catch(() => "{}"));
  const write = async (entry: Entry) =>
    replaceFile(path, `${JSON.stringify({ ...(await entries()), [job]: entry }, null, 2)}\n`);
  const written = async (file: string): Promise<Written> => ({ name: basename(out), bytes: (await stat(file)).size });

  const all = await entries();
  const place = placeIn(all[job], folder);
  if (existsSync(out)) expectOwn(out, await written(out), place, othersThan(job, all, folder));
  return {
    reached: place.reached,
    announce: async (reached) => {
      const unfinished = incomplete(out);
      await write({ ...place, next: { reached, file: await written(unfinished), unfinished: basename(unfinished) } });
    },
    keep: async (reached) => write({ reached, file: await written(out) }),
  };
}

/**
 * The place in a job's entry. If there is a `next`, the process ended between `announce` and `keep`. If then the
 * unfinished file does not exist, it was renamed, and `next` is the place.
 */
function placeIn(entry: Entry | undefined, folder: string): Place {
  const { next, ...place } = entry ?? { reached: null };
  const hasName = next !== undefined && !existsSync(join(folder, next.unfinished));
  return hasName ? { reached: next.reached, file: next.file } : place;
}

const othersThan = (job: string, all: Record<string, Entry>, folder: string): Place[] =>
  Object.entries(all).flatMap(([name, entry]) => (name === job ? [] : [placeIn(entry, folder)]));

/** Throws unless the output is the file of this job's last export: only then do the new rows continue its rows. */
function expectOwn(out: string, found: Written, { reached, file }: Place, others: Place[]): void {
  const isFound = (written?: Written) => written?.name === found.name && written.bytes === found.bytes;
  if (isFound(file)) return;
  if (others.some((other) => isFound(other.file)))
    throw new Problem(
      `${out} belongs to an export of another company, address, format or filter. Choose another --out, or move the file`,
      exitCodes.usage,
    );
  if (reached && file)
    throw new Problem(
      `${out} has changed since the last export with --since-last. Move the file, and export again`,
      exitCodes.usage,
    );
}

/**
 * How far an export has come after the next rows, newest first.
 * @param before how far it had come before these rows
 * @param last how far the export before this one came: older rows were not requested
 */
export function reachedWith(rows: Row[], before: Reached | null, last: Reached | null): Reached | null {
  const newest = Date.parse(rows[0]?.time ?? "");
  if (before === null && Number.isNaN(newest)) return null;
  const from =
    before?.since ?? new Date(Math.max(newest - overlap, Date.parse(last?.since ?? "0001-01-01"))).toISOString();
  const ids = rows.filter(({ time }) => Date.parse(time) >= Date.parse(from)).map(({ id }) => id);
  return { since: from, ids: [...(before?.ids ?? []), ...ids] };
}

/** Appends the rows of an older export, which are older than those in the target. */
export async function appendOlder(
  older: string,
  { format, start, hasRows }: { format: Format; start: string; hasRows: boolean },
  target: Target<unknown>,
): Promise<void> {
  let held = "";
  let before = hasRows ? format.between : "";
  for await (const text of behindStart(older, start)) {
    held += text;
    // Holds back the older file's end, which may be split between two parts: the caller writes it again after the last
    // row.
    const whole = Math.max(held.length - format.end.length, 0);
    if (whole === 0) continue;
    await target.append(before + held.slice(0, whole));
    before = "";
    held = held.slice(whole);
  }
  if (held !== format.end) throw notExported(older);
}

/** The text of an older export without its start, as a stream. */
async function* behindStart(older: string, start: string): AsyncGenerator<string> {
  const bytes = createReadStream(older);
  const text = older.endsWith(".gz") ? pipeline(bytes, createGunzip(), () => {}) : bytes;
  text.setEncoding("utf8");
  let held: string | null = "";
  for await (const chunk of text) {
    if (held === null) yield chunk;
    else {
      held += chunk;
      if (held.length < start.length) continue;
      if (!held.startsWith(start))
        throw new Problem(`${older} has other columns than the API returns now. Move the file, and export again`);
      yield held.slice(start.length);
      held = null;
    }
  }
  if (held !== null) throw notExported(older);
}

const notExported = (older: string) =>
  new Problem(`${older} was not written by an export. Move the file, and export again`);
