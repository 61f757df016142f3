-- Questions in one request: count_activity and average_day_ratings. What they answer is compared with a model in
-- test/api/questions.test.ts.
begin;
\ir helpers.psql
select plan(8);

select pg_temp.new_company_with_rows(company) from unnest(array['Acorn', 'Birch']) as company;

-- The days of a time zone

select is_empty(
  $$
    select zone.name, day.* from pg_timezone_names as zone
    cross join lateral (
      select noon, noon at time zone zone.name - lag(noon at time zone zone.name) over (order by noon) as since_noon
      from generate_series(timestamptz '2025-09-20 12:00Z', '2026-11-20 12:00Z', '1 day') as noon
    ) as clocks
    -- All days of the year, but those that are like the day before.
    cross join lateral app.periods('day', noon - interval '2 days', noon + interval '1 day', zone.name) as day
    where since_noon is distinct from interval '1 day' and zone.name ~ '/' and zone.name !~ '^posix'
      and ((day.begins at time zone zone.name)::date <> day.first_day
        or ((day.ends - interval '1 microsecond') at time zone zone.name)::date <> day.first_day)
  $$,
  -- Proves: questions.4
  'In every time zone each day of a year begins with the first instant that has its date, and ends with the last'
);

-- The window without since

select is(
  app.first_of_window(null, until, time_zone), first,
  -- Proves: questions.3
  'Without since it begins with the month of twelve months before until, in ' || time_zone
)
from (values
  (timestamptz '2026-03-31 22:30Z', 'Europe/Berlin', timestamptz '2025-03-31 22:00Z'),
  -- On the first of November, clocks go back to midnight.
  ('2027-11-15Z', 'America/Havana', '2026-11-01 04:00Z')
) as windows (until, time_zone, first);

-- Rounding

insert into app.day_ratings (company_id, rating, created_at)
select pg_temp.id('Acorn'), rating, timestamptz '2024-01-01Z' from unnest(array[1, 1, 1, 1, 1, 1, 1, 2]) as rating;
select is(
  pg_temp.served($$ average_day_ratings($1, '{month}', '2024-01-01Z', '2024-01-31Z') $$),
  '[{"month":"2024-01-01","ratings":8,"average":1.13}]',
  -- Proves: questions.8
  'An average has two decimals, and half of the last one is rounded up'
);
select is(
  pg_temp.served(format($$ average_day_ratings($1, '{year}', %L, %L) $$, day, day || ' 23:59:59Z')),
  format('[{"year":"%s-01-01","ratings":%s,"average":%s}]', left(day, 4), cardinality(ratings), average),
  'An average has no zeros at its end, so that its text is the same over every Data API'
)
from (values ('2023-01-01', array[4, 4], '4'), ('2022-01-01', array[3, 3, 3, 3, 4], '3.2')) as rated (day, ratings, average), lateral pg_temp.run(format(
  'insert into app.day_ratings (company_id, rating, created_at) select pg_temp.id(''Acorn''), rating, %L from unnest(%L::integer[]) as rating', day || 'Z', ratings)) as run;

-- Where a window and its periods begin

insert into app.kudos (company_id, sender_id, receiver_id, category_id, message, created_at)
select pg_temp.id('Acorn'), pg_temp.id('row'), pg_temp.id('row'), pg_temp.id('row'), 'At midnight', instant
from unnest(array['2021-03-02Z', '2021-02-28 23:59Z', '2021-03-01Z', '2022-02-28Z']::timestamptz[]) as instant;
select is(
  pg_temp.served($$ count_activity($1, '{day}', '2021-03-01Z', '2021-03-02 12:00Z') $$),
  '[{"day":"2021-03-02","kudos":1},{"day":"2021-03-01","kudos":1}]', 'What happened at midnight counts once, on the day that begins'
);
select is(
  pg_temp.served($$ count_activity($1, '{month}', until => '2022-03-31Z') $$),
  '[{"month":"2022-02-01","kudos":1},{"month":"2021-03-01","kudos":2}]', 'Without since the counts begin with the first of a month'
);
rollback;
