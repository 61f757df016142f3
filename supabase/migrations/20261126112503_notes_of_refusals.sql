set lock_timeout = '2s';
set statement_timeout = '60s';

set local check_function_bodies = off;

DROP FUNCTION "app"."is_recent"(timestamp with time zone);

CREATE OR REPLACE FUNCTION app.may_note(noted_at timestamp with time zone, noted_endpoint text DEFAULT NULL::text, endpoint text DEFAULT NULL::text)
 RETURNS boolean
 LANGUAGE sql
 STABLE
 SET search_path TO ''
RETURN ((((noted_at > (now() - '00:01:00'::interval)) AND (noted_at < (now() + '00:01:00'::interval))) IS NOT TRUE) OR (((noted_endpoint = 'GET /'::text) AND (endpoint <> 'GET /'::text)) IS TRUE));

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
  refused record;
begin
  if current_setting('default_transaction_read_only')::boolean then
    return false;
  end if;
  select u.company_id, u.key_id into refused
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
    update app.api_key_uses as u set refused_at = now(), refused_endpoint = endpoint, refused_client = client
    where u.company_id = refused.company_id and u.key_id = refused.key_id;
  else
    update app.api_key_uses as u
    set forbidden_at = now(), forbidden_endpoint = endpoint, forbidden_scope = missing_scope, forbidden_client = client
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
    used_on = array(
      select distinct day from unnest(u.used_on || today) as day where day between today - 29 and today order by day
    )
  where (u.company_id, u.key_id) in (
    select free.company_id, free.key_id
    from app.api_key_uses as free
    where free.company_id = note_use.company_id and free.key_id = note_use.key_id
      and app.may_note(free.last_used_at, free.last_endpoint, headers ->> 'x-endpoint')
    for update skip locked
  );
end
$function$;

CREATE OR REPLACE PROCEDURE app.forget_all_deletions()
 LANGUAGE plpgsql
AS $procedure$
declare
  list record;
  last app.forgotten_deletions;
  reached app.forgotten_deletions;
begin
  delete from app.assistant_codes as c where c.expires_at < now();
  -- app.forget_deletions begins at the mark of what is forgotten. Rows below it are those that app.forget_cursors has made
  -- worthless, and those of transactions that ended late. Up to 50,000 in a night.
  delete from app.deletions as d using app.forgotten_deletions as f
  where d.ctid = any (array(
      select o.ctid from app.deletions as o join app.forgotten_deletions as m using (company_id, relation)
      where (o.deleted_in, o.id) <= (m.deleted_in, m.id) limit 50000
    ))
    and f.company_id = d.company_id and f.relation = d.relation and (d.deleted_in, d.id) <= (f.deleted_in, f.id);
  commit;
  for list in
    select distinct d.company_id, d.relation from app.deletions as d join app.companies as c on c.id = d.company_id
  loop
    last := null;
    loop
      exit when app.is_time_up();
      perform app.forget_deletions(list.company_id, list.relation);
      select f.* into reached from app.forgotten_deletions as f
      where f.company_id = list.company_id and f.relation = list.relation;
      commit;
      exit when reached is not distinct from last;
      last := reached;
    end loop;
  end loop;
end
$procedure$;

COMMENT ON FUNCTION "app"."may_note"(timestamp with time zone, text, text) IS 'Whether a note may be made now, a minute after the last one or in place of one of GET /.';

COMMENT ON FUNCTION "app"."overdue"() IS 'The tables with rows older than the retention of their company, and how late they are.';

REVOKE ALL ON FUNCTION "app"."may_note"(timestamp with time zone, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."may_note"(timestamp with time zone, text, text) TO "postgres";
