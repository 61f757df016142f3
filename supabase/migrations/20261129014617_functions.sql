-- The tables of companies and keys are small: reading them takes milliseconds.
-- squawk-ignore-file ban-drop-not-null, constraint-missing-not-valid
set lock_timeout = '2s';
set statement_timeout = '60s';

set local check_function_bodies = off;

grant create on schema public to public_api;

DROP FUNCTION "public"."average_day_ratings"(text, text[], timestamp with time zone, timestamp with time zone, text, uuid);

DROP FUNCTION "public"."count_activity"(text, text[], timestamp with time zone, timestamp with time zone, text, uuid, uuid, uuid);

DROP FUNCTION "public"."list_api_keys"();

DROP FUNCTION "public"."note_refused_use"(text, text);

DROP FUNCTION "public"."replace_api_key"(uuid, interval, timestamp with time zone);

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
$function$;

REVOKE ALL ON FUNCTION public.count_activity FROM PUBLIC, anon, authenticated, service_role;

ALTER FUNCTION "public"."count_activity"(text, text[], timestamp with time zone, timestamp with time zone, text, uuid, uuid, uuid, uuid, uuid, text[], integer) OWNER TO "public_api";

CREATE OR REPLACE FUNCTION public.create_api_key(name text, scopes text[] DEFAULT ARRAY['read:members'::text, 'read:activity'::text], expires_at timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if not exists (select from app.current_admin()) then
    raise exception using errcode = 'PT403', message = 'only an admin may create API keys';
  end if;
  return app.insert_api_key(name, scopes, expires_at);
end
$function$;

CREATE OR REPLACE FUNCTION public.link_member()
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  status constant text := case when app.wants_second_factor() then 'second_factor_wanted' else app.link_member() end;
  member record;
begin
  select * into member from app.signed_in_member() where status <> 'second_factor_wanted';
  return json_build_object(
    'status', status,
    'company_name', member.company_name,
    'name', member.name,
    'role', case status when 'linked' then member.role end,
    'admins', case status when 'linked' then member.admins end
  );
end
$function$;

CREATE OR REPLACE FUNCTION public.list_activity(key_hash text, max_rows integer, since timestamp with time zone DEFAULT '-infinity'::timestamp with time zone, until timestamp with time zone DEFAULT 'infinity'::timestamp with time zone, category_id uuid DEFAULT NULL::uuid, sender_id uuid DEFAULT NULL::uuid, receiver_id uuid DEFAULT NULL::uuid, starting_after uuid DEFAULT NULL::uuid, include text[] DEFAULT NULL::text[], after_time timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS app."application/json"
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET lock_timeout TO '5s'
 SET statement_timeout TO '7s'
 SET jit TO 'off'
 SET enable_seqscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_sort TO 'off'
AS $function$
#variable_conflict use_column
declare
  page constant lists.page :=
    lists.begin('activity', key_hash, max_rows, starting_after, after_time, until);
  sender constant uuid := sender_id;
  receiver constant uuid := receiver_id;
  category constant uuid := category_id;
  lead_by text;
  included text;
  rows lists.kudos[];
  rows_with_ids lists.kudos_with_ids[];
  rows_with lists.kudos_with[];
begin
  if num_nonnulls(sender, receiver, category) = 1 then
    lead_by := case when sender is not null then 'sender' when receiver is not null then 'receiver' else 'category' end;
  elsif num_nonnulls(sender, receiver, category) > 1 then
    lead_by := lists.rarest_kudos_filter(page, since, sender, receiver, category);
  end if;
  if include is null then
    if lead_by is null then
      rows := array(select v.shown from lists.activity as v
        where lists.is_in(page, v.company_id, v.instant, v.id) and v.instant >= since
        order by v.instant desc, v.id desc limit max_rows + 1);
    elsif lead_by = 'sender' then
      rows := array(select v.shown from lists.activity as v
        where lists.is_in(page, v.company_id, v.instant, v.id) and v.instant >= since and v.sender_id = sender
          and (receiver is null or v.receiver_id = receiver) and (category is null or v.category_id = category)
        order by v.instant desc, v.id desc limit max_rows + 1);
    elsif lead_by = 'receiver' then
      rows := array(select v.shown from lists.activity as v
        where lists.is_in(page, v.company_id, v.instant, v.id) and v.instant >= since and v.receiver_id = receiver
          and (sender is null or v.sender_id = sender) and (category is null or v.category_id = category)
        order by v.instant desc, v.id desc limit max_rows + 1);
    else
      rows := array(select v.shown from lists.activity as v
        where lists.is_in(page, v.company_id, v.instant, v.id) and v.instant >= since and v.category_id = category
          and (sender is null or v.sender_id = sender) and (receiver is null or v.receiver_id = receiver)
        order by v.instant desc, v.id desc limit max_rows + 1);
    end if;
    return lists.answer(page, rows, rows[max_rows]."timestamp" || '_' || rows[max_rows].id);
  end if;
  included := set_config('lists.include', ',' || array_to_string(include, ',') || ',', true);
  if include <@ lists.included_in_activity(false) then
    if lead_by is null then
      rows_with_ids := array(select v.shown from lists.activity_with_ids as v
        where lists.is_in(page, v.company_id, v.instant, v.id) and v.instant >= since
        order by v.instant desc, v.id desc limit max_rows + 1);
    elsif lead_by = 'sender' then
      rows_with_ids := array(select v.shown from lists.activity_with_ids as v
        where lists.is_in(page, v.company_id, v.instant, v.id) and v.instant >= since and v.sender_id = sender
          and (receiver is null or v.receiver_id = receiver) and (category is null or v.category_id = category)
        order by v.instant desc, v.id desc limit max_rows + 1);
    elsif lead_by = 'receiver' then
      rows_with_ids := array(select v.shown from lists.activity_with_ids as v
        where lists.is_in(page, v.company_id, v.instant, v.id) and v.instant >= since and v.receiver_id = receiver
          and (sender is null or v.sender_id = sender) and (category is null or v.category_id = category)
        order by v.instant desc, v.id desc limit max_rows + 1);
    else
      rows_with_ids := array(select v.shown from lists.activity_with_ids as v
        where lists.is_in(page, v.company_id, v.instant, v.id) and v.instant >= since and v.category_id = category
          and (sender is null or v.sender_id = sender) and (receiver is null or v.receiver_id = receiver)
        order by v.instant desc, v.id desc limit max_rows + 1);
    end if;
    return lists.only(include, lists.included_in_activity(false),
      lists.answer(page, rows_with_ids, rows_with_ids[max_rows]."timestamp" || '_' || rows_with_ids[max_rows].id));
  else
    if lead_by is null then
      rows_with := array(select v.shown from lists.activity_with as v
        where lists.is_in(page, v.company_id, v.instant, v.id) and v.instant >= since
        order by v.instant desc, v.id desc limit max_rows + 1);
    elsif lead_by = 'sender' then
      rows_with := array(select v.shown from lists.activity_with as v
        where lists.is_in(page, v.company_id, v.instant, v.id) and v.instant >= since and v.sender_id = sender
          and (receiver is null or v.receiver_id = receiver) and (category is null or v.category_id = category)
        order by v.instant desc, v.id desc limit max_rows + 1);
    elsif lead_by = 'receiver' then
      rows_with := array(select v.shown from lists.activity_with as v
        where lists.is_in(page, v.company_id, v.instant, v.id) and v.instant >= since and v.receiver_id = receiver
          and (sender is null or v.sender_id = sender) and (category is null or v.category_id = category)
        order by v.instant desc, v.id desc limit max_rows + 1);
    else
      rows_with := array(select v.shown from lists.activity_with as v
        where lists.is_in(page, v.company_id, v.instant, v.id) and v.instant >= since and v.category_id = category
          and (sender is null or v.sender_id = sender) and (receiver is null or v.receiver_id = receiver)
        order by v.instant desc, v.id desc limit max_rows + 1);
    end if;
    return lists.only(include, lists.included_in_activity(true),
      lists.answer(page, rows_with, rows_with[max_rows]."timestamp" || '_' || rows_with[max_rows].id));
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION public.list_api_key_events(key_id uuid DEFAULT NULL::uuid, skip integer DEFAULT 0, max_rows integer DEFAULT NULL::integer)
 RETURNS json
 LANGUAGE sql
 STABLE
 SET search_path TO ''
BEGIN ATOMIC
 SELECT COALESCE(json_agg(row_to_json(listed.*)), '[]'::json) AS "coalesce"
    FROM ( SELECT app.iso_8601(e.created_at) AS created_at,
             e.action,
             e.member_name AS member,
             e.key_id,
             e.key_name,
             e.hint,
             e.scopes,
             app.iso_8601(e.expires_at) AS expires_at,
             e.former_name,
             e.replaced_by,
             e.reason,
             k.assistant,
             k.assistant_address,
             successor.scopes AS new_scopes
            FROM ((app.api_key_events e
              LEFT JOIN app.api_keys k ON (((k.company_id = e.company_id) AND (k.id = e.key_id))))
              LEFT JOIN app.api_keys successor ON (((successor.company_id = e.company_id) AND (successor.id = e.replaced_by))))
           WHERE ((list_api_key_events.key_id IS NULL) OR ((list_api_key_events.key_id = e.key_id) OR (list_api_key_events.key_id = e.replaced_by)))
           ORDER BY e.created_at DESC, e.id DESC
          OFFSET list_api_key_events.skip
          LIMIT list_api_key_events.max_rows) listed;
END;

CREATE OR REPLACE FUNCTION public.list_api_keys(key_id uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE sql
 STABLE
 SET search_path TO ''
BEGIN ATOMIC
 SELECT COALESCE(json_agg(row_to_json(listed.*)), '[]'::json) AS "coalesce"
    FROM ( SELECT k.id,
             k.name,
             k.hint,
             k.scopes,
                 CASE
                     WHEN (k.revoked_at IS NOT NULL) THEN 'revoked'::text
                     WHEN (k.expires_at <= now()) THEN 'expired'::text
                     ELSE 'active'::text
                 END AS status,
             app.iso_8601(k.created_at) AS created_at,
             creator.name AS created_by,
             app.iso_8601(k.expires_at) AS expires_at,
             app.iso_8601(u.last_used_at) AS last_used_at,
             app.iso_8601(k.revoked_at) AS revoked_at,
             revoker.name AS revoked_by,
             k.replaced_by,
             u.last_endpoint,
             u.last_client,
             ARRAY( SELECT day.day
                    FROM unnest(u.used_on) day(day)
                   WHERE (day.day > (((now() AT TIME ZONE 'UTC'::text))::date - 30))) AS used_on,
             app.iso_8601(u.refused_at) AS refused_at,
             u.refused_endpoint,
             u.refused_client,
             app.iso_8601(u.forbidden_at) AS forbidden_at,
             u.forbidden_endpoint,
             u.forbidden_scope,
             u.forbidden_client,
             app.iso_8601(u.checked_at) AS checked_at,
             u.checked_client,
             k.assistant,
             k.assistant_address,
             (k.created_by IN ( SELECT app.current_admins() AS current_admins)) AS creator_is_admin,
             app.count_day(u.answers, u.counted_on, 0) AS answers,
             app.count_day(u.refusals, u.counted_on, 0) AS refusals,
             u.forbidden_reason
            FROM (((app.api_keys k
              JOIN app.members creator ON (((creator.company_id = k.company_id) AND (creator.id = k.created_by))))
              LEFT JOIN app.members revoker ON (((revoker.company_id = k.company_id) AND (revoker.id = k.revoked_by))))
              LEFT JOIN app.api_key_uses u ON (((u.company_id = k.company_id) AND (u.key_id = k.id))))
           WHERE ((list_api_keys.key_id IS NULL) OR (k.id = list_api_keys.key_id))
           ORDER BY k.created_at DESC, k.id DESC) listed;
END;

REVOKE ALL ON FUNCTION public.list_api_keys FROM PUBLIC, anon, authenticated, service_role;

CREATE OR REPLACE FUNCTION public.list_categories(key_hash text, max_rows integer, starting_after uuid DEFAULT NULL::uuid, after_time timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS app."application/json"
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET lock_timeout TO '5s'
 SET statement_timeout TO '7s'
 SET jit TO 'off'
 SET enable_seqscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_sort TO 'off'
AS $function$
declare
  page constant lists.page := lists.begin('categories', key_hash, max_rows, starting_after, after_time);
  rows lists.category[];
begin
  rows := array(select v.shown from lists.categories as v
    where lists.is_in(page, v.company_id, v.instant, v.id)
    order by v.instant desc, v.id desc limit max_rows + 1);
  return lists.answer(page, rows, rows[max_rows].created_at || '_' || rows[max_rows].id);
end
$function$;

CREATE OR REPLACE FUNCTION public.list_changes(key_hash text, list text, max_rows integer, after text, include text[] DEFAULT NULL::text[])
 RETURNS app."application/json"
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET lock_timeout TO '5s'
 SET statement_timeout TO '7s'
 SET jit TO 'off'
 SET enable_seqscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_sort TO 'off'
AS $function$
declare
  facts constant record := lists.facts(list);
  api_key constant app.verified_key := app.admit(key_hash, facts.scope);
  company constant uuid := api_key.company_id;
  origin constant text := lists.cursor_origin(company, list);
  view constant text := replace(list, '-', '_') || case
    when include <> '{}' and list = 'activity' and include <@ lists.included_in_activity(false) then '_with_ids'
    when include <> '{}' then '_with' else '' end;
  -- Before the snapshot of horizon, which is an older one at other levels of isolation.
  until constant timestamptz := case
    when pg_is_in_recovery() or current_setting('transaction_isolation') <> 'read committed' then null
    when pg_snapshot_xmin(pg_current_snapshot()) < pg_snapshot_xmax(pg_current_snapshot()) then app.oldest_write()
    else now() end;
  horizon constant bigint := pg_snapshot_xmin(pg_current_snapshot())::text;
  began bigint := horizon;
  after_transaction bigint := 0;
  after_id uuid := '00000000-0000-0000-0000-000000000000';
  rank integer := case when list in ('day-ratings', 'pulse-responses') then 0 end;
  s lists.span;
  result lists.changes;
  are_foreign boolean;
  said text;
begin
  if after <> 'start' then
    after_id := substr(after, 25, 32);
    if rank is null then
      after_transaction := ('x' || substr(after, 9, 16))::bit(64)::bigint;
      began := case when length(after) = 56 then 0 else ('x' || substr(after, 57))::bit(64)::bigint end;
    else
      select c.rank, c.number, c.began into rank, after_transaction, began from lists.unmask_cursor(origin, after) as c;
    end if;
    -- A cursor that is newer than the data of this server: its data has gone back in time without a new timeline. A
    -- standby may just be behind.
    if (
      (rank > 0 or left(after, 8) = origin) and after_transaction >= 0 and began >= 0
      and (after_transaction < pg_snapshot_xmax(pg_current_snapshot())::text::bigint or pg_is_in_recovery())
    ) is not true then
      perform lists.refuse_cursor(api_key);
    end if;
    -- A standby that is late still has rows that were deleted before the copy began at the primary: it reads them now,
    -- so its deletions begin no later than this page ends.
    began := least(horizon, began);
  end if;
  s := row(
    company, after_transaction::text::xid8, after_id, greatest(after_transaction, began - 1)::text::xid8,
    case when began > after_transaction then 'ffffffff-ffff-ffff-ffff-ffffffffffff' else after_id end,
    horizon::text::xid8, origin, began::text::xid8, encode(int8send(began), 'hex'), max_rows, rank
  );
  said := set_config('lists.include', ',' || array_to_string(include, ',') || ',', true);

  -- Each statement has a snapshot of its own. Below horizon rows and deletions can only disappear meanwhile: what
  -- changes a row moves it above, and what forgets deletions raises the mark that is read afterwards.
  perform from app.deletions as d
  where d.company_id = company and d.relation = facts.relation and after_transaction > 0
    and (d.deleted_in, d.id) > (s.deletions_after, s.deletions_after_id) and d.deleted_in < s.horizon
  order by d.deleted_in, d.id limit 1;
  if found then
    result := lists.changed_and_deleted(view, facts.relation, s);
  else
    result := lists.changed(view, s);
  end if;

  -- Rows with numbers of another server are behind all pages, so only the last one looks for them. A row that this sees
  -- was written by a transaction that ended before, or by this one, so its number is below xmax.
  if result.found_rows <= max_rows then
    execute format(
      'select exists (select from %s as t where t.company_id = $1
        and t.changed_in >= pg_snapshot_xmax(pg_current_snapshot())
        and t.changed_in is distinct from pg_current_xact_id_if_assigned() order by t.changed_in, t.id limit 1)',
      facts.relation
    ) into are_foreign using company;
    if are_foreign then
      raise exception 'changes in % have the numbers of another server', facts.relation
        using errcode = 'PT501', hint = 'Run sql/commands/repair.sql.';
    end if;
  end if;
  if after <> 'start' then
    perform lists.refuse_cursor(api_key) from app.forgotten_deletions as f
    where f.company_id = company and f.relation = facts.relation
      and (f.deleted_in, f.id) > (s.after_transaction, after_id) and f.deleted_in >= s.began;
  end if;

  said := app.end_page(api_key.key_id, company, result.found_rows, max_rows, result.next, until);
  if list = 'activity' and include <> '{}' then
    return lists.only(include, lists.included_in_activity(view = 'activity_with'), coalesce(result.page, '[]'));
  end if;
  return coalesce(result.page, '[]');
end
$function$;

CREATE OR REPLACE FUNCTION public.list_day_ratings(key_hash text, max_rows integer, since timestamp with time zone DEFAULT '-infinity'::timestamp with time zone, until timestamp with time zone DEFAULT 'infinity'::timestamp with time zone, team_id uuid DEFAULT NULL::uuid, starting_after uuid DEFAULT NULL::uuid, include text[] DEFAULT NULL::text[], after_time timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS app."application/json"
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET lock_timeout TO '5s'
 SET statement_timeout TO '7s'
 SET jit TO 'off'
 SET enable_seqscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_sort TO 'off'
AS $function$
declare
  page constant lists.page := lists.begin('day-ratings', key_hash, max_rows, starting_after, after_time, until);
  rows lists.day_rating[];
  rows_with lists.day_rating_with[];
begin
  if include is null then
    if team_id is null then
      rows := array(select v.shown from lists.day_ratings as v
        where lists.is_in(page, v.company_id, v.instant, v.id) and v.instant >= since
        order by v.instant desc, v.id desc limit max_rows + 1);
    else
      rows := array(select v.shown from lists.day_ratings as v
        where lists.is_in(page, v.company_id, v.instant, v.id)
          and v.instant >= since and v.team_id = list_day_ratings.team_id
        order by v.instant desc, v.id desc limit max_rows + 1);
    end if;
    return lists.answer(page, rows, rows[max_rows].created_at || '_' || rows[max_rows].id);
  end if;
  if team_id is null then
    rows_with := array(select v.shown from lists.day_ratings_with as v
      where lists.is_in(page, v.company_id, v.instant, v.id) and v.instant >= since
      order by v.instant desc, v.id desc limit max_rows + 1);
  else
    rows_with := array(select v.shown from lists.day_ratings_with as v
      where lists.is_in(page, v.company_id, v.instant, v.id)
        and v.instant >= since and v.team_id = list_day_ratings.team_id
      order by v.instant desc, v.id desc limit max_rows + 1);
  end if;
  return lists.answer(page, rows_with, rows_with[max_rows].created_at || '_' || rows_with[max_rows].id);
end
$function$;

CREATE OR REPLACE FUNCTION public.list_members(key_hash text, max_rows integer, team_id uuid DEFAULT NULL::uuid, role text DEFAULT NULL::text, starting_after uuid DEFAULT NULL::uuid, email text DEFAULT NULL::text, name text DEFAULT NULL::text, after_time timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS app."application/json"
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET lock_timeout TO '5s'
 SET statement_timeout TO '7s'
 SET jit TO 'off'
 SET enable_seqscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_sort TO 'off'
AS $function$
declare
  page constant lists.page := lists.begin('members', key_hash, max_rows, starting_after, after_time);
  lead_by text;
  rows lists.member[];
begin
  if name is not null and email is null and team_id is null then
    perform app.take_turn_of_total(page.key_id, page.company_id);
  end if;
  if email is not null then
    lead_by := 'email';
  elsif num_nonnulls(team_id, role) = 2 then
    lead_by := lists.rarest_member_filter(page.company_id, team_id, role);
  else
    lead_by := case when team_id is not null then 'team' when role is not null then 'role' end;
  end if;
  if lead_by is null then
    rows := array(select v.shown from lists.members as v
      where lists.is_in(page, v.company_id, v.instant, v.id)
        and (list_members.name is null or strpos(v.plain_name, (select lists.plain(list_members.name))) > 0)
      order by v.instant desc, v.id desc limit max_rows + 1);
  elsif lead_by = 'team' then
    rows := array(select v.shown from lists.members as v
      where lists.is_in(page, v.company_id, v.instant, v.id)
        and v.team_id = list_members.team_id and (list_members.role is null or v.role = list_members.role)
        and (list_members.name is null or strpos(v.plain_name, (select lists.plain(list_members.name))) > 0)
      order by v.instant desc, v.id desc limit max_rows + 1);
  elsif lead_by = 'role' then
    rows := array(select v.shown from lists.members as v
      where lists.is_in(page, v.company_id, v.instant, v.id)
        and v.role = list_members.role and (list_members.team_id is null or v.team_id = list_members.team_id)
        and (list_members.name is null or strpos(v.plain_name, (select lists.plain(list_members.name))) > 0)
      order by v.instant desc, v.id desc limit max_rows + 1);
  else
    rows := array(select v.shown from (
        select o.* from lists.members as o
        where o.company_id = page.company_id
          and o.id = (select lists.member_with_email(page.company_id, list_members.email))
        offset 0
      ) as v
      where lists.is_in(page, v.company_id, v.instant, v.id)
        and (list_members.team_id is null or v.team_id = list_members.team_id)
        and (list_members.role is null or v.role = list_members.role)
        and (list_members.name is null or strpos(v.plain_name, (select lists.plain(list_members.name))) > 0));
  end if;
  return lists.answer(page, rows, rows[max_rows].created_at || '_' || rows[max_rows].id);
end
$function$;

CREATE OR REPLACE FUNCTION public.list_pulse_responses(key_hash text, max_rows integer, since timestamp with time zone DEFAULT '-infinity'::timestamp with time zone, until timestamp with time zone DEFAULT 'infinity'::timestamp with time zone, starting_after uuid DEFAULT NULL::uuid, include text[] DEFAULT NULL::text[], after_time timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS app."application/json"
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET lock_timeout TO '5s'
 SET statement_timeout TO '7s'
 SET jit TO 'off'
 SET enable_seqscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_sort TO 'off'
AS $function$
declare
  page constant lists.page := lists.begin('pulse-responses', key_hash, max_rows, starting_after, after_time, until);
  rows lists.pulse_response[];
  rows_with lists.pulse_response_with[];
begin
  if include is null then
    rows := array(select v.shown from lists.pulse_responses as v
      where lists.is_in(page, v.company_id, v.instant, v.id) and v.instant >= since
      order by v.instant desc, v.id desc limit max_rows + 1);
    return lists.answer(page, rows, rows[max_rows]."timestamp" || '_' || rows[max_rows].id);
  end if;
  rows_with := array(select v.shown from lists.pulse_responses_with as v
    where lists.is_in(page, v.company_id, v.instant, v.id) and v.instant >= since
    order by v.instant desc, v.id desc limit max_rows + 1);
  return lists.answer(page, rows_with, rows_with[max_rows]."timestamp" || '_' || rows_with[max_rows].id);
end
$function$;

CREATE OR REPLACE FUNCTION public.list_rewards(key_hash text, max_rows integer, include_archived boolean DEFAULT false, starting_after uuid DEFAULT NULL::uuid, include text[] DEFAULT NULL::text[], external_id text DEFAULT NULL::text, after_time timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS app."application/json"
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET lock_timeout TO '5s'
 SET statement_timeout TO '7s'
 SET jit TO 'off'
 SET enable_seqscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_sort TO 'off'
AS $function$
declare
  page constant lists.page := lists.begin('rewards', key_hash, max_rows, starting_after, after_time);
  rows lists.reward_with[];
  rows_without lists.reward[];
begin
  if external_id is not null then
    -- In the order of external ids, so that no plan can use another index.
    rows := array(select v.shown from (
        select o.* from lists.rewards_with as o
        where o.company_id = page.company_id
          and o.external_id between list_rewards.external_id and list_rewards.external_id
        order by o.external_id limit 1
      ) as v
      where lists.is_in(page, v.company_id, v.instant, v.id) and (include_archived or not v.is_archived));
  elsif include_archived then
    rows := array(select v.shown from lists.rewards_with as v
      where lists.is_in(page, v.company_id, v.instant, v.id)
      order by v.instant desc, v.id desc limit max_rows + 1);
  else
    rows := array(select v.shown from lists.rewards_with as v
      where lists.is_in(page, v.company_id, v.instant, v.id) and not v.is_archived
      order by v.instant desc, v.id desc limit max_rows + 1);
  end if;
  if include is not null then
    return lists.answer(page, rows, rows[max_rows].created_at || '_' || rows[max_rows].id);
  end if;
  rows_without := array(
    select row(
      r.id, r.name, r.description, r.points_cost, r.reward_type, r.stock_count, r.image_url, r.vendor_name,
      r.is_archived, r.created_at
    )::lists.reward
    from unnest(rows) as r
  );
  return lists.answer(page, rows_without, rows[max_rows].created_at || '_' || rows[max_rows].id);
end
$function$;

CREATE OR REPLACE FUNCTION public.list_teams(key_hash text, max_rows integer, starting_after uuid DEFAULT NULL::uuid, after_time timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS app."application/json"
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET lock_timeout TO '5s'
 SET statement_timeout TO '7s'
 SET jit TO 'off'
 SET enable_seqscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_sort TO 'off'
AS $function$
declare
  page constant lists.page := lists.begin('teams', key_hash, max_rows, starting_after, after_time);
  rows lists.team[];
begin
  rows := array(select v.shown from lists.teams as v
    where lists.is_in(page, v.company_id, v.instant, v.id)
    order by v.instant desc, v.id desc limit max_rows + 1);
  return lists.answer(page, rows, rows[max_rows].created_at || '_' || rows[max_rows].id);
end
$function$;

CREATE OR REPLACE FUNCTION public.note_refused_use(key_hash text, missing_scope text DEFAULT NULL::text, reason text DEFAULT NULL::text)
 RETURNS app."application/json"
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
 SET lock_timeout TO '5s'
 SET statement_timeout TO '7s'
 SET jit TO 'off'
 SET enable_seqscan TO 'off'
AS $function$select to_json(app.note_refused_use(key_hash, missing_scope, reason))$function$;

REVOKE ALL ON FUNCTION public.note_refused_use FROM PUBLIC, anon, authenticated, service_role;

ALTER FUNCTION "public"."note_refused_use"(text, text, text) OWNER TO "public_api";

CREATE OR REPLACE FUNCTION public.read_page(rpc text, key_hash text, max_rows integer, team_id uuid DEFAULT NULL::uuid, role text DEFAULT NULL::text, starting_after uuid DEFAULT NULL::uuid, email text DEFAULT NULL::text, name text DEFAULT NULL::text, after_time timestamp with time zone DEFAULT NULL::timestamp with time zone, since timestamp with time zone DEFAULT '-infinity'::timestamp with time zone, until timestamp with time zone DEFAULT 'infinity'::timestamp with time zone, category_id uuid DEFAULT NULL::uuid, sender_id uuid DEFAULT NULL::uuid, receiver_id uuid DEFAULT NULL::uuid, include text[] DEFAULT NULL::text[], include_archived boolean DEFAULT false, external_id text DEFAULT NULL::text, list text DEFAULT NULL::text, after text DEFAULT NULL::text)
 RETURNS app."application/json"
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET jit TO 'off'
 SET statement_timeout TO '2s'
AS $function$
begin
  return app.from_replica(case rpc
    when 'list_members' then
      public.list_members(key_hash, max_rows, team_id, role, starting_after, email, name, after_time)
    when 'list_teams' then public.list_teams(key_hash, max_rows, starting_after, after_time)
    when 'list_activity' then public.list_activity(
      key_hash, max_rows, since, until, category_id, sender_id, receiver_id, starting_after, include, after_time
    )
    when 'list_categories' then public.list_categories(key_hash, max_rows, starting_after, after_time)
    when 'list_rewards' then
      public.list_rewards(key_hash, max_rows, include_archived, starting_after, include, external_id, after_time)
    when 'list_day_ratings' then
      public.list_day_ratings(key_hash, max_rows, since, until, team_id, starting_after, include, after_time)
    when 'list_pulse_responses' then
      public.list_pulse_responses(key_hash, max_rows, since, until, starting_after, include, after_time)
    when 'list_changes' then public.list_changes(key_hash, list, max_rows, after, include)
  end);
end
$function$;

CREATE OR REPLACE FUNCTION public.redeem_assistant_code(code_hash text, bound_to text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET lock_timeout TO '5s'
AS $function$
declare
  agreed app.assistant_codes;
  account uuid;
begin
  -- Whoever sends a code first uses it up, also a program that it is not for.
  delete from app.assistant_codes as c where c.code_hash = decode(redeem_assistant_code.code_hash, 'hex')
  returning * into agreed;
  if agreed.code_hash is null or agreed.bound_to <> redeem_assistant_code.bound_to
    or least(agreed.expires_at, agreed.key_expires_at) <= now() then
    return null;
  end if;
  select a.user_id into account
  from app.member_accounts as a where a.company_id = agreed.company_id and a.member_id = agreed.member_id;
  -- The triggers of app.api_keys take company, creator and history from the session: this one becomes that of the admin
  -- who agreed, which had shown a second factor if one was wanted.
  perform set_config(
    'request.jwt.claims', json_build_object('sub', account, 'role', 'authenticated', 'aal', 'aal2')::text, true
  );
  -- No longer an admin, or the company has moved.
  if not exists (select from app.current_admin()) then
    return null;
  end if;
  perform set_config('app.assistant', agreed.assistant, true);
  perform set_config('app.assistant_address', split_part(agreed.bound_to, e'\n', -2), true);
  return app.insert_api_key(agreed.assistant, agreed.scopes, agreed.key_expires_at);
end
$function$;

CREATE OR REPLACE FUNCTION public.replace_api_key(key_id uuid, overlap interval DEFAULT '24:00:00'::interval, expires_at timestamp with time zone DEFAULT NULL::timestamp with time zone, scopes text[] DEFAULT NULL::text[])
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
 SET lock_timeout TO '5s'
AS $function$
declare
  replaced record;
  successor json;
begin
  if overlap is null or overlap not in ('0', '1 hour', '24 hours', '7 days') then
    raise exception using errcode = 'PT400', hint = 'overlap', message = 'overlap must be 0, 1 hour, 24 hours or 7 days';
  end if;

  -- Locked, so that of two admins who replace the same key at once, the second gets the error below.
  select k.name, k.scopes, k.expires_at, k.revoked_at, k.replaced_by, k.assistant into replaced
  from app.api_keys as k where k.id = key_id for update;
  if not found then
    raise exception using errcode = 'PT404', message = 'no API key of your company has this id';
  end if;
  if replaced.revoked_at is not null or replaced.replaced_by is not null or replaced.expires_at <= now() then
    raise exception using errcode = 'PT409', message = 'a key that is revoked, expired or replaced already cannot be replaced';
  end if;
  -- Nobody could hand it the new key.
  if replaced.assistant is not null then
    raise exception using errcode = 'PT409', message = 'the key of an assistant cannot be replaced: connect the assistant again';
  end if;

  successor := app.insert_api_key(replaced.name, coalesce(scopes, replaced.scopes), expires_at);
  update app.api_keys as k
  -- In seconds, so that a day of the overlap has 24 hours also when daylight saving time begins or ends.
  set replaced_by = (successor ->> 'id')::uuid,
    expires_at = now() + make_interval(secs => extract(epoch from overlap)::double precision)
  where k.id = key_id;
  return successor;
end
$function$;

REVOKE ALL ON FUNCTION public.replace_api_key FROM PUBLIC, anon, authenticated, service_role;

CREATE OR REPLACE FUNCTION public.revoke_api_key(key_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
 SET lock_timeout TO '5s'
AS $function$
declare
  revoked json;
begin
  update app.api_keys as k set revoked_at = now() where k.id = key_id;

  select json_build_object('id', k.id, 'revoked_at', app.iso_8601(k.revoked_at), 'revoked_by', m.name) into revoked
  from app.api_keys as k
  left join app.members as m on m.company_id = k.company_id and m.id = k.revoked_by
  where k.id = key_id;
  if not found then
    raise exception using errcode = 'PT404', message = 'no API key of your company has this id';
  end if;
  return revoked;
end
$function$;

CREATE OR REPLACE FUNCTION public.upsert_rewards(key_hash text, rewards text, dry_run boolean DEFAULT false)
 RETURNS app."application/json"
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET lock_timeout TO '5s'
 SET statement_timeout TO '7s'
 SET jit TO 'off'
 SET enable_seqscan TO 'off'
AS $function$
declare
  api_key app.verified_key;
  sent constant jsonb := rewards::jsonb;
  -- The rows by external_id. An update keeps the fields that were not sent.
  by_id jsonb;
  created integer;
  updated integer;
begin
  api_key := app.admit(key_hash, 'write:rewards');
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
        api_key.company_id, r.external_id, r.name, r.description, r.points_cost, coalesce(r.reward_type, 'perk'),
        coalesce(r.is_archived, false), r.stock_count, r.image_url, r.vendor_name
      from jsonb_populate_recordset(null::app.rewards, sent) as r
      order by r.external_id collate "C"
      on conflict (company_id, external_id) do update
      set (name, description, points_cost, reward_type, is_archived, stock_count, image_url, vendor_name) = (
        select r.name, r.description, r.points_cost, r.reward_type, r.is_archived, r.stock_count, r.image_url, r.vendor_name
        from jsonb_populate_record(kept, by_id -> excluded.external_id) as r
      )
      where kept is distinct from jsonb_populate_record(kept, by_id -> excluded.external_id)
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

CREATE OR REPLACE FUNCTION public.verify_api_key(key_hash text, required_scope text DEFAULT NULL::text)
 RETURNS app."application/json"
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET lock_timeout TO '5s'
 SET statement_timeout TO '7s'
 SET jit TO 'off'
 SET enable_seqscan TO 'off'
AS $function$
declare
  api_key constant app.verified_key := app.admit(key_hash, required_scope);
  company_name text;
begin
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

COMMENT ON FUNCTION "public"."average_day_ratings"(text, text[], timestamp with time zone, timestamp with time zone, text, uuid, integer) IS 'Number and average of day ratings, by what by names. read:analytics. PT401, PT403, PT429.';

COMMENT ON FUNCTION "public"."count_activity"(text, text[], timestamp with time zone, timestamp with time zone, text, uuid, uuid, uuid, uuid, uuid, text[], integer) IS 'How many kudos of the key''s company, by what by names, as a JSON array. read:activity. PT401, PT403, PT429.';

COMMENT ON FUNCTION "public"."link_member"() IS 'To be called after sign-in: { status, company_name, name, role, admins }, status linked, moved (no role then), email_not_confirmed, no_member, several_members or second_factor_wanted (nothing is linked or told then); admins as signed_in_member. PT401 when the account is gone.';

COMMENT ON FUNCTION "public"."list_activity"(text, integer, timestamp with time zone, timestamp with time zone, uuid, uuid, uuid, uuid, text[], timestamp with time zone) IS 'Kudos of the key''s company, newest first: a JSON array. read:activity. PT400, PT401, PT403, PT429.';

COMMENT ON FUNCTION "public"."list_api_keys"(uuid) IS 'The API keys of the admin''s company, or one of them, newest first, as a JSON array without keys and hashes; empty for anybody else. answers and refusals: how many notes of each the last 30 days have, oldest first.';

COMMENT ON FUNCTION "public"."list_categories"(text, integer, uuid, timestamp with time zone) IS 'Categories, newest first. read:activity. PT400, PT401, PT403, PT429.';

COMMENT ON FUNCTION "public"."list_changes"(text, text, integer, text, text[]) IS 'What was added, changed or deleted in a list of the key''s company, oldest change first, as a JSON array. PT401, PT403, PT410, PT429, PT501.';

COMMENT ON FUNCTION "public"."list_day_ratings"(text, integer, timestamp with time zone, timestamp with time zone, uuid, uuid, text[], timestamp with time zone) IS 'Day ratings, newest first. read:analytics. PT400, PT401, PT403, PT429.';

COMMENT ON FUNCTION "public"."list_members"(text, integer, uuid, text, uuid, text, text, timestamp with time zone) IS 'Members, newest first. read:members. PT400, PT401, PT403, PT429.';

COMMENT ON FUNCTION "public"."list_pulse_responses"(text, integer, timestamp with time zone, timestamp with time zone, uuid, text[], timestamp with time zone) IS 'Pulse answers, newest first. read:analytics. PT400, PT401, PT403, PT429.';

COMMENT ON FUNCTION "public"."list_rewards"(text, integer, boolean, uuid, text[], text, timestamp with time zone) IS 'Rewards, newest first. read:rewards. PT400, PT401, PT403, PT429.';

COMMENT ON FUNCTION "public"."list_teams"(text, integer, uuid, timestamp with time zone) IS 'Teams, newest first. read:members. PT400, PT401, PT403, PT429.';

COMMENT ON FUNCTION "public"."note_refused_use"(text, text, text) IS 'For the Edge Function, after a 401, a 403, or a refused import: app.note_refused_use. Returns true or false.';

COMMENT ON FUNCTION "public"."replace_api_key"(uuid, interval, timestamp with time zone, text[]) IS 'Makes a successor of a key, with other scopes if some are given, and returns it as create_api_key does; the old key expires after the overlap, 0, 1 hour, 24 hours or 7 days. PT400, PT404, PT409.';

COMMENT ON FUNCTION "public"."upsert_rewards"(text, text, boolean) IS 'Creates or updates rewards by external_id. write:rewards. PT401, PT403, PT429; 25006 if the database is read-only.';

COMMENT ON FUNCTION "public"."verify_api_key"(text, text) IS 'Checks a key and, when it is given, a scope. PT401, PT403.';

REVOKE ALL ON FUNCTION "public"."average_day_ratings"(text, text[], timestamp with time zone, timestamp with time zone, text, uuid, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."average_day_ratings"(text, text[], timestamp with time zone, timestamp with time zone, text, uuid, integer) TO "service_role";

REVOKE ALL ON FUNCTION "public"."count_activity"(text, text[], timestamp with time zone, timestamp with time zone, text, uuid, uuid, uuid, uuid, uuid, text[], integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."count_activity"(text, text[], timestamp with time zone, timestamp with time zone, text, uuid, uuid, uuid, uuid, uuid, text[], integer) TO "service_role";

REVOKE ALL ON FUNCTION "public"."list_api_keys"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."list_api_keys"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."note_refused_use"(text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."note_refused_use"(text, text, text) TO "service_role";

REVOKE ALL ON FUNCTION "public"."replace_api_key"(uuid, interval, timestamp with time zone, text[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."replace_api_key"(uuid, interval, timestamp with time zone, text[]) TO "authenticated", "postgres";

revoke create on schema public from public_api;
