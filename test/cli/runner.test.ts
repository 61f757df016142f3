// npm test itself: it always ends with its closing line, and fails when anything failed.
import { copyFileSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { bin, root } from "../../scripts/stack/process.ts";
import { readTap } from "../runner/pgtap.ts";
import { specification } from "../runner/specification.ts";
import { runProgram, workFolder } from "../support/command_line.ts";

const folder = workFolder();

/**
 * A copy of this run's stack.json in its own folder. A run prints the file tried.txt beside it and deletes it; that of
 * the outer run must remain.
 */
const STACK_FILE = `${folder}/stack.json`;
copyFileSync(process.env.STACK_FILE ?? "", STACK_FILE);

/** Runs vitest as npm test does. Returns its exit code, its last line, and its whole output. */
async function vitest(args: string[], env: NodeJS.ProcessEnv = {}) {
  const program = [bin("vitest"), "run", "--no-color", ...args];
  const run = await runProgram(process.execPath, program, root, { ...process.env, STACK_FILE, ...env });
  return { code: run.code, closing: run.stdout.trimEnd().split("\n").at(-1), output: run.stdout + run.stderr };
}

/** Runs test files with the configuration of this project, in a folder of their own. */
async function runFiles(texts: string[], ...options: string[]): ReturnType<typeof vitest> {
  const project = mkdtempSync(`${folder}/project-`);
  symlinkSync(`${root}/node_modules`, `${project}/node_modules`);
  writeFileSync(`${project}/package.json`, '{ "type": "module" }');
  const config = `
    import { ClosingLine } from ${JSON.stringify(`${root}/test/runner/reporter.ts`)};
    import config from ${JSON.stringify(`${root}/vitest.config.ts`)};
    const { projects, ...test } = config({ mode: "test" }).test;
    export default { test: { ...test, reporters: ["default", new ClosingLine()] } };`;
  writeFileSync(`${project}/vitest.config.ts`, config);
  for (const [index, text] of texts.entries())
    writeFileSync(`${project}/some${index}.test.ts`, `import { expect, test } from "vitest";\n${text}`);
  // With another file, this run is only a part of all tests.
  writeFileSync(`${project}/other.test.ts`, "");
  return await vitest(["--root", project, "some", ...options]);
}

test("a file that is not there is a failure", async () => {
  expect(await vitest(["nosuchfile"])).toMatchObject({ code: 1, closing: "0 passed, 1 failed" });
});

test("a stack that does not start is a failure, and the reason is printed", async () => {
  const run = await vitest(["test/sql/056"], { STACK_FILE: undefined, TMPDIR: `${folder}/missing` });
  expect(run).toMatchObject({ code: 1, closing: "0 passed, 1 failed" });
  expect(run.output).toContain("no such file or directory");
});

// With a failure elsewhere: a run without one would fail for its exit code alone.
const other = `test("a", () => {}); test("c", () => { throw 1; });`;
const kinds = `test("b", () => expect(1).toBe(2)); test.skip("c", () => {}); test.todo("d");`;
const lost = `test("e", () => expect("b").toMatchFileSnapshot("gone.txt"));`;

test.each([
  [
    "that fails, is skipped, is still to be written or has lost its stored expectation",
    [kinds + lost],
    "0 passed, 4 failed",
  ],
  ["in a file that cannot be loaded", [other, `throw new Error("broken");`], "1 passed, 2 failed"],
  ["that leaves a rejection behind", [other, `test("b", () => void Promise.reject(1));`], "2 passed, 2 failed"],
])("a test %s is a failure", async (_, texts, closing) => {
  expect(await runFiles(texts)).toMatchObject({ code: 1, closing });
});

test("a test without its optional tool is said not to have run, and is not counted", async () => {
  const needs = `import { needs } from ${JSON.stringify(`${root}/test/support/optional_tool.ts`)};`;
  const tests = `test("a", () => {}); test("b", (context) => { needs(context, "Fortran", false); throw 1; });`;
  const { code, closing, output } = await runFiles([needs + tests]);
  expect({ code, closing }).toEqual({ code: 0, closing: "1 passed, 0 failed" });
  expect(output).toContain("\nNot run: some0.test.ts › b: Fortran is missing\n");
});

test("without curl and Python their recipes fail; R is optional", async () => {
  const path = `${folder}/path`;
  mkdirSync(path);
  symlinkSync("/bin/sh", `${path}/sh`);
  const run = await vitest(["test/cli/connect/recipes", "-t", "^(curl|python|r)\\.md$"], { PATH: path });
  expect(run).toMatchObject({ code: 1, closing: "0 passed, 2 failed" });
  expect(run.output).toContain("\nNot run: test/cli/connect/recipes.test.ts › r.md: Rscript is missing\n");
});

test("with -t only what the pattern names is counted; of a long message the beginning is printed, without colours", async () => {
  const tests = `test("yes a", () => {}); test("yes b", () => { throw new Error("long ".repeat(100_000)); }); test("no", () => {});`;
  const { code, closing, output } = await runFiles([tests], "-t", "yes");
  expect({ code, closing }).toEqual({ code: 1, closing: "1 passed, 1 failed" });
  expect(output.length).toBeLessThan(20_000);
  expect(output).toMatch(/… and \d+ more characters/);
  expect(output).not.toContain("\u001b[");
});

test("a pgTAP test that is not ok, skipped or still to be done has failed", () => {
  const rows = [
    "1..4",
    "ok 1 - good",
    "not ok 2 - bad\n# because",
    "ok 3 - left out # SKIP",
    "not ok 4 - later # TODO",
  ];
  const [, , bad, skipped, todo] = rows;
  const tests = Object.entries({ good: null, bad, "left out": skipped, later: todo });
  expect(readTap(rows)).toEqual({ plan: 4, tests: tests.map(([name, problem]) => ({ name, problem })) });
});

test("a statement that no test proves, or one that did not run or failed, is a failure; so is an id that no page has", () => {
  const proof = (id: string, file: string, name: string) => ({ ids: [id], file, name });
  const proofs = [
    proof("a.1", "x.test.ts", "ran"),
    proof("a.2", "x.test.ts", "failed"),
    proof("a.3", "x.test.ts", "none"),
    proof("a.5", "x.test.ts", "with … and more"),
    proof("a.6", "rows.ts", "row"),
    proof("b.1", "x.test.ts", "ran"),
  ];
  const ran = new Map([
    ["x.test.ts › group › ran", true],
    ["x.test.ts › failed", false],
    ["x.test.ts › with 1 and more", true],
    ["x.test.ts › with 2 and more", false],
    ["y.test.ts › row", true],
  ]);
  expect(specification(ran, ["a.1", "a.2", "a.3", "a.4", "a.5", "a.6"], proofs)).toEqual([
    "",
    "a.2: failed: x.test.ts › failed",
    "a.3: no such test ran: x.test.ts › none",
    "a.4: no test proves it",
    "a.5: failed: x.test.ts › with … and more",
    "",
    "x.test.ts: no page has a statement b.1",
  ]);
});
