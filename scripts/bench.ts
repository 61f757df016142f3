// npm run bench: measures how much load the service handles, and compares its speed with the least work that gives the same
// result (scripts/bench/results.md). Needs pgbench and an otherwise idle machine.
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { createRequire } from "node:module";
import { cpus, tmpdir } from "node:os";
import { parseArgs } from "node:util";
import { version } from "../functions/public-api/table/endpoints.ts";
import { type Database, startDatabase } from "./bench/database.ts";
import { type Figure, misses, section, writeResults } from "./bench/figure.ts";
import { coldStart, functionSpeed } from "./bench/function.ts";
import { withTarget } from "./bench/history.ts";
import { loading } from "./bench/loading.ts";
import { questions } from "./bench/questions.ts";
import { rewardImport } from "./bench/reward_import.ts";
import { changedPages, securedPages, servedPages } from "./bench/secured_pages.ts";
import { runCommand } from "./stack/process.ts";

const parts = [securedPages, servedPages, questions, rewardImport, loading, changedPages, functionSpeed, coldStart];

const { values, positionals } = parseArgs({
  options: { rows: { type: "string", default: "1200000" }, write: { type: "boolean", default: false } },
  allowPositionals: true,
});
const rows = Number(values.rows);
if (!Number.isInteger(rows) || rows < 10_000) throw new Error("--rows must be a whole number from 10000 on");
const names = parts.map(({ name }) => name);
const unknown = positionals.find((name) => !names.includes(name));
if (unknown !== undefined) throw new Error(`There is no part ${unknown}. The parts are ${names.join(", ")}`);
const chosen = parts.filter(({ name }) => positionals.length === 0 || positionals.includes(name));

const folder = await mkdtemp(`${tmpdir()}/public-data-api-bench-`);
// The database has gigabytes, so the folder is also deleted when the run is interrupted.
process.once("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

const begin = performance.now();
const elapsed = () => ((performance.now() - begin) / 1000).toFixed(0);
const sections: string[] = [];
const figures: Figure[] = [];
let started: Promise<Database> | undefined;
for (const { name, title, measure } of chosen) {
  const progress = (step: string) => console.error(`${elapsed().padStart(5)} s  ${name}: ${step}`);
  const database = () => {
    if (!started) progress(`filling a database, ${rows} kudos in the largest company`);
    started ??= startDatabase(folder, rows);
    return started;
  };
  const measured = (await measure({ database, folder, progress })).map((figure) => withTarget(title, figure));
  figures.push(...measured);
  sections.push(section(title, measured));
  console.log(`\n${sections.at(-1)}\n`);
}
const database = await started;
await database?.stop();

const missed = figures.filter(misses).length;
const { version: deno } = createRequire(import.meta.url)("deno/package.json") as { version: string };
const machine = `${cpus().length} cores (${cpus()[0]?.model.trim()}), Node ${process.versions.node}, Deno ${deno}`;
const size = `${rows.toLocaleString("en-US")} kudos in the largest company`;
const commit = (await runCommand("git", ["describe", "--always", "--dirty", "--exclude=*"])).trim();
const run = `Version ${version}, commit ${commit}: ${size}; ${machine}; ${elapsed()} s; ${missed} of the targets missed.`;
const headlines = figures.flatMap(({ headline }) => (headline === undefined ? [] : [`- ${headline}`])).join("\n");
console.log(`${headlines}\n\n${run}`);
if (values.write && chosen.length < parts.length) throw new Error("--write needs all parts: the page is of one run");
if (values.write) await writeResults([run, headlines, ...sections]);
process.exitCode = missed === 0 ? 0 : 1;
