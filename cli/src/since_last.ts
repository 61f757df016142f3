// --since-last: a file beside the output keeps how far the last export came, so that the next one asks only for what is newer.
import { createReadStream, existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import type { Format, Row } from "./formats.ts";
import { Problem } from "./problem.ts";
import { incomplete, replaceFile, type Target } from "./unfinished_file.ts";

/** How far an export came: rows since then are asked for, and those with these ids are had. */
export interface Reached {
  since: string;
  ids: string[];
}

/** Rows get their time when they are written and show when that is committed; so the newest minutes are asked for twice. */
const overlap = 5 * 60 * 1000;

/** The place of one job; `next` is where it will be as soon as the unfinished file has its name. */
interface Entry {
  reached: Reached | null;
  next?: { reached: Reached; unfinished: string };
}

export interface Places {
  /** How far the last export came; null for the first one. */
  reached: Reached | null;
  /** Notes the new place, before the file gets its name. */
  announce(next: Reached): Promise<void>;
  /** Makes it count, when the file has it. */
  keep(next: Reached): Promise<void>;
}

/** Reads the place of a job: a list, its filters and its format, of one company, in the folder of the output. */
export async function placesOf(list: string, job: string, out: string): Promise<Places> {
  const folder = dirname(out);
  const path = join(folder, `${list}.state.json`);
  const all: Record<string, Entry> = JSON.parse(await readFile(path, "utf8").catch(() => "{}"));
  const { reached = null, next } = all[job] ?? {};
  // Killed between the two: where the unfinished file has gone, it got its name.
  const hasName = next !== undefined && !existsSync(join(folder, next.unfinished));
  const current = hasName ? next.reached : reached;
  const write = (entry: Entry) => replaceFile(path, `${JSON.stringify({ ...all, [job]: entry }, null, 2)}\n`);
  return {
    reached: current,
    announce: (next) => write({ reached: current, next: { reached: next, unfinished: basename(incomplete(out)) } }),
    keep: (next) => write({ reached: next }),
  };
}

/**
 * How far an export has come with the next rows, newest first.
 * @param before how far it was
 * @param last how far the export before this one came: what is older was not asked for
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
    // The end may come in two parts; the target gets its own.
    const whole = Math.max(held.length - format.end.length, 0);
    if (whole === 0) continue;
    await target.append(before + held.slice(0, whole));
    before = "";
    held = held.slice(whole);
  }
  if (held !== format.end) throw notExported(older);
}

/** The text of an older export but for its start, as it streams. */
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
      if (!held.startsWith(start)) throw new Problem(`${older} has other columns than the API gives now: move it away`);
      yield held.slice(start.length);
      held = null;
    }
  }
  if (held !== null) throw notExported(older);
}

const notExported = (older: string) => new Problem(`${older} is not what an export wrote: move it away`);
