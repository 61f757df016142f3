-- app.authenticate verifies a key by its hash and sets the key's company for the transaction. Every request calls it.
--
-- It is owned by postgres, which alone may read the table of keys, and only public_api may execute it. Call it first,
-- then read in a separate statement, because the policies use the company that it has set.

create type app.verified_key as (company_id uuid, key_id uuid, key_name text, scopes text[], expires_at timestamptz);

revoke all on type app.verified_key from public;
grant usage on type app.verified_key to public_api;
comment on type app.verified_key is 'A key that app.authenticate has verified.';

-- The only place with this number: the Edge Function learns it when it verifies a key that is new to it. Operators with
-- more compute can change it (create or replace function). Sessions use the new number at once, because the function is
-- stable; sessions would keep the value of an immutable function.
create function app.requests_at_once() returns integer
language sql stable set search_path = ''
return 4;

comment on function app.requests_at_once is
  'How many requests of one company run in the database at the same moment. More get PT429. For operators to replace.';

-- The same for totals, of all companies and all instances together: each may keep a processor busy for a second.
create function app.totals_at_once() returns integer
language sql stable set search_path = ''
return 2;

comment on function app.totals_at_once is
  'How many totals run in the database at the same moment, one of a company. More get PT429. For operators to replace.';

-- Whether a note may be made now: of its kind at most one a minute, but any endpoint takes the minute of GET /, which most
-- programs call first and quick checks call alone. A last note in the future, from a wrong clock, is replaced.
create function app.may_note(noted_at timestamptz, noted_endpoint text default null, endpoint text default null) returns boolean
language sql stable set search_path = ''
return (noted_at > now() - interval '1 minute' and noted_at < now() + interval '1 minute') is not true
  or (noted_endpoint = 'GET /' and endpoint <> 'GET /') is true;

-- The numbers of 30 days up to counted_on as those up to today (UTC), without older days, and so much more today.
create function app.count_day(counts integer[], counted_on date, more integer) returns integer[]
language plpgsql stable set search_path = ''
as $$
declare
  days constant integer := coalesce((now() at time zone 'UTC')::date - counted_on, 30);
begin
  if days > 0 then
    counts := counts[days + 1:] || array_fill(0, array[least(days, 30)]);
  end if;
  counts[30] := counts[30] + more;
  return counts;
end
$$;

grant execute on function app.count_day to authenticated;

-- Both functions below read what the Edge Function says about the request for which it calls, in headers of the call: x-endpoint
-- (GET /activity), x-client (the program of the caller), x-quick-check (true). The Data API shows headers in the setting
-- request.headers, which is empty after a transaction that had some.

-- Records now as the last use of a key, with its endpoint, its client and its day, on which it counts, or as its last quick
-- check: an admin's on the dashboard is no use. It never waits: if the row is locked, the transaction that locks it records
-- the use. It records nothing while the database is read-only, because requests must still work then. The platform sets the
-- default to read-only when a disk is nearly full: so it checks the default, because PostgREST begins each POST as read write.
create function app.note_use(company_id uuid, key_id uuid) returns void
language plpgsql volatile set search_path = '' set enable_seqscan = off
as $$
declare
  headers constant json := nullif(current_setting('request.headers', true), '');
  is_check constant boolean := coalesce(headers ->> 'x-quick-check' = 'true', false);
  client constant text := left(headers ->> 'x-client', 60);
  today constant date := (now() at time zone 'UTC')::date;
  noted record;
begin
  if current_setting('default_transaction_read_only')::boolean or pg_is_in_recovery() then
    return;
  end if;
  select u.company_id, u.key_id into noted from app.api_key_uses as u
  where u.company_id = note_use.company_id and u.key_id = note_use.key_id and case when is_check
    then app.may_note(u.checked_at) else app.may_note(u.last_used_at, u.last_endpoint, headers ->> 'x-endpoint') end
  for update skip locked;
  if not found then
    return;
  elsif is_check then
    update app.api_key_uses as u set checked_at = now(), checked_client = client
    where u.company_id = noted.company_id and u.key_id = noted.key_id;
  else
    update app.api_key_uses as u set
      last_used_at = now(),
      last_endpoint = left(headers ->> 'x-endpoint', 60),
      last_client = client,
      used_on = case u.used_on[cardinality(u.used_on)] when today then u.used_on else array(
        select distinct day from unnest(u.used_on || today) as day where day between today - 29 and today order by day
      ) end,
      -- What takes the minute of GET / has been counted with it.
      answers = app.count_day(u.answers, u.counted_on, app.may_note(u.last_used_at)::integer),
      refusals = app.count_day(u.refusals, u.counted_on, 0),
      counted_on = today,
      -- An import: what was wrong with the one before is over.
      forbidden_reason = case when u.forbidden_endpoint <> headers ->> 'x-endpoint' then u.forbidden_reason end
    where u.company_id = noted.company_id and u.key_id = noted.key_id;
  end if;
end
$$;

-- Records now as the last refused use of a key that was revoked or has expired; or of a good key that lacks
-- missing_scope, or whose import was refused for a reason. At most once a minute each, likewise without waiting; an
-- import also where its use has just removed the reason. Nothing for any other key: unknown ones leave no trace, so
-- that nobody can fill the disk with them. Returns whether it has recorded it.
create function app.note_refused_use(key_hash text, missing_scope text, reason text) returns boolean
language plpgsql volatile security definer set search_path = '' set enable_seqscan = off set jit = off
as $$
declare
  headers constant json := nullif(current_setting('request.headers', true), '');
  endpoint constant text := left(headers ->> 'x-endpoint', 60);
  client constant text := left(headers ->> 'x-client', 60);
  today constant date := (now() at time zone 'UTC')::date;
  is_dead constant boolean := coalesce(missing_scope, reason) is null;
  refused record;
begin
  if current_setting('default_transaction_read_only')::boolean then
    return false;
  end if;
  select u.company_id, u.key_id,
    -- As in app.note_use.
    app.count_day(u.answers, u.counted_on, 0) as answers,
    app.count_day(u.refusals, u.counted_on,
      app.may_note(case when is_dead then u.refused_at else u.forbidden_at end)::integer) as refusals
  into refused
  from app.api_key_uses as u
  join app.api_keys as k on k.company_id = u.company_id and k.id = u.key_id
  join app.companies as c on c.id = k.company_id
  where k.key_hash = decode(note_refused_use.key_hash, 'hex') and c.serving = 'open'
    and case when k.revoked_at is not null or k.expires_at <= now()
      then is_dead and app.may_note(u.refused_at, u.refused_endpoint, endpoint)
      when reason is not null then u.forbidden_reason is null or app.may_note(u.forbidden_at)
      else missing_scope <> all (k.scopes) and missing_scope = any (app.scopes())
        and app.may_note(u.forbidden_at, u.forbidden_endpoint, endpoint) end
  for update of u skip locked;
  if not found then
    return false;
  end if;
  if is_dead then
    update app.api_key_uses as u
    set refused_at = now(), refused_endpoint = endpoint, refused_client = client,
      answers = refused.answers, refusals = refused.refusals, counted_on = today
    where u.company_id = refused.company_id and u.key_id = refused.key_id;
  else
    update app.api_key_uses as u
    set forbidden_at = now(), forbidden_endpoint = endpoint, forbidden_scope = missing_scope, forbidden_client = client,
      forbidden_reason = left(reason, 300), answers = refused.answers, refusals = refused.refusals, counted_on = today
    where u.company_id = refused.company_id and u.key_id = refused.key_id;
  end if;
  return true;
end
$$;

-- Sequential scans are off, as in the lists: a plan that was made while there were few keys would still scan the whole
-- table when there are many. For the same reason the last use is looked up by the key's id and not joined: a join may
-- read all keys of a company. A subselect of one value takes less time than lateral.
--
-- Raises these errors, which PostgREST turns into the HTTP status:
-- PT401: the key is unknown, revoked or expired.
-- PT403: the key lacks the scope.
-- PT429: too many requests of the company are running (app.requests_at_once); or the scope writes, and the company is
-- moving to another project. The caller should try again, in the second case perhaps at the other project.
-- The detail of an error has the ids of key and company for the request log, and that of too many requests how many may
-- run. That of a PT401 has them if the key is known; it is looked up for an unknown key too, which takes the same time.
create function app.authenticate(key_hash text, required_scope text) returns app.verified_key
language plpgsql volatile security definer set search_path = '' set enable_seqscan = off set jit = off
as $$
declare
  verified app.verified_key;
  last_use timestamptz;
  serving text;
  slot integer := 1;
  bound_to text;
begin
  select k.company_id, k.id, k.name, k.scopes, k.expires_at,
    (
      select case when u.last_endpoint is distinct from 'GET /' then u.last_used_at end
      from app.api_key_uses as u where u.company_id = k.company_id and u.key_id = k.id
    ),
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
      raise exception using errcode = 'PT401', message = 'Unauthorized: Invalid or missing API Key',
        detail = coalesce((
          select json_build_object('key_id', k.id, 'company_id', k.company_id)::text
          from app.api_keys as k where k.key_hash = decode(authenticate.key_hash, 'hex')
        ), '');
    end if;

    -- A company that has moved to another project can only be read here.
    if serving = 'readable' then
      verified.scopes := array(
        select scope from unnest(verified.scopes) with ordinality as s (scope, place)
        where scope not like 'write:%' order by place
      );
    end if;

    if required_scope <> all (verified.scopes) then
      raise exception using errcode = 'PT403',
        message = format('Forbidden: this key is missing the "%s" scope', required_scope),
        detail = json_build_object('key_id', verified.key_id, 'company_id', verified.company_id);
    end if;

    if serving = 'moving' and required_scope like 'write:%' then
      raise exception using errcode = 'PT429', message = 'the company is moving to another project',
        detail = json_build_object('key_id', verified.key_id, 'company_id', verified.company_id);
    end if;
  end if;

  -- Takes one of the company's slots until the end of the transaction, unless the transaction has one already. An
  -- advisory lock writes nothing, and is released however the transaction or the server ends. Its 64 bits are a hash of
  -- the company's id, seeded with the slot and a constant of this service, so that it differs from the locks of other
  -- companies and of other software.
  if current_setting('app.company_id', true) is distinct from verified.company_id::text then
    while not pg_try_advisory_xact_lock(uuid_hash_extended(verified.company_id, 7330216700000000 + slot)) loop
      slot := slot + 1;
      if slot > app.requests_at_once() then
        raise exception using errcode = 'PT429', message = 'Too Many Requests',
          detail = json_build_object('key_id', verified.key_id, 'company_id', verified.company_id);
      end if;
    end loop;
  end if;

  -- At most once a minute, and only in the project that the company is in. After GET /, and for it (it may be a quick check),
  -- app.note_use decides. A time in the future, from a wrong clock, does not count.
  if serving = 'open' and (
    required_scope is null or (last_use > now() - interval '1 minute' and last_use < now() + interval '1 minute') is not true
  ) then
    perform app.note_use(verified.company_id, verified.key_id);
  end if;

  -- Assigned and not performed, which would run it as a query.
  bound_to := set_config('app.company_id', verified.company_id::text, true);
  return verified;
end
$$;

-- Lets a total of this key run until the end of the transaction, or raises PT429, as app.authenticate. The constants are
-- those of its locks: slot 0 of the company, and numbers that are no hash.
create function app.take_turn_of_total(key_id uuid, company_id uuid) returns void
language plpgsql volatile set search_path = ''
as $$
declare
  base constant bigint := 7330216700000000;
begin
  if pg_try_advisory_xact_lock(uuid_hash_extended(company_id, base)) then
    for slot in 1..app.totals_at_once() loop
      if pg_try_advisory_xact_lock(base + slot) then
        return;
      end if;
    end loop;
  end if;
  raise exception using errcode = 'PT429', message = 'Too Many Requests',
    detail = json_build_object('key_id', key_id, 'company_id', company_id);
end
$$;

grant execute on function
  app.requests_at_once, app.totals_at_once, app.note_refused_use, app.authenticate, app.take_turn_of_total
to public_api;
