set lock_timeout = '2s';
set statement_timeout = '60s';

set local check_function_bodies = off;

grant create on schema public to public_api;

REVOKE ALL ON TABLE "app"."category_names" FROM "public_api";

REVOKE ALL ("default_language") ON TABLE "app"."companies" FROM "public_api";

DROP POLICY "api_read" ON "app"."category_names";

DROP VIEW "api"."members";

DROP FUNCTION "app"."append_columns"(json, json, text[]);

DROP FUNCTION "app"."category_names_by_id"(uuid);

DROP FUNCTION "app"."include_in_activity"(json, uuid, text[]);

DROP FUNCTION "app"."include_in_day_ratings"(json, uuid, text[]);

DROP FUNCTION "app"."include_in_pulse_responses"(json, uuid, text[]);

DROP FUNCTION "app"."include_in_rewards"(json, uuid, text[]);

DROP FUNCTION "public"."list_activity"(text, integer, timestamp with time zone, timestamp with time zone, uuid, uuid, uuid, uuid, text[]);

DROP FUNCTION "public"."list_categories"(text, integer, uuid);

DROP FUNCTION "public"."list_day_ratings"(text, integer, timestamp with time zone, timestamp with time zone, uuid, uuid, text[]);

DROP FUNCTION "public"."list_members"(text, integer, uuid, text, uuid, text);

DROP FUNCTION "public"."list_pulse_responses"(text, integer, timestamp with time zone, timestamp with time zone, uuid, text[]);

DROP FUNCTION "public"."list_rewards"(text, integer, boolean, uuid, text[], text);

DROP FUNCTION "public"."list_teams"(text, integer, uuid);

DROP FUNCTION "public"."read_activity"(text, integer, timestamp with time zone, timestamp with time zone, uuid, uuid, uuid, uuid, text[]);

DROP FUNCTION "public"."read_categories"(text, integer, uuid);

DROP FUNCTION "public"."read_day_ratings"(text, integer, timestamp with time zone, timestamp with time zone, uuid, uuid, text[]);

DROP FUNCTION "public"."read_members"(text, integer, uuid, text, uuid, text);

DROP FUNCTION "public"."read_pulse_responses"(text, integer, timestamp with time zone, timestamp with time zone, uuid, text[]);

DROP FUNCTION "public"."read_rewards"(text, integer, boolean, uuid, text[], text);

DROP FUNCTION "public"."read_teams"(text, integer, uuid);

CREATE OR REPLACE FUNCTION app.page_headers()
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN '[{"X-Key-Id":"%s"},{"X-Company-Id":"%s"},{"X-Row-Count":"%s"},{"X-Has-More":"%s"},{"X-Next":"%s"},{"X-Next-Page":"%s"}]'::text;

CREATE OR REPLACE FUNCTION app.plain(text text)
 RETURNS text
 LANGUAGE sql
 STABLE
 SET search_path TO ''
BEGIN ATOMIC
 SELECT lower(extensions.unaccent(text)) AS lower;
END;

CREATE OR REPLACE FUNCTION public.list_activity(key_hash text, max_rows integer, since timestamp with time zone DEFAULT '-infinity'::timestamp with time zone, until timestamp with time zone DEFAULT 'infinity'::timestamp with time zone, category_id uuid DEFAULT NULL::uuid, sender_id uuid DEFAULT NULL::uuid, receiver_id uuid DEFAULT NULL::uuid, starting_after uuid DEFAULT NULL::uuid, include text[] DEFAULT NULL::text[], after_time timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS json
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
 RETURNS json
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

CREATE OR REPLACE FUNCTION public.list_day_ratings(key_hash text, max_rows integer, since timestamp with time zone DEFAULT '-infinity'::timestamp with time zone, until timestamp with time zone DEFAULT 'infinity'::timestamp with time zone, team_id uuid DEFAULT NULL::uuid, starting_after uuid DEFAULT NULL::uuid, include text[] DEFAULT NULL::text[], after_time timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS json
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
 RETURNS json
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
 RETURNS json
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
 RETURNS json
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
 RETURNS json
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

CREATE OR REPLACE FUNCTION public.read_activity(key_hash text, max_rows integer, since timestamp with time zone DEFAULT '-infinity'::timestamp with time zone, until timestamp with time zone DEFAULT 'infinity'::timestamp with time zone, category_id uuid DEFAULT NULL::uuid, sender_id uuid DEFAULT NULL::uuid, receiver_id uuid DEFAULT NULL::uuid, starting_after uuid DEFAULT NULL::uuid, include text[] DEFAULT NULL::text[], after_time timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS json
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET jit TO 'off'
 SET statement_timeout TO '2s'
AS $function$select app.from_replica(public.list_activity(key_hash, max_rows, since, until, category_id, sender_id, receiver_id, starting_after, include, after_time))$function$;

REVOKE ALL ON FUNCTION public.read_activity FROM PUBLIC, anon, authenticated, service_role;

ALTER FUNCTION "public"."read_activity"(text, integer, timestamp with time zone, timestamp with time zone, uuid, uuid, uuid, uuid, text[], timestamp with time zone) OWNER TO "public_api";

CREATE OR REPLACE FUNCTION public.read_categories(key_hash text, max_rows integer, starting_after uuid DEFAULT NULL::uuid, after_time timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS json
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET jit TO 'off'
 SET statement_timeout TO '2s'
AS $function$select app.from_replica(public.list_categories(key_hash, max_rows, starting_after, after_time))$function$;

REVOKE ALL ON FUNCTION public.read_categories FROM PUBLIC, anon, authenticated, service_role;

ALTER FUNCTION "public"."read_categories"(text, integer, uuid, timestamp with time zone) OWNER TO "public_api";

CREATE OR REPLACE FUNCTION public.read_day_ratings(key_hash text, max_rows integer, since timestamp with time zone DEFAULT '-infinity'::timestamp with time zone, until timestamp with time zone DEFAULT 'infinity'::timestamp with time zone, team_id uuid DEFAULT NULL::uuid, starting_after uuid DEFAULT NULL::uuid, include text[] DEFAULT NULL::text[], after_time timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS json
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET jit TO 'off'
 SET statement_timeout TO '2s'
AS $function$select app.from_replica(public.list_day_ratings(key_hash, max_rows, since, until, team_id, starting_after, include, after_time))$function$;

REVOKE ALL ON FUNCTION public.read_day_ratings FROM PUBLIC, anon, authenticated, service_role;

ALTER FUNCTION "public"."read_day_ratings"(text, integer, timestamp with time zone, timestamp with time zone, uuid, uuid, text[], timestamp with time zone) OWNER TO "public_api";

CREATE OR REPLACE FUNCTION public.read_members(key_hash text, max_rows integer, team_id uuid DEFAULT NULL::uuid, role text DEFAULT NULL::text, starting_after uuid DEFAULT NULL::uuid, email text DEFAULT NULL::text, name text DEFAULT NULL::text, after_time timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS json
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET jit TO 'off'
 SET statement_timeout TO '2s'
AS $function$select app.from_replica(public.list_members(key_hash, max_rows, team_id, role, starting_after, email, name, after_time))$function$;

REVOKE ALL ON FUNCTION public.read_members FROM PUBLIC, anon, authenticated, service_role;

ALTER FUNCTION "public"."read_members"(text, integer, uuid, text, uuid, text, text, timestamp with time zone) OWNER TO "public_api";

CREATE OR REPLACE FUNCTION public.read_pulse_responses(key_hash text, max_rows integer, since timestamp with time zone DEFAULT '-infinity'::timestamp with time zone, until timestamp with time zone DEFAULT 'infinity'::timestamp with time zone, starting_after uuid DEFAULT NULL::uuid, include text[] DEFAULT NULL::text[], after_time timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS json
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET jit TO 'off'
 SET statement_timeout TO '2s'
AS $function$select app.from_replica(public.list_pulse_responses(key_hash, max_rows, since, until, starting_after, include, after_time))$function$;

REVOKE ALL ON FUNCTION public.read_pulse_responses FROM PUBLIC, anon, authenticated, service_role;

ALTER FUNCTION "public"."read_pulse_responses"(text, integer, timestamp with time zone, timestamp with time zone, uuid, text[], timestamp with time zone) OWNER TO "public_api";

CREATE OR REPLACE FUNCTION public.read_rewards(key_hash text, max_rows integer, include_archived boolean DEFAULT false, starting_after uuid DEFAULT NULL::uuid, include text[] DEFAULT NULL::text[], external_id text DEFAULT NULL::text, after_time timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS json
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET jit TO 'off'
 SET statement_timeout TO '2s'
AS $function$select app.from_replica(public.list_rewards(key_hash, max_rows, include_archived, starting_after, include, external_id, after_time))$function$;

REVOKE ALL ON FUNCTION public.read_rewards FROM PUBLIC, anon, authenticated, service_role;

ALTER FUNCTION "public"."read_rewards"(text, integer, boolean, uuid, text[], text, timestamp with time zone) OWNER TO "public_api";

CREATE OR REPLACE FUNCTION public.read_teams(key_hash text, max_rows integer, starting_after uuid DEFAULT NULL::uuid, after_time timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS json
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET jit TO 'off'
 SET statement_timeout TO '2s'
AS $function$select app.from_replica(public.list_teams(key_hash, max_rows, starting_after, after_time))$function$;

REVOKE ALL ON FUNCTION public.read_teams FROM PUBLIC, anon, authenticated, service_role;

ALTER FUNCTION "public"."read_teams"(text, integer, uuid, timestamp with time zone) OWNER TO "public_api";

CREATE VIEW "api"."members" WITH (security_invoker=true) AS  SELECT m.company_id,
    m.created_at AS instant,
    m.changed_in,
    m.id,
    m.name,
    m.email,
    m.role,
    m.team_id,
    COALESCE(team.name, 'No Team'::text) AS team_name,
    to_char((m.created_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'::text) AS created_at,
    lower(extensions.unaccent(m.name)) AS plain_name
   FROM (app.members m
     LEFT JOIN LATERAL ( SELECT t.name
           FROM app.teams t
          WHERE ((t.company_id = m.company_id) AND (t.id = m.team_id))
         OFFSET 0) team ON (true))
  WHERE (NOT m.is_former);;

COMMENT ON FUNCTION "app"."list_headers"() IS 'The response.headers of changes and totals, for format(): the ids of key and company, the number of rows, true or false for whether there are more, the cursor of the last row.';

COMMENT ON FUNCTION "app"."page_headers"() IS 'The response.headers of a list, for format(): as app.list_headers with the id of the last row, then its time and id.';

COMMENT ON FUNCTION "app"."plain"(text) IS 'A text in lower case and without accents.';

COMMENT ON FUNCTION "public"."list_activity"(text, integer, timestamp with time zone, timestamp with time zone, uuid, uuid, uuid, uuid, text[], timestamp with time zone) IS 'Kudos with sender, recipient and category: the rows of the key''s company, newest first, as a JSON array. read:activity. PT400, PT401, PT403, PT429.';

COMMENT ON FUNCTION "public"."list_categories"(text, integer, uuid, timestamp with time zone) IS 'What kudos are given for: the rows of the key''s company, newest first, as a JSON array. read:activity. PT400, PT401, PT403, PT429.';

COMMENT ON FUNCTION "public"."list_day_ratings"(text, integer, timestamp with time zone, timestamp with time zone, uuid, uuid, text[], timestamp with time zone) IS 'How days were rated, by team: the rows of the key''s company, newest first, as a JSON array. read:analytics. PT400, PT401, PT403, PT429.';

COMMENT ON FUNCTION "public"."list_members"(text, integer, uuid, text, uuid, text, text, timestamp with time zone) IS 'People, their roles and teams: the rows of the key''s company, newest first, as a JSON array. read:members. PT400, PT401, PT403, PT429.';

COMMENT ON FUNCTION "public"."list_pulse_responses"(text, integer, timestamp with time zone, timestamp with time zone, uuid, text[], timestamp with time zone) IS 'Answers to pulse surveys: the rows of the key''s company, newest first, as a JSON array. read:analytics. PT400, PT401, PT403, PT429.';

COMMENT ON FUNCTION "public"."list_rewards"(text, integer, boolean, uuid, text[], text, timestamp with time zone) IS 'The reward catalogue: the rows of the key''s company, newest first, as a JSON array. read:rewards. PT400, PT401, PT403, PT429.';

COMMENT ON FUNCTION "public"."list_teams"(text, integer, uuid, timestamp with time zone) IS 'The teams that people are in: the rows of the key''s company, newest first, as a JSON array. read:members. PT400, PT401, PT403, PT429.';

COMMENT ON FUNCTION "public"."read_activity"(text, integer, timestamp with time zone, timestamp with time zone, uuid, uuid, uuid, uuid, text[], timestamp with time zone) IS 'public.list_activity, at a read replica. PT503 too.';

COMMENT ON FUNCTION "public"."read_categories"(text, integer, uuid, timestamp with time zone) IS 'public.list_categories, at a read replica. PT503 too.';

COMMENT ON FUNCTION "public"."read_day_ratings"(text, integer, timestamp with time zone, timestamp with time zone, uuid, uuid, text[], timestamp with time zone) IS 'public.list_day_ratings, at a read replica. PT503 too.';

COMMENT ON FUNCTION "public"."read_members"(text, integer, uuid, text, uuid, text, text, timestamp with time zone) IS 'public.list_members, at a read replica. PT503 too.';

COMMENT ON FUNCTION "public"."read_pulse_responses"(text, integer, timestamp with time zone, timestamp with time zone, uuid, text[], timestamp with time zone) IS 'public.list_pulse_responses, at a read replica. PT503 too.';

COMMENT ON FUNCTION "public"."read_rewards"(text, integer, boolean, uuid, text[], text, timestamp with time zone) IS 'public.list_rewards, at a read replica. PT503 too.';

COMMENT ON FUNCTION "public"."read_teams"(text, integer, uuid, timestamp with time zone) IS 'public.list_teams, at a read replica. PT503 too.';

COMMENT ON VIEW "api"."members" IS 'Members (docs/api.md, Members).';

REVOKE ALL ON FUNCTION "app"."plain"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."plain"(text) TO "postgres", "public_api";

REVOKE ALL ON FUNCTION "public"."list_activity"(text, integer, timestamp with time zone, timestamp with time zone, uuid, uuid, uuid, uuid, text[], timestamp with time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."list_activity"(text, integer, timestamp with time zone, timestamp with time zone, uuid, uuid, uuid, uuid, text[], timestamp with time zone) TO "service_role";

REVOKE ALL ON FUNCTION "public"."list_categories"(text, integer, uuid, timestamp with time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."list_categories"(text, integer, uuid, timestamp with time zone) TO "service_role";

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

REVOKE ALL ON FUNCTION "public"."read_activity"(text, integer, timestamp with time zone, timestamp with time zone, uuid, uuid, uuid, uuid, text[], timestamp with time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."read_activity"(text, integer, timestamp with time zone, timestamp with time zone, uuid, uuid, uuid, uuid, text[], timestamp with time zone) TO "service_role";

REVOKE ALL ON FUNCTION "public"."read_categories"(text, integer, uuid, timestamp with time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."read_categories"(text, integer, uuid, timestamp with time zone) TO "service_role";

REVOKE ALL ON FUNCTION "public"."read_day_ratings"(text, integer, timestamp with time zone, timestamp with time zone, uuid, uuid, text[], timestamp with time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."read_day_ratings"(text, integer, timestamp with time zone, timestamp with time zone, uuid, uuid, text[], timestamp with time zone) TO "service_role";

REVOKE ALL ON FUNCTION "public"."read_members"(text, integer, uuid, text, uuid, text, text, timestamp with time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."read_members"(text, integer, uuid, text, uuid, text, text, timestamp with time zone) TO "service_role";

REVOKE ALL ON FUNCTION "public"."read_pulse_responses"(text, integer, timestamp with time zone, timestamp with time zone, uuid, text[], timestamp with time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."read_pulse_responses"(text, integer, timestamp with time zone, timestamp with time zone, uuid, text[], timestamp with time zone) TO "service_role";

REVOKE ALL ON FUNCTION "public"."read_rewards"(text, integer, boolean, uuid, text[], text, timestamp with time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."read_rewards"(text, integer, boolean, uuid, text[], text, timestamp with time zone) TO "service_role";

REVOKE ALL ON FUNCTION "public"."read_teams"(text, integer, uuid, timestamp with time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."read_teams"(text, integer, uuid, timestamp with time zone) TO "service_role";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "api"."members" TO "postgres";

GRANT SELECT ON TABLE "api"."members" TO "public_api";

revoke create on schema public from public_api;
