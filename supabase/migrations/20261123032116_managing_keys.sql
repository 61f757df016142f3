set lock_timeout = '5s';
set statement_timeout = '60s';

SET local check_function_bodies = off;

DROP FUNCTION "public"."list_api_key_events"();

CREATE OR REPLACE FUNCTION app.check_api_key_name (
  name text
)
  RETURNS void
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  -- A character that is to be seen: no white space of Unicode, no filler, nor what has no width.
  if name is null or char_length(name) > 100
    or name !~ '[^\s\u0085\u00a0\u034f\u115f\u1160\u1680\u17b4\u17b5\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0]' then
    raise exception using errcode = 'PT400', hint = 'name', message = 'name must be a text of 1 to 100 characters';
  end if;
  -- Control characters and line ends; marks and embeddings of direction; what has no width, but for the joiners of
  -- Persian, of Indian scripts and of emoji, U+200C and U+200D; hidden tags.
  if name ~ '[\u0001-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]' then
    raise exception using errcode = 'PT400', hint = 'name',
      message = 'name must be a text without control characters, direction marks and invisible characters';
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION app.insert_api_key (
  name       text,
  scopes     text[],
  expires_at timestamp with time zone
)
  RETURNS json
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  created record;
  api_key text;
begin
  perform app.check_api_key_name(name);
  if expires_at <= now() or expires_at >= '10000-01-01Z' then
    raise exception using errcode = 'PT400', hint = 'expires_at', message = 'expires_at must be in the future, before the year 10000';
  end if;

  insert into app.api_keys as k (name, scopes, expires_at)
  values (insert_api_key.name, insert_api_key.scopes, insert_api_key.expires_at)
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
$function$;

CREATE OR REPLACE FUNCTION public.create_api_key (
  name       text,
  scopes     text[]                   DEFAULT ARRAY['read:members'::text,
  'read:activity'::text],
  expires_at timestamp with time zone DEFAULT NULL::timestamp WITH time zone
)
  RETURNS json
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  if not exists (select from app.current_admin()) then
    raise exception using errcode = 'PT403', message = 'only an admin may create API keys';
  end if;
  -- Null for no scopes, 2 for an array of arrays.
  if array_ndims(scopes) is distinct from 1 or not scopes <@ app.scopes()
    or cardinality(scopes) > (select count(distinct scope) from unnest(scopes) as scope) then
    raise exception using errcode = 'PT400', hint = 'scopes',
      message = 'scopes must be one or more of ' || array_to_string(app.scopes(), ', ') || ', each once';
  end if;
  return app.insert_api_key(name, scopes, expires_at);
end
$function$;

CREATE OR REPLACE FUNCTION public.list_api_key_events (
  key_id   uuid    DEFAULT NULL::uuid,
  skip     integer DEFAULT 0,
  max_rows integer DEFAULT NULL::integer
)
  RETURNS json
  LANGUAGE sql
  STABLE
  SET search_path TO ''
BEGIN ATOMIC
 SELECT COALESCE(json_agg(row_to_json(listed.*)), '[]'::json)
  AS "coalesce"
    FROM ( SELECT app.iso_8601(e.created_at) AS created_at,
             e.action,
             e.member_name AS member,
             e.key_id,
             e.key_name,
             e.hint,
             e.scopes,
             app.iso_8601(e.expires_at) AS expires_at,
             e.former_name,
             e.replaced_by
            FROM app.api_key_events e
           WHERE ((list_api_key_events.key_id IS NULL) OR ((list_api_key_events.key_id = e.key_id) OR (list_api_key_events.key_id = e.replaced_by)))
           ORDER BY e.created_at DESC, e.id DESC
          OFFSET list_api_key_events.skip
          LIMIT list_api_key_events.max_rows) listed;
END;

REVOKE ALL ON FUNCTION "public"."list_api_key_events"(uuid, integer, integer) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.rename_api_key (
  key_id uuid,
  name   text
)
  RETURNS json
  LANGUAGE plpgsql
  SET search_path TO ''
  SET lock_timeout TO '5s'
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION public.revoke_api_key (
  key_id uuid
)
  RETURNS json
  LANGUAGE plpgsql
  SET search_path TO ''
  SET lock_timeout TO '5s'
  AS $function$
declare
  revoked record;
begin
  update app.api_keys as k set revoked_at = now() where k.id = key_id;

  select k.id, k.revoked_at, m.name as revoked_by into revoked
  from app.api_keys as k
  left join app.members as m on m.company_id = k.company_id and m.id = k.revoked_by
  where k.id = key_id;
  if not found then
    raise exception using errcode = 'PT404', message = 'no API key of your company has this id';
  end if;

  return json_build_object('id', revoked.id, 'revoked_at', app.iso_8601(revoked.revoked_at), 'revoked_by', revoked.revoked_by);
end
$function$;

COMMENT ON FUNCTION "public"."list_api_key_events"(uuid, integer, integer) IS 'Who created, replaced, renamed or revoked which API key of the admin''s company, newest first, as a JSON array; empty for anybody else. All of them, or those of one key; from the first one, or without the newest; the rest, or at most so many.';

GRANT EXECUTE ON FUNCTION "public"."list_api_key_events"(uuid, integer, integer) TO "authenticated";
