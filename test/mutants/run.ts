// npm run test:mutants: removes one protection at a time, and prints the test that noticed it.
// npm run test:mutants -- <part of a line> …: only the mutants whose line contains one of these texts.
import { globSync } from "node:fs";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { withDatabase } from "../../scripts/stack/database.ts";
import { bin, root, spawnGuarded } from "../../scripts/stack/process.ts";
import { type Stack, startStack } from "../../scripts/stack/stack.ts";
import { runFile } from "../runner/pgtap.ts";
import { databaseMutants, stackMutants } from "./database.ts";
import { cliMutants, functionMutants, type TextMutant } from "./function.ts";

const filters = process.argv.slice(2);
const stopping = new AbortController();
const { signal } = stopping;
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(name, () => stopping.abort());
const unnoticed: string[] = [];
let noticed = 0;
const folder = await mkdtemp(`${tmpdir()}/mutants-`);

/**
 * Tries the mutants that are wanted, one after the other, and prints what noticed them.
 * @param attempt runs tests with the mutant, or without any; returns a test that failed
 */
async function tryEach<M extends { name: string }>(
  kind: string,
  mutants: readonly M[],
  attempt: (mutant?: M) => Promise<string | undefined>,
): Promise<void> {
  const wanted = mutants.filter(
    ({ name }) => filters.length === 0 || filters.some((filter) => `${kind}: ${name}`.includes(filter)),
  );
  if (wanted.length === 0) return;
  const flaw = await attempt();
  if (flaw) throw new Error(`Nothing has been removed yet, and this fails: ${flaw}`);
  for (const mutant of wanted) {
    const failed = await attempt(mutant);
    signal.throwIfAborted();
    if (failed) noticed++;
    else unnoticed.push(`${kind}: ${mutant.name}`);
    console.log(`${kind}: ${mutant.name}\n    ${failed ?? "UNNOTICED"}`);
  }
}

/** Runs vitest with the stack whose stack.json is in this folder. Returns the first test that failed, as `path > name`. */
async function vitest(place: string, ...options: string[]): Promise<string | undefined> {
  signal.throwIfAborted();
  const [command, args, logFile] = [process.execPath, [bin("vitest"), "run", ...options], `${place}/vitest.log`];
  const env = { ...process.env, STACK_FILE: `${place}/stack.json`, NO_COLOR: "1" };
  const child = spawnGuarded({ command, args, env, signal: "SIGTERM", logFile });
  signal.addEventListener("abort", () => void child.stop());
  const code = await child.exited;
  signal.throwIfAborted();
  const output = await readFile(logFile, "utf8");
  const [, failed] = /^ FAIL {2}(?:\|\w+\| )?(.* > .*)$/m.exec(output) ?? [];
  if ((code === 0) !== (failed === undefined)) throw new Error(`vitest ended with ${code}:\n${output}`);
  return failed;
}

/** In the order in which they are tried: the one that noticed a mutant last is first, because the next mutant is of its kind. */
let pgtapFiles = globSync("test/sql/*.sql", { cwd: root }).sort();

/** The mutants of the database run in the transaction of the pgTAP file, which is rolled back. */
async function tryDatabase(stack: Stack): Promise<void> {
  const mutants = await withDatabase(stack.superuser_url, databaseMutants);
  await tryEach("database", mutants, async (mutant) => {
    const change = mutant && `${mutant.statement}; set local session authorization postgres;`;
    // Otherwise an error in the statement itself would count as noticed.
    if (change) await withDatabase(stack.superuser_url, (sql) => sql.unsafe(`begin; ${change} rollback`));
    for (const file of pgtapFiles) {
      signal.throwIfAborted();
      const tests = await runFile(change ? stack.superuser_url : stack.database_url, `${root}/${file}`, change);
      const failed = tests.find(({ problem }) => problem !== null);
      if (!failed) continue;
      pgtapFiles = [file, ...pgtapFiles.filter((other) => other !== file)];
      return `${file} › ${failed.name}`;
    }
  });
}

/** Mutants that show only through the whole stack: the protection is removed from the running stack and restored. */
async function tryStack(stack: Stack): Promise<void> {
  const mutants = await withDatabase(stack.superuser_url, stackMutants);
  const run = (statement: string) => withDatabase(stack.superuser_url, (sql) => sql.unsafe(statement));
  for (const tests of new Set(mutants.map((mutant) => mutant.tests))) {
    const noticedByThem = mutants.filter((mutant) => mutant.tests === tests);
    await tryEach("stack", noticedByThem, async (mutant) => {
      if (mutant) await run(mutant.statement);
      const failed = await vitest(folder, tests, "--bail=1");
      if (mutant) await run(mutant.restore);
      return failed;
    });
  }
}

/** The function, the command line, their tests, and what they read: all that is small. */
const parts = ["cli", "docs", "functions", "package.json", "scripts", "sql", "test"];

/** Runs tests in a copy of these parts, with the text replaced. Those of the command line need the stack. */
async function runCopy(tests: string, change?: TextMutant): Promise<string | undefined> {
  const copy = await mkdtemp(`${folder}/function-`);
  for (const part of parts)
    await cp(`${root}/${part}`, `${copy}/${part}`, { recursive: true, filter: (path) => !/node_modules/.test(path) });
  await symlink(`${root}/node_modules`, `${copy}/node_modules`);
  await symlink(`${folder}/stack.json`, `${copy}/stack.json`);
  const config = `import { replaceableTimers } from "./test/runner/timers.ts";
export default { plugins: [replaceableTimers], test: { testTimeout: 60_000, isolate: false, expect: { poll: { timeout: 30_000 } } } };`;
  await writeFile(`${copy}/vitest.config.ts`, config);
  if (change) {
    const path = `${copy}/${change.file}`;
    const text = await readFile(path, "utf8");
    const changed = text.replace(change.from, () => change.to);
    if (changed === text) throw new Error(`${change.file} does not contain ${change.from}`);
    await writeFile(path, changed);
  }
  return await vitest(copy, "--root", copy, tests, "--bail=1");
}

try {
  const ports = { gateway: 0, database: 0, dashboard: 0 };
  const stack = await startStack({ folder, ports, throwaway: true, progress: () => {}, signal });
  try {
    await tryDatabase(stack);
    await tryStack(stack);
    const halves = [0, 1].map((half) => functionMutants.filter((_, index) => index % 2 === half));
    await Promise.all(
      halves.map((mutants) => tryEach("function", mutants, (mutant) => runCopy("test/function", mutant))),
    );
    for (const [tests, mutants] of Object.entries(cliMutants))
      await tryEach("cli", mutants, (mutant) => runCopy(`test/cli/${tests}.test.ts`, mutant));
  } finally {
    await stack.stop();
  }
} catch (error) {
  if (!signal.aborted) throw error;
} finally {
  await rm(folder, { recursive: true, force: true });
}
for (const name of unnoticed) console.log(`UNNOTICED  ${name}`);
console.log(`${noticed} mutants noticed, ${unnoticed.length} unnoticed`);
process.exitCode = unnoticed.length === 0 && noticed > 0 && !signal.aborted ? 0 : 1;
