-- The functions that the dashboard calls to manage keys (docs/api.md, Authentication). Security invoker: the policies
-- and grants of authenticated apply. Errors for the admin are PT400, PT403, PT404 and PT409, which PostgREST turns into
-- the HTTP status. The hint of a PT400 names the field.

-- Raises PT400 if a text cannot be the name of a key. Two names that look the same would be two keys that nobody can tell
-- apart, and a control character could steer the terminal that shows it.
create function app.check_api_key_name(name text) returns void
language plpgsql immutable set search_path = ''
as $$
declare
  -- Characters that show nothing: Unicode's property Default_Ignorable_Code_Point, which regular expressions here do not
  -- know (a test compares), and the blank symbols and letters, for which there is no property.
  invisible constant text :=
    '\u00ad\u034f\u061c\u115f-\u1160\u17b4-\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff'
    '\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff'
    '\u2800\U00013441-\U00013442\U00016fe4\U0001d159';
  white_space constant text := '\s\u0085\u00a0\u1680\u2000-\u200a\u2028-\u2029\u202f\u205f\u3000';
  controls constant text := '\u0001-\u001f\u007f-\u009f\u2028-\u2029\ufff9-\ufffb';
  -- Without what joins letters in Persian, in Indian scripts and in emoji, and chooses the colours of emoji.
  name_without_joiners constant text := regexp_replace(name, '[\u200c\u200d\ufe0e\ufe0f]', '', 'g');
begin
  if name is null or char_length(name) > 100 or name_without_joiners !~ format('[^%s%s]', white_space, invisible) then
    raise exception using errcode = 'PT400', hint = 'name', message = 'name must be a text of 1 to 100 characters';
  end if;
  if name_without_joiners ~ format('[%s%s]', controls, invisible) then
    raise exception using errcode = 'PT400', hint = 'name',
      message = 'name must be a text without control characters, direction marks and invisible characters';
  end if;
end
$$;

create function app.insert_api_key(name text, scopes text[], expires_at timestamptz) returns json
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  created json;
begin
  -- Null for no scopes, 2 for an array of arrays.
  if array_ndims(scopes) is distinct from 1 or not scopes <@ app.scopes()
    or cardinality(scopes) > (select count(distinct scope) from unnest(scopes) as scope) then
    raise exception using errcode = 'PT400', hint = 'scopes',
      message = 'scopes must be one or more of ' || array_to_string(app.scopes(), ', ') || ', each once';
  end if;
  perform app.check_api_key_name(name);
  if expires_at <= now() or expires_at >= '10000-01-01Z' then
    raise exception using errcode = 'PT400', hint = 'expires_at',
      message = 'expires_at must be in the future, before the year 10000';
  end if;

  insert into app.api_keys as k (name, scopes, expires_at)
  values (insert_api_key.name, insert_api_key.scopes, insert_api_key.expires_at)
  returning json_build_object(
    'id', k.id,
    'name', k.name,
    'api_key', current_setting('app.new_api_key'),
    'hint', k.hint,
    'scopes', k.scopes,
    'created_at', app.iso_8601(k.created_at),
    'expires_at', app.iso_8601(k.expires_at)
  ) into created;
  perform set_config('app.new_api_key', '', true);
  return created;
end
$$;

grant execute on function app.check_api_key_name, app.insert_api_key to authenticated;
comment on function app.insert_api_key is 'Makes an API key and returns it as public.create_api_key does. PT400.';

create function public.create_api_key(
  name text,
  scopes text[] default array['read:members', 'read:activity'],
  expires_at timestamptz default null
)
returns json
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  if not exists (select from app.current_admin()) then
    raise exception using errcode = 'PT403', message = 'only an admin may create API keys';
  end if;
  return app.insert_api_key(name, scopes, expires_at);
end
$$;

comment on function public.create_api_key is
  'Makes an API key and returns it, this once: { id, name, api_key, hint, scopes, created_at, expires_at }. PT400, PT403.';

create function public.replace_api_key(
  key_id uuid, overlap interval default '24 hours', expires_at timestamptz default null, scopes text[] default null
)
returns json
language plpgsql volatile security invoker set search_path = '' set lock_timeout = '5s'
as $$
declare
  replaced record;
  successor json;
begin
  if overlap is null or overlap not in ('0', '1 hour', '24 hours', '7 days') then
    raise exception using errcode = 'PT400', hint = 'overlap', message = 'overlap must be 0, 1 hour, 24 hours or 7 days';
  end if;

  -- Locked, so that of two admins who replace the same key at once, the second gets the error below.
  select k.name, k.scopes, k.expires_at, k.revoked_at, k.replaced_by, k.assistant into replaced
  from app.api_keys as k where k.id = key_id for update;
  if not found then
    raise exception using errcode = 'PT404', message = 'no API key of your company has this id';
  end if;
  if replaced.revoked_at is not null or replaced.replaced_by is not null or replaced.expires_at <= now() then
    raise exception using errcode = 'PT409', message = 'a key that is revoked, expired or replaced already cannot be replaced';
  end if;
  -- Nobody could hand it the new key.
  if replaced.assistant is not null then
    raise exception using errcode = 'PT409', message = 'the key of an assistant cannot be replaced: connect the assistant again';
  end if;

  successor := app.insert_api_key(replaced.name, coalesce(scopes, replaced.scopes), expires_at);
  update app.api_keys as k
  -- In seconds, so that a day of the overlap has 24 hours also when daylight saving time begins or ends.
  set replaced_by = (successor ->> 'id')::uuid,
    expires_at = now() + make_interval(secs => extract(epoch from overlap)::double precision)
  where k.id = key_id;
  return successor;
end
$$;

comment on function public.replace_api_key is
  'Makes a successor of a key, with other scopes if some are given, and returns it as create_api_key does; the old key expires '
  'after the overlap, 0, 1 hour, 24 hours or 7 days. PT400, PT404, PT409.';

create function public.rename_api_key(key_id uuid, name text) returns json
language plpgsql volatile security invoker set search_path = '' set lock_timeout = '5s'
as $$
declare
  renamed record;
begin
  perform app.check_api_key_name(name);
  update app.api_keys as k set name = rename_api_key.name where k.id = key_id;

  select k.id, k.name, k.revoked_at into renamed from app.api_keys as k where k.id = key_id;
  if not found then
    raise exception using errcode = 'PT404', message = 'no API key of your company has this id';
  end if;
  if renamed.revoked_at is not null then
    raise exception using errcode = 'PT409', message = 'a revoked key cannot be renamed';
  end if;
  return json_build_object('id', renamed.id, 'name', renamed.name);
end
$$;

comment on function public.rename_api_key is
  'Renames a key of the admin''s company, and nothing else of it: { id, name }. PT400, PT404, PT409.';

create function public.list_api_keys(key_id uuid default null) returns json
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
      revoker.name as revoked_by,
      k.replaced_by,
      u.last_endpoint,
      u.last_client,
      array(select day from unnest(u.used_on) as day where day > (now() at time zone 'UTC')::date - 30) as used_on,
      app.iso_8601(u.refused_at) as refused_at,
      u.refused_endpoint,
      u.refused_client,
      app.iso_8601(u.forbidden_at) as forbidden_at,
      u.forbidden_endpoint,
      u.forbidden_scope,
      u.forbidden_client,
      app.iso_8601(u.checked_at) as checked_at,
      u.checked_client,
      k.assistant,
      k.assistant_address,
      k.created_by in (select app.current_admins()) as creator_is_admin,
      app.count_day(u.answers, u.counted_on, 0) as answers,
      app.count_day(u.refusals, u.counted_on, 0) as refusals,
      u.forbidden_reason
    from app.api_keys as k
    join app.members as creator on creator.company_id = k.company_id and creator.id = k.created_by
    left join app.members as revoker on revoker.company_id = k.company_id and revoker.id = k.revoked_by
    left join app.api_key_uses as u on u.company_id = k.company_id and u.key_id = k.id
    where list_api_keys.key_id is null or k.id = list_api_keys.key_id
    order by k.created_at desc, k.id desc
  ) as listed;
end;

comment on function public.list_api_keys is
  'The API keys of the admin''s company, or one of them, newest first, as a JSON array without keys and hashes; empty for '
  'anybody else. answers and refusals: how many notes of each the last 30 days have, oldest first.';

create function public.revoke_api_key(key_id uuid) returns json
language plpgsql volatile security invoker set search_path = '' set lock_timeout = '5s'
as $$
declare
  revoked json;
begin
  update app.api_keys as k set revoked_at = now() where k.id = key_id;

  select json_build_object('id', k.id, 'revoked_at', app.iso_8601(k.revoked_at), 'revoked_by', m.name) into revoked
  from app.api_keys as k
  left join app.members as m on m.company_id = k.company_id and m.id = k.revoked_by
  where k.id = key_id;
  if not found then
    raise exception using errcode = 'PT404', message = 'no API key of your company has this id';
  end if;
  return revoked;
end
$$;

comment on function public.revoke_api_key is
  'Revokes a key of the admin''s company permanently. A revoked key is left as it is. { id, revoked_at, revoked_by }. PT404.';

create function public.list_api_key_events(
  key_id uuid default null, skip integer default 0, max_rows integer default null
)
returns json
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
      app.iso_8601(e.expires_at) as expires_at,
      e.former_name,
      e.replaced_by,
      e.reason,
      k.assistant,
      k.assistant_address,
      successor.scopes as new_scopes
    from app.api_key_events as e
    left join app.api_keys as k on k.company_id = e.company_id and k.id = e.key_id
    left join app.api_keys as successor on successor.company_id = e.company_id and successor.id = e.replaced_by
    -- The history of a key that replaces another one begins with the replacement.
    where list_api_key_events.key_id is null or list_api_key_events.key_id in (e.key_id, e.replaced_by)
    order by e.created_at desc, e.id desc
    offset skip limit max_rows
  ) as listed;
end;

comment on function public.list_api_key_events is
  'Who created, replaced, renamed or revoked which API key of the admin''s company, newest first, as a JSON array; empty for '
  'anybody else. Of all keys, or of one; without the first skip entries; at most max_rows.';

grant execute on function
  public.create_api_key, public.replace_api_key, public.rename_api_key, public.list_api_keys, public.revoke_api_key,
  public.list_api_key_events
to authenticated;
