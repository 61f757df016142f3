-- What the dashboard calls to manage keys (docs/api.md, Authentication). Security invoker: the policies and grants of authenticated
-- decide. Errors for the admin leave as PT400, PT403 and PT404, which PostgREST turns into that HTTP status; the hint of a PT400 names the field.

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

revoke all on function public.create_api_key from public, anon, service_role;
grant execute on function public.create_api_key to authenticated;
comment on function public.create_api_key is
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

revoke all on function public.list_api_keys from public, anon, service_role;
grant execute on function public.list_api_keys to authenticated;
comment on function public.list_api_keys is
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

revoke all on function public.revoke_api_key from public, anon, service_role;
grant execute on function public.revoke_api_key to authenticated;
comment on function public.revoke_api_key is
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

revoke all on function public.list_api_key_events from public, anon, service_role;
grant execute on function public.list_api_key_events to authenticated;
comment on function public.list_api_key_events is
  'Who created or revoked which API key of the admin''s company, newest first, as a JSON array; empty for anybody else.';
