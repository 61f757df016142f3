set lock_timeout = '2s';
set statement_timeout = '60s';

set local check_function_bodies = off;

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

COMMENT ON PROCEDURE "app"."forget_all_deletions"() IS 'Removes the recorded deletions that are older than 90 days, and codes of assistants, and commits after every 5,000.';
