// npm run migration and npm run release (CONTRIBUTING.md), on a copy of the project: the migration for a change in
// sql/schema, what a release writes, and the output when there is nothing to write or something is wrong.
import { hash } from "node:crypto";
import { appendFile, cp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { version } from "../../functions/public-api/table/endpoints.ts";
import { mayBeBuiltBefore } from "../../scripts/migration/built_before.ts";
import { runSql } from "../../scripts/stack/database.ts";
import { root } from "../../scripts/stack/process.ts";
import { runProgram, workFolder } from "../support/command_line.ts";
import { newDatabase, removeProjects } from "../support/two_projects.ts";

/** The files that a release writes, beside the hashes of migrations. */
const releasedFiles = ["CHANGELOG.md", "docs/openapi.json", "docs/openapi.released.json"];

const folder = workFolder();
afterAll(removeProjects);
beforeAll(async () => {
  await symlink(`${root}/node_modules`, `${folder}/node_modules`);
  for (const part of ["package.json", "scripts", "functions", "cli"])
    await cp(`${root}/${part}`, `${folder}/${part}`, { recursive: true });
});
beforeEach(async () => {
  for (const part of ["sql", "supabase", "test/released", ...releasedFiles]) {
    await rm(`${folder}/${part}`, { recursive: true, force: true });
    await cp(`${root}/${part}`, `${folder}/${part}`, { recursive: true });
  }
});

const migration = (...args: string[]) =>
  runProgram(process.execPath, ["scripts/migration.ts", ...args], folder, process.env);
const read = (file: string) => readFile(`${folder}/${file}`, "utf8");
const put = (file: string, text: string) => writeFile(`${folder}/${file}`, text);
const files = async () => (await readdir(`${folder}/supabase/migrations`)).sort();
const before = (await readdir(`${root}/supabase/migrations`)).sort();

const change = `
  alter table app.teams add column floor integer;
  create index teams_floor on app.teams (company_id, floor);
  create function public.probe(key_hash text) returns json language plpgsql volatile security definer set search_path = ''
  as $$ begin perform app.authenticate(key_hash, null); return '{}'; end $$;
  grant create on schema public to public_api;
  alter function public.probe owner to public_api;
  revoke create on schema public from public_api;
  revoke all on function public.probe from public, anon, authenticated;
  grant execute on function public.probe to service_role;
  comment on table app.teams is 'Teams, each on a floor.';`;

test("a change of sql/schema becomes a migration in time limits; with it the two make the same database; --squash puts a few in place of those that are not released, and keeps what is by hand", async () => {
  await appendFile(`${folder}/sql/schema/0999_probe.sql`, change);
  const written = await migration("floors_of_teams");
  expect(written).toMatchObject({ code: 0, stderr: "" });
  const [file = ""] = (await files()).filter((name) => !before.includes(name));
  expect(await files()).toEqual([...before, file]);
  expect(file).toMatch(/^\d{14}_floors_of_teams\.sql$/);
  expect(written.stdout).toMatch(`supabase/migrations/${file} is written. Read it`);

  const text = await readFile(`${folder}/supabase/migrations/${file}`, "utf8");
  expect(text.split("\n").slice(0, 2)).toEqual(["set lock_timeout = '2s';", "set statement_timeout = '60s';"]);
  expect(text).toMatch(/ALTER TABLE "?app"?\."?teams"?\s+ADD COLUMN "?floor"? integer/);
  expect(text).toMatch(/COMMENT ON TABLE "?app"?\."?teams"? IS 'Teams, each on a floor\.'/);
  const index = "CREATE INDEX IF NOT EXISTS teams_floor ON app.teams USING btree (company_id, floor);";
  expect(text).toContain(`${index}\ndo $do$`);
  // To make public_api the owner of an object, the migration needs this right, and only for that time.
  const [granted, revoked] = ["grant create on schema public to", "revoke create on schema public from"];
  expect(text).toMatch(new RegExp(`${granted} public_api;[^]* OWNER TO "?public_api"?[^]*${revoked} public_api;`));

  const nothing = "supabase/migrations and sql/schema make the same database: there is nothing to write\n";
  expect(await migration("floors_of_teams")).toEqual({ code: 0, stdout: nothing, stderr: "" });
  expect(await files()).toEqual([...before, file]);

  const cellar = "alter table app.teams add column cellar integer;\n";
  const floors = ["api_keys", "api_key_uses"].map((table) => `alter table app.${table} add column floor integer;`);
  await appendFile(`${folder}/sql/schema/0999_probe.sql`, cellar + floors.join("\n"));
  const first = "-- By hand, first: the others need it.\n";
  await put("supabase/migrations/29991231000000_cellars.sql", first + cellar);
  const hand = "-- By hand: rows.\nupdate app.teams set floor = 1, cellar = 1;\n";
  await put("supabase/migrations/29991231000000_floors.sql", hand);
  const hashes = await read("test/released/migrations.sha256");
  const released = before.filter((name) => hashes.includes(name));

  const squashed = await migration("--squash");
  expect(squashed).toMatchObject({ code: 0, stderr: "" });
  const names = (await files()).slice(released.length).map((name) => name.replace(/^\d{14}_|\.sql$/g, ""));
  expect((await files()).slice(0, released.length)).toEqual(released);
  expect(names.length).toBeLessThan(12);
  expect(names).toEqual(expect.arrayContaining(["tables_of_keys", "functions", "cellars"]));
  expect(names.indexOf("cellars")).toBeLessThan(names.indexOf("tables_of_keys"));
  expect(names.at(-1)).toBe("floors");
  const keys = (await files()).find((name) => name.endsWith("_tables_of_keys.sql") && !released.includes(name));
  const altered = (await read(`supabase/migrations/${keys}`)).match(/(?<=^ALTER TABLE "app"\.")\w+/gm);
  expect([...new Set(altered)], "as a request locks them").toEqual(["api_keys", "api_key_uses"]);
  expect(await read(`supabase/migrations/${(await files()).at(-1)}`)).toBe(hand);
  expect((await migration("floors_of_teams")).stdout).toBe(nothing);
});

test("an index that was built before passes where it is valid and has the same definition, and no other does", async () => {
  const { url, sql } = await newDatabase();
  await runSql(url, "create schema app; create table app.x (a integer, b integer)");
  const text = mayBeBuiltBefore("CREATE INDEX x_a ON app.x USING btree (a, b DESC) WHERE (b > 0);");
  await runSql(url, text);
  await runSql(url, text);
  await runSql(url, "drop index app.x_a");
  await runSql(url, "create index concurrently x_a on app.x (a, b desc) where b > 0");
  await runSql(url, text);
  const indexes = await sql`select indisvalid from pg_index where indrelid = 'app.x'::regclass`;
  expect([...indexes]).toEqual([{ indisvalid: true }]);
  const refusal =
    "app.x_a is invalid or has another definition: drop it, then build it as docs/operate/upgrade.md says";
  await sql`update pg_index set indisvalid = false where indexrelid = 'app.x_a'::regclass`;
  await expect(runSql(url, text)).rejects.toThrow(refusal);
  await runSql(url, "drop index app.x_a; create index x_a on app.x (a)");
  await expect(runSql(url, text)).rejects.toThrow(refusal);
});

test.each([[[]], [["../floors"]], [["--squash", "floors"]]])("%j is no name: it prints its usage", async (args) => {
  const refused = await migration(...args);
  expect(refused).toMatchObject({ code: 2, stdout: "" });
  expect(refused.stderr).toMatch(/^Usage: npm run migration -- <name>/);
  expect(await files()).toEqual(before);
});

test.each([
  ["sql/schema/0999_probe.sql", "create table app.probe (id uui);", 'type "uui" does not exist'],
  ["supabase/migrations/29991231000000_probe.sql", "drop table app.nothing;", 'table "nothing" does not exist'],
])("a mistake in %s is one line that names the file, and nothing is written", async (path, text, problem) => {
  await writeFile(`${folder}/${path}`, text);
  const present = await files();
  expect(await migration("probe")).toEqual({ code: 1, stdout: "", stderr: `${path}: ${problem}\n` });
  expect(await files()).toEqual(present);
});

test("npm run release dates the change log, sets the baseline and freezes the migrations, all at once, and once", async () => {
  const everything = () => Promise.all([...releasedFiles, "test/released/migrations.sha256"].map(read));
  const release = (over = ["--over", "none"]) =>
    runProgram(process.execPath, ["scripts/release.ts", ...over], folder, process.env);
  const older = (await read("docs/openapi.json")).replace(/"version": "[^"]+"/, '"version": "1.0.0"');
  await put("docs/openapi.released.json", older);
  await put("CHANGELOG.md", (await read("CHANGELOG.md")).replace(`\n## ${version}`, `\n## unreleased`));
  await put("supabase/migrations/29991231000000_probe.sql", "select 1;\n");
  const present = await everything();
  const missing = expect.stringContaining(`no section ## ${version} without`);
  expect(await release()).toMatchObject({ code: 1, stderr: missing });
  expect(await everything()).toEqual(present);

  const results = "scripts/bench/results.md";
  const git = async (command: string) => (await runProgram("git", command.split(" "), folder, process.env)).stdout;
  const commit = async () => {
    await git("add --all");
    await git("-c user.name=Test -c user.email=test@example.com commit --quiet --message=Test");
    return (await git("rev-parse --short HEAD")).trim();
  };
  const measured = async (of: string, at: string) =>
    put(results, (await read(results)).replace(/^Version \S+, commit \S+:/m, `Version ${of}, commit ${at}:`));
  await git("init --quiet");
  const first = await commit();
  await measured("1.0.0", first);
  expect((await release()).stderr).toContain(`${results} is of version 1.0.0: npm run bench -- --write`);
  await put("sql/schema/0999_probe.sql", "select 1;\n");
  const second = await commit();
  for (const stale of [first, `${second}-dirty`, "0000000"]) {
    await measured(version, stale);
    expect((await release()).stderr).toContain(`${results} is of commit ${stale}, and more has changed since`);
  }
  await measured(version, second);
  await commit();
  await put("CHANGELOG.md", (await read("CHANGELOG.md")).replace(/\n## unreleased.*/, `\n## ${version}`));
  expect((await release([])).stderr).toContain("say over which Data API the API tests of this commit passed");
  expect(await release()).toMatchObject({ code: 0, stderr: "" });
  const dated = `\n## ${version} (${new Date().toISOString().slice(0, 10)})\n\nNo real Data API ran the tests`;
  expect(await read("CHANGELOG.md")).toContain(dated);
  expect(await read("docs/openapi.released.json")).toBe(await read("docs/openapi.json"));
  const frozen = `\n${hash("sha256", "select 1;\n")}  29991231000000_probe.sql\n`;
  expect((await read("test/released/migrations.sha256")).endsWith(frozen)).toBe(true);
  const released = await everything();
  expect(await release()).toMatchObject({ code: 1, stderr: expect.stringContaining(`${version} is released already`) });
  expect(await everything()).toEqual(released);
});
