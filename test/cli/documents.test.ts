// The commands that write documents (npm run docs, npm run openapi), where they cannot do it: they write nothing, and say why in a line.
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { root } from "../../scripts/stack/process.ts";
import { stack } from "../api/stack.ts";
import { type Run, workFolder } from "./command_line.ts";

const folder = workFolder();

/** Runs scripts/<name>.ts; `stackFile` is where it is told to look for a stack. */
function run(stackFile: string, name: string, ...args: string[]): Promise<Run> {
  const env = { ...process.env, STACK_FILE: stackFile };
  return new Promise((resolve) => {
    execFile(process.execPath, [`${root}/scripts/${name}.ts`, ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });
}

test.each(["docs", "openapi"])("npm run %s -- --help says how it is used, and exits with 0", async (name) => {
  const { code, stdout, stderr } = await run(`${folder}/none.json`, name, "--help");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(new RegExp(`^Usage: npm run ${name}`));
});

test.each(["docs", "openapi"])("npm run %s refuses an option that it does not know, with its usage", async (name) => {
  const { code, stderr } = await run(`${folder}/none.json`, name, "--exmaples");
  expect(code).toBe(2);
  expect(stderr).toMatch(new RegExp(`^Unknown option '--exmaples'.*\nUsage: npm run ${name}`));
});

test.each(["docs", "openapi --examples"])("without a stack npm run %s says so in a line", async (command) => {
  // The second one has run once: its file is there still, and nothing answers at its address.
  const stopped = `${folder}/stopped.json`;
  writeFileSync(stopped, JSON.stringify({ ...stack, api_url: "http://127.0.0.1:9/functions/v1/public-api" }));
  for (const file of [`${folder}/none.json`, stopped]) {
    const [name = "", ...args] = command.split(" ");
    const { code, stderr } = await run(file, name, ...args);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `No stack is running (${file}): start one with npm start, and leave it running\n`,
    });
  }
});
