set lock_timeout = '2s';
set statement_timeout = '60s';

set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION app.has_shown_factor()
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if app.wants_second_factor() then
    raise exception using errcode = 'PT403', hint = 'second_factor',
      message = 'this account has a second factor: verify its code, then call again with the token of that session';
  end if;
  return true;
end
$function$;

CREATE OR REPLACE FUNCTION app.current_admin(OUT company_id uuid, OUT member_id uuid)
 RETURNS SETOF record
 LANGUAGE sql
 STABLE SECURITY DEFINER ROWS 1
 SET search_path TO ''
BEGIN ATOMIC
 SELECT m.company_id,
     m.id
    FROM ((app.member_accounts a
      JOIN app.members m ON (((m.company_id = a.company_id) AND (m.id = a.member_id))))
      JOIN app.companies c ON ((c.id = a.company_id)))
   WHERE ((a.user_id = ( SELECT auth.uid() AS uid)) AND (m.role = 'admin'::text) AND (c.serving = 'open'::text) AND app.has_shown_factor());
END;

CREATE OR REPLACE FUNCTION app.wants_second_factor()
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET row_security TO 'off'
AS $function$
begin
  return (auth.jwt() ->> 'aal') is distinct from 'aal2'
    and exists (select from auth.mfa_factors as f where f.user_id = (select auth.uid()) and f.status = 'verified');
end
$function$;

CREATE OR REPLACE FUNCTION public.link_member()
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  status constant text := case when app.wants_second_factor() then 'second_factor_wanted' else app.link_member() end;
  member record;
begin
  select * into member from app.current_member() where status <> 'second_factor_wanted';
  return json_build_object(
    'status', status,
    'company_name', member.company_name,
    'name', member.name,
    'role', case status when 'linked' then member.role end,
    'admins', case status when 'linked' then app.admins_to_ask() end
  );
end
$function$;

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
  if agreed.code_hash is null or agreed.bound_to <> redeem_assistant_code.bound_to
    or least(agreed.expires_at, agreed.key_expires_at) <= now() then
    return null;
  end if;
  select a.user_id into account
  from app.member_accounts as a where a.company_id = agreed.company_id and a.member_id = agreed.member_id;
  -- The triggers of app.api_keys take company, creator and history from the session: this one becomes that of the admin
  -- who agreed, which had shown a second factor if one was wanted.
  perform set_config(
    'request.jwt.claims', json_build_object('sub', account, 'role', 'authenticated', 'aal', 'aal2')::text, true
  );
  -- No longer an admin, or the company has moved.
  if not exists (select from app.current_admin()) then
    return null;
  end if;
  perform set_config('app.assistant', agreed.assistant, true);
  return app.insert_api_key(agreed.assistant, agreed.scopes, agreed.key_expires_at);
end
$function$;

COMMENT ON FUNCTION "app"."current_admin"() IS 'Company and member id of the signed-in admin; no row for anybody else. PT403 when a second factor is wanted.';

COMMENT ON FUNCTION "app"."has_shown_factor"() IS 'True, or PT403 if the session has not shown a second factor that its account has.';

COMMENT ON FUNCTION "app"."wants_second_factor"() IS 'Whether the signed-in account has a verified second factor, and the session is not of assurance level aal2.';

COMMENT ON FUNCTION "public"."link_member"() IS 'To be called after sign-in: { status, company_name, name, role, admins }, status linked, moved (no role then), email_not_confirmed, no_member, several_members or second_factor_wanted (nothing is linked or told then); admins as admins_to_ask. PT401 when the account is gone.';

REVOKE ALL ON FUNCTION "app"."has_shown_factor"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."has_shown_factor"() TO "postgres";

REVOKE ALL ON FUNCTION "app"."wants_second_factor"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."wants_second_factor"() TO "authenticated", "postgres";
