// npm run export -- <resource> [filters] --out <file>.csv|.json: a whole list in one file (docs/connect/command-line.md).
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type Endpoint, endpoints } from "../functions/public-api/endpoints.ts";
import { type Connection, Problem, readConnection } from "./client/connection.ts";
import { type Format, formatOf } from "./client/formats.ts";
import { type Progress, progressOn } from "./client/progress.ts";
import { type Filters, walk } from "./client/walk.ts";

const lists = endpoints.filter((endpoint) => endpoint.kind === "list");

/** What to export, and where to. */
export interface Job {
  endpoint: Endpoint;
  filters: Filters;
  format: Format;
  out: string;
}

/** Parameters that a file's name or the walk decides. */
const ours = ["limit", "format"];

function filtersOf({ parameters }: Endpoint): Endpoint["parameters"] {
  return parameters.filter(({ name }) => !ours.includes(name));
}

const usage = `Usage: npm run export -- <resource> [filters] --out <file>.csv|.json
${lists
  .map(
    (list) =>
      `  ${list.path.slice(1).padEnd(16)} ${filtersOf(list)
        .map(({ name, kind }) => (kind === "true" ? `--${name}` : `--${name} …`))
        .join(" ")}`,
  )
  .join("\n")}
PUBLIC_API_URL and PUBLIC_API_KEY say where, and with which key.`;

/**
 * Reads the arguments.
 * @throws Problem with the usage
 */
export function readJob(args: string[]): Job {
  const [resource = "", ...rest] = args;
  const endpoint = lists.find(({ path, aliases }) => [path, ...aliases].includes(`/${resource}`));
  if (!endpoint) throw new Problem(usage);
  try {
    const filters = Object.fromEntries(
      filtersOf(endpoint).map(({ name, kind }) => [name, { type: kind === "true" ? "boolean" : "string" } as const]),
    );
    const { values } = parseArgs({ args: rest, options: { ...filters, out: { type: "string" } } });
    const { out, ...given } = values as Record<string, string | boolean> & { out?: string };
    const format = formatOf(out ?? "");
    if (!out || !format) throw new Problem("--out must end in .csv or .json");
    const texts = Object.entries(given).map(([name, value]) => [name, String(value)]);
    return { endpoint, filters: Object.fromEntries(texts), format, out };
  } catch (error) {
    throw new Problem(`${(error as Error).message}\n${usage}`);
  }
}

/** What the file is called as long as rows are missing. */
export function incomplete(out: string): string {
  return out.replace(/\.\w+$/, ".incomplete$&");
}

/**
 * Writes the list to the file, a page at a time, and returns how many rows it has. Until all are there the file's name says so
 * (`members.incomplete.csv`), and so it stays when the export fails after its first page; an older file of the name wanted is there
 * until the end.
 * @throws Problem when not all rows can be had; it says where those are that came before
 */
export async function exportRows(job: Job, connection: Connection, progress: Progress): Promise<number> {
  const unfinished = incomplete(job.out);
  const file = await open(unfinished, "w");
  let rows: number;
  try {
    rows = await writePages(job, connection, progress, file);
  } catch (error) {
    if ((await file.stat()).size === 0) await rm(unfinished);
    else if (error instanceof Problem) throw new Problem(`${error.message}\n${unfinished} holds what came before`);
    throw error;
  } finally {
    await file.close();
  }
  await rename(unfinished, job.out);
  return rows;
}

async function writePages(
  { endpoint, filters, format }: Job,
  connection: Connection,
  progress: Progress,
  file: FileHandle,
): Promise<number> {
  let count = 0;
  let newest: number | undefined;
  const oldest = Date.parse(filters.since ?? "");
  try {
    for await (const { start, rows } of walk(connection, endpoint, filters, format)) {
      if (newest === undefined) await file.write(start);
      const texts = rows.map(({ text }, index) => (count + index > 0 ? format.between : "") + text);
      await file.write(texts.join(""));
      count += rows.length;

      const time = rows.at(-1)?.time ?? "";
      const reached = Date.parse(time);
      newest ??= Date.parse(rows[0]?.time ?? "");
      const done = (newest - reached) / (newest - oldest);
      progress.show(Number.isFinite(done) ? done : null, `${count} rows, back to ${time.slice(0, 10)}`);
    }
    return count;
  } finally {
    // Also what is not complete is well-formed.
    if (newest !== undefined) await file.write(format.end);
  }
}

async function main(): Promise<void> {
  const progress = progressOn(process.stderr);
  try {
    const job = readJob(process.argv.slice(2));
    const connection = { ...readConnection(process.env), pause: (ms: number) => pause(ms), say: progress.say };
    const count = await exportRows(job, connection, progress);
    progress.say(`${job.out}: ${count} rows`);
  } catch (error) {
    progress.say((error as Error).message);
    process.exitCode = 1;
  }
}

if (import.meta.main) await main();
