// sql/commands/check.sql (docs/operations.md, Restore): it finds what a restore can lose without an error, and
// sql/commands/repair.sql repairs it.
import { readFile } from "node:fs/promises";
import postgres, { type TransactionSql } from "postgres";
import { afterAll, expect, test } from "vitest";
import { root } from "../../scripts/stack/process.ts";
import { createCompany, newProject, removeProjects } from "../support/two_projects.ts";

const check = await readFile(`${root}/sql/commands/check.sql`, "utf8");
const repair = await readFile(`${root}/sql/commands/repair.sql`, "utf8");

const { url, sql: superuser } = await newProject();
/** The operator, the non-superuser postgres. */
const sql = postgres(url, { max: 1, onnotice: () => {} });
await createCompany(superuser, "Checked");
afterAll(async () => {
  await sql.end();
  await removeProjects();
});

/** Runs something as an operator, and rolls it back. */
async function tryOut<T>(use: (tx: TransactionSql) => Promise<T>, by = sql): Promise<T> {
  let result: T | undefined;
  const undo = new Error("undo");
  const undone = by.begin(async (tx) => {
    result = await use(tx);
    throw undo;
  });
  await expect(undone).rejects.toBe(undo);
  return result as T;
}

/** What check.sql finds after this statement. */
async function problems(tx: TransactionSql, statement = "select"): Promise<string[]> {
  await tx.unsafe(statement);
  return (await tx.unsafe(check)).map(({ what, problem, remedy }) => {
    expect(remedy, `what to do about ${what} ${problem}`).toMatch(/\w/);
    return `${what} ${problem}`;
  });
}

/** The functions that serve API keys: those that public_api owns. */
const serving = (await sql`select oid::regprocedure::text as name from pg_proc where proowner = 'public_api'::regrole`)
  .map(({ name }) => name)
  .sort();

test.each([
  ["owner", "alter function public.% owner to postgres", ["must belong to public_api, not to postgres"]],
  [
    "rights",
    "revoke all on function public.% from service_role; grant execute on function public.% to public",
    ["must not be executable by anon", "must not be executable by authenticated"],
  ],
])(
  "functions that lost their %s are named, and mended by sql/commands/repair.sql, as often as it is run",
  async (_what, loss, named) => {
    await tryOut(async (tx) => {
      const losses = serving.map((name) => loss.replaceAll("%", name));
      const found = serving.flatMap((name) => named.map((problem) => `function ${name} ${problem}`));
      expect(await problems(tx, losses.join(";"))).toEqual(found);
      for (const _time of ["once", "again"]) expect(await problems(tx, repair)).toEqual([]);
    });
  },
);

test("every function that the Data API may call is looked at", async () => {
  const inPublic = await sql`
    select p.oid::regprocedure::text as name from pg_proc as p
    where p.pronamespace = 'public'::regnamespace
      and not exists (select from pg_depend as d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')`;
  const names = inPublic.map(({ name }) => name).sort();
  expect(names).toEqual(expect.arrayContaining(serving));
  const statements = names.map((name) => `grant execute on function public.${name} to anon`);
  expect(await tryOut((tx) => problems(tx, statements.join(";")))).toEqual(
    names.map((name) => `function ${name} must not be executable by anon`),
  );
});

const logged = "the secret key and key hashes would be logged";

/** What a restore can lose, and what check.sql prints. */
const losses: Record<string, string> = {
  "select 'nothing is lost'": "",
  // Functions that are not ours, whatever their owner and grants.
  "create function public.secret() returns text return current_setting('app.settings.jwt_secret', true)": "",
  "create aggregate public.product(numeric) (sfunc = numeric_mul, stype = numeric)": "",
  // Nor policies for everybody, as those of pg_cron.
  "create table public.jobs (id integer); create policy own_jobs on public.jobs using (true)": "",
  ...Object.fromEntries(
    ["bypassrls", "inherit", "login"].map((right) => [
      `alter role public_api ${right}`,
      "role public_api must not be a superuser, bypass row-level security, inherit or sign in",
    ]),
  ),
  "grant execute on function public.list_api_keys() to public": ["anon", "public_api", "service_role"]
    .map((role) => `function list_api_keys() must not be executable by ${role}`)
    .join(),
  "revoke execute on function public.list_teams from service_role":
    "function list_teams(text,integer,uuid) must be executable by service_role",
  "grant execute on function app.authenticate(text, text) to service_role":
    "function app.authenticate(text,text) must not be executable by service_role",
  "revoke execute on function app.current_company_id from public_api":
    "function app.current_company_id() must be executable by public_api",
  "revoke usage on schema app from authenticated": "schema app must be usable by authenticated",
  "alter table app.kudos disable row level security": "table app.kudos must have row-level security enabled",
  "alter table staging.teams disable row level security": "table staging.teams must have row-level security enabled",
  "alter view api.members reset (security_invoker)": "view api.members must have security_invoker",
  "revoke select on api.activity from public_api": "view api.activity must be readable by public_api",
  "revoke select on app.teams from public_api": "table app.teams must be granted to public_api, it has a policy for it",
  "drop policy api_read on app.kudos": "table app.kudos must have a policy for public_api, or not be granted to it",
  "grant select on app.day_ratings to service_role":
    "table app.day_ratings must have a policy for service_role, or not be granted to it",
  "alter table app.api_keys disable trigger make_api_key": "trigger make_api_key must be enabled on app.api_keys",
  "drop trigger record_deletions on app.kudos":
    "trigger record_deletions must exist on app.kudos: copies of the lists would miss changes",
  "set local session_replication_role = replica; update app.members set changed_in = '9000000000000000000'":
    "table app.members must have numbers of this server in changed_in",
  "set local log_parameter_max_length_on_error = -1": `setting log_parameter_max_length_on_error must be 0: ${logged} with an error`,
};

test.each(Object.entries(losses))("%s", async (loss, named) => {
  expect((await tryOut((tx) => problems(tx, loss), superuser)).join()).toBe(named);
});

test("a restore without privileges: what is lost is named, also behind what the remedies mend", async () => {
  const roles = "public_api, authenticated, service_role";
  await tryOut(async (tx) => {
    const found = await problems(
      tx,
      `revoke all on schema app, api from ${roles};
      revoke all on all tables in schema app, api from ${roles};
      revoke all on all functions in schema app, public from ${roles};
      grant execute on all functions in schema app, public to public`,
    );
    expect(found).toContain("schema api must be usable by public_api");
    expect(found).toContain("view api.teams must be readable by public_api");
    expect(found).toContain("table app.api_keys must be granted to authenticated, it has a policy for it");
    expect(found).toContain("function app.authenticate(text,text) must not be executable by anon");
    expect(found.filter((problem) => problem.startsWith("table app.rewards "))).toHaveLength(1);
    await tx.unsafe(repair);
    /** Does what the statements among the remedies say. */
    const mend = async () => {
      const remedies = (await tx.unsafe(check)).map(({ remedy }) => remedy as string);
      for (const remedy of remedies) if (/^(grant|revoke) .*;$/.test(remedy)) await tx.unsafe(remedy);
    };
    await mend();
    const next = await problems(tx);
    expect(next).toContain("function app.authenticate(text,text) must be executable by public_api");
    expect(next).toContain("function app.current_admin() must be executable by authenticated");
    await mend();
    const left = await problems(tx);
    expect(left).toContain("view api.members must be readable by public_api");
    expect(left.filter((problem) => !/^(table|view) /.test(problem))).toEqual([]);
  });
});

test.each([
  ["log_statement", "all", "none or ddl"],
  ["log_statement", "mod", "none or ddl"],
  ["log_min_duration_statement", "1000", "-1"],
  ["log_min_duration_sample", "1000", "-1"],
  ["log_transaction_sample_rate", "0.1", "0"],
])("statements that would be logged with their parameters are found: %s = %s", async (name, value, right) => {
  const problem = `setting ${name} must be ${right} while log_parameter_max_length is not 0: ${logged}`;
  await tryOut(async (tx) => {
    expect(await problems(tx, `set local ${name} = '${value}'`)).toEqual([problem]);
    expect(await problems(tx, "set local log_parameter_max_length = 0")).toEqual([]);
    const ofRole = `reset ${name}; reset log_parameter_max_length; alter role authenticator set ${name} = '${value}'`;
    expect(await problems(tx, ofRole)).toEqual([problem]);
    expect(await problems(tx, "alter role authenticator set log_parameter_max_length = 0")).toEqual([]);
  }, superuser);
});

test("auto_explain, which logs parameters whatever the other settings say, is found for the roles of requests", async () => {
  const named = (role: string) => `setting auto_explain.log_min_duration must be -1 for ${role}: ${logged}`;
  await tryOut(async (tx) => {
    expect(await problems(tx, "load 'auto_explain'")).toEqual([]);
    const logging = `set local auto_explain.log_min_duration = 0;
      alter role service_role set auto_explain.log_min_duration = 1000;
      alter role authenticator set log_parameter_max_length = 0`;
    expect(await problems(tx, logging)).toEqual([named("authenticator"), named("service_role")]);
    const mended = `alter role authenticator set auto_explain.log_min_duration = -1;
      alter role service_role reset auto_explain.log_min_duration`;
    expect(await problems(tx, mended)).toEqual([]);
  }, superuser);
});
