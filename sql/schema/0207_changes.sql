-- Changes, for those who keep a copy of the lists (docs/api.md, Keeping a copy; sql/lists/0880_changes.sql serves them).
--
-- Every row of a list has changed_in, the number of the transaction that last changed it. When a row is deleted, its id
-- is stored in app.deletions. A client that has read all changes up to a number sends that number to get the later
-- ones. A change is served only when all transactions with lower numbers have ended (pg_snapshot_xmin), so that none
-- that commits late is missed.
--
-- Each server numbers its transactions itself, from 3 up. A dump brings rows with the numbers of another server, which
-- mean nothing here: the triggers replace them in rows that are inserted. A restore of a whole database inserts the
-- rows before it creates the triggers; sql/commands/check.sql finds these rows, and sql/commands/repair.sql gives them new
-- numbers.

create function app.number_change() returns trigger
language plpgsql set search_path = ''
as $$
begin
  new.changed_in := pg_current_xact_id();
  return new;
end
$$;

create table app.deletions (
  -- No foreign key: it took as long as writing the row. The trigger begin_changes deletes the rows of a company.
  company_id uuid not null,
  -- The table that the row was in. regclass and not text: comparing keys of the index takes less time when all their
  -- columns have a fixed width. A dump writes the table's name.
  relation regclass not null,
  deleted_in xid8 not null default pg_current_xact_id(),
  id uuid not null,
  deleted_at timestamptz not null default now(),
  -- A row that is deleted again, after it was inserted again, has its last deletion only.
  primary key (company_id, relation, id)
)
-- As for kudos.
with (autovacuum_vacuum_scale_factor = 0.02);
-- For the changes, oldest first.
create index deletions_in_order on app.deletions (company_id, relation, deleted_in, id);

-- For each table, the last deletion that is no longer in app.deletions. A cursor from before it is refused. A new
-- company gets such a row for each table, because there may have been a company with its id before.
create table app.forgotten_deletions (
  company_id uuid not null references app.companies (id) on delete cascade,
  relation regclass not null,
  deleted_in xid8 not null,
  id uuid not null,
  primary key (company_id, relation)
);

-- The key with which cursors of moods hide transactions (sql/lists/0880_changes.sql). A dump brings it along.
create table app.cursor_key (
  is_only boolean primary key generated always as (true) stored,
  key bytea not null default extensions.gen_random_bytes(32)
);
insert into app.cursor_key default values;

create policy api_read on app.deletions for select to public_api
  using (company_id = (select app.current_company_id()));
create policy api_read on app.forgotten_deletions for select to public_api
  using (company_id = (select app.current_company_id()));

grant select on app.deletions, app.forgotten_deletions to public_api;
-- Not granted: any write, only the triggers below write; anything to authenticated; the key to anybody.

comment on table app.deletions is 'Rows of lists that have been deleted, for 90 days at least.';
comment on column app.deletions.deleted_in is 'The transaction that deleted it.';

-- The tables of the lists: those that number their changes.
create function app.kept_tables() returns table (relation regclass)
language sql stable set search_path = ''
begin atomic
  select a.attrelid::regclass from pg_attribute as a join pg_class as c on c.oid = a.attrelid
  where c.relnamespace = 'app'::regnamespace and c.relkind = 'r' and a.attname = 'changed_in' and not a.attisdropped;
end;

create function app.forget_cursors(company_id uuid default null, relation text default null) returns void
language sql volatile set search_path = ''
begin atomic
  insert into app.forgotten_deletions as forgotten (company_id, relation, deleted_in, id)
  select c.id, kept.relation, pg_current_xact_id(), 'ffffffff-ffff-ffff-ffff-ffffffffffff'
  from app.companies as c, app.kept_tables() as kept
  where c.id = coalesce(forget_cursors.company_id, c.id)
    and kept.relation = coalesce(('app.' || forget_cursors.relation)::regclass, kept.relation)
  order by c.id, kept.relation
  on conflict on constraint forgotten_deletions_pkey do update set deleted_in = excluded.deleted_in, id = excluded.id
  where (forgotten.deleted_in, forgotten.id) < (excluded.deleted_in, excluded.id);
end;

-- Removes deletions of a table that are older than 90 days: the oldest first, up to the first that is younger, at most
-- 5,000 and those among them that are dated in the future, by a clock that was wrong. The next deletion removes more.
-- Only one transaction at a time does this, and no other waits for it.
--
-- Without sorts and bitmap scans, the only plan for an ordered range is the index in its order, and for ctid it is the
-- look-up: whatever the planner knows of the table, it reads the rows that it removes and no others.
create function app.forget_deletions(company_id uuid, relation regclass) returns void
language plpgsql volatile
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
declare
  before constant timestamptz := now() - interval '90 days';
  -- Where the scan begins: what was forgotten stays in the index until vacuum.
  last app.forgotten_deletions;
  deletion record;
  final record;
begin
  select f.* into last from app.forgotten_deletions as f
  where f.company_id = forget_deletions.company_id and f.relation = forget_deletions.relation;
  last.deleted_in := coalesce(last.deleted_in, '0');
  last.id := coalesce(last.id, '00000000-0000-0000-0000-000000000000');

  for deletion in
    select d.deleted_in, d.id, d.deleted_at from app.deletions as d
    where d.company_id = forget_deletions.company_id and d.relation = forget_deletions.relation
      and (d.deleted_in, d.id) > (last.deleted_in, last.id) and d.deleted_at <= clock_timestamp()
    order by d.deleted_in, d.id limit 5000
  loop
    exit when deletion.deleted_at >= before;
    final := deletion;
  end loop;
  if final is null or not pg_try_advisory_xact_lock(hashtextextended('app.forget_deletions', 0)) then
    return;
  end if;

  -- The second condition is for a row that is deleted again at the same time: its deletion is a later one then.
  delete from app.deletions as d
  where d.ctid = any (array(
      select o.ctid from app.deletions as o
      where o.company_id = forget_deletions.company_id and o.relation = forget_deletions.relation
        and (o.deleted_in, o.id) > (last.deleted_in, last.id) and (o.deleted_in, o.id) <= (final.deleted_in, final.id)
      order by o.deleted_in, o.id
    ))
    and (d.deleted_in, d.id) <= (final.deleted_in, final.id);
  -- The mark may have been raised meanwhile, and only rises: a cursor that has become invalid stays so.
  insert into app.forgotten_deletions as forgotten (company_id, relation, deleted_in, id)
  values (forget_deletions.company_id, forget_deletions.relation, final.deleted_in, final.id)
  on conflict on constraint forgotten_deletions_pkey do update set deleted_in = excluded.deleted_in, id = excluded.id
  where (forgotten.deleted_in, forgotten.id) < (excluded.deleted_in, excluded.id);
end
$$;

-- Trigger: records the rows that a statement has deleted, unless their company is deleted too: then nobody has a key to
-- read them. After truncate it is not known which rows there were, so every copy of the table begins again.
create function app.record_deletions() returns trigger
language plpgsql set search_path = ''
as $$
declare
  company uuid;
begin
  if tg_op = 'TRUNCATE' then
    perform app.forget_cursors(relation => tg_table_name);
    return null;
  end if;
  for company in select c.id from app.companies as c where c.id in (select d.company_id from deleted as d) loop
    insert into app.deletions (company_id, relation, id)
    select company, tg_relid, d.id from deleted as d where d.company_id = company
    on conflict on constraint deletions_pkey do update
      set deleted_in = excluded.deleted_in, deleted_at = excluded.deleted_at;
    perform app.forget_deletions(company, tg_relid);
  end loop;
  return null;
end
$$;

-- Trigger: an update has given a row another id or company. Where it was, it is deleted.
create function app.record_old_id() returns trigger
language plpgsql set search_path = ''
as $$
begin
  insert into app.deletions (company_id, relation, id) values (old.company_id, tg_relid, old.id)
  on conflict on constraint deletions_pkey do update
    set deleted_in = excluded.deleted_in, deleted_at = excluded.deleted_at;
  return null;
end
$$;

-- The triggers of a table of a list. Its column changed_in has an index, for the changes, oldest first, and n_distinct = -1:
-- while many rows have the same number, PostgreSQL 18 would look up an id in this index too (skip scan).
create function app.keep_changes(relation regclass) returns void
language plpgsql volatile set search_path = ''
as $$
begin
  execute format(
    $triggers$
      create trigger number_insert before insert on %1$s
        for each row when (new.changed_in <> pg_current_xact_id()) execute function app.number_change();
      create trigger number_update before update on %1$s
        for each row when (old *<> new) execute function app.number_change();
      create trigger record_deletions after delete on %1$s
        referencing old table as deleted for each statement execute function app.record_deletions();
      create trigger record_truncate after truncate on %1$s
        for each statement execute function app.record_deletions();
      create trigger record_old_id after update on %1$s
        for each row when (old.company_id <> new.company_id or old.id <> new.id) execute function app.record_old_id();
    $triggers$,
    relation
  );
end
$$;

-- There may have been a company with the same id before, with other rows.
create function app.begin_changes() returns trigger
language plpgsql set search_path = ''
as $$
begin
  if tg_op = 'DELETE' then
    delete from app.deletions as d where d.company_id = old.id;
  else
    perform app.forget_cursors(new.id);
  end if;
  return null;
end
$$;

create trigger begin_changes after insert or delete on app.companies
  for each row execute function app.begin_changes();

comment on function app.number_change is 'Trigger: gives a row the number of the transaction that changes it.';
comment on function app.forget_cursors(uuid, text) is
  'Invalidates the cursors given so far (410), of one company or all, of one table or all: copies begin again.';
comment on function app.begin_changes() is
  'Trigger: invalidates the cursors of an earlier company with the same id; removes the deletions of a deleted one.';
