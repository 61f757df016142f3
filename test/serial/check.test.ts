// sql/check.sql (docs/operations.md, Restore): it finds what a restore can lose without an error, and
// sql/repair.sql repairs it.
import { readFile } from "node:fs/promises";
import type { TransactionSql } from "postgres";
import { expect, test } from "vitest";
import { withDatabase } from "../../scripts/stack/database.ts";
import { root } from "../../scripts/stack/process.ts";
import { first, sql, stack } from "../support/stack.ts";

const check = await readFile(`${root}/sql/check.sql`, "utf8");
const repair = await readFile(`${root}/sql/repair.sql`, "utf8");

/** Runs something as an operator, the non-superuser postgres, and rolls it back. */
async function tryOut<T>(use: (tx: TransactionSql) => Promise<T>): Promise<T> {
  const undo = new Error("undo");
  let result: T | undefined;
  await withDatabase(stack.database_url, (connection) =>
    connection.begin(async (tx) => {
      result = await use(tx);
      throw undo;
    }),
  ).catch((error) => {
    if (error !== undo) throw error;
  });
  return result as T;
}

const problems = async (tx: TransactionSql): Promise<string[]> =>
  (await tx.unsafe(check)).map(({ what, problem }) => `${what} ${problem}`);

/** The functions that serve API keys: those that public_api owns. */
const serving = (await sql`select oid::regprocedure::text as name from pg_proc where proowner = 'public_api'::regrole`)
  .map(({ name }) => name)
  .sort();

test("a database as the migrations make it has no problem", async () => {
  expect(await tryOut(problems)).toEqual([]);
});

test("functions that lost their owner are named, refuse to run, and are mended by sql/repair.sql", async () => {
  await tryOut(async (tx) => {
    const readMembers = () =>
      tx.savepoint(async (inner) => {
        await inner`set local role service_role`;
        await inner`select public.list_members(encode(sha256(${first.key}::bytea), 'hex'), 1)`;
        await inner`reset role`;
      });
    await readMembers();

    for (const name of serving) await tx.unsafe(`alter function public.${name} owner to postgres`);
    expect(await problems(tx)).toEqual(
      serving.map((name) => `function ${name} must belong to public_api, not to postgres`),
    );
    await expect(readMembers()).rejects.toThrow("row-level security does not bind postgres");

    await tx.unsafe(repair);
    expect(await problems(tx)).toEqual([]);
    await readMembers();
  });
});

test("functions that lost their rights are named, and mended by sql/repair.sql, as often as it is run", async () => {
  await tryOut(async (tx) => {
    for (const name of serving) {
      await tx.unsafe(`
        revoke all on function public.${name} from service_role;
        grant execute on function public.${name} to public`);
    }
    const named = serving.flatMap((name) =>
      ["anon", "authenticated"].map((role) => `function ${name} must not be executable by ${role}`),
    );
    expect(await problems(tx)).toEqual(named);
    await tx.unsafe(repair);
    await tx.unsafe(repair);
    expect(await problems(tx)).toEqual([]);
  });
});

test("functions in public that are not ours are none of its business, whoever owns or may call them", async () => {
  const found = await tryOut(async (tx) => {
    await tx.unsafe(`
      create function public.rls_auto_enable() returns void language plpgsql security definer as $$
      begin
        perform current_setting('app.settings.jwt_secret', true);
      end
      $$;
      create function public.total(numeric) returns numeric language sql return $1 + 1;
      create aggregate public.product(numeric) (sfunc = numeric_mul, stype = numeric);
      grant execute on function public.rls_auto_enable() to anon, authenticated, service_role`);
    return problems(tx);
  });
  expect(found).toEqual([]);
});

test("every function that the Data API may call is looked at", async () => {
  const inPublic = sql`
    select p.oid::regprocedure::text as name from pg_proc as p
    where p.pronamespace = 'public'::regnamespace
      and not exists (select from pg_depend as d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')`;
  const names = (await inPublic).map(({ name }) => name);
  expect(names.length).toBeGreaterThan(0);
  const found = await tryOut(async (tx) => {
    for (const name of names) await tx.unsafe(`grant execute on function public.${name} to anon`);
    return problems(tx);
  });
  expect(found).toEqual(names.map((name) => `function ${name} must not be executable by anon`).sort());
});

const losses: [loss: string, ...named: string[]][] = [
  [
    "alter role public_api bypassrls",
    "role public_api must not be a superuser, bypass row-level security, inherit or sign in",
  ],
  [
    "grant execute on function public.upsert_rewards(text, text) to anon",
    "function upsert_rewards(text,text) must not be executable by anon",
  ],
  [
    "grant execute on function public.list_api_keys() to public",
    "function list_api_keys() must not be executable by anon",
    "function list_api_keys() must not be executable by public_api",
    "function list_api_keys() must not be executable by service_role",
  ],
  [
    "revoke execute on function public.list_rewards from service_role",
    "function list_rewards(text,integer,boolean,uuid,text[]) must be executable by service_role",
  ],
  [
    "grant execute on function app.authenticate(text, text) to service_role",
    "function app.authenticate(text,text) must not be executable by service_role",
  ],
  ["alter table app.kudos disable row level security", "table app.kudos must have row-level security enabled"],
  [
    "alter table staging.members disable row level security",
    "table staging.members must have row-level security enabled",
  ],
  ["alter view api.members reset (security_invoker)", "view api.members must have security_invoker"],
  ["revoke select on api.activity from public_api", "view api.activity must be readable by public_api"],
  [
    "revoke select on app.teams from public_api",
    "table app.teams must be granted to public_api, it has a policy for it",
  ],
  ["drop policy api_read on app.kudos", "table app.kudos must have a policy for public_api, or not be granted to it"],
  [
    "grant select on app.day_ratings to service_role",
    "table app.day_ratings must have a policy for service_role, or not be granted to it",
  ],
  ["alter table app.api_keys disable trigger make_api_key", "trigger make_api_key must be enabled on app.api_keys"],
  [
    "drop trigger record_deletions on app.kudos",
    "trigger record_deletions must exist on app.kudos: copies of the lists would miss changes",
  ],
  [
    "alter table app.kudos disable trigger user; update app.kudos set changed_in = '9000000000000000000'; alter table app.kudos enable trigger user",
    "table app.kudos must have numbers of this server in changed_in: run sql/repair.sql",
  ],
];

test.each(losses)("%s", async (loss, ...named) => {
  const found = await tryOut(async (tx) => {
    await tx.unsafe(loss);
    return problems(tx);
  });
  expect(found).toEqual(named);
});

const logged = "must be %s while log_parameter_max_length is not 0: the secret key and key hashes would be logged";

test.each([
  [["log_statement", "all"], `setting log_statement ${logged.replace("%s", "none or ddl")}`],
  [["log_statement", "mod"], `setting log_statement ${logged.replace("%s", "none or ddl")}`],
  [["log_min_duration_statement", "1000"], `setting log_min_duration_statement ${logged.replace("%s", "-1")}`],
  [["log_min_duration_sample", "1000"], `setting log_min_duration_sample ${logged.replace("%s", "-1")}`],
  [["log_transaction_sample_rate", "0.1"], `setting log_transaction_sample_rate ${logged.replace("%s", "0")}`],
  [
    ["log_parameter_max_length_on_error", "-1"],
    "setting log_parameter_max_length_on_error must be 0: the secret key and key hashes would be logged with an error",
  ],
] as const)("statements that would be logged with their parameters are found: %s", async ([name, value], problem) => {
  await sql
    .begin(async (tx) => {
      await tx.unsafe(`set local ${name} = '${value}'`);
      expect(await problems(tx)).toEqual([problem]);
      await tx`set local log_parameter_max_length = 0`;
      await tx`set local log_parameter_max_length_on_error = 0`;
      expect(await problems(tx)).toEqual([]);
      await tx`set local log_parameter_max_length = -1`;
      await tx.unsafe(`reset ${name}`);
      await tx.unsafe(`alter role authenticator set ${name} = '${value}'`);
      const kept = name === "log_parameter_max_length_on_error" ? [] : [problem];
      expect(await problems(tx), "kept for the role that requests come in with").toEqual(kept);
      await tx`alter role authenticator set log_parameter_max_length = 0`;
      expect(await problems(tx)).toEqual([]);
      throw new Error("undo");
    })
    .catch((error: Error) => {
      if (error.message !== "undo") throw error;
    });
});

test("auto_explain, which logs parameters whatever the other settings say, is found for the roles of requests", async () => {
  const named = (role: string) =>
    `setting auto_explain.log_min_duration must be -1 for ${role}: the secret key and key hashes would be logged`;
  await sql
    .begin(async (tx) => {
      await tx`load 'auto_explain'`;
      expect(await problems(tx)).toEqual([]);
      await tx`set local auto_explain.log_min_duration = 0`;
      await tx`alter role service_role set auto_explain.log_min_duration = 1000`;
      await tx`alter role authenticator set log_parameter_max_length = 0`;
      expect(await problems(tx)).toEqual([named("authenticator"), named("service_role")]);
      await tx`alter role authenticator set auto_explain.log_min_duration = -1`;
      await tx`alter role service_role reset auto_explain.log_min_duration`;
      expect(await problems(tx)).toEqual([]);
      throw new Error("undo");
    })
    .catch((error: Error) => {
      if (error.message !== "undo") throw error;
    });
});
