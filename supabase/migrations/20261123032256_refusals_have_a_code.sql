set lock_timeout = '5s';
set statement_timeout = '60s';

SET local check_function_bodies = off;

CREATE OR REPLACE FUNCTION app.refuse_without_row_security()
  RETURNS void
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
begin
  raise exception 'row-level security does not bind %', current_user
    using errcode = 'PT500',
      hint = 'Functions that serve API keys belong to public_api, and every table has row-level security: docs/operations.md, Restore.';
end
$function$;

COMMENT ON FUNCTION "app"."refuse_without_row_security"() IS 'Raises PT500: row-level security does not bind the current role.';
