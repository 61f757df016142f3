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
  select k.company_id, k.id, k.name, k.scopes, k.expires_at, coalesce(u.last_used_at > now() - interval '1 minute', false), c.serving
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

CREATE OR REPLACE FUNCTION public.upsert_rewards (
  key_hash text,
  rewards  text
)
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
  sent constant jsonb := rewards::jsonb;
  -- The external_ids whose row came without an optional field, as the keys of an object: asked where a row meets one that exists.
  without_description jsonb;
  without_reward_type jsonb;
begin
  if not row_security_active('app.rewards'::regclass) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'write:rewards');
  -- The platform makes read-only the default when a disk is nearly full. PostgREST begins this transaction as read write
  -- all the same, so that the rows would be written.
  if current_setting('default_transaction_read_only')::boolean then
    raise exception using errcode = 'read_only_sql_transaction', message = 'the database is read-only';
  end if;

  select
    coalesce(jsonb_object_agg(reward.fields ->> 'external_id', true) filter (where not reward.fields ? 'description'), '{}'),
    coalesce(jsonb_object_agg(reward.fields ->> 'external_id', true) filter (where not reward.fields ? 'reward_type'), '{}')
  into without_description, without_reward_type
  from jsonb_array_elements(sent) as reward (fields);

  insert into app.rewards as reward (company_id, external_id, name, description, points_cost, reward_type)
  select
    api_key.company_id,
    sent_reward.external_id,
    sent_reward.name,
    sent_reward.description,
    sent_reward.points_cost,
    coalesce(sent_reward.reward_type, 'perk')
  from jsonb_to_recordset(sent)
    as sent_reward (external_id text, name text, description text, points_cost bigint, reward_type text)
  order by sent_reward.external_id collate "C"
  on conflict (company_id, external_id) do update set
    name = excluded.name,
    points_cost = excluded.points_cost,
    description = case when without_description ? excluded.external_id then reward.description else excluded.description end,
    reward_type = case when without_reward_type ? excluded.external_id then reward.reward_type else excluded.reward_type end
  where (reward.name, reward.points_cost) is distinct from (excluded.name, excluded.points_cost)
    or (reward.description is distinct from excluded.description and not without_description ? excluded.external_id)
    or (reward.reward_type is distinct from excluded.reward_type and not without_reward_type ? excluded.external_id);

  return app.respond(api_key.key_id, api_key.company_id, format('{"imported":%s}', jsonb_array_length(sent))::json);
end
$function$;

CREATE OR REPLACE FUNCTION public.verify_api_key (
  key_hash       text,
  required_scope text DEFAULT NULL::text
)
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
      'company_id', api_key.company_id
    )
  );
end
$function$;

COMMENT ON FUNCTION "public"."upsert_rewards"(text, text) IS 'Creates or updates rewards of the key''s company by external_id: { imported }. write:rewards. PT401, PT403, PT429; 25006 while the database is read-only.';

COMMENT ON FUNCTION "public"."verify_api_key"(text, text) IS 'Checks a key and, when it is given, a scope: { company_name, key_name, scopes, expires_at, company_id }. PT401, PT403.';
