// Databases of other projects on the stack's server, for tests that load, erase or move a company.
import { createHash, randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import postgres from "postgres";
import { expect } from "vitest";
import { createDatabase, pushMigrations, runSql, withDatabase } from "../../scripts/stack/database.ts";
import { migrationFiles } from "../../scripts/stack/difference.ts";
import { root } from "../../scripts/stack/process.ts";
import { startProgram } from "./command_line.ts";
import { createFullCompany } from "./project_companies.ts";
import { sql, stack } from "./stack.ts";

/** The database of a project: `url` for its operator, `sql` connected as superuser. */
export type Project = { name: string; url: string; sql: postgres.Sql };

const projects: Project[] = [];
const at = (url: string, name: string): string => Object.assign(new URL(url), { pathname: `/${name}` }).href;

/** A database as `supabase db push` leaves it, made once in a run. Nothing connects to it: it is a template. */
async function emptyProject(): Promise<string> {
  const migrations = await Promise.all(migrationFiles.map((file) => readFile(file)));
  const name = `migrated_${createHash("sha256").update(Buffer.concat(migrations)).digest("hex").slice(0, 16)}`;
  await withDatabase(stack.superuser_url, async (sql) => {
    // Held until the connection ends: the other workers wait for the first one.
    await sql`select pg_advisory_lock(hashtext(${name}))`;
    if ((await sql`select from pg_database where datname = ${name}`).length > 0) return;
    // It gets its name when it is complete.
    const unfinished = `${name}_unfinished`;
    await sql.unsafe(`drop database if exists "${unfinished}" with (force)`);
    await createDatabase(stack, unfinished, []);
    await pushMigrations(at(stack.database_url, unfinished));
    await sql.unsafe(`alter database "${unfinished}" rename to "${name}"`);
  });
  return name;
}
let empty: Promise<string> | undefined;
let sides: ReturnType<typeof createSides> | undefined;

/** A copy of a project, by default of the one without companies. */
export async function newProject(template?: string): Promise<Project> {
  empty ??= emptyProject();
  const original = template ?? (await empty);
  const name = `project_${randomUUID()}`;
  await runSql(stack.superuser_url, `create database "${name}" template "${original}" owner postgres`);
  return opened(name);
}

/** The database of a new project, with these migrations and no others. */
export async function newDatabase(migrations: string[] = []): Promise<Project> {
  const name = `project_${randomUUID()}`;
  await createDatabase(stack, name, migrations);
  return opened(name);
}

/** A project that is removed with the others. */
function opened(name: string): Project {
  const sql = postgres(at(stack.superuser_url, name), { max: 8, idle_timeout: 2, onnotice: () => {} });
  const project = { name, url: at(stack.database_url, name), sql };
  projects.push(project);
  return project;
}

/** A project with the migrations up to this one, but for one `without`, noted as `supabase db push` notes them. */
export async function olderProject(newest: string, without = "none"): Promise<Project> {
  const older = migrationFiles.filter((file) => basename(file) <= `${newest}~`);
  const files = older.filter((file) => !basename(file).startsWith(without));
  const project = await newDatabase(files);
  const versions = files.map((file) => `('${basename(file).split("_")[0]}')`);
  await runSql(
    project.url,
    `create schema supabase_migrations;
    create table supabase_migrations.schema_migrations (version text primary key, statements text[], name text);
    insert into supabase_migrations.schema_migrations (version) values ${versions}`,
  );
  return project;
}

/** Closes the connections to all projects, and removes them. */
export async function removeProjects(): Promise<void> {
  [empty, sides] = [undefined, undefined];
  for (const { name, sql } of projects.splice(0)) {
    await sql.end({ timeout: 5 });
    await runSql(stack.superuser_url, `drop database "${name}" with (force)`);
  }
}

/** Creates both sides of a move, as templates. */
async function createSides() {
  const [source, target] = [await newProject(), await newProject()];
  const companies = {
    company: await createFullCompany(source.sql, "Moving"),
    neighbour: await createFullCompany(source.sql, "Staying"),
    other: await createFullCompany(target.sql, "There already"),
  };
  await Promise.all([source, target].map(({ sql }) => sql.end()));
  return { source: source.name, target: target.name, companies };
}

/** New copies of both sides: `company` moves from source to target, `neighbour` stays, `other` is there already. */
export async function newSides() {
  sides ??= createSides();
  const { source, target, companies } = await sides;
  return { source: await newProject(source), target: await newProject(target), ...companies };
}

/** All rows of the service and of Auth that have none of these words, with ctid and xmin, which each write changes. */
export async function everything(sql: postgres.Sql, ...without: string[]): Promise<string[]> {
  const tables = await sql`
    select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('app', 'auth', 'staging')`;
  const all: string[] = [];
  for (const { name } of tables) {
    for (const { row } of await sql.unsafe(`select concat(ctid, ' ', xmin, ' ', t) as row from ${name} as t`))
      if (!without.some((word) => row.includes(word))) all.push(`${name}: ${row}`);
  }
  return all.sort();
}

export type Run = ReturnType<typeof moveCompany>;

/** Starts the move command as an operator does. */
export function moveCompany(from: Project, to: Project, ...args: string[]) {
  const env = { ...process.env, SOURCE_DATABASE_URL: from.url, TARGET_DATABASE_URL: to.url };
  return startProgram(process.execPath, [`${root}/scripts/move_company.ts`, ...args], { env });
}

/** Resolves when the session with this process id waits for a lock. */
export const waitsForLock = (pid: number): Promise<void> =>
  expect
    .poll(async () => (await sql`select from pg_locks where not granted and pid = ${pid}`).length, { interval: 5 })
    .toBe(1);
