import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { getAuthSchemaSql } from "@supabase/lite";
import postgres from "postgres";
import { migrationFiles } from "./difference.ts";
import { root, runSupabase } from "./process.ts";
import type { Secrets } from "./secrets.ts";

/** The roles that sign in with a password. */
export type LoginRole = "postgres" | "supabase_admin" | "supabase_auth_admin" | "authenticator";

/** The database's address for a role. */
export type DatabaseUrl = (role: LoginRole) => string;

const ownSql = (name: string): Promise<string> => readFile(new URL(name, import.meta.url), "utf8");

/** Opens one connection, calls `use` with it and closes it. Notices are ignored. */
export async function withDatabase<T>(url: string, use: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    return await use(sql);
  } finally {
    await sql.end();
  }
}

/** Runs SQL text with any number of statements, in one transaction unless the text itself begins or commits one. */
export async function runSql(url: string, text: string): Promise<void> {
  await withDatabase(url, (sql) => sql.unsafe(text).simple());
}

/** The SQL that gives a new database the state of a hosted project before the first migration. */
async function newDatabaseSql(): Promise<string> {
  // database.sql has created the schema, and the schema's owner may not create schemas.
  const authTables = getAuthSchemaSql().replace(/^create schema.*$/im, "");
  return `${await ownSql("database.sql")}\n${authTables}\n${await ownSql("mfa_factors.sql")}\nreset role;`;
}

/** Sets up a new cluster like a hosted project before its first migration. Does nothing if that is done already. */
export async function prepareCluster(url: DatabaseUrl, secrets: Secrets): Promise<void> {
  const superuser = url("supabase_admin");
  const [done] = await withDatabase(
    superuser,
    (sql) => sql`
      select rolpassword is not null as "canSignIn", to_regclass('auth.mfa_factors') is not null as "hasFactors"
      from pg_authid where rolname = 'authenticator'`,
  );
  // Before version 1.4.0 there was no such table.
  if (done?.canSignIn && !done.hasFactors)
    await runSql(superuser, `set role supabase_auth_admin;\n${await ownSql("mfa_factors.sql")}`);
  if (done?.canSignIn) return;
  if (done) throw new Error("This data is of an older version: npm start -- --fresh deletes it, and starts");
  // In one transaction, so that an interrupted start leaves nothing behind.
  const passwords = (["postgres", "supabase_auth_admin", "authenticator"] as const)
    .map((role) => `alter role ${role} password '${secrets[role]}';`)
    .join("\n");
  const owner = "alter database postgres owner to postgres;";
  await runSql(superuser, [await ownSql("roles.sql"), passwords, owner, await newDatabaseSql()].join("\n"));
}

/**
 * Creates a new database on a stack's server and applies SQL files to it in the order given, as `postgres`, each in one
 * transaction. For example, one database from sql/schema and one from supabase/migrations, to compare their catalogs.
 * @param stack the addresses in its stack.json
 * @returns the address of the new database, as `postgres`
 * @throws Error that names the file that failed
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

/** Whether the database has exactly the migrations of supabase/migrations. */
export async function hasAllMigrations(databaseUrl: string): Promise<boolean> {
  const applied = await withDatabase(databaseUrl, async (sql) => {
    const [table] = await sql`select to_regclass('supabase_migrations.schema_migrations') is not null as exists`;
    return table?.exists
      ? sql<{ version: string }[]>`select version from supabase_migrations.schema_migrations order by 1`
      : [];
  });
  const versions = migrationFiles.map((file) => basename(file).split("_")[0]);
  return versions.join() === applied.map(({ version }) => version).join();
}

/**
 * Applies the migrations that the database does not have yet, with the Supabase CLI, or lists them. --include-all: one
 * of them may belong before migrations that the database has.
 */
export const supabasePush = (url: string, how: "--yes" | "--dry-run", signal?: AbortSignal): Promise<string> =>
  runSupabase(["db", "push", "--include-all", how], { url, signal });

/** Applies the migrations that the database does not have yet. Without any, the CLI would take 1.2 s. */
export async function pushMigrations(databaseUrl: string, signal?: AbortSignal): Promise<void> {
  if (await hasAllMigrations(databaseUrl)) return;
  await supabasePush(databaseUrl, "--yes", signal);
}

/** Loads the demo companies in one transaction, unless there are companies. --include-seed takes twice as long. */
export async function seedDemoData(databaseUrl: string): Promise<void> {
  const companies = await withDatabase(databaseUrl, (sql) => sql`select from app.companies limit 1`);
  if (companies.length > 0) return;
  const files = globSync(`${root}/sql/seed/*.sql`).sort();
  const texts = await Promise.all(files.map((file) => readFile(file, "utf8")));
  await runSql(databaseUrl, texts.join("\n"));
}
