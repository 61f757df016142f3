-- Without ownership or row-level security, the functions that serve API keys refuse to run, or filter by the company
-- themselves.
begin;
create extension if not exists pgtap with schema extensions;
-- Only so that tests that run as public_api can call pgTAP.
grant usage on schema extensions to public_api;
select plan(12);

\ir helpers.psql

-- Acorn and Birch with the same rows. An id is unique only in its company: here both companies use the same ids, and
-- every name or text is the name of the company.
do $$
declare
  company text;
  shared constant uuid := pg_temp.id('both');
begin
  foreach company in array array['Acorn', 'Birch'] loop
    perform pg_temp.new_company(company);
    insert into app.teams (company_id, id, name) values (pg_temp.id(company), shared, company);
    insert into app.members (company_id, id, name, email, team_id) values (pg_temp.id(company), shared, company, company || '@x.example', shared);
    insert into app.categories (company_id, id) values (pg_temp.id(company), shared);
    -- Birch's name is in English, so that it would come first for a company whose language is English.
    insert into app.category_names (company_id, category_id, language, name)
    values (pg_temp.id(company), shared, case company when 'Birch' then 'en' else 'fr' end, company);
    insert into app.kudos (company_id, id, sender_id, receiver_id, category_id, message)
    values (pg_temp.id(company), shared, shared, shared, shared, company);
    insert into app.rewards (company_id, id, external_id, name, points_cost) values (pg_temp.id(company), shared, 'mug', company, 1);
    insert into app.day_ratings (company_id, id, team_id, rating, comment) values (pg_temp.id(company), shared, shared, 3, company);
    insert into app.pulse_questions (company_id, id, question) values (pg_temp.id(company), shared, company);
    insert into app.pulse_responses (company_id, id, question_id, comment) values (pg_temp.id(company), shared, shared, company);
  end loop;
end
$$;

select pg_temp.settle();
-- Acorn's cursors are good, Birch's are not.
delete from app.forgotten_deletions where company_id = pg_temp.id('Acorn');

-- The functions that read or write data of companies, called as the secret key calls them, and the tables that each
-- reads.
create temporary table calls (name text, call text, tables text[]);
insert into calls
select name, call, tables
from (values
  ('{app.members,app.teams}'::text[], array['list_members($1, 100)', 'list_members($1, 100, role => ''employee'')', $q$ list_members($1, 100, pg_temp.id('both')) $q$]),
  ('{app.teams}', array['list_teams($1, 100)']),
  ('{app.categories,app.category_names,app.companies}', array['list_categories($1, 100)']),
  ('{app.kudos,app.members,app.category_names,app.companies}', array['list_activity($1, 100)',
    $q$ list_activity($1, 100, sender_id => pg_temp.id('both')) $q$, $q$ list_activity($1, 100, receiver_id => pg_temp.id('both')) $q$,
    $q$ list_activity($1, 100, category_id => pg_temp.id('both')) $q$,
    $q$ list_activity($1, 100, include => '{sender_id,receiver_id,category_id}') $q$]),
  ('{app.rewards}', array['list_rewards($1, 100)', 'list_rewards($1, 100, true)', $q$ list_rewards($1, 100, include => '{external_id}') $q$]),
  ('{app.day_ratings,app.teams}', array['list_day_ratings($1, 100)', $q$ list_day_ratings($1, 100, include => '{team_name}') $q$,
    $q$ list_day_ratings($1, 100, team_id => pg_temp.id('both')) $q$,
    $q$ list_day_ratings($1, 100, team_id => pg_temp.id('both'), include => '{team_name}') $q$]),
  ('{app.pulse_responses,app.pulse_questions}', array['list_pulse_responses($1, 100)', $q$ list_pulse_responses($1, 100, include => '{question_id}') $q$]),
  ('{app.rewards}', array['upsert_rewards($1, ''[{"external_id": "mug", "name": "Acorn", "points_cost": 1}]'')']),
  ('{app.companies}', array['verify_api_key($1)']),
  ('{app.companies,app.teams,app.members,app.categories,app.category_names,app.kudos,app.rewards,app.day_ratings,app.pulse_questions,
    app.pulse_responses,app.deletions,app.forgotten_deletions}',
    array(select format('list_changes($1, %L, 100, ''start'')', l.list) from app.changing_lists() as l)
      || format('list_changes($1, ''teams'', 100, %L)', app.cursor_origin(pg_temp.id('Acorn'), 'teams') || lpad('3', 16, '0') || repeat('0', 32)))
) as served (tables, calls), unnest(calls) as call, substring(call from '\w+') as name;

-- The result of a call with Acorn's key without cursors, or the code and message of its error. Cursors move on with the
-- transactions of other sessions.
create function pg_temp.answer(call text) returns text language plpgsql as $$
declare
  answer text;
begin
  set local role service_role;
  execute format('select public.%s', call) into answer using pg_temp.key('Acorn');
  reset role;
  return regexp_replace(answer, '"cursor":"[0-9a-f]*",', '', 'g');
exception
  when others then return sqlstate || ' ' || sqlerrm;
end
$$;

-- With everything in place

select set_eq(
  'select distinct name from calls',
  $$
    select p.proname::text from pg_proc as p
    where p.pronamespace = 'public'::regnamespace and has_function_privilege('service_role', p.oid, 'execute')
      and not exists (select from pg_depend as d where d.objid = p.oid and d.deptype = 'e') and p.proname !~ '^read_'
  $$,
  'The functions named here are all that the secret key may call, but for those that call a list at a replica'
);
select is_empty(
  $$
    select name, pg_temp.answer(replace(call, 'list_', 'read_')) from calls
    where name ~ '^list_' and pg_temp.answer(replace(call, 'list_', 'read_')) <> 'PT503 this server is too far behind, or not a replica'
  $$,
  'Those refuse to serve here, at the primary, where the last use would not be recorded'
);

create temporary table answers as select call, pg_temp.answer(call) as answer from calls;
select is_empty(
  $$
    select call, answer from answers
    where answer <> '{"imported":1}' and answer !~ '^{"company_name" : "Acorn"'
      and (json_array_length(answer::json) <> case when call in ('list_members($1, 100)', 'list_changes($1, ''members'', 100, ''start'')') then 2 else 1 end or answer !~ 'Acorn' or answer ~ 'Birch')
  $$,
  'As long as nothing is taken away every call answers what is Acorn''s: two members, of everything else one'
);
select set_eq(
  $$
    with recursive texts as (
      select calls.name, p.prosrc as text from calls join pg_proc as p on p.proname = calls.name and p.pronamespace = 'public'::regnamespace
      union
      -- Functions that it calls and that run with the rights of their caller.
      select texts.name, p.prosrc
      from texts
      join pg_proc as p on p.pronamespace = 'app'::regnamespace and not p.prosecdef and texts.text ~ ('\mapp\.' || p.proname || '\(')
    ),
    reads as (
      select texts.name, c.oid as relation
      from texts
      join pg_class as c on c.relkind in ('r', 'v')
        and texts.text ~ ('\m(from|join|into|update) ' || c.relnamespace::regnamespace || '\.' || c.relname || '\M')
      union
      select reads.name, dependency.refobjid
      from reads
      join pg_rewrite as r on r.ev_class = reads.relation
      join pg_depend as dependency on dependency.objid = r.oid and dependency.refclassid = 'pg_class'::regclass
    )
    select reads.name, reads.relation::regclass::text
    from reads join pg_class as c on c.oid = reads.relation and c.relkind = 'r'
  $$,
  'select name, unnest(tables) from calls',
  'The tables named here for each function are those that it reads, through its views and in what it calls'
);

-- Ownership lost, as after a restore without owners

create function pg_temp.give_functions_to(owner regrole) returns void language plpgsql as $$
declare
  rpc regprocedure;
begin
  grant create on schema public to public_api;
  for rpc in select p.oid from pg_proc as p join calls as c on p.proname = c.name where p.pronamespace = 'public'::regnamespace loop
    execute format('alter function %s owner to %s', rpc, owner);
  end loop;
  revoke create on schema public from public_api;
end
$$;
select pg_temp.give_functions_to('postgres');

select set_eq(
  'select distinct pg_temp.answer(call) from calls',
  array['PT500 row-level security does not bind postgres'],
  -- Proves: layer.9
  'A function that belongs to postgres refuses to run: row-level security does not bind its owner'
);

select pg_temp.give_functions_to('public_api');
select is_empty(
  'select call from answers where pg_temp.answer(call) <> answer', 'Given back to public_api, every function answers as before'
);

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
  for relation, name, call in select needed, c.name, min(c.call) from calls as c, unnest(c.tables) as needed group by 1, 2 loop
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

do $$
declare
  relation text;
begin
  for relation in select distinct unnest(tables) from calls loop
    execute format('create policy leak on %s to public_api using (true) with check (true)', relation);
  end loop;
end
$$;
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
do $$
declare
  alone constant uuid := pg_temp.id('Birch alone');
  birch constant uuid := pg_temp.id('Birch');
  shared constant uuid := pg_temp.id('both');
begin
  insert into app.teams (company_id, id, name) values (birch, alone, 'Alone');
  insert into app.members (company_id, id, name, email) values (birch, alone, 'Alone', 'alone@x.example');
  insert into app.categories (company_id, id) values (birch, alone);
  insert into app.kudos (company_id, id, sender_id, receiver_id, category_id, message) values (birch, alone, shared, shared, shared, 'Alone');
  insert into app.rewards (company_id, id, name, points_cost) values (birch, alone, 'Birch', 1);
  insert into app.day_ratings (company_id, id, rating) values (birch, alone, 3);
  insert into app.pulse_responses (company_id, id) values (birch, alone);
end
$$;
select set_eq(
  $$
    select distinct pg_temp.answer(format('%s($1, 100, starting_after => pg_temp.id(''Birch alone''))', name)) from calls where name ~ '^list_' and name <> 'list_changes'
  $$,
  array['PT400 starting_after must be the id of a row of this list'],
  'Also then no list goes on after a row that only Birch has'
);
select results_eq(
  $$ select name from app.rewards where company_id = pg_temp.id('Birch') $$, array['Birch', 'Birch'],
  'Also then an import leaves another company''s reward with the same external_id alone'
);

select * from finish();
rollback;
