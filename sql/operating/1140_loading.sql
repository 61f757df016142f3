-- Loading, last step: checks the rows in staging and writes them to a company (docs/operate/load-data.md).
--
-- All or nothing: one mistake in one line, and nothing is written. Repeatable: a row is identified by its key, so
-- loading the same file again changes nothing, and a corrected file changes only what differs. Rows of the company that
-- are not in the files stay as they are.

-- The statement that writes the rows of a file from position $2 to $3 to the company $1, and counts them. The rows are
-- sorted by time, so that the rows of a page of the API are near each other on disk. JSON is compared as text: 1.0
-- replaces 1.
create function app.write_query(file text) returns text
language sql immutable set search_path = ''
return (
  select format(
    $query$
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
      select count(*) filter (where action = 'INSERT') as inserted, count(*) filter (where action = 'UPDATE') as updated
      from written
    $query$,
    f.target,
    f.file,
    string_agg(
      case
        when c.when_empty is null then format('s.%I::%s', c.field, c.type)
        else format('coalesce(nullif(s.%I, '''')::%s, %s)', c.field, c.type, replace(c.when_empty, 'kept', 'null'))
      end || format(' as %I', c.target_column),
      ', ' order by c.place
    ),
    string_agg(format('s.%I::%s', c.field, c.type), ', ' order by c.kind = 'date_time' desc, c.place)
      filter (where c.kind = 'date_time' or c.is_key),
    string_agg(format('t.%1$I = s.%1$I', c.target_column), ' and ' order by c.place) filter (where c.is_key),
    string_agg(format('t.%I', c.target_column) || c.compared_as, ', ' order by c.place) filter (where not c.is_key),
    string_agg(format(c.replaced_by, c.target_column) || c.compared_as, ', ' order by c.place) filter (where not c.is_key),
    string_agg(format('%1$I = ' || c.replaced_by, c.target_column), ', ' order by c.place) filter (where not c.is_key),
    string_agg(format('%I', c.target_column), ', ' order by c.place),
    string_agg(format('s.%I', c.target_column), ', ' order by c.place)
  )
  from app.loaded_files() as f
  join (
    select
      loaded.*,
      case loaded.kind when 'uuid' then 'uuid' when 'whole_number' then 'integer' when 'json' then 'jsonb'
        when 'date_time' then 'timestamptz' else 'text' end as type,
      loaded.unique_by is not distinct from 'key' as is_key,
      case loaded.kind when 'json' then '::text' else '' end as compared_as,
      case when loaded.when_empty = 'kept' then format(
        'coalesce(s.%%1$I, case when t.%1$I = s.%1$I then t.%%1$I end)', replace(loaded.field, '_team_then', '')
      ) else 's.%1$I' end as replaced_by
    from app.loaded_columns() as loaded
  ) as c on c.file = f.file
  where f.file = write_query.file
  group by f.file, f.target
);

-- Writes a file, 50,000 rows at a time, because foreign keys are checked at the end of a statement and need memory
-- until then. The first 1,000 rows are written before all others: after them the planner knows the company. For a
-- company without rows, an index that also has the time seemed as good to it as the primary key, and then each row was
-- compared with all the rows that had been written before it.
--
-- The settings make each row of the file look up the stored row by its key. Without them the planner reads the whole
-- company for every 50,000 rows, or relies on statistics from before this load. Without enable_material = off, it
-- expected 200 rows in a new company, kept all its rows in memory, and compared each row of the file with each of them.
create function app.write_file(company_id uuid, file text, out inserted bigint, out updated bigint, out unchanged bigint)
language plpgsql volatile security invoker set search_path = '' set enable_hashjoin = off
set enable_mergejoin = off set enable_seqscan = off set enable_material = off
as $$
declare
  slice constant bigint := 50000;
  beginning constant bigint := 1000;
  target text := (select f.target from app.loaded_files() as f where f.file = write_file.file);
  sent record;
  part record;
  written bigint := 0;
  upto bigint;
begin
  inserted := 0;
  updated := 0;
  execute format('select count(*) as rows, min(position) as first, max(position) as last from staging.%I', file) into sent;
  while written <= sent.last - sent.first loop
    upto := case when written = 0 then beginning else (written / slice + 1) * slice end;
    execute app.write_query(file) into part using company_id, sent.first + written, sent.first + upto - 1;
    inserted := inserted + part.inserted;
    updated := updated + part.updated;
    if written = 0 and sent.rows > beginning then
      execute format('analyze app.%I', target);
    elsif sent.rows > slice then
      raise notice '%: % of % rows written', file, least(upto, sent.rows), sent.rows;
    end if;
    written := upto;
  end loop;
  unchanged := sent.rows - inserted - updated;
end
$$;

-- Removes erased people from staging, and the kudos from and to them. So they are not added again, and their stored
-- kudos are not changed.
create function app.leave_out_erased(company_id uuid, out members bigint, out kudos bigint)
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  erased text[];
begin
  members := 0;
  kudos := 0;
  if not exists (select from app.erasures as e where e.company_id = leave_out_erased.company_id) then
    return;
  end if;
  select coalesce(array_agg(named.id), '{}') into erased
  from (
    select lower(m.id) as id from staging.members as m
    union
    select lower(k.sender_id) from staging.kudos as k
    union
    select lower(k.receiver_id) from staging.kudos as k
  ) as named
  where app.erasure_mark(leave_out_erased.company_id, named.id::uuid) in (
    select e.member_mark from app.erasures as e where e.company_id = leave_out_erased.company_id
  );
  delete from staging.members as m where lower(m.id) = any (erased);
  get diagnostics members = row_count;
  delete from staging.kudos as k where lower(k.sender_id) = any (erased) or lower(k.receiver_id) = any (erased);
  get diagnostics kudos = row_count;
end
$$;

-- Takes from the ratings in staging the teams that are hidden (0505_hidden_teams.sql): teams that they would get now, by the
-- sizes of today, and those of stored ratings that have none. Left to the triggers, each load of the same file would write
-- these rows again. Returns how many ratings had a team. The settings: see write_file.
create function app.hide_staged_teams(company_id uuid) returns bigint
language plpgsql volatile security invoker set search_path = ''
set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off set enable_material = off
as $$
declare
  hidden constant uuid[] := app.hidden_teams(company_id);
  had_team bigint;
begin
  if app.fewest_people(company_id) is null then
    return 0;
  end if;
  with without as (
    select s.position, s.team_id <> '' as had_team
    from staging.day_ratings as s
    left join app.day_ratings as d on d.company_id = hide_staged_teams.company_id and d.id = s.id::uuid
    where s.team_id = '' or (d.id is not null and d.team_id is null)
      or (nullif(s.team_id, '')::uuid = any (hidden) and d.team_id is distinct from nullif(s.team_id, '')::uuid)
  ),
  told as (
    update staging.day_ratings as s
    set team_id = '', created_at = app.iso_8601(date_trunc('hour', s.created_at::timestamptz, 'UTC'))
    from without as w where w.position = s.position
    returning w.had_team
  )
  select count(*) filter (where told.had_team) into had_team from told;
  return had_team;
end
$$;

create function app.prepare_file(company_id uuid, file text) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  hidden bigint;
begin
  if file = 'members' then
    -- Within a load an email address can pass from one member to another. The member who gives it up gets another one first.
    update app.members as m set email = m.id || '@moving.invalid'
    from staging.members as leaving, staging.members as taking
    where m.company_id = prepare_file.company_id
      and m.id = leaving.id::uuid
      and lower(m.email) <> lower(leaving.email)
      and lower(m.email) = lower(taking.email);
  elsif file = 'categories' then
    insert into app.categories (company_id, id)
    select distinct prepare_file.company_id, s.id::uuid
    from staging.categories as s
    on conflict do nothing;
    analyze app.categories;
  elsif file = 'day_ratings' then
    hidden := app.hide_staged_teams(company_id);
    if hidden > 0 then
      raise notice 'day_ratings: % rows without their team: fewest_people is %', hidden, app.fewest_people(company_id);
    end if;
  end if;
end
$$;

-- Security invoker: only a role that may write these tables can load. An error lists up to 20 problems.
-- also_elsewhere: whether the rows may be mostly those of another company.
create function app.load_staging(company_id uuid, also_elsewhere boolean default false)
returns table (file text, inserted bigint, updated bigint, unchanged bigint, left_out bigint)
language plpgsql volatile security invoker set search_path = '' set jit = off
as $$
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
$$;

comment on function app.write_query(text) is 'The statement that writes rows of a file in staging to a company and counts them.';
comment on function app.write_file(uuid, text) is
  'Writes a file in staging to a company. Returns how many rows were inserted, updated and unchanged.';
comment on function app.leave_out_erased(uuid) is
  'Removes erased people and their kudos from staging. Returns how many rows that were.';
comment on function app.hide_staged_teams is 'Takes hidden teams from the ratings in staging. Returns how many had one.';
comment on function app.prepare_file(uuid, text) is 'Makes the changes that must come before the rows of a file are written.';
comment on function app.load_staging(uuid, boolean) is
  'Checks the rows in staging, writes all of them or none to a company, and empties staging. Returns the numbers of rows per '
  'file.';
