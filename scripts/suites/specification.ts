import { readFile } from "node:fs/promises";
import { root } from "../stack/process.ts";
import type { SuiteResult, Test } from "./suite.ts";

const path = "docs/specification.md";

/** The body rows of all tables of a Markdown text: line number and cells. */
export function tableRows(markdown: string): { line: number; cells: string[] }[] {
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
 * Checks that each statement of the specification names, in the last cell of its row, tests that ran and passed.
 * @param ran every test of this run
 */
export async function specification(ran: Test[]): Promise<SuiteResult> {
  const passedByReference = new Map<string, boolean>();
  for (const { reference, passed } of ran) {
    passedByReference.set(reference, passed && (passedByReference.get(reference) ?? true));
  }
  const rows = tableRows(await readFile(`${root}/${path}`, "utf8"));
  if (rows.length === 0) throw new Error(`${path} has no table`);
  const problems: string[] = [];
  const tests = rows.map(({ line, cells }) => {
    const references = [...(cells.at(-1) ?? "").matchAll(/`([^`]+)`/g)].map(([, reference = ""]) => reference);
    const found = references.flatMap((reference) => {
      const passed = passedByReference.get(reference);
      return passed ? [] : `${passed === undefined ? "no such test ran" : "failed"}: ${reference}`;
    });
    if (references.length === 0) found.push("no test is named");
    problems.push(...found.map((problem) => `${path}:${line}: ${problem}`));
    return { reference: `${path}:${line}`, passed: found.length === 0 };
  });
  return { tests, report: problems.join("\n") };
}
