-- Runs after the data of a backup has been loaded (before_data.sql): enables the triggers again, and collects statistics
-- for the planner.

\set ON_ERROR_STOP on \set QUIET on
set statement_timeout = 0;

alter table app.api_keys enable trigger user;
reset app.as_stored;
-- Unless the backup is of a version without it.
insert into app.cursor_key default values on conflict do nothing;
select format('analyze %s', c.oid::regclass) from pg_catalog.pg_class as c
where c.relnamespace = 'app'::regnamespace and c.relkind = 'r' \gexec
