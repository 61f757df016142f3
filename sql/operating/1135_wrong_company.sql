-- What keeps the files of one company out of another one (docs/operate/load-data.md): the operator names the
-- company twice, by id and by name, and files whose rows are mostly another company's are refused.

-- Begins a load: compares the name with that of the company, and empties staging. When another session has staging, it
-- says which before it waits.
create function app.begin_load(company_id uuid, company text) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
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
$$;

-- The files of which more than half of the rows are in another company, and not in this one: how many of the rows that
-- were looked at, and whose they are. Of each file it looks at 20 to 39 rows: an index has the ids of each company, not of
-- all, so every row is looked for in every company. Addresses are looked at all. Categories and questions may be the same
-- everywhere, as a system makes them.
create function app.rows_of_others(company_id uuid)
returns table (file text, what text, looked_at bigint, found bigint, owner uuid)
language plpgsql volatile security invoker set search_path = ''
as $$
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
$$;
