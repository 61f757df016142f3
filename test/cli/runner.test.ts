// npm test itself: it always ends with its closing line, and fails when anything failed.
import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { afterAll, expect, test } from "vitest";
import { bin, root } from "../../scripts/stack/process.ts";
import { readTap } from "../runner/pgtap.ts";
import { specification } from "../runner/specification.ts";

const folder = mkdtempSync(`${tmpdir()}/runner-`);
afterAll(() => rmSync(folder, { recursive: true }));

/**
 * A copy of this run's stack.json in its own folder. A run prints the file tried.txt beside it and deletes it; that of
 * the outer run must remain.
 */
const STACK_FILE = `${folder}/stack.json`;
copyFileSync(process.env.STACK_FILE ?? "", STACK_FILE);

/** Runs vitest as npm test does. Returns its exit code, its last line, and its whole output. */
function vitest(
  args: string[],
  env: NodeJS.ProcessEnv = {},
): Promise<{ code: number; closing: string; output: string }> {
  const options = { cwd: root, env: { ...process.env, STACK_FILE, ...env } };
  return new Promise((resolve) => {
    execFile(process.execPath, [bin("vitest"), "run", "--no-color", ...args], options, (error, stdout, stderr) => {
      const closing = stdout.trimEnd().split("\n").at(-1) ?? "";
      resolve({ code: error ? Number(error.code) : 0, closing, output: stdout + stderr });
    });
  });
}

/** Runs one test file with the configuration of this project, in its own folder. */
async function runFile(text: string, ...options: string[]): Promise<{ code: number; closing: string; output: string }> {
  const project = mkdtempSync(`${folder}/project-`);
  symlinkSync(`${root}/node_modules`, `${project}/node_modules`);
  writeFileSync(`${project}/package.json`, '{ "type": "module" }');
  const config = `
    import { ClosingLine } from ${JSON.stringify(`${root}/test/runner/reporter.ts`)};
    import config from ${JSON.stringify(`${root}/vitest.config.ts`)};
    const { projects, ...test } = config({ mode: "test" }).test;
    export default { test: { ...test, reporters: ["default", new ClosingLine()] } };`;
  writeFileSync(`${project}/vitest.config.ts`, config);
  writeFileSync(`${project}/some.test.ts`, `import { expect, test } from "vitest";\n${text}`);
  // With a second file, this run is only a part of all tests.
  writeFileSync(`${project}/other.test.ts`, "");
  return await vitest(["--root", project, "some.test.ts", ...options]);
}

test("a file that is not there is a failure", async () => {
  expect(await vitest(["nosuchfile"])).toMatchObject({ code: 1, closing: "0 passed, 1 failed" });
});

test("a stack that does not start is a failure, and the reason is printed", async () => {
  const run = await vitest(["test/sql/055"], { STACK_FILE: undefined, TMPDIR: `${folder}/missing` });
  expect(run).toMatchObject({ code: 1, closing: "0 passed, 1 failed" });
  expect(run.output).toContain("no such file or directory");
});

test.each([
  ["passes", `test("a", () => {});`, 0, "1 passed, 0 failed"],
  ["fails", `test("a", () => {}); test("b", () => expect(1).toBe(2));`, 1, "1 passed, 1 failed"],
  ["is skipped", `test("a", () => {}); test.skip("b", () => {});`, 1, "1 passed, 1 failed"],
  ["is still to be written", `test("a", () => {}); test.todo("b");`, 1, "1 passed, 1 failed"],
  ["cannot be loaded", `throw new Error("broken");`, 1, "0 passed, 1 failed"],
  ["leaves a rejection behind", `test("a", () => void Promise.reject(new Error("lost")));`, 1, "1 passed, 1 failed"],
  [
    "has lost its stored expectation",
    `test("a", () => expect("b").toMatchFileSnapshot("gone.txt"));`,
    1,
    "0 passed, 1 failed",
  ],
])("a test that %s", async (_, text, code, closing) => {
  expect(await runFile(text)).toMatchObject({ code, closing });
});

test("a test without its optional tool is said not to have run, and is not counted", async () => {
  const needs = `import { needs } from ${JSON.stringify(`${root}/test/support/optional_tool.ts`)};`;
  const tests = `test("a", () => {}); test("b", (context) => { needs(context, "Fortran", false); throw 1; });`;
  const { code, closing, output } = await runFile(needs + tests);
  expect({ code, closing }).toEqual({ code: 0, closing: "1 passed, 0 failed" });
  expect(output).toContain("\nNot run: some.test.ts › b: Fortran is missing\n");
});

test("without curl and Python their recipes fail; R is optional", async () => {
  const path = `${folder}/path`;
  mkdirSync(path);
  symlinkSync("/bin/sh", `${path}/sh`);
  const run = await vitest(["test/cli/connect/recipes", "-t", "^(curl|python|r)\\.md$"], { PATH: path });
  expect(run).toMatchObject({ code: 1, closing: "0 passed, 2 failed" });
  expect(run.output).toContain("\nNot run: test/cli/connect/recipes.test.ts › r.md: Rscript is missing\n");
});

test("with -t what the pattern leaves out is not counted, and what fails is", async () => {
  const text = `test("yes a", () => {}); test("yes b", () => { throw 1; }); test("yes c", () => { throw 2; }); test("no", () => {});`;
  expect(await runFile(text, "-t", "yes")).toMatchObject({ code: 1, closing: "1 passed, 2 failed" });
});

test("of a long message the beginning is printed, without colours", async () => {
  const { output } = await runFile(`test("a", () => { throw new Error("long ".repeat(100_000)); });`);
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
  const { tests, plan } = readTap(rows);
  expect(plan).toBe(4);
  expect(tests.map(({ name, problem }) => [name, problem])).toEqual([
    ["good", null],
    ["bad", "not ok 2 - bad\n# because"],
    ["left out", "ok 3 - left out # SKIP"],
    ["later", "not ok 4 - later # TODO"],
  ]);
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
