// npm run bench: how much the service can take, and how fast it is beside the bare work that it cannot do without. Needs pgbench and
// nothing running.
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { createRequire } from "node:module";
import { cpus, tmpdir } from "node:os";
import { parseArgs } from "node:util";
import { type Database, startDatabase } from "./bench/database.ts";
import { fairness } from "./bench/fairness.ts";
import { type Figure, misses, type Part, table, writePage } from "./bench/figure.ts";
import { deepPages, flatPages } from "./bench/flat_pages.ts";
import { coldStart, functionSpeed } from "./bench/function.ts";
import { loading } from "./bench/loading.ts";
import { rewardImport } from "./bench/reward_import.ts";
import { securedPages } from "./bench/secured_pages.ts";

const parts: readonly Part[] = [
  securedPages,
  flatPages,
  deepPages,
  rewardImport,
  loading,
  functionSpeed,
  coldStart,
  fairness,
];

const usage = `Usage: npm run bench [-- <part> …] [-- --rows <number>] [-- --write]
  --rows <number>  kudos of the largest company (1200000)
  --write          put the tables into docs/scale.md too
  parts:           ${parts.map(({ name }) => name).join(", ")}`;

/** The options, or the end with the usage. */
function readOptions(): { rows: number; write: boolean; chosen: readonly Part[] } {
  try {
    const options = {
      rows: { type: "string", default: "1200000" },
      write: { type: "boolean", default: false },
    } as const;
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    const rows = Number(values.rows);
    if (!Number.isInteger(rows) || rows < 10_000) throw new Error("--rows must be a whole number from 10000 on");
    const unknown = positionals.find((name) => !parts.some((part) => part.name === name));
    if (unknown !== undefined) throw new Error(`There is no part ${unknown}`);
    const chosen = parts.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
    return { rows, write: values.write, chosen };
  } catch (error) {
    console.error(`${(error as Error).message}\n${usage}`);
    process.exit(2);
  }
}

const { rows, write, chosen } = readOptions();
const begin = performance.now();
const elapsed = () => ((performance.now() - begin) / 1000).toFixed(0);
const folder = await mkdtemp(`${tmpdir()}/public-data-api-bench-`);
// Also when a run is interrupted: it holds gigabytes. Its servers end with this process.
process.once("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

const tables = new Map<string, string>();
const figures: Figure[] = [];
let started: Promise<Database> | undefined;
try {
  for (const { name, title, measure } of chosen) {
    const progress = (step: string) => console.error(`${elapsed().padStart(5)} s  ${name}: ${step}`);
    const database = () => {
      if (!started) progress(`filling a database, ${rows} kudos in the largest company`);
      started ??= startDatabase(folder, rows);
      return started;
    };
    const measured = await measure({ database, folder, progress });
    figures.push(...measured);
    tables.set(name, table(measured));
    console.log(`\n${title}\n\n${table(measured)}\n`);
  }
} finally {
  await started?.then(({ stop }) => stop());
}
const missed = figures.filter(misses).length;
const { version: deno } = createRequire(import.meta.url)("deno/package.json") as { version: string };
const machine = `${cpus().length} cores (${cpus()[0]?.model.trim()}), Node ${process.versions.node}, Deno ${deno}`;
const run = `${rows.toLocaleString("en-US")} kudos in the largest company; ${machine}; ${elapsed()} s; ${missed} of the targets missed.`;
const headlines = figures.flatMap(({ headline }) => (headline === undefined ? [] : [`- ${headline}`])).join("\n");
console.log(`${headlines}\n\n${run}`);
if (write) {
  if (chosen.length === parts.length) tables.set("capacity", headlines).set("run", run);
  await writePage(tables);
}
process.exitCode = missed === 0 ? 0 : 1;
