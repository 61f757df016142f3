-- What only SQL shows of the lists and of imports. Which rows a page has, in which order, and what an import creates,
-- updates and leaves alone is tested over HTTP (test/api/lists.test.ts, test/api/import.test.ts).
begin;
\ir helpers.psql

-- Every list function, and the field of its rows that is their time.
create temporary table lists as
select p.proname::text as list, case when p.proname in ('list_activity', 'list_pulse_responses') then 'timestamp' else 'created_at' end as time
from pg_proc as p where p.pronamespace = 'public'::regnamespace and p.proname like 'list\_%' and p.proowner = 'public_api'::regrole
  and p.proname <> 'list_changes';

select plan((14 + 4 * count(*))::integer) from lists;

select pg_temp.new_company_with_rows('Acorn');

create function pg_temp.page_of(list text, max_rows integer) returns json language sql
return pg_temp.served(format('%I($1, %s)', list, max_rows))::json;

-- The turn of a total is held until the end of the transaction.
create function pg_temp.turns_after(call text) returns bigint language sql as $$
  select pg_temp.served(call);
  select count(*) from pg_locks
  where locktype = 'advisory' and pid = pg_backend_pid() and (classid::bigint << 32) + objid::bigint between 7330216700000001 and 7330216700000099;
$$;
select is(
  array(select pg_temp.turns_after(call) from unnest(array[
    'list_members($1, 100)', 'list_members($1, 100, name => ''max'', team_id => pg_temp.id(''row''))', 'list_members($1, 100, name => ''max'')'
  ]) as call),
  array[0, 0, 1]::bigint[],
  'People by name take the turn of a total, but not those of a team, whose index leads'
);

select is_empty(
  $$
    select a.attrelid::regclass, a.attname
    from pg_attribute as a
    where a.attnum > 0 and a.attrelid::regclass::text in ('app.day_ratings', 'lists.day_rating_with', 'app.pulse_responses', 'lists.pulse_response_with')
      and a.attname not in ('company_id', 'id', 'comment', 'created_at', 'instant', 'changed_in')
      and a.attname <> all (case
        when a.attrelid::regclass::text ~ 'day_rating' then array['rating', 'team_id', 'team_name', 'points_awarded']
        else array['timestamp', 'question_id', 'question', 'response_type', 'value'] end)
  $$,
  -- Proves: service.8, service.9
  'A day rating has no column that could name a person, a pulse answer none that could name a person or a team'
);
select is(
  case when pg_temp.page_of(list, 1) is not null then pg_temp.headers() end,
  jsonb_build_object('X-Key-Id', k.id, 'X-Company-Id', pg_temp.id('Acorn'), 'X-Row-Count', '1',
    'X-Next-Page', concat_ws('_', pg_temp.page_of(list, 1) -> 0 ->> time, pg_temp.page_of(list, 1) -> 0 ->> 'id'), 'X-Has-More', (json_array_length(pg_temp.page_of(list, 2)) = 2)::text),
  list || ' says in its headers whose rows these are, for which key, how many, which is the last, and whether there are more'
)
from lists, app.api_keys as k where k.company_id = pg_temp.id('Acorn');
set local timezone = 'America/St_Johns';
set local datestyle = 'SQL, DMY';
select is(
  pg_temp.page_of(list, 1) -> 0 ->> time, to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
  -- Proves: responses.3
  list || ' writes times in UTC and ISO 8601 whatever the session''s time zone and date style'
)
from lists;

-- After a row

insert into app.members (company_id, name, email, created_at)
select pg_temp.id('Acorn'), 'Older', n || '@acorn.example', timestamptz '2020-01-01Z' + n * interval '1 day' from generate_series(1, 8) as n;
select is(
  pg_temp.served(format('%I($1, 1000, starting_after => gen_random_uuid(), after_time => %L)', list, now() + interval '1 second'))::jsonb,
  pg_temp.page_of(list, 1000)::jsonb,
  list || ' after a time and an id looks up neither: the row may be gone, and all older ones come'
)
from lists;
select is(
  pg_temp.served(format('%I($1, 1000, starting_after => %L, after_time => %L)', list, page.first ->> 'id', page.first ->> time))::jsonb,
  pg_temp.served(format('%I($1, 1000, starting_after => %L)', list, page.first ->> 'id'))::jsonb,
  list || ' after the time and id of a row begins where it does after the id alone'
)
from lists, lateral (select pg_temp.page_of(list, 1) -> 0 as first) as page;
select is(
  pg_temp.served($$ list_members($1, 10, email => 'max@acorn.example', team_id => gen_random_uuid()) $$), '[]',
  'A member with an address is not in another team'
);

-- Imports

create function pg_temp.import(rewards text) returns text language sql
return pg_temp.served(format('upsert_rewards($1, %L)', rewards));

select pg_temp.import('[{"external_id": "mug", "name": "Acorn", "points_cost": 1}]');
select is(
  pg_temp.import(format('[{"external_id": "mug", "name": "Acorn", "points_cost": 1, %s}]', field)),
  '{"imported":1,"created":0,"updated":1,"unchanged":0}', 'A reward is written if only this differs: ' || field
)
from unnest(array['"vendor_name": "Acorn"', '"image_url": "https://acorn.example/mug"', '"stock_count": 7', '"is_archived": true', '"reward_type": "gift"',
  '"description": "A mug"']) as field;
select pg_temp.import('[{"external_id": "mug", "name": "Acorn", "points_cost": 1}]');
select isnt(
  (select xmax::text from app.rewards where external_id = 'mug' and company_id = pg_temp.id('Acorn')), '0',
  'An unchanged reward is locked all the same, which puts two imports of the same rewards in serial order'
);
select pg_temp.import('[{"external_id": "hat", "name": "Hat", "points_cost": 0, "company_id": "00000000-0000-4000-8000-000000000000",
  "id": "00000000-0000-4000-8000-000000000000", "created_at": "2000-01-01Z"}]');
select results_eq(
  $$ select company_id, created_at, id::text like '0000%' from app.rewards where external_id = 'hat' and name = 'Hat' $$,
  $$ values (pg_temp.id('Acorn'), now(), false) $$,
  'A row cannot choose its company, nor what an import leaves alone: such fields are passed over'
);
select matches(
  pg_temp.import(format('[{"external_id": "aaa", "name": "First", "points_cost": 1}, {"external_id": "%s", "name": "Last", "points_cost": %s}]',
    external_id, points_cost)),
  '^' || code, name
)
from (values
  ('zzz', -1, '23514', 'A row that the table refuses fails the import'),
  ('aaa', 1, '21000', 'An external_id that is there twice fails the import')
) as bad (external_id, points_cost, code, name);

-- The Data API begins every POST as read write, whatever the default is.
set local default_transaction_read_only = on;
select is(
  pg_temp.import('[{"external_id": "hat", "name": "New hat", "points_cost": 1}]'), '25006 the database is read-only',
  'An import is refused while the database is read-only, also in a transaction that was begun as read write'
);
rollback;
