// npm run check-database (docs/operate/backup-and-restore.md, Check the database): whatever differs from the migrations
// is named, of each kind something is damaged here.
import pg from "pg";
import { afterAll, expect, test } from "vitest";
import { findings } from "../../scripts/check_database/findings.ts";
import { runSql } from "../../scripts/stack/database.ts";
import { changesBetween } from "../../scripts/stack/difference.ts";
import { root } from "../../scripts/stack/process.ts";
import { startProgram } from "../support/command_line.ts";
import { newProject, type Project, removeProjects } from "../support/two_projects.ts";

const wanted = await newProject();
const pool = (url: string) => new pg.Pool({ connectionString: url, max: 1 });
const there = pool(wanted.url);
afterAll(async () => {
  await there.end();
  await removeProjects();
});

/** What differs in a project after these statements of a superuser. */
async function found({ sql, url }: Project, damage = "select"): Promise<string[]> {
  await sql.unsafe(damage);
  const here = pool(url);
  try {
    return findings(await changesBetween(here, there)).map(({ what, problem }) => `${what} ${problem}`);
  } finally {
    await here.end();
  }
}

const differs = (what: string) => `${what} differs from the migrations`;
const missing = (what: string) => `${what} is missing, or belongs to somebody else`;
const added = (what: string) => `${what} is not in the migrations`;
const rights = (what: string) => expect.stringContaining(`${what} has other rights, not: `);

const length = "constraint teams_name_length";
const invalid = "update pg_index set indisvalid = false where indexrelid = 'app.kudos_newest'::regclass";

type Damage = [statement: string, ...named: unknown[]];
/** What is done to one database of each, and what is named of it. */
const damages: Record<string, Damage[]> = {
  "what was added is named": [
    ["set role postgres"],
    ["create policy more on app.kudos using (true)", added("policy more on app.kudos")],
    ["create rule more as on insert to app.kudos do instead nothing", added("rule more on app.kudos")],
    ["create function app.more() returns trigger language plpgsql as 'begin end'", added("function app.more")],
    ["create trigger more after insert on app.kudos execute function app.more()", added("trigger more on app.kudos")],
    ["create table app.more (id integer)", added("table app.more")],
    ["alter default privileges in schema app grant select on tables to anon", expect.stringMatching(/rights/)],
    ["grant select on app.members to anon", rights("table app.members")],
    ["grant execute on function app.authenticate to public", rights("function app.authenticate")],
  ],
  "what was weakened is named": [
    ["alter policy api_read on app.kudos using (true)", differs("policy api_read on app.kudos")],
    ["alter table app.kudos disable row level security", differs("table app.kudos")],
    ["alter view lists.members set (security_invoker = false)", differs("view lists.members")],
    [
      "create or replace function app.most_groups() returns integer stable return 9",
      differs("function app.most_groups"),
    ],
    [`alter table app.teams drop ${length}, add ${length} check (true)`, differs(`${length} on app.teams`)],
    ["alter table app.kudos alter message drop not null", differs("column message on app.kudos")],
    ["alter table app.pulse_responses set unlogged", differs("table app.pulse_responses")],
    ["alter table app.kudos disable trigger number_insert", differs("trigger number_insert on app.kudos")],
    [invalid, differs("index app.kudos_newest")],
    ["alter function public.list_members owner to postgres", expect.stringMatching(/^function public.list_members /)],
  ],
  "what was lost is named": [
    ["drop policy api_read on app.teams", missing("policy api_read on app.teams")],
    ["drop trigger record_deletions on app.kudos", missing("trigger record_deletions on app.kudos")],
    ["drop index app.kudos_changed", missing("index app.kudos_changed")],
    ["alter table app.kudos alter created_at drop default", missing("default created_at on app.kudos")],
    [`alter table app.teams drop ${length}`, missing(`${length} on app.teams`)],
    [
      "alter table app.rewards drop column image_url cascade",
      ...["column image_url on app.rewards", "view lists.rewards", "view lists.rewards_with"].map(missing),
      rights("table app.rewards"),
    ],
    ["revoke execute on function public.list_teams from service_role", rights("function public.list_teams")],
    ["revoke usage on schema app from service_role", rights("schema app")],
    ["alter table app.pulse_questions owner to supabase_admin", missing("table app.pulse_questions")],
  ],
  "what operators may have is not": [
    ["create index mine on app.kudos (created_at)"],
    ["create or replace function app.max_replica_lag() returns interval stable return interval '1 minute'"],
    ["grant usage on schema app to pg_monitor; grant select, insert on app.kudos to pg_monitor"],
    ["create table public.mine (id integer); create schema own"],
    ["create function public.mine() returns integer language sql return 1"],
  ],
};

test.each(Object.entries(damages))("%s", async (_what, all) => {
  const here = await found(await newProject(), all.map(([statement]) => statement).join(";"));
  const named = all.flatMap(([, ...named]) => named);
  expect(here).toEqual(expect.arrayContaining(named));
  expect(here).toHaveLength(named.length);
});

test("after a restore without rights, the statements that are named bring them back", async () => {
  const project = await newProject();
  const roles = "public_api, authenticated, service_role";
  const named = await found(
    project,
    `revoke all on schema app, lists from ${roles};
    revoke all on all tables in schema app, lists from ${roles};
    revoke all on all functions in schema app, lists, public from ${roles}`,
  );
  const statements = named.map((one) => one.replace(/^.* has other rights, not: /, ""));
  expect(statements.length).toBeGreaterThan(40);
  await runSql(project.url, statements.join(";\n"));
  expect(await found(project)).toEqual([]);
});

/** What the command prints, without the address of the database in any argument. */
async function run({ url }: Project, code = 1): Promise<string> {
  const args = [`${root}/scripts/check_database.ts`];
  const ended = await startProgram(process.execPath, args, { env: { ...process.env, DATABASE_URL: url } }).ended;
  expect(ended.code, ended.output).toBe(code);
  return ended.output;
}

test("the command says what it compared, also of roles, and what it cannot compare", async () => {
  const project = await newProject();
  expect(await run(project, 0)).toBe("Nothing differs from the migrations\n");
  try {
    await project.sql.unsafe("alter role anon bypassrls; grant public_api to anon; drop policy api_read on app.kudos");
    expect((await run(project)).split("\n")).toEqual([
      missing("policy api_read on app.kudos"),
      "role anon is bypassrls, not not there",
      "role anon as public_api is a member, not not there",
      expect.stringMatching(/^role anon must not be/),
      expect.stringMatching(/^role anon must not be/),
      expect.stringMatching(/^table app.kudos must have a policy/),
      "6 differ",
      "",
    ]);
  } finally {
    await project.sql.unsafe("alter role anon nobypassrls; revoke public_api from anon");
  }
  await project.sql`delete from supabase_migrations.schema_migrations where version = (select max(version) from supabase_migrations.schema_migrations)`;
  expect(await run(project, 2)).toContain("push the migrations");
  expect(await run({ ...project, url: "postgres://" }, 2)).toMatch(/^DATABASE_URL must be/);
});
