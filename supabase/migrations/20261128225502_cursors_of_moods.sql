set lock_timeout = '2s';
set statement_timeout = '60s';

set local check_function_bodies = off;

ALTER TYPE "lists"."span" ADD ATTRIBUTE "rank" integer CASCADE;

CREATE OR REPLACE FUNCTION app.oldest_write()
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  oldest constant timestamptz :=
    (select min(a.xact_start) from pg_stat_get_activity(null) as a where a.backend_xid is not null);
begin
  if pg_has_role('pg_read_all_stats', 'usage') and not exists (select from pg_prepared_xacts) then
    return least(oldest, now());
  end if;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION lists.changed(view text, s lists.span)
 RETURNS lists.changes
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION lists.changed_and_deleted(view text, relation regclass, s lists.span)
 RETURNS lists.changes
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
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
          select d.deleted_in, d.id, (select v.shown from lists.%1$I as v where v.company_id = $1.company and v.id = d.id)
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
$function$;

CREATE OR REPLACE FUNCTION lists.masked_cursors(s lists.span, ids uuid[], numbers xid8[], are_deleted boolean[] DEFAULT '{}'::boolean[])
 RETURNS TABLE(cursor text, deleted boolean)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  key constant bytea := (select sha256(k.key || s.origin::bytea) from app.cursor_key as k where k.is_only);
  began constant bytea := substr(xid8send(s.began), 3);
  before constant integer := s.rank;
begin
  return query
  select
    encode(int4send(r.rank) || substr(r.blocks, 17, 8) || uuid_send(r.id) || substr(r.blocks, 25), 'hex'),
    coalesce(r.is_deleted, false)
  from (
    select n.id, n.is_deleted, before + n.place::integer as rank, extensions.encrypt(
      uuid_send(n.id) || substr(xid8send(n.number), 3)
        || case when n.number < s.began then began else '\x000000000000' end || int4send(before + n.place::integer),
      key, 'aes-cbc/pad:none'
    ) as blocks
    from unnest(ids, numbers, are_deleted) with ordinality as n (id, number, is_deleted, place) limit s.max_rows
  ) as r;
end
$function$;

CREATE OR REPLACE FUNCTION lists.unmask_cursor(origin text, cursor text, OUT rank integer, OUT number bigint, OUT began bigint)
 RETURNS record
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION public.list_changes(key_hash text, list text, max_rows integer, after text, include text[] DEFAULT NULL::text[])
 RETURNS app."application/json"
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET lock_timeout TO '5s'
 SET statement_timeout TO '7s'
 SET jit TO 'off'
 SET enable_seqscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_sort TO 'off'
AS $function$
declare
  facts constant record := lists.facts(list);
  api_key constant app.verified_key := app.admit(key_hash, facts.scope);
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
  where d.company_id = company and d.relation = facts.relation and after_transaction > 0
    and (d.deleted_in, d.id) > (s.deletions_after, s.deletions_after_id) and d.deleted_in < s.horizon
  order by d.deleted_in, d.id limit 1;
  if found then
    result := lists.changed_and_deleted(view, facts.relation, s);
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
      facts.relation
    ) into are_foreign using company;
    if are_foreign then
      raise exception 'changes in % have the numbers of another server', facts.relation
        using errcode = 'PT501', hint = 'Run sql/commands/repair.sql.';
    end if;
  end if;
  if after <> 'start' then
    perform lists.refuse_cursor(api_key) from app.forgotten_deletions as f
    where f.company_id = company and f.relation = facts.relation
      and (f.deleted_in, f.id) > (s.after_transaction, after_id) and f.deleted_in >= s.began;
  end if;

  said := app.end_page(api_key.key_id, company, result.found_rows, max_rows, result.next);
  if until is not null then
    said := left(said, -1) || format(',{"X-Changes-Until":"%s"}]', app.iso_8601(until));
    said := set_config('response.headers', said, true);
  end if;
  if list = 'activity' and include <> '{}' then
    return lists.only(include, lists.included_in_activity(view = 'activity_with'), coalesce(result.page, '[]'));
  end if;
  return coalesce(result.page, '[]');
end
$function$;

COMMENT ON FUNCTION "app"."oldest_write"() IS 'The start of the oldest transaction that has written, on this server, or now. Null if it is unknown.';

COMMENT ON FUNCTION "lists"."masked_cursors"(lists.span, uuid[], xid8[], boolean[]) IS 'The cursors of a page of moods, and which of its rows are deleted.';

COMMENT ON FUNCTION "lists"."unmask_cursor"(text, text) IS 'The rank and the numbers in a cursor of moods. Nulls for any other text.';

REVOKE ALL ON FUNCTION "app"."oldest_write"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."oldest_write"() TO "postgres", "public_api";

REVOKE ALL ON FUNCTION "lists"."masked_cursors"(lists.span, uuid[], xid8[], boolean[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "lists"."masked_cursors"(lists.span, uuid[], xid8[], boolean[]) TO "postgres", "public_api";

REVOKE ALL ON FUNCTION "lists"."unmask_cursor"(text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "lists"."unmask_cursor"(text, text) TO "postgres", "public_api";
