set lock_timeout = '2s';
set statement_timeout = '60s';

set local check_function_bodies = off;

grant create on schema public to public_api;

DROP FUNCTION "public"."list_changes"(text, text, integer, text, text[]);

DROP FUNCTION "public"."read_changes"(text, text, integer, text, text[]);

CREATE OR REPLACE FUNCTION app.refuse_cursor(key_id uuid, company_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  raise exception using
    errcode = 'PT410',
    message = 'Gone: this cursor is no longer known, begin again with after=start',
    detail = json_build_object('key_id', key_id, 'company_id', company_id);
end
$function$;

CREATE OR REPLACE FUNCTION public.list_changes(key_hash text, list text, max_rows integer, after text, include text[] DEFAULT NULL::text[])
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
  served record;
  origin text;
  -- No transaction below it is still running: nothing below it can change any more.
  horizon bigint;
  began bigint;
  after_transaction bigint := 0;
  after_id uuid := '00000000-0000-0000-0000-000000000000';
  are_foreign boolean;
  found_rows bigint;
  page json;
  next text;
  headers text;
begin
  if exists (
    select from unnest('{app.companies,app.teams,app.members,app.categories,app.category_names,app.kudos,app.rewards,app.day_ratings,
      app.pulse_questions,app.pulse_responses,app.deletions,app.forgotten_deletions}'::regclass[]) as read (relation)
    where not row_security_active(read.relation)
  ) then
    perform app.refuse_without_row_security();
  end if;
  select l.* into strict served from app.changing_lists() as l where l.list = list_changes.list;
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
    -- The cursor is newer than the data of this server: its data has gone back in time without a new timeline. A standby may just be behind.
    if least(after_transaction, began) < 0 or after_transaction >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint and not pg_is_in_recovery() then
      perform app.refuse_cursor(api_key.key_id, api_key.company_id);
    end if;
  end if;

  -- A row of this server that a statement sees is of a transaction that ended before it, or of this one. In the order
  -- of the index of changes: without it, the planner may expect to find such a row soon in any index of the company,
  -- and read all its rows.
  execute format(
    'select exists (
       select from (
         select from app.%I as t
         where t.company_id = $1 and t.changed_in >= (select pg_snapshot_xmax(pg_current_snapshot())) and t.changed_in is distinct from $2
         order by t.changed_in, t.id limit 1
       ) as foreign_row
     )',
    served.relation
  ) into are_foreign using api_key.company_id, pg_current_xact_id_if_assigned();
  if are_foreign then
    raise exception 'changes in app.% have the numbers of another server', served.relation
      using errcode = 'PT501',
      hint = 'Number them anew with sql/repair.sql: docs/operations.md, Restore.';
  end if;

  execute app.changes_query(list, include) into found_rows, page, next using
    api_key.company_id, max_rows, after_transaction::text::xid8, after_id,
    greatest(after_transaction, began - 1)::text::xid8,
    case when began > after_transaction then 'ffffffff-ffff-ffff-ffff-ffffffffffff' else after_id end,
    horizon::text::xid8, origin, began::text::xid8;

  -- Afterwards, because deletions may have been forgotten since this function began.
  if after <> 'start' and exists (
    select from app.forgotten_deletions as f
    where f.company_id = api_key.company_id and f.relation = ('app.' || served.relation)::regclass
      and (f.deleted_in, f.id) > (after_transaction::text::xid8, after_id) and f.deleted_in >= began::text::xid8
  ) then
    perform app.refuse_cursor(api_key.key_id, api_key.company_id);
  end if;

  headers := set_config(
    'response.headers',
    format(app.list_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text, next),
    true
  );
  return coalesce(page, '[]');
end
$function$;

REVOKE ALL ON FUNCTION public.list_changes FROM PUBLIC, anon, authenticated, service_role;

ALTER FUNCTION "public"."list_changes"(text, text, integer, text, text[]) OWNER TO "public_api";

CREATE OR REPLACE FUNCTION public.read_changes(key_hash text, list text, max_rows integer, after text, include text[] DEFAULT NULL::text[])
 RETURNS json
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET jit TO 'off'
 SET statement_timeout TO '2s'
AS $function$select app.from_replica(public.list_changes(key_hash, list, max_rows, after, include))$function$;

REVOKE ALL ON FUNCTION public.read_changes FROM PUBLIC, anon, authenticated, service_role;

ALTER FUNCTION "public"."read_changes"(text, text, integer, text, text[]) OWNER TO "public_api";

COMMENT ON FUNCTION "app"."changing_lists"() IS 'The lists whose changes are served: their scope, their table and their columns.';

COMMENT ON FUNCTION "public"."list_changes"(text, text, integer, text, text[]) IS 'What was added, changed or deleted in a list of the key''s company, oldest change first, as a JSON array. PT401, PT403, PT410, PT429.';

COMMENT ON FUNCTION "public"."read_changes"(text, text, integer, text, text[]) IS 'public.list_changes, at a read replica. PT503 too.';

REVOKE ALL ON FUNCTION "public"."list_changes"(text, text, integer, text, text[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."list_changes"(text, text, integer, text, text[]) TO "service_role";

REVOKE ALL ON FUNCTION "public"."read_changes"(text, text, integer, text, text[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."read_changes"(text, text, integer, text, text[]) TO "service_role";

revoke create on schema public from public_api;
