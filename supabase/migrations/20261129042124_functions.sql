-- The tables of companies and keys are small: reading them takes milliseconds.
-- squawk-ignore-file ban-drop-not-null, constraint-missing-not-valid
set lock_timeout = '2s';
set statement_timeout = '60s';

set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION public.list_activity(key_hash text, max_rows integer, since timestamp with time zone DEFAULT '-infinity'::timestamp with time zone, until timestamp with time zone DEFAULT 'infinity'::timestamp with time zone, category_id uuid DEFAULT NULL::uuid, sender_id uuid DEFAULT NULL::uuid, receiver_id uuid DEFAULT NULL::uuid, starting_after uuid DEFAULT NULL::uuid, include text[] DEFAULT NULL::text[], after_time timestamp with time zone DEFAULT NULL::timestamp with time zone)
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
#variable_conflict use_column
declare
  page constant lists.page := lists.begin('activity', key_hash, max_rows, starting_after, after_time, until);
  sender constant uuid := sender_id;
  receiver constant uuid := receiver_id;
  category constant uuid := category_id;
  lead_by constant text := case
    when num_nonnulls(sender, receiver, category) > 1
      then lists.rarest_kudos_filter(page, since, sender, receiver, category)
    when sender is not null then 'sender' when receiver is not null then 'receiver'
    when category is not null then 'category' end;
  said constant text := set_config('lists.include', ',' || array_to_string(include, ',') || ',', true);
  included text[];
  found json;
begin
  if include is null then
    if lead_by is null then
      found := (select lists.answer(page, p.rows, (p.rows[max_rows])."timestamp" || '_' || (p.rows[max_rows]).id) from (
        select array(select v.shown from lists.activity as v
          where lists.is_in(page, v.company_id, v.instant, v.id) and v.instant >= since
          order by v.instant desc, v.id desc limit max_rows + 1) as rows offset 0) as p);
    elsif lead_by = 'sender' then
      found := (select lists.answer(page, p.rows, (p.rows[max_rows])."timestamp" || '_' || (p.rows[max_rows]).id) from (
        select array(select v.shown from lists.activity as v
          where lists.is_in(page, v.company_id, v.instant, v.id) and v.instant >= since and v.sender_id = sender
            and (receiver is null or v.receiver_id = receiver) and (category is null or v.category_id = category)
          order by v.instant desc, v.id desc limit max_rows + 1) as rows offset 0) as p);
    elsif lead_by = 'receiver' then
      found := (select lists.answer(page, p.rows, (p.rows[max_rows])."timestamp" || '_' || (p.rows[max_rows]).id) from (
        select array(select v.shown from lists.activity as v
          where lists.is_in(page, v.company_id, v.instant, v.id) and v.instant >= since and v.receiver_id = receiver
            and (sender is null or v.sender_id = sender) and (category is null or v.category_id = category)
          order by v.instant desc, v.id desc limit max_rows + 1) as rows offset 0) as p);
    else
      found := (select lists.answer(page, p.rows, (p.rows[max_rows])."timestamp" || '_' || (p.rows[max_rows]).id) from (
        select array(select v.shown from lists.activity as v
          where lists.is_in(page, v.company_id, v.instant, v.id) and v.instant >= since and v.category_id = category
            and (sender is null or v.sender_id = sender) and (receiver is null or v.receiver_id = receiver)
          order by v.instant desc, v.id desc limit max_rows + 1) as rows offset 0) as p);
    end if;
  elsif include <@ lists.included_in_activity(false) then
    included := lists.included_in_activity(false);
    if lead_by is null then
      found := (select lists.answer(page, p.rows, (p.rows[max_rows])."timestamp" || '_' || (p.rows[max_rows]).id) from (
        select array(select v.shown from lists.activity_with_ids as v
          where lists.is_in(page, v.company_id, v.instant, v.id) and v.instant >= since
          order by v.instant desc, v.id desc limit max_rows + 1) as rows offset 0) as p);
    elsif lead_by = 'sender' then
      found := (select lists.answer(page, p.rows, (p.rows[max_rows])."timestamp" || '_' || (p.rows[max_rows]).id) from (
        select array(select v.shown from lists.activity_with_ids as v
          where lists.is_in(page, v.company_id, v.instant, v.id) and v.instant >= since and v.sender_id = sender
            and (receiver is null or v.receiver_id = receiver) and (category is null or v.category_id = category)
          order by v.instant desc, v.id desc limit max_rows + 1) as rows offset 0) as p);
    elsif lead_by = 'receiver' then
      found := (select lists.answer(page, p.rows, (p.rows[max_rows])."timestamp" || '_' || (p.rows[max_rows]).id) from (
        select array(select v.shown from lists.activity_with_ids as v
          where lists.is_in(page, v.company_id, v.instant, v.id) and v.instant >= since and v.receiver_id = receiver
            and (sender is null or v.sender_id = sender) and (category is null or v.category_id = category)
          order by v.instant desc, v.id desc limit max_rows + 1) as rows offset 0) as p);
    else
      found := (select lists.answer(page, p.rows, (p.rows[max_rows])."timestamp" || '_' || (p.rows[max_rows]).id) from (
        select array(select v.shown from lists.activity_with_ids as v
          where lists.is_in(page, v.company_id, v.instant, v.id) and v.instant >= since and v.category_id = category
            and (sender is null or v.sender_id = sender) and (receiver is null or v.receiver_id = receiver)
          order by v.instant desc, v.id desc limit max_rows + 1) as rows offset 0) as p);
    end if;
  else
    included := lists.included_in_activity(true);
    if lead_by is null then
      found := (select lists.answer(page, p.rows, (p.rows[max_rows])."timestamp" || '_' || (p.rows[max_rows]).id) from (
        select array(select v.shown from lists.activity_with as v
          where lists.is_in(page, v.company_id, v.instant, v.id) and v.instant >= since
          order by v.instant desc, v.id desc limit max_rows + 1) as rows offset 0) as p);
    elsif lead_by = 'sender' then
      found := (select lists.answer(page, p.rows, (p.rows[max_rows])."timestamp" || '_' || (p.rows[max_rows]).id) from (
        select array(select v.shown from lists.activity_with as v
          where lists.is_in(page, v.company_id, v.instant, v.id) and v.instant >= since and v.sender_id = sender
            and (receiver is null or v.receiver_id = receiver) and (category is null or v.category_id = category)
          order by v.instant desc, v.id desc limit max_rows + 1) as rows offset 0) as p);
    elsif lead_by = 'receiver' then
      found := (select lists.answer(page, p.rows, (p.rows[max_rows])."timestamp" || '_' || (p.rows[max_rows]).id) from (
        select array(select v.shown from lists.activity_with as v
          where lists.is_in(page, v.company_id, v.instant, v.id) and v.instant >= since and v.receiver_id = receiver
            and (sender is null or v.sender_id = sender) and (category is null or v.category_id = category)
          order by v.instant desc, v.id desc limit max_rows + 1) as rows offset 0) as p);
    else
      found := (select lists.answer(page, p.rows, (p.rows[max_rows])."timestamp" || '_' || (p.rows[max_rows]).id) from (
        select array(select v.shown from lists.activity_with as v
          where lists.is_in(page, v.company_id, v.instant, v.id) and v.instant >= since and v.category_id = category
            and (sender is null or v.sender_id = sender) and (receiver is null or v.receiver_id = receiver)
          order by v.instant desc, v.id desc limit max_rows + 1) as rows offset 0) as p);
    end if;
  end if;
  return case when include is null or include @> included then found else lists.only(include, included, found) end;
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
$function$;

CREATE OR REPLACE FUNCTION public.upsert_rewards(key_hash text, rewards text, dry_run boolean DEFAULT false)
 RETURNS app."application/json"
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET lock_timeout TO '5s'
 SET statement_timeout TO '7s'
 SET jit TO 'off'
 SET enable_seqscan TO 'off'
AS $function$
declare
  api_key app.verified_key;
  sent constant jsonb := rewards::jsonb;
  -- The rows by external_id. An update keeps the fields that were not sent.
  by_id jsonb;
  created integer;
  updated integer;
begin
  api_key := app.admit(key_hash, 'write:rewards');
  -- The platform makes read-only the default when a disk is nearly full. PostgREST begins this transaction as read write
  -- all the same, so that the rows would be written.
  if current_setting('default_transaction_read_only')::boolean then
    raise exception using errcode = 'read_only_sql_transaction', message = 'the database is read-only';
  end if;

  select jsonb_object_agg(reward.fields ->> 'external_id', reward.fields)
  into by_id
  from jsonb_array_elements(sent) as reward (fields);

  begin
    with written as (
      insert into app.rewards as kept
        (company_id, external_id, name, description, points_cost, reward_type, is_archived, stock_count, image_url, vendor_name)
      select
        api_key.company_id, r.external_id, r.name, r.description, r.points_cost, coalesce(r.reward_type, 'perk'),
        coalesce(r.is_archived, false), r.stock_count, r.image_url, r.vendor_name
      from jsonb_populate_recordset(null::app.rewards, sent) as r
      order by r.external_id collate "C"
      on conflict (company_id, external_id) do update
      set (name, description, points_cost, reward_type, is_archived, stock_count, image_url, vendor_name) = (
        select r.name, r.description, r.points_cost, r.reward_type, r.is_archived, r.stock_count, r.image_url, r.vendor_name
        from jsonb_populate_record(kept, by_id -> excluded.external_id) as r
      )
      where (kept.name, kept.points_cost) is distinct from (excluded.name, excluded.points_cost)
        or (kept.description is distinct from excluded.description and by_id -> excluded.external_id ? 'description')
        or (kept.reward_type is distinct from excluded.reward_type and by_id -> excluded.external_id ? 'reward_type')
        or (kept.is_archived is distinct from excluded.is_archived and by_id -> excluded.external_id ? 'is_archived')
        or (kept.stock_count is distinct from excluded.stock_count and by_id -> excluded.external_id ? 'stock_count')
        or (kept.image_url is distinct from excluded.image_url and by_id -> excluded.external_id ? 'image_url')
        or (kept.vendor_name is distinct from excluded.vendor_name and by_id -> excluded.external_id ? 'vendor_name')
      -- Only a row that was there before has been locked, by the number in xmax.
      returning kept.xmax = 0 as is_new
    )
    select count(*) filter (where is_new), count(*) filter (where not is_new) into created, updated from written;
    if dry_run then
      raise exception using errcode = 'DRYRN';
    end if;
  exception when sqlstate 'DRYRN' then
    -- Nothing is left but the counts.
  end;

  return app.respond(api_key.key_id, api_key.company_id, format(
    '{"imported":%s,"created":%s,"updated":%s,"unchanged":%s}',
    case when dry_run then 0 else jsonb_array_length(sent) end, created, updated, jsonb_array_length(sent) - created - updated
  )::json);
end
$function$;
