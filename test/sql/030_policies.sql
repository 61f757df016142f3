-- Row-level security as it is declared: on every table, with exactly these policies, and views that do not go around it.
begin;
create extension if not exists pgtap with schema extensions;
select plan(23);

-- The schemas that this project makes.
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
    select oid::regclass from pg_class
    where relnamespace = any (pg_temp.ours()) and relkind = 'v' and not coalesce('security_invoker=true' = any (reloptions), false)
  $$,
  'Every view reads with the rights and under the policies of whoever selects from it (security_invoker)'
);
select is_empty(
  $$
    select oid::regclass, reloptions from pg_class
    where relnamespace = 'api'::regnamespace and (relkind, reloptions) is distinct from ('v', array['security_invoker=true'])
  $$,
  'Schema api holds views alone, each with security_invoker and no other option'
);

select policies_are('app', 'companies', array['api_read'], 'app.companies has the policy api_read only');
select policies_are('app', 'teams', array['api_read'], 'app.teams has the policy api_read only');
select policies_are('app', 'members', array['api_read', 'admin_read'], 'app.members has the policies api_read and admin_read only');
select policies_are('app', 'member_accounts', '{}'::name[], 'app.member_accounts has no policy');
select policies_are('app', 'categories', array['api_read'], 'app.categories has the policy api_read only');
select policies_are('app', 'category_names', array['api_read'], 'app.category_names has the policy api_read only');
select policies_are('app', 'kudos', array['api_read'], 'app.kudos has the policy api_read only');
select policies_are('app', 'rewards', array['api_read', 'api_insert', 'api_update'],
  'app.rewards has the policies api_read, api_insert and api_update only');
select policies_are('app', 'day_ratings', array['api_read'], 'app.day_ratings has the policy api_read only');
select policies_are('app', 'pulse_questions', array['api_read'], 'app.pulse_questions has the policy api_read only');
select policies_are('app', 'pulse_responses', array['api_read'], 'app.pulse_responses has the policy api_read only');
select policies_are('app', 'api_keys', array['admin_read', 'admin_insert', 'admin_update'],
  'app.api_keys has the policies admin_read, admin_insert and admin_update only');
select policies_are('app', 'api_key_uses', array['admin_read'], 'app.api_key_uses has the policy admin_read only');
select policies_are('app', 'api_key_events', array['admin_read'], 'app.api_key_events has the policy admin_read only');
select is_empty(
  $$ select tablename, policyname from pg_policies where schemaname not in ('app', 'auth', 'storage', 'realtime') $$,
  'No table outside schema app has a policy: rows on their way in through staging are nobody''s yet'
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
