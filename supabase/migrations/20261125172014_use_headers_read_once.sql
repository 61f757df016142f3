set lock_timeout = '2s';
set statement_timeout = '60s';

set local check_function_bodies = off;

DROP FUNCTION "app"."request_header"(text);

CREATE OR REPLACE FUNCTION app.note_refused_use(key_hash text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
declare
  headers constant json := nullif(current_setting('request.headers', true), '');
begin
  if current_setting('default_transaction_read_only')::boolean then
    return false;
  end if;
  update app.api_key_uses as u set
    refused_at = now(),
    refused_endpoint = left(headers ->> 'x-endpoint', 60),
    refused_client = left(headers ->> 'x-client', 60)
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
  headers constant json := nullif(current_setting('request.headers', true), '');
  today constant date := (now() at time zone 'UTC')::date;
begin
  if current_setting('default_transaction_read_only')::boolean or pg_is_in_recovery() or headers ->> 'x-quick-check' = 'true' then
    return;
  end if;
  update app.api_key_uses as u set
    last_used_at = now(),
    last_endpoint = left(headers ->> 'x-endpoint', 60),
    last_client = left(headers ->> 'x-client', 60),
    used_on = array(select distinct day from unnest(u.used_on || today) as day where day between today - 29 and today order by day)
  where (u.company_id, u.key_id) in (
    select free.company_id, free.key_id
    from app.api_key_uses as free
    where free.company_id = note_use.company_id and free.key_id = note_use.key_id
    for update skip locked
  );
end
$function$;
