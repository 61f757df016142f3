set lock_timeout = '5s';
set statement_timeout = '60s';

grant create on schema public to public_api;

SET local check_function_bodies = off;

CREATE OR REPLACE FUNCTION app.from_replica (
  page json
)
  RETURNS json
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  SET jit TO 'off'
  AS $function$
declare
  lag interval := case
    when not pg_is_in_recovery() then null
    -- Without a receiver the replica does not know how much there is to receive.
    when pg_last_wal_receive_lsn() <= pg_last_wal_replay_lsn() and exists (select from pg_stat_wal_receiver) then interval '0'
    else clock_timestamp() - pg_last_xact_replay_timestamp()
  end;
  headers text;
begin
  if lag is null or lag > app.most_replica_lag() then
    raise exception 'the replica is too far behind, or none' using errcode = 'PT503';
  end if;
  -- Assigned and not performed, which would run it as a query.
  headers := set_config(
    'response.headers',
    left(current_setting('response.headers'), -1) || format(',{"X-Replica-Lag":"%s"}]', round(1000 * extract(epoch from lag))),
    true
  );
  return page;
end
$function$;

CREATE OR REPLACE FUNCTION app.most_replica_lag()
  RETURNS interval
  LANGUAGE sql
  STABLE
  SET search_path TO ''
RETURN '00:00:30'::interval;

CREATE OR REPLACE FUNCTION public.list_changes (
  key_hash      text,
  list          text,
  max_rows      integer,
  changed_after text,
  include       text[]  DEFAULT NULL::text[]
)
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
  if changed_after = 'start' then
    began := horizon;
  else
    if left(changed_after, 8) <> origin then
      perform app.refuse_cursor(api_key.key_id, api_key.company_id);
    end if;
    after_transaction := ('x' || substr(changed_after, 9, 16))::bit(64)::bigint;
    after_id := substr(changed_after, 25, 32);
    -- The number with these last 32 bits that is nearest to now. A standby that is late still has rows that were deleted
    -- before the copy began at the primary: it reads them now, so its deletions begin no later than this page ends.
    began := case
      when length(changed_after) = 56 then 0
      else least(horizon, greatest(0, horizon - 2147483648 + ((('x' || substr(changed_after, 57))::bit(32)::bigint - horizon + 2147483648) & 4294967295)))
    end;
    -- It is from the future of this server, whose data has gone back in time without a new timeline. A standby may only be late.
    if after_transaction < 0 or after_transaction >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint and not pg_is_in_recovery() then
      perform app.refuse_cursor(api_key.key_id, api_key.company_id);
    end if;
  end if;

  -- A row of this server that a statement sees is of a transaction that ended before it, or of this one.
  execute format(
    'select exists (
       select from app.%I as t
       where t.company_id = $1 and t.changed_in >= (select pg_snapshot_xmax(pg_current_snapshot())) and t.changed_in is distinct from $2
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
  if changed_after <> 'start' and exists (
    select from app.forgotten_deletions as f
    where f.company_id = api_key.company_id and f.relation = served.relation
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

CREATE OR REPLACE FUNCTION public.read_activity (
  key_hash       text,
  max_rows       integer,
  since          timestamp with time zone DEFAULT '-infinity'::timestamp WITH time zone,
  until          timestamp with time zone DEFAULT 'infinity'::timestamp WITH time zone,
  category_id    uuid                     DEFAULT NULL::uuid,
  sender_id      uuid                     DEFAULT NULL::uuid,
  receiver_id    uuid                     DEFAULT NULL::uuid,
  starting_after uuid                     DEFAULT NULL::uuid,
  include        text[]                   DEFAULT NULL::text[]
)
  RETURNS json
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET jit TO 'off'
  SET statement_timeout TO '2s'
  AS $function$select app.from_replica(public.list_activity(key_hash, max_rows, since, until, category_id, sender_id, receiver_id, starting_after, include))$function$;

REVOKE ALL
  ON FUNCTION "public"."read_activity"(text, integer, timestamp WITH time zone, timestamp WITH time zone, uuid, uuid, uuid, uuid, text[])
  FROM PUBLIC, "anon", "authenticated";

ALTER FUNCTION "public"."read_activity"(text, integer, timestamp WITH time zone, timestamp WITH time zone, uuid, uuid, uuid, uuid, text[]) OWNER TO "public_api";

CREATE OR REPLACE FUNCTION public.read_categories (
  key_hash       text,
  max_rows       integer,
  starting_after uuid    DEFAULT NULL::uuid
)
  RETURNS json
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET jit TO 'off'
  SET statement_timeout TO '2s'
  AS $function$select app.from_replica(public.list_categories(key_hash, max_rows, starting_after))$function$;

REVOKE ALL ON FUNCTION "public"."read_categories"(text, integer, uuid) FROM PUBLIC, "anon", "authenticated";

ALTER FUNCTION "public"."read_categories"(text, integer, uuid) OWNER TO "public_api";

CREATE OR REPLACE FUNCTION public.read_changes (
  key_hash      text,
  list          text,
  max_rows      integer,
  changed_after text,
  include       text[]  DEFAULT NULL::text[]
)
  RETURNS json
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET jit TO 'off'
  SET statement_timeout TO '2s'
  AS $function$select app.from_replica(public.list_changes(key_hash, list, max_rows, changed_after, include))$function$;

REVOKE ALL ON FUNCTION "public"."read_changes"(text, text, integer, text, text[]) FROM PUBLIC, "anon", "authenticated";

ALTER FUNCTION "public"."read_changes"(text, text, integer, text, text[]) OWNER TO "public_api";

CREATE OR REPLACE FUNCTION public.read_day_ratings (
  key_hash       text,
  max_rows       integer,
  since          timestamp with time zone DEFAULT '-infinity'::timestamp WITH time zone,
  until          timestamp with time zone DEFAULT 'infinity'::timestamp WITH time zone,
  team_id        uuid                     DEFAULT NULL::uuid,
  starting_after uuid                     DEFAULT NULL::uuid,
  include        text[]                   DEFAULT NULL::text[]
)
  RETURNS json
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET jit TO 'off'
  SET statement_timeout TO '2s'
  AS $function$select app.from_replica(public.list_day_ratings(key_hash, max_rows, since, until, team_id, starting_after, include))$function$;

REVOKE ALL ON FUNCTION "public"."read_day_ratings"(text, integer, timestamp WITH time zone, timestamp WITH time zone, uuid, uuid, text[]) FROM PUBLIC, "anon", "authenticated";

ALTER FUNCTION "public"."read_day_ratings"(text, integer, timestamp WITH time zone, timestamp WITH time zone, uuid, uuid, text[]) OWNER TO "public_api";

CREATE OR REPLACE FUNCTION public.read_members (
  key_hash       text,
  max_rows       integer,
  team_id        uuid    DEFAULT NULL::uuid,
  role           text    DEFAULT NULL::text,
  starting_after uuid    DEFAULT NULL::uuid
)
  RETURNS json
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET jit TO 'off'
  SET statement_timeout TO '2s'
  AS $function$select app.from_replica(public.list_members(key_hash, max_rows, team_id, role, starting_after))$function$;

REVOKE ALL ON FUNCTION "public"."read_members"(text, integer, uuid, text, uuid) FROM PUBLIC, "anon", "authenticated";

ALTER FUNCTION "public"."read_members"(text, integer, uuid, text, uuid) OWNER TO "public_api";

CREATE OR REPLACE FUNCTION public.read_pulse_responses (
  key_hash       text,
  max_rows       integer,
  since          timestamp with time zone DEFAULT '-infinity'::timestamp WITH time zone,
  until          timestamp with time zone DEFAULT 'infinity'::timestamp WITH time zone,
  starting_after uuid                     DEFAULT NULL::uuid,
  include        text[]                   DEFAULT NULL::text[]
)
  RETURNS json
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET jit TO 'off'
  SET statement_timeout TO '2s'
  AS $function$select app.from_replica(public.list_pulse_responses(key_hash, max_rows, since, until, starting_after, include))$function$;

REVOKE ALL ON FUNCTION "public"."read_pulse_responses"(text, integer, timestamp WITH time zone, timestamp WITH time zone, uuid, text[]) FROM PUBLIC, "anon", "authenticated";

ALTER FUNCTION "public"."read_pulse_responses"(text, integer, timestamp WITH time zone, timestamp WITH time zone, uuid, text[]) OWNER TO "public_api";

CREATE OR REPLACE FUNCTION public.read_rewards (
  key_hash         text,
  max_rows         integer,
  include_archived boolean DEFAULT false,
  starting_after   uuid    DEFAULT NULL::uuid,
  include          text[]  DEFAULT NULL::text[]
)
  RETURNS json
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET jit TO 'off'
  SET statement_timeout TO '2s'
  AS $function$select app.from_replica(public.list_rewards(key_hash, max_rows, include_archived, starting_after, include))$function$;

REVOKE ALL ON FUNCTION "public"."read_rewards"(text, integer, boolean, uuid, text[]) FROM PUBLIC, "anon", "authenticated";

ALTER FUNCTION "public"."read_rewards"(text, integer, boolean, uuid, text[]) OWNER TO "public_api";

CREATE OR REPLACE FUNCTION public.read_teams (
  key_hash       text,
  max_rows       integer,
  starting_after uuid    DEFAULT NULL::uuid
)
  RETURNS json
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET jit TO 'off'
  SET statement_timeout TO '2s'
  AS $function$select app.from_replica(public.list_teams(key_hash, max_rows, starting_after))$function$;

REVOKE ALL ON FUNCTION "public"."read_teams"(text, integer, uuid) FROM PUBLIC, "anon", "authenticated";

ALTER FUNCTION "public"."read_teams"(text, integer, uuid) OWNER TO "public_api";

COMMENT ON FUNCTION "app"."from_replica"(json) IS 'The page, with X-Replica-Lag (milliseconds) put into the response. PT503 when the replica is too far behind, or none.';

COMMENT ON FUNCTION "app"."most_replica_lag"() IS 'How far behind a replica may be to serve lists. The primary serves them otherwise. To be replaced by operators.';

COMMENT ON FUNCTION "public"."read_activity"(text, integer, timestamp with time zone, timestamp with time zone, uuid, uuid, uuid, uuid, text[]) IS 'public.list_activity, at a read replica. PT503 too.';

COMMENT ON FUNCTION "public"."read_categories"(text, integer, uuid) IS 'public.list_categories, at a read replica. PT503 too.';

COMMENT ON FUNCTION "public"."read_changes"(text, text, integer, text, text[]) IS 'public.list_changes, at a read replica. PT503 too.';

COMMENT ON FUNCTION "public"."read_day_ratings"(text, integer, timestamp with time zone, timestamp with time zone, uuid, uuid, text[]) IS 'public.list_day_ratings, at a read replica. PT503 too.';

COMMENT ON FUNCTION "public"."read_members"(text, integer, uuid, text, uuid) IS 'public.list_members, at a read replica. PT503 too.';

COMMENT ON FUNCTION "public"."read_pulse_responses"(text, integer, timestamp with time zone, timestamp with time zone, uuid, text[]) IS 'public.list_pulse_responses, at a read replica. PT503 too.';

COMMENT ON FUNCTION "public"."read_rewards"(text, integer, boolean, uuid, text[]) IS 'public.list_rewards, at a read replica. PT503 too.';

COMMENT ON FUNCTION "public"."read_teams"(text, integer, uuid) IS 'public.list_teams, at a read replica. PT503 too.';

REVOKE ALL ON FUNCTION "app"."from_replica"(json) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."from_replica"(json) TO "public_api";

REVOKE ALL ON FUNCTION "app"."most_replica_lag"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."most_replica_lag"() TO "public_api";

GRANT EXECUTE ON FUNCTION "public"."read_activity"(text, integer, timestamp WITH time zone, timestamp WITH time zone, uuid, uuid, uuid, uuid, text[]) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."read_categories"(text, integer, uuid) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."read_changes"(text, text, integer, text, text[]) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."read_day_ratings"(text, integer, timestamp WITH time zone, timestamp WITH time zone, uuid, uuid, text[]) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."read_members"(text, integer, uuid, text, uuid) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."read_pulse_responses"(text, integer, timestamp WITH time zone, timestamp WITH time zone, uuid, text[]) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."read_rewards"(text, integer, boolean, uuid, text[]) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."read_teams"(text, integer, uuid) TO "service_role";

revoke create on schema public from public_api;
