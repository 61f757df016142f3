-- Roles, ownership, privileges and row-level security as they are declared. 020_who_may_do_what.sql tests what each
-- role can do with them.
begin;
\ir helpers.psql
select plan(7);

-- The schemas of this project, and the roles that requests run as.
create function pg_temp.ours() returns regnamespace[] language sql stable
return array(select oid::regnamespace from pg_namespace where nspname in ('app', 'lists', 'staging'));
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
  'Only postgres may become public_api, which may become no other role, and no role that a request runs as may become postgres'
);

-- Ownership and privileges

select is_empty(
  $$
    select oid::regclass::text, relowner::regrole from pg_class where relnamespace = any (pg_temp.ours()) and relowner <> 'postgres'::regrole
    union all
    select nspname, nspowner::regrole from pg_namespace where oid = any (pg_temp.ours()) and nspowner <> 'postgres'::regrole
    union all
    select 'made later in ' || defaclnamespace::regnamespace, defaclrole::regrole from pg_default_acl where defaclnamespace = any (pg_temp.ours())
  $$,
  'postgres owns the schemas and every table, view, index and sequence in them, and nothing is granted in advance'
);
select bag_eq(
  $$
    select role, nspname::text, privilege
    from roles, pg_namespace, unnest(array['usage', 'usage with grant option', 'create']) as privilege
    where has_schema_privilege(role, oid, privilege)
      and (oid = any (pg_temp.ours()) or nspname in ('public', 'extensions') and privilege = 'create')
  $$,
  $$ values ('public_api', 'app', 'usage'), ('authenticated', 'app', 'usage'), ('service_role', 'app', 'usage'), ('public_api', 'lists', 'usage') $$,
  'Schema app is open to public_api, authenticated and service_role, schema lists to public_api alone, and none of these roles may create anything'
);
select is_empty(
  $$
    select oid::regclass::text, grantee::regrole
    from pg_class, aclexplode(relacl)
    where relnamespace = any (pg_temp.ours()) and grantee <> relowner
      and grantee not in ('public_api'::regrole, 'authenticated'::regrole)
    union all
    select oid::regprocedure::text, grantee::regrole
    from pg_proc, aclexplode(coalesce(proacl, acldefault('f', proowner)))
    where pronamespace = any (pg_temp.ours()) and grantee <> proowner
      and grantee not in ('public_api'::regrole, 'authenticated'::regrole)
  $$,
  'No other role has been granted a table, a view or a function of ours'
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
    select distinct permissive, roles::text, condition from pg_policies, unnest(array[qual, with_check]) as condition
    where schemaname not in ('auth', 'storage', 'realtime') and condition is not null
  $$,
  $$ values
    ('PERMISSIVE', '{public_api}', '(id = ( SELECT app.current_company_id() AS current_company_id))'),
    ('PERMISSIVE', '{public_api}', '(company_id = ( SELECT app.current_company_id() AS current_company_id))'),
    ('PERMISSIVE', '{authenticated}', e'(company_id = ( SELECT admin.company_id\n   FROM app.current_admin() admin(company_id, member_id)))') $$,
  'Every policy compares with the company of the verified key or of the signed-in admin, which is read once a statement and not once a row'
);
rollback;
