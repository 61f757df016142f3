-- Roles, ownership, privileges and row-level security as they are declared. 020_who_may_do_what.sql tries what each role
-- can do with them.
begin;
create extension if not exists pgtap with schema extensions;
select plan(9);

-- The schemas of this project, and the roles that requests run as.
create function pg_temp.ours() returns regnamespace[] language sql stable
return array(select oid::regnamespace from pg_namespace where nspname in ('app', 'api', 'staging'));
create temporary table roles as select unnest(array['anon', 'authenticated', 'service_role', 'public_api', 'authenticator']) as role;

-- Roles

select results_eq(
  $$
    select rolcanlogin, rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication, rolinherit
    from pg_roles where rolname = 'public_api'
  $$,
  $$ values (false, false, false, false, false, false, false) $$,
  'public_api cannot sign in, is bound by row-level security and has no attribute that would let it become more'
);
select bag_eq(
  $$
    select roleid::regrole::text, member::regrole::text from pg_auth_members where 'public_api'::regrole in (roleid, member)
    union
    select 'postgres', role from roles where pg_has_role(role, 'postgres', 'member')
  $$,
  $$ values ('public_api', 'postgres') $$,
  'Only postgres may become public_api, which may become nobody, and no role that a request runs as may become postgres'
);

-- Ownership and privileges

select is_empty(
  $$
    select oid::regclass::text, relowner::regrole from pg_class where relnamespace = any (pg_temp.ours()) and relowner <> 'postgres'::regrole
    union all
    select nspname, nspowner::regrole from pg_namespace where oid = any (pg_temp.ours()) and nspowner <> 'postgres'::regrole
  $$,
  'postgres owns the schemas and every table, view, index and sequence in them'
);
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
select is_empty(
  $$
    select role, nspname from roles, pg_namespace
    where (oid = any (pg_temp.ours()) or nspname in ('public', 'extensions')) and has_schema_privilege(role, oid, 'create')
  $$,
  'No role of the Data API may create anything in our schemas, in public or in extensions, not through a membership either'
);
select is_empty(
  $$
    with acls as (
      select oid, null as column_name, relnamespace, relowner, relacl as acl from pg_class
      union all
      select c.oid, a.attname, c.relnamespace, c.relowner, a.attacl from pg_class as c join pg_attribute as a on a.attrelid = c.oid
    )
    select oid::regclass::text, column_name, grantee, privilege_type, is_grantable
    from acls, aclexplode(acl)
    where relnamespace = any (pg_temp.ours()) and grantee <> relowner and (
      (relnamespace::regnamespace::text, grantee) not in (('app', 'public_api'::regrole), ('app', 'authenticated'::regrole), ('api', 'public_api'::regrole))
      or privilege_type not in ('SELECT', 'INSERT', 'UPDATE') or is_grantable
    )
    union all
    select 'made later in ' || defaclnamespace::regnamespace, null, defaclrole, null, null
    from pg_default_acl where defaclnamespace = any (pg_temp.ours())
  $$,
  'Who may use a schema, and nobody else, holds something on tables and views there: select, insert and update, which they cannot pass on'
);
select is_empty(
  $$
    select oid::regclass from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f')
      and not exists (select from pg_depend where objid = pg_class.oid and deptype = 'e')
  $$,
  'Schema public, which the Data API exposes, holds no table and no view'
);

-- Row-level security

select is_empty(
  $$
    select oid::regclass, relkind, reloptions from pg_class
    where relnamespace = any (pg_temp.ours()) and case relkind
      when 'r' then not relrowsecurity
      when 'v' then reloptions is distinct from array['security_invoker=true']
      else relkind in ('p', 'm', 'f') end
  $$,
  'Row-level security is enabled on every table, every view reads with the rights of its reader, and nothing else holds rows'
);
select bag_eq(
  $$
    select policyname::text, tablename::text, permissive, roles::text, cmd, qual, with_check from pg_policies
    where schemaname not in ('auth', 'storage', 'realtime')
  $$,
  $$
    select policy, relation, 'PERMISSIVE' as permissive, '{' || role || '}' as roles, command,
      case when command <> 'INSERT' then condition end as qual, case when command <> 'SELECT' then condition end as with_check
    from (values
      ('api_read', 'public_api', 'SELECT', array['companies', 'teams', 'members', 'categories', 'category_names', 'kudos', 'rewards',
        'day_ratings', 'pulse_questions', 'pulse_responses', 'deletions', 'forgotten_deletions']),
      ('api_insert', 'public_api', 'INSERT', array['rewards']),
      ('api_update', 'public_api', 'UPDATE', array['rewards']),
      ('admin_read', 'authenticated', 'SELECT', array['members', 'api_keys', 'api_key_uses', 'api_key_events']),
      ('admin_insert', 'authenticated', 'INSERT', array['api_keys']),
      ('admin_update', 'authenticated', 'UPDATE', array['api_keys'])
    ) as policies (policy, role, command, relations), unnest(relations) as relation, lateral (select case
      when role = 'authenticated' then e'(company_id = ( SELECT admin.company_id\n   FROM app.current_admin() admin(company_id, member_id)))'
      when relation = 'companies' then '(id = ( SELECT app.current_company_id() AS current_company_id))'
      else '(company_id = ( SELECT app.current_company_id() AS current_company_id))' end) as bound (condition)
  $$,
  'These are the policies: the company of the verified key or of the admin who is signed in, asked for once a statement and not once a row'
);
select * from finish();
rollback;
