import { readFile } from "node:fs/promises";
import { withDatabase } from "../stack/database.ts";
import { root } from "../stack/process.ts";
import type { SuiteResult, Test } from "./suite.ts";

/** What one file printed, row by row, and the error that ended it early. */
interface Output {
  rows: string[];
  error: { message: string; position?: string; where?: string } | null;
}

/** Runs a file on a connection of its own, so that nothing of it is left for the next one even when it forgets to roll back. */
async function run(databaseUrl: string, text: string): Promise<Output> {
  const rows: string[] = [];
  try {
    await withDatabase(databaseUrl, async (sql) => {
      await sql
        .unsafe(text)
        .simple()
        .forEach((row) => {
          rows.push(String(Object.values(row)[0] ?? ""));
        });
    });
    return { rows, error: null };
  } catch (error) {
    return { rows, error: error as NonNullable<Output["error"]> };
  }
}

/**
 * Reads TAP. A test that is skipped or still to be done counts as failed.
 * @param file the file's path in the repository, in front of each description
 * @returns the tests, how many were planned, and for each that failed what was printed about it
 */
export function readTap(file: string, rows: string[]): { tests: Test[]; plan: number | null; problems: string[] } {
  const tests: Test[] = [];
  const problems: string[] = [];
  let plan: number | null = null;
  for (const row of rows) {
    const [first = ""] = row.split("\n");
    const promised = /^1\.\.(\d+)/.exec(first)?.[1];
    if (promised !== undefined) plan = Number(promised);
    const [isTest, not, description = "", directive] =
      /^(not )?ok \d+(?: - (.*?))?( # (?:SKIP|TODO)\b.*)?$/i.exec(first) ?? [];
    if (isTest === undefined) continue;
    const passed = not === undefined && directive === undefined;
    tests.push({ reference: `${file} › ${description}`, passed });
    if (!passed) problems.push(row);
  }
  return { tests, plan, problems };
}

/** Runs one pgTAP file where the extension is there already. */
export async function runFile(databaseUrl: string, file: string): Promise<SuiteResult> {
  const text = await readFile(`${root}/${file}`, "utf8");
  const { rows, error } = await run(databaseUrl, text);
  const { tests, plan, problems } = readTap(file, rows);
  if (error) {
    const line = error.position ? ` at line ${text.slice(0, Number(error.position)).split("\n").length}` : "";
    problems.push(`SQL error${line}: ${error.message}${error.where ? `\n${error.where}` : ""}`);
  } else if (plan !== tests.length) {
    problems.push(plan === null ? "There is no plan" : `The plan is ${plan} tests, ${tests.length} ran`);
  }
  if (error || plan !== tests.length) tests.push({ reference: `${file} › runs as planned`, passed: false });
  return { tests, report: problems.length > 0 ? `${file}\n${problems.join("\n").replace(/^/gm, "  ")}` : "" };
}

/**
 * Runs pgTAP files, each a transaction that rolls back, as `supabase test db` does, which needs Docker: as the non-superuser
 * `postgres`, with the extension there for the time of the tests.
 * @param files paths in the repository
 */
export async function pgtap(databaseUrl: string, files: string[]): Promise<SuiteResult> {
  const setExtension = (statement: string) => withDatabase(databaseUrl, (sql) => sql.unsafe(statement));
  await setExtension("create extension if not exists pgtap with schema extensions");
  const results: SuiteResult[] = [];
  for (const file of files) results.push(await runFile(databaseUrl, file));
  await setExtension("drop extension pgtap");
  return {
    tests: results.flatMap(({ tests }) => tests),
    report: results.flatMap(({ report }) => report || []).join("\n\n"),
  };
}
