// Protections of the database, each removed by SQL. Most are read from the catalog, so that a new policy, view or
// function is tried without being listed here.
import type { Sql } from "postgres";

/** What is removed from a function, the text that is replaced, and by what, unless by nothing. */
type Removal = [what: string, from: RegExp, to?: string];
/** A mutant: the name of the removed protection, and the SQL that removes it. */
export type Mutant = { name: string; statement: string };
/** A mutant of the running stack: the SQL that restores the protection, and the file of the tests that must notice. */
export type StackMutant = Mutant & { restore: string; tests: string };

/** A mutant for each place of these functions that matches. In `what`, `$1` is the first group of the match. */
async function rewritten(sql: Sql, routines: readonly string[], [what, from, to = ""]: Removal): Promise<Mutant[]> {
  const mutants: Mutant[] = [];
  for (const routine of routines) {
    const [row] = await sql`select pg_get_functiondef(${routine}::regproc) as definition`;
    const definition: string = row?.definition;
    const places = [...definition.matchAll(new RegExp(from, "g"))];
    for (const [nth, { 0: text, 1: group = "", index }] of places.entries()) {
      const name = `${routine} ${what.replace("$1", group)}, place ${nth + 1}`;
      mutants.push({ name, statement: definition.slice(0, index) + to + definition.slice(index + text.length) });
    }
  }
  if (mutants.length === 0) throw new Error(`nothing in ${routines} matches ${from}`);
  return mutants;
}

/** A mutant with all places of a function that match, because statements that are generated are alike. */
async function rewrittenEverywhere(sql: Sql, routine: string, [name, from, to = ""]: Removal) {
  const [row] = await sql`select pg_get_functiondef(${routine}::regproc) as definition`;
  const restore: string = row?.definition;
  const statement = restore.replace(new RegExp(from, "g"), to);
  if (statement === restore) throw new Error(`nothing in ${routine} matches ${from}`);
  return { name, statement, restore };
}

async function fromCatalog(sql: Sql): Promise<Mutant[]> {
  return await sql<Mutant[]>`
    with ours as (select oid, nspname from pg_namespace where nspname in ('app', 'lists', 'public', 'staging')),
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
    select format(what, routine), format(change, routine) from routines, lateral (values
      ('%s owned by postgres', 'alter routine %s owner to postgres', proowner = 'public_api'::regrole),
      ('%s marked stable', 'alter function %s stable', (proowner = 'public_api'::regrole or proname = 'authenticate') and provolatile = 'v'),
      ('%s with the caller''s search_path', 'alter routine %s reset search_path', prosecdef),
      ('%s with the owner''s rights', 'alter routine %s security definer', nspname = 'public' and not prosecdef)
    ) as removal (what, change, applies) where applies
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

/** What the functions that serve API keys, and those that they share, must not lose. */
const ofServing: Removal[] = [
  ["does not ask about the row-level security of $1", /row_security_active\('([^']+)'::regclass\)/, "true"],
  ["asks for no scope", /(?<=app\.admit\(key_hash, )(?!required_scope)('[^']+'|lists\.scope\(list\))/, "null"],
  ["asks for no scope of a list", /(?<=(?:THEN|ELSE) )'[\w:]+'::text/, "null"],
];

/**
 * Protections that are in one function only. What is only right or wrong, such as the order of a list, each pgTAP file
 * states itself.
 */
const inOne: Record<string, Removal[]> = {
  "app.authenticate": [
    ["a revoked key is let in", /and k\.revoked_at is null/],
    ["an expired key is let in", /and \(k\.expires_at is null or k\.expires_at > now\(\)\)/],
    ["scopes are not checked", /required_scope <> all \(verified\.scopes\)/, "false"],
    ["the company of a key is not set", /bound_to := set_config\('app\.company_id'[^;]*;/],
    ["a company that is moving is written", /serving = 'moving' and/, "false and"],
    ["a company that was left readable is written", /serving = 'readable'/, "false"],
    ["a company that was closed is served", / or serving = 'closed'/],
    ["a use is recorded where a company has moved away from", /if serving = 'open' and/, "if"],
    ["every use is recorded", /last_use > now\(\) - interval '1 minute'/, "false"],
    ["a last use in the future stays", /and last_use < now\(\) \+ interval '1 minute'/],
  ],
  "app.note_refused_use": [
    ["a refusal is noted of a key that works", /k\.revoked_at is not null or k\.expires_at <= now\(\)/, "true"],
    ["a lack of a scope is noted of a dead key", /is_dead and/],
    ["a lack of a scope is noted of a key that has it", /missing_scope <> all \(k\.scopes\) and/],
    ["every refusal is noted", /(?<=is_dead) and app\.may_note\([^)]*\)/],
    ["every wrong import is noted", /u\.forbidden_reason is null or app\.may_note\([^)]*\)/, "true"],
    ["every lack of a scope is noted", /and app\.may_note\(u\.forbidden_at[^)]*\)/],
    ["a refusal is noted where a company has moved away from", /and c\.serving = 'open'/],
  ],
  "app.current_admin": [
    ["everybody is an admin", /\(?m\.role = 'admin'::text\)?/, "true"],
    ["the admin of a company that has moved manages its keys", /AND \(c\.serving = 'open'::text\)/],
    ["a password is enough for an account with a second factor", /AND app\.has_shown_factor\(\)/],
  ],
  "app.wants_second_factor": [
    ["the code is asked for again and again", /\(auth\.jwt\(\) ->> 'aal'\) is distinct from 'aal2'/, "true"],
    ["everybody is asked for somebody's code", /f\.user_id = \(select auth\.uid\(\)\)/, "true"],
    ["a factor that was never verified counts", /and f\.status = 'verified'/],
  ],
  "public.link_member": [["who has a second factor is linked without it", /app\.wants_second_factor\(\)/, "false"]],
  "public.redeem_assistant_code": [["a second factor is asked for again", /, 'aal', 'aal2'/]],
  "app.link_member": [
    ["an unconfirmed address is linked", /account\.email_confirmed_at is null/, "false"],
    ["one of several members is linked", /candidates\.found > 1/, "false"],
    ["a linked member is linked again", /and not exists \([^;]*?m\.id\)/],
  ],
  "app.insert_api_key": [
    ["the key stays in the transaction that made it", /perform set_config\('app\.new_api_key', '', true\);/],
  ],
  "app.change_api_key": [
    ["scopes and hash of a key can change", /new := old;/],
    ["a revoked key is revoked again", /old\.revoked_at is not null/, "false"],
    ["a key is replaced twice", / and old\.replaced_by is null/],
    ["an overlap makes a key live longer", /least\(old\.expires_at, requested\.expires_at\)/, "requested.expires_at"],
  ],
  "app.delete_accounts": [
    ["an account that was never linked outlives its person", /lower\(u\.email\) in \(/, "null in ("],
    ["somebody else's linked account goes with a person", /and not exists \([^()]*u\.id\)/],
    ["an account goes that another company's member has", /lower\(m\.email\) = lower\(u\.email\)/, "false"],
  ],
  "app.note_use": [
    ["a use is recorded while the database is read-only", /current_setting\('default_transaction_read_only'\)\S+ or/],
  ],
  "public.list_changes": [
    ["another company's forgotten deletions refuse a cursor", /f\.company_id = company/, "true"],
    ["a cursor of another list or company is good", /left\(after, 8\) = origin/, "true"],
    ["cursors of moods show transactions", /case when list in \('day-ratings', 'pulse-responses'\) then 0 end/, "null"],
  ],
  "lists.unmask_cursor": [["an altered cursor of moods is good", /right\(block, 8\) = left\(cursor, 8\)/, "true"]],
  "lists.is_in": [["a page does not name the company", /\(company_id = [^)]*\)\.company_id\)/, "true"]],
  "lists.is_after": [
    ["changes do not name the company", /\(company_id = [^)]*\)\.company\)/, "true"],
    ["what a running transaction has changed is shown", /AND \(changed_in < .*?\)(?=\))/],
  ],
  "public.replace_api_key": [
    ["a replaced key is replaced again", /replaced\.replaced_by is not null or/],
    ["an expired key is replaced", / or replaced\.expires_at <= now\(\)/],
    ["an overlap of any length", /overlap not in \([^)]*\)/, "false"],
  ],
};

/** All mutants that the pgTAP tests must notice. */
export async function databaseMutants(sql: Sql): Promise<Mutant[]> {
  const mutants = await fromCatalog(sql);
  const serving = await sql<{ name: string }[]>`
    select 'public.' || proname as name from pg_proc where proowner = 'public_api'::regrole order by 1`;
  const routines = [...serving.map(({ name }) => name), "app.admit", "lists.begin", "lists.scope"];
  for (const removal of ofServing) mutants.push(...(await rewritten(sql, routines, removal)));
  for (const [routine, removals] of Object.entries(inOne))
    for (const removal of removals) mutants.push(await rewrittenEverywhere(sql, routine, removal));
  return mutants;
}

const weakBytes = "decode(md5(random()::text) || md5(random()::text), 'hex')";

/** By the file of the tests that must notice: the function, and what is removed from it. */
const onStack: Record<string, [routine: string, ...Removal][]> = {
  "operating/marking": [
    ["app.name_categories", "names are chosen without waiting", /update app\.companies[^;]*;/],
    [
      "app.name_categories",
      "the company is locked and not written",
      /update app\.companies as c set [^;]*?\s+where/,
      "perform from app.companies as c where",
    ],
    ["app.mark_answers", "a question changes with an old snapshot", /if current_setting[^;]*;[^;]*;/],
  ],
  "hardening/imports": [["public.upsert_rewards", "imports are not sorted", /order by r\.external_id collate "C"/]],
  "api/import": [["public.upsert_rewards", "a dry run writes", /(?<=if )dry_run(?= then)/, "false"]],
  "serial/locks": [
    ["app.note_use", "a use or a quick check waits for a locked row", /(?<=for update) skip locked/],
    ["app.note_refused_use", "a refusal waits for a locked row", /(?<=for update of u) skip locked/],
    ["app.authenticate", "the company of a key outlives its transaction", /(?<=company_id::text, )true/, "false"],
    ["app.make_api_key", "a new key outlives its transaction", /(?<=api_key, )true/, "false"],
  ],
  "sql/api_key_vectors": [
    ["app.new_api_key", "random bytes are not refused from 248 on", /< 248/, "< 256"],
    ["app.new_api_key", "a key is made of bytes that are no secret", /extensions\.gen_random_bytes\(32\)/, weakBytes],
  ],
};

/** Mutants that show only with several connections, or only through the whole stack. */
export async function stackMutants(sql: Sql): Promise<StackMutant[]> {
  const mutants: StackMutant[] = [];
  for (const [file, removals] of Object.entries(onStack))
    for (const [routine, ...removal] of removals)
      mutants.push({ ...(await rewrittenEverywhere(sql, routine, removal)), tests: `test/${file}.test.ts` });
  const unlimited = await rewrittenEverywhere(sql, "public.list_members", [
    "neither the policy nor the function names the company of a member",
    /lists\.is_in\(page, v\.company_id,/,
    "lists.is_in(page, page.company_id,",
  ]);
  const policy = "; alter policy api_read on app.members using";
  mutants.push({
    // Either of the two is enough. Without both, the answers contain members of other companies.
    ...unlimited,
    statement: `${unlimited.statement}${policy} (true)`,
    restore: `${unlimited.restore}${policy} (company_id = (select app.current_company_id()))`,
    tests: "test/hardening/isolation.test.ts",
  });
  return mutants;
}
