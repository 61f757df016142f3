-- What all list functions do in SQL. Which rows a page has, in which order, is tested over HTTP (test/api/lists.test.ts).
begin;
create extension if not exists pgtap with schema extensions;
\ir helpers.psql

-- Every list function, and the field of its rows that is their time.
create temporary table lists as
select p.proname::text as list, case when p.proname in ('list_activity', 'list_pulse_responses') then 'timestamp' else 'created_at' end as time
from pg_proc as p where p.pronamespace = 'public'::regnamespace and p.proname like 'list\_%' and p.proowner = 'public_api'::regrole
  and p.proname <> 'list_changes';
grant select on lists to service_role;

select plan((2 + 4 * count(*))::integer) from lists;

select pg_temp.new_company_with_rows('Acorn');

create function pg_temp.page_of(list text, max_rows integer) returns json language plpgsql as $$
declare
  page json;
begin
  execute format('select public.%I(pg_temp.key(''Acorn''), %s)', list, max_rows) into page;
  return page;
end
$$;

select is_empty(
  $$
    select a.attrelid::regclass, a.attname
    from pg_attribute as a
    where a.attrelid in ('app.day_ratings'::regclass, 'api.day_ratings'::regclass) and a.attnum > 0
      and a.attname not in ('company_id', 'instant', 'id', 'rating', 'comment', 'team_id', 'points_awarded', 'created_at', 'changed_in', 'team_name')
  $$,
  -- Proves: service.8
  'A day rating has no column that could name a person'
);
select is_empty(
  $$
    select a.attrelid::regclass, a.attname
    from pg_attribute as a
    where a.attrelid in ('app.pulse_responses'::regclass, 'api.pulse_responses'::regclass) and a.attnum > 0
      and a.attname not in ('company_id', 'id', 'question_id', 'question', 'response_type', 'value', 'comment', 'created_at', 'timestamp',
        'instant', 'changed_in')
  $$,
  -- Proves: service.9
  'A pulse answer has no column that could name a person or a team'
);

-- Acting as the project's secret key, with the hash of Acorn's key.
set local role service_role;

select is(
  (select pg_temp.headers() - 'X-Key-Id' - 'X-Has-More' || jsonb_build_object('rows', json_array_length(page)) from (select pg_temp.page_of(list, 1) as page offset 0) as first),
  (select jsonb_build_object('X-Company-Id', pg_temp.id('Acorn'), 'X-Row-Count', '1', 'X-Next', page -> 0 ->> 'id', 'rows', 1) from (select pg_temp.page_of(list, 1) as page) as first),
  list || ' says in its headers whose rows these are, how many, and which is the last'
)
from lists;
select is(
  case when pg_temp.page_of(list, 1) is not null then pg_temp.headers() ->> 'X-Has-More' end,
  (json_array_length(pg_temp.page_of(list, 2)) = 2)::text,
  list || ' says in its headers whether there are more'
)
from lists;
select is(
  case when pg_temp.page_of(list, 1) is not null then pg_temp.headers() ->> 'X-Key-Id' end,
  case when public.verify_api_key(pg_temp.key('Acorn')) is not null then pg_temp.headers() ->> 'X-Key-Id' end,
  list || ' names the id of the key in its headers'
)
from lists;
set local timezone = 'America/St_Johns';
set local datestyle = 'SQL, DMY';
select is(
  pg_temp.page_of(list, 1) -> 0 ->> time, to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
  -- Proves: responses.3
  list || ' writes times in UTC and ISO 8601 whatever the session''s time zone and date style'
)
from lists;
reset timezone;
reset datestyle;

select * from finish();
rollback;
