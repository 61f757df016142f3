-- Staging: an operator copies a company's files into these tables; app.load_staging then checks the rows and loads them
-- (docs/operate/load-data.md). There is one table per file. Every column is text, so that any file can be
-- copied, and every mistake in it can be reported. The tables are empty between loads, so they are unlogged: their rows
-- need not survive a crash, and are written once instead of twice.

create schema staging;
-- Not granted: anything in this schema to anybody. Only postgres loads data.

comment on schema staging is 'The rows of files that are being loaded. Only postgres uses it.';

-- A table for each file, with the columns of app.loaded_columns(). position numbers the rows in the order of the file:
-- app.staging_problems computes the line from it. No policies: these rows do not belong to a company yet.
do $$
declare
  loaded record;
begin
  for loaded in
    select c.file, string_agg(format('%I text', c.field), ', ' order by c.place) as fields
    from app.loaded_columns() as c group by c.file
  loop
    execute format(
      $table$
        create unlogged table staging.%1$I (position bigint primary key generated always as identity, %2$s);
        comment on table staging.%1$I is 'The rows of %1$s.csv.';
      $table$,
      loaded.file, loaded.fields
    );
  end loop;
end
$$;

-- Empties staging. Waits for a load that is running. PostgreSQL keeps the planner's statistics of a table that is emptied,
-- and these have names and addresses in them (pg_stats). Giving a column its type once more removes its statistics.
create function app.empty_staging() returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  told record;
begin
  execute (select 'truncate ' || string_agg('staging.' || f.file, ', ' order by f.place) from app.loaded_files() as f);
  for told in
    select s.tablename, s.attname
    from pg_catalog.pg_stats as s
    where s.schemaname = 'staging' and s.attname <> 'position'
  loop
    execute format('alter table staging.%I alter column %I type text', told.tablename, told.attname);
  end loop;
end
$$;
