set lock_timeout = '2s';
set statement_timeout = '60s';

set local check_function_bodies = off;

grant create on schema public to public_api;

CREATE OR REPLACE FUNCTION app.first_of_window(since timestamp with time zone, until timestamp with time zone, time_zone text)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
 SET search_path TO ''
RETURN COALESCE(since, (date_trunc('month'::text, ((until AT TIME ZONE time_zone) - '1 year'::interval)) AT TIME ZONE time_zone));

CREATE OR REPLACE FUNCTION app.most_groups()
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN 10000;

CREATE OR REPLACE FUNCTION app.periods(step text, since timestamp with time zone, until timestamp with time zone, time_zone text)
 RETURNS TABLE(first_day date, begins timestamp with time zone, ends timestamp with time zone)
 LANGUAGE sql
 STABLE
 SET search_path TO ''
BEGIN ATOMIC
 SELECT (day.first_day)::date AS first_day,
     GREATEST(periods.since, day.begins) AS begins,
     lead(day.begins, 1, (periods.until + '00:00:00.000001'::interval)) OVER (ORDER BY day.first_day) AS ends
    FROM ( SELECT midnight.midnight AS first_day,
                 CASE
                     WHEN ((earlier.before_change AT TIME ZONE periods.time_zone) = midnight.midnight) THEN LEAST(found.at_midnight, earlier.before_change)
                     ELSE found.at_midnight
                 END AS begins
            FROM ((generate_series(date_trunc(periods.step, (periods.since AT TIME ZONE periods.time_zone)), (periods.until AT TIME ZONE periods.time_zone),
                 CASE periods.step
                     WHEN 'quarter'::text THEN '3 mons'::interval
                     ELSE (('1 '::text || periods.step))::interval
                 END) midnight(midnight)
              CROSS JOIN LATERAL ( SELECT (midnight.midnight AT TIME ZONE periods.time_zone) AS at_midnight,
                     ((midnight.midnight AT TIME ZONE periods.time_zone) - '24:00:00'::interval) AS day_before) found)
              CROSS JOIN LATERAL ( SELECT ((midnight.midnight AT TIME ZONE 'UTC'::text) + ((found.day_before AT TIME ZONE 'UTC'::text) - (found.day_before AT TIME ZONE periods.time_zone))) AS before_change) earlier)
           WHERE (periods.step IS NOT NULL)) day
 UNION ALL
  SELECT NULL::date AS first_day,
     periods.since AS begins,
     (periods.until + '00:00:00.000001'::interval) AS ends
   WHERE (periods.step IS NULL);
END;

CREATE OR REPLACE FUNCTION public.average_day_ratings(key_hash text, by text[], since timestamp with time zone DEFAULT NULL::timestamp with time zone, until timestamp with time zone DEFAULT NULL::timestamp with time zone, time_zone text DEFAULT 'UTC'::text, team_id uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
 SET work_mem TO '32MB'
 SET lock_timeout TO '5s'
 SET statement_timeout TO '7s'
AS $function$
declare
  api_key app.verified_key;
  last timestamptz := coalesce(until, now());
  step text := (select name from unnest(by) as name where name <> 'team');
  of_team boolean := 'team' = any (by);
  found_rows integer;
  answer json;
  headers text;
begin
  if not (row_security_active('app.day_ratings'::regclass) and row_security_active('app.teams'::regclass)) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:analytics');

  execute format(
    $statement$
      select count(*), json_agg(item) from (
        select %1$s ratings, average
        from (
          select period.first_day, rated.*
          from app.periods($2, app.first_of_window($3, $4, $5), $4, $5) as period
          cross join lateral (
            select %2$s count(*) as ratings, round(avg(d.rating), 2) as average
            from app.day_ratings as d
            where d.company_id = $1 and d.created_at >= period.begins and d.created_at < period.ends and ($6 is null or d.team_id = $6)
            %3$s
            having count(*) > 0
          ) as rated
          limit app.most_groups() + 1
        ) as rated
        %4$s
        order by first_day desc, ratings desc %5$s
      ) as item
    $statement$,
    (
      select string_agg(
        case name when 'team' then 'team_id, coalesce(team.name, ''No Team'') as team_name, ' else format('first_day as %I, ', name) end, '' order by place)
      from unnest(by) with ordinality as wanted (name, place)
    ),
    case when of_team then 'd.team_id,' end,
    case when of_team then 'group by d.team_id' end,
    case when of_team then 'left join app.teams as team on team.company_id = $1 and team.id = team_id' end,
    case when of_team then ', team_id' end
  )
  into found_rows, answer
  using api_key.company_id, step, since, last, time_zone, team_id;

  headers := set_config(
    'response.headers',
    format(app.list_headers(), api_key.key_id, api_key.company_id, found_rows, (found_rows > app.most_groups())::text, ''),
    true
  );
  return case when found_rows > app.most_groups() then '[]' else coalesce(answer, '[]') end;
end
$function$;

REVOKE ALL ON FUNCTION public.average_day_ratings FROM PUBLIC, anon, authenticated, service_role;

ALTER FUNCTION "public"."average_day_ratings"(text, text[], timestamp with time zone, timestamp with time zone, text, uuid) OWNER TO "public_api";

CREATE OR REPLACE FUNCTION public.count_activity(key_hash text, by text[], since timestamp with time zone DEFAULT NULL::timestamp with time zone, until timestamp with time zone DEFAULT NULL::timestamp with time zone, time_zone text DEFAULT 'UTC'::text, category_id uuid DEFAULT NULL::uuid, sender_id uuid DEFAULT NULL::uuid, receiver_id uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
 SET work_mem TO '32MB'
 SET lock_timeout TO '5s'
 SET statement_timeout TO '7s'
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
  found_rows integer;
  answer json;
  headers text;
begin
  if not (
    row_security_active('app.kudos'::regclass) and row_security_active('app.members'::regclass) and row_security_active('app.teams'::regclass)
    and row_security_active('app.category_names'::regclass) and row_security_active('app.companies'::regclass)
  ) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:activity');

  -- A statement for each by would be hundreds. So it is put together, from these texts and nothing that was sent: the columns of
  -- the answer, what kudos are grouped by, where that is found, the ids that order the groups, and where names are found.
  -- Teams are found in one table of all members (offset 0): the planner cannot know how many kudos a period has, and
  -- might look them up one by one.
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
    select 'category' as name, 'category_id' as id, 'k.category_id' as grouped, null as team, null as named,
      'category_id, coalesce((select app.category_names_by_id($1)) ->> category_id::text, '''') as category' as columns
    union all
    select replace(name, 'person', person), replace(id, 'person', person), replace(grouped, 'person', person), replace(team, 'person', person),
      replace(named, 'person', person), replace(columns, 'person', person)
    from unnest(array['sender', 'receiver']) as person
    cross join (values
      ('person', 'person_id', 'k.person_id', null,
        'join app.members as person on person.company_id = $1 and person.id = person_id',
        'person_id, person.name as person_name'),
      ('person_team', 'person_team_id', 'person.team_id as person_team_id',
        'join (select m.id, m.team_id from app.members as m where m.company_id = $1 offset 0) as person on person.id = k.person_id',
        'left join app.teams as person_team on person_team.company_id = $1 and person_team.id = person_team_id',
        'person_team_id, coalesce(person_team.name, ''No Team'') as person_team_name')
    ) as of_person (name, id, grouped, team, named, columns)
  ) as part on part.name = wanted.name;

  execute format(
    $statement$
      select count(*), json_agg(item) from (
        select %1$s kudos
        from (
          select period.first_day, counted.*
          from app.periods($2, app.first_of_window($3, $4, $5), $4, $5) as period
          cross join lateral (
            select %2$s count(*) as kudos
            from app.kudos as k %3$s
            where k.company_id = $1 and k.created_at >= period.begins and k.created_at < period.ends
              and ($6 is null or k.category_id = $6) and ($7 is null or k.sender_id = $7) and ($8 is null or k.receiver_id = $8)
            %4$s
            having count(*) > 0
          ) as counted
          limit app.most_groups() + 1
        ) as counted
        %5$s
        order by first_day desc, kudos desc %6$s
      ) as item
    $statement$,
    selected, groups, teams, 'group by ' || ids, names, ', ' || ids
  )
  into found_rows, answer
  using api_key.company_id, step, since, last, time_zone, category_id, sender_id, receiver_id;

  headers := set_config(
    'response.headers',
    format(app.list_headers(), api_key.key_id, api_key.company_id, found_rows, (found_rows > app.most_groups())::text, ''),
    true
  );
  return case when found_rows > app.most_groups() then '[]' else coalesce(answer, '[]') end;
end
$function$;

REVOKE ALL ON FUNCTION public.count_activity FROM PUBLIC, anon, authenticated, service_role;

ALTER FUNCTION "public"."count_activity"(text, text[], timestamp with time zone, timestamp with time zone, text, uuid, uuid, uuid) OWNER TO "public_api";

COMMENT ON FUNCTION "app"."first_of_window"(timestamp with time zone, timestamp with time zone, text) IS 'since, or where a window without it begins.';

COMMENT ON FUNCTION "app"."most_groups"() IS 'How many rows the answer to a question has at most.';

COMMENT ON FUNCTION "app"."periods"(text, timestamp with time zone, timestamp with time zone, text) IS 'The days, weeks, months, quarters or years (step) from since to until in a time zone: first day, and the instants between which each lies.';

COMMENT ON FUNCTION "public"."average_day_ratings"(text, text[], timestamp with time zone, timestamp with time zone, text, uuid) IS 'Number and average of the day ratings of the key''s company, by what by names, as a JSON array. read:analytics. PT401, PT403, PT429.';

COMMENT ON FUNCTION "public"."count_activity"(text, text[], timestamp with time zone, timestamp with time zone, text, uuid, uuid, uuid) IS 'How many kudos of the key''s company, by what by names, as a JSON array. read:activity. PT401, PT403, PT429.';

REVOKE ALL ON FUNCTION "app"."first_of_window"(timestamp with time zone, timestamp with time zone, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."first_of_window"(timestamp with time zone, timestamp with time zone, text) TO "postgres", "public_api";

REVOKE ALL ON FUNCTION "app"."most_groups"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."most_groups"() TO "postgres", "public_api";

REVOKE ALL ON FUNCTION "app"."periods"(text, timestamp with time zone, timestamp with time zone, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."periods"(text, timestamp with time zone, timestamp with time zone, text) TO "postgres", "public_api";

REVOKE ALL ON FUNCTION "public"."average_day_ratings"(text, text[], timestamp with time zone, timestamp with time zone, text, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."average_day_ratings"(text, text[], timestamp with time zone, timestamp with time zone, text, uuid) TO "service_role";

REVOKE ALL ON FUNCTION "public"."count_activity"(text, text[], timestamp with time zone, timestamp with time zone, text, uuid, uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."count_activity"(text, text[], timestamp with time zone, timestamp with time zone, text, uuid, uuid, uuid) TO "service_role";

revoke create on schema public from public_api;
