set lock_timeout = '2s';
set statement_timeout = '60s';

set local check_function_bodies = off;

grant create on schema public to public_api;

DROP FUNCTION "public"."average_day_ratings"(text, text[], timestamp with time zone, timestamp with time zone, text, uuid);

DROP FUNCTION "public"."count_activity"(text, text[], timestamp with time zone, timestamp with time zone, text, uuid, uuid, uuid);

DROP FUNCTION "public"."list_activity"(text, integer, timestamp with time zone, timestamp with time zone, uuid, uuid, uuid, uuid, text[], timestamp with time zone);

DROP FUNCTION "public"."list_categories"(text, integer, uuid, timestamp with time zone);

DROP FUNCTION "public"."list_changes"(text, text, integer, text, text[]);

DROP FUNCTION "public"."list_day_ratings"(text, integer, timestamp with time zone, timestamp with time zone, uuid, uuid, text[], timestamp with time zone);

DROP FUNCTION "public"."list_members"(text, integer, uuid, text, uuid, text, text, timestamp with time zone);

DROP FUNCTION "public"."list_pulse_responses"(text, integer, timestamp with time zone, timestamp with time zone, uuid, text[], timestamp with time zone);

DROP FUNCTION "public"."list_rewards"(text, integer, boolean, uuid, text[], text, timestamp with time zone);

DROP FUNCTION "public"."list_teams"(text, integer, uuid, timestamp with time zone);

DROP FUNCTION "public"."note_refused_use"(text, text);

DROP FUNCTION "public"."read_activity"(text, integer, timestamp with time zone, timestamp with time zone, uuid, uuid, uuid, uuid, text[], timestamp with time zone);

DROP FUNCTION "public"."read_categories"(text, integer, uuid, timestamp with time zone);

DROP FUNCTION "public"."read_changes"(text, text, integer, text, text[]);

DROP FUNCTION "public"."read_day_ratings"(text, integer, timestamp with time zone, timestamp with time zone, uuid, uuid, text[], timestamp with time zone);

DROP FUNCTION "public"."read_members"(text, integer, uuid, text, uuid, text, text, timestamp with time zone);

DROP FUNCTION "public"."read_pulse_responses"(text, integer, timestamp with time zone, timestamp with time zone, uuid, text[], timestamp with time zone);

DROP FUNCTION "public"."read_rewards"(text, integer, boolean, uuid, text[], text, timestamp with time zone);

DROP FUNCTION "public"."read_teams"(text, integer, uuid, timestamp with time zone);

DROP FUNCTION "public"."upsert_rewards"(text, text, boolean);

DROP FUNCTION "public"."verify_api_key"(text, text);

CREATE DOMAIN "app"."application/json" AS json;

CREATE OR REPLACE FUNCTION public.average_day_ratings(key_hash text, by text[], since timestamp with time zone DEFAULT NULL::timestamp with time zone, until timestamp with time zone DEFAULT NULL::timestamp with time zone, time_zone text DEFAULT 'UTC'::text, team_id uuid DEFAULT NULL::uuid)
 RETURNS app."application/json"
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
            select %2$s count(*) as ratings, trim_scale(round(avg(d.rating), 2)) as average
            from app.day_ratings as d
            where d.company_id = $1 and d.created_at >= period.begins and d.created_at < period.ends
              and ($6 is null or d.team_id = $6)
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
        case name
          when 'team' then 'team_id, coalesce(team.name, ''No Team'') as team_name, '
          else format('first_day as %I, ', name)
        end, '' order by place)
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
 RETURNS app."application/json"
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
    row_security_active('app.kudos'::regclass) and row_security_active('app.members'::regclass)
    and row_security_active('app.teams'::regclass) and row_security_active('app.categories'::regclass)
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

CREATE OR REPLACE FUNCTION public.list_activity(key_hash text, max_rows integer, since timestamp with time zone DEFAULT '-infinity'::timestamp with time zone, until timestamp with time zone DEFAULT 'infinity'::timestamp with time zone, category_id uuid DEFAULT NULL::uuid, sender_id uuid DEFAULT NULL::uuid, receiver_id uuid DEFAULT NULL::uuid, starting_after uuid DEFAULT NULL::uuid, include text[] DEFAULT NULL::text[], after_time timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS app."application/json"
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_sort TO 'off'
 SET jit TO 'off'
 SET lock_timeout TO '5s'
 SET statement_timeout TO '7s'
AS $function$
declare
  api_key app.verified_key;
  found_rows integer;
  page json;
  next text;
  headers text;
  -- The page begins below this pair of instant and id (docs/api.md, Lists).
  below_instant timestamptz := until + interval '1 microsecond';
  below_id uuid := uuid '00000000-0000-0000-0000-000000000000';
  lead_by text;
begin
  if not (
    row_security_active('app.kudos'::regclass)
    and row_security_active('app.members'::regclass)
    and row_security_active('app.teams'::regclass)
    and row_security_active('app.categories'::regclass)
  ) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:activity');

  if starting_after is not null then
    if after_time is null then
      select t.created_at into after_time from app.kudos as t
      where t.company_id = api_key.company_id and t.id = starting_after;
      if not found then
        perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
      end if;
    end if;
    if (after_time, starting_after) < (below_instant, below_id) then
      below_instant := after_time;
      below_id := starting_after;
    end if;
  end if;

  if num_nonnulls(sender_id, receiver_id, category_id) > 0 then
    lead_by := app.rarest_kudos_filter(
      api_key.company_id, since, least(until, below_instant), sender_id, receiver_id, category_id
    );
  end if;

  if include is null then
    if lead_by is null then
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item)."timestamp" || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category
          from api.activity as v
          where v.company_id = api_key.company_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    elsif lead_by = 'sender' then
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item)."timestamp" || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category
          from api.activity as v
          where v.company_id = api_key.company_id and v.sender_id = list_activity.sender_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
            and (list_activity.receiver_id is null or v.receiver_id = list_activity.receiver_id)
            and (list_activity.category_id is null or v.category_id = list_activity.category_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    elsif lead_by = 'receiver' then
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item)."timestamp" || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category
          from api.activity as v
          where v.company_id = api_key.company_id and v.receiver_id = list_activity.receiver_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
            and (list_activity.sender_id is null or v.sender_id = list_activity.sender_id)
            and (list_activity.category_id is null or v.category_id = list_activity.category_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    else
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item)."timestamp" || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category
          from api.activity as v
          where v.company_id = api_key.company_id and v.category_id = list_activity.category_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
            and (list_activity.sender_id is null or v.sender_id = list_activity.sender_id)
            and (list_activity.receiver_id is null or v.receiver_id = list_activity.receiver_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    end if;
  elsif not include && array['sender_team_id', 'sender_team_name', 'receiver_team_id', 'receiver_team_name'] then
    if lead_by is null then
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item)."timestamp" || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
            case when 'sender_id' = any (include) then v.sender_id end as sender_id,
            case when 'receiver_id' = any (include) then v.receiver_id end as receiver_id,
            case when 'category_id' = any (include) then v.category_id end as category_id
          from api.activity as v
          where v.company_id = api_key.company_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    elsif lead_by = 'sender' then
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item)."timestamp" || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
            case when 'sender_id' = any (include) then v.sender_id end as sender_id,
            case when 'receiver_id' = any (include) then v.receiver_id end as receiver_id,
            case when 'category_id' = any (include) then v.category_id end as category_id
          from api.activity as v
          where v.company_id = api_key.company_id and v.sender_id = list_activity.sender_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
            and (list_activity.receiver_id is null or v.receiver_id = list_activity.receiver_id)
            and (list_activity.category_id is null or v.category_id = list_activity.category_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    elsif lead_by = 'receiver' then
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item)."timestamp" || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
            case when 'sender_id' = any (include) then v.sender_id end as sender_id,
            case when 'receiver_id' = any (include) then v.receiver_id end as receiver_id,
            case when 'category_id' = any (include) then v.category_id end as category_id
          from api.activity as v
          where v.company_id = api_key.company_id and v.receiver_id = list_activity.receiver_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
            and (list_activity.sender_id is null or v.sender_id = list_activity.sender_id)
            and (list_activity.category_id is null or v.category_id = list_activity.category_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    else
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item)."timestamp" || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
            case when 'sender_id' = any (include) then v.sender_id end as sender_id,
            case when 'receiver_id' = any (include) then v.receiver_id end as receiver_id,
            case when 'category_id' = any (include) then v.category_id end as category_id
          from api.activity as v
          where v.company_id = api_key.company_id and v.category_id = list_activity.category_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
            and (list_activity.sender_id is null or v.sender_id = list_activity.sender_id)
            and (list_activity.receiver_id is null or v.receiver_id = list_activity.receiver_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    end if;
    -- Columns that include does not name are null in every row, and are taken out of the text of the page. This text is
    -- never within a value, because quotes are escaped there.
    if cardinality(include) < 3 then
      if not 'sender_id' = any (include) then page := replace(page::text, ',"sender_id":null', ''); end if;
      if not 'receiver_id' = any (include) then page := replace(page::text, ',"receiver_id":null', ''); end if;
      if not 'category_id' = any (include) then page := replace(page::text, ',"category_id":null', ''); end if;
    end if;
  else
    if lead_by is null then
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item)."timestamp" || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
            case when 'sender_id' = any (include) then v.sender_id end as sender_id,
            case when 'receiver_id' = any (include) then v.receiver_id end as receiver_id,
            case when 'category_id' = any (include) then v.category_id end as category_id,
            case when 'sender_team_id' = any (include) then v.sender_team_id end as sender_team_id,
            case when 'sender_team_name' = any (include) then v.sender_team_name end as sender_team_name,
            case when 'receiver_team_id' = any (include) then v.receiver_team_id end as receiver_team_id,
            case when 'receiver_team_name' = any (include) then v.receiver_team_name end as receiver_team_name
          from api.activity as v
          where v.company_id = api_key.company_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    elsif lead_by = 'sender' then
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item)."timestamp" || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
            case when 'sender_id' = any (include) then v.sender_id end as sender_id,
            case when 'receiver_id' = any (include) then v.receiver_id end as receiver_id,
            case when 'category_id' = any (include) then v.category_id end as category_id,
            case when 'sender_team_id' = any (include) then v.sender_team_id end as sender_team_id,
            case when 'sender_team_name' = any (include) then v.sender_team_name end as sender_team_name,
            case when 'receiver_team_id' = any (include) then v.receiver_team_id end as receiver_team_id,
            case when 'receiver_team_name' = any (include) then v.receiver_team_name end as receiver_team_name
          from api.activity as v
          where v.company_id = api_key.company_id and v.sender_id = list_activity.sender_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
            and (list_activity.receiver_id is null or v.receiver_id = list_activity.receiver_id)
            and (list_activity.category_id is null or v.category_id = list_activity.category_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    elsif lead_by = 'receiver' then
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item)."timestamp" || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
            case when 'sender_id' = any (include) then v.sender_id end as sender_id,
            case when 'receiver_id' = any (include) then v.receiver_id end as receiver_id,
            case when 'category_id' = any (include) then v.category_id end as category_id,
            case when 'sender_team_id' = any (include) then v.sender_team_id end as sender_team_id,
            case when 'sender_team_name' = any (include) then v.sender_team_name end as sender_team_name,
            case when 'receiver_team_id' = any (include) then v.receiver_team_id end as receiver_team_id,
            case when 'receiver_team_name' = any (include) then v.receiver_team_name end as receiver_team_name
          from api.activity as v
          where v.company_id = api_key.company_id and v.receiver_id = list_activity.receiver_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
            and (list_activity.sender_id is null or v.sender_id = list_activity.sender_id)
            and (list_activity.category_id is null or v.category_id = list_activity.category_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    else
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item)."timestamp" || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
            case when 'sender_id' = any (include) then v.sender_id end as sender_id,
            case when 'receiver_id' = any (include) then v.receiver_id end as receiver_id,
            case when 'category_id' = any (include) then v.category_id end as category_id,
            case when 'sender_team_id' = any (include) then v.sender_team_id end as sender_team_id,
            case when 'sender_team_name' = any (include) then v.sender_team_name end as sender_team_name,
            case when 'receiver_team_id' = any (include) then v.receiver_team_id end as receiver_team_id,
            case when 'receiver_team_name' = any (include) then v.receiver_team_name end as receiver_team_name
          from api.activity as v
          where v.company_id = api_key.company_id and v.category_id = list_activity.category_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
            and (list_activity.sender_id is null or v.sender_id = list_activity.sender_id)
            and (list_activity.receiver_id is null or v.receiver_id = list_activity.receiver_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    end if;
    -- Columns that include does not name are null in every row, and are taken out of the text of the page. This text is
    -- never within a value, because quotes are escaped there.
    if cardinality(include) < 7 then
      if not 'sender_id' = any (include) then page := replace(page::text, ',"sender_id":null', ''); end if;
      if not 'receiver_id' = any (include) then page := replace(page::text, ',"receiver_id":null', ''); end if;
      if not 'category_id' = any (include) then page := replace(page::text, ',"category_id":null', ''); end if;
      if not 'sender_team_id' = any (include) then page := replace(page::text, ',"sender_team_id":null', ''); end if;
      if not 'sender_team_name' = any (include) then page := replace(page::text, ',"sender_team_name":null', ''); end if;
      if not 'receiver_team_id' = any (include) then page := replace(page::text, ',"receiver_team_id":null', ''); end if;
      if not 'receiver_team_name' = any (include) then page := replace(page::text, ',"receiver_team_name":null', ''); end if;
    end if;
  end if;

  headers := set_config(
    'response.headers',
    format(
      app.page_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text,
      right(next, 36), next
    ),
    true
  );
  return coalesce(page, '[]');
end
$function$;

REVOKE ALL ON FUNCTION public.list_activity FROM PUBLIC, anon, authenticated, service_role;

ALTER FUNCTION "public"."list_activity"(text, integer, timestamp with time zone, timestamp with time zone, uuid, uuid, uuid, uuid, text[], timestamp with time zone) OWNER TO "public_api";

CREATE OR REPLACE FUNCTION public.list_categories(key_hash text, max_rows integer, starting_after uuid DEFAULT NULL::uuid, after_time timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS app."application/json"
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_sort TO 'off'
 SET jit TO 'off'
 SET lock_timeout TO '5s'
 SET statement_timeout TO '7s'
AS $function$
declare
  api_key app.verified_key;
  found_rows integer;
  page json;
  next text;
  headers text;
  -- The page begins below this pair of instant and id (docs/api.md, Lists).
  below_instant timestamptz := timestamptz 'infinity';
  below_id uuid := uuid '00000000-0000-0000-0000-000000000000';
begin
  if not (
    row_security_active('app.categories'::regclass)
  ) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:activity');

  if starting_after is not null then
    if after_time is null then
      select t.created_at into after_time from app.categories as t
      where t.company_id = api_key.company_id and t.id = starting_after;
      if not found then
        perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
      end if;
    end if;
    if (after_time, starting_after) < (below_instant, below_id) then
      below_instant := after_time;
      below_id := starting_after;
    end if;
  end if;

  select
    count(*), json_agg(item) filter (where place <= max_rows),
    string_agg((item).created_at || '_' || (item).id, '') filter (where place = max_rows)
  into found_rows, page, next from (
    select item, row_number() over () as place from (
      select
        v.id, v.name, v.created_at
      from api.categories as v
      where v.company_id = api_key.company_id
        and (v.instant, v.id) < (below_instant, below_id)
      order by v.instant desc, v.id desc
      limit max_rows + 1
    ) as item
  ) as numbered;

  headers := set_config(
    'response.headers',
    format(
      app.page_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text,
      right(next, 36), next
    ),
    true
  );
  return coalesce(page, '[]');
end
$function$;

REVOKE ALL ON FUNCTION public.list_categories FROM PUBLIC, anon, authenticated, service_role;

ALTER FUNCTION "public"."list_categories"(text, integer, uuid, timestamp with time zone) OWNER TO "public_api";

CREATE OR REPLACE FUNCTION public.list_changes(key_hash text, list text, max_rows integer, after text, include text[] DEFAULT NULL::text[])
 RETURNS app."application/json"
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_sort TO 'off'
 SET jit TO 'off'
 SET lock_timeout TO '5s'
 SET statement_timeout TO '7s'
AS $function$
declare
  api_key app.verified_key;
  served record;
  origin text;
  -- No transaction below it is still running: nothing below it can change any more.
  horizon bigint;
  began bigint;
  after_transaction bigint := 0;
  after_id uuid := '00000000-0000-0000-0000-000000000000';
  served_page record;
  headers text;
begin
  if exists (
    select from unnest('{app.teams,app.members,app.categories,app.kudos,app.rewards,app.day_ratings,app.pulse_questions,
      app.pulse_responses,app.deletions,app.forgotten_deletions}'::regclass[]) as read (relation)
    where not row_security_active(read.relation)
  ) then
    perform app.refuse_without_row_security();
  end if;
  served := app.changing_list(list);
  api_key := app.authenticate(key_hash, served.scope);

  origin := app.cursor_origin(api_key.company_id, list);
  horizon := pg_snapshot_xmin(pg_current_snapshot())::text;
  if after = 'start' then
    began := horizon;
  else
    if left(after, 8) <> origin then
      perform app.refuse_cursor(api_key.key_id, api_key.company_id);
    end if;
    after_transaction := ('x' || substr(after, 9, 16))::bit(64)::bigint;
    after_id := substr(after, 25, 32);
    -- A standby that is late still has rows that were deleted before the copy began at the primary: it reads them now, so
    -- its deletions begin no later than this page ends.
    began := case when length(after) = 56 then 0 else least(horizon, ('x' || substr(after, 57))::bit(64)::bigint) end;
    -- The cursor is newer than the data of this server: its data has gone back in time without a new timeline. A standby
    -- may just be behind.
    if least(after_transaction, began) < 0
      or after_transaction >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint and not pg_is_in_recovery() then
      perform app.refuse_cursor(api_key.key_id, api_key.company_id);
    end if;
  end if;

  served_page := app.page_of_changes(
    list, api_key.company_id, include, max_rows, after_transaction::text::xid8, after_id,
    greatest(after_transaction, began - 1)::text::xid8,
    case when began > after_transaction then 'ffffffff-ffff-ffff-ffff-ffffffffffff' else after_id end,
    horizon::text::xid8, origin, began::text::xid8, encode(int8send(began), 'hex')
  );
  if served_page.are_foreign then
    raise exception 'changes in % have the numbers of another server', served.relation
      using errcode = 'PT501',
      hint = 'Run sql/commands/repair.sql.';
  end if;

  -- Afterwards, because deletions may have been forgotten since this function began.
  if after <> 'start' and exists (
    select from app.forgotten_deletions as f
    where f.company_id = api_key.company_id and f.relation = served.relation
      and (f.deleted_in, f.id) > (after_transaction::text::xid8, after_id) and f.deleted_in >= began::text::xid8
  ) then
    perform app.refuse_cursor(api_key.key_id, api_key.company_id);
  end if;

  headers := set_config(
    'response.headers',
    format(app.list_headers(), api_key.key_id, api_key.company_id, least(served_page.found_rows, max_rows),
      (served_page.found_rows > max_rows)::text, served_page.next),
    true
  );
  return coalesce(served_page.page, '[]');
end
$function$;

REVOKE ALL ON FUNCTION public.list_changes FROM PUBLIC, anon, authenticated, service_role;

ALTER FUNCTION "public"."list_changes"(text, text, integer, text, text[]) OWNER TO "public_api";

CREATE OR REPLACE FUNCTION public.list_day_ratings(key_hash text, max_rows integer, since timestamp with time zone DEFAULT '-infinity'::timestamp with time zone, until timestamp with time zone DEFAULT 'infinity'::timestamp with time zone, team_id uuid DEFAULT NULL::uuid, starting_after uuid DEFAULT NULL::uuid, include text[] DEFAULT NULL::text[], after_time timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS app."application/json"
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_sort TO 'off'
 SET jit TO 'off'
 SET lock_timeout TO '5s'
 SET statement_timeout TO '7s'
AS $function$
declare
  api_key app.verified_key;
  found_rows integer;
  page json;
  next text;
  headers text;
  -- The page begins below this pair of instant and id (docs/api.md, Lists).
  below_instant timestamptz := until + interval '1 microsecond';
  below_id uuid := uuid '00000000-0000-0000-0000-000000000000';
begin
  if not (
    row_security_active('app.day_ratings'::regclass)
    and row_security_active('app.teams'::regclass)
  ) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:analytics');

  if starting_after is not null then
    if after_time is null then
      select t.created_at into after_time from app.day_ratings as t
      where t.company_id = api_key.company_id and t.id = starting_after;
      if not found then
        perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
      end if;
    end if;
    if (after_time, starting_after) < (below_instant, below_id) then
      below_instant := after_time;
      below_id := starting_after;
    end if;
  end if;

  if include is null then
    if team_id is null then
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item).created_at || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
          select
            v.id, v.rating, v.comment, v.team_id, v.points_awarded, v.created_at
          from api.day_ratings as v
          where v.company_id = api_key.company_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    else
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item).created_at || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
          select
            v.id, v.rating, v.comment, v.team_id, v.points_awarded, v.created_at
          from api.day_ratings as v
          where v.company_id = api_key.company_id and v.team_id = list_day_ratings.team_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    end if;
  else
    if team_id is null then
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item).created_at || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
          select
            v.id, v.rating, v.comment, v.team_id, v.points_awarded, v.created_at, team.name as team_name
          from api.day_ratings as v
          left join lateral (
            select t.name from app.teams as t where t.company_id = v.company_id and t.id = v.team_id offset 0
          ) as team on true
          where v.company_id = api_key.company_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    else
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item).created_at || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
          select
            v.id, v.rating, v.comment, v.team_id, v.points_awarded, v.created_at, team.name as team_name
          from api.day_ratings as v
          left join lateral (
            select t.name from app.teams as t where t.company_id = v.company_id and t.id = v.team_id offset 0
          ) as team on true
          where v.company_id = api_key.company_id and v.team_id = list_day_ratings.team_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    end if;
  end if;

  headers := set_config(
    'response.headers',
    format(
      app.page_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text,
      right(next, 36), next
    ),
    true
  );
  return coalesce(page, '[]');
end
$function$;

REVOKE ALL ON FUNCTION public.list_day_ratings FROM PUBLIC, anon, authenticated, service_role;

ALTER FUNCTION "public"."list_day_ratings"(text, integer, timestamp with time zone, timestamp with time zone, uuid, uuid, text[], timestamp with time zone) OWNER TO "public_api";

CREATE OR REPLACE FUNCTION public.list_members(key_hash text, max_rows integer, team_id uuid DEFAULT NULL::uuid, role text DEFAULT NULL::text, starting_after uuid DEFAULT NULL::uuid, email text DEFAULT NULL::text, name text DEFAULT NULL::text, after_time timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS app."application/json"
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_sort TO 'off'
 SET jit TO 'off'
 SET lock_timeout TO '5s'
 SET statement_timeout TO '7s'
AS $function$
declare
  api_key app.verified_key;
  found_rows integer;
  page json;
  next text;
  headers text;
  -- The page begins below this pair of instant and id (docs/api.md, Lists).
  below_instant timestamptz := timestamptz 'infinity';
  below_id uuid := uuid '00000000-0000-0000-0000-000000000000';
  lead_by text;
begin
  if not (
    row_security_active('app.members'::regclass)
    and row_security_active('app.teams'::regclass)
  ) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:members');

  if starting_after is not null then
    if after_time is null then
      select t.created_at into after_time from app.members as t
      where t.company_id = api_key.company_id and t.id = starting_after and not t.is_former;
      if not found then
        perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
      end if;
    end if;
    if (after_time, starting_after) < (below_instant, below_id) then
      below_instant := after_time;
      below_id := starting_after;
    end if;
  end if;

  if list_members.email is null and list_members.name is null and num_nonnulls(team_id, role) > 0 then
    lead_by := app.rarest_members_filter(api_key.company_id, team_id, role);
  end if;

  if email is not null then
    select
      count(*), json_agg(item) filter (where place <= max_rows),
      string_agg((item).created_at || '_' || (item).id, '') filter (where place = max_rows)
    into found_rows, page, next from (
      select item, row_number() over () as place from (
        select
          v.id, v.name, v.email, v.role, v.team_id, v.team_name, v.created_at
        from (
          select o.* from api.members as o
          where o.company_id = api_key.company_id
            and o.id = (select app.member_with_email(api_key.company_id, list_members.email))
          offset 0
        ) as v
        where (v.instant, v.id) < (below_instant, below_id)
          and (list_members.team_id is null or v.team_id = list_members.team_id)
          and (list_members.role is null or v.role = list_members.role)
          and (list_members.name is null or strpos(v.plain_name, (select app.plain(list_members.name))) > 0)
      ) as item
    ) as numbered;
  elsif list_members.name is not null then
    select
      count(*), json_agg(item) filter (where place <= max_rows),
      string_agg((item).created_at || '_' || (item).id, '') filter (where place = max_rows)
    into found_rows, page, next from (
      select item, row_number() over () as place from (
        select
          v.id, v.name, v.email, v.role, v.team_id, v.team_name, v.created_at
        from api.members as v
        where v.company_id = api_key.company_id
          and (v.instant, v.id) < (below_instant, below_id)
          and (list_members.team_id is null or v.team_id = list_members.team_id)
          and (list_members.role is null or v.role = list_members.role)
          and strpos(v.plain_name, (select app.plain(list_members.name))) > 0
        order by v.instant desc, v.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  elsif lead_by is null then
    select
      count(*), json_agg(item) filter (where place <= max_rows),
      string_agg((item).created_at || '_' || (item).id, '') filter (where place = max_rows)
    into found_rows, page, next from (
      select item, row_number() over () as place from (
        select
          v.id, v.name, v.email, v.role, v.team_id, v.team_name, v.created_at
        from api.members as v
        where v.company_id = api_key.company_id
          and (v.instant, v.id) < (below_instant, below_id)
        order by v.instant desc, v.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  elsif lead_by = 'team' then
    select
      count(*), json_agg(item) filter (where place <= max_rows),
      string_agg((item).created_at || '_' || (item).id, '') filter (where place = max_rows)
    into found_rows, page, next from (
      select item, row_number() over () as place from (
        select
          v.id, v.name, v.email, v.role, v.team_id, v.team_name, v.created_at
        from api.members as v
        where v.company_id = api_key.company_id and v.team_id = list_members.team_id
          and (v.instant, v.id) < (below_instant, below_id)
          and (list_members.role is null or v.role = list_members.role)
        order by v.instant desc, v.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  else
    select
      count(*), json_agg(item) filter (where place <= max_rows),
      string_agg((item).created_at || '_' || (item).id, '') filter (where place = max_rows)
    into found_rows, page, next from (
      select item, row_number() over () as place from (
        select
          v.id, v.name, v.email, v.role, v.team_id, v.team_name, v.created_at
        from api.members as v
        where v.company_id = api_key.company_id and v.role = list_members.role
          and (v.instant, v.id) < (below_instant, below_id)
          and (list_members.team_id is null or v.team_id = list_members.team_id)
        order by v.instant desc, v.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  end if;

  headers := set_config(
    'response.headers',
    format(
      app.page_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text,
      right(next, 36), next
    ),
    true
  );
  return coalesce(page, '[]');
end
$function$;

REVOKE ALL ON FUNCTION public.list_members FROM PUBLIC, anon, authenticated, service_role;

ALTER FUNCTION "public"."list_members"(text, integer, uuid, text, uuid, text, text, timestamp with time zone) OWNER TO "public_api";

CREATE OR REPLACE FUNCTION public.list_pulse_responses(key_hash text, max_rows integer, since timestamp with time zone DEFAULT '-infinity'::timestamp with time zone, until timestamp with time zone DEFAULT 'infinity'::timestamp with time zone, starting_after uuid DEFAULT NULL::uuid, include text[] DEFAULT NULL::text[], after_time timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS app."application/json"
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_sort TO 'off'
 SET jit TO 'off'
 SET lock_timeout TO '5s'
 SET statement_timeout TO '7s'
AS $function$
declare
  api_key app.verified_key;
  found_rows integer;
  page json;
  next text;
  headers text;
  -- The page begins below this pair of instant and id (docs/api.md, Lists).
  below_instant timestamptz := until + interval '1 microsecond';
  below_id uuid := uuid '00000000-0000-0000-0000-000000000000';
begin
  if not (
    row_security_active('app.pulse_responses'::regclass)
    and row_security_active('app.pulse_questions'::regclass)
  ) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:analytics');

  if starting_after is not null then
    if after_time is null then
      select t.created_at into after_time from app.pulse_responses as t
      where t.company_id = api_key.company_id and t.id = starting_after;
      if not found then
        perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
      end if;
    end if;
    if (after_time, starting_after) < (below_instant, below_id) then
      below_instant := after_time;
      below_id := starting_after;
    end if;
  end if;

  if include is null then
    select
      count(*), json_agg(item) filter (where place <= max_rows),
      string_agg((item)."timestamp" || '_' || (item).id, '') filter (where place = max_rows)
    into found_rows, page, next from (
      select item, row_number() over () as place from (
        select
          v.id, v."timestamp", v.question, v.response_type, v.value, v.comment
        from api.pulse_responses as v
        where v.company_id = api_key.company_id
          and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
        order by v.instant desc, v.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  else
    select
      count(*), json_agg(item) filter (where place <= max_rows),
      string_agg((item)."timestamp" || '_' || (item).id, '') filter (where place = max_rows)
    into found_rows, page, next from (
      select item, row_number() over () as place from (
        select
          v.id, v."timestamp", v.question, v.response_type, v.value, v.comment, v.question_id
        from api.pulse_responses as v
        where v.company_id = api_key.company_id
          and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
        order by v.instant desc, v.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  end if;

  headers := set_config(
    'response.headers',
    format(
      app.page_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text,
      right(next, 36), next
    ),
    true
  );
  return coalesce(page, '[]');
end
$function$;

REVOKE ALL ON FUNCTION public.list_pulse_responses FROM PUBLIC, anon, authenticated, service_role;

ALTER FUNCTION "public"."list_pulse_responses"(text, integer, timestamp with time zone, timestamp with time zone, uuid, text[], timestamp with time zone) OWNER TO "public_api";

CREATE OR REPLACE FUNCTION public.list_rewards(key_hash text, max_rows integer, include_archived boolean DEFAULT false, starting_after uuid DEFAULT NULL::uuid, include text[] DEFAULT NULL::text[], external_id text DEFAULT NULL::text, after_time timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS app."application/json"
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_sort TO 'off'
 SET jit TO 'off'
 SET lock_timeout TO '5s'
 SET statement_timeout TO '7s'
AS $function$
declare
  api_key app.verified_key;
  found_rows integer;
  page json;
  next text;
  headers text;
  -- The page begins below this pair of instant and id (docs/api.md, Lists).
  below_instant timestamptz := timestamptz 'infinity';
  below_id uuid := uuid '00000000-0000-0000-0000-000000000000';
begin
  if not (
    row_security_active('app.rewards'::regclass)
  ) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:rewards');

  if starting_after is not null then
    if after_time is null then
      select t.created_at into after_time from app.rewards as t
      where t.company_id = api_key.company_id and t.id = starting_after;
      if not found then
        perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
      end if;
    end if;
    if (after_time, starting_after) < (below_instant, below_id) then
      below_instant := after_time;
      below_id := starting_after;
    end if;
  end if;

  if include is null then
    if external_id is not null then
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item).created_at || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
          select
            v.id, v.name, v.description, v.points_cost, v.reward_type, v.stock_count, v.image_url, v.vendor_name,
            v.is_archived, v.created_at
          from (
            select o.* from api.rewards as o
            where o.company_id = api_key.company_id
              and o.external_id between list_rewards.external_id and list_rewards.external_id
            order by o.external_id limit 1
          ) as v
          where (v.instant, v.id) < (below_instant, below_id)
            and (include_archived or not v.is_archived)
        ) as item
      ) as numbered;
    elsif include_archived is not true then
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item).created_at || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
          select
            v.id, v.name, v.description, v.points_cost, v.reward_type, v.stock_count, v.image_url, v.vendor_name,
            v.is_archived, v.created_at
          from api.rewards as v
          where v.company_id = api_key.company_id and not v.is_archived
            and (v.instant, v.id) < (below_instant, below_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    else
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item).created_at || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
          select
            v.id, v.name, v.description, v.points_cost, v.reward_type, v.stock_count, v.image_url, v.vendor_name,
            v.is_archived, v.created_at
          from api.rewards as v
          where v.company_id = api_key.company_id
            and (v.instant, v.id) < (below_instant, below_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    end if;
  else
    if external_id is not null then
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item).created_at || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
          select
            v.id, v.name, v.description, v.points_cost, v.reward_type, v.stock_count, v.image_url, v.vendor_name,
            v.is_archived, v.created_at, v.external_id
          from (
            select o.* from api.rewards as o
            where o.company_id = api_key.company_id
              and o.external_id between list_rewards.external_id and list_rewards.external_id
            order by o.external_id limit 1
          ) as v
          where (v.instant, v.id) < (below_instant, below_id)
            and (include_archived or not v.is_archived)
        ) as item
      ) as numbered;
    elsif include_archived is not true then
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item).created_at || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
          select
            v.id, v.name, v.description, v.points_cost, v.reward_type, v.stock_count, v.image_url, v.vendor_name,
            v.is_archived, v.created_at, v.external_id
          from api.rewards as v
          where v.company_id = api_key.company_id and not v.is_archived
            and (v.instant, v.id) < (below_instant, below_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    else
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item).created_at || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
          select
            v.id, v.name, v.description, v.points_cost, v.reward_type, v.stock_count, v.image_url, v.vendor_name,
            v.is_archived, v.created_at, v.external_id
          from api.rewards as v
          where v.company_id = api_key.company_id
            and (v.instant, v.id) < (below_instant, below_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    end if;
  end if;

  headers := set_config(
    'response.headers',
    format(
      app.page_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text,
      right(next, 36), next
    ),
    true
  );
  return coalesce(page, '[]');
end
$function$;

REVOKE ALL ON FUNCTION public.list_rewards FROM PUBLIC, anon, authenticated, service_role;

ALTER FUNCTION "public"."list_rewards"(text, integer, boolean, uuid, text[], text, timestamp with time zone) OWNER TO "public_api";

CREATE OR REPLACE FUNCTION public.list_teams(key_hash text, max_rows integer, starting_after uuid DEFAULT NULL::uuid, after_time timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS app."application/json"
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_sort TO 'off'
 SET jit TO 'off'
 SET lock_timeout TO '5s'
 SET statement_timeout TO '7s'
AS $function$
declare
  api_key app.verified_key;
  found_rows integer;
  page json;
  next text;
  headers text;
  -- The page begins below this pair of instant and id (docs/api.md, Lists).
  below_instant timestamptz := timestamptz 'infinity';
  below_id uuid := uuid '00000000-0000-0000-0000-000000000000';
begin
  if not (
    row_security_active('app.teams'::regclass)
  ) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:members');

  if starting_after is not null then
    if after_time is null then
      select t.created_at into after_time from app.teams as t
      where t.company_id = api_key.company_id and t.id = starting_after;
      if not found then
        perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
      end if;
    end if;
    if (after_time, starting_after) < (below_instant, below_id) then
      below_instant := after_time;
      below_id := starting_after;
    end if;
  end if;

  select
    count(*), json_agg(item) filter (where place <= max_rows),
    string_agg((item).created_at || '_' || (item).id, '') filter (where place = max_rows)
  into found_rows, page, next from (
    select item, row_number() over () as place from (
      select
        v.id, v.name, v.created_at
      from api.teams as v
      where v.company_id = api_key.company_id
        and (v.instant, v.id) < (below_instant, below_id)
      order by v.instant desc, v.id desc
      limit max_rows + 1
    ) as item
  ) as numbered;

  headers := set_config(
    'response.headers',
    format(
      app.page_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text,
      right(next, 36), next
    ),
    true
  );
  return coalesce(page, '[]');
end
$function$;

REVOKE ALL ON FUNCTION public.list_teams FROM PUBLIC, anon, authenticated, service_role;

ALTER FUNCTION "public"."list_teams"(text, integer, uuid, timestamp with time zone) OWNER TO "public_api";

CREATE OR REPLACE FUNCTION public.note_refused_use(key_hash text, missing_scope text DEFAULT NULL::text)
 RETURNS app."application/json"
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
 SET jit TO 'off'
 SET lock_timeout TO '5s'
 SET statement_timeout TO '7s'
AS $function$select to_json(app.note_refused_use(key_hash, missing_scope))$function$;

REVOKE ALL ON FUNCTION public.note_refused_use FROM PUBLIC, anon, authenticated, service_role;

ALTER FUNCTION "public"."note_refused_use"(text, text) OWNER TO "public_api";

CREATE OR REPLACE FUNCTION public.read_page(rpc text, key_hash text, max_rows integer, team_id uuid DEFAULT NULL::uuid, role text DEFAULT NULL::text, starting_after uuid DEFAULT NULL::uuid, email text DEFAULT NULL::text, name text DEFAULT NULL::text, after_time timestamp with time zone DEFAULT NULL::timestamp with time zone, since timestamp with time zone DEFAULT '-infinity'::timestamp with time zone, until timestamp with time zone DEFAULT 'infinity'::timestamp with time zone, category_id uuid DEFAULT NULL::uuid, sender_id uuid DEFAULT NULL::uuid, receiver_id uuid DEFAULT NULL::uuid, include text[] DEFAULT NULL::text[], include_archived boolean DEFAULT false, external_id text DEFAULT NULL::text, list text DEFAULT NULL::text, after text DEFAULT NULL::text)
 RETURNS app."application/json"
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET jit TO 'off'
 SET statement_timeout TO '2s'
AS $function$
declare
  page json;
begin
  case rpc
    when 'list_members' then
      page := public.list_members(
        key_hash, max_rows, team_id, role, starting_after, email, name, after_time
      );
    when 'list_teams' then
      page := public.list_teams(
        key_hash, max_rows, starting_after, after_time
      );
    when 'list_activity' then
      page := public.list_activity(
        key_hash, max_rows, since, until, category_id, sender_id, receiver_id, starting_after, include, after_time
      );
    when 'list_categories' then
      page := public.list_categories(
        key_hash, max_rows, starting_after, after_time
      );
    when 'list_rewards' then
      page := public.list_rewards(
        key_hash, max_rows, include_archived, starting_after, include, external_id, after_time
      );
    when 'list_day_ratings' then
      page := public.list_day_ratings(
        key_hash, max_rows, since, until, team_id, starting_after, include, after_time
      );
    when 'list_pulse_responses' then
      page := public.list_pulse_responses(
        key_hash, max_rows, since, until, starting_after, include, after_time
      );
    when 'list_changes' then
      page := public.list_changes(
        key_hash, list, max_rows, after, include
      );
  end case;
  return app.from_replica(page);
end
$function$;

REVOKE ALL ON FUNCTION public.read_page FROM PUBLIC, anon, authenticated, service_role;

ALTER FUNCTION "public"."read_page"(text, text, integer, uuid, text, uuid, text, text, timestamp with time zone, timestamp with time zone, timestamp with time zone, uuid, uuid, uuid, text[], boolean, text, text, text) OWNER TO "public_api";

CREATE OR REPLACE FUNCTION public.upsert_rewards(key_hash text, rewards text, dry_run boolean DEFAULT false)
 RETURNS app."application/json"
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET jit TO 'off'
 SET lock_timeout TO '5s'
 SET statement_timeout TO '7s'
AS $function$
declare
  api_key app.verified_key;
  sent constant jsonb := rewards::jsonb;
  -- The rows by external_id. An update keeps the fields that were not sent.
  by_id jsonb;
  created integer;
  updated integer;
begin
  if not row_security_active('app.rewards'::regclass) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'write:rewards');
  -- The platform makes read-only the default when a disk is nearly full. PostgREST begins this transaction as read write
  -- all the same, so that the rows would be written.
  if current_setting('default_transaction_read_only')::boolean then
    raise exception using errcode = 'read_only_sql_transaction', message = 'the database is read-only';
  end if;

  select jsonb_object_agg(reward.fields ->> 'external_id', reward.fields)
  into by_id
  from jsonb_array_elements(sent) as reward (fields);

  begin
    with written as (
      insert into app.rewards as kept
        (company_id, external_id, name, description, points_cost, reward_type, is_archived, stock_count, image_url, vendor_name)
      select
        api_key.company_id,
        sent_reward.external_id,
        sent_reward.name,
        sent_reward.description,
        sent_reward.points_cost,
        coalesce(sent_reward.reward_type, 'perk'),
        coalesce(sent_reward.is_archived, false),
        sent_reward.stock_count,
        sent_reward.image_url,
        sent_reward.vendor_name
      from jsonb_to_recordset(sent) as sent_reward (
        external_id text, name text, description text, points_cost bigint, reward_type text,
        is_archived boolean, stock_count integer, image_url text, vendor_name text
      )
      order by sent_reward.external_id collate "C"
      on conflict (company_id, external_id) do update set
        name = excluded.name,
        points_cost = excluded.points_cost,
        description = case when by_id -> excluded.external_id ? 'description' then excluded.description else kept.description end,
        reward_type = case when by_id -> excluded.external_id ? 'reward_type' then excluded.reward_type else kept.reward_type end,
        is_archived = case when by_id -> excluded.external_id ? 'is_archived' then excluded.is_archived else kept.is_archived end,
        stock_count = case when by_id -> excluded.external_id ? 'stock_count' then excluded.stock_count else kept.stock_count end,
        image_url = case when by_id -> excluded.external_id ? 'image_url' then excluded.image_url else kept.image_url end,
        vendor_name = case when by_id -> excluded.external_id ? 'vendor_name' then excluded.vendor_name else kept.vendor_name end
      where (kept.name, kept.points_cost) is distinct from (excluded.name, excluded.points_cost)
        or (kept.description is distinct from excluded.description and by_id -> excluded.external_id ? 'description')
        or (kept.reward_type is distinct from excluded.reward_type and by_id -> excluded.external_id ? 'reward_type')
        or (kept.is_archived is distinct from excluded.is_archived and by_id -> excluded.external_id ? 'is_archived')
        or (kept.stock_count is distinct from excluded.stock_count and by_id -> excluded.external_id ? 'stock_count')
        or (kept.image_url is distinct from excluded.image_url and by_id -> excluded.external_id ? 'image_url')
        or (kept.vendor_name is distinct from excluded.vendor_name and by_id -> excluded.external_id ? 'vendor_name')
      -- Only a row that was there before has been locked, by the number in xmax.
      returning kept.xmax = 0 as is_new
    )
    select count(*) filter (where is_new), count(*) filter (where not is_new) into created, updated from written;
    if dry_run then
      raise exception using errcode = 'DRYRN';
    end if;
  exception when sqlstate 'DRYRN' then
    -- Nothing is left but the counts.
  end;

  return app.respond(api_key.key_id, api_key.company_id, format(
    '{"imported":%s,"created":%s,"updated":%s,"unchanged":%s}',
    case when dry_run then 0 else jsonb_array_length(sent) end, created, updated, jsonb_array_length(sent) - created - updated
  )::json);
end
$function$;

REVOKE ALL ON FUNCTION public.upsert_rewards FROM PUBLIC, anon, authenticated, service_role;

ALTER FUNCTION "public"."upsert_rewards"(text, text, boolean) OWNER TO "public_api";

CREATE OR REPLACE FUNCTION public.verify_api_key(key_hash text, required_scope text DEFAULT NULL::text)
 RETURNS app."application/json"
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET jit TO 'off'
 SET lock_timeout TO '5s'
 SET statement_timeout TO '7s'
AS $function$
declare
  api_key app.verified_key;
  company_name text;
begin
  if not row_security_active('app.companies'::regclass) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, required_scope);
  select c.name into company_name from app.companies as c where c.id = api_key.company_id;
  return app.respond(
    api_key.key_id,
    api_key.company_id,
    json_build_object(
      'company_name', company_name,
      'key_name', api_key.key_name,
      'scopes', api_key.scopes,
      'expires_at', app.iso_8601(api_key.expires_at),
      'company_id', api_key.company_id,
      'requests_at_once', app.requests_at_once()
    )
  );
end
$function$;

REVOKE ALL ON FUNCTION public.verify_api_key FROM PUBLIC, anon, authenticated, service_role;

ALTER FUNCTION "public"."verify_api_key"(text, text) OWNER TO "public_api";

COMMENT ON DOMAIN "app"."application/json" IS 'JSON that the Data API sends as it is.';

COMMENT ON FUNCTION "app"."most_groups"() IS 'How many rows the answer of a total has at most.';

COMMENT ON FUNCTION "public"."average_day_ratings"(text, text[], timestamp with time zone, timestamp with time zone, text, uuid) IS 'Number and average of the day ratings of the key''s company, by what by names, as a JSON array. read:analytics. PT401, PT403, PT429.';

COMMENT ON FUNCTION "public"."count_activity"(text, text[], timestamp with time zone, timestamp with time zone, text, uuid, uuid, uuid) IS 'How many kudos of the key''s company, by what by names, as a JSON array. read:activity. PT401, PT403, PT429.';

COMMENT ON FUNCTION "public"."list_activity"(text, integer, timestamp with time zone, timestamp with time zone, uuid, uuid, uuid, uuid, text[], timestamp with time zone) IS 'Kudos with sender, recipient and category: the rows of the key''s company, newest first, as a JSON array. read:activity. PT400, PT401, PT403, PT429.';

COMMENT ON FUNCTION "public"."list_categories"(text, integer, uuid, timestamp with time zone) IS 'What kudos are given for: the rows of the key''s company, newest first, as a JSON array. read:activity. PT400, PT401, PT403, PT429.';

COMMENT ON FUNCTION "public"."list_changes"(text, text, integer, text, text[]) IS 'What was added, changed or deleted in a list of the key''s company, oldest change first, as a JSON array. PT401, PT403, PT410, PT429.';

COMMENT ON FUNCTION "public"."list_day_ratings"(text, integer, timestamp with time zone, timestamp with time zone, uuid, uuid, text[], timestamp with time zone) IS 'How days were rated, by team: the rows of the key''s company, newest first, as a JSON array. read:analytics. PT400, PT401, PT403, PT429.';

COMMENT ON FUNCTION "public"."list_members"(text, integer, uuid, text, uuid, text, text, timestamp with time zone) IS 'People, their roles and teams: the rows of the key''s company, newest first, as a JSON array. read:members. PT400, PT401, PT403, PT429.';

COMMENT ON FUNCTION "public"."list_pulse_responses"(text, integer, timestamp with time zone, timestamp with time zone, uuid, text[], timestamp with time zone) IS 'Answers to pulse surveys: the rows of the key''s company, newest first, as a JSON array. read:analytics. PT400, PT401, PT403, PT429.';

COMMENT ON FUNCTION "public"."list_rewards"(text, integer, boolean, uuid, text[], text, timestamp with time zone) IS 'The reward catalogue: the rows of the key''s company, newest first, as a JSON array. read:rewards. PT400, PT401, PT403, PT429.';

COMMENT ON FUNCTION "public"."list_teams"(text, integer, uuid, timestamp with time zone) IS 'The teams that people are in: the rows of the key''s company, newest first, as a JSON array. read:members. PT400, PT401, PT403, PT429.';

COMMENT ON FUNCTION "public"."note_refused_use"(text, text) IS 'Records now as the last refused use of a revoked or expired key, or of a good one that lacks missing_scope, at most once a minute. Returns true or false: whether it has.';

COMMENT ON FUNCTION "public"."read_page"(text, text, integer, uuid, text, uuid, text, text, timestamp with time zone, timestamp with time zone, timestamp with time zone, uuid, uuid, uuid, text[], boolean, text, text, text) IS 'A page of the function with the name rpc, such as list_members, at a read replica. PT503 too.';

COMMENT ON FUNCTION "public"."upsert_rewards"(text, text, boolean) IS 'Creates or updates rewards of the key''s company by external_id: { imported, created, updated, unchanged }; dry_run counts and writes nothing. write:rewards. PT401, PT403, PT429; 25006 while the database is read-only.';

COMMENT ON FUNCTION "public"."verify_api_key"(text, text) IS 'Checks a key and, when it is given, a scope: { company_name, key_name, scopes, expires_at, company_id, requests_at_once }. PT401, PT403.';

REVOKE ALL ON TYPE "app"."application/json" FROM PUBLIC;

GRANT USAGE ON TYPE "app"."application/json" TO "postgres";

REVOKE ALL ON FUNCTION "public"."average_day_ratings"(text, text[], timestamp with time zone, timestamp with time zone, text, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."average_day_ratings"(text, text[], timestamp with time zone, timestamp with time zone, text, uuid) TO "service_role";

REVOKE ALL ON FUNCTION "public"."count_activity"(text, text[], timestamp with time zone, timestamp with time zone, text, uuid, uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."count_activity"(text, text[], timestamp with time zone, timestamp with time zone, text, uuid, uuid, uuid) TO "service_role";

REVOKE ALL ON FUNCTION "public"."list_activity"(text, integer, timestamp with time zone, timestamp with time zone, uuid, uuid, uuid, uuid, text[], timestamp with time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."list_activity"(text, integer, timestamp with time zone, timestamp with time zone, uuid, uuid, uuid, uuid, text[], timestamp with time zone) TO "service_role";

REVOKE ALL ON FUNCTION "public"."list_categories"(text, integer, uuid, timestamp with time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."list_categories"(text, integer, uuid, timestamp with time zone) TO "service_role";

REVOKE ALL ON FUNCTION "public"."list_changes"(text, text, integer, text, text[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."list_changes"(text, text, integer, text, text[]) TO "service_role";

REVOKE ALL ON FUNCTION "public"."list_day_ratings"(text, integer, timestamp with time zone, timestamp with time zone, uuid, uuid, text[], timestamp with time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."list_day_ratings"(text, integer, timestamp with time zone, timestamp with time zone, uuid, uuid, text[], timestamp with time zone) TO "service_role";

REVOKE ALL ON FUNCTION "public"."list_members"(text, integer, uuid, text, uuid, text, text, timestamp with time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."list_members"(text, integer, uuid, text, uuid, text, text, timestamp with time zone) TO "service_role";

REVOKE ALL ON FUNCTION "public"."list_pulse_responses"(text, integer, timestamp with time zone, timestamp with time zone, uuid, text[], timestamp with time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."list_pulse_responses"(text, integer, timestamp with time zone, timestamp with time zone, uuid, text[], timestamp with time zone) TO "service_role";

REVOKE ALL ON FUNCTION "public"."list_rewards"(text, integer, boolean, uuid, text[], text, timestamp with time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."list_rewards"(text, integer, boolean, uuid, text[], text, timestamp with time zone) TO "service_role";

REVOKE ALL ON FUNCTION "public"."list_teams"(text, integer, uuid, timestamp with time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."list_teams"(text, integer, uuid, timestamp with time zone) TO "service_role";

REVOKE ALL ON FUNCTION "public"."note_refused_use"(text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."note_refused_use"(text, text) TO "service_role";

REVOKE ALL ON FUNCTION "public"."read_page"(text, text, integer, uuid, text, uuid, text, text, timestamp with time zone, timestamp with time zone, timestamp with time zone, uuid, uuid, uuid, text[], boolean, text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."read_page"(text, text, integer, uuid, text, uuid, text, text, timestamp with time zone, timestamp with time zone, timestamp with time zone, uuid, uuid, uuid, text[], boolean, text, text, text) TO "service_role";

REVOKE ALL ON FUNCTION "public"."upsert_rewards"(text, text, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."upsert_rewards"(text, text, boolean) TO "service_role";

REVOKE ALL ON FUNCTION "public"."verify_api_key"(text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."verify_api_key"(text, text) TO "service_role";

revoke create on schema public from public_api;
