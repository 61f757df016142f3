// The deployed migrations (supabase/migrations) make the same database as the files that people read (sql/schema,
// sql/operating), and released migrations stay unchanged.
import { hash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { afterAll, expect, test } from "vitest";
import { withDatabase } from "../../scripts/stack/database.ts";
import { difference, migrationFiles, schemaFiles } from "../../scripts/stack/difference.ts";
import { root } from "../../scripts/stack/process.ts";
import { workFolder } from "../support/command_line.ts";
import { stack } from "../support/stack.ts";
import { newDatabase, removeProjects } from "../support/two_projects.ts";

const folder = workFolder();

/** Which tables are logged, and the options of their columns. The comparison does not look at this. */
const storage = (url: string) =>
  withDatabase(url, async (sql) => [
    ...(await sql`
      select c.oid::regclass::text as name, c.relpersistence as persistence,
        (select json_agg(a.attname || ' ' || a.attoptions::text order by a.attnum) from pg_attribute as a
         where a.attrelid = c.oid and a.attoptions is not null) as options
      from pg_class as c
      where c.relkind = 'r' and c.relnamespace::regnamespace::text in ('app', 'staging') order by 1`),
  ]);

const { url: fromSchema } = await newDatabase(schemaFiles);
afterAll(removeProjects);

test("supabase/migrations makes the database that sql/schema makes: the running stack has applied them", async () => {
  const missing = await difference(stack.database_url, fromSchema);
  expect(missing, "npm run migration -- <name> writes what is missing").toBe("");
  expect(await storage(stack.database_url)).toEqual(await storage(fromSchema));
});

test("a project that grants everything new in public to all roles, as older ones do, gets the same database", async () => {
  const grants = ["tables", "sequences", "functions"].map(
    (things) =>
      `alter default privileges in schema public grant all on ${things} to anon, authenticated, service_role;`,
  );
  const file = `${folder}/older_project.sql`;
  await writeFile(file, grants.join("\n"));
  const older = await newDatabase([file, ...migrationFiles]);
  const statements = await difference(fromSchema, older.url);
  const defaults = /^ALTER DEFAULT PRIVILEGES .*;$/gm;
  expect(statements.match(defaults)?.filter((line) => line.includes(" GRANT "))).toHaveLength(9);
  expect(statements.replace(defaults, "").trim()).toBe("");
});

test("a released migration is as it was, and those that are not released yet come after it", async () => {
  const released = (await readFile(`${root}/test/released/migrations.sha256`, "utf8")).trimEnd().split("\n");
  const hashes = await Promise.all(
    migrationFiles.map(async (file) => `${hash("sha256", await readFile(file))}  ${basename(file)}`),
  );
  const message = "a released migration is never edited or taken away, and nothing is put before it: write another one";
  expect(hashes.slice(0, released.length), message).toEqual(released);
});
