set lock_timeout = '2s';
set statement_timeout = '60s';

set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION app.take_turn_of_total(verified app.verified_key)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  base constant bigint := 7330216700000000;
begin
  if pg_try_advisory_xact_lock(uuid_hash_extended(verified.company_id, base)) then
    for slot in 1..app.totals_at_once() loop
      if pg_try_advisory_xact_lock(base + slot) then
        return;
      end if;
    end loop;
  end if;
  raise exception using
    errcode = 'PT429',
    message = 'Too Many Requests',
    detail = json_build_object('key_id', verified.key_id, 'company_id', verified.company_id);
end
$function$;

CREATE OR REPLACE FUNCTION app.totals_at_once()
 RETURNS integer
 LANGUAGE sql
 STABLE
 SET search_path TO ''
RETURN 2;

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
  perform app.take_turn_of_total(api_key);

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
  perform app.take_turn_of_total(api_key);

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
  if list_members.name is not null then
    perform app.take_turn_of_total(api_key);
  end if;

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

COMMENT ON FUNCTION "app"."take_turn_of_total"(app.verified_key) IS 'Takes one of app.totals_at_once() turns until the end of the transaction, one of a company. PT429.';

COMMENT ON FUNCTION "app"."totals_at_once"() IS 'How many totals run in the database at the same moment, one of a company. More are refused with PT429. To be replaced by operators.';

REVOKE ALL ON FUNCTION "app"."take_turn_of_total"(app.verified_key) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."take_turn_of_total"(app.verified_key) TO "postgres", "public_api";

REVOKE ALL ON FUNCTION "app"."totals_at_once"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."totals_at_once"() TO "postgres", "public_api";
