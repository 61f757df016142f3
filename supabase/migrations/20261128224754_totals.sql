set lock_timeout = '2s';
set statement_timeout = '60s';

set local check_function_bodies = off;

grant create on schema public to public_api;

DROP FUNCTION "public"."average_day_ratings"(text, text[], timestamp with time zone, timestamp with time zone, text, uuid);

DROP FUNCTION "public"."count_activity"(text, text[], timestamp with time zone, timestamp with time zone, text, uuid, uuid, uuid);

CREATE OR REPLACE FUNCTION public.average_day_ratings(key_hash text, by text[], since timestamp with time zone DEFAULT NULL::timestamp with time zone, until timestamp with time zone DEFAULT NULL::timestamp with time zone, time_zone text DEFAULT 'UTC'::text, team_id uuid DEFAULT NULL::uuid, max_rows integer DEFAULT NULL::integer)
 RETURNS app."application/json"
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET work_mem TO '32MB'
 SET lock_timeout TO '5s'
 SET statement_timeout TO '7s'
 SET jit TO 'off'
 SET enable_seqscan TO 'off'
AS $function$
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
$function$;

REVOKE ALL ON FUNCTION public.average_day_ratings FROM PUBLIC, anon, authenticated, service_role;

ALTER FUNCTION "public"."average_day_ratings"(text, text[], timestamp with time zone, timestamp with time zone, text, uuid, integer) OWNER TO "public_api";

CREATE OR REPLACE FUNCTION public.count_activity(key_hash text, by text[], since timestamp with time zone DEFAULT NULL::timestamp with time zone, until timestamp with time zone DEFAULT NULL::timestamp with time zone, time_zone text DEFAULT 'UTC'::text, category_id uuid DEFAULT NULL::uuid, sender_id uuid DEFAULT NULL::uuid, receiver_id uuid DEFAULT NULL::uuid, sender_team_id uuid DEFAULT NULL::uuid, receiver_team_id uuid DEFAULT NULL::uuid, include text[] DEFAULT NULL::text[], max_rows integer DEFAULT NULL::integer)
 RETURNS app."application/json"
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET work_mem TO '32MB'
 SET lock_timeout TO '5s'
 SET statement_timeout TO '7s'
 SET jit TO 'off'
 SET enable_seqscan TO 'off'
AS $function$
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
        'person_team_id, coalesce(person_team.name, ''No Team'') as person_team_name')
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
$function$;

REVOKE ALL ON FUNCTION public.count_activity FROM PUBLIC, anon, authenticated, service_role;

ALTER FUNCTION "public"."count_activity"(text, text[], timestamp with time zone, timestamp with time zone, text, uuid, uuid, uuid, uuid, uuid, text[], integer) OWNER TO "public_api";

COMMENT ON FUNCTION "app"."most_groups"() IS 'How many rows a total without max_rows has at most.';

COMMENT ON FUNCTION "public"."average_day_ratings"(text, text[], timestamp with time zone, timestamp with time zone, text, uuid, integer) IS 'Number and average of the day ratings of the key''s company, by what by names, as a JSON array. read:analytics. PT401, PT403, PT429.';

COMMENT ON FUNCTION "public"."count_activity"(text, text[], timestamp with time zone, timestamp with time zone, text, uuid, uuid, uuid, uuid, uuid, text[], integer) IS 'How many kudos of the key''s company, by what by names, as a JSON array. read:activity. PT401, PT403, PT429.';

REVOKE ALL ON FUNCTION "public"."average_day_ratings"(text, text[], timestamp with time zone, timestamp with time zone, text, uuid, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."average_day_ratings"(text, text[], timestamp with time zone, timestamp with time zone, text, uuid, integer) TO "service_role";

REVOKE ALL ON FUNCTION "public"."count_activity"(text, text[], timestamp with time zone, timestamp with time zone, text, uuid, uuid, uuid, uuid, uuid, text[], integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."count_activity"(text, text[], timestamp with time zone, timestamp with time zone, text, uuid, uuid, uuid, uuid, uuid, text[], integer) TO "service_role";

revoke create on schema public from public_api;
