set lock_timeout = '2s';
set statement_timeout = '60s';

set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION app.require_settled_company(company_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  serving text;
begin
  select c.serving into serving from app.companies as c where c.id = require_settled_company.company_id for key share;
  if not found then
    raise exception 'company_id must be the id of a company, % is none', company_id using errcode = 'invalid_parameter_value';
  elsif serving = 'moving' then
    raise exception 'company_id must be the id of a company that is not on its way to another project, % is moving', company_id
      using errcode = 'invalid_parameter_value';
  end if;
end
$function$;
