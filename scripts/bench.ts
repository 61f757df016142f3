// npm run bench: how fast the service is, beside the bare work that it cannot do without. Needs nothing running.
import { rmSync } from "node:fs";
import { mkdir, mkdtemp } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { parseArgs } from "node:util";
import { coldStart } from "./bench/cold_start.ts";
import { type Databases, startDatabases } from "./bench/database.ts";
import { type Figure, type Part, reached } from "./bench/figure.ts";
import { flatPages } from "./bench/flat_pages.ts";
import { functionSpeed } from "./bench/function.ts";
import { growth } from "./bench/growth.ts";
import { memory } from "./bench/memory.ts";
import { rewardImport } from "./bench/reward_import.ts";
import { securedReads } from "./bench/secured_reads.ts";
import { table } from "./bench/table.ts";

const parts: readonly Part[] = [securedReads, flatPages, rewardImport, growth, functionSpeed, coldStart, memory];

const usage = `Usage: npm run bench [-- <part> …] [-- --rows <number>] [-- --json]
  --rows <number>  kudos of the largest company (300000)
  --json           the figures as JSON on standard output (npm run --silent bench -- --json)
  parts:           ${parts.map(({ name }) => name).join(", ")}`;

/** The options, or the end with the usage. */
function readOptions(): { rows: number; asJson: boolean; chosen: readonly Part[] } {
  try {
    const options = { rows: { type: "string", default: "300000" }, json: { type: "boolean", default: false } } as const;
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    const rows = Number(values.rows);
    if (!Number.isInteger(rows) || rows < 10_000) throw new Error("--rows must be a whole number from 10000 on");
    const unknown = positionals.find((name) => !parts.some((part) => part.name === name));
    if (unknown !== undefined) throw new Error(`There is no part ${unknown}`);
    const chosen = parts.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
    return { rows, asJson: values.json, chosen };
  } catch (error) {
    console.error(`${(error as Error).message}\n${usage}`);
    process.exit(2);
  }
}

const { rows, asJson, chosen } = readOptions();
const begin = performance.now();
const elapsed = () => ((performance.now() - begin) / 1000).toFixed(0);
const folder = await mkdtemp(`${tmpdir()}/public-data-api-bench-`);
// Also when a run is interrupted: it holds gigabytes. Its servers end with this process.
process.once("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
const measured: { part: string; figures: Figure[] }[] = [];
let started: Promise<Databases> | undefined;
try {
  for (const { name, title, measure } of chosen) {
    const progress = (step: string) => console.error(`${elapsed().padStart(5)} s  ${name}: ${step}`);
    const own = `${folder}/${name}`;
    await mkdir(own);
    const databases = () => {
      started ??= startDatabases(folder, rows, progress);
      return started;
    };
    const figures = await measure({ databases, folder: own, progress });
    measured.push({ part: name, figures });
    if (!asJson) console.log(`\n${title}\n\n${table(figures)}\n`);
  }
} finally {
  await started?.then(({ stop }) => stop());
}
const missed = measured.flatMap(({ figures }) => figures).filter((figure) => reached(figure) === false);
const machine = { cores: cpus().length, processor: cpus()[0]?.model, node: process.version };
if (asJson) {
  const judged = measured.map(({ part, figures }) => ({
    part,
    figures: figures.map((figure) => ({ ...figure, reached: reached(figure) })),
  }));
  console.log(JSON.stringify({ rows, seconds: Number(elapsed()), machine, measured: judged }, null, 2));
} else
  console.log(
    `${elapsed()} s, ${machine.cores} cores. ${missed.length === 0 ? "Every target reached" : `${missed.length} missed: ${missed.map(({ name }) => name).join("; ")}`}`,
  );
process.exitCode = missed.length === 0 ? 0 : 1;
