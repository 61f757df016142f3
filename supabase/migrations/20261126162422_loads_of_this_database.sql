set lock_timeout = '2s';
set statement_timeout = '60s';

set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION app.begin_load(company_id uuid, company text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  its_name text;
  other record;
begin
  perform app.require_open_company(company_id);
  select c.name into its_name from app.companies as c where c.id = begin_load.company_id;
  if company is distinct from its_name then
    raise exception 'company must be the name of the company that company_id names: % is of "%", not of "%"',
      company_id, its_name, company
      using errcode = 'invalid_parameter_value';
  end if;
  -- Until the end of the transaction. A load that waits for this one reads it.
  perform set_config('application_name', 'load into ' || company_id, true);
  select coalesce('a load into ' || c.name, 'another session that uses staging') as what, a.pid, a.xact_start into other
  from pg_catalog.pg_locks as l
  join pg_catalog.pg_stat_activity as a on a.pid = l.pid
  left join app.companies as c on a.application_name = 'load into ' || c.id
  -- In this database: a copy of it on the same server has a table with the same number.
  where l.relation = 'staging.teams'::regclass and a.datname = current_database()
    and l.granted and l.pid <> pg_backend_pid() and a.backend_type = 'client backend'
  limit 1;
  if found then
    raise notice 'waiting for % (process %, since %)', other.what, other.pid, to_char(other.xact_start, 'HH24:MI:SS TZ');
  end if;
  perform app.empty_staging();
end
$function$;
