// Writes the last column of test/specification.md and docs/making/threat-model.md: the test files that prove a statement.
// A comment `Proves: requests.4, errors.2` above a test, or above its row in a table of tests, names the statements by
// their IDs. In pgTAP, the comment is above the line with the test's name.
import { globSync, readFileSync } from "node:fs";
import { root } from "../stack/process.ts";

export const provenPages = ["test/specification.md", "docs/making/threat-model.md"];

/** A test that proves statements; `name` as it is written in the file, with … for what is filled in when it runs. */
export interface Proof {
  ids: string[];
  file: string;
  name: string;
}

const comment = /^ *(?:\/\/|--) Proves: ((?:.+,\n *(?:\/\/|--) )*.+)\n/gm;

/** The name of a test: the first argument of test(…), of what test.each(…) returns, or of a function that calls test. */
const testName = /(?:\b(?:test|withTools)(?:\.\w+)?\(|\)\()\s*(["'`])((?:\\.|(?!\1).)*)\1/s;
/** The name in a table of tests: the first text of the row. */
const rowName = /(["'`])((?:\\.|(?!\1).)*)\1/s;

/** In pgTAP the last text with a space on the line below the comment; … stands for what is concatenated with it. */
function pgtapName(text: string): string | undefined {
  const texts = [...(text.split("\n", 1)[0] ?? "").matchAll(/(\|\| )?'((?:[^']|'')*)'( \|\|)?/g)];
  const [, before, name, after] = texts.findLast(([, , found]) => found?.includes(" ")) ?? [];
  return name && `${before ? "…" : ""}${name.replaceAll("''", "'")}${after ? "…" : ""}`;
}

/** What a runner fills in: `${…}`, `$name` and `%s`. */
const filledIn = /\$\{(?:[^{}]|\{[^}]*\})*\}|\$[a-zA-Z_][\w.]*|%[sdifjo]/g;

function nameAfter(file: string, text: string): string {
  const name = /^\s*(?:test|for|withTools)\b/.test(text) ? testName : rowName;
  const found = file.endsWith(".sql") ? pgtapName(text) : name.exec(text)?.[2];
  if (found === undefined) throw new Error(`${file}: no test below a comment Proves: ${text.slice(0, 80)}`);
  return found.replace(filledIn, "…").replace(/\\(.)/g, "$1");
}

/** All tests that say what they prove. */
export function readProofs(): Proof[] {
  const files = globSync("test/**/*.{ts,sql}", { cwd: root, exclude: ["**/node_modules"] }).sort();
  return files.flatMap((file) => {
    const text = readFileSync(`${root}/${file}`, "utf8");
    return [...text.matchAll(comment)].map((match) => ({
      ids: (match[1] ?? "").split(/,\s*(?:(?:\/\/|--)\s*)?/),
      file,
      name: nameAfter(file, text.slice(match.index + match[0].length)),
    }));
  });
}

/** The id of a row's statement, in its first cell; null for any other line. */
export const idOf = (line: string): string | null => /^\| ([a-z]+\.\d+) \|/.exec(line)?.[1] ?? null;

/**
 * Writes the files of the tests into the last cell of every row that begins with an id.
 * @throws Error for an id that no page has
 */
export function withProofs(markdown: string, proofs: readonly Proof[]): string {
  return markdown.replace(/^\| [a-z]+\.\d+ \|.*$/gm, (line) => {
    const mine = proofs.filter(({ ids }) => ids.includes(idOf(line) ?? ""));
    const cells = line.split(/(?<!\\)\|/).slice(0, -2);
    const files = new Set(mine.map(({ file }) => `\`${file.replace(/^test\//, "")}\``));
    return `${cells.join("|")}| ${[...files].join(", ")} |`;
  });
}
