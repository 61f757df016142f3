-- What the dashboard calls, signed in through Supabase Auth (docs/api.md, Authentication; docs/operations.md). Security invoker: the
-- policies and grants of authenticated decide. Errors for the admin leave as PT400 and PT403, which PostgREST turns into that
-- HTTP status; the hint of a PT400 names the field.

-- Date-times as the API says them (docs/api.md, Lists): ISO 8601 in UTC with microseconds and Z.
create function app.iso_8601(instant timestamptz) returns text
language sql stable set search_path = ''
return to_char(instant at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');

revoke all on function app.iso_8601(timestamptz) from public;
grant execute on function app.iso_8601(timestamptz) to authenticated;
comment on function app.iso_8601(timestamptz) is 'A date-time as the API says it, 2026-11-21T10:15:30.123456Z.';

-- Links the signed-in person to their member row, by confirmed e-mail address and without case, once and for good.
-- Security definer, because it looks through all companies; in app, because nothing of that kind stands in an exposed schema.
create function app.link_member() returns text
language plpgsql volatile security definer set search_path = ''
as $$
declare
  status text;
  account record;
  candidates record;
begin
  select case when c.serving = 'open' then 'linked' else 'moved' end into status
  from app.member_accounts as a
  join app.companies as c on c.id = a.company_id
  where a.user_id = (select auth.uid());
  if found then
    return status;
  end if;

  select u.id, u.email, u.email_confirmed_at into account from auth.users as u where u.id = (select auth.uid());
  if not found then
    raise exception using errcode = 'PT401', message = 'this account no longer exists';
  elsif account.email_confirmed_at is null then
    return 'email_not_confirmed';
  end if;

  select count(*) as found, (array_agg(m.company_id))[1] as company_id, (array_agg(m.id))[1] as member_id into candidates
  from app.members as m
  join app.companies as c on c.id = m.company_id and c.serving = 'open'
  where lower(m.email) = lower(account.email)
    and not exists (select from app.member_accounts as a where a.company_id = m.company_id and a.member_id = m.id);
  if candidates.found = 0 then
    -- Two first calls at once: the other one may have linked this sign-in since it was looked for above.
    return case when exists (select from app.member_accounts as a where a.user_id = account.id) then 'linked' else 'no_member' end;
  elsif candidates.found > 1 then
    return 'several_members';
  end if;

  insert into app.member_accounts (user_id, company_id, member_id)
  values (account.id, candidates.company_id, candidates.member_id);
  return 'linked';
exception
  -- Two first calls at once: the other one has linked this sign-in, or this member.
  when unique_violation then
    return case when exists (select from app.member_accounts as a where a.user_id = account.id) then 'linked' else 'no_member' end;
end
$$;

revoke all on function app.link_member() from public;
grant execute on function app.link_member() to authenticated;
comment on function app.link_member() is
  'Links the signed-in person to their member row: linked, moved (linked, but the company has moved to another project), email_not_confirmed, no_member or several_members. PT401 when the account is gone.';

-- Who the signed-in person is: their own member row, whatever their role.
create function app.current_member(out company_name text, out name text, out role text) returns setof record
language sql stable rows 1 security definer set search_path = ''
begin atomic
  select c.name, m.name, m.role
  from app.member_accounts as a
  join app.members as m on m.company_id = a.company_id and m.id = a.member_id
  join app.companies as c on c.id = m.company_id
  where a.user_id = (select auth.uid());
end;

revoke all on function app.current_member() from public;
grant execute on function app.current_member() to authenticated;
comment on function app.current_member() is 'Company name, name and role of the signed-in member; no row before link_member.';

create function public.link_member() returns json
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  status constant text := app.link_member();
  member record;
begin
  select * into member from app.current_member();
  return json_build_object('status', status, 'company_name', member.company_name, 'name', member.name, 'role', case status when 'linked' then member.role end);
end
$$;

revoke all on function public.link_member() from public, anon, service_role;
grant execute on function public.link_member() to authenticated;
comment on function public.link_member() is
  'To be called after sign-in: { status, company_name, name, role }, status linked, moved (no role then), email_not_confirmed, no_member or several_members. PT401 when the account is gone.';

create function public.create_api_key(
  name text,
  scopes text[] default array['read:members', 'read:activity'],
  expires_at timestamptz default null
)
returns json
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  created record;
  api_key text;
begin
  if not exists (select from app.current_admin()) then
    raise exception using errcode = 'PT403', message = 'only an admin may create API keys';
  end if;
  -- A character that is to be seen: no white space of Unicode, nor what has no width.
  if name is null or char_length(name) > 100 or name !~ '[^\s\u0085\u00a0\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u2064\u3000\ufeff]' then
    raise exception using errcode = 'PT400', hint = 'name', message = 'name must be a text of 1 to 100 characters';
  end if;
  -- Null for no scopes, 2 for an array of arrays.
  if array_ndims(scopes) is distinct from 1 or not scopes <@ app.scopes()
    or cardinality(scopes) > (select count(distinct scope) from unnest(scopes) as scope) then
    raise exception using errcode = 'PT400', hint = 'scopes',
      message = 'scopes must be one or more of ' || array_to_string(app.scopes(), ', ') || ', each once';
  end if;
  if expires_at <= now() or expires_at >= '10000-01-01Z' then
    raise exception using errcode = 'PT400', hint = 'expires_at', message = 'expires_at must be in the future, before the year 10000';
  end if;

  insert into app.api_keys as k (name, scopes, expires_at)
  values (create_api_key.name, create_api_key.scopes, create_api_key.expires_at)
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
$$;

revoke all on function public.create_api_key(text, text[], timestamptz) from public, anon, service_role;
grant execute on function public.create_api_key(text, text[], timestamptz) to authenticated;
comment on function public.create_api_key(text, text[], timestamptz) is
  'Makes an API key and returns it, this once: { id, name, api_key, hint, scopes, created_at, expires_at }. PT400, PT403.';

create function public.list_api_keys() returns json
language sql stable security invoker set search_path = ''
begin atomic
  select coalesce(json_agg(row_to_json(listed)), '[]')
  from (
    select
      k.id,
      k.name,
      k.hint,
      k.scopes,
      case
        when k.revoked_at is not null then 'revoked'
        when k.expires_at <= now() then 'expired'
        else 'active'
      end as status,
      app.iso_8601(k.created_at) as created_at,
      creator.name as created_by,
      app.iso_8601(k.expires_at) as expires_at,
      app.iso_8601(u.last_used_at) as last_used_at,
      app.iso_8601(k.revoked_at) as revoked_at,
      revoker.name as revoked_by
    from app.api_keys as k
    join app.members as creator on creator.company_id = k.company_id and creator.id = k.created_by
    left join app.members as revoker on revoker.company_id = k.company_id and revoker.id = k.revoked_by
    left join app.api_key_uses as u on u.company_id = k.company_id and u.key_id = k.id
    order by k.created_at desc, k.id desc
  ) as listed;
end;

revoke all on function public.list_api_keys() from public, anon, service_role;
grant execute on function public.list_api_keys() to authenticated;
comment on function public.list_api_keys() is
  'The API keys of the admin''s company, newest first, as a JSON array without keys and hashes; empty for anybody else.';

create function public.revoke_api_key(key_id uuid) returns json
language plpgsql volatile security invoker
set search_path = ''
set lock_timeout = '5s'
as $$
declare
  revoked record;
begin
  update app.api_keys as k set revoked_at = now() where k.id = key_id;

  select k.id, k.revoked_at, m.name as revoked_by into revoked
  from app.api_keys as k
  join app.members as m on m.company_id = k.company_id and m.id = k.revoked_by
  where k.id = key_id;
  if not found then
    raise exception using errcode = 'PT404', message = 'no API key of your company has this id';
  end if;

  return json_build_object('id', revoked.id, 'revoked_at', app.iso_8601(revoked.revoked_at), 'revoked_by', revoked.revoked_by);
end
$$;

revoke all on function public.revoke_api_key(uuid) from public, anon, service_role;
grant execute on function public.revoke_api_key(uuid) to authenticated;
comment on function public.revoke_api_key(uuid) is
  'Revokes a key of the admin''s company, for good; of a revoked key, changes nothing: { id, revoked_at, revoked_by }. PT404.';

create function public.list_api_key_events() returns json
language sql stable security invoker set search_path = ''
begin atomic
  select coalesce(json_agg(row_to_json(listed)), '[]')
  from (
    select
      app.iso_8601(e.created_at) as created_at,
      e.action,
      e.member_name as member,
      e.key_id,
      e.key_name,
      e.hint,
      e.scopes,
      app.iso_8601(e.expires_at) as expires_at
    from app.api_key_events as e
    order by e.created_at desc, e.id desc
  ) as listed;
end;

revoke all on function public.list_api_key_events() from public, anon, service_role;
grant execute on function public.list_api_key_events() to authenticated;
comment on function public.list_api_key_events() is
  'Who created or revoked which API key of the admin''s company, newest first, as a JSON array; empty for anybody else.';
