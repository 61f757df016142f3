// npm run check-database (docs/operate/backup-and-restore.md, Check the database): whatever differs from the migrations
// is named, of each kind something is damaged here, one at a time.
import pg from "pg";
import { afterAll, expect, test } from "vitest";
import { findings } from "../../scripts/check_database/findings.ts";
import { runSql } from "../../scripts/stack/database.ts";
import { changesBetween } from "../../scripts/stack/difference.ts";
import { checkDatabase } from "../support/check_database.ts";
import { newProject, removeProjects } from "../support/two_projects.ts";

const wanted = await newProject();
const pool = (url: string) => new pg.Pool({ connectionString: url, max: 1 });
const there = pool(wanted.url);
afterAll(async () => {
  await there.end();
  await removeProjects();
});

/** What differs in a project after these statements of a superuser. */
async function found(damage: string): Promise<string[]> {
  const { sql, url } = await newProject();
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
const trigger =
  "create function app.more() returns trigger language plpgsql as 'begin return new; end'; alter function app.more owner to postgres";

test.each<[damage: string, ...named: unknown[]]>([
  ["select 'nothing'"],
  // Added.
  ["create policy more on app.kudos using (true)", added("policy more on app.kudos")],
  ["create rule more as on insert to app.kudos do instead nothing", added("rule more on app.kudos")],
  [
    `${trigger}; create trigger more before insert on app.kudos for each row execute function app.more()`,
    added("trigger more on app.kudos"),
    added("function app.more"),
  ],
  ["create table app.more (id integer); alter table app.more owner to postgres", added("table app.more")],
  [
    "alter default privileges for role postgres in schema app grant select on tables to anon",
    expect.stringMatching(/rights/),
  ],
  ["grant select on app.members to anon", rights("table app.members")],
  ["grant execute on function app.authenticate to public", rights("function app.authenticate")],
  // Weakened.
  [
    "alter policy api_read on app.kudos using (company_id = app.current_company_id() or true)",
    differs("policy api_read on app.kudos"),
  ],
  ["alter table app.kudos disable row level security", differs("table app.kudos")],
  ["alter view lists.members set (security_invoker = false)", differs("view lists.members")],
  [
    "create or replace function app.most_groups() returns integer language sql stable set search_path = '' return 9",
    differs("function app.most_groups"),
  ],
  [
    "alter table app.kudos drop constraint kudos_message_length, add constraint kudos_message_length check (message <> '' or true)",
    differs("constraint kudos_message_length on app.kudos"),
  ],
  ["alter table app.kudos alter message drop not null", differs("column message on app.kudos")],
  ["alter table app.kudos set unlogged", differs("table app.kudos")],
  ["alter table app.kudos disable trigger number_insert", differs("trigger number_insert on app.kudos")],
  [
    "update pg_index set indisvalid = false where indexrelid = 'app.kudos_newest'::regclass",
    differs("index app.kudos_newest"),
  ],
  ["alter function public.list_members owner to postgres", expect.stringMatching(/^function public.list_members /)],
  // Lost.
  ["drop policy api_read on app.rewards", missing("policy api_read on app.rewards")],
  ["drop trigger record_deletions on app.kudos", missing("trigger record_deletions on app.kudos")],
  ["drop index app.kudos_changed", missing("index app.kudos_changed")],
  ["alter table app.kudos alter created_at drop default", missing("default created_at on app.kudos")],
  [
    "alter table app.kudos drop constraint kudos_message_length",
    missing("constraint kudos_message_length on app.kudos"),
  ],
  [
    "alter table app.rewards drop column image_url cascade",
    missing("column image_url on app.rewards"),
    rights("table app.rewards"),
    missing("view lists.rewards"),
    missing("view lists.rewards_with"),
  ],
  ["revoke execute on function public.list_teams from service_role", rights("function public.list_teams")],
  ["revoke usage on schema app from service_role", rights("schema app")],
  ["alter table app.pulse_questions owner to supabase_admin", missing("table app.pulse_questions")],
  // What operators may have.
  ["create index mine on app.kudos (created_at)"],
  [
    "create or replace function app.max_replica_lag() returns interval language sql stable set search_path = '' return interval '1 minute'",
  ],
  ["grant usage on schema app to pg_monitor; grant select, insert on app.kudos to pg_monitor"],
  [
    "create table public.mine (id integer); create function public.mine() returns integer language sql return 1; create schema own",
  ],
])("%s", async (damage, ...named) => {
  const here = await found(damage);
  expect(here).toEqual(expect.arrayContaining(named));
  expect(here).toHaveLength(named.length);
});

test("after a restore without rights, the statements that it names bring them back", async () => {
  const project = await newProject();
  const roles = "public_api, authenticated, service_role";
  await project.sql.unsafe(`revoke all on schema app, lists from ${roles};
    revoke all on all tables in schema app, lists from ${roles};
    revoke all on all functions in schema app, lists, public from ${roles}`);
  const [here, all] = [pool(project.url), await checkDatabase(project)];
  const statements = [...all.matchAll(/ has other rights, not: (.*)/g)].map(([, sql]) => sql);
  expect(statements.length).toBeGreaterThan(40);
  await runSql(project.url, statements.join(";\n"));
  expect(findings(await changesBetween(here, there))).toEqual([]);
  await here.end();
});
