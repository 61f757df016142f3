set lock_timeout = '2s';
set statement_timeout = '60s';

set local check_function_bodies = off;

ALTER TABLE "app"."deletions" DROP CONSTRAINT "deletions_pkey";

CREATE OR REPLACE FUNCTION app.changes_query(list text, include text[])
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
 SET jit TO 'off'
AS $function$
  select format(
    $query$
      with changed as (
        select t.changed_in, t.id %2$s
          and t.company_id = $1 and (t.changed_in, t.id) > ($3, $4) and t.changed_in < $7
        order by t.changed_in, t.id limit $2 + 1
      ),
      deleted as (
        select d.deleted_in, d.id from app.deletions as d
        where d.company_id = $1 and d.relation = 'app.%1$I'::regclass and (d.deleted_in, d.id) > ($5, $6) and d.deleted_in < $7
        order by d.deleted_in, d.id limit 2 * ($2 + 1)
      )
      select count(*), json_agg(item) filter (where place <= $2), string_agg(next, '') filter (where place = $2)
      from (
        select item, item.cursor as next, row_number() over () as place from (
          select
            change.id,
            shown.*,
            $8 || encode(int8send(change.changed_in::text::bigint), 'hex') || replace(change.id::text, '-', '')
              || case when change.changed_in < $9 then encode(int8send($9::text::bigint), 'hex') else '' end as cursor,
            change.deleted and not exists (select from app.%1$I as t where t.company_id = $1 and t.id = change.id offset 0) as deleted
          from (
            select c.changed_in, c.id, false as deleted from changed as c
            union all
            select d.deleted_in, d.id, true from deleted as d where d.id not in (select c.id from changed as c)
            order by changed_in, id limit $2 + 1
          ) as change
          left join lateral (select %3$s %4$s where v.company_id = $1 and v.id = change.id offset 0) as shown on true
          order by change.changed_in, change.id
        ) as item
      ) as numbered
    $query$,
    l.relation,
    l.rows,
    l.columns || (
      select coalesce(string_agg(format(', v.%I', i.name), '' order by i.place), '')
      from unnest(l.included) with ordinality as i (name, place)
      where i.name = any (include)
    ),
    l.view
  )
  from app.changing_lists() as l
  where l.list = changes_query.list
$function$;

CREATE OR REPLACE FUNCTION app.forget_deletions(company_id uuid, relation regclass)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_sort TO 'off'
AS $function$
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
  insert into app.forgotten_deletions (company_id, relation, deleted_in, id)
  values (forget_deletions.company_id, forget_deletions.relation, final.deleted_in, final.id)
  on conflict on constraint forgotten_deletions_pkey do update set deleted_in = excluded.deleted_in, id = excluded.id;
end
$function$;

CREATE OR REPLACE FUNCTION app.record_deletions()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION app.record_old_id()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  insert into app.deletions (company_id, relation, id) values (old.company_id, tg_relid, old.id)
  on conflict on constraint deletions_pkey do update
    set deleted_in = excluded.deleted_in, deleted_at = excluded.deleted_at;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION public.list_changes(key_hash text, list text, max_rows integer, changed_after text, include text[] DEFAULT NULL::text[])
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_sort TO 'off'
 SET jit TO 'off'
 SET lock_timeout TO '5s'
 SET statement_timeout TO '7s'
AS $function$
declare
  api_key app.verified_key;
  served record;
  origin text;
  -- No transaction below it is still running: nothing below it can change any more.
  horizon bigint;
  began bigint;
  after_transaction bigint := 0;
  after_id uuid := '00000000-0000-0000-0000-000000000000';
  are_foreign boolean;
  found_rows bigint;
  page json;
  next text;
  headers text;
begin
  if exists (
    select from unnest('{app.companies,app.teams,app.members,app.categories,app.category_names,app.kudos,app.rewards,app.day_ratings,
      app.pulse_questions,app.pulse_responses,app.deletions,app.forgotten_deletions}'::regclass[]) as read (relation)
    where not row_security_active(read.relation)
  ) then
    perform app.refuse_without_row_security();
  end if;
  select l.* into strict served from app.changing_lists() as l where l.list = list_changes.list;
  api_key := app.authenticate(key_hash, served.scope);

  origin := app.cursor_origin(api_key.company_id, list);
  horizon := pg_snapshot_xmin(pg_current_snapshot())::text;
  if changed_after = 'start' then
    began := horizon;
  else
    if left(changed_after, 8) <> origin then
      perform app.refuse_cursor(api_key.key_id, api_key.company_id);
    end if;
    after_transaction := ('x' || substr(changed_after, 9, 16))::bit(64)::bigint;
    after_id := substr(changed_after, 25, 32);
    -- A standby that is late still has rows that were deleted before the copy began at the primary: it reads them now, so
    -- its deletions begin no later than this page ends.
    began := case when length(changed_after) = 56 then 0 else least(horizon, ('x' || substr(changed_after, 57))::bit(64)::bigint) end;
    -- The cursor is newer than the data of this server: its data has gone back in time without a new timeline. A standby may just be behind.
    if least(after_transaction, began) < 0 or after_transaction >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint and not pg_is_in_recovery() then
      perform app.refuse_cursor(api_key.key_id, api_key.company_id);
    end if;
  end if;

  -- A row of this server that a statement sees is of a transaction that ended before it, or of this one. In the order
  -- of the index of changes: without it, the planner may expect to find such a row soon in any index of the company,
  -- and read all its rows.
  execute format(
    'select exists (
       select from (
         select from app.%I as t
         where t.company_id = $1 and t.changed_in >= (select pg_snapshot_xmax(pg_current_snapshot())) and t.changed_in is distinct from $2
         order by t.changed_in, t.id limit 1
       ) as foreign_row
     )',
    served.relation
  ) into are_foreign using api_key.company_id, pg_current_xact_id_if_assigned();
  if are_foreign then
    raise exception 'changes in app.% have the numbers of another server', served.relation
      using errcode = 'PT501',
      hint = 'Number them anew with sql/repair.sql: docs/operations.md, Restore.';
  end if;

  execute app.changes_query(list, include) into found_rows, page, next using
    api_key.company_id, max_rows, after_transaction::text::xid8, after_id,
    greatest(after_transaction, began - 1)::text::xid8,
    case when began > after_transaction then 'ffffffff-ffff-ffff-ffff-ffffffffffff' else after_id end,
    horizon::text::xid8, origin, began::text::xid8;

  -- Afterwards, because deletions may have been forgotten since this function began.
  if changed_after <> 'start' and exists (
    select from app.forgotten_deletions as f
    where f.company_id = api_key.company_id and f.relation = ('app.' || served.relation)::regclass
      and (f.deleted_in, f.id) > (after_transaction::text::xid8, after_id) and f.deleted_in >= began::text::xid8
  ) then
    perform app.refuse_cursor(api_key.key_id, api_key.company_id);
  end if;

  headers := set_config(
    'response.headers',
    format(app.list_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text, next),
    true
  );
  return coalesce(page, '[]');
end
$function$;

ALTER TABLE "app"."deletions" ADD CONSTRAINT "deletions_pkey" PRIMARY KEY (company_id, relation, id);

CREATE INDEX deletions_in_order ON app.deletions USING btree (company_id, relation, deleted_in, id);

CREATE TRIGGER record_old_id AFTER UPDATE ON app.categories FOR EACH ROW WHEN (((old.company_id <> new.company_id) OR (old.id <> new.id))) EXECUTE FUNCTION app.record_old_id();

CREATE TRIGGER record_old_id AFTER UPDATE ON app.day_ratings FOR EACH ROW WHEN (((old.company_id <> new.company_id) OR (old.id <> new.id))) EXECUTE FUNCTION app.record_old_id();

CREATE TRIGGER record_old_id AFTER UPDATE ON app.kudos FOR EACH ROW WHEN (((old.company_id <> new.company_id) OR (old.id <> new.id))) EXECUTE FUNCTION app.record_old_id();

CREATE TRIGGER record_old_id AFTER UPDATE ON app.members FOR EACH ROW WHEN (((old.company_id <> new.company_id) OR (old.id <> new.id))) EXECUTE FUNCTION app.record_old_id();

CREATE TRIGGER record_old_id AFTER UPDATE ON app.pulse_responses FOR EACH ROW WHEN (((old.company_id <> new.company_id) OR (old.id <> new.id))) EXECUTE FUNCTION app.record_old_id();

CREATE TRIGGER record_old_id AFTER UPDATE ON app.rewards FOR EACH ROW WHEN (((old.company_id <> new.company_id) OR (old.id <> new.id))) EXECUTE FUNCTION app.record_old_id();

CREATE TRIGGER record_old_id AFTER UPDATE ON app.teams FOR EACH ROW WHEN (((old.company_id <> new.company_id) OR (old.id <> new.id))) EXECUTE FUNCTION app.record_old_id();

COMMENT ON FUNCTION "app"."record_old_id"() IS 'Trigger: records in app.deletions the id that a row had before an update.';

REVOKE ALL ON FUNCTION "app"."record_old_id"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."record_old_id"() TO "postgres";
