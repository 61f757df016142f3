// The links between the documents, what npm run generate writes into them, and what it says when it cannot work: it
// writes nothing then, and gives the reason in one line.
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { expect, test } from "vitest";
import { idOf, provenPages } from "../../scripts/generate/specification.ts";
import { generatedFiles } from "../../scripts/generate.ts";
import { root } from "../../scripts/stack/process.ts";
import { runProgram, workFolder } from "../support/command_line.ts";
import { stack } from "../support/stack.ts";

const folder = workFolder();

test.each([...(await generatedFiles())])("%s is what npm run generate writes", (file, text) => {
  const written = readFileSync(`${root}/${file}`, "utf8");
  expect(file.endsWith(".json") ? JSON.stringify(JSON.parse(written)) : written, "stale: npm run generate").toBe(text);
});

// The second stack was stopped: its file still exists, but nothing listens at its address.
const stopped = `${folder}/stopped.json`;

test.each([
  ["--exmaples", 2, "^Unknown option '--exmaples'.*\nUsage: npm run generate"],
  ["--examples", 1, `^No stack is running \\(${stopped}\\): start one with npm start, and leave it running\n$`],
])("npm run generate -- %s says what is wrong", async (option, code, message) => {
  writeFileSync(stopped, JSON.stringify({ ...stack, api_url: "http://127.0.0.1:9/functions/v1/public-api" }));
  const env = { ...process.env, STACK_FILE: stopped };
  const run = await runProgram(process.execPath, ["scripts/generate.ts", option], root, env);
  expect(run).toMatchObject({ code, stderr: expect.stringMatching(message) });
});

/** The fragments of a document's headings, as code hosting sites build them. */
const fragments = (markdown: string): string[] =>
  [...markdown.replace(/^```.*?^```/gms, "").matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );

test("every row of the specification has as many cells as the head of its table", () => {
  const rows = provenPages.flatMap((page) => {
    let head = 0;
    return readFileSync(`${root}/${page}`, "utf8")
      .split("\n")
      .flatMap((line) => {
        if (/^\|[-| ]+\|$/.test(line)) head = line.split("|").length;
        const cells = line.split(/(?<!\\)\|/).length;
        return idOf(line) && cells !== head ? [`${page}: ${line}`] : [];
      });
  });
  expect(rows).toEqual([]);
});

test("every link of a document leads to a file of the repository, and to a heading that it has", () => {
  const documents = globSync("**/*.md", { cwd: root, exclude: ["**/node_modules"] });
  expect(documents).toEqual(expect.arrayContaining(["README.md", "docs/connect/other-tools.md"]));
  const dead = documents.flatMap((document) => {
    const markdown = readFileSync(`${root}/${document}`, "utf8");
    const links = [
      ...markdown.replace(/^```.*?^```/gms, "").matchAll(/\]\(([^)\s:?#]*)(?:\?[^)\s#]*)?(?:#([^)\s]+))?\)/g),
    ];
    return links.flatMap(([link, path = "", fragment]) => {
      const file = path === "" ? `${root}/${document}` : resolve(`${root}/${dirname(document)}`, path);
      const leads = existsSync(file) && (!fragment || fragments(readFileSync(file, "utf8")).includes(fragment));
      return leads ? [] : [`${document}: ${link}`];
    });
  });
  expect(dead).toEqual([]);
});
