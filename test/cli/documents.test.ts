// The links between the documents, and the commands that write some of them (npm run docs, npm run openapi) when they
// cannot work: then they write nothing and give the reason in one line.
import { execFile } from "node:child_process";
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { expect, test } from "vitest";
import { root } from "../../scripts/stack/process.ts";
import { type Run, workFolder } from "../support/command_line.ts";
import { stack } from "../support/stack.ts";

const folder = workFolder();

/** Runs scripts/<name>.ts; `stackFile` is the path where it looks for a stack. */
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
  // The second stack was stopped: its file still exists, but nothing listens at its address.
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

/** The fragments of a document's headings, as code hosting sites build them. */
const fragments = (markdown: string): string[] =>
  [...markdown.replace(/^```.*?^```/gms, "").matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );

test("every link of a document leads to a file of the repository, and to a heading that it has", () => {
  const documents = globSync("**/*.md", { cwd: root, exclude: ["**/node_modules"] });
  expect(documents).toEqual(expect.arrayContaining(["README.md", "docs/connect/other-tools.md"]));
  const dead = documents.flatMap((document) => {
    const markdown = readFileSync(`${root}/${document}`, "utf8");
    const links = [...markdown.replace(/^```.*?^```/gms, "").matchAll(/\]\(([^)\s:#]*)(?:#([^)\s]+))?\)/g)];
    return links.flatMap(([link, path = "", fragment]) => {
      const file = path === "" ? `${root}/${document}` : resolve(`${root}/${dirname(document)}`, path);
      const leads = existsSync(file) && (!fragment || fragments(readFileSync(file, "utf8")).includes(fragment));
      return leads ? [] : [`${document}: ${link}`];
    });
  });
  expect(dead).toEqual([]);
});
