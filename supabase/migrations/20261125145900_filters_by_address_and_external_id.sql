set lock_timeout = '2s';
set statement_timeout = '60s';

set local check_function_bodies = off;

grant create on schema public to public_api;

DROP FUNCTION "public"."list_members"(text, integer, uuid, text, uuid);

DROP FUNCTION "public"."list_rewards"(text, integer, boolean, uuid, text[]);

DROP FUNCTION "public"."read_members"(text, integer, uuid, text, uuid);

DROP FUNCTION "public"."read_rewards"(text, integer, boolean, uuid, text[]);

CREATE OR REPLACE FUNCTION app.member_with_email(company_id uuid, email text)
 RETURNS uuid
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET enable_incremental_sort TO 'off'
BEGIN ATOMIC
 SELECT m.id
    FROM app.members m
   WHERE ((ROW(m.company_id, lower(m.email)) >= ROW(member_with_email.company_id, lower(member_with_email.email))) AND (ROW(m.company_id, lower(m.email)) <= ROW(member_with_email.company_id, lower(member_with_email.email))))
   ORDER BY m.company_id, (lower(m.email))
  LIMIT 1;
END;

CREATE OR REPLACE FUNCTION public.list_members(key_hash text, max_rows integer, team_id uuid DEFAULT NULL::uuid, role text DEFAULT NULL::text, starting_after uuid DEFAULT NULL::uuid, email text DEFAULT NULL::text)
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
  below_instant timestamptz := timestamptz 'infinity';
  below_id uuid := uuid '00000000-0000-0000-0000-000000000000';
  lead_by text;
begin
  if not (row_security_active('app.members'::regclass) and row_security_active('app.teams'::regclass)) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:members');

  if starting_after is not null then
    select m.instant, m.id into below_instant, below_id from api.members as m where m.company_id = api_key.company_id and m.id = starting_after;
    if not found then
      perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
    end if;
  end if;

  if email is null and num_nonnulls(team_id, role) > 0 then
    lead_by := app.rarest_members_filter(api_key.company_id, team_id, role);
  end if;

  if email is not null then
    -- One row at most: offset 0 looks it up by its id, whatever filters follow.
    select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
      select item.id, item, row_number() over () as place from (
        select m.id, m.name, m.email, m.role, m.team_id, m.team_name, m.created_at
        from (
          select v.* from api.members as v
          where v.company_id = api_key.company_id and v.id = (select app.member_with_email(api_key.company_id, list_members.email))
          offset 0
        ) as m
        where (m.instant, m.id) < (below_instant, below_id)
          and (list_members.team_id is null or m.team_id = list_members.team_id)
          and (list_members.role is null or m.role = list_members.role)
      ) as item
    ) as numbered;
  elsif lead_by is null then
    select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
      select item.id, item, row_number() over () as place from (
        select m.id, m.name, m.email, m.role, m.team_id, m.team_name, m.created_at
        from api.members as m
        where m.company_id = api_key.company_id
          and (m.instant, m.id) < (below_instant, below_id)
        order by m.instant desc, m.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  elsif lead_by = 'team' then
    select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
      select item.id, item, row_number() over () as place from (
        select m.id, m.name, m.email, m.role, m.team_id, m.team_name, m.created_at
        from api.members as m
        where m.company_id = api_key.company_id and m.team_id = list_members.team_id
          and (m.instant, m.id) < (below_instant, below_id)
          and (list_members.role is null or m.role = list_members.role)
        order by m.instant desc, m.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  else
    select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
      select item.id, item, row_number() over () as place from (
        select m.id, m.name, m.email, m.role, m.team_id, m.team_name, m.created_at
        from api.members as m
        where m.company_id = api_key.company_id and m.role = list_members.role
          and (m.instant, m.id) < (below_instant, below_id)
          and (list_members.team_id is null or m.team_id = list_members.team_id)
        order by m.instant desc, m.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  end if;

  found_rows := coalesce(cardinality(ids), 0);
  headers := set_config(
    'response.headers',
    format(app.list_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text, ids[max_rows]),
    true
  );
  return coalesce(page, '[]');
end
$function$;

REVOKE ALL ON FUNCTION public.list_members FROM PUBLIC, anon, authenticated, service_role;

ALTER FUNCTION "public"."list_members"(text, integer, uuid, text, uuid, text) OWNER TO "public_api";

CREATE OR REPLACE FUNCTION public.list_rewards(key_hash text, max_rows integer, include_archived boolean DEFAULT false, starting_after uuid DEFAULT NULL::uuid, include text[] DEFAULT NULL::text[], external_id text DEFAULT NULL::text)
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
  below_instant timestamptz := timestamptz 'infinity';
  below_id uuid := uuid '00000000-0000-0000-0000-000000000000';
begin
  if not row_security_active('app.rewards'::regclass) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:rewards');

  if starting_after is not null then
    select r.instant, r.id into below_instant, below_id from api.rewards as r where r.company_id = api_key.company_id and r.id = starting_after;
    if not found then
      perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
    end if;
  end if;

  if external_id is not null then
    -- One row at most. It is looked up before other conditions, in the order of external ids, so that no plan can use
    -- another index.
    select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
      select id, item, row_number() over () as place from (
        select item.id, case when include is null then item else item_with_external_id end as item
        from (
          select v.* from api.rewards as v
          where v.company_id = api_key.company_id and v.external_id between list_rewards.external_id and list_rewards.external_id
          order by v.external_id limit 1
        ) as r
        cross join lateral (
          select r.id, r.name, r.description, r.points_cost, r.reward_type, r.stock_count, r.image_url, r.vendor_name, r.is_archived, r.created_at
        ) as item
        cross join lateral (select item.*, r.external_id) as item_with_external_id
        where (r.instant, r.id) < (below_instant, below_id)
          and (include_archived or not r.is_archived)
      ) as ordered
    ) as numbered;
  elsif include_archived is not true then
    select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
      select id, item, row_number() over () as place from (
        select item.id, case when include is null then item else item_with_external_id end as item
        from api.rewards as r
        cross join lateral (
          select r.id, r.name, r.description, r.points_cost, r.reward_type, r.stock_count, r.image_url, r.vendor_name, r.is_archived, r.created_at
        ) as item
        cross join lateral (select item.*, r.external_id) as item_with_external_id
        where r.company_id = api_key.company_id and not r.is_archived
          and (r.instant, r.id) < (below_instant, below_id)
        order by r.instant desc, r.id desc
        limit max_rows + 1
      ) as ordered
    ) as numbered;
  else
    select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
      select id, item, row_number() over () as place from (
        select item.id, case when include is null then item else item_with_external_id end as item
        from api.rewards as r
        cross join lateral (
          select r.id, r.name, r.description, r.points_cost, r.reward_type, r.stock_count, r.image_url, r.vendor_name, r.is_archived, r.created_at
        ) as item
        cross join lateral (select item.*, r.external_id) as item_with_external_id
        where r.company_id = api_key.company_id
          and (r.instant, r.id) < (below_instant, below_id)
        order by r.instant desc, r.id desc
        limit max_rows + 1
      ) as ordered
    ) as numbered;
  end if;

  found_rows := coalesce(cardinality(ids), 0);
  headers := set_config(
    'response.headers',
    format(app.list_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text, ids[max_rows]),
    true
  );
  return coalesce(page, '[]');
end
$function$;

REVOKE ALL ON FUNCTION public.list_rewards FROM PUBLIC, anon, authenticated, service_role;

ALTER FUNCTION "public"."list_rewards"(text, integer, boolean, uuid, text[], text) OWNER TO "public_api";

CREATE OR REPLACE FUNCTION public.read_members(key_hash text, max_rows integer, team_id uuid DEFAULT NULL::uuid, role text DEFAULT NULL::text, starting_after uuid DEFAULT NULL::uuid, email text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET jit TO 'off'
 SET statement_timeout TO '2s'
AS $function$select app.from_replica(public.list_members(key_hash, max_rows, team_id, role, starting_after, email))$function$;

REVOKE ALL ON FUNCTION public.read_members FROM PUBLIC, anon, authenticated, service_role;

ALTER FUNCTION "public"."read_members"(text, integer, uuid, text, uuid, text) OWNER TO "public_api";

CREATE OR REPLACE FUNCTION public.read_rewards(key_hash text, max_rows integer, include_archived boolean DEFAULT false, starting_after uuid DEFAULT NULL::uuid, include text[] DEFAULT NULL::text[], external_id text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET jit TO 'off'
 SET statement_timeout TO '2s'
AS $function$select app.from_replica(public.list_rewards(key_hash, max_rows, include_archived, starting_after, include, external_id))$function$;

REVOKE ALL ON FUNCTION public.read_rewards FROM PUBLIC, anon, authenticated, service_role;

ALTER FUNCTION "public"."read_rewards"(text, integer, boolean, uuid, text[], text) OWNER TO "public_api";

COMMENT ON FUNCTION "app"."member_with_email"(uuid, text) IS 'The id of a company''s member with this email address, whatever its case.';

COMMENT ON FUNCTION "public"."list_members"(text, integer, uuid, text, uuid, text) IS 'Members of the key''s company, newest first, as a JSON array. read:members. PT400, PT401, PT403, PT429.';

COMMENT ON FUNCTION "public"."list_rewards"(text, integer, boolean, uuid, text[], text) IS 'Rewards of the key''s company, newest first, as a JSON array. read:rewards. PT400, PT401, PT403, PT429.';

COMMENT ON FUNCTION "public"."read_members"(text, integer, uuid, text, uuid, text) IS 'public.list_members, at a read replica. PT503 too.';

COMMENT ON FUNCTION "public"."read_rewards"(text, integer, boolean, uuid, text[], text) IS 'public.list_rewards, at a read replica. PT503 too.';

REVOKE ALL ON FUNCTION "app"."member_with_email"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."member_with_email"(uuid, text) TO "postgres", "public_api";

REVOKE ALL ON FUNCTION "public"."list_members"(text, integer, uuid, text, uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."list_members"(text, integer, uuid, text, uuid, text) TO "service_role";

REVOKE ALL ON FUNCTION "public"."list_rewards"(text, integer, boolean, uuid, text[], text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."list_rewards"(text, integer, boolean, uuid, text[], text) TO "service_role";

REVOKE ALL ON FUNCTION "public"."read_members"(text, integer, uuid, text, uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."read_members"(text, integer, uuid, text, uuid, text) TO "service_role";

REVOKE ALL ON FUNCTION "public"."read_rewards"(text, integer, boolean, uuid, text[], text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."read_rewards"(text, integer, boolean, uuid, text[], text) TO "service_role";

revoke create on schema public from public_api;
