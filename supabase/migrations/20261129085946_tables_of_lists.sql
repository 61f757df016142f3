-- The tables of companies and keys are small: reading them takes milliseconds.
-- squawk-ignore-file ban-drop-not-null, constraint-missing-not-valid
set lock_timeout = '2s';
set statement_timeout = '60s';

set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION app.first_of_day(midnight timestamp without time zone, zone text)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
RETURN CASE WHEN (((((midnight - '1 day'::interval) AT TIME ZONE zone) + '24:00:00'::interval) AT TIME ZONE zone) = midnight) THEN LEAST((((midnight - '1 day'::interval) AT TIME ZONE zone) + '24:00:00'::interval), (midnight AT TIME ZONE zone)) ELSE (midnight AT TIME ZONE zone) END;

CREATE OR REPLACE FUNCTION app.first_of_window(since timestamp with time zone, until timestamp with time zone, time_zone text)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
 SET search_path TO ''
RETURN COALESCE(since, app.first_of_day(date_trunc('month'::text, ((until AT TIME ZONE time_zone) - '1 year'::interval)), time_zone));

CREATE OR REPLACE FUNCTION app.forget_teams()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if current_setting('app.teams_said', true) is distinct from 'true' then
    new.sender_team_then_id := case when new.sender_id = old.sender_id then new.sender_team_then_id
      else nullif(new.sender_team_then_id, old.sender_team_then_id) end;
    new.receiver_team_then_id := case when new.receiver_id = old.receiver_id then new.receiver_team_then_id
      else nullif(new.receiver_team_then_id, old.receiver_team_then_id) end;
  end if;
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION app.load_staging(company_id uuid, also_elsewhere boolean DEFAULT false)
 RETURNS TABLE(file text, inserted bigint, updated bigint, unchanged bigint, left_out bigint)
 LANGUAGE plpgsql
 SET search_path TO ''
 SET jit TO 'off'
AS $function$
declare
  files constant text := (select string_agg('staging.' || f.file, ', ' order by f.place) from app.loaded_files() as f);
  problems record;
  other record;
  erased record;
  loaded record;
begin
  -- No row is added between the check and the writing, and two loads do not run at the same time.
  execute format('lock table %s in access exclusive mode', files);
  -- The planner does not know yet how many rows there are.
  execute format('analyze %s, app.teams, app.members, app.categories, app.pulse_questions', files);
  perform app.require_open_company(company_id);

  raise notice 'checking the files';
  select count(*) as found, string_agg(p.problem, '; ' order by p.place) filter (where p.place <= 20) as first into problems
  from (
    select row_number() over () as place, format('%s line %s: %s', p.file, p.line, p.problem) as problem
    from app.staging_problems(load_staging.company_id) as p
  ) as p;
  if problems.found > 0 then
    raise exception '%',
      problems.first || case when problems.found > 20 then format('; and %s more', problems.found - 20) else '' end
      using errcode = 'invalid_parameter_value';
  end if;

  select o.*, c.name into other
  from app.rows_of_others(company_id) as o
  join app.companies as c on c.id = o.owner
  limit 1;
  if found and not also_elsewhere then
    raise exception
      '%: of % % % are those of the company "%" (%). Are these its files? If both have them, load with also_elsewhere',
      other.file, other.looked_at, other.what, other.found, other.name, other.owner
      using errcode = 'invalid_parameter_value';
  end if;

  select * into erased from app.leave_out_erased(company_id);
  for loaded in select f.file, f.target from app.loaded_files() as f order by f.place loop
    perform app.prepare_file(company_id, loaded.file);
    perform set_config('app.teams_said', (loaded.file = 'kudos')::text, true);
    select w.inserted, w.updated, w.unchanged into inserted, updated, unchanged
    from app.write_file(load_staging.company_id, loaded.file) as w;
    file := loaded.file;
    left_out := case loaded.file when 'members' then erased.members when 'kudos' then erased.kudos else 0 end;
    return next;
    -- So that the foreign keys of the following files are checked with plans that know the rows of this one.
    execute format('analyze app.%I', loaded.target);
  end loop;

  perform app.empty_staging();
end
$function$;

CREATE OR REPLACE FUNCTION app.oldest_write()
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  oldest constant timestamptz :=
    (select min(coalesce(a.xact_start, '-infinity')) from pg_stat_get_activity(null) as a where a.backend_xid is not null);
begin
  if pg_has_role('pg_read_all_stats', 'usage') and not exists (select from pg_prepared_xacts) then
    return nullif(least(oldest, now()), '-infinity');
  end if;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION app.periods(step text, since timestamp with time zone, until timestamp with time zone, time_zone text)
 RETURNS TABLE(first_day date, begins timestamp with time zone, ends timestamp with time zone)
 LANGUAGE sql
 STABLE
 SET search_path TO ''
BEGIN ATOMIC
 SELECT (day.first_day)::date AS first_day,
     GREATEST(periods.since, day.begins) AS begins,
     lead(day.begins, 1, (periods.until + '00:00:00.000001'::interval)) OVER (ORDER BY day.first_day) AS ends
    FROM ( SELECT midnight.midnight AS first_day,
             app.first_of_day(midnight.midnight, periods.time_zone) AS begins
            FROM generate_series(date_trunc(periods.step, (periods.since AT TIME ZONE periods.time_zone)), (periods.until AT TIME ZONE periods.time_zone),
                 CASE periods.step
                     WHEN 'quarter'::text THEN '3 mons'::interval
                     ELSE (('1 '::text || periods.step))::interval
                 END) midnight(midnight)
           WHERE (periods.step IS NOT NULL)) day
 UNION ALL
  SELECT NULL::date AS first_day,
     periods.since AS begins,
     (periods.until + '00:00:00.000001'::interval) AS ends
   WHERE (periods.step IS NULL);
END;

CREATE OR REPLACE FUNCTION app.write_query(file text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN (SELECT format('
      with written as (
        merge into app.%1$I as t
        using (
          select %3$s from staging.%2$I as s where s.position between $2 and $3 order by %4$s
        ) as s
        on t.company_id = $1 and %5$s
        when matched and row(%6$s) is distinct from row(%7$s) then update set %8$s
        when not matched then insert (company_id, %9$s) values ($1, %10$s)
        returning merge_action() as action
      )
      select count(*) filter (where action = ''INSERT'') as inserted, count(*) filter (where action = ''UPDATE'') as updated
      from written
    '::text, f.target, f.file, string_agg((CASE WHEN (c.when_empty IS NULL) THEN format('s.%I::%s'::text, c.field, c.type) ELSE format('coalesce(nullif(s.%I, '''')::%s, %s)'::text, c.field, c.type, replace(c.when_empty, 'kept'::text, 'null'::text)) END || format(' as %I'::text, c.target_column)), ', '::text ORDER BY c.place), string_agg(format('s.%I::%s'::text, c.field, c.type), ', '::text ORDER BY (c.kind = 'date_time'::text) DESC, c.place) FILTER (WHERE ((c.kind = 'date_time'::text) OR c.is_key)), string_agg(format('t.%1$I = s.%1$I'::text, c.target_column), ' and '::text ORDER BY c.place) FILTER (WHERE c.is_key), string_agg((format('t.%I'::text, c.target_column) || c.compared_as), ', '::text ORDER BY c.place) FILTER (WHERE (NOT c.is_key)), string_agg((format(c.replaced_by, c.target_column) || c.compared_as), ', '::text ORDER BY c.place) FILTER (WHERE (NOT c.is_key)), string_agg(format(('%1$I = '::text || c.replaced_by), c.target_column), ', '::text ORDER BY c.place) FILTER (WHERE (NOT c.is_key)), string_agg(format('%I'::text, c.target_column), ', '::text ORDER BY c.place), string_agg(format('s.%I'::text, c.target_column), ', '::text ORDER BY c.place)) AS format FROM (app.loaded_files() f(place, file, target, one) JOIN (SELECT loaded.file, loaded.place, loaded.field, loaded.kind, loaded.unique_by, loaded.minimum, loaded.maximum, loaded.when_empty, loaded.names, loaded.target_column, CASE loaded.kind WHEN 'uuid'::text THEN 'uuid'::text WHEN 'whole_number'::text THEN 'integer'::text WHEN 'json'::text THEN 'jsonb'::text WHEN 'date_time'::text THEN 'timestamptz'::text ELSE 'text'::text END AS type, (NOT (loaded.unique_by IS DISTINCT FROM 'key'::text)) AS is_key, CASE loaded.kind WHEN 'json'::text THEN '::text'::text ELSE ''::text END AS compared_as, CASE WHEN (loaded.when_empty = 'kept'::text) THEN format('coalesce(s.%%1$I, case when t.%1$I = s.%1$I then t.%%1$I end)'::text, replace(loaded.field, '_team_then'::text, ''::text)) ELSE 's.%1$I'::text END AS replaced_by FROM app.loaded_columns() loaded(file, place, field, kind, unique_by, minimum, maximum, when_empty, names, target_column)) c ON ((c.file = f.file))) WHERE (f.file = write_query.file) GROUP BY f.file, f.target);

COMMENT ON FUNCTION "app"."first_of_day"(timestamp without time zone, text) IS 'The first instant of a day in a time zone.';

REVOKE ALL ON FUNCTION "app"."first_of_day"(timestamp without time zone, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."first_of_day"(timestamp without time zone, text) TO "postgres", "public_api";
