// sql/commands/check.sql (docs/operate/backup-and-restore.md): it finds with psql alone what a restore can lose without
// an error, and sql/commands/repair.sql repairs it. What differs besides: check_database.test.ts.
import { glob, readFile } from "node:fs/promises";
import postgres, { type TransactionSql } from "postgres";
import { afterAll, expect, test } from "vitest";
import { root } from "../../scripts/stack/process.ts";
import { createCompany } from "../support/project_companies.ts";
import { newProject, removeProjects } from "../support/two_projects.ts";

/** A script without the commands of psql. */
const script = async (name: string) => (await readFile(`${root}/sql/commands/${name}`, "utf8")).replace(/^\\.*$/gm, "");
const [check, repair] = [await script("check.sql"), await script("repair.sql")];

const { url, sql: superuser } = await newProject();
/** The operator, the non-superuser postgres. */
const sql = postgres(url, { max: 1, onnotice: () => {} });
await createCompany(superuser, "Checked");
afterAll(async () => {
  await sql.end();
  await removeProjects();
});

/** Runs something, by default as a superuser, and rolls it back. */
async function tryOut<T>(use: (tx: TransactionSql) => Promise<T>, by = superuser): Promise<T> {
  const tried = by.begin(async (tx) => {
    throw { result: await use(tx) };
  });
  const { result } = await tried.catch((thrown) => ("result" in thrown ? thrown : Promise.reject(thrown)));
  return result;
}

/** What check.sql finds after this statement, without the arguments of functions. */
async function problems(tx: TransactionSql, statement = "select"): Promise<string[]> {
  await tx.unsafe(statement);
  const results = (await tx.unsafe(check)) as unknown as Record<"what" | "problem" | "remedy", string>[][];
  return (results.at(-1) ?? []).map(({ what, problem, remedy }) => {
    expect(remedy, `what to do about ${what} ${problem}`).toMatch(/\w/);
    return `${what.replace(/^(routine .*?)\(.*/, "$1")} ${problem}`;
  });
}

/** The functions that serve API keys: those that public_api owns. */
const serving = (await sql`select proname as name from pg_proc where proowner = 'public_api'::regrole`)
  .map(({ name }) => `public.${name}`)
  .sort();

test.each([
  ["owner", "alter function % owner to postgres", "must belong to public_api, not to postgres"],
  ["rights", "revoke all on function % from service_role", "must be granted to service_role: EXECUTE"],
  ["secrecy", "grant execute on function % to public", "must not be granted to public: EXECUTE"],
])("functions that lost their %s are named, and mended by repair.sql", async (_what, loss, named) => {
  await tryOut(async (tx) => {
    const losses = serving.map((name) => loss.replaceAll("%", name));
    expect(await problems(tx, losses.join(";"))).toEqual(serving.map((name) => `routine ${name} ${named}`));
    for (const _time of ["once", "again"]) expect(await problems(tx, repair)).toEqual([]);
  }, sql);
});

const logged = "the secret key and key hashes would be logged";

test("every operator's script stops at an error, prints no tags of commands, and lifts the limit of a statement", async () => {
  const names = await Array.fromAsync(glob("**/*.sql", { cwd: `${root}/sql/commands`, exclude: ["logs/**"] }));
  expect(names.length).toBeGreaterThan(6);
  for (const name of names) {
    const text = await readFile(`${root}/sql/commands/${name}`, "utf8");
    const begin = "\\set ON_ERROR_STOP on \\set QUIET on\nset statement_timeout = 0;\n";
    expect(text.replace(/^(--.*\n|\n)+/, "").slice(0, begin.length), name).toBe(begin);
  }
});

const attributes = "must not be a superuser, bypass row-level security, inherit or sign in";

/** What a restore can lose or somebody can weaken, and what check.sql prints. More: test/serial/roles.test.ts. */
const losses: Record<string, unknown> = {
  "select 'nothing is lost'": "",
  // Functions and policies that are not ours, as those of pg_cron.
  "create function public.secret() returns text return current_setting('app.settings.jwt_secret', true)": "",
  "create table public.jobs (id integer); create policy own_jobs on public.jobs using (true)": "",
  "alter role public_api bypassrls": `role public_api ${attributes}`,
  "alter role public_api inherit": `role public_api ${attributes}`,
  "alter role public_api login": `role public_api ${attributes}`,
  "grant create on schema public to postgres; alter view lists.members owner to supabase_admin":
    "view lists.members must belong to postgres, not to supabase_admin",
  "alter function app.wants_second_factor owner to public_api":
    "routine app.wants_second_factor must belong to postgres, not to public_api",
  "revoke usage on schema app from authenticated": "schema app must be granted to authenticated: USAGE",
  // As 1.3.0 was: the Data API answers each request with 500.
  "revoke usage on schema app from service_role": "schema app must be granted to service_role: USAGE",
  "grant execute on function app.admit to anon": "routine app.admit must not be granted to anon: EXECUTE",
  "grant select on app.day_ratings to service_role":
    "table app.day_ratings must not be granted to service_role: SELECT",
  "create policy more on app.kudos using (true)": "policy more on app.kudos must depend on the company or the admin",
  "alter table app.kudos disable row level security": "table app.kudos must have row-level security enabled",
  "alter view lists.members reset (security_invoker)": "view lists.members must have security_invoker",
  "set local session_replication_role = replica; update app.members set changed_in = '9000000000000000000'":
    "table app.members must have numbers of this server in changed_in",
  "set local log_parameter_max_length_on_error = -1": `setting log_parameter_max_length_on_error must be 0: ${logged} with an error`,
};

test.each(Object.entries(losses))("%s", async (loss, named) => {
  expect((await tryOut((tx) => problems(tx, loss))).join()).toEqual(named);
});

test("with an owner to whom row security shows no factor, the keys are closed and not open", async () => {
  const call = (tx: TransactionSql) => tx.savepoint((inner) => inner`select app.wants_second_factor() as wants`);
  await tryOut(async (tx) => {
    await tx`grant usage on schema auth to public_api`;
    await tx`grant select on auth.mfa_factors to public_api`;
    expect(await call(tx)).toEqual([{ wants: false }]);
    await tx`alter function app.wants_second_factor owner to public_api`;
    const why = 'query would be affected by row-level security policy for table "mfa_factors"';
    await expect(call(tx)).rejects.toThrow(why);
  });
});

test("names of categories that were written while triggers were off are found, and mended by sql/commands/repair.sql", async () => {
  await tryOut(async (tx) => {
    await tx`insert into app.categories (company_id) select id from app.companies`;
    await tx`set local session_replication_role = replica`;
    await tx`insert into app.category_names select company_id, id, 'en', 'Teamwork' from app.categories`;
    const found = await problems(tx, "set local session_replication_role = origin");
    expect(found[0]).toMatch(/^company .* must have the names of app.category_name in app.categories: 1 differ$/);
    expect(await problems(tx, repair)).not.toContain(found[0]);
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
  });
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
  });
});
