-- Checks with psql alone for what a restore can lose without an error, or somebody can weaken (docs/operate/
-- backup-and-restore.md, Check the database): row-level security, owners, rights, what sessions log, and data. npm run
-- check-database compares every object besides. Run it as postgres. It returns one row per problem, and no row if there
-- is none. It works on PostgreSQL 15 to 18.

\set ON_ERROR_STOP on \set QUIET on
set statement_timeout = 0;

with
-- What serves API keys returns app."application/json", and belongs to public_api.
objects (what, oid, owner, owned_by, acl, is_bound) as (
  select 'schema ' || n.nspname, n.oid, n.nspowner, 'postgres', n.nspacl, true
  from pg_catalog.pg_namespace as n where n.nspname in ('app', 'lists', 'staging')
  union all
  select
    case c.relkind when 'r' then 'table ' when 'v' then 'view ' else 'sequence ' end || n.nspname || '.' || c.relname,
    c.oid, c.relowner, 'postgres', c.relacl,
    case c.relkind when 'r' then c.relrowsecurity when 'v' then c.reloptions @> '{security_invoker=true}' else true end
  from pg_catalog.pg_class as c join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
  where n.nspname in ('app', 'lists', 'staging') and c.relkind in ('r', 'v', 'S')
  union all
  select
    format('routine %I.%I(%s)', n.nspname, p.proname, pg_catalog.oidvectortypes(p.proargtypes)), p.oid, p.proowner,
    case when t.oid is null then 'postgres' else 'public_api' end, coalesce(p.proacl, acldefault('f', p.proowner)), true
  from pg_catalog.pg_proc as p
  join pg_catalog.pg_namespace as n on n.oid = p.pronamespace
  left join pg_catalog.pg_type as t
    on t.oid = p.prorettype and t.typname = 'application/json' and t.typnamespace = to_regnamespace('app')
  where n.nspname in ('app', 'lists', 'staging') or t.oid is not null
),
granted (what, owned_by, role, rights) as (
  select o.what, o.owned_by, coalesce(r.rolname, 'public'), string_agg(a.privilege_type, ', ' order by a.privilege_type)
  from objects as o
  cross join aclexplode(o.acl) as a
  left join pg_catalog.pg_roles as r on r.oid = a.grantee
  where a.grantee <> o.owner
  group by o.what, o.owned_by, r.rolname
),
needed (what, role, rights, remedy) as (
  select n.what, n.role, 'USAGE', format('grant usage on %s to %s;', n.what, n.role)
  from (values
    ('schema app', 'public_api'), ('schema app', 'authenticated'), ('schema app', 'service_role'),
    ('schema lists', 'public_api')
  ) as n (what, role)
  union all
  select o.what, 'service_role', 'EXECUTE', 'sql/commands/repair.sql' from objects as o where o.owned_by = 'public_api'
),
-- What roles are set to, in one database or in all.
settings (role, database, name, value) as (
  select kept.setrole, kept.setdatabase, split_part(setting, '=', 1), split_part(setting, '=', 2)
  from pg_catalog.pg_db_role_setting as kept, unnest(kept.setconfig) as setting
)

-- The checks: what is wrong, and what to do about it. Row-level security binds the roles of requests, nobody signs in
-- with public_api, and only postgres may become it.
select
  'role ' || r.rolname as what, 'must not be a superuser, bypass row-level security, inherit or sign in' as problem,
  format('alter role %I nobypassrls noinherit nologin; only Supabase can take superuser away', r.rolname) as remedy
from pg_catalog.pg_roles as r
where r.rolname in ('public_api', 'anon', 'authenticated')
  and (r.rolsuper or r.rolbypassrls or r.rolcanlogin or r.rolinherit and r.rolname = 'public_api')
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
select n.what, format('must be granted to %s: %s', n.role, n.rights), n.remedy
from needed as n
where not exists (select from granted as g where g.what = n.what and g.role = n.role)
union all
select
  g.what, format('must not be granted to %s: %s', g.role, g.rights),
  format('revoke all on %s from %s;', regexp_replace(g.what, '^view', 'table'), g.role)
from granted as g
where g.role in ('public', 'anon') or g.role = 'service_role' and g.what ~ '^(table|view|sequence) '
  or g.role = 'authenticated' and g.owned_by = 'public_api'
union all
-- Row-level security is on, and a view reads with the rights of the role that selects from it.
select
  o.what, 'must have ' || case when o.what ~ '^view' then 'security_invoker' else 'row-level security enabled' end,
  format('alter %s %s;', o.what,
    case when o.what ~ '^view' then 'set (security_invoker = true)' else 'enable row level security' end)
from objects as o
where o.is_bound is not true
union all
-- A table that public_api reads has a policy for it: without one every company gets no rows, and no error.
select
  o.what, 'must have a policy for public_api: every company gets no rows of it',
  'the statement that creates it: grep -w api_read supabase/migrations/*'
from objects as o
where o.what ~ '^table ' and has_any_column_privilege('public_api', o.oid, 'select') and not exists (
  select from pg_catalog.pg_policy as p where p.polrelid = o.oid and to_regrole('public_api')::oid = any (p.polroles)
)
union all
-- A policy names the company or the admin, by a function. One that names neither lets every company through.
select
  format('policy %I on %s', p.polname, p.polrelid::regclass), 'must depend on the company or the admin',
  'drop it, if the migrations do not create it: npm run check-database'
from pg_catalog.pg_policy as p
where p.polrelid in (select o.oid from objects as o where o.what ~ '^table ') and not exists (
  select from pg_catalog.pg_depend as d join objects as o on o.oid = d.refobjid and o.what ~ '^routine '
  where d.classid = 'pg_catalog.pg_policy'::regclass and d.objid = p.oid
)
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
  and ('log_parameter_max_length', '0') not in (
    select r.name, r.value from settings as r where r.role = to_regrole('authenticator')
  )
  and exists (
    select from (
      select p.name, p.setting from pg_catalog.pg_settings as p union all select r.name, r.value from settings as r
    ) as found (name, value)
    where found.name = s.name and found.value <> all (s.accepted)
  )
union all
-- auto_explain logs parameters whatever log_parameter_max_length says. Requests come in as authenticator, and the Data API
-- applies what is set for the role that it changes to.
select
  'setting auto_explain.log_min_duration', 'must be -1 for ' || r.role || ': the secret key and key hashes would be logged',
  'for the role authenticator or in postgresql.conf: docs/operate/logs-and-errors.md, What PostgreSQL logs'
from unnest(array['authenticator', 'anon', 'authenticated', 'service_role']) as r (role)
where coalesce(
    (
      select s.value from settings as s
      where s.role = to_regrole(r.role) and s.name = 'auto_explain.log_min_duration' order by s.database desc limit 1
    ),
    case r.role when 'authenticator' then current_setting('auto_explain.log_min_duration', true) end, '-1'
  ) <> '-1'
union all
-- The same with an error.
select
  'setting log_parameter_max_length_on_error', 'must be 0: the secret key and key hashes would be logged with an error',
  'for the role authenticator or in postgresql.conf: docs/operate/logs-and-errors.md, What PostgreSQL logs'
where current_setting('log_parameter_max_length_on_error') <> '0'
order by 1, 2;
