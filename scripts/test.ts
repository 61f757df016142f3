// npm test: every test of the project on a stack of its own, in a temporary folder, on free ports.
// npm test -- <part of a path> …: only the test files whose path holds one of these.
// npm run test:soak: what is tried at random or again and again (test/hardening), many times as often.
import { globSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { parseArgs } from "node:util";
import { root } from "./stack/process.ts";
import { type Stack, startStack } from "./stack/stack.ts";
import { formatAndLint, types } from "./suites/checks.ts";
import { pgtap } from "./suites/pgtap.ts";
import { specification } from "./suites/specification.ts";
import { count, crashed, type SuiteResult, type Test } from "./suites/suite.ts";
import { vitest } from "./suites/vitest.ts";

const { positionals: filters, values } = parseArgs({ allowPositionals: true, options: { soak: { type: "boolean" } } });
if (values.soak) process.env.SOAK = "1";
const stopping = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => stopping.abort());

const folder = await mkdtemp(`${tmpdir()}/public-data-api-`);
const all: Test[] = [];

/** The test files of a kind, in order, as far as the filters let them through. */
function testFiles(pattern: string): string[] {
  const files = globSync(`test/${pattern}`, { cwd: root }).sort();
  return files.filter((file) => filters.length === 0 || filters.some((filter) => file.includes(filter)));
}

/** Waits for a suite, counts its tests and prints a line about it, and its report when something failed. */
async function conclude(name: string, suite: Promise<SuiteResult>): Promise<void> {
  process.stdout.write(`${name} … `);
  const begin = performance.now();
  const { tests, report } = await suite.catch((error) => crashed(name, error));
  if (stopping.signal.aborted) return;
  all.push(...tests);
  const { passed, failed } = count(tests);
  const seconds = ((performance.now() - begin) / 1000).toFixed(1);
  console.log(`${passed} passed${failed > 0 ? `, ${failed} failed` : ""} (${seconds} s)`);
  if (failed > 0) console.log(report.replace(/^/gm, "    "));
}

/** A suite that needs the stack; without one it has failed, and the reason stands above already. */
async function withStack(stack: Promise<Stack>, suite: (stack: Stack) => Promise<SuiteResult>): Promise<SuiteResult> {
  const running = await stack.catch(() => {
    throw new Error("It did not start, because the stack did not");
  });
  return suite(running);
}

/** A suite of test files. None at all is a failure, unless a filter left the others out. */
async function withFiles(name: string, files: string[], suite: (stack: Stack) => Promise<SuiteResult>): Promise<void> {
  if (files.length === 0 && filters.length > 0) return;
  const result = files.length === 0 ? Promise.reject(new Error("There is no test file")) : withStack(stack, suite);
  await conclude(name, result);
}

const stack = startStack({
  folder,
  ports: { gateway: 0, database: 0, dashboard: 0 },
  throwaway: true,
  progress: () => {},
  signal: stopping.signal,
});
const started = stack.then(() => ({ tests: [{ reference: "the stack starts", passed: true }], report: "" }));
if (filters.length === 0) {
  const [formatted, typed] = [formatAndLint(), types()];
  await conclude("format and lint", formatted);
  await conclude("types", typed);
}
await conclude("stack", started);
const sqlFiles = testFiles("sql/**/*.sql");
const vitestFiles = testFiles("**/*.test.ts");
await withFiles("pgTAP", sqlFiles, ({ database_url }) => pgtap(database_url, sqlFiles));
await withFiles("vitest", vitestFiles, () => vitest(folder, vitestFiles, stopping.signal));
if (filters.length === 0) await conclude("specification", specification(all));

await stack.then(
  (running) => running.stop(),
  () => {},
);
const { passed, failed } = count(all);
// What the tests say that they tried, or could not.
process.stdout.write(await readFile(`${folder}/tried.txt`, "utf8").catch(() => ""));
const good = failed === 0 && passed > 0;
if (good || stopping.signal.aborted) await rm(folder, { recursive: true, force: true });
else console.log(`The logs are in ${folder}`);
if (filters.length > 0) console.log("Only some test files ran, and the specification was not checked");
console.log(stopping.signal.aborted ? "Stopped" : `${passed} passed, ${failed} failed`);
process.exitCode = good && !stopping.signal.aborted ? 0 : 1;
