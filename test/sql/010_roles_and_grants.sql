-- Roles, schemas and grants: what each role of the Data API holds, exactly. What these rights come to in practice is
-- tried out in 020_tables_rls.sql; functions are in 040_function_privileges.sql.
begin;
create extension if not exists pgtap with schema extensions;
select plan(20);

-- An access control list in words: 'select, insert' for each role but the owner.
create function pg_temp.granted(acl aclitem[], owner oid, out role text, out privileges text) returns setof record
language sql stable
begin atomic
  select
    case entry.grantee when 0 then 'public' else entry.grantee::regrole::text end,
    string_agg(lower(entry.privilege_type) || case when entry.is_grantable then ' (grantable)' else '' end, ', ' order by entry.privilege_type)
  from aclexplode(acl) as entry
  where entry.grantee <> owner
  group by entry.grantee;
end;

-- The schemas that this project makes.
create function pg_temp.ours() returns regnamespace[] language sql stable
return array(select oid::regnamespace from pg_namespace where nspname in ('app', 'api', 'staging'));

-- Roles

select results_eq(
  $$
    select rolcanlogin, rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication, rolinherit
    from pg_roles where rolname = 'public_api'
  $$,
  $$ values (false, false, false, false, false, false, false) $$,
  'public_api cannot sign in, is bound by row-level security and has no attribute that would let it become more'
);
select is_empty(
  $$ select roleid::regrole from pg_auth_members where member = 'public_api'::regrole $$,
  'public_api is a member of no other role'
);
select bag_eq(
  $$ select distinct member::regrole::text from pg_auth_members where roleid = 'public_api'::regrole $$,
  $$ values ('postgres') $$,
  'Only postgres may become public_api: no role that a request runs as can'
);
select is_empty(
  $$
    select role from unnest(array['anon', 'authenticated', 'service_role', 'public_api', 'authenticator']) as role
    where pg_has_role(role, 'postgres', 'member')
  $$,
  'No role that a request runs as may become postgres'
);

-- Schemas

select bag_eq(
  $$ select nspname::text, role, privileges from pg_namespace, pg_temp.granted(nspacl, nspowner) where nspname in ('app', 'api') $$,
  $$ values
    ('app', 'public_api', 'usage'),
    ('app', 'authenticated', 'usage'),
    ('api', 'public_api', 'usage') $$,
  'Schema app is open to public_api and authenticated, schema api to public_api alone, and nobody may create in them'
);
select bag_eq(
  $$
    select role, schema
    from unnest(array['anon', 'authenticated', 'service_role', 'public_api']) as role, unnest(pg_temp.ours()) as schema
    where has_schema_privilege(role, schema::oid, 'usage')
  $$,
  $$ values ('public_api', 'app'::regnamespace), ('authenticated', 'app'), ('public_api', 'api') $$,
  'anon and service_role reach no schema of ours, not through a membership either'
);
select is_empty(
  $$
    select role, nspname
    from unnest(array['anon', 'authenticated', 'service_role', 'public_api']) as role, pg_namespace
    where (oid = any (pg_temp.ours()) or nspname in ('public', 'extensions')) and has_schema_privilege(role, oid, 'create')
  $$,
  'No role of the Data API may create anything in our schemas, in public or in extensions'
);
select is_empty(
  $$ select nspname from pg_namespace where oid = any (pg_temp.ours()) and nspowner <> 'postgres'::regrole $$,
  'postgres owns the schemas'
);
select is_empty(
  $$ select defaclrole::regrole, defaclnamespace::regnamespace from pg_default_acl where defaclnamespace = any (pg_temp.ours()) $$,
  'Nothing that is made later in our schemas is granted to anybody by default'
);

-- Tables and views

select is_empty(
  $$ select oid::regclass from pg_class where relnamespace = any (pg_temp.ours()) and relowner <> 'postgres'::regrole $$,
  'postgres owns every table, view, index and sequence'
);
select is_empty(
  $$
    select oid::regclass from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f')
      and not exists (select from pg_depend where objid = pg_class.oid and deptype = 'e')
  $$,
  'Schema public, which the Data API exposes, holds no table and no view'
);
select bag_eq(
  $$
    select c.oid::regclass::text, role, privileges
    from pg_class as c, pg_temp.granted(c.relacl, c.relowner)
    where c.relnamespace = any (pg_temp.ours()) and c.relnamespace <> 'api'::regnamespace
  $$,
  $$ values
    ('app.teams', 'public_api', 'select'),
    ('app.members', 'public_api', 'select'),
    ('app.categories', 'public_api', 'select'),
    ('app.category_names', 'public_api', 'select'),
    ('app.kudos', 'public_api', 'select'),
    ('app.rewards', 'public_api', 'select'),
    ('app.day_ratings', 'public_api', 'select'),
    ('app.pulse_questions', 'public_api', 'select'),
    ('app.pulse_responses', 'public_api', 'select'),
    ('app.api_key_uses', 'authenticated', 'select'),
    ('app.api_key_events', 'authenticated', 'select') $$,
  'Whole tables: public_api reads what it serves, authenticated reads uses and history of keys, and that is all'
);
select bag_eq(
  $$
    select c.oid::regclass::text, role, privileges
    from pg_class as c, pg_temp.granted(c.relacl, c.relowner)
    where c.relnamespace = 'api'::regnamespace
  $$,
  $$ select oid::regclass::text, 'public_api', 'select' from pg_class where relnamespace = 'api'::regnamespace $$,
  'Every view of schema api: public_api reads it, and nobody else does anything with it'
);
select bag_eq(
  $$
    select a.attrelid::regclass::text, role, privileges, string_agg(a.attname, ', ' order by a.attname)
    from pg_class as c
    join pg_attribute as a on a.attrelid = c.oid, pg_temp.granted(a.attacl, c.relowner)
    where c.relnamespace = any (pg_temp.ours())
    group by a.attrelid, role, privileges
  $$,
  $$ values
    ('app.companies', 'public_api', 'select', 'default_language, id, name'),
    ('app.rewards', 'public_api', 'insert', 'company_id, external_id'),
    ('app.rewards', 'public_api', 'insert, update', 'description, name, points_cost, reward_type'),
    ('app.members', 'authenticated', 'select', 'company_id, id, name'),
    ('app.api_keys', 'authenticated', 'select', 'company_id, created_at, created_by, hint, id, revoked_by'),
    ('app.api_keys', 'authenticated', 'insert, select', 'scopes'),
    ('app.api_keys', 'authenticated', 'insert, select, update', 'expires_at, name'),
    ('app.api_keys', 'authenticated', 'select, update', 'replaced_by, revoked_at') $$,
  'Single columns: exactly those that an import, the company''s name and language, the dashboard and a revoke need'
);
select is_empty(
  $$
    select role, c.oid::regclass, privilege
    from unnest(array['anon', 'service_role']) as role, pg_class as c,
      unnest(array['select', 'insert', 'update', 'references']) as privilege
    where c.relnamespace = any (pg_temp.ours()) and c.relkind in ('r', 'p', 'v', 'm', 'f')
      and has_any_column_privilege(role, c.oid, privilege)
  $$,
  'anon and service_role hold nothing on any table, view or column, not through a membership either'
);
select is_empty(
  $$
    select role, c.oid::regclass, privilege
    from unnest(array['anon', 'authenticated', 'service_role', 'public_api']) as role, pg_class as c,
      unnest(array['delete', 'truncate', 'trigger', 'maintain']) as privilege
    where c.relnamespace = any (pg_temp.ours()) and c.relkind in ('r', 'p', 'v', 'm', 'f')
      and has_table_privilege(role, c.oid, privilege)
  $$,
  'Nobody may delete from, truncate, put a trigger on or maintain any table'
);
select is_empty(
  $$
    select role, c.oid::regclass
    from unnest(array['anon', 'authenticated', 'service_role', 'public_api']) as role, pg_class as c
    where c.relnamespace = any (pg_temp.ours()) and c.relkind = 'S'
      and has_sequence_privilege(role, c.oid, 'usage, select, update')
  $$,
  'Nobody may use a sequence'
);
select is_empty(
  $$
    select role, privilege
    from unnest(array['anon', 'authenticated', 'service_role', 'public_api']) as role,
      unnest(array['select', 'insert', 'update', 'references']) as privilege
    where has_column_privilege(role, 'app.api_keys', 'key_hash', privilege)
  $$,
  'The hash of a key can be neither read nor written by any role of the Data API'
);
select is_empty(
  $$
    select role, privilege
    from unnest(array['anon', 'authenticated', 'service_role', 'public_api']) as role,
      unnest(array['select', 'insert', 'update', 'references']) as privilege
    where has_any_column_privilege(role, 'app.member_accounts', privilege)
  $$,
  'Which sign-in is which member is open to no role of the Data API'
);
select is_empty(
  $$
    select relation, privilege
    from unnest(array['app.day_ratings', 'app.pulse_questions', 'app.pulse_responses', 'app.kudos', 'app.rewards']::regclass[]) as relation,
      unnest(array['select', 'insert', 'update', 'references']) as privilege
    where has_any_column_privilege('authenticated', relation, privilege)
  $$,
  'An admin who is signed in holds nothing on moods, kudos and rewards'
);
select * from finish();
rollback;
