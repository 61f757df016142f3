set lock_timeout = '2s';
set statement_timeout = '60s';

set local check_function_bodies = off;

CREATE TABLE "app"."assistant_codes" ("company_id" uuid NOT NULL, "code_hash" bytea NOT NULL, "member_id" uuid NOT NULL, "assistant" text NOT NULL, "scopes" text[] NOT NULL, "key_expires_at" timestamp with time zone NOT NULL, "bound_to" text NOT NULL, "expires_at" timestamp with time zone NOT NULL DEFAULT (now() + '00:01:00'::interval), CONSTRAINT "assistant_codes_bound_to_length" CHECK ((char_length(bound_to) <= 3000)), CONSTRAINT "assistant_codes_code_hash_key" UNIQUE (code_hash), CONSTRAINT "assistant_codes_pkey" PRIMARY KEY (company_id, code_hash));

ALTER TABLE "app"."assistant_codes" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "app"."api_keys" ADD COLUMN "assistant" text;

CREATE OR REPLACE FUNCTION app.make_api_key()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  api_key constant text := app.new_api_key();
begin
  select admin.company_id, admin.member_id into new.company_id, new.created_by from app.current_admin() as admin;
  new.id := gen_random_uuid();
  new.scopes := array(select scope from unnest(new.scopes) as scope order by array_position(app.scopes(), scope));
  new.key_hash := sha256(convert_to(api_key, 'UTF8'));
  new.hint := 'sk_live_…' || right(api_key, 4);
  new.created_at := now();
  new.revoked_at := null;
  new.revoked_by := null;
  new.replaced_by := null;
  -- Set by public.redeem_assistant_code alone.
  new.assistant := nullif(current_setting('app.assistant', true), '');
  perform set_config('app.new_api_key', api_key, true);
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION public.let_assistant_read(name text, scopes text[], expires_at timestamp with time zone, bound_to text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  readable constant text[] := array_remove(app.scopes(), 'write:rewards');
  code constant text := encode(extensions.gen_random_bytes(32), 'hex');
  admin record;
begin
  select a.company_id, a.member_id into admin from app.current_admin() as a;
  if not found then
    raise exception using errcode = 'PT403', message = 'only an admin may let an assistant read';
  end if;
  perform app.check_api_key_name(name);
  -- Null for no scopes, 2 for an array of arrays.
  if array_ndims(scopes) is distinct from 1 or not scopes <@ readable
    or cardinality(scopes) > (select count(distinct scope) from unnest(scopes) as scope) then
    raise exception using errcode = 'PT400', hint = 'scopes',
      message = 'scopes must be one or more of ' || array_to_string(readable, ', ') || ', each once';
  end if;
  -- 90 days, to the end of the day of the admin's zone, whose clocks may change meanwhile.
  if (expires_at between now() and now() + interval '92 days') is not true then
    raise exception using errcode = 'PT400', hint = 'expires_at', message = 'expires_at must be within the next 92 days';
  end if;
  if coalesce(char_length(bound_to), 0) not between 1 and 3000 then
    raise exception using errcode = 'PT400', hint = 'bound_to', message = 'bound_to must have 1 to 3000 characters';
  end if;
  delete from app.assistant_codes as c where c.company_id = admin.company_id and c.expires_at < now();
  insert into app.assistant_codes (company_id, code_hash, member_id, assistant, scopes, key_expires_at, bound_to)
  values (admin.company_id, sha256(convert_to(code, 'UTF8')), admin.member_id, name, scopes, expires_at, bound_to);
  return json_build_object('code', code);
end
$function$;

REVOKE ALL ON FUNCTION public.let_assistant_read FROM PUBLIC, anon, authenticated, service_role;

CREATE OR REPLACE FUNCTION public.list_api_key_events(key_id uuid DEFAULT NULL::uuid, skip integer DEFAULT 0, max_rows integer DEFAULT NULL::integer)
 RETURNS json
 LANGUAGE sql
 STABLE
 SET search_path TO ''
BEGIN ATOMIC
 SELECT COALESCE(json_agg(row_to_json(listed.*)), '[]'::json) AS "coalesce"
    FROM ( SELECT app.iso_8601(e.created_at) AS created_at,
             e.action,
             e.member_name AS member,
             e.key_id,
             e.key_name,
             e.hint,
             e.scopes,
             app.iso_8601(e.expires_at) AS expires_at,
             e.former_name,
             e.replaced_by,
             e.reason,
             k.assistant
            FROM (app.api_key_events e
              LEFT JOIN app.api_keys k ON (((k.company_id = e.company_id) AND (k.id = e.key_id))))
           WHERE ((list_api_key_events.key_id IS NULL) OR ((list_api_key_events.key_id = e.key_id) OR (list_api_key_events.key_id = e.replaced_by)))
           ORDER BY e.created_at DESC, e.id DESC
          OFFSET list_api_key_events.skip
          LIMIT list_api_key_events.max_rows) listed;
END;

CREATE OR REPLACE FUNCTION public.list_api_keys()
 RETURNS json
 LANGUAGE sql
 STABLE
 SET search_path TO ''
BEGIN ATOMIC
 SELECT COALESCE(json_agg(row_to_json(listed.*)), '[]'::json) AS "coalesce"
    FROM ( SELECT k.id,
             k.name,
             k.hint,
             k.scopes,
                 CASE
                     WHEN (k.revoked_at IS NOT NULL) THEN 'revoked'::text
                     WHEN (k.expires_at <= now()) THEN 'expired'::text
                     ELSE 'active'::text
                 END AS status,
             app.iso_8601(k.created_at) AS created_at,
             creator.name AS created_by,
             app.iso_8601(k.expires_at) AS expires_at,
             app.iso_8601(u.last_used_at) AS last_used_at,
             app.iso_8601(k.revoked_at) AS revoked_at,
             revoker.name AS revoked_by,
             k.replaced_by,
             u.last_endpoint,
             u.last_client,
             ARRAY( SELECT day.day
                    FROM unnest(u.used_on) day(day)
                   WHERE (day.day > (((now() AT TIME ZONE 'UTC'::text))::date - 30))) AS used_on,
             app.iso_8601(u.refused_at) AS refused_at,
             u.refused_endpoint,
             u.refused_client,
             app.iso_8601(u.forbidden_at) AS forbidden_at,
             u.forbidden_endpoint,
             u.forbidden_scope,
             u.forbidden_client,
             app.iso_8601(u.checked_at) AS checked_at,
             u.checked_client,
             k.assistant
            FROM (((app.api_keys k
              JOIN app.members creator ON (((creator.company_id = k.company_id) AND (creator.id = k.created_by))))
              LEFT JOIN app.members revoker ON (((revoker.company_id = k.company_id) AND (revoker.id = k.revoked_by))))
              LEFT JOIN app.api_key_uses u ON (((u.company_id = k.company_id) AND (u.key_id = k.id))))
           ORDER BY k.created_at DESC, k.id DESC) listed;
END;

CREATE OR REPLACE FUNCTION public.redeem_assistant_code(code_hash text, bound_to text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET lock_timeout TO '5s'
AS $function$
declare
  agreed app.assistant_codes;
  account uuid;
begin
  -- Whoever sends a code first uses it up, also a program that it is not for.
  delete from app.assistant_codes as c where c.code_hash = decode(redeem_assistant_code.code_hash, 'hex')
  returning * into agreed;
  if agreed.code_hash is null or agreed.expires_at < now() or agreed.bound_to <> redeem_assistant_code.bound_to then
    return null;
  end if;
  select a.user_id into account
  from app.member_accounts as a where a.company_id = agreed.company_id and a.member_id = agreed.member_id;
  -- The triggers of app.api_keys take company, creator and history from the session: this one becomes that of the admin
  -- who agreed.
  perform set_config('request.jwt.claims', json_build_object('sub', account, 'role', 'authenticated')::text, true);
  -- No longer an admin, or the company has moved.
  if not exists (select from app.current_admin()) then
    return null;
  end if;
  perform set_config('app.assistant', agreed.assistant, true);
  return app.insert_api_key(agreed.assistant, agreed.scopes, agreed.key_expires_at);
end
$function$;

REVOKE ALL ON FUNCTION public.redeem_assistant_code FROM PUBLIC, anon, authenticated, service_role;

ALTER TABLE "app"."assistant_codes" ADD CONSTRAINT "assistant_codes_company_id_fkey" FOREIGN KEY (company_id) REFERENCES app.companies(id) ON DELETE CASCADE;

ALTER TABLE "app"."assistant_codes" ADD CONSTRAINT "assistant_codes_company_id_member_id_fkey" FOREIGN KEY (company_id, member_id) REFERENCES app.members(company_id, id) ON DELETE CASCADE;

CREATE INDEX assistant_codes_member_id ON app.assistant_codes USING btree (company_id, member_id);

COMMENT ON COLUMN "app"."assistant_codes"."assistant" IS 'The name of the assistant as the admin saw it. The key gets it.';

COMMENT ON COLUMN "app"."assistant_codes"."bound_to" IS 'Client ID, redirect address and PKCE challenge, one a line: with others the code is worth nothing.';

COMMENT ON COLUMN "app"."assistant_codes"."code_hash" IS 'SHA-256 of the code. The code itself is never stored.';

COMMENT ON FUNCTION "public"."let_assistant_read"(text, text[], timestamp with time zone, text) IS 'Lets the program of bound_to fetch a key with these scopes, within a minute: { code }. PT400, PT403.';

COMMENT ON FUNCTION "public"."redeem_assistant_code"(text, text) IS 'Makes the key that an admin has agreed to and returns it as create_api_key does; null for a code that is not valid.';

COMMENT ON TABLE "app"."assistant_codes" IS 'What admins have let assistants read, until the assistant fetches its key.';

REVOKE ALL ON FUNCTION "public"."let_assistant_read"(text, text[], timestamp with time zone, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."let_assistant_read"(text, text[], timestamp with time zone, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."redeem_assistant_code"(text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."redeem_assistant_code"(text, text) TO "postgres", "service_role";

REVOKE ALL ("assistant") ON TABLE "app"."api_keys" FROM "authenticated";

GRANT SELECT ("assistant") ON TABLE "app"."api_keys" TO "authenticated";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "app"."assistant_codes" TO "postgres";
