set lock_timeout = '2s';
set statement_timeout = '60s';

set local check_function_bodies = off;

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
  added bigint := 0;
  changed bigint := 0;
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
    select w.inserted, w.updated, w.unchanged into inserted, updated, unchanged
    from app.write_file(load_staging.company_id, loaded.file) as w;
    file := loaded.file;
    left_out := case loaded.file when 'members' then erased.members when 'kudos' then erased.kudos else 0 end;
    return next;
    added := added + inserted;
    changed := changed + updated;
    -- So that the foreign keys of the following files are checked with plans that know the rows of this one.
    execute format('analyze app.%I', loaded.target);
  end loop;

  perform app.empty_staging();
  if changed > 0 then
    raise notice 'rows that were there have changed (%): this load cannot be taken back', changed;
  elsif added > 0 then
    raise notice 'to take this load back: select * from app.undo_load(''%'', %, %)', company_id, pg_current_xact_id(), added;
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION app.undo_load(company_id uuid, loaded_in bigint, rows bigint)
 RETURNS TABLE(file text, deleted bigint)
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  short constant xid := (loaded_in % 4294967296)::text::xid;
  loaded record;
  categories uuid[];
  found bigint;
  as_written bigint := 0;
begin
  -- Waits for a load that is running.
  perform app.empty_staging();
  perform app.require_open_company(company_id);
  if not coalesce(loaded_in::text::xid8 < pg_current_xact_id() and pg_xact_status(loaded_in::text::xid8) = 'committed', false) then
    raise exception 'loaded_in must be the number of a load that is written and recent, % is none', loaded_in
      using errcode = 'invalid_parameter_value';
  end if;
  if exists (
    select from app.member_accounts as a
    join app.members as m on m.company_id = a.company_id and m.id = a.member_id
    where a.company_id = undo_load.company_id and m.xmin = short
  ) then
    raise exception 'this load cannot be taken back: some of its people have signed in' using errcode = 'object_in_use';
  end if;

  for loaded in select f.file, f.target from app.loaded_files() as f order by f.place loop
    execute format(
      'select count(*) from (select from app.%I as t where t.company_id = $1 and t.xmin = $2 for update) as locked', loaded.target
    ) into found using company_id, short;
    as_written := as_written + found;
  end loop;
  if as_written is distinct from rows then
    raise exception 'this load cannot be taken back: of its % rows % are as it wrote them', rows, as_written using errcode = 'object_in_use';
  end if;

  -- Before their names are deleted, which marks them as changed.
  select coalesce(array_agg(c.id), '{}') into categories
  from app.categories as c where c.company_id = undo_load.company_id and c.xmin = short;
  for loaded in select f.file, f.target from app.loaded_files() as f order by f.place desc loop
    file := loaded.file;
    execute format('delete from app.%I as t where t.company_id = $1 and t.xmin = $2', loaded.target) using company_id, short;
    get diagnostics deleted = row_count;
    return next;
  end loop;
  delete from app.categories as c
  where c.company_id = undo_load.company_id and c.id = any (categories)
    and not exists (select from app.category_names as n where n.company_id = c.company_id and n.category_id = c.id);
  perform app.renew_statistics();
exception
  when foreign_key_violation then
    raise exception 'this load cannot be taken back: other rows name its % (%)', file, sqlerrm using errcode = 'object_in_use';
end
$function$;

COMMENT ON FUNCTION "app"."undo_load"(uuid, bigint, bigint) IS 'Takes back a load that only added rows, if all of them are as it wrote them and nothing else names them. Returns the rows deleted per file.';

REVOKE ALL ON FUNCTION "app"."undo_load"(uuid, bigint, bigint) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."undo_load"(uuid, bigint, bigint) TO "postgres";
