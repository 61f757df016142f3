// The worked example of CONTRIBUTING.md (docs/making/add-an-endpoint.md): it still applies to the files, and its table
// says how many they are. npm run test:example runs the tests of the changed project.
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { root } from "../../scripts/stack/process.ts";
import { applyExample, filesOf, page, readExample } from "../worked_example/example.ts";

const read = (path: string) => (existsSync(`${root}/${path}`) ? readFileSync(`${root}/${path}`, "utf8") : undefined);
const example = readExample();

test("its table counts the files of a field, a filter and an endpoint, without tests: 3, 5 and 6 at most", () => {
  const rows = [...(read(page) ?? "").matchAll(/^\| (.*) \|$/gm)].map(([, cells = ""]) => cells.split(/ ?\| ?/));
  const sums = rows.find(([first]) => first === "**Files**")?.map((cell) => Number(cell.replaceAll("*", "")));
  const files = rows.slice(1).filter(([first = ""]) => !/^(\*\*|`test\/)/.test(first));
  const counts = [1, 2, 3].map((column) => files.filter((cells) => cells[column]?.trim()).length);
  expect(counts).toEqual(sums?.slice(1));
  for (const [at, most] of [3, 5, 6].entries()) expect(counts[at]).toBeLessThanOrEqual(most);
  expect(filesOf(example).filter((file) => !file.startsWith("test/"))).toHaveLength(counts[2] ?? 0);
});

test("it fits the files that it changes", () => {
  const texts = applyExample(example, read);
  expect([...texts.keys()]).toEqual(filesOf(example));
  for (const [path, text] of texts) expect(text, path).not.toBe(read(path));
});
