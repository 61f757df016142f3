import { readFile } from "node:fs/promises";
import { root } from "../stack/process.ts";
import type { SuiteResult, Test } from "./suite.ts";

/** The pages whose tables name tests in their last column. */
const pages = ["docs/specification.md", "SECURITY.md"];

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
 * Checks that each statement of the specification and of the threat model names, in the last cell of its row, tests that ran and passed.
 * @param ran every test of this run
 */
export async function specification(ran: Test[]): Promise<SuiteResult> {
  const passedByReference = new Map<string, boolean>();
  for (const { reference, passed } of ran) {
    passedByReference.set(reference, passed && (passedByReference.get(reference) ?? true));
  }
  const problems: string[] = [];
  const rows = await Promise.all(
    pages.map(async (path) => {
      const found = tableRows(await readFile(`${root}/${path}`, "utf8"));
      if (found.length === 0) throw new Error(`${path} has no table`);
      return found.map((row) => ({ path, ...row }));
    }),
  );
  const tests = rows.flat().map(({ path, line, cells }) => {
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
