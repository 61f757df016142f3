// Protections of the database, each removed by SQL. Most are read from the catalog, so that a new policy, view or
// function is tried without being listed here.
import type { Sql } from "postgres";
import { inOne } from "./in_one_function.ts";

/** A mutant: the name of the removed protection, and the SQL that removes it. */
export interface Mutant {
  name: string;
  statement: string;
}

async function definitionOf(sql: Sql, routine: string): Promise<string> {
  const [row] = await sql<{ definition: string }[]>`
    select pg_get_functiondef(p.oid) as definition from pg_proc as p join pg_namespace as n on n.oid = p.pronamespace
    where n.nspname || '.' || p.proname = ${routine}`;
  return row?.definition ?? "";
}

/**
 * The definition of a function in which the nth match is replaced; `$1` is its first group.
 * @throws Error when there is no such match
 */
async function rewritten(sql: Sql, routine: string, from: RegExp, to: string, nth = 0): Promise<string> {
  const definition = await definitionOf(sql, routine);
  const place = [...definition.matchAll(new RegExp(from, "g"))][nth];
  if (!place) throw new Error(`${routine} does not match ${from}`);
  const text = to.replace("$1", place[1] ?? "");
  return definition.slice(0, place.index) + text + definition.slice(place.index + place[0].length);
}

/** How often the text of a function matches. */
async function occurrences(sql: Sql, routine: string, what: RegExp): Promise<number> {
  const [row] = await sql<{ text: string }[]>`select prosrc as text from pg_proc where oid = ${routine}::regproc`;
  return [...(row?.text ?? "").matchAll(new RegExp(what, "g"))].length;
}

async function fromCatalog(sql: Sql): Promise<Mutant[]> {
  return await sql<Mutant[]>`
    with ours as (select oid, nspname from pg_namespace where nspname in ('app', 'api', 'public', 'staging'))
    select format('policy %s on %s lets everything through', polname, polrelid::regclass) as name,
      format('alter policy %I on %s %s %s', polname, polrelid::regclass,
        case when polqual is not null then 'using (true)' end, case when polwithcheck is not null then 'with check (true)' end) as statement
    from pg_policy
    union all
    select format('%s without row-level security', c.oid::regclass), format('alter table %s disable row level security', c.oid::regclass)
    from pg_class as c join ours on ours.oid = c.relnamespace where c.relkind = 'r'
    union all
    select format('view %s reads with its owner''s rights', c.oid::regclass), format('alter view %s set (security_invoker = false)', c.oid::regclass)
    from pg_class as c join ours on ours.oid = c.relnamespace where c.relkind = 'v'
    union all
    select format('everybody may call %s', p.oid::regprocedure), format('grant execute on routine %s to public', p.oid::regprocedure)
    from pg_proc as p join ours on ours.oid = p.pronamespace where not has_function_privilege('anon', p.oid, 'execute')
    union all
    select format('service_role may call %s', p.oid::regprocedure), format('grant execute on routine %s to service_role', p.oid::regprocedure)
    from pg_proc as p join ours on ours.oid = p.pronamespace
    where nspname = 'public' and not has_function_privilege('service_role', p.oid, 'execute')
    union all
    select format('authenticated may call %s', p.oid::regprocedure), format('grant execute on routine %s to authenticated', p.oid::regprocedure)
    from pg_proc as p join ours on ours.oid = p.pronamespace
    where nspname = 'public' and not has_function_privilege('authenticated', p.oid, 'execute')
    union all
    select format('%s owned by postgres', p.oid::regprocedure), format('alter routine %s owner to postgres', p.oid::regprocedure)
    from pg_proc as p join ours on ours.oid = p.pronamespace where p.proowner = 'public_api'::regrole
    union all
    select format('%s marked stable', p.oid::regprocedure), format('alter function %s stable', p.oid::regprocedure)
    from pg_proc as p join ours on ours.oid = p.pronamespace where (p.proowner = 'public_api'::regrole or p.proname = 'authenticate') and p.provolatile = 'v'
    union all
    select format('%s with the caller''s search_path', p.oid::regprocedure), format('alter routine %s reset search_path', p.oid::regprocedure)
    from pg_proc as p join ours on ours.oid = p.pronamespace where p.prosecdef
    union all
    select format('%s with the owner''s rights', p.oid::regprocedure), format('alter routine %s security definer', p.oid::regprocedure)
    from pg_proc as p join ours on ours.oid = p.pronamespace where nspname = 'public' and not p.prosecdef
    union all
    select format('without trigger %s on %s', tgname, tgrelid::regclass), format('drop trigger %I on %s', tgname, tgrelid::regclass)
    from pg_trigger where not tgisinternal
    union all
    select format('without index %s', i.indexrelid::regclass), format('drop index %s', i.indexrelid::regclass)
    from pg_index as i join pg_class as c on c.oid = i.indrelid
    where c.relnamespace = 'app'::regnamespace and not exists (select from pg_constraint where conindid = i.indexrelid)
      -- No pgTAP test needs these three.
      and i.indexrelid::regclass::text not in ('app.members_former', 'app.api_keys_newest', 'app.api_key_events_newest')
    union all
    select format('%s may read all of %s', role, c.oid::regclass), format('grant select on %s to %s', c.oid::regclass, role)
    from pg_class as c join ours on ours.oid = c.relnamespace, unnest(array['anon', 'authenticated', 'service_role', 'public_api']) as role
    where c.relkind in ('r', 'v') and not has_table_privilege(role, c.oid, 'select')
    union all
    select format('%s without constraint %s', conrelid::regclass, conname), format('alter table %s drop constraint %I cascade', conrelid::regclass, conname)
    from pg_constraint join ours on ours.oid = connamespace where contype in ('c', 'f', 'u') and nspname = 'app'`;
}

/**
 * What keeps a page cheap: each setting that keeps a plan good while the tables grow, and the choice of the filter that
 * leads.
 */
async function inPlans(sql: Sql): Promise<Mutant[]> {
  const mutants = [
    ...(await sql<Mutant[]>`
      select format('%s without %s', p.oid::regprocedure, setting) as name,
        format('alter routine %s reset %s', p.oid::regprocedure, split_part(setting, '=', 1)) as statement
      from pg_proc as p, unnest(p.proconfig) as setting
      where setting ~ '^(enable_|jit|plan_cache_mode|lock_timeout|statement_timeout)' and p.pronamespace in ('app'::regnamespace, 'public'::regnamespace)`),
  ];
  const leading: [routine: string, from: RegExp, to: string, name: string][] = [
    ["app.rarest_members_filter", /case least\(/, "case greatest(", "the filter that most members match leads"],
    ["app.rarest_kudos_filter", /case least\(/, "case greatest(", "the filter that most kudos match leads"],
  ];
  for (const [routine, from, to, name] of leading)
    mutants.push({ name, statement: await rewritten(sql, routine, from, to) });
  for (const routine of ["app.rarest_members_filter", "app.rarest_kudos_filter"]) {
    for (let nth = 0; nth < (await occurrences(sql, routine, /limit 1000/)); nth++) {
      const statement = await rewritten(sql, routine, /limit 1000/, "", nth);
      mutants.push({ name: `${routine} counts to the end in its statement ${nth + 1}`, statement });
    }
  }
  return mutants;
}

async function inFunctions(sql: Sql): Promise<Mutant[]> {
  const mutants: Mutant[] = [];
  const listed = /(?<=[{,]\s*)(app\.\w+)(?=[\w.,\s]*\}'::regclass\[\])/;
  const serving = await sql<{ name: string }[]>`
    select proname as name from pg_proc where proowner = 'public_api'::regrole order by 1`;
  for (const { name } of serving) {
    const routine = `public.${name}`;
    const guard = /row_security_active\('([^']+)'::regclass\)/;
    const definition = await definitionOf(sql, routine);
    for (const [nth, [, relation]] of [...definition.matchAll(new RegExp(guard, "g"))].entries()) {
      const statement = await rewritten(sql, routine, guard, "true", nth);
      mutants.push({ name: `${name} does not ask about the row-level security of ${relation}`, statement });
    }
    // A function that reads many tables asks about a list of them.
    for (const [nth, [, relation]] of [...definition.matchAll(new RegExp(listed, "g"))].entries()) {
      const other = relation === "app.teams" ? "app.members" : "app.teams";
      const statement = await rewritten(sql, routine, listed, other, nth);
      mutants.push({ name: `${name} does not ask about the row-level security of ${relation}`, statement });
    }
    if (name !== "verify_api_key" && definition.includes("app.authenticate(")) {
      mutants.push({
        name: `${name} asks for no scope`,
        statement: await rewritten(
          sql,
          routine,
          /app\.authenticate\(key_hash, [^)]+\)/,
          "app.authenticate(key_hash, null)",
        ),
      });
    }
    const condition = /\w+\.company_id = api_key\.company_id/;
    for (let nth = 0; nth < (await occurrences(sql, routine, condition)); nth++) {
      const statement = await rewritten(sql, routine, condition, "true", nth);
      mutants.push({ name: `${name} without the explicit company in its statement ${nth + 1}`, statement });
    }
  }
  for (const [name, routine, from, to] of inOne) {
    mutants.push({ name, statement: await rewritten(sql, routine, from, to) });
  }
  return mutants;
}

/** All mutants that the pgTAP tests must notice. */
export const databaseMutants = async (sql: Sql): Promise<Mutant[]> => [
  ...(await fromCatalog(sql)),
  ...(await inFunctions(sql)),
  ...(await inPlans(sql)),
];

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

/** Mutants of the pages, which the table of all lists must notice. */
async function inLists(sql: Sql): Promise<StackMutant[]> {
  const mutants: StackMutant[] = [];
  const functions = await sql<{ name: string }[]>`
    select proname as name from pg_proc where proowner = 'public_api'::regrole and proname like 'list\\_%' and proname <> 'list_changes' order by 1`;
  for (const { name } of functions) {
    const routine = `public.${name}`;
    const restore = await definitionOf(sql, routine);
    for (const [what, from, to] of ofLists) {
      for (let nth = 0; nth < (await occurrences(sql, routine, from)); nth++) {
        const statement = await rewritten(sql, routine, from, to, nth);
        mutants.push({ name: `${name} ${what}, place ${nth + 1}`, statement, restore, file: "test/api/lists.test.ts" });
      }
    }
  }
  for (const [what] of ofLists)
    if (!mutants.some(({ name }) => name.includes(what))) throw new Error(`no list function ${what}`);
  return mutants;
}

/** A mutant of the running stack: the SQL that restores the protection, and the test file that must notice its loss. */
export type StackMutant = Mutant & { restore: string; file: string };

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
    ["a new key outlives its transaction", "app.make_api_key", /api_key, true\)/, "api_key, false)", "api/keys"],
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
    const statement = await rewritten(sql, routine, from, to);
    mutants.push({ name, statement, restore: await definitionOf(sql, routine), file: `test/${file}.test.ts` });
  }
  const condition = /m\.company_id = api_key\.company_id/;
  const policy = "; alter policy api_read on app.members using";
  mutants.push({
    // Either of the two is enough. Without both, the answers contain members of other companies.
    name: "neither the policy nor the function names the company of a member",
    statement: `${await rewritten(sql, "public.list_members", condition, "true", 1)}${policy} (true)`,
    restore: `${await definitionOf(sql, "public.list_members")}${policy} (company_id = (select app.current_company_id()))`,
    file: "test/hardening/isolation.test.ts",
  });
  return [...mutants, ...(await inLists(sql))];
}
