-- Without ownership or row-level security, the functions that serve API keys refuse to run, or filter by the company
-- themselves.
begin;
\ir helpers.psql
select plan(12);

-- Only so that tests that run as public_api can call pgTAP.
grant usage on schema extensions to public_api;

select pg_temp.new_company_with_rows(company) from unnest(array['Acorn', 'Birch']) as company;
-- Birch's name of the category is in English, so that it would come first for a company whose language is English.
update app.category_names set language = 'fr' where company_id = pg_temp.id('Acorn');
select pg_temp.settle();
-- Acorn's cursors are good, Birch's are not.
delete from app.forgotten_deletions where company_id = pg_temp.id('Acorn');

-- The functions that read or write data of companies, called as the secret key calls them.
create temporary table calls as
select substring(call from '\w+') as name, call
from (
  select unnest(array['list_members($1, 100)', 'list_members($1, 100, role => ''employee'')', 'list_members($1, 100, pg_temp.id(''row''))',
    'list_members($1, 100, email => ''max@Acorn.example'')', 'list_members($1, 100, name => ''max'')',
    'list_teams($1, 100)', 'list_categories($1, 100)', 'list_rewards($1, 100)', 'list_rewards($1, 100, true)',
    'list_rewards($1, 100, true, include => ''{external_id}'')',
    'list_rewards($1, 100, include => ''{external_id}'')', 'list_activity($1, 100)',
    'list_activity($1, 100, include => ''{sender_id,receiver_id,category_id}'')',
    'list_activity($1, 100, include => ''{receiver_team_name}'')', 'list_day_ratings($1, 100)',
    'list_day_ratings($1, 100, include => ''{team_name}'')', 'list_day_ratings($1, 100, team_id => pg_temp.id(''row''))',
    'list_day_ratings($1, 100, team_id => pg_temp.id(''row''), include => ''{team_name}'')', 'list_pulse_responses($1, 100)',
    'count_activity($1, ''{month,category,receiver_team}'')', 'count_activity($1, ''{sender,receiver,sender_team}'')',
    'count_activity($1, ''{sender_team}'', sender_team_id => pg_temp.id(''row''), receiver_team_id => pg_temp.id(''row''), include => ''{senders}'', max_rows => 1)',
    'average_day_ratings($1, ''{team}'', max_rows => 1)',
    'average_day_ratings($1, ''{month,team}'')', 'list_pulse_responses($1, 100, include => ''{question_id}'')', 'verify_api_key($1)',
    'upsert_rewards($1, ''[{"external_id": "mug", "name": "Acorn", "points_cost": 1}]'')'])
  union all
  select format('list_activity($1, 100, %s_id => pg_temp.id(''row''), include => %L)', filter, included)
  from unnest(array['sender', 'receiver', 'category']) as filter, unnest(array[null, '{sender_id}', '{sender_team_name}']) as included
  union all
  select format('list_changes($1, %L, 100, ''start'')', l.list) from pg_temp.lists() as l
  union all
  select format('list_changes($1, ''teams'', 100, %L)', pg_temp.cursor('teams', 3, '00000000-0000-0000-0000-000000000000'))
) as served (call);

-- The tables that each function reads, through its views and in what it calls.
create temporary table reads as
with recursive texts as (
  select calls.name, p.prosrc as text from calls join pg_proc as p on p.proname = calls.name and p.pronamespace = 'public'::regnamespace
  union
  -- Functions that it calls and that run with the rights of their caller.
  select texts.name, p.prosrc
  from texts
  join pg_proc as p on p.pronamespace::regnamespace::text in ('app', 'lists') and not p.prosecdef
    and texts.text ~ format('\m%s\.%s\(', p.pronamespace::regnamespace, p.proname)
),
named as (
  select texts.name, c.oid as relation
  from texts
  join pg_class as c on c.relkind in ('r', 'v')
    and texts.text ~ ('\m(from|join|into|update) ' || c.relnamespace::regnamespace || '\.' || c.relname || '\M')
  union
  -- list_changes names its views when it is called.
  select 'list_changes', c.oid from pg_class as c where c.relkind = 'v' and c.relnamespace = 'lists'::regnamespace
  union
  select named.name, dependency.refobjid
  from named
  join pg_rewrite as r on r.ev_class = named.relation
  join pg_depend as dependency on dependency.objid = r.oid and dependency.refclassid = 'pg_class'::regclass
)
select distinct named.name, named.relation::regclass from named join pg_class as c on c.oid = named.relation and c.relkind = 'r';

-- The result of a call without cursors, which move on with the transactions of other sessions.
create function pg_temp.answer(call text) returns text language sql
return regexp_replace(pg_temp.served(call), '"cursor":"[0-9a-f]*",', '', 'g');

-- With everything in place

select set_eq(
  'select distinct name from calls',
  $$
    select p.proname::text from pg_proc as p
    where p.pronamespace = 'public'::regnamespace and has_function_privilege('service_role', p.oid, 'execute')
      and not exists (select from pg_depend as d where d.objid = p.oid and d.deptype = 'e') and p.proname !~ '^(read_|note_refused_use|redeem_assistant_code)'
  $$,
  'These are all functions that the secret key may call, except that for replicas, that which notes a refusal, and that which makes the key of a code'
);
select is_empty(
  $$
    select name, pg_temp.answer(read) from calls, format('read_page(%L, $1, 100, list => ''members'', after => ''start'')', name) as read
    where name ~ '^list_' and pg_temp.answer(read) <> 'PT503 this server is too far behind, or not a replica'
  $$,
  'That for replicas refuses to run at the primary, where it would record no last use'
);

create temporary table answers as select call, pg_temp.answer(call) as answer from calls;
select is_empty(
  $$
    select call, answer from answers
    where answer !~ '^{"imported":1,' and answer !~ '^{"company_name" : "Acorn"'
      and (json_array_length(answer::json) <> case when call in ('list_members($1, 100)', 'list_changes($1, ''members'', 100, ''start'')') then 2 else 1 end or answer !~ 'Acorn' or answer ~ 'Birch')
  $$,
  'With everything in place each call answers the rows of Acorn only: two members, and one row of everything else'
);
select bag_eq(
  'select name, count(*)::integer from reads group by name',
  $$
    values ('list_members', 2), ('list_teams', 1), ('list_activity', 4), ('list_categories', 1), ('list_rewards', 1),
      ('list_day_ratings', 2), ('list_pulse_responses', 2), ('list_changes', 10),
      ('count_activity', 4), ('average_day_ratings', 2), ('upsert_rewards', 1), ('verify_api_key', 1)
  $$,
  'As many tables as each function reads have been found'
);

-- Ownership lost, as after a restore without owners

select pg_temp.run(format('alter function public.%I owner to postgres', name)) from (select distinct name from calls) as served;
select set_eq(
  'select distinct pg_temp.answer(call) from calls',
  array['PT500 row-level security does not bind postgres'],
  -- Proves: layer.9
  'A function that belongs to postgres refuses to run: row-level security does not bind its owner'
);
grant create on schema public to public_api;
select pg_temp.run(format('alter function public.%I owner to public_api', name)) from (select distinct name from calls) as served;

-- The owner is no longer bound by policies

alter role public_api bypassrls;
select set_eq(
  'select distinct pg_temp.answer(call) from calls',
  array['PT500 row-level security does not bind public_api'],
  'When public_api may bypass row-level security, every function refuses to run'
);
alter role public_api nobypassrls;

-- Row-level security disabled, one table at a time

create function pg_temp.answers_without_row_security() returns table (relation text, name text, answer text) language plpgsql as $$
declare
  call text;
begin
  for relation, name, call in select r.relation, r.name, min(c.call) from calls as c join reads as r using (name) group by 1, 2 loop
    execute format('alter table %s disable row level security', relation);
    answer := pg_temp.answer(call);
    execute format('alter table %s enable row level security', relation);
    return next;
  end loop;
end
$$;
select is_empty(
  $$
    select relation, name, answer from pg_temp.answers_without_row_security()
    where answer <> 'PT500 row-level security does not bind public_api'
  $$,
  'When row-level security is switched off on any table that a function reads, that function refuses to run'
);

-- Policies that let everything through: the functions still check the company themselves

select pg_temp.run(format('create policy leak on %s to public_api using (true) with check (true)', relation))
from (select distinct relation from reads) as needed;
set local role public_api;
select isnt_empty(
  $$ select id from app.kudos where message = 'Birch' $$, 'Policies that let everything through let public_api see Birch''s rows'
);
reset role;
select is_empty(
  'select call from answers where pg_temp.answer(call) <> answer',
  -- Proves: layer.9
  'Also then every function answers as before, because each names the company itself wherever it looks'
);
select pg_temp.run(format('delete from app.%I where company_id = pg_temp.id(''Acorn'') and id = pg_temp.id(''row'')', relation))
from unnest(array['kudos', 'rewards', 'day_ratings', 'pulse_responses', 'pulse_questions', 'members', 'categories', 'teams']) as relation;
select set_eq(
  $$
    select distinct pg_temp.answer(format('%s($1, 100, starting_after => pg_temp.id(''row''))', name)) from calls
    where name ~ '^list_' and name <> 'list_changes'
  $$,
  array['PT400 starting_after must be the id of a row of this list'],
  'Also then no list goes on after a row that only Birch has'
);
select set_eq(
  $$
    select pg_temp.answer(format('list_rewards($1, 100, external_id => ''mug'', include => %L)', included))
    from unnest(array[null, '{external_id}']) as included
  $$,
  array['[]'],
  'Also then a reward that only Birch has is not found by its external_id'
);
select results_eq(
  $$ select name from app.rewards where company_id = pg_temp.id('Birch') $$, array['Birch'],
  'Also then an import leaves another company''s reward with the same external_id alone'
);
rollback;
