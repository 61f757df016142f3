set lock_timeout = '5s';
set statement_timeout = '60s';

SET local check_function_bodies = off;

CREATE OR REPLACE FUNCTION app.authenticate (
  key_hash       text,
  required_scope text
)
  RETURNS app.verified_key
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET jit TO 'off'
  AS $function$
declare
  verified app.verified_key;
  use_is_noted boolean;
  serving text;
  slot integer := 1;
  bound_to text;
begin
  select k.company_id, k.id, k.name, k.scopes, k.expires_at,
    -- Not a time that lies in the future, since a clock was wrong: the next use corrects it.
    coalesce(u.last_used_at > now() - interval '1 minute' and u.last_used_at < now() + interval '1 minute', false), c.serving
  into verified.company_id, verified.key_id, verified.key_name, verified.scopes, verified.expires_at, use_is_noted, serving
  from app.api_keys as k
  cross join lateral (
    select used.last_used_at from app.api_key_uses as used where used.company_id = k.company_id and used.key_id = k.id offset 0
  ) as u
  cross join lateral (select company.serving from app.companies as company where company.id = k.company_id offset 0) as c
  where k.key_hash = decode(authenticate.key_hash, 'hex')
    and k.revoked_at is null
    and (k.expires_at is null or k.expires_at > now())
    and c.serving <> 'closed';

  if not found then
    raise exception using errcode = 'PT401', message = 'Unauthorized: Invalid or missing API Key';
  end if;

  -- Where a company has moved away from, nothing of it can be written any more.
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

  -- One of the company's slots is taken until the end of the transaction, once: a company that it is bound to already has its slot. An
  -- advisory lock writes nothing and is gone however the transaction ends, or the server. Its 64 bits are a hash of the company's id, seeded
  -- with the slot and a number of our own, so that it is neither another company's nor somebody else's lock.
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

  -- At most once a minute, and not where the company has moved away from.
  if not use_is_noted and serving = 'open' then
    perform app.note_use(verified.company_id, verified.key_id);
  end if;

  -- Assigned and not performed, which would run it as a query.
  bound_to := set_config('app.company_id', verified.company_id::text, true);
  return verified;
end
$function$;
