set lock_timeout = '2s';
set statement_timeout = '60s';

set local check_function_bodies = off;

DROP FUNCTION "app"."load_staging"(uuid);

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
    raise exception 'company must be the name of the company that company_id names: % is of "%", not of "%"', company_id, its_name, company
      using errcode = 'invalid_parameter_value';
  end if;
  -- Until the end of the transaction. A load that waits for this one reads it.
  perform set_config('application_name', 'load into ' || company_id, true);
  select coalesce('a load into ' || c.name, 'another session that uses staging') as what, a.pid, a.xact_start into other
  from pg_catalog.pg_locks as l
  join pg_catalog.pg_stat_activity as a on a.pid = l.pid
  left join app.companies as c on a.application_name = 'load into ' || c.id
  where l.relation = 'staging.teams'::regclass and l.granted and l.pid <> pg_backend_pid() and a.backend_type = 'client backend'
  limit 1;
  if found then
    raise notice 'waiting for % (process %, since %)', other.what, other.pid, to_char(other.xact_start, 'HH24:MI:SS TZ');
  end if;
  perform app.empty_staging();
end
$function$;

CREATE OR REPLACE FUNCTION app.load_staging(company_id uuid, also_elsewhere boolean DEFAULT false)
 RETURNS TABLE(file text, inserted bigint, updated bigint, unchanged bigint, left_out bigint)
 LANGUAGE plpgsql
 SET search_path TO ''
 SET jit TO 'off'
AS $function$
declare
  problems record;
  other record;
  erased record;
  loaded record;
begin
  -- No row is added between the check and the writing, and two loads do not run at the same time.
  lock table
    staging.teams, staging.members, staging.categories, staging.kudos,
    staging.day_ratings, staging.pulse_questions, staging.pulse_responses
  in access exclusive mode;

  -- The planner does not know yet how many rows there are.
  analyze
    staging.teams, staging.members, staging.categories, staging.kudos,
    staging.day_ratings, staging.pulse_questions, staging.pulse_responses,
    app.teams, app.members, app.categories, app.pulse_questions;

  perform app.require_open_company(company_id);

  raise notice 'checking the files';
  select count(*) as found, string_agg(p.problem, '; ' order by p.place) filter (where p.place <= 20) as first into problems
  from (
    select row_number() over () as place, format('%s line %s: %s', p.file, p.line, p.problem) as problem
    from app.staging_problems(load_staging.company_id) as p
  ) as p;
  if problems.found > 0 then
    raise exception '%', problems.first || case when problems.found > 20 then format('; and %s more', problems.found - 20) else '' end
      using errcode = 'invalid_parameter_value';
  end if;

  select o.*, c.name into other
  from app.rows_of_others(company_id) as o
  join app.companies as c on c.id = o.owner
  limit 1;
  if found and not also_elsewhere then
    raise exception '%: of % % % are those of the company "%" (%). Are these its files? If both have them, load with also_elsewhere',
      other.file, other.looked_at, other.what, other.found, other.name, other.owner
      using errcode = 'invalid_parameter_value';
  end if;

  select * into erased from app.leave_out_erased(company_id);
  for loaded in select f.file, f.target from app.loaded_files() as f order by f.place loop
    perform app.prepare_file(company_id, loaded.file);
    return query
      select loaded.file, w.inserted, w.updated, w.unchanged, case loaded.file when 'members' then erased.members when 'kudos' then erased.kudos else 0 end
      from app.write_file(load_staging.company_id, loaded.file) as w;
    -- So that the foreign keys of the following files are checked with plans that know the rows of this one.
    execute format('analyze app.%I', loaded.target);
  end loop;

  perform app.empty_staging();
end
$function$;

CREATE OR REPLACE FUNCTION app.rows_of_others(company_id uuid)
 RETURNS TABLE(file text, what text, looked_at bigint, found bigint, owner uuid)
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  loaded record;
begin
  for loaded in
    select f.file, f.target from app.loaded_files() as f where f.file not in ('categories', 'pulse_questions') order by f.place
  loop
    return query execute format(
      $query$
        with
        sent as (select count(*) as rows, min(s.position) as first from staging.%1$I as s),
        sample as materialized (
          select s.id::uuid as id from staging.%1$I as s, sent where (s.position - sent.first) %% greatest(sent.rows / 20, 1) = 0
        )
        select %1$L, 'ids', (select count(*) from sample), count(*), c.id
        from sample as s
        cross join app.companies as c
        where c.id <> $1
          and exists (select from app.%2$I as t where t.company_id = c.id and t.id = s.id)
          and not exists (select from app.%2$I as t where t.company_id = $1 and t.id = s.id)
        group by c.id
        having count(*) * 2 > (select count(*) from sample)
      $query$,
      loaded.file,
      loaded.target
    )
    using rows_of_others.company_id;
  end loop;
  return query
    select 'members', 'addresses', (select count(*) from staging.members), count(*), m.company_id
    from staging.members as s
    join app.members as m on lower(m.email) = lower(s.email)
    where m.company_id <> rows_of_others.company_id
      and not exists (
        select from app.members as own where own.company_id = rows_of_others.company_id and lower(own.email) = lower(s.email)
      )
    group by m.company_id
    having count(*) * 2 > (select count(*) from staging.members);
end
$function$;

COMMENT ON FUNCTION "app"."begin_load"(uuid, text) IS 'Begins a load into the company with this id and this name: empties staging, and says which other load it waits for.';

COMMENT ON FUNCTION "app"."load_staging"(uuid, boolean) IS 'Checks the rows in staging, writes all of them or none to a company, and empties staging. Returns the numbers of rows per file.';

COMMENT ON FUNCTION "app"."rows_of_others"(uuid) IS 'The files in staging whose rows are mostly those of another company.';

REVOKE ALL ON FUNCTION "app"."begin_load"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."begin_load"(uuid, text) TO "postgres";

REVOKE ALL ON FUNCTION "app"."load_staging"(uuid, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."load_staging"(uuid, boolean) TO "postgres";

REVOKE ALL ON FUNCTION "app"."rows_of_others"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."rows_of_others"(uuid) TO "postgres";
