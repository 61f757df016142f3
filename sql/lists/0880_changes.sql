-- The changes of lists (docs/api.md, Keeping a copy): the rows that were added, changed or deleted, oldest change
-- first, each with a cursor. 0207_changes.sql says how changes are numbered. One function serves all lists.

-- Both inlined: a call took a twentieth of the time of a page with few rows. No key has the scope of what is no list.
create function lists.scope(list text) returns text
language sql immutable
return case when list in ('members', 'teams') then 'read:members'
  when list in ('activity', 'categories') then 'read:activity' when list in ('rewards') then 'read:rewards'
  when list in ('day-ratings', 'pulse-responses') then 'read:analytics' else 'none' end;

create function lists.relation(list text) returns regclass
language sql immutable
return case list
  when 'members' then 'app.members'::regclass when 'teams' then 'app.teams'::regclass
  when 'activity' then 'app.kudos'::regclass when 'categories' then 'app.categories'::regclass
  when 'rewards' then 'app.rewards'::regclass when 'day-ratings' then 'app.day_ratings'::regclass
  when 'pulse-responses' then 'app.pulse_responses'::regclass end;

-- The text whose hash is the first part of a cursor, for format(): what it holds for. A restore changes one of the
-- first four: the server, its timeline, the database, or the table of deletions. Immutable, because a session keeps its
-- server and database: the planner calls it once. Reading the control file a second time took a tenth of a small page's
-- time.
create function lists.origin_of_cursors() returns text
language sql immutable set search_path = ''
return (
  select format('%s %%s %s %%s %%s %%s', s.system_identifier, d.oid)
  from pg_control_system() as s, pg_database as d where d.datname = current_database()
);

-- In plpgsql and without from, because a session keeps its plan and needs no executor for it.
create function lists.cursor_origin(company_id uuid, list text) returns text
language plpgsql stable set search_path = ''
as $$
begin
  return left(encode(sha256(convert_to(format(
    lists.origin_of_cursors(), (pg_control_checkpoint()).timeline_id, 'app.deletions'::regclass::oid, company_id, list
  ), 'utf8')), 'hex'), 8);
end
$$;

-- The cursor is of another server, timeline, company or list, or deletions after it have been forgotten.
create function lists.refuse_cursor(api_key app.verified_key) returns void
language plpgsql stable set search_path = ''
as $$
begin
  raise exception using
    errcode = 'PT410',
    message = 'Gone: this cursor is no longer known, begin again with after=start',
    detail = json_build_object('key_id', api_key.key_id, 'company_id', api_key.company_id);
end
$$;

-- Which changes a page has, of rows and of deletions, all below horizon: no transaction below it is still running. And
-- what its cursors begin with; those of before the copy began end with that number. Of moods, also the rank of the
-- cursor that was sent; null where cursors show numbers.
create type lists.span as (
  company uuid, after_transaction xid8, after_id uuid, deletions_after xid8, deletions_after_id uuid,
  horizon xid8, origin text, began xid8, began_digits text, max_rows integer, rank integer
);

-- Inlined, as for pages.
create function lists.is_after(s lists.span, company_id uuid, changed_in xid8, id uuid) returns boolean
language sql stable
return company_id = s.company and (changed_in, id) > (s.after_transaction, s.after_id) and changed_in < s.horizon;

create function lists.cursor(s lists.span, changed_in xid8, id uuid) returns text
language sql immutable
return (s.origin || encode(xid8send(changed_in) || uuid_send(id), 'hex')
  || case when changed_in < s.began then s.began_digits else '' end) collate "C";

-- The cursors of moods (day ratings and pulse answers) hide which transaction wrote a row: a kudos of the same one
-- names its people. They have a rank, which rises from row to row (4 bytes), and the id, where other cursors have it.
-- Around the id is a block (16 bytes): the number of the transaction, where the copy began or 0 (6 bytes each, enough
-- for 90 years of 100,000 transactions a second), and the rank. It is masked with a keyed hash of the id, then
-- encrypted (AES in its mode CBC does both). So two changes of one row have nothing in common, and in a cursor that
-- somebody alters to learn from the answers the ranks differ: it is refused.
--
-- Masks all rows of a page at once: a call with the rights of the owner takes longer than a row.
create function lists.masked_cursors(s lists.span, ids uuid[], numbers xid8[], are_deleted boolean[] default '{}')
returns table (cursor text, deleted boolean)
language plpgsql stable security definer set search_path = ''
as $$
declare
  key constant bytea := (select sha256(k.key || s.origin::bytea) from app.cursor_key as k where k.is_only);
  began constant bytea := substr(xid8send(s.began), 3);
begin
  return query
  select
    encode(n.rank || overlay(substr(extensions.encrypt(
      uuid_send(n.id) || substr(xid8send(n.number), 3)
        || case when n.number < s.began then began else '\x000000000000' end || n.rank,
      key, 'aes-cbc/pad:none'
    ), 17) placing uuid_send(n.id) from 9 for 0), 'hex'),
    coalesce(n.is_deleted, false)
  from (
    select u.id, u.number, u.is_deleted, int4send(s.rank + u.place::integer) as rank
    from unnest(ids, numbers, are_deleted) with ordinality as u (id, number, is_deleted, place) limit s.max_rows
  ) as n;
end
$$;

-- Nulls for any other text than such a cursor of this origin, and behind the last ranks: then a copy begins again.
create function lists.unmask_cursor(origin text, cursor text, out rank integer, out number bigint, out began bigint)
language plpgsql stable security definer set search_path = ''
as $$
declare
  key constant bytea := (select sha256(k.key || origin::bytea) from app.cursor_key as k where k.is_only);
  mode constant text := 'aes-cbc/pad:none';
  block text;
begin
  if length(cursor) = 72 and left(cursor, 8) < '7ffff000' then
    block := encode(extensions.decrypt_iv(
      decode(substr(cursor, 9, 16) || substr(cursor, 57), 'hex'), key,
      extensions.encrypt(decode(substr(cursor, 25, 32), 'hex'), key, mode), mode
    ), 'hex');
    if right(block, 8) = left(cursor, 8) then
      rank := ('x' || left(cursor, 8))::bit(32)::integer;
      number := ('x' || left(block, 12))::bit(48)::bigint;
      began := ('x' || substr(block, 13, 12))::bit(48)::bigint;
    end if;
  end if;
end
$$;

create type lists.changes as (found_rows bigint, page json, next text);

-- The changes of a list without deletions: what most pages are. One statement a view, planned once.
create function lists.changed(view text, s lists.span) returns lists.changes
language plpgsql volatile set search_path = ''
as $$
declare
  result lists.changes;
begin
  case view
    when 'members' then
      select count(*), json_agg(c) filter (where n <= s.max_rows), max((c).cursor) filter (where n <= s.max_rows)
      into result from (select c, row_number() over () as n from (
        select (v.shown).*, lists.cursor(s, v.changed_in, v.id) as cursor, false as deleted
        from lists.members as v where lists.is_after(s, v.company_id, v.changed_in, v.id)
        order by v.changed_in, v.id limit s.max_rows + 1
      ) as c) as numbered;
    when 'teams' then
      select count(*), json_agg(c) filter (where n <= s.max_rows), max((c).cursor) filter (where n <= s.max_rows)
      into result from (select c, row_number() over () as n from (
        select (v.shown).*, lists.cursor(s, v.changed_in, v.id) as cursor, false as deleted
        from lists.teams as v where lists.is_after(s, v.company_id, v.changed_in, v.id)
        order by v.changed_in, v.id limit s.max_rows + 1
      ) as c) as numbered;
    when 'activity' then
      select count(*), json_agg(c) filter (where n <= s.max_rows), max((c).cursor) filter (where n <= s.max_rows)
      into result from (select c, row_number() over () as n from (
        select (v.shown).*, lists.cursor(s, v.changed_in, v.id) as cursor, false as deleted
        from lists.activity as v where lists.is_after(s, v.company_id, v.changed_in, v.id)
        order by v.changed_in, v.id limit s.max_rows + 1
      ) as c) as numbered;
    when 'activity_with_ids' then
      select count(*), json_agg(c) filter (where n <= s.max_rows), max((c).cursor) filter (where n <= s.max_rows)
      into result from (select c, row_number() over () as n from (
        select (v.shown).*, lists.cursor(s, v.changed_in, v.id) as cursor, false as deleted
        from lists.activity_with_ids as v where lists.is_after(s, v.company_id, v.changed_in, v.id)
        order by v.changed_in, v.id limit s.max_rows + 1
      ) as c) as numbered;
    when 'activity_with' then
      select count(*), json_agg(c) filter (where n <= s.max_rows), max((c).cursor) filter (where n <= s.max_rows)
      into result from (select c, row_number() over () as n from (
        select (v.shown).*, lists.cursor(s, v.changed_in, v.id) as cursor, false as deleted
        from lists.activity_with as v where lists.is_after(s, v.company_id, v.changed_in, v.id)
        order by v.changed_in, v.id limit s.max_rows + 1
      ) as c) as numbered;
    when 'categories' then
      select count(*), json_agg(c) filter (where n <= s.max_rows), max((c).cursor) filter (where n <= s.max_rows)
      into result from (select c, row_number() over () as n from (
        select (v.shown).*, lists.cursor(s, v.changed_in, v.id) as cursor, false as deleted
        from lists.categories as v where lists.is_after(s, v.company_id, v.changed_in, v.id)
        order by v.changed_in, v.id limit s.max_rows + 1
      ) as c) as numbered;
    when 'rewards' then
      select count(*), json_agg(c) filter (where n <= s.max_rows), max((c).cursor) filter (where n <= s.max_rows)
      into result from (select c, row_number() over () as n from (
        select (v.shown).*, lists.cursor(s, v.changed_in, v.id) as cursor, false as deleted
        from lists.rewards as v where lists.is_after(s, v.company_id, v.changed_in, v.id)
        order by v.changed_in, v.id limit s.max_rows + 1
      ) as c) as numbered;
    when 'rewards_with' then
      select count(*), json_agg(c) filter (where n <= s.max_rows), max((c).cursor) filter (where n <= s.max_rows)
      into result from (select c, row_number() over () as n from (
        select (v.shown).*, lists.cursor(s, v.changed_in, v.id) as cursor, false as deleted
        from lists.rewards_with as v where lists.is_after(s, v.company_id, v.changed_in, v.id)
        order by v.changed_in, v.id limit s.max_rows + 1
      ) as c) as numbered;
    when 'day_ratings' then
      select coalesce(cardinality(a.ids), 0), p.page, p.next into result from (
        select array_agg(v.shown) as shown, array_agg(v.id) as ids, array_agg(v.changed_in) as numbers from (
          select v.* from lists.day_ratings as v where lists.is_after(s, v.company_id, v.changed_in, v.id)
          order by v.changed_in, v.id limit s.max_rows + 1
        ) as v
      ) as a, lateral (
        select json_agg(c) as page, max(c.cursor collate "C") as next
        from rows from (unnest(a.shown[:s.max_rows]), lists.masked_cursors(s, a.ids, a.numbers)) as c
      ) as p;
    when 'day_ratings_with' then
      select coalesce(cardinality(a.ids), 0), p.page, p.next into result from (
        select array_agg(v.shown) as shown, array_agg(v.id) as ids, array_agg(v.changed_in) as numbers from (
          select v.* from lists.day_ratings_with as v where lists.is_after(s, v.company_id, v.changed_in, v.id)
          order by v.changed_in, v.id limit s.max_rows + 1
        ) as v
      ) as a, lateral (
        select json_agg(c) as page, max(c.cursor collate "C") as next
        from rows from (unnest(a.shown[:s.max_rows]), lists.masked_cursors(s, a.ids, a.numbers)) as c
      ) as p;
    when 'pulse_responses' then
      select coalesce(cardinality(a.ids), 0), p.page, p.next into result from (
        select array_agg(v.shown) as shown, array_agg(v.id) as ids, array_agg(v.changed_in) as numbers from (
          select v.* from lists.pulse_responses as v where lists.is_after(s, v.company_id, v.changed_in, v.id)
          order by v.changed_in, v.id limit s.max_rows + 1
        ) as v
      ) as a, lateral (
        select json_agg(c) as page, max(c.cursor collate "C") as next
        from rows from (unnest(a.shown[:s.max_rows]), lists.masked_cursors(s, a.ids, a.numbers)) as c
      ) as p;
    when 'pulse_responses_with' then
      select coalesce(cardinality(a.ids), 0), p.page, p.next into result from (
        select array_agg(v.shown) as shown, array_agg(v.id) as ids, array_agg(v.changed_in) as numbers from (
          select v.* from lists.pulse_responses_with as v where lists.is_after(s, v.company_id, v.changed_in, v.id)
          order by v.changed_in, v.id limit s.max_rows + 1
        ) as v
      ) as a, lateral (
        select json_agg(c) as page, max(c.cursor collate "C") as next
        from rows from (unnest(a.shown[:s.max_rows]), lists.masked_cursors(s, a.ids, a.numbers)) as c
      ) as p;
  end case;
  return result;
end
$$;

-- The same with deletions among them, rare, so one statement for all lists, planned at each call. An id may be in both,
-- because its row was deleted and inserted again, even by one transaction: then the row counts. The later the row is,
-- the less it is certain to be among those that were read; then the deletion brings it, and a later page brings it once
-- more. Each row leaves out one deletion at most, so twice as many deletions as rows fill a page.
create function lists.changed_and_deleted(view text, relation regclass, s lists.span) returns lists.changes
language plpgsql volatile set search_path = ''
as $$
declare
  result lists.changes;
begin
  execute format(
    $statement$
      with rows as materialized (
        select v.changed_in, v.id, v.shown from lists.%1$I as v
        where lists.is_after($1, v.company_id, v.changed_in, v.id) order by v.changed_in, v.id limit $1.max_rows + 1
      ), changes as (
        (select r.* from rows as r order by r.changed_in, r.id)
        union all
        (
          select
            d.deleted_in, d.id, (select v.shown from lists.%1$I as v where v.company_id = $1.company and v.id = d.id)
          from (
            select d.deleted_in, d.id from app.deletions as d
            where d.company_id = $1.company and d.relation = $2
              and (d.deleted_in, d.id) > ($1.deletions_after, $1.deletions_after_id) and d.deleted_in < $1.horizon
            order by d.deleted_in, d.id limit 2 * ($1.max_rows + 1)
          ) as d
          where d.id not in (select r.id from rows as r)
          order by d.deleted_in, d.id
        )
        order by changed_in, id limit $1.max_rows + 1
      ), whole as (
        select c.changed_in, c.id, c.shown is null as deleted,
          coalesce(c.shown, json_populate_record(null::%2$s, json_build_object('id', c.id))) as shown
        from changes as c order by c.changed_in, c.id
      )
      select count(*), json_agg(c) filter (where n <= $1.max_rows), max((c).cursor) filter (where n <= $1.max_rows)
      from (select c, row_number() over () as n from (%3$s) as c) as numbered
    $statement$,
    view,
    (
      select a.atttypid::regtype from pg_attribute as a
      where a.attrelid = ('lists.' || view)::regclass and a.attname = 'shown'
    ),
    case when s.rank is null then
      'select (w.shown).*, lists.cursor($1, w.changed_in, w.id) as cursor, w.deleted from whole as w'
    else
      'select p.* from (
        select array_agg(w.shown) as shown, array_agg(w.id) as ids, array_agg(w.changed_in) as numbers,
          array_agg(w.deleted) as deleted
        from whole as w
      ) as a, rows from (unnest(a.shown), lists.masked_cursors($1, a.ids, a.numbers, a.deleted)) as p'
    end
  )
  into result using s, relation;
  return result;
end
$$;

-- after is start or a cursor. A cursor has the origin (8 hexadecimal digits), the number of the transaction (16) and
-- the id of the row (32). While a copy still reads what was there when it began, there follows the number at which it
-- began (16): deletions below that number are not for this copy, and may be forgotten. The same is masked in cursors of
-- moods.
create function public.list_changes(key_hash text, list text, max_rows integer, after text, include text[] default null)
returns app."application/json"
language plpgsql volatile security definer set search_path = ''
as $$
declare
  list_relation constant regclass := lists.relation(list);
  api_key constant app.verified_key := app.admit(key_hash, lists.scope(list));
  company constant uuid := api_key.company_id;
  origin constant text := lists.cursor_origin(company, list);
  view constant text := replace(list, '-', '_') || case
    when include <> '{}' and list = 'activity' and include <@ lists.included_in_activity(false) then '_with_ids'
    when include <> '{}' then '_with' else '' end;
  -- Before the snapshot of horizon, which is an older one at other levels of isolation.
  until constant timestamptz := case
    when pg_is_in_recovery() or current_setting('transaction_isolation') <> 'read committed' then null
    when pg_snapshot_xmin(pg_current_snapshot()) < pg_snapshot_xmax(pg_current_snapshot()) then app.oldest_write()
    else now() end;
  horizon constant bigint := pg_snapshot_xmin(pg_current_snapshot())::text;
  began bigint := horizon;
  after_transaction bigint := 0;
  after_id uuid := '00000000-0000-0000-0000-000000000000';
  rank integer := case when list in ('day-ratings', 'pulse-responses') then 0 end;
  s lists.span;
  result lists.changes;
  are_foreign boolean;
  said text;
begin
  if after <> 'start' then
    after_id := substr(after, 25, 32);
    if rank is null then
      after_transaction := ('x' || substr(after, 9, 16))::bit(64)::bigint;
      began := case when length(after) = 56 then 0 else ('x' || substr(after, 57))::bit(64)::bigint end;
    else
      select c.rank, c.number, c.began into rank, after_transaction, began from lists.unmask_cursor(origin, after) as c;
    end if;
    -- A cursor that is newer than the data of this server: its data has gone back in time without a new timeline. A
    -- standby may just be behind.
    if (
      (rank > 0 or left(after, 8) = origin) and after_transaction >= 0 and began >= 0
      and (after_transaction < pg_snapshot_xmax(pg_current_snapshot())::text::bigint or pg_is_in_recovery())
    ) is not true then
      perform lists.refuse_cursor(api_key);
    end if;
    -- A standby that is late still has rows that were deleted before the copy began at the primary: it reads them now,
    -- so its deletions begin no later than this page ends.
    began := least(horizon, began);
  end if;
  s := row(
    company, after_transaction::text::xid8, after_id, greatest(after_transaction, began - 1)::text::xid8,
    case when began > after_transaction then 'ffffffff-ffff-ffff-ffff-ffffffffffff' else after_id end,
    horizon::text::xid8, origin, began::text::xid8, encode(int8send(began), 'hex'), max_rows, rank
  );
  said := set_config('lists.include', ',' || array_to_string(include, ',') || ',', true);

  -- Each statement has a snapshot of its own. Below horizon rows and deletions can only disappear meanwhile: what
  -- changes a row moves it above, and what forgets deletions raises the mark that is read afterwards.
  perform from app.deletions as d
  where d.company_id = company and d.relation = list_relation and after_transaction > 0
    and (d.deleted_in, d.id) > (s.deletions_after, s.deletions_after_id) and d.deleted_in < s.horizon
  order by d.deleted_in, d.id limit 1;
  if found then
    result := lists.changed_and_deleted(view, list_relation, s);
  else
    result := lists.changed(view, s);
  end if;

  -- Rows with numbers of another server are behind all pages, so only the last one looks for them. A row that this sees
  -- was written by a transaction that ended before, or by this one, so its number is below xmax.
  if result.found_rows <= max_rows then
    execute format(
      'select exists (select from %s as t where t.company_id = $1
        and t.changed_in >= pg_snapshot_xmax(pg_current_snapshot())
        and t.changed_in is distinct from pg_current_xact_id_if_assigned() order by t.changed_in, t.id limit 1)',
      list_relation
    ) into are_foreign using company;
    if are_foreign then
      raise exception 'changes in % have the numbers of another server', list_relation
        using errcode = 'PT501', hint = 'Run sql/commands/repair.sql.';
    end if;
  end if;
  if after <> 'start' then
    perform lists.refuse_cursor(api_key) from app.forgotten_deletions as f
    where f.company_id = company and f.relation = list_relation
      and (f.deleted_in, f.id) > (s.after_transaction, after_id) and f.deleted_in >= s.began;
  end if;

  said := app.end_page(api_key.key_id, company, result.found_rows, max_rows, result.next, until);
  if list = 'activity' and include <> '{}' and not include @> lists.included_in_activity(view = 'activity_with') then
    return lists.only(include, lists.included_in_activity(view = 'activity_with'), coalesce(result.page, '[]'));
  end if;
  return coalesce(result.page, '[]');
end
$$;

grant execute on all functions in schema lists to public_api;
comment on function lists.scope is 'The scope of a list, such as day-ratings.';
comment on function lists.relation is 'The table whose rows a list has.';
comment on function lists.origin_of_cursors is 'What every cursor of this server and database holds for, for format().';
comment on function lists.cursor_origin is 'The first 8 characters of every cursor of this company and list.';
comment on function lists.refuse_cursor is 'Raises PT410: the cursor is no longer known.';
comment on type lists.span is 'Which changes a page has, and what its cursors begin and end with.';
comment on function lists.is_after is 'Whether a change is in a page or after it.';
comment on function lists.cursor is 'The cursor of a change.';
comment on function lists.masked_cursors is 'The cursors of a page of moods, and which of its rows are deleted.';
comment on function lists.unmask_cursor is 'The rank and the numbers in a cursor of moods. Nulls for any other text.';
comment on type lists.changes is 'A page of changes: how many rows were found, those of the page, and its last cursor.';
comment on function lists.changed is 'A page of changes without deletions.';
comment on function lists.changed_and_deleted is 'A page of changes and deletions.';
select app.serve_keys('public.list_changes'::regproc, true);
comment on function public.list_changes is
  'What was added, changed or deleted in a list of the key''s company, oldest change first, as a JSON array. PT401, '
  'PT403, PT410, PT429, PT501.';
