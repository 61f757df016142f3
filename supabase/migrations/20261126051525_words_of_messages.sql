set lock_timeout = '2s';
set statement_timeout = '60s';

set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION app.refuse_without_row_security()
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  raise exception 'row-level security does not bind %', current_user
    using errcode = 'PT500',
      hint = 'Functions that serve API keys belong to public_api, and every table has row-level security: '
        'run sql/commands/check.sql.';
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

COMMENT ON SCHEMA "staging" IS 'The rows of files that are being loaded. Only postgres uses it.';

COMMENT ON VIEW "api"."activity" IS 'Kudos, as the API lists them.';

COMMENT ON VIEW "api"."categories" IS 'Categories, as the API lists them.';

COMMENT ON VIEW "api"."day_ratings" IS 'Day ratings, as the API lists them.';

COMMENT ON VIEW "api"."members" IS 'Members, as the API lists them.';

COMMENT ON VIEW "api"."pulse_responses" IS 'Pulse answers, as the API lists them.';

COMMENT ON VIEW "api"."rewards" IS 'Rewards, as the API lists them.';

COMMENT ON VIEW "api"."teams" IS 'Teams, as the API lists them.';
