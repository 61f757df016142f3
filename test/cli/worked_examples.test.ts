// The worked examples of CONTRIBUTING.md (docs/making/contributing): each one still applies to the files, and changes as many
// as it says. npm run test:examples runs the tests of the changed project.
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { root } from "../../scripts/stack/process.ts";
import { applyExample, filesOf, readExamples } from "../worked_examples/example.ts";

const read = (path: string) => (existsSync(`${root}/${path}`) ? readFileSync(`${root}/${path}`, "utf8") : undefined);

/** The table of CONTRIBUTING.md: each page, and how many files a person changes in it. */
const promised = [
  ...(read("CONTRIBUTING.md") ?? "").matchAll(/\]\((docs\/making\/contributing\/[\w-]+\.md)\).*\| (\d+) \|$/gm),
];

test("CONTRIBUTING.md names every worked example, and how many files it changes", () => {
  expect(promised.map(([, page]) => page)).toEqual(readExamples().map(({ page }) => page));
  for (const example of readExamples()) {
    const [, , files] = promised.find(([, page]) => page === example.page) ?? [];
    expect(`${example.page}: ${filesOf(example).length}`).toBe(`${example.page}: ${files}`);
  }
});

test.each(readExamples())("$page fits the files that it changes", (example) => {
  const texts = applyExample(example, read);
  expect([...texts.keys()]).toEqual(filesOf(example));
  for (const [path, text] of texts) expect(text, path).not.toBe(read(path));
});

test("an example that does not fit any more names page, file and lines", () => {
  const [example] = readExamples();
  if (!example) throw new Error("there is no example");
  const [file = ""] = filesOf(example);
  expect(() => applyExample(example, (path) => (path === file ? "select 1;\n" : read(path)))).toThrow(
    `${example.page}: ${file} has nowhere:\n`,
  );
  expect(() => applyExample(example, (path) => (path === file ? undefined : read(path)))).toThrow(
    `${example.page}: ${file} is not there`,
  );
});
