-- GET /activity/counts (docs/api.md, Questions): how many kudos, by time, team, person and category.
-- And what it shares with GET /day-ratings/averages.

-- Without max_rows, a total has at most so many rows. With more it returns none, and X-Has-More is true.
create function app.most_groups() returns integer
language sql immutable set search_path = ''
return 10000;

grant execute on function app.most_groups to public_api;
comment on function app.most_groups is 'How many rows a total without max_rows has at most.';

-- The first instant of a day. Of a midnight that comes twice, because clocks are put back to it, PostgreSQL takes the
-- later one; 24 hours after that of the day before is the earlier one (Atlantic/Azores). A midnight that is skipped is
-- the instant at which it is skipped. Inlined: calls took six times as long.
create function app.first_of_day(midnight timestamp, zone text) returns timestamptz
language sql stable
return case
  when ((midnight - interval '1 day') at time zone zone + interval '24 hours') at time zone zone = midnight
    then least((midnight - interval '1 day') at time zone zone + interval '24 hours', midnight at time zone zone)
  else midnight at time zone zone
end;

-- Without since, a window begins with the month in which the twelve months before until began.
create function app.first_of_window(since timestamptz, until timestamptz, time_zone text) returns timestamptz
language sql stable set search_path = ''
return coalesce(
  since, app.first_of_day(date_trunc('month', until at time zone time_zone - interval '12 months'), time_zone)
);

-- The days, weeks, months, quarters or years of a window in a time zone: the first day of each, and the instants
-- between which it lies (ends is not within). One without first_day, the whole window, if step is null.
create function app.periods(step text, since timestamptz, until timestamptz, time_zone text)
returns table (first_day date, begins timestamptz, ends timestamptz)
language sql stable set search_path = ''
begin atomic
  select
    day.first_day::date as first_day,
    greatest(since, day.begins) as begins,
    lead(day.begins, 1, until + interval '1 microsecond') over (order by day.first_day) as ends
  from (
    select midnight as first_day, app.first_of_day(midnight, time_zone) as begins
    from generate_series(
      date_trunc(step, since at time zone time_zone), until at time zone time_zone,
      case step when 'quarter' then interval '3 months' else ('1 ' || step)::interval end
    ) as midnight
    where step is not null
  ) as day
  union all
  select null::date as first_day, since as begins, until + interval '1 microsecond' as ends where step is null;
end;

grant execute on function app.first_of_day, app.first_of_window, app.periods to public_api;
comment on function app.first_of_day is 'The first instant of a day in a time zone.';
comment on function app.first_of_window is 'since, or where a window without it begins.';
comment on function app.periods is
  'The days, weeks, months, quarters or years (step) from since to until in a time zone: first day, and the instants '
  'between which each lies.';

-- The work is the kudos of the window, the newest period first, and the people of the company if teams are asked for.
-- It ends with the period that has enough groups. Planned anew for each request, as its parts and its window are never
-- the same.
create function public.count_activity(
  key_hash text,
  by text[],
  since timestamptz default null,
  until timestamptz default null,
  time_zone text default 'UTC',
  category_id uuid default null,
  sender_id uuid default null,
  receiver_id uuid default null,
  sender_team_id uuid default null,
  receiver_team_id uuid default null,
  include text[] default null,
  max_rows integer default null
)
returns app."application/json"
language plpgsql volatile security definer
set search_path = ''
set work_mem = '32MB'
as $$
declare
  api_key app.verified_key;
  last timestamptz := coalesce(until, now());
  step text;
  selected text;
  groups text;
  teams text;
  ids text;
  names text;
  people text;
  numbers text;
  most constant integer := coalesce(max_rows, app.most_groups());
  rows json[];
  headers text;
begin
  api_key := app.admit(key_hash, 'read:activity');
  perform app.take_turn_of_total(api_key.key_id, api_key.company_id);

  -- A statement for each by would be hundreds. So it is put together, from these texts and nothing that was sent: the
  -- columns of the answer, what kudos are grouped by, where that is found, the ids that order the groups, and where
  -- names are found. Teams are found in one table of all members (offset 0): the planner cannot know how many kudos a
  -- period has, and might look them up one by one.
  select
    min(wanted.name) filter (where part.name is null),
    string_agg(coalesce(part.columns, format('first_day as %I', wanted.name)) || ', ', '' order by place),
    string_agg(part.grouped || ', ', '' order by place),
    string_agg(part.team, ' ' order by place),
    string_agg(part.id, ', ' order by place),
    string_agg(part.named, ' ' order by place)
  into step, selected, groups, teams, ids, names
  from unnest(by) with ordinality as wanted (name, place)
  left join (
    select 'category' as name, 'category_id' as id, 'k.category_id' as grouped, null as team,
      'join app.categories as category on category.company_id = $1 and category.id = category_id' as named,
      'category_id, category.name as category' as columns
    union all
    select replace(name, 'person', person), replace(id, 'person', person), replace(grouped, 'person', person),
      replace(team, 'person', person), replace(named, 'person', person), replace(columns, 'person', person)
    from unnest(array['sender', 'receiver']) as person
    cross join (values
      ('person', 'person_id', 'k.person_id', null,
        'join app.members as person on person.company_id = $1 and person.id = person_id',
        'person_id, person.name as person_name'),
      ('person_team', 'person_team_id', 'person.team_id as person_team_id',
        'join (select m.id, m.team_id from app.members as m where m.company_id = $1 offset 0) as person '
          'on person.id = k.person_id',
        'left join app.teams as person_team on person_team.company_id = $1 and person_team.id = person_team_id',
        'person_team_id, coalesce(person_team.name, ''No Team'') as person_team_name'),
      -- Those without a team and the unknown ones are two groups.
      ('person_team_then', 'person_team_then_id, person_is_unknown',
        'nullif(k.person_team_then_id, ''00000000-0000-0000-0000-000000000000'') as person_team_then_id, '
          'k.person_team_then_id is null as person_is_unknown',
        null,
        'left join app.teams as person_then on person_then.company_id = $1 and person_then.id = person_team_then_id',
        'person_team_then_id, case when person_is_unknown or person_team_then_id is not null then person_then.name '
          'else ''No Team'' end as person_team_then_name')
    ) as of_person (name, id, grouped, team, named, columns)
  ) as part on part.name = wanted.name;

  -- Different people are counted in arrays, of the groups that are shown: count(distinct) beside the kudos sorts all of
  -- them, and takes a quarter more time.
  select
    string_agg(format(', array_agg(k.%s_id) as %1$ss', person), '' order by person desc),
    string_agg(
      format(', (select count(*) from (select distinct unnest(%ss)) as ids) as %1$ss', person), '' order by person desc
    )
  into people, numbers
  from unnest(array['sender', 'receiver']) as person
  where person || 's' = any (include);

  execute format(
    $statement$
      select array(select to_json(item) from (
        select %1$s kudos %2$s
        from (
          select period.first_day, counted.*
          from (
            select * from app.periods($2, app.first_of_window($3, $4, $5), $4, $5) order by first_day desc
          ) as period
          cross join lateral (
            select %3$s count(*) as kudos %4$s
            from app.kudos as k %5$s
            where k.company_id = $1 and k.created_at >= period.begins and k.created_at < period.ends
              and ($6 is null or k.category_id = $6)
              and ($7 is null or k.sender_id = $7) and ($8 is null or k.receiver_id = $8)
              and ($9 is null or k.sender_id in (
                select m.id from app.members as m where m.company_id = $1 and m.team_id = $9
              ))
              and ($10 is null or k.receiver_id in (
                select m.id from app.members as m where m.company_id = $1 and m.team_id = $10
              ))
            %6$s
            having count(*) > 0
          ) as counted
          order by first_day desc, kudos desc %8$s
          limit $11 + 1
        ) as counted
        %7$s
        order by first_day desc, kudos desc %8$s
      ) as item)
    $statement$,
    selected, numbers, groups, people, teams, 'group by ' || ids, names, ', ' || ids
  )
  into rows
  using api_key.company_id, step, since, last, time_zone, category_id, sender_id, receiver_id, sender_team_id,
    receiver_team_id, most;

  headers := app.end_page(api_key.key_id, api_key.company_id, cardinality(rows), most, '');
  return case when max_rows is null and cardinality(rows) > most then '[]' else array_to_json(rows[:most]) end;
end
$$;

select app.serve_keys('public.count_activity'::regproc);
comment on function public.count_activity is
  'How many kudos of the key''s company, by what by names, as a JSON array. read:activity. PT401, PT403, PT429.';
