-- Runs before the data of a backup is loaded into a new project, whose schema the migrations have created
-- (docs/operate/backup-and-restore.md). Disables the triggers of keys, which would replace each key by a new one and write
-- history. The triggers that number changes stay enabled, because numbers of another server mean nothing here. Run it in
-- one transaction with the data and after_data.sql.

\set ON_ERROR_STOP on \set QUIET on
set statement_timeout = 0;

do $$
begin
  if exists (select from app.companies) then
    raise exception 'a backup must be restored into a project without companies: this one has some';
  end if;
end
$$;
alter table app.api_keys disable trigger user;
-- A backup has ratings before members: without this every team would have too few people, and ratings would lose them. And
-- kudos whose teams are unknown stay so.
set app.as_stored = 'on';
-- The backup has one.
delete from app.cursor_key;
