-- Checks for what a restore can lose without an error (docs/operate/backup-and-restore.md). Run it as postgres. It returns one
-- row per problem, and no row if there is none. It works on PostgreSQL 15 to 18: it reads columns of the catalog, because
-- what pg_get_indexdef and the like print differs between versions. Objects of others are no problem.

\set ON_ERROR_STOP on \set QUIET on
set statement_timeout = 0;
\ir expected.sql

with recursive
rooms (oid, name) as (
  select n.oid, n.nspname from pg_catalog.pg_namespace as n where n.nspname in ('app', 'api', 'staging', 'public')
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
  where c.relkind in ('r', 'v', 'S') and r.name <> 'public'
),
types (oid, name, kind, owner, acl) as (
  select
    t.oid, case when n.nspname = 'pg_catalog' then t.typname::text else format('%I.%I', n.nspname, t.typname) end,
    case when n.oid in (select r.oid from rooms as r) then
      case when t.typtype = 'd' then 'domain' when c.relkind = 'c' then 'type' end
    end,
    t.typowner, coalesce(t.typacl, acldefault('T', t.typowner))
  from pg_catalog.pg_type as t
  join pg_catalog.pg_namespace as n on n.oid = t.typnamespace
  left join pg_catalog.pg_class as c on c.oid = t.typrelid
),
functions (oid, name, kind, owner, acl, form) as (
  select
    p.oid,
    format('%s.%I(%s)', r.name, p.proname, (
      select string_agg(t.name, ',' order by a.place)
      from unnest(p.proargtypes) with ordinality as a (type, place) join types as t on t.oid = a.type
    )),
    case p.prokind when 'p' then 'procedure' else 'function' end,
    p.proowner, coalesce(p.proacl, acldefault('f', p.proowner)),
    concat_ws(
      ', ',
      case when p.prosecdef then 'security definer' else 'security invoker' end,
      case p.provolatile when 'v' then 'volatile' when 's' then 'stable' else 'immutable' end,
      'returns ' || case when p.proretset then 'setof ' else '' end || (select t.name from types as t where t.oid = p.prorettype),
      array_to_string(p.proconfig, ', ')
    )
  from pg_catalog.pg_proc as p
  join rooms as r on r.oid = p.pronamespace
  where p.prokind in ('f', 'p')
),
columns (relation, number, name) as (
  select a.attrelid, a.attnum, quote_ident(a.attname) from pg_catalog.pg_attribute as a where not a.attisdropped
  union all
  select r.oid, 0, '(an expression)' from relations as r
),
objects (what, owner, acl) as (
  select 'schema ' || n.nspname, n.nspowner, n.nspacl from pg_catalog.pg_namespace as n
  where n.nspname in ('app', 'api', 'staging')
  union all
  select r.kind || ' ' || r.name, r.owner, r.acl from relations as r
  union all
  select t.kind || ' ' || t.name, t.owner, t.acl from types as t where t.kind is not null
  union all
  select f.kind || ' ' || f.name, f.owner, f.acl from functions as f
),
-- What is there: of each object some aspects, each with its value.
present (what, aspect, value) as (
  select o.what, 'owner', o.owner::regrole::text from objects as o
  union all
  select o.what, 'granted to ' || r.name, string_agg(a.privilege_type, ', ' order by a.privilege_type)
  from objects as o cross join aclexplode(o.acl) as a join roles as r on r.oid = a.grantee
  -- Before version 17 there is no such privilege.
  where a.grantee <> o.owner and a.privilege_type <> 'MAINTAIN'
  group by o.what, r.name
  union all
  select
    t.kind || ' ' || t.name, 'columns granted to ' || r.name,
    string_agg(format('%s (%s)', a.privilege_type, c.name), ', ' order by a.privilege_type, c.number)
  from pg_catalog.pg_attribute as of_column
  join relations as t on t.oid = of_column.attrelid
  join columns as c on c.relation = t.oid and c.number = of_column.attnum
  cross join aclexplode(of_column.attacl) as a
  join roles as r on r.oid = a.grantee
  group by t.kind, t.name, r.name
  union all
  select f.kind || ' ' || f.name, 'form', f.form from functions as f
  union all
  select format('constraint %I on %s', con.conname, t.name), of_constraint.aspect, of_constraint.value
  from pg_catalog.pg_constraint as con
  join relations as t on t.oid = con.conrelid
  left join pg_catalog.pg_index as x on x.indexrelid = con.conindid and con.contype in ('p', 'u')
  cross join lateral (values
    ('state', case when x.indisvalid and x.indisready then 'valid' when x.indexrelid is not null then 'invalid' end),
    ('form', concat_ws(
      ' ',
      case con.contype when 'p' then 'primary key' when 'u' then 'unique' when 'f' then 'foreign key' else 'check' end,
      '(' || (
        select string_agg(c.name, ', ' order by k.place)
        from unnest(con.conkey) with ordinality as k (number, place)
        join columns as c on c.relation = t.oid and c.number = k.number
      ) || ')',
      'references ' || (
        select format('%I.%I', n.nspname, c.relname) from pg_catalog.pg_class as c
        join pg_catalog.pg_namespace as n on n.oid = c.relnamespace where c.oid = con.confrelid
      ) || ' (' || (
        select string_agg(c.name, ', ' order by k.place)
        from unnest(con.confkey) with ordinality as k (number, place)
        join columns as c on c.relation = con.confrelid and c.number = k.number
      ) || ')',
      'on delete ' || case con.confdeltype when 'c' then 'cascade' when 'n' then 'set null' when 'r' then 'restrict' end,
      'on update ' || case con.confupdtype when 'c' then 'cascade' when 'n' then 'set null' when 'r' then 'restrict' end,
      case when con.condeferrable then 'deferrable' end,
      case when con.condeferred then 'initially deferred' end,
      case when not con.convalidated then 'not valid' end
    ))
  ) as of_constraint (aspect, value)
  -- Version 18 has a constraint for each column that is not null.
  where con.contype in ('p', 'u', 'f', 'c') and of_constraint.value is not null
  union all
  select format('index %s.%I', r.name, i.relname), of_index.aspect, of_index.value
  from pg_catalog.pg_index as x
  join pg_catalog.pg_class as i on i.oid = x.indexrelid
  join rooms as r on r.oid = i.relnamespace
  join relations as t on t.oid = x.indrelid
  join pg_catalog.pg_am as m on m.oid = i.relam
  cross join lateral (
    select
      string_agg(
        c.name || case when k.place <= x.indnkeyatts then
          case x.indoption[k.place - 1] when 0 then '' when 3 then ' desc' when 1 then ' desc nulls last' else ' nulls first' end
        else '' end,
        ', ' order by k.place
      ) filter (where k.place <= x.indnkeyatts) as keys,
      string_agg(c.name, ', ' order by k.place) filter (where k.place > x.indnkeyatts) as others
    from unnest(x.indkey) with ordinality as k (number, place)
    join columns as c on c.relation = x.indrelid and c.number = k.number
  ) as k
  cross join lateral (values
    ('form', concat_ws(
      ' ', case when x.indisunique then 'unique' end,
      'on', t.name, 'using', m.amname, '(' || k.keys || ')', 'include (' || k.others || ')',
      case when x.indnullsnotdistinct then 'nulls not distinct' end, case when x.indpred is not null then 'where …' end
    )),
    ('state', case when x.indisvalid and x.indisready then 'valid' else 'invalid' end)
  ) as of_index (aspect, value)
  where not exists (select from pg_catalog.pg_constraint as con where con.conindid = i.oid and con.contype in ('p', 'u'))
  union all
  select
    format('trigger %I on %s', g.tgname, t.name), 'form',
    concat_ws(
      ' ',
      case when g.tgtype & 64 > 0 then 'instead of' when g.tgtype & 2 > 0 then 'before' else 'after' end,
      concat_ws(
        ' or ', case when g.tgtype & 4 > 0 then 'insert' end, case when g.tgtype & 8 > 0 then 'delete' end,
        case when g.tgtype & 16 > 0 then 'update' end, case when g.tgtype & 32 > 0 then 'truncate' end
      ),
      'of ' || (
        select string_agg(c.name, ', ' order by c.number) from columns as c where c.relation = t.oid and c.number = any (g.tgattr)
      ),
      'old table ' || g.tgoldtable, 'new table ' || g.tgnewtable,
      case when g.tgtype & 1 > 0 then 'for each row' else 'for each statement' end,
      case when g.tgqual is not null then 'when …' end,
      'execute ' || (select f.kind || ' ' || f.name from functions as f where f.oid = g.tgfoid)
    )
  from pg_catalog.pg_trigger as g
  join relations as t on t.oid = g.tgrelid
  where not g.tgisinternal
  union all
  select
    format('policy %I on %s', p.polname, t.name), 'form',
    concat_ws(
      ' ',
      case when p.polpermissive then 'permissive' else 'restrictive' end,
      'for',
      case p.polcmd when 'r' then 'select' when 'a' then 'insert' when 'w' then 'update' when 'd' then 'delete' else 'all' end,
      'to', (select string_agg(r.rolname, ', ' order by r.rolname) from pg_catalog.pg_roles as r where r.oid = any (p.polroles)),
      case when p.polqual is not null then 'using' end, case when p.polwithcheck is not null then 'with check' end,
      -- In place of the expressions, what they depend on.
      'by ' || (
        select string_agg(distinct coalesce(f.name, c.name), ', ')
        from pg_catalog.pg_depend as d
        left join functions as f on d.refclassid = 'pg_catalog.pg_proc'::regclass and f.oid = d.refobjid
        left join columns as c
          on d.refclassid = 'pg_catalog.pg_class'::regclass and d.refobjsubid > 0
          and c.relation = d.refobjid and c.number = d.refobjsubid
        where d.classid = 'pg_catalog.pg_policy'::regclass and d.objid = p.oid
      )
    )
  from pg_catalog.pg_policy as p
  join relations as t on t.oid = p.polrelid
),
-- What has to be there.
expected (what, aspect, value) as (
  select split_part(line, '|', 1), split_part(part, '=', 1), substr(part, strpos(part, '=') + 1)
  from regexp_split_to_table(:'expected', '\n') as line, unnest((string_to_array(line, '|'))[2:]) as part
)

-- The checks: what is wrong, and what to do about it.

-- Every object of this version is there.
select
  e.what, concat_ws(': ', 'must exist', e.form) as problem,
  case
    when e.what like 'constraint %' and e.form !~ '^check'
      then format('alter table %s add constraint %s %s;', split_part(e.what, ' on ', 2), e.name, e.form)
    when e.form ~ ' btree ' and e.form !~ '…|\(an expression\)'
      then regexp_replace(e.form, '^(unique )?', format('create \1index concurrently %s ', e.name)) || ';'
    else format('the statement that creates it: grep -rw %s supabase/migrations', e.name)
  end as remedy
from (
  select
    e.what, (regexp_match(e.what, '^\w+ (?:\w+\.)?"?(\w+)'))[1] as name,
    max(e.value) filter (where e.aspect = 'form') as form
  from expected as e group by e.what
) as e
where not exists (select from present as p where p.what = e.what)
union all
-- It has the owner, form and rights that this version gives it.
select
  what,
  case
    when aspect = 'owner' then format('must belong to %s, not to %s', e.value, p.value)
    when p.value is null then format('must be %s: %s', aspect, e.value)
    when e.value is null then format('must not be %s: %s', aspect, p.value)
    else format('must be %s, not %s', concat_ws(': ', substring(aspect from '.*granted to.*'), e.value), p.value)
  end,
  case
    -- What serves keys.
    when e.value is not null and aspect in ('owner', 'granted to service_role')
      and exists (select from expected as o where o.what = whose and o.aspect = 'owner' and o.value = 'public_api')
      then 'sql/commands/repair.sql'
    when aspect = 'owner' then format('alter %s owner to %s;', what, e.value)
    when aspect like '%granted to %' then
      concat_ws(
        ' ', case when p.value is not null then format('revoke %s on %s from %s;', p.value, object, role) end,
        case when e.value is not null then format('grant %s on %s to %s;', e.value, object, role) end
      )
    when aspect = 'state' then format('reindex index concurrently %s;', split_part(what, ' ', 2))
    else format(
      'the statement that creates it: grep -rw %s supabase/migrations', (regexp_match(what, '^\w+ (?:\w+\.)?"?(\w+)'))[1]
    )
  end
from expected as e
full join (select p.* from present as p where p.what in (select e.what from expected as e)) as p using (what, aspect)
cross join lateral (
  select what as whose, regexp_replace(what, '^view|^table', 'table') as object, split_part(aspect, 'granted to ', 2) as role
) as named
where e.value is distinct from p.value and what in (select p.what from present as p)
union all
-- The role that row-level security binds is there.
select
  'role public_api', 'must exist',
  'the statements before create schema in sql/schema/0100_roles_and_schemas.sql, then sql/commands/repair.sql'
where not exists (select from roles as r where r.name = 'public_api')
union all
-- Row-level security binds it, and nobody signs in with it.
select
  'role public_api', 'must not be a superuser, bypass row-level security, inherit or sign in',
  'alter role public_api nobypassrls noinherit nologin; only Supabase can take superuser away'
from pg_catalog.pg_roles as r
where r.rolname = 'public_api' and (r.rolsuper or r.rolbypassrls or r.rolinherit or r.rolcanlogin)
union all
-- Row-level security is on.
select
  'table ' || t.name, 'must have row-level security enabled',
  format('alter table %s enable row level security;', t.name)
from relations as t
where t.kind = 'table' and not t.relrowsecurity
union all
-- A view reads with the rights of the role that selects from it.
select
  'view ' || t.name, 'must have security_invoker',
  format('alter view %s set (security_invoker = true);', t.name)
from relations as t
where t.kind = 'view' and not coalesce(t.reloptions @> array['security_invoker=true'], false)
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
