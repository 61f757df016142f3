-- The way back from a load (docs/operations.md, Loading data): deletes the rows that it added, as long as they are as it
-- wrote them and nothing else depends on them. What a load changed cannot be taken back: the old values are not kept.
--
-- A row knows the transaction that wrote it last (xmin, 32 of its 64 bits). load_staging says its transaction and how many
-- rows it added; if not exactly these are there, nothing is deleted.

-- loaded_in, rows: as load_staging said them.
create function app.undo_load(company_id uuid, loaded_in bigint, rows bigint) returns table (file text, deleted bigint)
language plpgsql volatile security invoker set search_path = ''
as $$
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
  if not coalesce(
    loaded_in::text::xid8 < pg_current_xact_id() and pg_xact_status(loaded_in::text::xid8) = 'committed', false
  ) then
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
    raise exception 'this load cannot be taken back: of its % rows % are as it wrote them', rows, as_written
      using errcode = 'object_in_use';
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
$$;

revoke all on function app.undo_load from public;
comment on function app.undo_load(uuid, bigint, bigint) is
  'Takes back a load that only added rows, if all of them are as it wrote them and nothing else names them. Returns the rows '
  'deleted per file.';
