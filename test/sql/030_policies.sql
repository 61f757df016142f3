-- Declared row-level security: on every table, with exactly these policies, and with views that do not bypass it.
begin;
create extension if not exists pgtap with schema extensions;
select plan(8);

-- The schemas of this project.
create function pg_temp.ours() returns oid[] language sql stable
return array(select oid from pg_namespace where nspname in ('app', 'api', 'staging'));

select is_empty(
  $$ select oid::regclass from pg_class where relnamespace = any (pg_temp.ours()) and relkind in ('r', 'p') and not relrowsecurity $$,
  'Row-level security is enabled on every table'
);
select is_empty(
  $$ select oid::regclass from pg_class where relnamespace = any (pg_temp.ours()) and relkind in ('m', 'f') $$,
  'There is no materialized view and no foreign table: row-level security would not reach them'
);
select is_empty(
  $$
    select oid::regclass, reloptions from pg_class
    where relnamespace = any (pg_temp.ours()) and relkind = 'v' and reloptions is distinct from array['security_invoker=true']
  $$,
  'Every view reads with the rights and under the policies of whoever selects from it (security_invoker)'
);

select bag_eq(
  $$
    select tablename::text, string_agg(policyname, ' ' order by policyname) from pg_policies
    where schemaname not in ('auth', 'storage', 'realtime') group by schemaname, tablename
  $$,
  $$ values
    ('companies', 'api_read'), ('teams', 'api_read'), ('members', 'admin_read api_read'), ('categories', 'api_read'), ('category_names', 'api_read'),
    ('kudos', 'api_read'), ('deletions', 'api_read'), ('forgotten_deletions', 'api_read'), ('rewards', 'api_insert api_read api_update'), ('day_ratings', 'api_read'), ('pulse_questions', 'api_read'),
    ('pulse_responses', 'api_read'), ('api_keys', 'admin_insert admin_read admin_update'), ('api_key_uses', 'admin_read'), ('api_key_events', 'admin_read') $$,
  'These tables have these policies, and no other table has any'
);
select bag_eq(
  $$ select distinct policyname::text, cmd, roles::text, permissive from pg_policies where schemaname in ('app', 'api', 'staging') $$,
  $$ values
    ('api_read', 'SELECT', '{public_api}', 'PERMISSIVE'),
    ('api_insert', 'INSERT', '{public_api}', 'PERMISSIVE'),
    ('api_update', 'UPDATE', '{public_api}', 'PERMISSIVE'),
    ('admin_read', 'SELECT', '{authenticated}', 'PERMISSIVE'),
    ('admin_insert', 'INSERT', '{authenticated}', 'PERMISSIVE'),
    ('admin_update', 'UPDATE', '{authenticated}', 'PERMISSIVE') $$,
  'Policies that begin with api bind public_api, those that begin with admin bind authenticated, each for the command in its name'
);
select is_empty(
  $$
    select tablename, policyname, condition
    from pg_policies, unnest(array[qual, with_check]) as condition
    where schemaname = 'app' and policyname like 'api\_%' and condition is not null
      and condition <> case tablename when 'companies' then '(id' else '(company_id' end
        || ' = ( SELECT app.current_company_id() AS current_company_id))'
  $$,
  'Every condition for public_api: the company of the verified key, asked for once a statement and not once a row'
);
select is_empty(
  $$
    select tablename, policyname, condition
    from pg_policies, unnest(array[qual, with_check]) as condition
    where schemaname = 'app' and policyname like 'admin\_%' and condition is not null
      and condition <> '(company_id = ( SELECT admin.company_id' || e'\n'
        || '   FROM app.current_admin() admin(company_id, member_id)))'
  $$,
  'Every condition for authenticated: the company of the admin who is signed in, asked for once a statement'
);
select is_empty(
  $$
    select tablename, policyname from pg_policies
    where schemaname = 'app'
      and ((qual is null) <> (cmd = 'INSERT') or (with_check is null) <> (cmd = 'SELECT'))
  $$,
  'Every policy says both what may be seen and what may be written, as far as its command does either'
);
select * from finish();
rollback;
