// What ships (supabase/migrations) makes the same database as what is read (sql/schema).
import { randomUUID } from "node:crypto";
import { globSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import type { Sql } from "postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createDatabase, runSql, withDatabase } from "../../scripts/stack/database.ts";
import { root } from "../../scripts/stack/process.ts";
import { stack } from "../api/stack.ts";

const query = await readFile(`${root}/test/database/catalog.sql`, "utf8");
const schemaFiles = ["schema", "loading"].flatMap((folder) => globSync(`${root}/sql/${folder}/*.sql`).sort());
const migrationFiles = globSync(`${root}/supabase/migrations/*.sql`).sort();
const databases: string[] = [];
let folder: string;

/** Everything that the project's SQL has made in a database, one line a thing, sorted. */
async function catalog(sql: Sql): Promise<string[]> {
  return (await sql.unsafe(query)).map(({ line }) => line);
}

/** Makes a fresh database of these files. */
async function database(files: string[]): Promise<string> {
  const name = `catalog_${randomUUID()}`;
  databases.push(name);
  return createDatabase(stack, name, files);
}

const onlyIn = (some: string[], others: string[]): string[] => some.filter((line) => !others.includes(line));

/** What one of them has and the other does not, as a diff; of a thing that both have, the lines that differ. Empty when they are equal. */
function difference(read: string[], ships: string[]): string {
  const [missing, added] = [onlyIn(read, ships), onlyIn(ships, read)];
  const name = (thing: string): string => thing.slice(0, thing.indexOf(": "));
  const names = [...new Set([...missing, ...added].map(name))].sort();
  return names
    .map((one) => {
      const lines = (things: string[]) =>
        things.filter((thing) => name(thing) === one).flatMap((thing) => thing.split("\n"));
      const [before, after] = [lines(missing), lines(added)];
      const changes = [
        ...onlyIn(before, after).map((line) => `- ${line}`),
        ...onlyIn(after, before).map((line) => `+ ${line}`),
      ];
      return [one, ...(changes.length > 0 ? changes : ["the order of its lines"])].join("\n");
    })
    .join("\n\n");
}

let fromSchema: string;
let expected: string[];

beforeAll(async () => {
  folder = await mkdtemp(`${tmpdir()}/catalog-`);
  fromSchema = await database(schemaFiles);
  expected = await withDatabase(fromSchema, catalog);
});
afterAll(async () => {
  for (const name of databases) await runSql(stack.superuser_url, `drop database if exists "${name}" with (force)`);
  await rm(folder, { recursive: true });
});

test("supabase/migrations makes the catalog that sql/schema makes", async () => {
  const actual = await withDatabase(await database(migrationFiles), catalog);
  expect(
    difference(expected, actual),
    "- only in sql/schema, + only in supabase/migrations: a migration is missing, or the change of a file in sql/schema",
  ).toBe("");
});

test("the running stack has the catalog that sql/schema makes", async () => {
  const actual = await withDatabase(stack.database_url, catalog);
  expect(difference(expected, actual), "- only in sql/schema, + only in the stack").toBe("");
});

test("a project that grants everything new in public to everybody, as older ones do, gets the same catalog", async () => {
  const everybody = "to anon, authenticated, service_role";
  const openByDefault = ["tables", "sequences", "functions"]
    .map((things) => `alter default privileges in schema public grant all on ${things} ${everybody};`)
    .join("\n");
  const file = `${folder}/older_project.sql`;
  await writeFile(file, openByDefault);
  const actual = await withDatabase(await database([file, ...schemaFiles]), catalog);
  const withoutDefaults = actual.filter((line) => !line.startsWith("grant on later "));
  expect(actual.length - withoutDefaults.length, "the defaults were in force").toBe(9);
  expect(difference(expected, withoutDefaults)).toBe("");
});

describe("the comparison notices", () => {
  test.each([
    ["a column", "alter table app.kudos add column private boolean"],
    ["a type", "alter table app.pulse_questions alter column created_at type timestamp"],
    ["a null rule", "alter table app.teams alter column name drop not null"],
    ["a default", "alter table app.members alter column role set default 'admin'"],
    ["a check constraint", "alter table app.day_ratings drop constraint day_ratings_rating_range"],
    ["a foreign key", "alter table app.api_key_events add foreign key (company_id) references app.companies (id)"],
    ["an index", "drop index app.kudos_sender_newest"],
    ["row-level security", "alter table app.teams disable row level security"],
    ["a policy's condition", "alter policy api_read on app.kudos using (true)"],
    ["a policy's roles", "alter policy api_read on app.kudos to public"],
    ["a view's option", "alter view api.members set (security_invoker = false)"],
    [
      "a view's query",
      "create or replace view api.members with (security_invoker = true) as select company_id, created_at as instant, id, name, email, role, team_id, '' as team_name, '' as created_at from app.members",
    ],
    [
      "a function's body",
      "create or replace function app.scopes() returns text[] language sql immutable set search_path = '' return '{}'::text[]",
    ],
    ["a function's owner", "alter function public.list_members owner to postgres"],
    ["a function's volatility", "alter function public.list_members stable"],
    ["a function's rights", "alter function public.list_members security invoker"],
    ["a function's setting", "alter function public.list_members reset lock_timeout"],
    ["who may call a function", "grant execute on function app.authenticate(text, text) to service_role"],
    ["a grant on a table", "grant delete on app.rewards to public_api"],
    ["a grant on a column", "grant select (key_hash) on app.api_keys to authenticated"],
    ["a grant on a schema", "grant usage on schema app to anon"],
    ["a default privilege", "alter default privileges in schema app grant select on tables to anon"],
    ["a field of a type", "alter type app.verified_key add attribute private text"],
    ["a grant on a type", "grant usage on type app.verified_key to anon"],
    ["a comment on a type", "comment on type app.verified_key is 'Something else'"],
    ["a trigger", "drop trigger refuse_truncate on app.api_key_events"],
    ["a trigger that is switched off", "alter table app.api_key_events disable trigger refuse_change"],
    ["a comment", "comment on table app.kudos is 'Something else'"],
  ])("%s", async (_, change) => {
    await withDatabase(fromSchema, async (sql) => {
      await sql.unsafe(`begin; ${change}`).simple();
      const changed = await catalog(sql);
      await sql.unsafe("rollback");
      expect(difference(expected, changed)).not.toBe("");
      expect(difference(expected, await catalog(sql))).toBe("");
    });
  });
});
