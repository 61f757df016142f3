-- What all list functions do in SQL. Which rows a page has, in which order, is tested over HTTP (test/api/lists.test.ts).
begin;
\ir helpers.psql

-- Every list function, and the field of its rows that is their time.
create temporary table lists as
select p.proname::text as list, case when p.proname in ('list_activity', 'list_pulse_responses') then 'timestamp' else 'created_at' end as time
from pg_proc as p where p.pronamespace = 'public'::regnamespace and p.proname like 'list\_%' and p.proowner = 'public_api'::regrole
  and p.proname <> 'list_changes';

select plan((1 + 2 * count(*))::integer) from lists;

select pg_temp.new_company_with_rows('Acorn');

create function pg_temp.page_of(list text, max_rows integer) returns json language sql
return pg_temp.served(format('%I($1, %s)', list, max_rows))::json;

select is_empty(
  $$
    select a.attrelid::regclass, a.attname
    from pg_attribute as a
    where a.attnum > 0 and a.attrelid::regclass::text in ('app.day_ratings', 'api.day_ratings', 'app.pulse_responses', 'api.pulse_responses')
      and a.attname not in ('company_id', 'id', 'comment', 'created_at', 'instant', 'changed_in')
      and a.attname <> all (case
        when a.attrelid::regclass::text ~ 'day_ratings' then array['rating', 'team_id', 'team_name', 'points_awarded']
        else array['timestamp', 'question_id', 'question', 'response_type', 'value'] end)
  $$,
  -- Proves: service.8, service.9
  'A day rating has no column that could name a person, a pulse answer none that could name a person or a team'
);
select is(
  case when pg_temp.page_of(list, 1) is not null then pg_temp.headers() end,
  jsonb_build_object('X-Key-Id', k.id, 'X-Company-Id', pg_temp.id('Acorn'), 'X-Row-Count', '1', 'X-Next', pg_temp.page_of(list, 1) -> 0 ->> 'id',
    'X-Has-More', (json_array_length(pg_temp.page_of(list, 2)) = 2)::text),
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

select * from finish();
rollback;
