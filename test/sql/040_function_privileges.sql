-- Functions: which there are, whose they are, with whose rights they run and who may call them, exactly.
begin;
create extension if not exists pgtap with schema extensions;
-- Only so that pgTAP itself can be called while acting as public_api.
grant usage on schema extensions to public_api;
select plan(31);

-- The functions of this project: those of its schemas, and those in public that no extension brought.
create temporary view functions as
select
  p.oid,
  n.nspname::text as schema,
  p.proname::text as name,
  pg_get_function_arguments(p.oid) as arguments,
  pg_get_function_result(p.oid) as result,
  p.proowner::regrole::text as owner,
  case when p.prosecdef then 'definer' else 'invoker' end as security,
  case p.provolatile when 'v' then 'volatile' when 's' then 'stable' when 'i' then 'immutable' end as volatility,
  array_to_string(p.proconfig, ', ') as settings,
  (
    select coalesce(string_agg(grantee.name, ', ' order by grantee.name), '')
    from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) as entry,
      lateral (select case entry.grantee when 0 then 'public' else entry.grantee::regrole::text end) as grantee (name)
    where entry.grantee <> p.proowner
  ) as callers
from pg_proc as p
join pg_namespace as n on n.oid = p.pronamespace
where n.nspname in ('public', 'app', 'api', 'staging')
  and not exists (select from pg_depend as d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e');

-- What the Data API may call

select is_empty(
  $$
    select name from functions
    where schema = 'public' and callers = 'service_role'
      and (owner, security, volatility, result) is distinct from ('public_api', 'definer', 'volatile', 'json')
  $$,
  'Functions that serve API keys belong to public_api and run with its rights'
);
select is_empty(
  $$
    select name, settings from functions
    where schema = 'public' and callers = 'service_role' and settings <> case
      when name ~ '^list_' then 'search_path="", plan_cache_mode=force_generic_plan, enable_seqscan=off, enable_sort=off, jit=off, lock_timeout=5s, statement_timeout=7s'
      else 'search_path="", jit=off, lock_timeout=5s, statement_timeout=7s' end
  $$,
  'Every list has the settings that keep its plan good, and nothing that serves an API key waits or runs for long'
);
select is_empty(
  $$
    select name from functions
    where schema = 'public' and callers = 'authenticated' and (owner, security, result) is distinct from ('postgres', 'invoker', 'json')
  $$,
  'Functions that admins call run with the rights of their caller'
);
select is_empty(
  $$
    select name from functions
    where schema = 'public' and (select prosrc from pg_proc where pg_proc.oid = functions.oid) like '%app.authenticate(%'
      and volatility <> 'volatile'
  $$,
  'Every function that authenticates is volatile: the Data API runs a stable one read-only, and the last use could not be recorded'
);
select is_empty(
  $$
    select f.schema, f.name from functions as f join pg_proc as p on p.oid = f.oid
    where coalesce(f.settings, '') !~ '\mjit=off\M'
      and (f.owner = 'public_api' or has_function_privilege('public_api', f.oid, 'execute') and p.prosrc ~ '\m(from|join|update|into) (app|api)\.')
  $$,
  'Every function of public_api, and each that these call and that reads a table, is never compiled: it would take longer than a hundred pages'
);
select is(
  (select proparallel from pg_proc where oid = 'app.current_company_id'::regproc), 'u',
  'No page is read in parallel, whatever its plan is priced at: the function that the policies ask forbids it'
);
select is_empty(
  $$ select schema, name from functions group by schema, name having count(*) > 1 $$,
  'No function is overloaded: the Data API chooses by argument names, and grants, owners and comments name a function without its arguments'
);
select is_empty(
  $$ select name from functions where schema = 'public' and security = 'definer' and owner <> 'public_api' $$,
  'Nothing in public runs with the rights of postgres'
);

-- Internal functions

select bag_eq(
  $$ select name, arguments, owner, security, volatility, settings, callers from functions where schema = 'app' $$,
  $$ values
    ('current_company_id', '', 'postgres', 'invoker', 'stable', 'search_path=""', 'public_api'),
    ('current_admin', 'OUT company_id uuid, OUT member_id uuid', 'postgres', 'definer', 'stable', 'search_path=""', 'authenticated'),
    ('current_member', 'OUT company_name text, OUT name text, OUT role text', 'postgres', 'definer', 'stable', 'search_path=""', 'authenticated'),
    ('link_member', '', 'postgres', 'definer', 'volatile', 'search_path=""', 'authenticated'),
    ('scopes', '', 'postgres', 'invoker', 'immutable', 'search_path=""', 'authenticated'),
    ('api_key_checksum', 'text text', 'postgres', 'invoker', 'immutable', 'search_path=""', ''),
    ('new_api_key', '', 'postgres', 'invoker', 'volatile', 'search_path=""', ''),
    ('make_api_key', '', 'postgres', 'definer', 'volatile', 'search_path=""', ''),
    ('change_api_key', '', 'postgres', 'definer', 'volatile', 'search_path=""', ''),
    ('check_api_key_name', 'name text', 'postgres', 'invoker', 'immutable', 'search_path=""', 'authenticated'),
    ('insert_api_key', 'name text, scopes text[], expires_at timestamp with time zone', 'postgres', 'invoker', 'volatile', 'search_path=""',
      'authenticated'),
    ('record_api_key_event', '', 'postgres', 'definer', 'volatile', 'search_path=""', ''),
    ('refuse_change', '', 'postgres', 'invoker', 'volatile', 'search_path=""', ''),
    ('authenticate', 'key_hash text, required_scope text', 'postgres', 'definer', 'volatile', 'search_path="", enable_seqscan=off, jit=off', 'public_api'),
    ('requests_at_once', '', 'postgres', 'invoker', 'stable', 'search_path=""', ''),
    ('note_use', 'company_id uuid, key_id uuid', 'postgres', 'invoker', 'volatile', 'search_path="", enable_seqscan=off', ''),
    ('refuse_without_row_security', '', 'postgres', 'invoker', 'stable', 'search_path=""', 'public_api'),
    ('iso_8601', 'instant timestamp with time zone', 'postgres', 'invoker', 'stable', 'search_path=""', 'authenticated, public_api'),
    ('append_columns', 'item json, columns json, include text[]', 'postgres', 'invoker', 'immutable', 'search_path=""', 'public_api'),
    ('refuse_starting_after', 'key_id uuid, company_id uuid', 'postgres', 'invoker', 'stable', 'search_path=""', 'public_api'),
    ('include_in_activity', 'page json, company_id uuid, include text[]', 'postgres', 'invoker', 'stable', 'search_path="", jit=off', 'public_api'),
    ('include_in_rewards', 'page json, company_id uuid, include text[]', 'postgres', 'invoker', 'stable', 'search_path="", jit=off', 'public_api'),
    ('include_in_day_ratings', 'page json, company_id uuid, include text[]', 'postgres', 'invoker', 'stable', 'search_path="", jit=off', 'public_api'),
    ('include_in_pulse_responses', 'page json, company_id uuid, include text[]', 'postgres', 'invoker', 'stable', 'search_path="", jit=off', 'public_api'),
    ('page_headers', '', 'postgres', 'invoker', 'immutable', 'search_path=""', 'public_api'),
    ('respond', 'key_id uuid, company_id uuid, body json, page_rows bigint DEFAULT NULL::bigint, has_more boolean DEFAULT NULL::boolean',
      'postgres', 'invoker', 'volatile', 'search_path=""', 'public_api'),
    ('rarest_members_filter', 'company_id uuid, team_id uuid, role text', 'postgres', 'invoker', 'stable',
      'search_path="", enable_bitmapscan=off, jit=off', 'public_api'),
    ('category_names_by_id', 'company_id uuid', 'postgres', 'invoker', 'stable', 'search_path="", jit=off', 'public_api'),
    ('rarest_kudos_filter',
      'company_id uuid, since timestamp with time zone, until timestamp with time zone, sender_id uuid, receiver_id uuid, category_id uuid',
      'postgres', 'invoker', 'stable', 'search_path="", enable_bitmapscan=off, jit=off', 'public_api'),
    ('erasure_mark', 'company_id uuid, member_id uuid', 'postgres', 'invoker', 'immutable', 'search_path=""', ''),
    ('is_erased', 'company_id uuid, member_id uuid', 'postgres', 'invoker', 'stable', 'search_path=""', ''),
    ('stand_for_erased', 'company_id uuid, before uuid[], after uuid[]', 'postgres', 'invoker', 'stable', 'search_path=""', ''),
    ('require_open_company', 'company_id uuid', 'postgres', 'invoker', 'volatile', 'search_path=""', ''),
    ('former_member', 'company_id uuid', 'postgres', 'invoker', 'volatile', 'search_path=""', ''),
    ('delete_accounts', 'company_id uuid, member_id uuid, email text', 'postgres', 'invoker', 'volatile', 'search_path=""', ''),
    ('erase_member',
      'company_id uuid, member_id uuid, blank_messages boolean, OUT kudos bigint, OUT keys bigint, OUT events bigint, OUT accounts bigint',
      'postgres', 'invoker', 'volatile', 'search_path=""', ''),
    ('purge_some', 'company_id uuid, before timestamp with time zone, relation text', 'postgres', 'invoker', 'volatile', 'search_path=""', ''),
    ('purge_before', 'IN company_id uuid, IN before timestamp with time zone', 'postgres', 'invoker', 'volatile', null, ''),
    ('delete_company', 'company_id uuid, OUT members bigint, OUT kudos bigint, OUT keys bigint, OUT accounts bigint',
      'postgres', 'invoker', 'volatile', 'search_path=""', ''),
    ('leave_out_erased', 'company_id uuid, OUT members bigint, OUT kudos bigint', 'postgres', 'invoker', 'volatile', 'search_path=""', ''),
    ('loaded_files', '', 'postgres', 'invoker', 'immutable', 'search_path=""', ''),
    ('loaded_columns', '', 'postgres', 'invoker', 'immutable', 'search_path=""', ''),
    ('cell_checks', '', 'postgres', 'invoker', 'immutable', 'search_path=""', ''),
    ('stored_type', 'kind text', 'postgres', 'invoker', 'immutable', 'search_path=""', ''),
    ('comparable', 'kind text, cell text', 'postgres', 'invoker', 'immutable', 'search_path=""', ''),
    ('wrong_cells_query', 'file text', 'postgres', 'invoker', 'immutable', 'search_path=""', ''),
    ('unknown_ids_query', 'file text', 'postgres', 'invoker', 'immutable', 'search_path=""', ''),
    ('repeated_cells_query', 'file text', 'postgres', 'invoker', 'immutable', 'search_path=""', ''),
    ('taken_emails_query', '', 'postgres', 'invoker', 'immutable', 'search_path=""', ''),
    ('staging_problems', 'company_id uuid', 'postgres', 'invoker', 'stable', 'search_path=""', ''),
    ('write_query', 'file text', 'postgres', 'invoker', 'immutable', 'search_path=""', ''),
    ('write_file', 'company_id uuid, file text, OUT inserted bigint, OUT updated bigint, OUT unchanged bigint', 'postgres', 'invoker', 'volatile',
      'search_path="", enable_hashjoin=off, enable_mergejoin=off, enable_seqscan=off', ''),
    ('prepare_file', 'company_id uuid, file text', 'postgres', 'invoker', 'volatile', 'search_path=""', ''),
    ('load_staging', 'company_id uuid', 'postgres', 'invoker', 'volatile', 'search_path="", jit=off', '') $$,
  'Schema app holds these functions, each with these rights, and each open to none but those who need it'
);
select bag_eq(
  $$ select schema || '.' || name from functions where not settings like 'search_path=""%' or settings is null $$,
  $$ values ('app.purge_before') $$,
  'Every function has an empty search path, so that nobody can slip a table or an operator under it; a procedure that commits may have none'
);
select is_empty(
  $$ select schema, name from functions where callers ~ '\mpublic\M' or callers ~ '\manon\M' $$,
  'No function may be called by everybody or by anon'
);
select is_empty(
  $$ select schema, name from functions where schema in ('api', 'staging') $$,
  'The schemas of the views and of loading hold no function'
);
select bag_eq(
  $$
    select role, string_agg(schema || '.' || name, ', ' order by schema, name)
    from unnest(array['anon', 'authenticated', 'service_role', 'public_api', 'authenticator']) as role, functions
    where has_schema_privilege(role, schema, 'usage') and has_function_privilege(role, oid, 'execute')
    group by role
  $$,
  $$ values
    ('service_role', 'public.list_activity, public.list_categories, public.list_day_ratings, public.list_members, public.list_pulse_responses, '
      || 'public.list_rewards, public.list_teams, public.upsert_rewards, public.verify_api_key'),
    ('authenticated', 'app.check_api_key_name, app.current_admin, app.current_member, app.insert_api_key, app.iso_8601, app.link_member, '
      || 'app.scopes, public.create_api_key, public.link_member, public.list_api_key_events, public.list_api_keys, public.rename_api_key, '
      || 'public.replace_api_key, public.revoke_api_key'),
    ('public_api', 'app.append_columns, app.authenticate, app.category_names_by_id, app.current_company_id, app.include_in_activity, '
      || 'app.include_in_day_ratings, app.include_in_pulse_responses, app.include_in_rewards, app.iso_8601, app.page_headers, app.rarest_kudos_filter, '
      || 'app.rarest_members_filter, app.refuse_starting_after, app.refuse_without_row_security, app.respond, public.list_activity, '
      || 'public.list_categories, public.list_day_ratings, public.list_members, public.list_pulse_responses, public.list_rewards, public.list_teams, '
      || 'public.upsert_rewards, public.verify_api_key') $$,
  'Who can call what, memberships and schemas included: anon and authenticator can call nothing'
);
select is_empty(
  $$
    select tgrelid::regclass, tgname from pg_trigger
    where tgenabled <> 'O' and tgrelid in (select oid from pg_class where relnamespace = 'app'::regnamespace)
  $$,
  'Every trigger is enabled'
);
select bag_eq(
  $$
    select tgrelid::regclass::text, tgname::text, tgfoid::regproc::text, pg_get_triggerdef(oid) ~ ' BEFORE '
    from pg_trigger
    where not tgisinternal and tgrelid in (select oid from pg_class where relnamespace = 'app'::regnamespace)
  $$,
  $$ values
    ('app.api_keys', 'make_api_key', 'app.make_api_key', true),
    ('app.api_keys', 'change_api_key', 'app.change_api_key', true),
    ('app.api_keys', 'record_api_key_event', 'app.record_api_key_event', false),
    ('app.api_key_events', 'refuse_change', 'app.refuse_change', true),
    ('app.api_key_events', 'refuse_truncate', 'app.refuse_change', true) $$,
  'Keys and their history have their triggers, and no other table has any'
);

-- Acting as anon.
set local role anon;

select throws_ok('select public.verify_api_key(null)', '42501', null, 'anon cannot call a function that serves API keys');
select throws_ok('select public.list_members(null, 1)', '42501', null, 'anon cannot list members');
select throws_ok('select public.link_member()', '42501', null, 'anon cannot be linked to a member');
select throws_ok('select public.create_api_key(null)', '42501', null, 'anon cannot create a key');
select throws_ok('select public.list_api_keys()', '42501', null, 'anon cannot list keys');
select throws_ok('select public.revoke_api_key(null)', '42501', null, 'anon cannot revoke a key');
select throws_ok('select public.replace_api_key(null)', '42501', null, 'anon cannot replace a key');
select throws_ok('select public.rename_api_key(null, null)', '42501', null, 'anon cannot rename a key');
select throws_ok('select public.list_api_key_events()', '42501', null, 'anon cannot read the history of keys');

-- Acting as somebody who has signed in.
set local role authenticated;

select throws_ok('select public.verify_api_key(null)', '42501', null, 'authenticated cannot call a function that serves API keys');
select throws_ok('select public.upsert_rewards(null, null)', '42501', null, 'authenticated cannot import rewards');
select throws_ok('select app.authenticate(null, null)', '42501', null, 'authenticated cannot verify a key');

-- Acting as the project's secret key.
set local role service_role;

select throws_ok('select public.create_api_key(null)', '42501', null, 'service_role cannot create a key');
select throws_ok('select public.list_api_keys()', '42501', null, 'service_role cannot list keys');
select throws_ok('select app.authenticate(null, null)', '42501', null, 'service_role cannot verify a key but through a function in public');

-- Acting as the owner of the functions that serve API keys.
set local role public_api;

select throws_ok('select public.create_api_key(null)', '42501', null, 'public_api cannot create a key');

select * from finish();
rollback;
