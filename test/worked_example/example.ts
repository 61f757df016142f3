// The worked example: a page that people read, with the changes of the tests beside this file. A program applies both. Under
// a heading that names a file, a `diff` block is a change of this file: its lines without `+` must be in the file exactly once, one below the
// other, at any place; after a line `@@` follows another change. A line that ends in … stands for every line that begins
// like it. A block in another language is the whole text of a new file.
import { readFileSync } from "node:fs";
import { root } from "../../scripts/stack/process.ts";

export const page = "docs/making/add-an-endpoint.md";
const ofTests = "test/worked_example/tests.md";

/** The changes made by hand, in order, and the commands after them, as the reader types them. */
export type Example = { changes: { file: string; kind: string; block: string }[]; commands: string[] };

export function readExample(): Example {
  const sections = [ofTests, page].flatMap((one) => readFileSync(`${root}/${one}`, "utf8").split(/^## /m).slice(1));
  const blocks = sections.flatMap((section) => {
    const [file = ""] = section.split("\n", 1);
    const found = [...section.matchAll(/^```(\w+)\n(.*?)^```$/gms)];
    return found.flatMap(([, kind = "", text = ""]) => text.split(/^@@\n/m).map((block) => ({ file, kind, block })));
  });
  return {
    changes: blocks.filter(({ file }) => file !== "Then"),
    commands: blocks.filter(({ file }) => file === "Then").flatMap(({ block }) => block.trimEnd().split("\n")),
  };
}

/** The files that a person changes or creates, each once. */
export const filesOf = ({ changes }: Example): string[] => [...new Set(changes.map(({ file }) => file))];

/**
 * Makes the changes that the page describes.
 * @param files returns the text of a file, or undefined when it does not exist
 * @returns the new texts of the files
 * @throws Error with page and place when a change does not fit
 */
export function applyExample({ changes }: Example, files: (path: string) => string | undefined): Map<string, string> {
  const texts = new Map<string, string>();
  for (const { file, kind, block } of changes) {
    const text = texts.get(file) ?? files(file);
    if (kind === "diff" && text !== undefined) texts.set(file, applyDiff(`${page}: ${file}`, text, block));
    else if (kind !== "diff" && text === undefined) texts.set(file, block);
    else throw new Error(`${page}: ${file} ${text === undefined ? "is not there" : "is there already"}`);
  }
  return texts;
}

/** Removes the lines that begin with -, inserts those that begin with +, and keeps the others. */
function applyDiff(place: string, text: string, diff: string): string {
  const lines = diff.split("\n").slice(0, -1);
  const old = lines.filter((line) => !line.startsWith("+")).map((line) => `(${lineSource(line.slice(1))})\n`);
  const [found, ...more] = text.matchAll(new RegExp(`^${old.join("")}`, "gm"));
  if (!found || more.length > 0) {
    throw new Error(`${place} has ${found ? "more than once" : "nowhere"}:\n${diff.replace(/^\+.*\n/gm, "")}`);
  }
  const kept = found.slice(1);
  const written = lines.flatMap((line) => {
    if (line.startsWith("+")) return [line.slice(1)];
    const original = kept.shift() ?? "";
    return line.startsWith("-") ? [] : [original];
  });
  const after = found.index + found[0].length;
  return `${text.slice(0, found.index)}${written.map((line) => `${line}\n`).join("")}${text.slice(after)}`;
}

function lineSource(line: string): string {
  const source = RegExp.escape(line.replace(/…$/, ""));
  return line.endsWith("…") ? `${source}.*` : source;
}
