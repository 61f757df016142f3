// Protections of the database, each removed by SQL. Most are read from the catalog, so that a new policy, view or
// function is tried without being listed here.
import type { Sql } from "postgres";
import { inOne } from "./in_one_function.ts";

/** A mutant: the name of the removed protection, and the SQL that removes it. */
export interface Mutant {
  name: string;
  statement: string;
}

/**
 * The definition of a function, and for each match of `from` the definition in which it is replaced; `$1` is the match's
 * first group.
 * @throws Error when there is no match
 */
async function rewritten(sql: Sql, routine: string, from: RegExp, to: string) {
  const [row] = await sql`select pg_get_functiondef(${routine}::regproc) as definition`;
  const restore: string = row?.definition;
  const places = [...restore.matchAll(new RegExp(from, "g"))].map(({ 0: text, 1: group = "", index }) => ({
    group,
    statement: restore.slice(0, index) + to.replace("$1", group) + restore.slice(index + text.length),
  }));
  const [first] = places;
  if (!first) throw new Error(`${routine} does not match ${from}`);
  return { restore, places, first };
}

async function fromCatalog(sql: Sql): Promise<Mutant[]> {
  return await sql<Mutant[]>`
    with ours as (select oid, nspname from pg_namespace where nspname in ('app', 'api', 'public', 'staging')),
    relations as (select c.oid, c.oid::regclass as relation, relkind from pg_class as c join ours on ours.oid = relnamespace),
    routines as (select p.*, p.oid::regprocedure as routine, nspname from pg_proc as p join ours on ours.oid = pronamespace)
    select format('policy %s on %s lets everything through', polname, polrelid::regclass) as name,
      format('alter policy %I on %s %s %s', polname, polrelid::regclass,
        case when polqual is not null then 'using (true)' end, case when polwithcheck is not null then 'with check (true)' end) as statement
    from pg_policy
    union all
    select format('%s without row-level security', relation), format('alter table %s disable row level security', relation)
    from relations where relkind = 'r'
    union all
    select format('view %s reads with its owner''s rights', relation), format('alter view %s set (security_invoker = false)', relation)
    from relations where relkind = 'v'
    union all
    select format('%s may read all of %s', role, relation), format('grant select on %s to %s', relation, role)
    from relations, unnest(array['anon', 'authenticated', 'service_role', 'public_api']) as role
    where relkind in ('r', 'v') and not has_table_privilege(role, oid, 'select')
    union all
    select format('%s may call %s', granted.name, routine), format('grant execute on routine %s to %s', routine, granted.role)
    from routines, (values ('everybody', 'public', 'anon'), ('service_role', 'service_role', 'service_role'),
      ('authenticated', 'authenticated', 'authenticated')) as granted (name, role, tested)
    where (tested = 'anon' or nspname = 'public') and not has_function_privilege(tested, oid, 'execute')
    union all
    select format('%s owned by postgres', routine), format('alter routine %s owner to postgres', routine)
    from routines where proowner = 'public_api'::regrole
    union all
    select format('%s marked stable', routine), format('alter function %s stable', routine)
    from routines where (proowner = 'public_api'::regrole or proname = 'authenticate') and provolatile = 'v'
    union all
    select format('%s with the caller''s search_path', routine), format('alter routine %s reset search_path', routine)
    from routines where prosecdef
    union all
    select format('%s with the owner''s rights', routine), format('alter routine %s security definer', routine)
    from routines where nspname = 'public' and not prosecdef
    union all
    -- What keeps a page cheap while the tables grow.
    select format('%s without %s', routine, setting), format('alter routine %s reset %s', routine, split_part(setting, '=', 1))
    from routines, unnest(proconfig) as setting where setting ~ '^(enable_|jit|plan_cache_mode|lock_timeout|statement_timeout)'
    union all
    select format('without trigger %s on %s', tgname, tgrelid::regclass), format('drop trigger %I on %s', tgname, tgrelid::regclass)
    from pg_trigger where not tgisinternal
    union all
    select format('without index %s', indexrelid::regclass), format('drop index %s', indexrelid::regclass)
    from pg_index join relations on oid = indrelid
    where relation::text like 'app.%' and not exists (select from pg_constraint where conindid = indexrelid)
      -- No pgTAP test needs these three.
      and indexrelid::regclass::text not in ('app.members_former', 'app.api_keys_newest', 'app.api_key_events_newest')
    union all
    select format('%s without constraint %s', conrelid::regclass, conname), format('alter table %s drop constraint %I cascade', conrelid::regclass, conname)
    from pg_constraint where contype in ('c', 'f', 'u') and connamespace = 'app'::regnamespace`;
}

/** In each function that serves API keys: the scope, the company, and the refusal to run without row-level security. */
async function inServing(sql: Sql): Promise<Mutant[]> {
  const mutants: Mutant[] = [];
  const add = async (routine: string, from: RegExp, to: string, name: (group: string, place: number) => string) => {
    const { places } = await rewritten(sql, routine, from, to);
    mutants.push(...places.map(({ group, statement }, nth) => ({ name: name(group, nth + 1), statement })));
  };
  const serving = await sql<{ name: string; text: string }[]>`
    select proname as name, prosrc as text from pg_proc where proowner = 'public_api'::regrole order by 1`;
  for (const { name, text } of serving) {
    const routine = `public.${name}`;
    const guarded = (group: string) => `${name} does not ask about the row-level security of ${group}`;
    const guard = /row_security_active\('([^']+)'::regclass\)/;
    // A function that reads many tables asks about a list of them.
    const listed = /(?<=[{,]\s*)(app\.\w+)(?=[\w.,\s]*\}'::regclass\[\])/;
    const condition = /\w+\.company_id = api_key\.company_id/;
    if (guard.test(text)) await add(routine, guard, "true", guarded);
    if (listed.test(text)) await add(routine, listed, "app.arriving_companies", guarded);
    if (name !== "verify_api_key" && text.includes("app.authenticate("))
      await add(
        routine,
        /app\.authenticate\(key_hash, [^)]+\)/,
        "app.authenticate(key_hash, null)",
        () => `${name} asks for no scope`,
      );
    if (condition.test(text))
      await add(
        routine,
        condition,
        "true",
        (_, place) => `${name} without the explicit company in its statement ${place}`,
      );
  }
  for (const routine of ["app.rarest_members_filter", "app.rarest_kudos_filter"])
    await add(routine, /limit 1000/, "", (_, place) => `${routine} counts to the end in its statement ${place}`);
  return mutants;
}

/** All mutants that the pgTAP tests must notice. */
export async function databaseMutants(sql: Sql): Promise<Mutant[]> {
  const mutants = [...(await fromCatalog(sql)), ...(await inServing(sql))];
  for (const [routine, removals] of Object.entries(inOne))
    for (const [name, from, to = ""] of removals)
      mutants.push({ name, statement: (await rewritten(sql, routine, from, to)).first.statement });
  return mutants;
}

/** What makes the rows of a page, in the statements of the list functions; each place where one of them stands is a mutant. */
const ofLists: [name: string, from: RegExp, to: string][] = [
  [
    "loses rows of the same instant",
    /\((\w+)\.instant, \w+\.id\) < \(below_instant, below_id\)/,
    "$1.instant < below_instant",
  ],
  ["leaves out rows of the very instant of since", /(\w+)\.instant >= since/, "$1.instant > since"],
  ["leaves out rows of the very instant of until", /until \+ interval '1 microsecond'/, "until"],
  ["puts the lowest id first", /(\w+)\.id desc/, "$1.id"],
  ["reads no row past the page", /limit max_rows \+ 1/, "limit max_rows"],
  ["says that there are more", /found_rows > max_rows/, "found_rows >= max_rows"],
  ["does not look at a further filter", /\(list_\w+\.\w+ is null or [^()]*\)/, "true"],
  ["does not look at its leading filter", /and \w+\.\w+ = list_\w+\.\w+/, ""],
  ["answers archived rewards", /not \w+\.is_archived/, "true"],
  ["ignores include", /include is null/, "true"],
  [
    "takes starting_after alone, without until",
    /\(after_instant, starting_after\) < \(below_instant, below_id\)/,
    "true",
  ],
  ["answers null for a name that is missing", /->> k\.category_id::text, ''\)/, "->> k.category_id::text, null)"],
];

/** A mutant of the running stack: the SQL that restores the protection, and vitest's arguments for the tests that must notice. */
export type StackMutant = Mutant & { restore: string; tests: string };

/** Mutants of the pages, which the table of all lists must notice. */
async function inLists(sql: Sql): Promise<StackMutant[]> {
  const functions = await sql<{ name: string; text: string }[]>`
    select proname as name, prosrc as text from pg_proc
    where proowner = 'public_api'::regrole and proname like 'list\\_%' and proname <> 'list_changes' order by 1`;
  const mutants: StackMutant[] = [];
  for (const [what, from, to] of ofLists) {
    const having = functions.filter(({ text }) => from.test(text));
    if (having.length === 0) throw new Error(`no list function ${what}`);
    for (const { name } of having) {
      const tests = `test/api/lists.test.ts -t ${name.replace("list_", "/").replace("_", "-")}`;
      const { restore, places } = await rewritten(sql, `public.${name}`, from, to);
      for (const [nth, { statement }] of places.entries())
        mutants.push({ name: `${name} ${what}, place ${nth + 1}`, statement, restore, tests });
    }
  }
  return mutants;
}

/** Mutants that show only with several connections, or only through the whole stack. */
export async function stackMutants(sql: Sql): Promise<StackMutant[]> {
  const weak = "decode(md5(random()::text) || md5(random()::text), 'hex')";
  const cases: [name: string, routine: string, from: RegExp, to: string, file: string][] = [
    [
      "imports are not sorted",
      "public.upsert_rewards",
      /order by sent_reward\.external_id collate "C"/,
      "",
      "hardening/imports",
    ],
    [
      "the use of a key is written on a locked row",
      "app.note_use",
      /for update skip locked/,
      "for update",
      "serial/locks",
    ],
    [
      "the company of a key outlives its transaction",
      "app.authenticate",
      /verified\.company_id::text, true\)/,
      "verified.company_id::text, false)",
      "serial/locks",
    ],
    ["a new key outlives its transaction", "app.make_api_key", /api_key, true\)/, "api_key, false)", "serial/locks"],
    ["random bytes are not refused from 248 on", "app.new_api_key", /< 248/, "< 256", "database/api_key_vectors"],
    [
      "keys from a generator that is no secret",
      "app.new_api_key",
      /extensions\.gen_random_bytes\(32\)/,
      weak,
      "database/api_key_vectors",
    ],
  ];
  const mutants: StackMutant[] = [];
  for (const [name, routine, from, to, file] of cases) {
    const { restore, first } = await rewritten(sql, routine, from, to);
    mutants.push({ name, statement: first.statement, restore, tests: `test/${file}.test.ts` });
  }
  const { restore, places } = await rewritten(
    sql,
    "public.list_members",
    /m\.company_id = api_key\.company_id/,
    "true",
  );
  const policy = "; alter policy api_read on app.members using";
  mutants.push({
    // Either of the two is enough. Without both, the answers contain members of other companies.
    name: "neither the policy nor the function names the company of a member",
    statement: `${places[1]?.statement}${policy} (true)`,
    restore: `${restore}${policy} (company_id = (select app.current_company_id()))`,
    tests: "test/hardening/isolation.test.ts",
  });
  return [...mutants, ...(await inLists(sql))];
}
