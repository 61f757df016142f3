-- Checks with psql alone for what a restore can lose without an error, or somebody can weaken (docs/operate/
-- backup-and-restore.md, Check the database): row-level security, owners, rights, what sessions log, and data. npm run
-- check-database compares every object besides. Run it as postgres. It returns one row per problem, and no row if there
-- is none. It works on PostgreSQL 15 to 18.

\set ON_ERROR_STOP on \set QUIET on
set statement_timeout = 0;

with
rooms (oid, name) as (
  select n.oid, n.nspname from pg_catalog.pg_namespace as n where n.nspname in ('app', 'lists', 'staging')
),
roles (oid, name) as (
  select 0::oid, 'public'
  union all
  select r.oid, r.rolname from pg_catalog.pg_roles as r
  where r.rolname in ('public_api', 'anon', 'authenticated', 'service_role')
),
relations (oid, name, kind, owner, acl, relrowsecurity, reloptions) as (
  select
    c.oid, r.name || '.' || c.relname, case c.relkind when 'r' then 'table' when 'v' then 'view' else 'sequence' end,
    c.relowner, c.relacl, c.relrowsecurity, c.reloptions
  from pg_catalog.pg_class as c
  join rooms as r on r.oid = c.relnamespace
  where c.relkind in ('r', 'v', 'S')
),
-- What serves API keys returns app."application/json".
functions (oid, name, owner, acl, serves) as (
  select
    p.oid, format('%I.%I(%s)', n.nspname, p.proname, pg_catalog.oidvectortypes(p.proargtypes)),
    p.proowner, coalesce(p.proacl, acldefault('f', p.proowner)), t.oid is not null
  from pg_catalog.pg_proc as p
  join pg_catalog.pg_namespace as n on n.oid = p.pronamespace
  left join pg_catalog.pg_type as t
    on t.oid = p.prorettype and t.typname = 'application/json' and t.typnamespace = to_regnamespace('app')
  where p.pronamespace in (select r.oid from rooms as r) or t.oid is not null
),
objects (what, owner, owned_by, acl) as (
  select 'schema ' || n.nspname, n.nspowner, 'postgres', n.nspacl from pg_catalog.pg_namespace as n
  where n.oid in (select r.oid from rooms as r)
  union all
  select r.kind || ' ' || r.name, r.owner, 'postgres', r.acl from relations as r
  union all
  select 'routine ' || f.name, f.owner, case when f.serves then 'public_api' else 'postgres' end, f.acl
  from functions as f
),
granted (what, role, rights) as (
  select o.what, r.name, string_agg(a.privilege_type, ', ' order by a.privilege_type)
  from objects as o cross join aclexplode(o.acl) as a join roles as r on r.oid = a.grantee
  where a.grantee <> o.owner
  group by o.what, r.name
),
policies (name, relation, roles, names_company) as (
  select
    format('policy %I on %s', p.polname, t.name), t.oid, p.polroles,
    exists (
      select from pg_catalog.pg_depend as d join functions as f on f.oid = d.refobjid
      where d.classid = 'pg_catalog.pg_policy'::regclass and d.objid = p.oid
    )
  from pg_catalog.pg_policy as p
  join relations as t on t.oid = p.polrelid
)

-- The checks: what is wrong, and what to do about it. The role that row-level security binds is there.
select
  'role public_api' as what, 'must exist' as problem,
  'the statements before create schema in sql/schema/0100_roles_and_schemas.sql, then sql/commands/repair.sql' as remedy
where not exists (select from roles as r where r.name = 'public_api')
union all
-- Row-level security binds the roles of requests, nobody signs in with public_api, and only postgres may become it.
select
  'role ' || r.rolname, 'must not be a superuser, bypass row-level security, inherit or sign in',
  format('alter role %I nobypassrls noinherit nologin; only Supabase can take superuser away', r.rolname)
from pg_catalog.pg_roles as r
where r.rolname = 'public_api' and (r.rolsuper or r.rolbypassrls or r.rolinherit or r.rolcanlogin)
  or r.rolname in ('anon', 'authenticated') and (r.rolsuper or r.rolbypassrls or r.rolcanlogin)
union all
select
  format('role %s', m.member::regrole), 'must not be a member of public_api',
  format('revoke public_api from %s;', m.member::regrole)
from pg_catalog.pg_auth_members as m
where m.roleid = to_regrole('public_api') and m.member <> to_regrole('postgres')
union all
-- Owners. Who owns a table or a view passes by its policies.
select
  o.what, format('must belong to %s, not to %s', o.owned_by, o.owner::regrole),
  case o.owned_by when 'public_api' then 'sql/commands/repair.sql' else format('alter %s owner to postgres;', o.what) end
from objects as o
where o.owner is distinct from to_regrole(o.owned_by)
union all
-- Rights: those without which every request fails, and those that let somebody past the functions.
select
  'schema ' || needed.room, 'must be granted to ' || needed.role || ': USAGE',
  format('grant usage on schema %s to %s;', needed.room, needed.role)
from (values
  ('app', 'public_api'), ('app', 'authenticated'), ('app', 'service_role'), ('lists', 'public_api')
) as needed (room, role)
where exists (select from rooms as r where r.name = needed.room)
  and not exists (select from granted as g where g.what = 'schema ' || needed.room and g.role = needed.role)
union all
select 'routine ' || f.name, 'must be granted to service_role: EXECUTE', 'sql/commands/repair.sql'
from functions as f
where f.serves and not exists (select from granted as g where g.what = 'routine ' || f.name and g.role = 'service_role')
union all
select
  g.what, format('must not be granted to %s: %s', g.role, g.rights),
  format('revoke all on %s from %s;', regexp_replace(g.what, '^view', 'table'), g.role)
from granted as g
left join functions as f on g.what = 'routine ' || f.name
where g.role in ('public', 'anon') or g.role = 'service_role' and g.what ~ '^(table|view|sequence) '
  or f.serves and g.role in ('authenticated')
union all
-- Row-level security is on, and a view reads with the rights of the role that selects from it.
select
  t.kind || ' ' || t.name,
  case t.kind when 'view' then 'must have security_invoker' else 'must have row-level security enabled' end,
  case t.kind
    when 'view' then format('alter view %s set (security_invoker = true);', t.name)
    else format('alter table %s enable row level security;', t.name)
  end
from relations as t
where t.kind = 'table' and not t.relrowsecurity
  or t.kind = 'view' and not coalesce(t.reloptions @> array['security_invoker=true'], false)
union all
-- A table that public_api reads has a policy for it: without one every company gets no rows, and no error.
select
  'table ' || t.name, 'must have a policy for public_api: every company gets no rows of it',
  'the statement that creates it: grep -w api_read supabase/migrations/*'
from relations as t
where t.kind = 'table' and has_any_column_privilege('public_api', t.oid, 'select')
  and not exists (select from policies as p where p.relation = t.oid and to_regrole('public_api')::oid = any (p.roles))
union all
-- A policy names the company or the admin, by a function. One that names neither lets every company through.
select p.name, 'must depend on the company or the admin', 'drop it, if the migrations do not create it: npm run check-database'
from policies as p
where not p.names_company
union all
-- The numbers of changes are of this server: a dump brings those of another one.
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
union all
-- Categories have the names that the lists show.
select
  'company ' || c.company_id, 'must have the names of app.category_name in app.categories: ' || count(*) || ' differ',
  'sql/commands/repair.sql'
from app.categories as c where c.name <> app.category_name(c.company_id, c.id)
group by c.company_id
union all
-- Every trigger is on.
select
  'trigger ' || t.tgname, 'must be enabled on ' || r.name,
  format('alter table %s enable trigger %I;', r.name, t.tgname)
from pg_catalog.pg_trigger as t
join relations as r on r.oid = t.tgrelid
where t.tgenabled <> 'O'
union all
-- An index that is not valid is written and never read.
select
  'index ' || x.indexrelid::regclass, 'must be valid', format('reindex index concurrently %s;', x.indexrelid::regclass)
from pg_catalog.pg_index as x
join relations as r on r.oid = x.indrelid
where not (x.indisvalid and x.indisready)
union all
-- A request has the secret key and a key's hash among its parameters, and a logged statement is logged with its
-- parameters.
select
  'setting ' || s.name,
  'must be ' || s.quiet || ' while log_parameter_max_length is not 0: the secret key and key hashes would be logged',
  'for the role authenticator or in postgresql.conf: docs/operate/logs-and-errors.md, What PostgreSQL logs'
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
union all
-- auto_explain logs parameters whatever log_parameter_max_length says. Requests come in as authenticator, and the Data API
-- applies what is set for the role that it changes to.
select
  'setting auto_explain.log_min_duration', 'must be -1 for ' || r.role || ': the secret key and key hashes would be logged',
  'for the role authenticator or in postgresql.conf: docs/operate/logs-and-errors.md, What PostgreSQL logs'
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
union all
-- The same with an error.
select
  'setting log_parameter_max_length_on_error', 'must be 0: the secret key and key hashes would be logged with an error',
  'for the role authenticator or in postgresql.conf: docs/operate/logs-and-errors.md, What PostgreSQL logs'
where current_setting('log_parameter_max_length_on_error') <> '0'
order by 1, 2;
