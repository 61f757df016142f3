-- app.authenticate: the one door. Verifies a key by its hash and binds the transaction to the company that owns it.
--
-- It is owned by postgres, the only one who reads the key table, and only public_api may execute it. Call it first and read in
-- a statement of its own after it: policies look at the company that it has set.

create type app.verified_key as (company_id uuid, key_id uuid, key_name text, scopes text[], expires_at timestamptz);

revoke all on type app.verified_key from public;
grant usage on type app.verified_key to public_api;
comment on type app.verified_key is 'What app.authenticate knows of a key once it has verified it.';

-- Reading a table from end to end is off, as in the lists: a plan made while there were few keys would do it when there are many. For
-- the same reason the last use is looked up from the key and not joined: a join may go through all keys of a company.
--
-- Raises PT401 (unknown, revoked or expired: HTTP 401) or PT403 (the scope is missing: HTTP 403); PostgREST turns these into
-- the HTTP status. PT429 while the company is moving to another project, for a scope that writes: to be tried again, here or there.
-- The detail of a PT403 names key and company for the request log.
create function app.authenticate(key_hash text, required_scope text) returns app.verified_key
language plpgsql volatile security definer
set search_path = ''
set enable_seqscan = off
set jit = off
as $$
declare
  verified app.verified_key;
  use_is_noted boolean;
  serving text;
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
    raise exception using errcode = 'PT429', message = 'the company is moving to another project';
  end if;

  -- At most once a minute, and never waiting: whoever finds the row locked leaves it to the one who holds it. Not at all while the
  -- database is read-only, which the platform makes it by default when a disk is nearly full: a page is worth more than the note. PostgREST
  -- begins every POST as read write, in spite of that default; therefore both are asked.
  if not use_is_noted
    and serving = 'open'
    and not current_setting('transaction_read_only')::boolean
    and not current_setting('default_transaction_read_only')::boolean
  then
    update app.api_key_uses as u set last_used_at = now()
    where (u.company_id, u.key_id) in (
      select free.company_id, free.key_id
      from app.api_key_uses as free
      where free.company_id = verified.company_id and free.key_id = verified.key_id
      for update skip locked
    );
  end if;

  -- Assigned and not performed, which would run it as a query.
  bound_to := set_config('app.company_id', verified.company_id::text, true);
  return verified;
end
$$;

revoke all on function app.authenticate from public;
grant execute on function app.authenticate to public_api;
comment on function app.authenticate is
  'Verifies an API key by its SHA-256 in hex and sets the company of this transaction. PT401, PT403. A null scope asks for none.';
