import { readFileSync } from "node:fs";
import { dirname, relative } from "node:path";
import type { Plugin } from "vite";
import { withDatabase } from "../../scripts/stack/database.ts";
import { root } from "../../scripts/stack/process.ts";

/** One test of a pgTAP file, and what was printed when it failed. */
export type PgtapTest = { name: string; problem: string | null };

/** Runs a file on a new connection. Nothing of it remains for the next file, even when it does not roll back. */
async function run(databaseUrl: string, text: string): Promise<{ rows: string[]; problem: string | null }> {
  const rows: string[] = [];
  try {
    const add = (row: object) => void rows.push(String(Object.values(row)[0] ?? ""));
    await withDatabase(databaseUrl, (sql) => sql.unsafe(text).simple().forEach(add));
    return { rows, problem: null };
  } catch (error) {
    const { message, position, where } = error as { message: string; position?: string; where?: string };
    const line = position ? ` at line ${text.slice(0, Number(position)).split("\n").length}` : "";
    return { rows, problem: `SQL error${line}: ${message}${where ? `\n${where}` : ""}` };
  }
}

/** The text of a pgTAP file, in which each `\ir` of psql is replaced with the file that it names. */
const readSql = (file: string): string =>
  readFileSync(file, "utf8").replace(/^\\ir (\S+)$/gm, (_, name) => readSql(`${dirname(file)}/${name}`));

/** Parses TAP. A test marked as SKIP or TODO counts as failed. */
export function readTap(rows: string[]): { tests: PgtapTest[]; plan: number | null } {
  const tests: PgtapTest[] = [];
  let plan: number | null = null;
  for (const row of rows) {
    const [first = ""] = row.split("\n");
    const promised = /^1\.\.(\d+)/.exec(first)?.[1];
    if (promised !== undefined) plan = Number(promised);
    const [line, not, name = "", directive] = /^(not )?ok \d+(?: - (.*?))?( # (?:SKIP|TODO)\b.*)?$/i.exec(first) ?? [];
    if (line) tests.push({ name, problem: not || directive ? row : null });
  }
  return { tests, plan };
}

/**
 * Runs one pgTAP file as `supabase test db` does, which needs Docker. It runs as the non-superuser `postgres`, in a
 * transaction that the file rolls back, and the extension with it.
 * @param change SQL to run first in its transaction
 */
export async function runFile(databaseUrl: string, file: string, change = ""): Promise<PgtapTest[]> {
  const text = readSql(file).replace(/^begin;$/m, (begin) => begin + change);
  const { rows, problem } = await run(databaseUrl, text);
  const { tests, plan } = readTap(rows);
  const unplanned = plan === tests.length ? null : `The plan is ${plan ?? "missing"}, ${tests.length} tests ran`;
  return problem || unplanned ? [...tests, { name: "runs as planned", problem: problem ?? unplanned }] : tests;
}

/** Turns each .sql file of test/sql into a test file of vitest, and each of its pgTAP tests into a test. */
export const pgtap: Plugin = {
  name: "pgtap",
  enforce: "pre",
  load(id) {
    const [file = ""] = id.split("?");
    if (!/^test\/sql\/\w+\.sql$/.test(relative(root, file))) return null;
    for (const watched of [file, `${dirname(file)}/helpers.psql`]) this.addWatchFile(watched);
    return `
      import { test } from "vitest";
      import { stack } from ${JSON.stringify(`${root}/test/support/stack.ts`)};
      import { runFile } from ${JSON.stringify(`${root}/test/runner/pgtap.ts`)};
      for (const { name, problem } of await runFile(stack.database_url, ${JSON.stringify(file)}))
        test(name, () => {
          if (problem) throw new Error(problem);
        });`;
  },
};
