-- Checks for what a restore can lose without an error (docs/operations.md, Restore). Run it as postgres. It returns one
-- row per problem, and no row if there is none.

with recursive
roles as (
  select r.oid, r.rolname::text as name
  from pg_catalog.pg_roles as r
  where r.rolname in ('public_api', 'anon', 'authenticated', 'service_role')
),
functions as (
  select
    p.oid,
    n.nspname as schema,
    p.proname,
    p.oid::regprocedure::text as name,
    p.prosecdef,
    p.proowner::regrole::text as owner,
    -- service_role calls the functions that serve API keys, authenticated those for admins. Null: internal functions
    -- have grants of their own.
    case when n.nspname = 'app' then null when p.prosecdef then 'service_role' else 'authenticated' end as caller
  from pg_catalog.pg_proc as p
  join pg_catalog.pg_namespace as n on n.oid = p.pronamespace
  -- In public, our functions are those that call a function of app. A project may have other functions there, such as
  -- rls_auto_enable().
  where p.prokind = 'f' and (n.nspname = 'app' or n.nspname = 'public' and pg_get_functiondef(p.oid) ~ '\mapp\.[a-z0-9_]+\(')
),
relations as (
  select c.oid, n.nspname as schema, c.oid::regclass::text as name, c.relkind as kind, c.relrowsecurity, c.reloptions
  from pg_catalog.pg_class as c
  join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
  where n.nspname in ('app', 'api', 'staging') and c.relkind in ('r', 'v')
),
granted as (
  select t.oid as relation, r.oid as role, t.name as relation_name, r.name as role_name
  from relations as t
  cross join roles as r
  where has_any_column_privilege(r.oid, t.oid, 'select, insert, update') or has_table_privilege(r.oid, t.oid, 'delete, truncate')
),
policies as (
  select p.polrelid as relation, role, t.name as relation_name, role::regrole::text as role_name
  from pg_catalog.pg_policy as p
  join relations as t on t.oid = p.polrelid
  cross join unnest(p.polroles) as role
),
-- The functions of app that are called with the rights of a role. Names in dynamic SQL are not seen.
called (role, name) as (
  select case when f.prosecdef then 'public_api' else 'authenticated' end, call[1]
  from functions as f, regexp_matches(pg_get_functiondef(f.oid), '\mapp\.([a-z0-9_]+)\(', 'g') as call
  where f.schema = 'public'
  union
  select role::regrole::text, call[1]
  from pg_catalog.pg_policy as p, unnest(p.polroles) as role,
    concat(pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid)) as expressions,
    regexp_matches(expressions, '\mapp\.([a-z0-9_]+)\(', 'g') as call
  union
  select 'public_api', call[1]
  from relations as t, regexp_matches(pg_get_viewdef(t.oid), '\mapp\.([a-z0-9_]+)\(', 'g') as call
  where t.schema = 'api'
  union
  select c.role, call[1]
  from called as c
  join functions as f on f.schema = 'app' and f.proname = c.name and not f.prosecdef,
    regexp_matches(pg_get_functiondef(f.oid), '\mapp\.([a-z0-9_]+)\(', 'g') as call
),

-- The checks, each with its title, what is wrong, and what to do about it.

-- The role that row-level security binds is there.
role_is_missing (what, problem, remedy) as (
  select
    'role public_api', 'must exist',
    'the statements before create schema in sql/schema/0100_roles_and_schemas.sql, then sql/commands/repair.sql'
  where not exists (select from roles as r where r.name = 'public_api')
),
-- Row-level security binds it, and nobody signs in with it.
role_is_too_mighty (what, problem, remedy) as (
  select
    'role public_api', 'must not be a superuser, bypass row-level security, inherit or sign in',
    'alter role public_api nobypassrls noinherit nologin; only Supabase can take superuser away'
  from pg_catalog.pg_roles as r
  where r.rolname = 'public_api' and (r.rolsuper or r.rolbypassrls or r.rolinherit or r.rolcanlogin)
),
-- It owns the functions that serve API keys.
serving_owners (what, problem, remedy) as (
  select
    'function ' || f.name, 'must belong to public_api, not to ' || f.owner,
    'sql/commands/repair.sql'
  from functions as f
  where f.caller = 'service_role' and f.owner <> 'public_api'
),
-- No other function belongs to somebody who could change it.
other_owners (what, problem, remedy) as (
  select
    'function ' || f.name, 'must belong to postgres, not to ' || f.owner,
    format('alter function %s owner to postgres;', f.name)
  from functions as f
  where f.caller is distinct from 'service_role' and f.owner <> 'postgres'
),
-- Who has to call a function of the Data API may.
missing_callers (what, problem, remedy) as (
  select
    'function ' || f.name, 'must be executable by ' || f.caller,
    case f.caller when 'service_role' then 'sql/commands/repair.sql'
      else format('grant execute on function %s to %I;', f.name, f.caller) end
  from functions as f
  where f.caller is not null and not has_function_privilege(f.caller, f.oid, 'execute')
),
-- So may the roles of requests with the internal functions that they need.
missing_calls (what, problem, remedy) as (
  select
    'function ' || f.name, 'must be executable by ' || r.name,
    format('grant execute on function %s to %I;', f.name, r.name)
  from called as c
  join roles as r on r.name = c.role
  join functions as f on f.schema = 'app' and f.proname = c.name
  where not has_function_privilege(r.oid, f.oid, 'execute')
),
-- Nobody else may call one.
strange_callers (what, problem, remedy) as (
  select
    'function ' || f.name, 'must not be executable by ' || r.name,
    format('revoke execute on function %s from public, %I;', f.name, r.name)
  from functions as f
  cross join roles as r
  where has_function_privilege(r.oid, f.oid, 'execute')
    and case f.schema when 'app' then r.name in ('anon', 'service_role') else r.name not in (f.caller, f.owner) end
),
-- Row-level security is on.
open_tables (what, problem, remedy) as (
  select
    'table ' || t.name, 'must have row-level security enabled',
    format('alter table %s enable row level security;', t.name)
  from relations as t
  where t.kind = 'r' and not t.relrowsecurity
),
-- A view reads with the rights of the role that selects from it.
open_views (what, problem, remedy) as (
  select
    'view ' || t.name, 'must have security_invoker',
    format('alter view %s set (security_invoker = true);', t.name)
  from relations as t
  where t.kind = 'v' and not coalesce(t.reloptions @> array['security_invoker=true'], false)
),
-- A role that reads a table or view may use its schema.
closed_schemas (what, problem, remedy) as (
  select distinct
    'schema ' || t.schema, 'must be usable by ' || r.name,
    format('grant usage on schema %I to %I;', t.schema, r.name)
  from relations as t
  join roles as r
    on t.schema = 'api' and r.name = 'public_api'
      or exists (select from policies as p where p.relation = t.oid and p.role = r.oid)
  where not has_schema_privilege(r.oid, t.schema, 'usage')
),
-- public_api reads every view of the lists.
unreadable_views (what, problem, remedy) as (
  select
    'view ' || t.name, 'must be readable by public_api',
    'restore again without --no-privileges (--no-acl); a single one: the grants of the file of sql/schema that makes it'
  from relations as t
  where t.schema = 'api' and not exists (select from granted as g where g.relation = t.oid and g.role_name = 'public_api')
),
-- A policy is for a role that may do something with the table.
policies_without_grants (what, problem, remedy) as (
  select distinct
    'table ' || p.relation_name, 'must be granted to ' || p.role_name || ', it has a policy for it',
    'restore again without --no-privileges (--no-acl); a single one: the grants of the file of sql/schema that makes it'
  from policies as p
  where not exists (select from granted as g where g.relation = p.relation and g.role = p.role)
),
-- A role that may do something with a table has a policy there.
grants_without_policies (what, problem, remedy) as (
  select
    'table ' || t.name, 'must have a policy for ' || g.role_name || ', or not be granted to it',
    'the grants and policies of the file of sql/schema that makes it'
  from relations as t
  join granted as g on g.relation = t.oid
  where t.kind = 'r' and not exists (select from policies as p where p.relation = g.relation and p.role = g.role)
),
-- Copies of the lists learn of every change.
missing_triggers (what, problem, remedy) as (
  select
    'trigger ' || needed.name, 'must exist on ' || needed.relation || ': copies of the lists would miss changes',
    'create trigger … of app.keep_changes, or of the file of sql/schema that makes the table, then select app.forget_cursors();'
  from (
    select k.relation::text as relation, name
    from app.kept_tables() as k,
      unnest(array['number_insert', 'number_update', 'record_deletions', 'record_truncate', 'record_old_id']) as name
    union all values
      ('app.companies', 'begin_changes'), ('app.companies', 'end_changes'), ('app.companies', 'name_categories'),
      ('app.category_names', 'name_category'),
      ('app.pulse_questions', 'mark_answers')
  ) as needed
  where not exists (
    select from pg_catalog.pg_trigger as t where t.tgrelid = to_regclass(needed.relation) and t.tgname = needed.name
  )
),
-- The numbers of changes are of this server: a dump brings those of another one.
numbers_of_another_server (what, problem, remedy) as (
  select
    'table ' || changed.relation, 'must have numbers of this server in changed_in',
    'sql/commands/repair.sql'
  from (
    select 'app.members' as relation, max(changed_in) as newest from app.members
    union all select 'app.teams', max(changed_in) from app.teams
    union all select 'app.kudos', max(changed_in) from app.kudos
    union all select 'app.categories', max(changed_in) from app.categories
    union all select 'app.rewards', max(changed_in) from app.rewards
    union all select 'app.day_ratings', max(changed_in) from app.day_ratings
    union all select 'app.pulse_responses', max(changed_in) from app.pulse_responses
  ) as changed
  where changed.newest >= pg_snapshot_xmax(pg_current_snapshot())
),
-- Every trigger is on.
disabled_triggers (what, problem, remedy) as (
  select
    'trigger ' || t.tgname, 'must be enabled on ' || r.name,
    format('alter table %s enable trigger %I;', r.name, t.tgname)
  from pg_catalog.pg_trigger as t
  join relations as r on r.oid = t.tgrelid
  where t.tgenabled <> 'O'
),
-- A request has the secret key and a key's hash among its parameters, and a logged statement is logged with its
-- parameters.
logged_statements (what, problem, remedy) as (
  select
    'setting ' || s.name,
    'must be ' || s.quiet || ' while log_parameter_max_length is not 0: the secret key and key hashes would be logged',
    'for the role authenticator or in postgresql.conf: docs/operations.md, What PostgreSQL logs'
  from (values
    ('log_statement', array['none', 'ddl'], 'none or ddl'),
    ('log_min_duration_statement', array['-1'], '-1'),
    ('log_min_duration_sample', array['-1'], '-1'),
    ('log_transaction_sample_rate', array['0'], '0')
  ) as s (name, accepted, quiet)
  where current_setting('log_parameter_max_length') <> '0'
    and not exists (
      select from pg_catalog.pg_db_role_setting as kept
      where kept.setrole = to_regrole('authenticator') and 'log_parameter_max_length=0' = any (kept.setconfig)
    )
    and (
      (select p.setting from pg_catalog.pg_settings as p where p.name = s.name) <> all (s.accepted)
      or exists (
        select from pg_catalog.pg_db_role_setting as kept, unnest(kept.setconfig) as setting
        where split_part(setting, '=', 1) = s.name and split_part(setting, '=', 2) <> all (s.accepted)
      )
    )
),
-- auto_explain logs parameters whatever log_parameter_max_length says. Requests come in as authenticator, and the Data API
-- applies what is set for the role that it changes to.
logged_plans (what, problem, remedy) as (
  select
    'setting auto_explain.log_min_duration', 'must be -1 for ' || r.role || ': the secret key and key hashes would be logged',
    'for the role authenticator or in postgresql.conf: docs/operations.md, What PostgreSQL logs'
  from unnest(array['authenticator', 'anon', 'authenticated', 'service_role']) as r (role)
  left join lateral (
    select split_part(setting, '=', 2) as value
    from pg_catalog.pg_db_role_setting as kept, unnest(kept.setconfig) as setting
    where kept.setrole = to_regrole(r.role) and split_part(setting, '=', 1) = 'auto_explain.log_min_duration'
    order by kept.setdatabase desc limit 1
  ) as own on true
  where coalesce(
      own.value, case r.role when 'authenticator' then current_setting('auto_explain.log_min_duration', true) end, '-1'
    ) <> '-1'
),
-- The same with an error.
logged_errors (what, problem, remedy) as (
  select
    'setting log_parameter_max_length_on_error', 'must be 0: the secret key and key hashes would be logged with an error',
    'for the role authenticator or in postgresql.conf: docs/operations.md, What PostgreSQL logs'
  where current_setting('log_parameter_max_length_on_error') <> '0'
)

select found.what, found.problem, found.remedy
from (
  table role_is_missing
  union all
  table role_is_too_mighty
  union all
  table serving_owners
  union all
  table other_owners
  union all
  table missing_callers
  union all
  table missing_calls
  union all
  table strange_callers
  union all
  table open_tables
  union all
  table open_views
  union all
  table closed_schemas
  union all
  table unreadable_views
  union all
  table policies_without_grants
  union all
  table grants_without_policies
  union all
  table missing_triggers
  union all
  table numbers_of_another_server
  union all
  table disabled_triggers
  union all
  table logged_statements
  union all
  table logged_plans
  union all
  table logged_errors
) as found
order by 1, 2;
