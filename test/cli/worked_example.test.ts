// The worked example of CONTRIBUTING.md (docs/making/add-an-endpoint.md): it still applies to the files, and its table
// says how many they are. npm run test:example runs the tests of the changed project.
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { root } from "../../scripts/stack/process.ts";
import { applyExample, filesOf, page, readExample } from "../worked_example/example.ts";

const read = (path: string) => (existsSync(`${root}/${path}`) ? readFileSync(`${root}/${path}`, "utf8") : undefined);
const example = readExample();

test("its table counts the files of a field, a filter and an endpoint: 5, 6 and 9 at most", () => {
  const rows = [...(read(page) ?? "").matchAll(/^\| (.*) \|$/gm)].map(([, cells = ""]) => cells.split(/ ?\| ?/));
  const sums = rows.at(-1)?.map((cell) => Number(cell.replaceAll("*", "")));
  const counts = [1, 2, 3].map((column) => rows.slice(1, -1).filter((cells) => cells[column]?.trim()).length);
  expect(counts).toEqual(sums?.slice(1));
  for (const [at, most] of [5, 6, 9].entries()) expect(counts[at]).toBeLessThanOrEqual(most);
  expect(filesOf(example)).toHaveLength(counts[2] ?? 0);
});

test("it fits the files that it changes", () => {
  const texts = applyExample(example, read);
  expect([...texts.keys()]).toEqual(filesOf(example));
  for (const [path, text] of texts) expect(text, path).not.toBe(read(path));
});

test("its list is written as the lists are: every line of GET /teams that does not name teams is in it", () => {
  const texts = applyExample(example, read);
  const mine = new Set([...texts].find(([path]) => path.endsWith("_list_questions.sql"))?.[1].split("\n"));
  const theirs = (read("sql/schema/0815_list_teams.sql") ?? "").split("\n");
  const shared = theirs.filter((line) => !/teams|\bt\b|read:members/i.test(line));
  expect(shared.filter((line) => !mine.has(line))).toEqual([]);
});

test("an example that does not fit any more names page, file and lines", () => {
  const [file = ""] = filesOf(example);
  const without = (text: string | undefined) => () =>
    applyExample(example, (path) => (path === file ? text : read(path)));
  expect(without("select 1;\n")).toThrow(`${page}: ${file} has nowhere:\n`);
  expect(without(undefined)).toThrow(`${page}: ${file} is not there`);
});
