set lock_timeout = '2s';
set statement_timeout = '60s';

set local check_function_bodies = off;

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
          detail = json_build_object('key_id', verified.key_id, 'company_id', verified.company_id);
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

CREATE OR REPLACE FUNCTION public.verify_api_key(key_hash text, required_scope text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET jit TO 'off'
 SET lock_timeout TO '5s'
 SET statement_timeout TO '7s'
AS $function$
declare
  api_key app.verified_key;
  company_name text;
begin
  if not row_security_active('app.companies'::regclass) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, required_scope);
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

COMMENT ON FUNCTION "public"."verify_api_key"(text, text) IS 'Checks a key and, when it is given, a scope: { company_name, key_name, scopes, expires_at, company_id, requests_at_once }. PT401, PT403.';

REVOKE ALL ON FUNCTION "app"."requests_at_once"() FROM "public_api";

GRANT EXECUTE ON FUNCTION "app"."requests_at_once"() TO "public_api";
