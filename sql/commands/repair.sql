-- After a restore without owners and privileges (docs/operate/backup-and-restore.md): makes public_api the owner of the
-- functions that serve API keys again, and lets only service_role call them. These are the functions that are security
-- definer and call app.admit, lists.begin, app.from_replica or app.note_refused_use. It lets service_role name the type
-- that they return, without which the Data API answers each request with 500. Then it gives new numbers to the changes
-- of rows that a dump brought from another server (sql/schema/0207_changes.sql), and categories their names. It is safe
-- to run this file again.
--   psql "$DATABASE_URL" --single-transaction --file sql/commands/repair.sql

\set ON_ERROR_STOP on \set QUIET on
set statement_timeout = 0;

do $$
declare
  -- Rows that have been inserted or changed here have numbers below the next one; a higher number is another server's.
  next constant xid8 := pg_snapshot_xmax(pg_current_snapshot());
  relation regclass;
begin
  perform app.serve_keys(p.oid, null) from pg_catalog.pg_proc as p
  where p.pronamespace = 'public'::regnamespace and p.prosecdef
    and p.prosrc ~ '(app\.(admit|authenticate|from_replica|note_refused_use)|lists\.begin)\(';
  grant usage on schema app to service_role;

  -- Ratings keep their teams (sql/schema/0505_hidden_teams.sql).
  perform set_config('app.as_stored', 'on', true);
  for relation in select k.relation from app.kept_tables() as k loop
    execute format('update %s set changed_in = pg_current_xact_id() where changed_in >= $1', relation) using next;
  end loop;
  delete from app.deletions as d where d.deleted_in >= next;
  delete from app.forgotten_deletions as f where f.deleted_in >= next;

  -- Names of categories that do not follow app.category_names, because triggers were off.
  perform app.name_categories(c.company_id, array_agg(c.id)) from app.categories as c
  where c.name <> app.category_name(c.company_id, c.id)
  group by c.company_id;
end
$$;
