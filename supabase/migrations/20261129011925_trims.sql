set lock_timeout = '2s';
set statement_timeout = '60s';

set local check_function_bodies = off;

grant create on schema public to public_api;

COMMENT ON COLUMN "app"."deletions"."relation" IS NULL;

COMMENT ON FUNCTION "app"."admit"(text, text) IS NULL;

COMMENT ON FUNCTION "app"."api_key_checksum"(text) IS NULL;

COMMENT ON FUNCTION "app"."authenticate"(text, text) IS NULL;

COMMENT ON FUNCTION "app"."begin_load"(uuid, text) IS NULL;

COMMENT ON FUNCTION "app"."cell_checks"() IS NULL;

COMMENT ON FUNCTION "app"."change_api_key"() IS NULL;

COMMENT ON FUNCTION "app"."check_api_key_name"(text) IS NULL;

COMMENT ON FUNCTION "app"."count_day"(integer[], date, integer) IS NULL;

COMMENT ON FUNCTION "app"."current_admin"() IS NULL;

COMMENT ON FUNCTION "app"."current_company_id"() IS NULL;

COMMENT ON FUNCTION "app"."empty_staging"() IS NULL;

COMMENT ON FUNCTION "app"."end_page"(uuid, uuid, bigint, integer, text) IS NULL;

COMMENT ON FUNCTION "app"."fewest_people"(uuid) IS NULL;

COMMENT ON FUNCTION "app"."forget_deletions"(uuid, regclass) IS NULL;

COMMENT ON FUNCTION "app"."hidden_teams"(uuid) IS NULL;

COMMENT ON FUNCTION "app"."hide_some"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "app"."hide_teams"() IS NULL;

COMMENT ON FUNCTION "app"."is_time_up"(double precision) IS NULL;

COMMENT ON FUNCTION "app"."keep_changes"(regclass) IS NULL;

COMMENT ON FUNCTION "app"."keep_hidden"() IS NULL;

COMMENT ON FUNCTION "app"."kept_tables"() IS NULL;

COMMENT ON FUNCTION "app"."link_member"() IS NULL;

COMMENT ON FUNCTION "app"."loaded_columns"() IS NULL;

COMMENT ON FUNCTION "app"."loaded_files"() IS NULL;

COMMENT ON FUNCTION "app"."make_api_key"() IS NULL;

COMMENT ON FUNCTION "app"."mark_answers"() IS NULL;

COMMENT ON FUNCTION "app"."may_note"(timestamp with time zone, text, text) IS NULL;

COMMENT ON FUNCTION "app"."name_categories"(uuid, uuid[]) IS NULL;

COMMENT ON FUNCTION "app"."note_use"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "app"."oldest_write"() IS NULL;

COMMENT ON FUNCTION "app"."record_deletions"() IS NULL;

COMMENT ON FUNCTION "app"."record_old_id"() IS NULL;

COMMENT ON FUNCTION "app"."refuse_change"() IS NULL;

COMMENT ON FUNCTION "app"."repeated_cells_query"(text) IS NULL;

COMMENT ON FUNCTION "app"."respond"(uuid, uuid, json) IS NULL;

COMMENT ON FUNCTION "app"."rows_of_others"(uuid) IS NULL;

COMMENT ON FUNCTION "app"."serve_keys"(regprocedure, boolean) IS NULL;

COMMENT ON FUNCTION "app"."signed_in_member"() IS NULL;

COMMENT ON FUNCTION "app"."staging_problems"(uuid) IS NULL;

COMMENT ON FUNCTION "app"."take_turn_of_total"(uuid, uuid) IS NULL;

COMMENT ON FUNCTION "app"."unknown_ids_query"(text) IS NULL;

COMMENT ON FUNCTION "app"."wants_second_factor"() IS NULL;

COMMENT ON FUNCTION "lists"."only"(text[], text[], json) IS NULL;

COMMENT ON FUNCTION "lists"."rarest_member_filter"(uuid, uuid, text) IS NULL;

COMMENT ON PROCEDURE "app"."forget_all_deletions"(bigint) IS NULL;

COMMENT ON TABLE "app"."api_key_events" IS NULL;

COMMENT ON TABLE "app"."api_key_uses" IS NULL;

COMMENT ON TABLE "app"."cursor_key" IS NULL;

COMMENT ON TABLE "app"."forgotten_deletions" IS NULL;

COMMENT ON TABLE "app"."member_accounts" IS NULL;

COMMENT ON TYPE "lists"."page" IS NULL;

DROP TRIGGER "begin_changes" ON "app"."companies";

DROP TRIGGER "end_changes" ON "app"."companies";

DROP FUNCTION "app"."end_changes"();

DROP FUNCTION "app"."note_refused_use"(text, text);

DROP FUNCTION "app"."overdue"(text);

DROP FUNCTION "public"."note_refused_use"(text, text);

DROP TYPE "app"."overdue_rows";

ALTER TABLE "app"."api_key_uses" ADD COLUMN "forbidden_reason" text;

CREATE OR REPLACE FUNCTION app.begin_changes()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if tg_op = 'DELETE' then
    delete from app.deletions as d where d.company_id = old.id;
  else
    perform app.forget_cursors(new.id);
  end if;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION app.insert_api_key(name text, scopes text[], expires_at timestamp with time zone)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  created json;
begin
  -- Null for no scopes, 2 for an array of arrays.
  if array_ndims(scopes) is distinct from 1 or not scopes <@ app.scopes()
    or cardinality(scopes) > (select count(distinct scope) from unnest(scopes) as scope) then
    raise exception using errcode = 'PT400', hint = 'scopes',
      message = 'scopes must be one or more of ' || array_to_string(app.scopes(), ', ') || ', each once';
  end if;
  perform app.check_api_key_name(name);
  if expires_at <= now() or expires_at >= '10000-01-01Z' then
    raise exception using errcode = 'PT400', hint = 'expires_at',
      message = 'expires_at must be in the future, before the year 10000';
  end if;

  insert into app.api_keys as k (name, scopes, expires_at)
  values (insert_api_key.name, insert_api_key.scopes, insert_api_key.expires_at)
  returning json_build_object(
    'id', k.id,
    'name', k.name,
    'api_key', current_setting('app.new_api_key'),
    'hint', k.hint,
    'scopes', k.scopes,
    'created_at', app.iso_8601(k.created_at),
    'expires_at', app.iso_8601(k.expires_at)
  ) into created;
  perform set_config('app.new_api_key', '', true);
  return created;
end
$function$;

CREATE OR REPLACE FUNCTION app.note_refused_use(key_hash text, missing_scope text, reason text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
declare
  headers constant json := nullif(current_setting('request.headers', true), '');
  endpoint constant text := left(headers ->> 'x-endpoint', 60);
  client constant text := left(headers ->> 'x-client', 60);
  today constant date := (now() at time zone 'UTC')::date;
  is_dead constant boolean := coalesce(missing_scope, reason) is null;
  refused record;
begin
  if current_setting('default_transaction_read_only')::boolean then
    return false;
  end if;
  select u.company_id, u.key_id,
    -- As in app.note_use.
    app.count_day(u.answers, u.counted_on, 0) as answers,
    app.count_day(u.refusals, u.counted_on,
      app.may_note(case when is_dead then u.refused_at else u.forbidden_at end)::integer) as refusals
  into refused
  from app.api_key_uses as u
  join app.api_keys as k on k.company_id = u.company_id and k.id = u.key_id
  join app.companies as c on c.id = k.company_id
  where k.key_hash = decode(note_refused_use.key_hash, 'hex') and c.serving = 'open'
    and case when k.revoked_at is not null or k.expires_at <= now()
      then is_dead and app.may_note(u.refused_at, u.refused_endpoint, endpoint)
      when reason is not null then u.forbidden_reason is null or app.may_note(u.forbidden_at)
      else missing_scope <> all (k.scopes) and missing_scope = any (app.scopes())
        and app.may_note(u.forbidden_at, u.forbidden_endpoint, endpoint) end
  for update of u skip locked;
  if not found then
    return false;
  end if;
  if is_dead then
    update app.api_key_uses as u
    set refused_at = now(), refused_endpoint = endpoint, refused_client = client,
      answers = refused.answers, refusals = refused.refusals, counted_on = today
    where u.company_id = refused.company_id and u.key_id = refused.key_id;
  else
    update app.api_key_uses as u
    set forbidden_at = now(), forbidden_endpoint = endpoint, forbidden_scope = missing_scope, forbidden_client = client,
      forbidden_reason = left(reason, 300), answers = refused.answers, refusals = refused.refusals, counted_on = today
    where u.company_id = refused.company_id and u.key_id = refused.key_id;
  end if;
  return true;
end
$function$;

CREATE OR REPLACE FUNCTION app.note_use(company_id uuid, key_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
 SET enable_seqscan TO 'off'
AS $function$
declare
  headers constant json := nullif(current_setting('request.headers', true), '');
  is_check constant boolean := coalesce(headers ->> 'x-quick-check' = 'true', false);
  client constant text := left(headers ->> 'x-client', 60);
  today constant date := (now() at time zone 'UTC')::date;
  noted record;
begin
  if current_setting('default_transaction_read_only')::boolean or pg_is_in_recovery() then
    return;
  end if;
  select u.company_id, u.key_id into noted from app.api_key_uses as u
  where u.company_id = note_use.company_id and u.key_id = note_use.key_id and case when is_check
    then app.may_note(u.checked_at) else app.may_note(u.last_used_at, u.last_endpoint, headers ->> 'x-endpoint') end
  for update skip locked;
  if not found then
    return;
  elsif is_check then
    update app.api_key_uses as u set checked_at = now(), checked_client = client
    where u.company_id = noted.company_id and u.key_id = noted.key_id;
  else
    update app.api_key_uses as u set
      last_used_at = now(),
      last_endpoint = left(headers ->> 'x-endpoint', 60),
      last_client = client,
      used_on = case u.used_on[cardinality(u.used_on)] when today then u.used_on else array(
        select distinct day from unnest(u.used_on || today) as day where day between today - 29 and today order by day
      ) end,
      -- What takes the minute of GET / has been counted with it.
      answers = app.count_day(u.answers, u.counted_on, app.may_note(u.last_used_at)::integer),
      refusals = app.count_day(u.refusals, u.counted_on, 0),
      counted_on = today,
      -- An import: what was wrong with the one before is over.
      forbidden_reason = case when u.forbidden_endpoint <> headers ->> 'x-endpoint' then u.forbidden_reason end
    where u.company_id = noted.company_id and u.key_id = noted.key_id;
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION app.overdue(relation text)
 RETURNS TABLE(company_id uuid, before timestamp with time zone, late interval)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_sort TO 'off'
AS $function$
begin
  return query execute format(
    'select c.id, t.before, t.before - o.oldest
     from app.companies as c
     cross join lateral (select now() - c.retention as before) as t
     cross join lateral (select min(r.created_at) as oldest from app.%I as r where r.company_id = c.id) as o
     where c.retention is not null and c.serving <> ''moving'' and o.oldest < t.before',
    relation
  );
end
$function$;

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

CREATE OR REPLACE PROCEDURE app.purge_expired()
 LANGUAGE plpgsql
AS $procedure$
declare
  share constant double precision := 0.375;
  turn constant bigint := 100000;
  tables constant text[] := array['kudos', 'day_ratings', 'pulse_responses'];
  list record;
  deleted bigint;
  failure text;
  failure_code text;
  total bigint := 0;
  purged integer := 0;
  -- Companies, and tables of companies, that were tried in vain; and tables that somebody has locked.
  failed text[] := '{}';
  locked text[] := '{}';
  failures text[] := '{}';
  is_rest boolean := true;
  rest integer := 0;
  unreached bigint;
begin
  while is_rest and not app.is_time_up(share) loop
    is_rest := false;
    rest := 0;
    locked := locked || array(select t from unnest(tables) as t where t <> all (locked) and not app.is_unlocked(t));
    for list in
      select t.relation, o.* from unnest(tables) as t (relation) cross join lateral app.overdue(t.relation) as o
      where t.relation <> all (locked) order by o.late desc
    loop
      -- A company whose lock was waited for once.
      continue when failed && array[list.company_id::text, list.company_id || ' ' || list.relation]
        or list.relation = any (locked);
      if app.is_time_up(share) then
        rest := rest + 1;
        continue;
      end if;
      if not app.is_unlocked(list.relation) then
        locked := locked || list.relation;
        continue;
      end if;
      call app.purge_table(
        list.company_id, list.before, list.relation, turn, share, deleted, failure, failure_code
      );
      total := total + deleted;
      is_rest := is_rest or deleted >= turn;
      if failure_code = 'query_canceled' then
        rest := rest + 1;
      elsif failure is not null then
        failed := failed || concat_ws(' ', list.company_id, case when failure_code <> '55P03' then list.relation end);
        failures := failures || format('%s: %s: %s rows deleted, then: %s', list.company_id, list.relation, deleted, failure);
      elsif deleted > 0 then
        purged := purged + 1;
        raise notice '%: %: % rows deleted', list.company_id, list.relation, deleted;
      end if;
    end loop;
  end loop;
  raise notice '% rows deleted', total;
  call app.forget_all_deletions(unreached);
  if failures <> '{}' or locked <> '{}' or is_rest or rest + unreached > 0 then
    raise exception using
      message = concat_ws(
        '; ',
        format('%s rows deleted', total),
        cardinality(nullif(failures, '{}')) || format(' of %s purges failed', cardinality(failures) + purged),
        'locked by somebody, and left: ' || nullif(array_to_string(locked, ', '), ''),
        case when is_rest or rest + unreached > 0 then format(
          'statement_timeout leaves no time for the rest, which comes first in the next call '
            '(%s tables of companies, %s lists of recorded deletions)',
          greatest(rest, is_rest::integer), unreached
        ) end
      ),
      detail = concat_ws(
        E'\n', array_to_string(failures[:10], E'\n'),
        case when cardinality(failures) > 10 then format('and %s more', cardinality(failures) - 10) end
      );
  end if;
end
$procedure$;

CREATE TRIGGER begin_changes AFTER INSERT OR DELETE ON app.companies FOR EACH ROW EXECUTE FUNCTION app.begin_changes();

COMMENT ON COLUMN "app"."api_key_uses"."forbidden_at" IS 'When the key, a good one, was last refused: it lacks a scope (403), or an import was wrong; as for refused_at.';

COMMENT ON COLUMN "app"."api_key_uses"."forbidden_reason" IS 'What was wrong with the last import, never a value of it, such as: points_cost must be a number of 0 or more.';

COMMENT ON COLUMN "app"."api_key_uses"."refusals" IS 'The same of refusals, as in refused_at and forbidden_at.';

COMMENT ON COLUMN "app"."companies"."move_id" IS 'Its last move, the same at both its ends; null when it has never moved.';

COMMENT ON FUNCTION "app"."begin_changes"() IS 'Trigger: invalidates the cursors of an earlier company with the same id; removes the deletions of a deleted one.';

COMMENT ON FUNCTION "app"."forget_cursors"(uuid, text) IS 'Invalidates the cursors given so far (410), of one company or all, of one table or all: copies begin again.';

COMMENT ON FUNCTION "app"."insert_api_key"(text, text[], timestamp with time zone) IS 'Makes an API key and returns it as public.create_api_key does. PT400.';

COMMENT ON FUNCTION "app"."requests_at_once"() IS 'How many requests of one company run in the database at the same moment. More get PT429. For operators to replace.';

COMMENT ON FUNCTION "app"."revoke_key"(text, text) IS 'Revokes the key with this id or these last four characters, for good, as the operator. Its admins read the reason.';

COMMENT ON FUNCTION "app"."totals_at_once"() IS 'How many totals run in the database at the same moment, one of a company. More get PT429. For operators to replace.';

COMMENT ON FUNCTION "public"."average_day_ratings"(text, text[], timestamp with time zone, timestamp with time zone, text, uuid, integer) IS 'Number and average of day ratings, by what by names. read:analytics. PT401, PT403, PT429.';

COMMENT ON FUNCTION "public"."list_categories"(text, integer, uuid, timestamp with time zone) IS 'Categories, newest first. read:activity. PT400, PT401, PT403, PT429.';

COMMENT ON FUNCTION "public"."list_day_ratings"(text, integer, timestamp with time zone, timestamp with time zone, uuid, uuid, text[], timestamp with time zone) IS 'Day ratings, newest first. read:analytics. PT400, PT401, PT403, PT429.';

COMMENT ON FUNCTION "public"."list_members"(text, integer, uuid, text, uuid, text, text, timestamp with time zone) IS 'Members, newest first. read:members. PT400, PT401, PT403, PT429.';

COMMENT ON FUNCTION "public"."list_pulse_responses"(text, integer, timestamp with time zone, timestamp with time zone, uuid, text[], timestamp with time zone) IS 'Pulse answers, newest first. read:analytics. PT400, PT401, PT403, PT429.';

COMMENT ON FUNCTION "public"."list_rewards"(text, integer, boolean, uuid, text[], text, timestamp with time zone) IS 'Rewards, newest first. read:rewards. PT400, PT401, PT403, PT429.';

COMMENT ON FUNCTION "public"."list_teams"(text, integer, uuid, timestamp with time zone) IS 'Teams, newest first. read:members. PT400, PT401, PT403, PT429.';

COMMENT ON FUNCTION "public"."note_refused_use"(text, text, text) IS 'For the Edge Function, after a 401, a 403, or a refused import: app.note_refused_use. Returns true or false.';

COMMENT ON FUNCTION "public"."upsert_rewards"(text, text, boolean) IS 'Creates or updates rewards by external_id. write:rewards. PT401, PT403, PT429; 25006 if the database is read-only.';

COMMENT ON FUNCTION "public"."verify_api_key"(text, text) IS 'Checks a key and, when it is given, a scope. PT401, PT403.';

COMMENT ON PROCEDURE "app"."purge_before"(uuid, timestamp with time zone) IS 'Deletes the kudos, day ratings and pulse answers of a company from before a time. Commits after every 2,000 rows.';

COMMENT ON PROCEDURE "app"."purge_expired"() IS 'Deletes kudos, day ratings and pulse answers older than the retention of their company, then recorded deletions.';

COMMENT ON PROCEDURE "app"."purge_table"(uuid, timestamp with time zone, text, bigint, double precision, bigint, text, text) IS 'Deletes old rows of a table, about at_most, until this share of the time is over. Returns how many, and the error.';

REVOKE ALL ON FUNCTION "app"."note_refused_use"(text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."note_refused_use"(text, text, text) TO "postgres", "public_api";

REVOKE ALL ON FUNCTION "app"."overdue"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."overdue"(text) TO "postgres";

REVOKE ALL ON FUNCTION "public"."note_refused_use"(text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."note_refused_use"(text, text, text) TO "service_role";

revoke create on schema public from public_api;
