-- Functions and triggers: who owns them, and with which rights and settings they run. Who may call them is in
-- 020_who_may_do_what.sql.
begin;
\ir helpers.psql
select plan(9);

-- The functions of this project: those in its schemas, and those in public that belong to no extension.
create temporary view functions as
select
  p.oid,
  n.nspname::text as schema,
  p.proname::text as name,
  p.proowner::regrole::text as owner,
  case when p.prosecdef then 'definer' else 'invoker' end as security,
  case p.provolatile when 'v' then 'volatile' when 's' then 'stable' when 'i' then 'immutable' end as volatility,
  array_to_string(p.proconfig, ', ') as settings,
  p.prosrc as text
from pg_proc as p
join pg_namespace as n on n.oid = p.pronamespace
where n.nspname in ('public', 'app', 'lists', 'staging')
  and not exists (select from pg_depend as d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e');

-- What the functions are that the Data API may call. Compiling one (jit) would take longer than a hundred pages.
create temporary table kinds (names text, owner text, security text, volatility text, settings text);
insert into kinds values
  ('^list_(?!api_key)', 'public_api', 'definer', 'volatile',
    'search_path="", lock_timeout=5s, statement_timeout=7s, jit=off, enable_seqscan=off, plan_cache_mode=force_generic_plan, enable_sort=off'),
  ('^(average_day_ratings|count_activity)$', 'public_api', 'definer', 'volatile',
    'search_path="", work_mem=32MB, lock_timeout=5s, statement_timeout=7s, jit=off, enable_seqscan=off'),
  ('^(upsert_rewards|verify_api_key|note_refused_use)$', 'public_api', 'definer', 'volatile', 'search_path="", lock_timeout=5s, statement_timeout=7s, jit=off, enable_seqscan=off'),
  ('^read_', 'public_api', 'definer', 'stable', 'search_path="", jit=off, statement_timeout=2s'),
  ('^(rename|replace|revoke)_api_key$', 'postgres', 'invoker', 'volatile', 'search_path="", lock_timeout=5s'),
  ('^(create_api_key|link_member)$', 'postgres', 'invoker', 'volatile', 'search_path=""'),
  ('^let_assistant_read$', 'postgres', 'definer', 'volatile', 'search_path=""'),
  ('^redeem_assistant_code$', 'postgres', 'definer', 'volatile', 'search_path="", lock_timeout=5s'),
  ('^list_api_key', 'postgres', 'invoker', 'stable', 'search_path=""');

select is_empty(
  $$
    select f.name, f.owner, f.security, f.volatility, f.settings from functions as f left join kinds as k on f.name ~ k.names
    where f.schema = 'public'
      and ((f.owner, f.security, f.volatility, f.settings) is distinct from (k.owner, k.security, k.volatility, k.settings)
        or pg_get_function_result(f.oid) <> case f.owner when 'public_api' then 'app."application/json"' else 'json' end)
  $$,
  -- Proves: keys.7
  'What serves API keys belongs to public_api and runs with its rights, what admins call with theirs, each with its settings'
);
select is_empty(
  $$
    select p.proname from pg_proc as p join functions as f on f.oid = p.oid, functions as read
    where f.owner = 'public_api' and f.name ~ '^list_' and read.name = 'read_page'
      and position(
        format('when''%1$s''thenpublic.%1$s(%2$s)', p.proname, array_to_string(p.proargnames, ',')) in regexp_replace(read.text, '\s', '', 'g')
      ) = 0
  $$,
  'For replicas, which only take reads, a stable function calls any list with all its arguments'
);
select is(
  (select proparallel from pg_proc where oid = 'app.current_company_id'::regproc), 'u',
  'No page is read in parallel, whatever its plan is priced at: the function in their policies forbids it'
);
select is_empty(
  $$ select schema, name from functions group by schema, name having count(*) > 1 $$,
  'No function is overloaded: the Data API chooses by argument names, and grants, owners and comments name a function without its arguments'
);

-- Internal functions

select is_empty(
  $$ select schema, name from functions where schema <> 'public' and (schema = 'staging' or owner <> 'postgres') $$,
  'postgres owns every function of the schemas app and lists, and the schema of loading holds none'
);
select bag_eq(
  $$ select name, security, volatility, settings from functions where schema <> 'public' and settings like 'search%' and (security <> 'invoker' or settings <> 'search_path=""') $$,
  $$
    select unnest(names), security, volatility, 'search_path=""' || settings
    from (values
      ('{current_admin,current_admins,signed_in_member,masked_cursors,unmask_cursor}'::text[], 'definer', 'stable', ''),
      ('{member_with_email}', 'definer', 'stable', ', enable_incremental_sort=off'),
      ('{link_member,make_api_key,change_api_key,record_api_key_event,oldest_write}', 'definer', 'volatile', ''),
      ('{wants_second_factor}', 'definer', 'stable', ', row_security=off'),
      ('{authenticate,note_refused_use}', 'definer', 'volatile', ', enable_seqscan=off, jit=off'),
      ('{note_use}', 'invoker', 'volatile', ', enable_seqscan=off'),
      ('{rarest_member_filter,rarest_kudos_filter}', 'invoker', 'stable', ', enable_bitmapscan=off'),
      ('{keep_hidden,note_teams}', 'definer', 'volatile', ''),
      ('{hide_teams}', 'definer', 'volatile', ', enable_seqscan=off'),
      ('{forget_deletions,hide_some}', 'invoker', 'volatile', ', enable_seqscan=off, enable_bitmapscan=off, enable_sort=off'),
      ('{overdue}', 'invoker', 'stable', ', enable_seqscan=off, enable_bitmapscan=off, enable_sort=off'),
      ('{purge_some}', 'invoker', 'volatile', ', enable_seqscan=off, enable_bitmapscan=off, enable_sort=off, lock_timeout=2s'),
      ('{hidden_teams}', 'invoker', 'stable', ', jit=off'),
      ('{revoke_key}', 'invoker', 'volatile', ', lock_timeout=5s'),
      ('{write_file,hide_staged_teams}', 'invoker', 'volatile', ', enable_hashjoin=off, enable_mergejoin=off, enable_seqscan=off, enable_material=off'),
      ('{load_staging}', 'invoker', 'volatile', ', jit=off')
    ) as internal (names, security, volatility, settings)
  $$,
  'These internal functions run with the rights of their owner or with settings of their own, and all others with neither'
);
select is_empty(
  $$ select name from functions where schema = 'app' and name in ('requests_at_once', 'totals_at_once', 'max_replica_lag') and volatility <> 'stable' $$,
  'The numbers that operators may replace are stable: of an immutable function sessions would keep the value'
);
select bag_eq(
  $$ select schema || '.' || name from functions where not settings like 'search_path=""%' or settings is null $$,
  $$
    values ('app.purge_table'), ('app.purge_before'), ('app.purge_expired'), ('app.forget_all_deletions'), ('app.set_fewest_people'), ('app.end_page'), ('app.first_of_day'), ('app.iso_8601'), ('lists.answer'),
      ('lists.cursor'), ('lists.included_in_activity'), ('lists.includes'), ('lists.is_after'), ('lists.is_in'), ('lists.relation'), ('lists.scope')
  $$,
  'Every function has an empty search path, so that nobody can slip a table or an operator under it, but procedures that commit and what is inlined'
);
-- Triggers

select bag_eq(
  $$
    select tgrelid::regclass::text, tgname::text, tgfoid::regproc::text, pg_get_triggerdef(oid) ~ ' BEFORE '
    from pg_trigger
    where not tgisinternal and tgrelid in (select oid from pg_class where relnamespace = 'app'::regnamespace)
  $$,
  $$
    select 'app.' || l.relation as relation, names.name, names.function, names.name like 'number%' as is_before
    from pg_temp.lists() as l, (values
      ('number_insert', 'app.number_change'), ('number_update', 'app.number_change'),
      ('record_deletions', 'app.record_deletions'), ('record_truncate', 'app.record_deletions'), ('record_old_id', 'app.record_old_id')) as names (name, function)
    union all values
    ('app.companies', 'begin_changes', 'app.begin_changes', false),
    ('app.companies', 'name_categories', 'app.name_categories_again', false),
    ('app.category_names', 'name_category', 'app.name_category', false),
    ('app.category_names', 'name_no_category', 'app.name_category', false),
    ('app.pulse_questions', 'mark_answers', 'app.mark_answers', false),
    ('app.day_ratings', 'hide_inserted', 'app.hide_teams', false),
    ('app.day_ratings', 'hide_updated', 'app.hide_teams', false),
    ('app.day_ratings', 'keep_hidden_insert', 'app.keep_hidden', true),
    ('app.day_ratings', 'keep_hidden_update', 'app.keep_hidden', true),
    ('app.kudos', 'note_teams', 'app.note_teams', true),
    ('app.kudos', 'forget_teams', 'app.forget_teams', true),
    ('app.api_keys', 'make_api_key', 'app.make_api_key', true),
    ('app.api_keys', 'change_api_key', 'app.change_api_key', true),
    ('app.api_keys', 'record_api_key_event', 'app.record_api_key_event', false),
    ('app.api_key_events', 'refuse_change', 'app.refuse_change', true),
    ('app.api_key_events', 'refuse_truncate', 'app.refuse_change', true) $$,
  'Lists, keys and their history have their triggers, and no other table has any'
);
rollback;
