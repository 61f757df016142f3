import { globSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { root, runSupabase } from "./process.ts";

/** The files of sql/schema and sql/loading, in the order in which they are applied. */
export const schemaFiles = ["schema", "loading"].flatMap((folder) => globSync(`${root}/sql/${folder}/*.sql`).sort());

/** The migrations, in the order in which they are applied. */
export const migrationFiles = globSync(`${root}/supabase/migrations/*.sql`).sort();

/** The address without encryption: the servers are on this machine, and the CLI would print a warning. */
const unencrypted = (url: string): string => Object.assign(new URL(url), { search: "sslmode=disable" }).href;

/**
 * The SQL statements that turn one database into the other: tables, views, functions, types, policies, triggers,
 * indexes, owners, grants, settings, comments. Empty when the two are equal. Not compared: objects of a superuser, and
 * whether a table is logged.
 * @param from the address of a database, as `postgres`
 * @param to the address of another database, as `postgres`
 */
export async function difference(from: string, to: string): Promise<string> {
  const folder = await mkdtemp(`${tmpdir()}/difference-`);
  try {
    const file = `${folder}/difference.sql`;
    const addresses = [`--from=${unencrypted(from)}`, `--to=${unencrypted(to)}`];
    await runSupabase(["db", "diff", "--use-pg-delta", "--strict-coverage", "--output", file, ...addresses]);
    const lines = (await readFile(file, "utf8")).split("\n");
    return lines
      .filter((line) => !line.startsWith("--"))
      .join("\n")
      .trim();
  } finally {
    await rm(folder, { recursive: true });
  }
}
