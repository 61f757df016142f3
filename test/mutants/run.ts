// npm run test:mutants: removes one protection at a time, in a copy, and expects the tests to notice. Prints each
// mutant and the test that noticed it. npm run test:mutants -- <part of a line> …: only the mutants whose line contains
// one of these texts.
import { globSync } from "node:fs";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { createDatabase, withDatabase } from "../../scripts/stack/database.ts";
import { schemaFiles } from "../../scripts/stack/difference.ts";
import { root } from "../../scripts/stack/process.ts";
import { type Stack, startStack } from "../../scripts/stack/stack.ts";
import { runFile } from "../runner/pgtap.ts";
import { databaseMutants, stackMutants } from "./database.ts";
import { functionMutants, type TextMutant } from "./function.ts";
import { type Run, type Test, vitest } from "./vitest.ts";

const filters = process.argv.slice(2);
const stopping = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => stopping.abort());
const outcome = { noticed: 0, unnoticed: [] as string[] };
const folder = await mkdtemp(`${tmpdir()}/mutants-`);

const wanted = <M extends { name: string }>(kind: string, mutants: readonly M[]): M[] =>
  mutants.filter(({ name }) => filters.length === 0 || filters.some((filter) => `${kind}: ${name}`.includes(filter)));

function tell(kind: string, name: string, failed: Test | undefined): void {
  if (stopping.signal.aborted) return;
  if (failed) outcome.noticed++;
  else outcome.unnoticed.push(`${kind}: ${name}`);
  console.log(failed ? `${kind}: ${name}\n    ${failed.reference}` : `${kind}: ${name}\n    UNNOTICED`);
}

/** Calls `work` for each element, two at a time. */
async function each<T>(all: T[], work: (one: T, index: number) => Promise<void>): Promise<void> {
  const waiting = [...all.entries()];
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next && !stopping.signal.aborted; next = waiting.shift())
      await work(next[1], next[0]);
  };
  await Promise.all([lane(), lane()]);
}

/** The tests must pass before anything is removed. Otherwise a failure would not be due to a mutant. */
function expectSound({ tests, report }: Run): void {
  if (tests.length === 0 || tests.some(({ passed }) => !passed))
    throw new Error(`Nothing has been removed yet, and this fails:\n${report}`);
}

/** In the order in which they are tried: the one that noticed a mutant last is first, because the next mutant is of its kind. */
let pgtapFiles = globSync("test/sql/*.sql", { cwd: root }).sort();

/** The first pgTAP test that fails. */
async function firstFailure(url: string): Promise<Test | undefined> {
  for (const file of pgtapFiles) {
    const failed = (await runFile(url, `${root}/${file}`)).find(({ problem }) => problem !== null);
    if (!failed) continue;
    pgtapFiles = [file, ...pgtapFiles.filter((other) => other !== file)];
    return { reference: `${file} › ${failed.name}`, passed: false };
  }
  return undefined;
}

async function tryDatabase(stack: Stack): Promise<void> {
  const at = (url: string, database: string): string => Object.assign(new URL(url), { pathname: `/${database}` }).href;
  // Without the demo companies, so that a copy is made quickly: the pgTAP tests make companies of their own.
  const base = await createDatabase(stack, "base", schemaFiles);
  await withDatabase(base, (sql) => sql`create extension pgtap with schema extensions`);
  const admin = (statement: string) => withDatabase(stack.superuser_url, (sql) => sql.unsafe(statement));
  /** The first test that fails on a copy of the database in which this statement was run. */
  const failureAfter = async (statement: string): Promise<Test | undefined> => {
    await admin("create database mutant template base owner postgres");
    await withDatabase(at(stack.superuser_url, "mutant"), (sql) => sql.unsafe(statement));
    const failed = await firstFailure(at(stack.database_url, "mutant"));
    await admin("drop database mutant with (force)");
    return failed;
  };
  const flaw = await failureAfter("select");
  if (flaw) throw new Error(`Nothing has been removed yet, and this fails: ${flaw.reference}`);
  const mutants = await withDatabase(at(stack.superuser_url, "base"), databaseMutants);
  // One after the other: roles belong to all databases of the server, and PostgreSQL may discard a plan that a test keeps
  // when another session changes many tables at the same time.
  for (const { name, statement } of wanted("database", mutants)) {
    if (stopping.signal.aborted) return;
    tell("database", name, await failureAfter(statement));
  }
}

/** Mutants that show only through the whole stack: the protection is removed from the running stack and restored. */
async function tryStack(stack: Stack): Promise<void> {
  const chosen = wanted("stack", await withDatabase(stack.superuser_url, stackMutants));
  const files = [...new Set(chosen.map(({ file }) => file))];
  if (files.length > 0) expectSound(await vitest(folder, files, stopping.signal));
  for (const { name, statement, restore, file } of chosen) {
    await withDatabase(stack.superuser_url, (sql) => sql.unsafe(statement));
    const { tests } = await vitest(folder, [file, "--bail=1"], stopping.signal);
    await withDatabase(stack.superuser_url, (sql) => sql.unsafe(restore));
    tell(
      "stack",
      name,
      tests.find(({ passed }) => !passed),
    );
  }
}

/** The function, its tests, and the files that they read. */
const parts = [
  "functions",
  "test/function",
  "test/support",
  "test/vectors",
  "scripts/stack/process.ts",
  "docs/operations.md",
  "package.json",
];

/** Copies the function and its tests, replaces the text in the copy, and runs the tests there. */
async function runCopy(name: string, change?: TextMutant): Promise<Run> {
  const copy = `${folder}/${name}`;
  for (const part of parts) {
    await cp(`${root}/${part}`, `${copy}/${part}`, { recursive: true });
  }
  await symlink(`${root}/node_modules`, `${copy}/node_modules`);
  await writeFile(`${copy}/vitest.config.ts`, "export default { test: { testTimeout: 30_000 } };");
  if (change) {
    const path = `${copy}/functions/public-api/${change.file}`;
    const text = await readFile(path, "utf8");
    await writeFile(
      path,
      text.replace(change.from, () => change.to),
    );
  }
  return vitest(copy, ["--root", copy, "test/function"], stopping.signal);
}

async function tryFunctions(): Promise<void> {
  const chosen = wanted("function", functionMutants);
  for (const { file, from } of functionMutants) {
    const text = await readFile(`${root}/functions/public-api/${file}`, "utf8");
    if (!text.includes(from)) throw new Error(`${file} does not contain ${from}`);
  }
  if (chosen.length > 0) expectSound(await runCopy("function"));
  await each(chosen, async (mutant, index) => {
    const { tests, report } = await runCopy(`function_${index}`, mutant);
    // A failed entry without a test's name is a file that could not be loaded.
    const failed = tests.find(({ passed, reference }) => !passed && reference.includes(" › "));
    if (!failed && tests.some(({ passed }) => !passed)) throw new Error(`${mutant.name}: no test ran\n${report}`);
    tell(
      "function",
      mutant.name,
      failed && { ...failed, reference: failed.reference.replace(/^.*(?=test\/function\/)/, "") },
    );
  });
}

try {
  const ports = { gateway: 0, database: 0, dashboard: 0 };
  const stack = await startStack({ folder, ports, throwaway: true, progress: () => {}, signal: stopping.signal });
  try {
    await tryDatabase(stack);
    await tryStack(stack);
    await tryFunctions();
  } finally {
    await stack.stop();
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
for (const name of outcome.unnoticed) console.log(`UNNOTICED  ${name}`);
console.log(`${outcome.noticed} mutants noticed, ${outcome.unnoticed.length} unnoticed`);
process.exitCode = outcome.unnoticed.length === 0 && outcome.noticed > 0 && !stopping.signal.aborted ? 0 : 1;
