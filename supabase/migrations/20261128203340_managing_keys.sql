set lock_timeout = '2s';
set statement_timeout = '60s';

set local check_function_bodies = off;

DROP FUNCTION "public"."list_api_keys"();

DROP FUNCTION "public"."replace_api_key"(uuid, interval, timestamp with time zone);

CREATE OR REPLACE FUNCTION app.count_day(counts integer[], counted_on date, more integer)
 RETURNS integer[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  days constant integer := coalesce((now() at time zone 'UTC')::date - counted_on, 30);
begin
  if days > 0 then
    counts := counts[days + 1:] || array_fill(0, array[least(days, 30)]);
  end if;
  counts[30] := counts[30] + more;
  return counts;
end
$function$;

CREATE OR REPLACE FUNCTION app.current_admins()
 RETURNS SETOF uuid
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 SELECT m.id
    FROM ((app.current_admin() me(company_id, member_id)
      JOIN app.members m ON (((m.company_id = me.company_id) AND (m.role = 'admin'::text))))
      JOIN app.member_accounts a ON (((a.company_id = m.company_id) AND (a.member_id = m.id))));
END;

CREATE OR REPLACE FUNCTION app.insert_api_key(name text, scopes text[], expires_at timestamp with time zone)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  created record;
  api_key text;
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
  returning k.id, k.name, k.hint, k.scopes, k.created_at, k.expires_at into created;

  api_key := current_setting('app.new_api_key');
  perform set_config('app.new_api_key', '', true);

  return json_build_object(
    'id', created.id,
    'name', created.name,
    'api_key', api_key,
    'hint', created.hint,
    'scopes', created.scopes,
    'created_at', app.iso_8601(created.created_at),
    'expires_at', app.iso_8601(created.expires_at)
  );
end
$function$;

CREATE OR REPLACE FUNCTION app.make_api_key()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  api_key constant text := app.new_api_key();
begin
  select admin.company_id, admin.member_id into new.company_id, new.created_by from app.current_admin() as admin;
  new.id := gen_random_uuid();
  new.scopes := array(select scope from unnest(new.scopes) as scope order by array_position(app.scopes(), scope));
  new.key_hash := sha256(convert_to(api_key, 'UTF8'));
  new.hint := 'sk_live_…' || right(api_key, 4);
  new.created_at := now();
  new.revoked_at := null;
  new.revoked_by := null;
  new.replaced_by := null;
  -- Set by public.redeem_assistant_code alone.
  new.assistant := nullif(current_setting('app.assistant', true), '');
  new.assistant_address := nullif(current_setting('app.assistant_address', true), '');
  perform set_config('app.new_api_key', api_key, true);
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION app.note_refused_use(key_hash text, missing_scope text DEFAULT NULL::text)
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
  refused record;
begin
  if current_setting('default_transaction_read_only')::boolean then
    return false;
  end if;
  select u.company_id, u.key_id,
    -- As in app.note_use.
    app.count_day(u.answers, u.counted_on, 0) as answers,
    app.count_day(u.refusals, u.counted_on,
      app.may_note(case when missing_scope is null then u.refused_at else u.forbidden_at end)::integer) as refusals
  into refused
  from app.api_key_uses as u
  join app.api_keys as k on k.company_id = u.company_id and k.id = u.key_id
  join app.companies as c on c.id = k.company_id
  where k.key_hash = decode(note_refused_use.key_hash, 'hex') and c.serving = 'open'
    and case when k.revoked_at is not null or k.expires_at <= now()
      then missing_scope is null and app.may_note(u.refused_at, u.refused_endpoint, endpoint)
      else missing_scope <> all (k.scopes) and missing_scope = any (app.scopes())
        and app.may_note(u.forbidden_at, u.forbidden_endpoint, endpoint) end
  for update of u skip locked;
  if not found then
    return false;
  end if;
  if missing_scope is null then
    update app.api_key_uses as u
    set refused_at = now(), refused_endpoint = endpoint, refused_client = client,
      answers = refused.answers, refusals = refused.refusals, counted_on = today
    where u.company_id = refused.company_id and u.key_id = refused.key_id;
  else
    update app.api_key_uses as u
    set forbidden_at = now(), forbidden_endpoint = endpoint, forbidden_scope = missing_scope, forbidden_client = client,
      answers = refused.answers, refusals = refused.refusals, counted_on = today
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
  today constant date := (now() at time zone 'UTC')::date;
begin
  if current_setting('default_transaction_read_only')::boolean or pg_is_in_recovery() then
    return;
  end if;
  if headers ->> 'x-quick-check' = 'true' then
    update app.api_key_uses as u set checked_at = now(), checked_client = left(headers ->> 'x-client', 60)
    where (u.company_id, u.key_id) in (
      select free.company_id, free.key_id
      from app.api_key_uses as free
      where free.company_id = note_use.company_id and free.key_id = note_use.key_id and app.may_note(free.checked_at)
      for update skip locked
    );
    return;
  end if;
  update app.api_key_uses as u set
    last_used_at = now(),
    last_endpoint = left(headers ->> 'x-endpoint', 60),
    last_client = left(headers ->> 'x-client', 60),
    used_on = case u.used_on[cardinality(u.used_on)] when today then u.used_on else array(
      select distinct day from unnest(u.used_on || today) as day where day between today - 29 and today order by day
    ) end,
    -- What takes the minute of GET / has been counted with it.
    answers = app.count_day(u.answers, u.counted_on,
      case when u.last_used_at > now() - interval '1 minute' and u.last_used_at < now() + interval '1 minute' then 0 else 1 end),
    refusals = app.count_day(u.refusals, u.counted_on, 0),
    counted_on = today
  where (u.company_id, u.key_id) in (
    select free.company_id, free.key_id
    from app.api_key_uses as free
    where free.company_id = note_use.company_id and free.key_id = note_use.key_id
      and app.may_note(free.last_used_at, free.last_endpoint, headers ->> 'x-endpoint')
    for update skip locked
  );
end
$function$;

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
             app.count_day(u.refusals, u.counted_on, 0) AS refusals
            FROM (((app.api_keys k
              JOIN app.members creator ON (((creator.company_id = k.company_id) AND (creator.id = k.created_by))))
              LEFT JOIN app.members revoker ON (((revoker.company_id = k.company_id) AND (revoker.id = k.revoked_by))))
              LEFT JOIN app.api_key_uses u ON (((u.company_id = k.company_id) AND (u.key_id = k.id))))
           WHERE ((list_api_keys.key_id IS NULL) OR (k.id = list_api_keys.key_id))
           ORDER BY k.created_at DESC, k.id DESC) listed;
END;

REVOKE ALL ON FUNCTION public.list_api_keys FROM PUBLIC, anon, authenticated, service_role;

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
  -- who agreed.
  perform set_config('request.jwt.claims', json_build_object('sub', account, 'role', 'authenticated')::text, true);
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

COMMENT ON COLUMN "app"."api_key_uses"."answers" IS 'How many notes of answers were made on each of the 30 days up to counted_on, in UTC, oldest first: at most one a minute. Empty before the first.';

COMMENT ON COLUMN "app"."api_key_uses"."counted_on" IS 'The day of the last counted note: the last of answers and refusals.';

COMMENT ON COLUMN "app"."api_key_uses"."refusals" IS 'The same of refusals, of a dead key or for a scope.';

COMMENT ON FUNCTION "app"."count_day"(integer[], date, integer) IS 'The numbers of 30 days up to counted_on as those up to today, without those of older days, and so much more today.';

COMMENT ON FUNCTION "app"."current_admins"() IS 'The members of the signed-in admin''s company who can sign in as admins; no row for anybody else.';

COMMENT ON FUNCTION "public"."list_api_keys"(uuid) IS 'The API keys of the admin''s company, or one of them, newest first, as a JSON array without keys and hashes; empty for anybody else. answers and refusals: how many notes of each the last 30 days have, oldest first.';

COMMENT ON FUNCTION "public"."replace_api_key"(uuid, interval, timestamp with time zone, text[]) IS 'Makes a successor of a key, with other scopes if some are given, and returns it as create_api_key does; the old key expires after the overlap, 0, 1 hour, 24 hours or 7 days. PT400, PT404, PT409.';

REVOKE ALL ON FUNCTION "app"."count_day"(integer[], date, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."count_day"(integer[], date, integer) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "app"."current_admins"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."current_admins"() TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."list_api_keys"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."list_api_keys"(uuid) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."replace_api_key"(uuid, interval, timestamp with time zone, text[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."replace_api_key"(uuid, interval, timestamp with time zone, text[]) TO "authenticated", "postgres";

REVOKE ALL ("assistant_address") ON TABLE "app"."api_keys" FROM "authenticated";

GRANT SELECT ("assistant_address") ON TABLE "app"."api_keys" TO "authenticated";
