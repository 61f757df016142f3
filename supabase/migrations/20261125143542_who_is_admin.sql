set lock_timeout = '2s';
set statement_timeout = '60s';

set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION app.admins_to_ask()
 RETURNS json
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 SELECT json_agg(json_build_object('name', admin.name, 'email', admin.email) ORDER BY admin.name, admin.id) AS json_agg
    FROM ((app.member_accounts a
      JOIN app.members m ON (((m.company_id = a.company_id) AND (m.id = a.member_id) AND (m.role <> 'admin'::text))))
      JOIN app.members admin ON (((admin.company_id = m.company_id) AND (admin.role = 'admin'::text) AND (NOT admin.is_former))))
   WHERE (a.user_id = ( SELECT auth.uid() AS uid));
END;

CREATE OR REPLACE FUNCTION public.link_member()
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  status constant text := app.link_member();
  member record;
begin
  select * into member from app.current_member();
  return json_build_object(
    'status', status,
    'company_name', member.company_name,
    'name', member.name,
    'role', case status when 'linked' then member.role end,
    'admins', case status when 'linked' then app.admins_to_ask() end
  );
end
$function$;

COMMENT ON FUNCTION "app"."admins_to_ask"() IS 'Names and addresses of the admins of the signed-in member''s company, [{ name, email }]; null unless the member is no admin.';

COMMENT ON FUNCTION "public"."link_member"() IS 'To be called after sign-in: { status, company_name, name, role, admins }, status linked, moved (no role then), email_not_confirmed, no_member or several_members; admins as admins_to_ask. PT401 when the account is gone.';

REVOKE ALL ON FUNCTION "app"."admins_to_ask"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."admins_to_ask"() TO "authenticated", "postgres";
