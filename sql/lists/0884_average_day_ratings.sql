-- GET /day-ratings/averages (docs/api.md, Questions): how days were rated, by time and team. As count_activity.
create function public.average_day_ratings(
  key_hash text,
  by text[],
  since timestamptz default null,
  until timestamptz default null,
  time_zone text default 'UTC',
  team_id uuid default null,
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
  step text := (select name from unnest(by) as name where name <> 'team');
  of_team boolean := 'team' = any (by);
  ids text := case when of_team then ', team_id' end;
  most constant integer := coalesce(max_rows, app.most_groups());
  rows json[];
  headers text;
begin
  api_key := app.admit(key_hash, 'read:analytics');
  perform app.take_turn_of_total(api_key.key_id, api_key.company_id);

  execute format(
    $statement$
      select array(select to_json(item) from (
        select %1$s ratings, average
        from (
          select period.first_day, rated.*
          from (
            select * from app.periods($2, app.first_of_window($3, $4, $5), $4, $5) order by first_day desc
          ) as period
          cross join lateral (
            select %2$s count(*) as ratings, trim_scale(round(avg(d.rating), 2)) as average
            from app.day_ratings as d
            where d.company_id = $1 and d.created_at >= period.begins and d.created_at < period.ends
              and ($6 is null or d.team_id = $6)
            %3$s
            having count(*) > 0
          ) as rated
          order by first_day desc, ratings desc %5$s
          limit $7 + 1
        ) as rated
        %4$s
        order by first_day desc, ratings desc %5$s
      ) as item)
    $statement$,
    (
      select string_agg(
        case name
          when 'team' then 'team_id, coalesce(team.name, ''No Team'') as team_name, '
          else format('first_day as %I, ', name)
        end, '' order by place)
      from unnest(by) with ordinality as wanted (name, place)
    ),
    case when of_team then 'd.team_id,' end,
    case when of_team then 'group by d.team_id' end,
    case when of_team then 'left join app.teams as team on team.company_id = $1 and team.id = team_id' end,
    ids
  )
  into rows
  using api_key.company_id, step, since, last, time_zone, team_id, most;

  headers := app.end_page(api_key.key_id, api_key.company_id, cardinality(rows), most, '');
  return case when max_rows is null and cardinality(rows) > most then '[]' else array_to_json(rows[:most]) end;
end
$$;

select app.serve_keys('public.average_day_ratings'::regproc);
comment on function public.average_day_ratings is
  'Number and average of day ratings, by what by names. read:analytics. PT401, PT403, PT429.';
