// npm test itself: it always ends with its closing line, and fails when anything failed.
import { copyFileSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { bin, root } from "../../scripts/stack/process.ts";
import { readTap } from "../runner/pgtap.ts";
import { specification } from "../runner/specification.ts";
import { runProgram, workFolder } from "../support/command_line.ts";
import { stack } from "../support/stack.ts";

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
async function runFiles(texts: string[]): ReturnType<typeof vitest> {
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
  return await vitest(["--root", project, "some"]);
}

test.each([
  ["a file that is not there", "nosuchfile", {}, "No test files found"],
  ["a stack that does not start", "test/sql/110", { STACK_FILE: undefined, TMPDIR: `${folder}/missing` }, "ENOENT"],
])("%s is a failure, and the reason is printed", async (_what, file, env, reason) => {
  const run = await vitest([file], env);
  expect(run).toMatchObject({ code: 1, closing: "0 passed, 1 failed", output: expect.stringContaining(reason) });
});

test("a test that fails, is skipped, is not written, leaves a rejection or cannot be loaded is a failure; a long message is cut, without colours", async () => {
  const { code, closing, output } = await runFiles([
    `test("a", () => expect(1).toBe(2)); test.skip("b", () => {}); test.todo("c");`,
    `test("its stored expectation is lost", () => expect("d").toMatchFileSnapshot("gone.txt"));`,
    `test("e", () => { throw new Error("long ".repeat(100_000)); });`,
    `throw new Error("broken");`,
    `test("passes, and leaves a rejection behind", () => void Promise.reject(1));`,
  ]);
  expect({ code, closing }).toEqual({ code: 1, closing: "1 passed, 7 failed" });
  expect(output.length).toBeLessThan(20_000);
  expect(output).toMatch(/… and \d+ more characters/);
  expect(output).not.toContain("\u001b[");
});

test("npm test -- --stack runs on a stack with these addresses, and names what needs a stack of its own", async () => {
  const { supabase_url, publishable_key, secret_key, database_url, superuser_url, companies } = stack;
  const addresses = { supabase_url, publishable_key, secret_key, database_url, superuser_url };
  const file = `${folder}/given.json`;
  const start = (text: string, ...paths: string[]) => {
    writeFileSync(file, text);
    const program = ["test/runner/run.ts", "--stack", file, ...paths];
    return runProgram(process.execPath, program, root, { ...process.env, STACK_FILE: undefined });
  };
  const { code, stdout } = await start(JSON.stringify({ ...addresses, companies }), "test/api/import", "serial/logs");
  expect(stdout).toContain("\nNot run: test/serial/logs.test.ts: it reads the logs of every part.\n");
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/\n[1-9]\d* passed, 0 failed\n$/) });
  const lacking = await start(JSON.stringify({ ...addresses, secret_key: undefined }), "test/api/import");
  expect(lacking.stdout + lacking.stderr).toContain(`${file} must be a JSON file with supabase_url, `);
  expect(lacking.code).toBe(1);
});

test("a pgTAP test that is not ok, skipped or still to be done has failed", () => {
  const failed = ["not ok 2 - bad\n# because", "ok 3 - left out # SKIP", "not ok 4 - later # TODO"];
  const tests = ["bad", "left out", "later"].map((name, index) => ({ name, problem: failed[index] }));
  const expected = { plan: 4, tests: [{ name: "good", problem: null }, ...tests] };
  expect(readTap(["1..4", "ok 1 - good", ...failed])).toEqual(expected);
});

test("a statement that no test proves, or one that did not run or failed, is a failure; so is an id that no page has", () => {
  const proven = { "a.1": "ran", "a.2": "failed", "a.3": "none", "a.5": "with … and more", "b.1": "ran" };
  const proofs = Object.entries(proven).map(([id, name]) => ({ ids: [id], file: "x.test.ts", name }));
  proofs.push({ ids: ["a.6"], file: "rows.ts", name: "row" });
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
