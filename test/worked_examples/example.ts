// The worked examples of CONTRIBUTING.md, pages that are read by people and applied by a program. Under a heading that names a file, a
// `diff` block is a change of it: the lines without `+` have to stand in the file once, one below the other, wherever that is. A line that
// ends in … stands for every line that begins so. A block of another language is the whole of a new file.
import { globSync, readFileSync } from "node:fs";
import { root } from "../../scripts/stack/process.ts";

/** A page: what is changed by hand, in its order, and the commands that follow, as its reader types them. */
export interface Example {
  page: string;
  changes: { file: string; kind: string; block: string }[];
  commands: string[];
}

export function readExamples(): Example[] {
  return globSync("docs/contributing/*.md", { cwd: root })
    .sort()
    .map((page) => {
      const [, ...sections] = readFileSync(`${root}/${page}`, "utf8").split(/^## /m);
      const blocks = sections.flatMap((section) => {
        const [file = ""] = section.split("\n", 1);
        return [...section.matchAll(/^(`{3,})(\w+)\n(.*?)^\1$/gms)].map(([, , kind = "", block = ""]) => ({
          file,
          kind,
          block,
        }));
      });
      return {
        page,
        changes: blocks.filter(({ file }) => file !== "Then"),
        commands: blocks.filter(({ file }) => file === "Then").flatMap(({ block }) => block.trimEnd().split("\n")),
      };
    });
}

/** The files that a person changes or makes, each once. */
export const filesOf = ({ changes }: Example): string[] => [...new Set(changes.map(({ file }) => file))];

/**
 * Does by program what the page tells a person to do.
 * @param files the text of each file that it changes; undefined for one that there is not
 * @returns the texts that they have then
 * @throws Error that names page and place when a change does not fit
 */
export function applyExample(
  { page, changes }: Example,
  files: (path: string) => string | undefined,
): Map<string, string> {
  const texts = new Map<string, string>();
  for (const { file, kind, block } of changes) {
    const text = texts.get(file) ?? files(file);
    if (kind === "diff" && text !== undefined) texts.set(file, applyDiff(`${page}: ${file}`, text, block));
    else if (kind !== "diff" && text === undefined) texts.set(file, block);
    else throw new Error(`${page}: ${file} ${text === undefined ? "is not there" : "is there already"}`);
  }
  return texts;
}

/** Takes out the lines that begin with -, puts in those that begin with +, and leaves the others. */
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
