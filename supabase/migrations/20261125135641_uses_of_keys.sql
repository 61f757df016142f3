set lock_timeout = '2s';
set statement_timeout = '60s';

set local check_function_bodies = off;

grant create on schema public to public_api;

ALTER TABLE "app"."api_key_uses" ADD COLUMN "last_endpoint" text;

ALTER TABLE "app"."api_key_uses" ADD COLUMN "last_client" text;

ALTER TABLE "app"."api_key_uses" ADD COLUMN "used_on" date[] NOT NULL DEFAULT '{}'::date[];

ALTER TABLE "app"."api_key_uses" ADD COLUMN "refused_at" timestamp with time zone;

ALTER TABLE "app"."api_key_uses" ADD COLUMN "refused_endpoint" text;

ALTER TABLE "app"."api_key_uses" ADD COLUMN "refused_client" text;

CREATE OR REPLACE FUNCTION app.authenticate(key_hash text, required_scope text)
 RETURNS app.verified_key
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
declare
  verified app.verified_key;
  last_use timestamptz;
  serving text;
  slot integer := 1;
  bound_to text;
begin
  select k.company_id, k.id, k.name, k.scopes, k.expires_at,
    (select u.last_used_at from app.api_key_uses as u where u.company_id = k.company_id and u.key_id = k.id),
    (select c.serving from app.companies as c where c.id = k.company_id)
  into verified.company_id, verified.key_id, verified.key_name, verified.scopes, verified.expires_at, last_use, serving
  from app.api_keys as k
  where k.key_hash = decode(authenticate.key_hash, 'hex')
    and k.revoked_at is null
    and (k.expires_at is null or k.expires_at > now());

  -- One check passes nearly all requests, because PL/pgSQL prepares each anew in every transaction. It is null for an unknown
  -- key, and where any scope will do.
  if (serving = 'open' and required_scope = any (verified.scopes)) is not true then
    if not found or serving = 'closed' then
      raise exception using
        errcode = 'PT401',
        message = 'Unauthorized: Invalid or missing API Key',
        detail = coalesce(
          (
            select json_build_object('key_id', k.id, 'company_id', k.company_id)::text
            from app.api_keys as k where k.key_hash = decode(authenticate.key_hash, 'hex')
          ),
          ''
        );
    end if;

    -- A company that has moved to another project can only be read here.
    if serving = 'readable' then
      verified.scopes := array(select scope from unnest(verified.scopes) with ordinality as s (scope, place) where scope not like 'write:%' order by place);
    end if;

    if required_scope <> all (verified.scopes) then
      raise exception using
        errcode = 'PT403',
        message = format('Forbidden: this key is missing the "%s" scope', required_scope),
        detail = json_build_object('key_id', verified.key_id, 'company_id', verified.company_id);
    end if;

    if serving = 'moving' and required_scope like 'write:%' then
      raise exception using
        errcode = 'PT429',
        message = 'the company is moving to another project',
        detail = json_build_object('key_id', verified.key_id, 'company_id', verified.company_id);
    end if;
  end if;

  -- Takes one of the company's slots until the end of the transaction, unless the transaction has one already. An advisory lock writes
  -- nothing, and is released however the transaction or the server ends. Its 64 bits are a hash of the company's id, seeded with the slot
  -- and a constant of this service, so that it differs from the locks of other companies and of other software.
  if current_setting('app.company_id', true) is distinct from verified.company_id::text then
    while not pg_try_advisory_xact_lock(uuid_hash_extended(verified.company_id, 7330216700000000 + slot)) loop
      slot := slot + 1;
      if slot > app.requests_at_once() then
        raise exception using
          errcode = 'PT429',
          message = 'Too Many Requests',
          detail = json_build_object(
            'key_id', verified.key_id, 'company_id', verified.company_id, 'requests_at_once', app.requests_at_once()
          );
      end if;
    end loop;
  end if;

  -- At most once a minute, and only in the project that the company is in. A time in the future, from a wrong clock, does
  -- not count: this use corrects it.
  if serving = 'open' and (last_use > now() - interval '1 minute' and last_use < now() + interval '1 minute') is not true then
    perform app.note_use(verified.company_id, verified.key_id);
  end if;

  -- Assigned and not performed, which would run it as a query.
  bound_to := set_config('app.company_id', verified.company_id::text, true);
  return verified;
end
$function$;

CREATE OR REPLACE FUNCTION app.note_refused_use(key_hash text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
begin
  if current_setting('default_transaction_read_only')::boolean then
    return false;
  end if;
  update app.api_key_uses as u set
    refused_at = now(),
    refused_endpoint = app.request_header('x-endpoint'),
    refused_client = app.request_header('x-client')
  where (u.company_id, u.key_id) in (
    select free.company_id, free.key_id
    from app.api_key_uses as free
    join app.api_keys as k on k.company_id = free.company_id and k.id = free.key_id
    join app.companies as c on c.id = k.company_id
    where k.key_hash = decode(note_refused_use.key_hash, 'hex')
      and (k.revoked_at is not null or k.expires_at <= now())
      and c.serving = 'open'
      and (free.refused_at > now() - interval '1 minute' and free.refused_at < now() + interval '1 minute') is not true
    for update of free skip locked
  );
  return found;
end
$function$;

CREATE OR REPLACE FUNCTION app.note_use(company_id uuid, key_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
 SET enable_seqscan TO 'off'
AS $function$
declare
  today constant date := (now() at time zone 'UTC')::date;
begin
  if current_setting('default_transaction_read_only')::boolean or pg_is_in_recovery() or app.request_header('x-quick-check') = 'true' then
    return;
  end if;
  update app.api_key_uses as u set
    last_used_at = now(),
    last_endpoint = app.request_header('x-endpoint'),
    last_client = app.request_header('x-client'),
    used_on = array(select distinct day from unnest(u.used_on || today) as day where day between today - 29 and today order by day)
  where (u.company_id, u.key_id) in (
    select free.company_id, free.key_id
    from app.api_key_uses as free
    where free.company_id = note_use.company_id and free.key_id = note_use.key_id
    for update skip locked
  );
end
$function$;

CREATE OR REPLACE FUNCTION app.request_header(name text)
 RETURNS text
 LANGUAGE sql
 STABLE
 SET search_path TO ''
RETURN "left"(((NULLIF(current_setting('request.headers'::text, true), ''::text))::json ->> name), 60);

CREATE OR REPLACE FUNCTION public.list_api_keys()
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
             u.refused_client
            FROM (((app.api_keys k
              JOIN app.members creator ON (((creator.company_id = k.company_id) AND (creator.id = k.created_by))))
              LEFT JOIN app.members revoker ON (((revoker.company_id = k.company_id) AND (revoker.id = k.revoked_by))))
              LEFT JOIN app.api_key_uses u ON (((u.company_id = k.company_id) AND (u.key_id = k.id))))
           ORDER BY k.created_at DESC, k.id DESC) listed;
END;

CREATE OR REPLACE FUNCTION public.note_refused_use(key_hash text)
 RETURNS json
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
 SET jit TO 'off'
 SET lock_timeout TO '5s'
 SET statement_timeout TO '7s'
AS $function$select to_json(app.note_refused_use(key_hash))$function$;

REVOKE ALL ON FUNCTION public.note_refused_use FROM PUBLIC, anon, authenticated, service_role;

ALTER FUNCTION "public"."note_refused_use"(text) OWNER TO "public_api";

COMMENT ON COLUMN "app"."api_key_uses"."last_client" IS 'The program, such as python-requests/2.32.3, from its User-Agent; at most 60 characters.';

COMMENT ON COLUMN "app"."api_key_uses"."last_endpoint" IS 'Method and path, such as GET /activity.';

COMMENT ON COLUMN "app"."api_key_uses"."refused_at" IS 'When the key, revoked or expired, was last refused, to the minute; where and which program as for the last use.';

COMMENT ON COLUMN "app"."api_key_uses"."used_on" IS 'The days of the last 30 on which the key was used, in UTC, oldest first, as of the last use.';

COMMENT ON FUNCTION "app"."note_refused_use"(text) IS 'Records now as the last refused use of a revoked or expired key, by its SHA-256 in hex. Returns whether it has.';

COMMENT ON FUNCTION "app"."note_use"(uuid, uuid) IS 'Records now as the last use of a key, unless another transaction is doing so, the database is read-only, or it is a quick check.';

COMMENT ON FUNCTION "app"."request_header"(text) IS 'A header of the call to the Data API, at most 60 characters of it, or null.';

COMMENT ON FUNCTION "public"."note_refused_use"(text) IS 'Records now as the last refused use of a revoked or expired key, at most once a minute. Returns true or false: whether it has.';

COMMENT ON TABLE "app"."api_key_uses" IS 'When an API key was last used, to the minute, where and by what program; and when it was last refused.';

REVOKE ALL ON FUNCTION "app"."note_refused_use"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."note_refused_use"(text) TO "postgres", "public_api";

REVOKE ALL ON FUNCTION "app"."request_header"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."request_header"(text) TO "postgres";

REVOKE ALL ON FUNCTION "public"."note_refused_use"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."note_refused_use"(text) TO "service_role";

revoke create on schema public from public_api;
