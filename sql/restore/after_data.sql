-- After the data of a backup has come in (before_data.sql). The planner learns the tables.

alter table app.api_keys enable trigger user;
do $$
declare
  relation regclass;
begin
  for relation in select c.oid from pg_catalog.pg_class as c where c.relnamespace = 'app'::regnamespace and c.relkind = 'r' loop
    execute format('analyze %s', relation);
  end loop;
end
$$;
