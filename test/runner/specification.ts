import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { root } from "../../scripts/stack/process.ts";

/** The pages whose tables name tests in their last column. */
const ours = ["docs/making/specification.md", "SECURITY.md"];

/** The rows of all tables of a Markdown text, without their heads: line number and cells. */
function tableRows(markdown: string): { line: number; cells: string[] }[] {
  const lines = markdown.split("\n");
  const isRow = (line: string | undefined): boolean => line?.trim().startsWith("|") ?? false;
  const isRule = (line: string | undefined): boolean => /^\|(\s*:?-+:?\s*\|)+$/.test(line?.trim() ?? "");
  return lines.flatMap((line, index) => {
    if (!isRow(line) || isRule(line) || isRule(lines[index + 1])) return [];
    const cells = line
      .trim()
      .replace(/^\||\|$/g, "")
      .split(/(?<!\\)\|/);
    return [{ line: index + 1, cells: cells.map((cell) => cell.trim().replaceAll("\\|", "|")) }];
  });
}

/**
 * Checks that the last cell of each row of the specification and of the threat model names tests that ran and passed.
 * @param ran every test of this run, as `path › name`, and whether it passed
 * @returns the problems of each row, in order; an empty text for a row without any
 */
export function specification(ran: ReadonlyMap<string, boolean>, pages = ours): string[] {
  return pages.flatMap((path) => {
    const rows = tableRows(readFileSync(resolve(root, path), "utf8"));
    if (rows.length === 0) return [`${path} has no table`];
    return rows.map(({ line, cells }) => {
      const references = [...(cells.at(-1) ?? "").matchAll(/`([^`]+)`/g)].map(([, reference = ""]) => reference);
      if (references.length === 0) return `${path}:${line}: no test is named`;
      const bad = references.filter((reference) => ran.get(reference) !== true);
      return bad
        .map((reference) => `${path}:${line}: ${ran.has(reference) ? "failed" : "no such test ran"}: ${reference}`)
        .join("\n");
    });
  });
}
