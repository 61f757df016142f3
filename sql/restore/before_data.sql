-- Before the data of a backup comes into a new project, whose schema the migrations have made (docs/operations.md,
-- Restore). The triggers of keys would replace each key by a new one, and write history. Those that number changes stay
-- on: numbers of another server mean nothing here. In one transaction with the data and after_data.sql.

do $$
begin
  if exists (select from app.companies) then
    raise exception 'a backup must be restored into a project without companies: this one has some';
  end if;
end
$$;
alter table app.api_keys disable trigger user;
