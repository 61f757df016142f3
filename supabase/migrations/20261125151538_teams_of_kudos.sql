set lock_timeout = '2s';
set statement_timeout = '60s';

set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION app.changing_lists()
 RETURNS TABLE(list text, scope text, relation text, rows text, view text, columns text, included text[])
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
 SET jit TO 'off'
AS $function$
  values
    ('members', 'read:members', 'members', 'from app.members as t where not t.is_former', 'from api.members as v',
      'v.name, v.email, v.role, v.team_id, v.team_name, v.created_at', '{}'::text[]),
    ('teams', 'read:members', 'teams', 'from app.teams as t where true', 'from api.teams as v',
      'v.name, v.created_at', '{}'),
    ('activity', 'read:activity', 'kudos', 'from app.kudos as t where true', 'from api.activity as v',
      'v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message,
      coalesce((select app.category_names_by_id($1)) ->> v.category_id::text, '''') as category',
      '{sender_id,receiver_id,category_id,sender_team_id,sender_team_name,receiver_team_id,receiver_team_name}'),
    ('categories', 'read:activity', 'categories', 'from app.categories as t where true', 'from api.categories as v',
      'coalesce((select app.category_names_by_id($1)) ->> v.id::text, '''') as name, v.created_at', '{}'),
    ('rewards', 'read:rewards', 'rewards', 'from app.rewards as t where true', 'from api.rewards as v',
      'v.name, v.description, v.points_cost, v.reward_type, v.stock_count, v.image_url, v.vendor_name, v.is_archived, v.created_at',
      '{external_id}'),
    ('day-ratings', 'read:analytics', 'day_ratings', 'from app.day_ratings as t where true', 'from api.day_ratings as v',
      'v.rating, v.comment, v.team_id, v.points_awarded, v.created_at',
      '{team_name}'),
    ('pulse-responses', 'read:analytics', 'pulse_responses', 'from app.pulse_responses as t where true', 'from api.pulse_responses as v',
      'v."timestamp", v.question, v.response_type, v.value, v.comment',
      '{question_id}')
$function$;

CREATE OR REPLACE FUNCTION public.list_activity(key_hash text, max_rows integer, since timestamp with time zone DEFAULT '-infinity'::timestamp with time zone, until timestamp with time zone DEFAULT 'infinity'::timestamp with time zone, category_id uuid DEFAULT NULL::uuid, sender_id uuid DEFAULT NULL::uuid, receiver_id uuid DEFAULT NULL::uuid, starting_after uuid DEFAULT NULL::uuid, include text[] DEFAULT NULL::text[])
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
  ids uuid[];
  found_rows integer;
  page json;
  headers text;
  -- The page begins below this pair of instant and id (docs/api.md, Lists).
  below_instant timestamptz := until + interval '1 microsecond';
  below_id uuid := uuid '00000000-0000-0000-0000-000000000000';
  after_instant timestamptz;
  lead_by text;
  with_teams boolean := include && array['sender_team_id', 'sender_team_name', 'receiver_team_id', 'receiver_team_name'];
  missing text;
begin
  if not (
    row_security_active('app.kudos'::regclass) and row_security_active('app.members'::regclass)
    and row_security_active('app.category_names'::regclass) and row_security_active('app.companies'::regclass)
    and row_security_active('app.teams'::regclass)
  ) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:activity');

  if starting_after is not null then
    select k.created_at into after_instant from app.kudos as k where k.company_id = api_key.company_id and k.id = starting_after;
    if not found then
      perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
    end if;
    if (after_instant, starting_after) < (below_instant, below_id) then
      below_instant := after_instant;
      below_id := starting_after;
    end if;
  end if;

  if num_nonnulls(sender_id, receiver_id, category_id) > 0 then
    lead_by := app.rarest_kudos_filter(api_key.company_id, since, least(until, below_instant), sender_id, receiver_id, category_id);
  end if;

  -- The names of all categories are looked up once per page, because a company has few categories and a page has many kudos. This is
  -- done in the statement of the page, because another statement would have another snapshot: a kudos of a new category, committed
  -- between the two, would have no category name.
  if lead_by is null then
    select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
      select id, item, row_number() over () as place from (
        select item.id, case when include is null then item when with_teams then item_with_teams else item_with_ids end as item
        from api.activity as k
        cross join lateral (
          select k.id, k."timestamp", k.sender_name, k.sender_email, k.receiver_name, k.receiver_email, k.message,
            coalesce((select app.category_names_by_id(api_key.company_id)) ->> k.category_id::text, '') as category
        ) as item
        cross join lateral (
          select item.*,
            case when 'sender_id' = any (include) then k.sender_id end as sender_id,
            case when 'receiver_id' = any (include) then k.receiver_id end as receiver_id,
            case when 'category_id' = any (include) then k.category_id end as category_id
        ) as item_with_ids
        cross join lateral (
          select item_with_ids.*,
            case when 'sender_team_id' = any (include) then k.sender_team_id end as sender_team_id,
            case when 'sender_team_name' = any (include) then k.sender_team_name end as sender_team_name,
            case when 'receiver_team_id' = any (include) then k.receiver_team_id end as receiver_team_id,
            case when 'receiver_team_name' = any (include) then k.receiver_team_name end as receiver_team_name
        ) as item_with_teams
        where k.company_id = api_key.company_id
          and k.instant >= since and (k.instant, k.id) < (below_instant, below_id)
        order by k.instant desc, k.id desc
        limit max_rows + 1
      ) as ordered
    ) as numbered;
  elsif lead_by = 'sender' then
    select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
      select id, item, row_number() over () as place from (
        select item.id, case when include is null then item when with_teams then item_with_teams else item_with_ids end as item
        from api.activity as k
        cross join lateral (
          select k.id, k."timestamp", k.sender_name, k.sender_email, k.receiver_name, k.receiver_email, k.message,
            coalesce((select app.category_names_by_id(api_key.company_id)) ->> k.category_id::text, '') as category
        ) as item
        cross join lateral (
          select item.*,
            case when 'sender_id' = any (include) then k.sender_id end as sender_id,
            case when 'receiver_id' = any (include) then k.receiver_id end as receiver_id,
            case when 'category_id' = any (include) then k.category_id end as category_id
        ) as item_with_ids
        cross join lateral (
          select item_with_ids.*,
            case when 'sender_team_id' = any (include) then k.sender_team_id end as sender_team_id,
            case when 'sender_team_name' = any (include) then k.sender_team_name end as sender_team_name,
            case when 'receiver_team_id' = any (include) then k.receiver_team_id end as receiver_team_id,
            case when 'receiver_team_name' = any (include) then k.receiver_team_name end as receiver_team_name
        ) as item_with_teams
        where k.company_id = api_key.company_id and k.sender_id = list_activity.sender_id
          and k.instant >= since and (k.instant, k.id) < (below_instant, below_id)
          and (list_activity.receiver_id is null or k.receiver_id = list_activity.receiver_id)
          and (list_activity.category_id is null or k.category_id = list_activity.category_id)
        order by k.instant desc, k.id desc
        limit max_rows + 1
      ) as ordered
    ) as numbered;
  elsif lead_by = 'receiver' then
    select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
      select id, item, row_number() over () as place from (
        select item.id, case when include is null then item when with_teams then item_with_teams else item_with_ids end as item
        from api.activity as k
        cross join lateral (
          select k.id, k."timestamp", k.sender_name, k.sender_email, k.receiver_name, k.receiver_email, k.message,
            coalesce((select app.category_names_by_id(api_key.company_id)) ->> k.category_id::text, '') as category
        ) as item
        cross join lateral (
          select item.*,
            case when 'sender_id' = any (include) then k.sender_id end as sender_id,
            case when 'receiver_id' = any (include) then k.receiver_id end as receiver_id,
            case when 'category_id' = any (include) then k.category_id end as category_id
        ) as item_with_ids
        cross join lateral (
          select item_with_ids.*,
            case when 'sender_team_id' = any (include) then k.sender_team_id end as sender_team_id,
            case when 'sender_team_name' = any (include) then k.sender_team_name end as sender_team_name,
            case when 'receiver_team_id' = any (include) then k.receiver_team_id end as receiver_team_id,
            case when 'receiver_team_name' = any (include) then k.receiver_team_name end as receiver_team_name
        ) as item_with_teams
        where k.company_id = api_key.company_id and k.receiver_id = list_activity.receiver_id
          and k.instant >= since and (k.instant, k.id) < (below_instant, below_id)
          and (list_activity.sender_id is null or k.sender_id = list_activity.sender_id)
          and (list_activity.category_id is null or k.category_id = list_activity.category_id)
        order by k.instant desc, k.id desc
        limit max_rows + 1
      ) as ordered
    ) as numbered;
  else
    select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
      select id, item, row_number() over () as place from (
        select item.id, case when include is null then item when with_teams then item_with_teams else item_with_ids end as item
        from api.activity as k
        cross join lateral (
          select k.id, k."timestamp", k.sender_name, k.sender_email, k.receiver_name, k.receiver_email, k.message,
            coalesce((select app.category_names_by_id(api_key.company_id)) ->> k.category_id::text, '') as category
        ) as item
        cross join lateral (
          select item.*,
            case when 'sender_id' = any (include) then k.sender_id end as sender_id,
            case when 'receiver_id' = any (include) then k.receiver_id end as receiver_id,
            case when 'category_id' = any (include) then k.category_id end as category_id
        ) as item_with_ids
        cross join lateral (
          select item_with_ids.*,
            case when 'sender_team_id' = any (include) then k.sender_team_id end as sender_team_id,
            case when 'sender_team_name' = any (include) then k.sender_team_name end as sender_team_name,
            case when 'receiver_team_id' = any (include) then k.receiver_team_id end as receiver_team_id,
            case when 'receiver_team_name' = any (include) then k.receiver_team_name end as receiver_team_name
        ) as item_with_teams
        where k.company_id = api_key.company_id and k.category_id = list_activity.category_id
          and k.instant >= since and (k.instant, k.id) < (below_instant, below_id)
          and (list_activity.sender_id is null or k.sender_id = list_activity.sender_id)
          and (list_activity.receiver_id is null or k.receiver_id = list_activity.receiver_id)
        order by k.instant desc, k.id desc
        limit max_rows + 1
      ) as ordered
    ) as numbered;
  end if;

  -- Columns of these records that include does not name are null in every row, and are removed from the text of the page. This text is
  -- never within a value, because quotes are escaped there.
  foreach missing in array case
    when include is null then '{}'
    when with_teams then '{sender_id,receiver_id,category_id,sender_team_id,sender_team_name,receiver_team_id,receiver_team_name}'
    else '{sender_id,receiver_id,category_id}'::text[]
  end loop
    if missing <> all (include) then
      page := replace(page::text, format(',"%s":null', missing), '');
    end if;
  end loop;

  found_rows := coalesce(cardinality(ids), 0);
  headers := set_config(
    'response.headers',
    format(app.list_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text, ids[max_rows]),
    true
  );
  return coalesce(page, '[]');
end
$function$;

CREATE OR REPLACE VIEW "api"."activity" WITH (security_invoker=true) AS  SELECT k.company_id,
    k.category_id,
    k.sender_id,
    k.receiver_id,
    k.created_at AS instant,
    k.id,
    to_char((k.created_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'::text) AS "timestamp",
    sender.name AS sender_name,
    sender.email AS sender_email,
    receiver.name AS receiver_name,
    receiver.email AS receiver_email,
    k.message,
    sender.team_id AS sender_team_id,
    ( SELECT t.name
           FROM app.teams t
          WHERE ((t.company_id = k.company_id) AND (t.id = sender.team_id))) AS sender_team_name,
    receiver.team_id AS receiver_team_id,
    ( SELECT t.name
           FROM app.teams t
          WHERE ((t.company_id = k.company_id) AND (t.id = receiver.team_id))) AS receiver_team_name
   FROM ((app.kudos k
     LEFT JOIN LATERAL ( SELECT m.name,
            m.email,
            m.team_id
           FROM app.members m
          WHERE ((m.company_id = k.company_id) AND (m.id = k.sender_id))
         OFFSET 0) sender ON (true))
     LEFT JOIN LATERAL ( SELECT m.name,
            m.email,
            m.team_id
           FROM app.members m
          WHERE ((m.company_id = k.company_id) AND (m.id = k.receiver_id))
         OFFSET 0) receiver ON (true));;

COMMENT ON VIEW "api"."activity" IS 'Kudos (docs/api.md, Activity), with the id of their category.';

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "api"."activity" TO "postgres";

GRANT SELECT ON TABLE "api"."activity" TO "public_api";
