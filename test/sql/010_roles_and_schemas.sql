-- Roles and schemas: who owns what, and that there are no grants besides those that 020_who_may_do_what.sql tests.
begin;
create extension if not exists pgtap with schema extensions;
select plan(12);

-- The schemas of this project.
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
  $$
    select nspname::text, grantee::regrole::text, privilege_type, is_grantable
    from pg_namespace, aclexplode(nspacl)
    where oid = any (pg_temp.ours()) and grantee <> nspowner
  $$,
  $$ values
    ('app', 'public_api', 'USAGE', false),
    ('app', 'authenticated', 'USAGE', false),
    ('api', 'public_api', 'USAGE', false) $$,
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
select is_empty(
  $$
    with acls as (
      select oid, null as column_name, relnamespace, relowner, relacl as acl from pg_class
      union all
      select c.oid, a.attname, c.relnamespace, c.relowner, a.attacl from pg_class as c join pg_attribute as a on a.attrelid = c.oid
    )
    select oid::regclass, column_name, grantee, privilege_type, is_grantable
    from acls, aclexplode(acl)
    where relnamespace = any (pg_temp.ours()) and grantee <> relowner and (
      (relnamespace::regnamespace::text, grantee) not in (('app', 'public_api'::regrole), ('app', 'authenticated'::regrole), ('api', 'public_api'::regrole))
      or privilege_type not in ('SELECT', 'INSERT', 'UPDATE') or is_grantable
    )
  $$,
  'Who may use a schema, and nobody else, holds something on tables and views there: select, insert and update, which they cannot pass on'
);
select * from finish();
rollback;
