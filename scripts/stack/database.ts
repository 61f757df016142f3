import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { getAuthSchemaSql } from "@supabase/lite";
import postgres from "postgres";
import { bin, root, runCommand } from "./process.ts";
import type { Secrets } from "./secrets.ts";

/** The roles that sign in with a password. */
export type LoginRole = "postgres" | "supabase_admin" | "supabase_auth_admin";

/** The database's address for a role. */
export type DatabaseUrl = (role: LoginRole) => string;

const ownSql = (name: string): Promise<string> => readFile(new URL(name, import.meta.url), "utf8");

/** Opens one connection, hands it to `use` and closes it. Notices are dropped. */
export async function withDatabase<T>(url: string, use: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    return await use(sql);
  } finally {
    await sql.end();
  }
}

/** Runs SQL text of any number of statements: all or nothing, unless the text itself begins or commits. */
export async function runSql(url: string, text: string): Promise<void> {
  await withDatabase(url, (sql) => sql.unsafe(text).simple());
}

/** The state of a hosted project's database before the first migration. */
async function newDatabaseSql(): Promise<string> {
  // The schema is there already, and its owner may not make schemas.
  const authTables = getAuthSchemaSql().replace(/^create schema.*$/im, "");
  return `${await ownSql("database.sql")}\n${authTables}\nreset role;`;
}

/** Sets up a new cluster like a hosted project before its first migration. Does nothing when that was done before. */
export async function prepareCluster(url: DatabaseUrl, secrets: Secrets): Promise<void> {
  const superuser = url("supabase_admin");
  const done = await withDatabase(superuser, (sql) => sql`select from pg_roles where rolname = 'postgres'`);
  if (done.length > 0) return;
  // In one transaction, so that an interrupted start leaves nothing incomplete.
  const passwords = (["postgres", "supabase_auth_admin"] as const)
    .map((role) => `alter role ${role} password '${secrets[role]}';`)
    .join("\n");
  const owner = "alter database postgres owner to postgres;";
  await runSql(superuser, [await ownSql("roles.sql"), passwords, owner, await newDatabaseSql()].join("\n"));
}

/**
 * Makes a fresh database beside the others on a stack's server and applies SQL files to it in the order given, each as `postgres` and
 * all or nothing. Made once from sql/schema and once from supabase/migrations, the two catalogs can be compared.
 * @param stack the addresses in its stack.json
 * @returns the new database's address, as `postgres`
 * @throws Error naming the file that failed
 */
export async function createDatabase(
  stack: { database_url: string; superuser_url: string },
  name: string,
  files: string[],
): Promise<string> {
  const at = (url: string): string => Object.assign(new URL(url), { pathname: `/${name}` }).href;
  const created = at(stack.database_url);
  await runSql(stack.superuser_url, `create database "${name}" owner postgres`);
  await runSql(at(stack.superuser_url), await newDatabaseSql());
  for (const file of files) {
    await runSql(created, await readFile(file, "utf8")).catch((error: Error) => {
      throw new Error(`${file}: ${error.message}`, { cause: error });
    });
  }
  return created;
}

/**
 * Applies the migrations that the database has not seen, with the real CLI.
 * @returns what the CLI printed
 */
export function pushMigrations(databaseUrl: string, signal?: AbortSignal): Promise<string> {
  // It contacts only the database: no telemetry, no check for a newer version.
  const env = { ...process.env, DO_NOT_TRACK: "1", SUPABASE_NO_UPDATE_NOTIFIER: "1" };
  const args = ["db", "push", "--yes", "--workdir", root, `--remote=${databaseUrl}`];
  return runCommand(bin("supabase"), args, { env, signal });
}

/** Loads the demo companies into a database without companies, in one transaction. The CLI's --include-seed takes twice as long. */
export async function seedDemoData(databaseUrl: string): Promise<void> {
  const companies = await withDatabase(databaseUrl, (sql) => sql`select from app.companies limit 1`);
  if (companies.length > 0) return;
  const files = globSync(`${root}/sql/seed/*.sql`).sort();
  const texts = await Promise.all(files.map((file) => readFile(file, "utf8")));
  await runSql(databaseUrl, texts.join("\n"));
}
