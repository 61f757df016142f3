set lock_timeout = '5s';
set statement_timeout = '60s';

grant create on schema public to public_api;

SET local check_function_bodies = off;

CREATE TABLE "app"."deletions" (
  "company_id" uuid                     NOT NULL,
  "relation"   text                     COLLATE pg_catalog."C" NOT NULL,
  "deleted_in" xid8                     NOT NULL DEFAULT pg_current_xact_id(),
  "id"         uuid                     NOT NULL,
  "deleted_at" timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT "deletions_pkey" PRIMARY KEY (company_id, relation, deleted_in, id)
);

ALTER TABLE "app"."deletions"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "app"."forgotten_deletions" (
  "company_id" uuid NOT NULL,
  "relation"   text COLLATE pg_catalog."C" NOT NULL,
  "deleted_in" xid8 NOT NULL,
  "id"         uuid NOT NULL,
  CONSTRAINT "forgotten_deletions_pkey" PRIMARY KEY (company_id, relation)
);

ALTER TABLE "app"."forgotten_deletions"
  ENABLE ROW LEVEL SECURITY;

ALTER TABLE "app"."categories"
  ADD COLUMN "changed_in" xid8 NOT NULL DEFAULT pg_current_xact_id();

ALTER TABLE "app"."day_ratings"
  ADD COLUMN "changed_in" xid8 NOT NULL DEFAULT pg_current_xact_id();

ALTER TABLE "app"."kudos"
  ADD COLUMN "changed_in" xid8 NOT NULL DEFAULT pg_current_xact_id();

ALTER TABLE "app"."members"
  ADD COLUMN "changed_in" xid8 NOT NULL DEFAULT pg_current_xact_id();

ALTER TABLE "app"."pulse_responses"
  ADD COLUMN "changed_in" xid8 NOT NULL DEFAULT pg_current_xact_id();

ALTER TABLE "app"."rewards"
  ADD COLUMN "changed_in" xid8 NOT NULL DEFAULT pg_current_xact_id();

ALTER TABLE "app"."teams"
  ADD COLUMN "changed_in" xid8 NOT NULL DEFAULT pg_current_xact_id();

CREATE OR REPLACE FUNCTION app.begin_changes()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  perform app.forget_cursors(new.id);
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION app.changes_query (
  list    text,
  include text[]
)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  SET jit TO 'off'
  AS $function$
  select format(
    $query$
      select count(*), json_agg(item) filter (where place <= $2), string_agg(next, '') filter (where place = $2)
      from (
        select item, item.cursor as next, row_number() over () as place from (
          select
            change.id,
            shown.*,
            $8 || encode(int8send(change.changed_in::text::bigint), 'hex') || replace(change.id::text, '-', '')
              || case when change.changed_in < $9 then right(encode(int8send($9::text::bigint), 'hex'), 8) else '' end as cursor,
            change.deleted and not exists (select from app.%1$I as t where t.company_id = $1 and t.id = change.id offset 0) as deleted
          from (
            select either.changed_in, either.id, either.deleted from (
              (
                select t.changed_in, t.id, false as deleted %2$s
                  and t.company_id = $1 and (t.changed_in, t.id) > ($3, $4) and t.changed_in < $7
                order by t.changed_in, t.id limit $2 + 1
              )
              union all
              (
                select d.deleted_in, d.id, true from app.deletions as d
                where d.company_id = $1 and d.relation = %1$L and (d.deleted_in, d.id) > ($5, $6) and d.deleted_in < $7
                order by d.deleted_in, d.id limit $2 + 1
              )
            ) as either
            order by either.changed_in, either.id limit $2 + 1
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

CREATE OR REPLACE FUNCTION app.changing_lists()
  RETURNS TABLE (
    list     text,
    scope    text,
    relation text,
    rows     text,
    view     text,
    columns  text,
    included text[]
  )
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  SET jit TO 'off'
  AS $function$
  values
    ('members', 'read:members', 'members', 'from app.members as t where not t.is_former', 'from api.members as v',
      'v.name, v.email, v.role, v.team_id, v.team_name, v.created_at', '{}'::text[]),
    ('teams', 'read:members', 'teams', 'from app.teams as t where true', 'from api.teams as v',
      'v.name, v.created_at', '{}'),
    ('activity', 'read:activity', 'kudos', 'from app.kudos as t where true', 'from api.activity as v',
      'v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message,
      coalesce((select app.category_names_by_id($1)) ->> v.category_id::text, '''') as category',
      '{sender_id,receiver_id,category_id}'),
    ('categories', 'read:activity', 'categories', 'from app.categories as t where true', 'from api.categories as v',
      'coalesce((select app.category_names_by_id($1)) ->> v.id::text, '''') as name, v.created_at', '{}'),
    ('rewards', 'read:rewards', 'rewards', 'from app.rewards as t where true', 'from api.rewards as v',
      'v.name, v.description, v.points_cost, v.reward_type, v.stock_count, v.image_url, v.vendor_name, v.is_archived, v.created_at',
      '{external_id}'),
    ('day-ratings', 'read:analytics', 'day_ratings', 'from app.day_ratings as t where true', 'from api.day_ratings as v',
      'v.rating, v.comment, v.team_id, v.points_awarded, v.created_at',
      '{team_name}'),
    ('pulse-responses', 'read:analytics', 'pulse_responses', 'from app.pulse_responses as t where true', 'from api.pulse_responses as v',
      'v."timestamp", v.question, v.response_type, v.value, v.comment',
      '{question_id}')
$function$;

CREATE OR REPLACE FUNCTION app.cursor_origin (
  company_id uuid,
  list       text
)
  RETURNS text
  LANGUAGE sql
  STABLE
  SET search_path TO ''
BEGIN ATOMIC
 SELECT
   "left"(encode(sha256(convert_to(concat_ws(' '::text, s.system_identifier, c.timeline_id, d.oid, ('app.deletions'::regclass)::oid, cursor_origin.company_id, cursor_origin.list),
   'utf8'::name)), 'hex'::text), 8)
  AS "left"
    FROM pg_control_system() s(pg_control_version, catalog_version_no, system_identifier, pg_control_last_modified),
     pg_control_checkpoint() c(checkpoint_lsn, redo_lsn, redo_wal_file, timeline_id, prev_timeline_id, full_page_writes, next_xid, next_oid, next_multixact_id, next_multi_offset, oldest_xid, oldest_xid_dbid, oldest_active_xid, oldest_multi_xid, oldest_multi_dbid, oldest_commit_ts_xid, newest_commit_ts_xid, checkpoint_time),
     pg_database d
   WHERE (d.datname = current_database());
END;

CREATE OR REPLACE FUNCTION app.end_changes()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  delete from app.deletions as d where d.company_id = old.id;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION app.forget_deletions (
  company_id uuid,
  relation   text
)
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
  oldest timestamptz;
begin
  select f.* into last from app.forgotten_deletions as f
  where f.company_id = forget_deletions.company_id and f.relation = forget_deletions.relation;
  last.deleted_in := coalesce(last.deleted_in, '0');
  last.id := coalesce(last.id, '00000000-0000-0000-0000-000000000000');

  select d.deleted_at into oldest from app.deletions as d
  where d.company_id = forget_deletions.company_id and d.relation = forget_deletions.relation and (d.deleted_in, d.id) > (last.deleted_in, last.id)
  order by d.deleted_in, d.id limit 1;
  if oldest is null or oldest >= before or not pg_try_advisory_xact_lock(hashtextextended('app.forget_deletions', 0)) then
    return;
  end if;

  with oldest as (
    select d.deleted_in, d.id, bool_and(d.deleted_at < before) over (order by d.deleted_in, d.id) as is_old
    from app.deletions as d
    where d.company_id = forget_deletions.company_id and d.relation = forget_deletions.relation and (d.deleted_in, d.id) > (last.deleted_in, last.id)
    order by d.deleted_in, d.id limit 5000
  ),
  forgotten as (
    delete from app.deletions as d using oldest as o
    where o.is_old and d.company_id = forget_deletions.company_id and d.relation = forget_deletions.relation and d.deleted_in = o.deleted_in and d.id = o.id
    returning d.deleted_in, d.id
  )
  insert into app.forgotten_deletions (company_id, relation, deleted_in, id)
  select forget_deletions.company_id, forget_deletions.relation, f.deleted_in, f.id from forgotten as f order by f.deleted_in desc, f.id desc limit 1
  on conflict on constraint forgotten_deletions_pkey do update set deleted_in = excluded.deleted_in, id = excluded.id;
end
$function$;

CREATE OR REPLACE FUNCTION app.list_headers()
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
RETURN '[{"X-Key-Id":"%s"},{"X-Company-Id":"%s"},{"X-Row-Count":"%s"},{"X-Has-More":"%s"},{"X-Next":"%s"}]'::text;

CREATE OR REPLACE FUNCTION app.mark_answers()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  perform from app.pulse_questions as q where q.company_id = new.company_id and q.id = new.id for update;
  update app.pulse_responses as p set changed_in = pg_current_xact_id() where p.company_id = new.company_id and p.question_id = new.id;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION app.mark_categories()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  perform from app.companies as c where c.id = new.id for update;
  update app.categories as c set changed_in = pg_current_xact_id() where c.company_id = new.id;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION app.mark_category()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  update app.categories as c set changed_in = pg_current_xact_id()
  where c.company_id in (old.company_id, new.company_id) and c.id in (old.category_id, new.category_id)
    and c.changed_in <> pg_current_xact_id();
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION app.number_change()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  new.changed_in := pg_current_xact_id();
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION app.record_deletions()
  RETURNS TRIGGER
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
    begin
      insert into app.deletions (company_id, relation, id)
      select company, tg_table_name, d.id from deleted as d where d.company_id = company;
    exception
      -- This transaction has deleted a row with the same id before. on conflict for all deletions would take longer.
      when unique_violation then
        insert into app.deletions (company_id, relation, id)
        select company, tg_table_name, d.id from deleted as d where d.company_id = company
        on conflict do nothing;
    end;
    perform app.forget_deletions(company, tg_table_name);
  end loop;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION app.refuse_cursor (
  key_id     uuid,
  company_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
begin
  raise exception using
    errcode = 'PT410',
    message = 'Gone: this cursor is no longer known, begin again with changed_after=start',
    detail = json_build_object('key_id', key_id, 'company_id', company_id);
end
$function$;

CREATE OR REPLACE FUNCTION public.list_activity (
  key_hash       text,
  max_rows       integer,
  since          timestamp with time zone DEFAULT '-infinity'::timestamp WITH time zone,
  until          timestamp with time zone DEFAULT 'infinity'::timestamp WITH time zone,
  category_id    uuid                     DEFAULT NULL::uuid,
  sender_id      uuid                     DEFAULT NULL::uuid,
  receiver_id    uuid                     DEFAULT NULL::uuid,
  starting_after uuid                     DEFAULT NULL::uuid,
  include        text[]                   DEFAULT NULL::text[]
)
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
  found_rows bigint;
  page json;
  next text;
  headers text;
  -- The page begins below this pair of instant and id (docs/api.md, Lists).
  below_instant timestamptz := until + interval '1 microsecond';
  below_id uuid := uuid '00000000-0000-0000-0000-000000000000';
  after_instant timestamptz;
  lead_by text;
begin
  if not (
    row_security_active('app.kudos'::regclass) and row_security_active('app.members'::regclass)
    and row_security_active('app.category_names'::regclass) and row_security_active('app.companies'::regclass)
  ) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:activity');

  if starting_after is not null then
    select k.created_at into after_instant from app.kudos as k where k.company_id = api_key.company_id and k.id = starting_after;
    if not found then
      perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
    end if;
    if (after_instant, starting_after) < (below_instant, below_id) then
      below_instant := after_instant;
      below_id := starting_after;
    end if;
  end if;

  if num_nonnulls(sender_id, receiver_id, category_id) > 0 then
    lead_by := app.rarest_kudos_filter(api_key.company_id, since, least(until, below_instant), sender_id, receiver_id, category_id);
  end if;

  -- The names of all categories are looked up once per page, because a company has few categories and a page has many kudos. This is
  -- done in the statement of the page, because another statement would have another snapshot: a kudos of a new category, committed
  -- between the two, would have no category name.
  if lead_by is null then
    select count(*), json_agg(item) filter (where place <= max_rows), string_agg(id::text, '') filter (where place = max_rows)
    into found_rows, page, next from (
      select id, item, row_number() over () as place from (
        select item.id, case when include is null then item else item_with_ids end as item
        from api.activity as k
        cross join lateral (
          select k.id, k."timestamp", k.sender_name, k.sender_email, k.receiver_name, k.receiver_email, k.message,
            coalesce((select app.category_names_by_id(api_key.company_id)) ->> k.category_id::text, '') as category
        ) as item
        cross join lateral (
          select item.*,
            case when 'sender_id' = any (include) then k.sender_id end as sender_id,
            case when 'receiver_id' = any (include) then k.receiver_id end as receiver_id,
            case when 'category_id' = any (include) then k.category_id end as category_id
        ) as item_with_ids
        where k.company_id = api_key.company_id
          and k.instant >= since and (k.instant, k.id) < (below_instant, below_id)
        order by k.instant desc, k.id desc
        limit max_rows + 1
      ) as ordered
    ) as numbered;
  elsif lead_by = 'sender' then
    select count(*), json_agg(item) filter (where place <= max_rows), string_agg(id::text, '') filter (where place = max_rows)
    into found_rows, page, next from (
      select id, item, row_number() over () as place from (
        select item.id, case when include is null then item else item_with_ids end as item
        from api.activity as k
        cross join lateral (
          select k.id, k."timestamp", k.sender_name, k.sender_email, k.receiver_name, k.receiver_email, k.message,
            coalesce((select app.category_names_by_id(api_key.company_id)) ->> k.category_id::text, '') as category
        ) as item
        cross join lateral (
          select item.*,
            case when 'sender_id' = any (include) then k.sender_id end as sender_id,
            case when 'receiver_id' = any (include) then k.receiver_id end as receiver_id,
            case when 'category_id' = any (include) then k.category_id end as category_id
        ) as item_with_ids
        where k.company_id = api_key.company_id and k.sender_id = list_activity.sender_id
          and k.instant >= since and (k.instant, k.id) < (below_instant, below_id)
          and (list_activity.receiver_id is null or k.receiver_id = list_activity.receiver_id)
          and (list_activity.category_id is null or k.category_id = list_activity.category_id)
        order by k.instant desc, k.id desc
        limit max_rows + 1
      ) as ordered
    ) as numbered;
  elsif lead_by = 'receiver' then
    select count(*), json_agg(item) filter (where place <= max_rows), string_agg(id::text, '') filter (where place = max_rows)
    into found_rows, page, next from (
      select id, item, row_number() over () as place from (
        select item.id, case when include is null then item else item_with_ids end as item
        from api.activity as k
        cross join lateral (
          select k.id, k."timestamp", k.sender_name, k.sender_email, k.receiver_name, k.receiver_email, k.message,
            coalesce((select app.category_names_by_id(api_key.company_id)) ->> k.category_id::text, '') as category
        ) as item
        cross join lateral (
          select item.*,
            case when 'sender_id' = any (include) then k.sender_id end as sender_id,
            case when 'receiver_id' = any (include) then k.receiver_id end as receiver_id,
            case when 'category_id' = any (include) then k.category_id end as category_id
        ) as item_with_ids
        where k.company_id = api_key.company_id and k.receiver_id = list_activity.receiver_id
          and k.instant >= since and (k.instant, k.id) < (below_instant, below_id)
          and (list_activity.sender_id is null or k.sender_id = list_activity.sender_id)
          and (list_activity.category_id is null or k.category_id = list_activity.category_id)
        order by k.instant desc, k.id desc
        limit max_rows + 1
      ) as ordered
    ) as numbered;
  else
    select count(*), json_agg(item) filter (where place <= max_rows), string_agg(id::text, '') filter (where place = max_rows)
    into found_rows, page, next from (
      select id, item, row_number() over () as place from (
        select item.id, case when include is null then item else item_with_ids end as item
        from api.activity as k
        cross join lateral (
          select k.id, k."timestamp", k.sender_name, k.sender_email, k.receiver_name, k.receiver_email, k.message,
            coalesce((select app.category_names_by_id(api_key.company_id)) ->> k.category_id::text, '') as category
        ) as item
        cross join lateral (
          select item.*,
            case when 'sender_id' = any (include) then k.sender_id end as sender_id,
            case when 'receiver_id' = any (include) then k.receiver_id end as receiver_id,
            case when 'category_id' = any (include) then k.category_id end as category_id
        ) as item_with_ids
        where k.company_id = api_key.company_id and k.category_id = list_activity.category_id
          and k.instant >= since and (k.instant, k.id) < (below_instant, below_id)
          and (list_activity.sender_id is null or k.sender_id = list_activity.sender_id)
          and (list_activity.receiver_id is null or k.receiver_id = list_activity.receiver_id)
        order by k.instant desc, k.id desc
        limit max_rows + 1
      ) as ordered
    ) as numbered;
  end if;

  -- Columns of item_with_ids that include does not name are null in every row, and are removed from the text of the page. This text is
  -- never within a value, because quotes are escaped there.
  if cardinality(include) < 3 then
    page := replace(replace(replace(page::text,
      case when 'sender_id' = any (include) then '' else ',"sender_id":null' end, ''),
      case when 'receiver_id' = any (include) then '' else ',"receiver_id":null' end, ''),
      case when 'category_id' = any (include) then '' else ',"category_id":null' end, '');
  end if;

  headers := set_config(
    'response.headers',
    format(app.list_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text, next),
    true
  );
  return coalesce(page, '[]');
end
$function$;

CREATE OR REPLACE FUNCTION public.list_categories (
  key_hash       text,
  max_rows       integer,
  starting_after uuid    DEFAULT NULL::uuid
)
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
  found_rows bigint;
  page json;
  next text;
  headers text;
  -- The page begins below this pair of instant and id (docs/api.md, Lists).
  below_instant timestamptz := timestamptz 'infinity';
  below_id uuid := uuid '00000000-0000-0000-0000-000000000000';
begin
  if not (
    row_security_active('app.categories'::regclass) and row_security_active('app.category_names'::regclass)
    and row_security_active('app.companies'::regclass)
  ) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:activity');

  if starting_after is not null then
    select c.instant, c.id into below_instant, below_id from api.categories as c where c.company_id = api_key.company_id and c.id = starting_after;
    if not found then
      perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
    end if;
  end if;

  select count(*), json_agg(item) filter (where place <= max_rows), string_agg(id::text, '') filter (where place = max_rows)
  into found_rows, page, next from (
    select item.id, item, row_number() over () as place from (
      select c.id, coalesce((select app.category_names_by_id(api_key.company_id)) ->> c.id::text, '') as name, c.created_at
      from api.categories as c
      where c.company_id = api_key.company_id
        and (c.instant, c.id) < (below_instant, below_id)
      order by c.instant desc, c.id desc
      limit max_rows + 1
    ) as item
  ) as numbered;

  headers := set_config(
    'response.headers',
    format(app.list_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text, next),
    true
  );
  return coalesce(page, '[]');
end
$function$;

CREATE OR REPLACE FUNCTION public.list_changes (
  key_hash      text,
  list          text,
  max_rows      integer,
  changed_after text,
  include       text[]  DEFAULT NULL::text[]
)
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
    -- The number with these last 32 bits that is nearest to now.
    began := case
      when length(changed_after) = 56 then 0
      else greatest(0, horizon - 2147483648 + ((('x' || substr(changed_after, 57))::bit(32)::bigint - horizon + 2147483648) & 4294967295))
    end;
    -- It is from the future of this server, whose data has gone back in time without a new timeline. A standby may only be late.
    if after_transaction < 0 or after_transaction >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint and not pg_is_in_recovery() then
      perform app.refuse_cursor(api_key.key_id, api_key.company_id);
    end if;
  end if;

  -- A row of this server that a statement sees is of a transaction that ended before it, or of this one.
  execute format(
    'select exists (
       select from app.%I as t
       where t.company_id = $1 and t.changed_in >= (select pg_snapshot_xmax(pg_current_snapshot())) and t.changed_in is distinct from $2
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
    where f.company_id = api_key.company_id and f.relation = served.relation
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

REVOKE ALL ON FUNCTION "public"."list_changes"(text, text, integer, text, text[]) FROM PUBLIC, "anon", "authenticated";

ALTER FUNCTION "public"."list_changes"(text, text, integer, text, text[]) OWNER TO "public_api";

CREATE OR REPLACE FUNCTION public.list_day_ratings (
  key_hash       text,
  max_rows       integer,
  since          timestamp with time zone DEFAULT '-infinity'::timestamp WITH time zone,
  until          timestamp with time zone DEFAULT 'infinity'::timestamp WITH time zone,
  team_id        uuid                     DEFAULT NULL::uuid,
  starting_after uuid                     DEFAULT NULL::uuid,
  include        text[]                   DEFAULT NULL::text[]
)
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
  found_rows bigint;
  page json;
  next text;
  headers text;
  -- The page begins below this pair of instant and id (docs/api.md, Lists).
  below_instant timestamptz := until + interval '1 microsecond';
  below_id uuid := uuid '00000000-0000-0000-0000-000000000000';
  after_instant timestamptz;
begin
  if not (row_security_active('app.day_ratings'::regclass) and row_security_active('app.teams'::regclass)) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:analytics');

  if starting_after is not null then
    select d.created_at into after_instant from app.day_ratings as d where d.company_id = api_key.company_id and d.id = starting_after;
    if not found then
      perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
    end if;
    if (after_instant, starting_after) < (below_instant, below_id) then
      below_instant := after_instant;
      below_id := starting_after;
    end if;
  end if;

  if team_id is null then
    select count(*), json_agg(item) filter (where place <= max_rows), string_agg(id::text, '') filter (where place = max_rows)
    into found_rows, page, next from (
      select id, item, row_number() over () as place from (
        select item.id, case when include is null then item else item_with_team_name end as item
        from api.day_ratings as d
        cross join lateral (select d.id, d.rating, d.comment, d.team_id, d.points_awarded, d.created_at) as item
        cross join lateral (select item.*, d.team_name) as item_with_team_name
        where d.company_id = api_key.company_id
          and d.instant >= since and (d.instant, d.id) < (below_instant, below_id)
        order by d.instant desc, d.id desc
        limit max_rows + 1
      ) as ordered
    ) as numbered;
  else
    select count(*), json_agg(item) filter (where place <= max_rows), string_agg(id::text, '') filter (where place = max_rows)
    into found_rows, page, next from (
      select id, item, row_number() over () as place from (
        select item.id, case when include is null then item else item_with_team_name end as item
        from api.day_ratings as d
        cross join lateral (select d.id, d.rating, d.comment, d.team_id, d.points_awarded, d.created_at) as item
        cross join lateral (select item.*, d.team_name) as item_with_team_name
        where d.company_id = api_key.company_id and d.team_id = list_day_ratings.team_id
          and d.instant >= since and (d.instant, d.id) < (below_instant, below_id)
        order by d.instant desc, d.id desc
        limit max_rows + 1
      ) as ordered
    ) as numbered;
  end if;

  headers := set_config(
    'response.headers',
    format(app.list_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text, next),
    true
  );
  return coalesce(page, '[]');
end
$function$;

CREATE OR REPLACE FUNCTION public.list_members (
  key_hash       text,
  max_rows       integer,
  team_id        uuid    DEFAULT NULL::uuid,
  role           text    DEFAULT NULL::text,
  starting_after uuid    DEFAULT NULL::uuid
)
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
  found_rows bigint;
  page json;
  next text;
  headers text;
  -- The page begins below this pair of instant and id (docs/api.md, Lists).
  below_instant timestamptz := timestamptz 'infinity';
  below_id uuid := uuid '00000000-0000-0000-0000-000000000000';
  lead_by text;
begin
  if not (row_security_active('app.members'::regclass) and row_security_active('app.teams'::regclass)) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:members');

  if starting_after is not null then
    select m.instant, m.id into below_instant, below_id from api.members as m where m.company_id = api_key.company_id and m.id = starting_after;
    if not found then
      perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
    end if;
  end if;

  if num_nonnulls(team_id, role) > 0 then
    lead_by := app.rarest_members_filter(api_key.company_id, team_id, role);
  end if;

  if lead_by is null then
    select count(*), json_agg(item) filter (where place <= max_rows), string_agg(id::text, '') filter (where place = max_rows)
    into found_rows, page, next from (
      select item.id, item, row_number() over () as place from (
        select m.id, m.name, m.email, m.role, m.team_id, m.team_name, m.created_at
        from api.members as m
        where m.company_id = api_key.company_id
          and (m.instant, m.id) < (below_instant, below_id)
        order by m.instant desc, m.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  elsif lead_by = 'team' then
    select count(*), json_agg(item) filter (where place <= max_rows), string_agg(id::text, '') filter (where place = max_rows)
    into found_rows, page, next from (
      select item.id, item, row_number() over () as place from (
        select m.id, m.name, m.email, m.role, m.team_id, m.team_name, m.created_at
        from api.members as m
        where m.company_id = api_key.company_id and m.team_id = list_members.team_id
          and (m.instant, m.id) < (below_instant, below_id)
          and (list_members.role is null or m.role = list_members.role)
        order by m.instant desc, m.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  else
    select count(*), json_agg(item) filter (where place <= max_rows), string_agg(id::text, '') filter (where place = max_rows)
    into found_rows, page, next from (
      select item.id, item, row_number() over () as place from (
        select m.id, m.name, m.email, m.role, m.team_id, m.team_name, m.created_at
        from api.members as m
        where m.company_id = api_key.company_id and m.role = list_members.role
          and (m.instant, m.id) < (below_instant, below_id)
          and (list_members.team_id is null or m.team_id = list_members.team_id)
        order by m.instant desc, m.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  end if;

  headers := set_config(
    'response.headers',
    format(app.list_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text, next),
    true
  );
  return coalesce(page, '[]');
end
$function$;

CREATE OR REPLACE FUNCTION public.list_pulse_responses (
  key_hash       text,
  max_rows       integer,
  since          timestamp with time zone DEFAULT '-infinity'::timestamp WITH time zone,
  until          timestamp with time zone DEFAULT 'infinity'::timestamp WITH time zone,
  starting_after uuid                     DEFAULT NULL::uuid,
  include        text[]                   DEFAULT NULL::text[]
)
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
  found_rows bigint;
  page json;
  next text;
  headers text;
  -- The page begins below this pair of instant and id (docs/api.md, Lists).
  below_instant timestamptz := until + interval '1 microsecond';
  below_id uuid := uuid '00000000-0000-0000-0000-000000000000';
  after_instant timestamptz;
begin
  if not (row_security_active('app.pulse_responses'::regclass) and row_security_active('app.pulse_questions'::regclass)) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:analytics');

  if starting_after is not null then
    select p.created_at into after_instant from app.pulse_responses as p where p.company_id = api_key.company_id and p.id = starting_after;
    if not found then
      perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
    end if;
    if (after_instant, starting_after) < (below_instant, below_id) then
      below_instant := after_instant;
      below_id := starting_after;
    end if;
  end if;

  select count(*), json_agg(item) filter (where place <= max_rows), string_agg(id::text, '') filter (where place = max_rows)
  into found_rows, page, next from (
    select id, item, row_number() over () as place from (
      select item.id, case when include is null then item else item_with_question_id end as item
      from api.pulse_responses as p
      cross join lateral (select p.id, p."timestamp", p.question, p.response_type, p.value, p.comment) as item
      cross join lateral (select item.*, p.question_id) as item_with_question_id
      where p.company_id = api_key.company_id
        and p.instant >= since and (p.instant, p.id) < (below_instant, below_id)
      order by p.instant desc, p.id desc
      limit max_rows + 1
    ) as ordered
  ) as numbered;

  headers := set_config(
    'response.headers',
    format(app.list_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text, next),
    true
  );
  return coalesce(page, '[]');
end
$function$;

CREATE OR REPLACE FUNCTION public.list_rewards (
  key_hash         text,
  max_rows         integer,
  include_archived boolean DEFAULT false,
  starting_after   uuid    DEFAULT NULL::uuid,
  include          text[]  DEFAULT NULL::text[]
)
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
  found_rows bigint;
  page json;
  next text;
  headers text;
  -- The page begins below this pair of instant and id (docs/api.md, Lists).
  below_instant timestamptz := timestamptz 'infinity';
  below_id uuid := uuid '00000000-0000-0000-0000-000000000000';
begin
  if not row_security_active('app.rewards'::regclass) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:rewards');

  if starting_after is not null then
    select r.instant, r.id into below_instant, below_id from api.rewards as r where r.company_id = api_key.company_id and r.id = starting_after;
    if not found then
      perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
    end if;
  end if;

  if include_archived is not true then
    select count(*), json_agg(item) filter (where place <= max_rows), string_agg(id::text, '') filter (where place = max_rows)
    into found_rows, page, next from (
      select id, item, row_number() over () as place from (
        select item.id, case when include is null then item else item_with_external_id end as item
        from api.rewards as r
        cross join lateral (
          select r.id, r.name, r.description, r.points_cost, r.reward_type, r.stock_count, r.image_url, r.vendor_name, r.is_archived, r.created_at
        ) as item
        cross join lateral (select item.*, r.external_id) as item_with_external_id
        where r.company_id = api_key.company_id and not r.is_archived
          and (r.instant, r.id) < (below_instant, below_id)
        order by r.instant desc, r.id desc
        limit max_rows + 1
      ) as ordered
    ) as numbered;
  else
    select count(*), json_agg(item) filter (where place <= max_rows), string_agg(id::text, '') filter (where place = max_rows)
    into found_rows, page, next from (
      select id, item, row_number() over () as place from (
        select item.id, case when include is null then item else item_with_external_id end as item
        from api.rewards as r
        cross join lateral (
          select r.id, r.name, r.description, r.points_cost, r.reward_type, r.stock_count, r.image_url, r.vendor_name, r.is_archived, r.created_at
        ) as item
        cross join lateral (select item.*, r.external_id) as item_with_external_id
        where r.company_id = api_key.company_id
          and (r.instant, r.id) < (below_instant, below_id)
        order by r.instant desc, r.id desc
        limit max_rows + 1
      ) as ordered
    ) as numbered;
  end if;

  headers := set_config(
    'response.headers',
    format(app.list_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text, next),
    true
  );
  return coalesce(page, '[]');
end
$function$;

CREATE OR REPLACE FUNCTION public.list_teams (
  key_hash       text,
  max_rows       integer,
  starting_after uuid    DEFAULT NULL::uuid
)
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
  found_rows bigint;
  page json;
  next text;
  headers text;
  -- The page begins below this pair of instant and id (docs/api.md, Lists).
  below_instant timestamptz := timestamptz 'infinity';
  below_id uuid := uuid '00000000-0000-0000-0000-000000000000';
begin
  if not row_security_active('app.teams'::regclass) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:members');

  if starting_after is not null then
    select t.instant, t.id into below_instant, below_id from api.teams as t where t.company_id = api_key.company_id and t.id = starting_after;
    if not found then
      perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
    end if;
  end if;

  select count(*), json_agg(item) filter (where place <= max_rows), string_agg(id::text, '') filter (where place = max_rows)
  into found_rows, page, next from (
    select item.id, item, row_number() over () as place from (
      select t.id, t.name, t.created_at
      from api.teams as t
      where t.company_id = api_key.company_id
        and (t.instant, t.id) < (below_instant, below_id)
      order by t.instant desc, t.id desc
      limit max_rows + 1
    ) as item
  ) as numbered;

  headers := set_config(
    'response.headers',
    format(app.list_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text, next),
    true
  );
  return coalesce(page, '[]');
end
$function$;

ALTER TABLE "app"."forgotten_deletions"
  ADD CONSTRAINT "forgotten_deletions_company_id_fkey" FOREIGN KEY (company_id) REFERENCES app.companies(id) ON DELETE CASCADE;

CREATE OR REPLACE FUNCTION app.forget_cursors (
  company_id uuid DEFAULT NULL::uuid,
  relation   text DEFAULT NULL::text
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
BEGIN ATOMIC
 INSERT INTO app.forgotten_deletions
  AS forgotten (company_id, relation, deleted_in, id)  SELECT c.id,
             numbered.relation,
             pg_current_xact_id() AS pg_current_xact_id,
             'ffffffff-ffff-ffff-ffff-ffffffffffff'
            FROM app.companies c,
             unnest(ARRAY['members'::text, 'teams'::text, 'kudos'::text, 'categories'::text, 'rewards'::text, 'day_ratings'::text, 'pulse_responses'::text]) numbered(relation)
           WHERE ((c.id = COALESCE(forget_cursors.company_id, c.id)) AND (numbered.relation = COALESCE(forget_cursors.relation, numbered.relation)))
           ORDER BY c.id, numbered.relation ON CONFLICT ON CONSTRAINT forgotten_deletions_pkey DO UPDATE SET deleted_in = excluded.deleted_in, id = excluded.id
   WHERE (forgotten.deleted_in < excluded.deleted_in);
END;

CREATE TRIGGER number_insert
  BEFORE INSERT ON app.categories
  FOR EACH ROW
  WHEN ((new.changed_in <> pg_current_xact_id()))
  EXECUTE FUNCTION app.number_change();

CREATE TRIGGER number_update
  BEFORE UPDATE ON app.categories
  FOR EACH ROW
  WHEN ((old.* *<> new.*))
  EXECUTE FUNCTION app.number_change();

CREATE TRIGGER record_deletions
  AFTER DELETE ON app.categories REFERENCING OLD TABLE AS deleted
  FOR EACH STATEMENT
  EXECUTE FUNCTION app.record_deletions();

CREATE TRIGGER record_truncate
  AFTER TRUNCATE ON app.categories
  FOR EACH STATEMENT
  EXECUTE FUNCTION app.record_deletions();

CREATE TRIGGER mark_category
  AFTER INSERT OR DELETE OR UPDATE ON app.category_names
  FOR EACH ROW
  EXECUTE FUNCTION app.mark_category();

CREATE TRIGGER begin_changes
  AFTER INSERT ON app.companies
  FOR EACH ROW
  EXECUTE FUNCTION app.begin_changes();

CREATE TRIGGER end_changes
  AFTER DELETE ON app.companies
  FOR EACH ROW
  EXECUTE FUNCTION app.end_changes();

CREATE TRIGGER mark_categories
  AFTER UPDATE OF default_language ON app.companies
  FOR EACH ROW
  WHEN ((old.default_language <> new.default_language))
  EXECUTE FUNCTION app.mark_categories();

CREATE TRIGGER number_insert
  BEFORE INSERT ON app.day_ratings
  FOR EACH ROW
  WHEN ((new.changed_in <> pg_current_xact_id()))
  EXECUTE FUNCTION app.number_change();

CREATE TRIGGER number_update
  BEFORE UPDATE ON app.day_ratings
  FOR EACH ROW
  WHEN ((old.* *<> new.*))
  EXECUTE FUNCTION app.number_change();

CREATE TRIGGER record_deletions
  AFTER DELETE ON app.day_ratings REFERENCING OLD TABLE AS deleted
  FOR EACH STATEMENT
  EXECUTE FUNCTION app.record_deletions();

CREATE TRIGGER record_truncate
  AFTER TRUNCATE ON app.day_ratings
  FOR EACH STATEMENT
  EXECUTE FUNCTION app.record_deletions();

CREATE TRIGGER number_insert
  BEFORE INSERT ON app.kudos
  FOR EACH ROW
  WHEN ((new.changed_in <> pg_current_xact_id()))
  EXECUTE FUNCTION app.number_change();

CREATE TRIGGER number_update
  BEFORE UPDATE ON app.kudos
  FOR EACH ROW
  WHEN ((old.* *<> new.*))
  EXECUTE FUNCTION app.number_change();

CREATE TRIGGER record_deletions
  AFTER DELETE ON app.kudos REFERENCING OLD TABLE AS deleted
  FOR EACH STATEMENT
  EXECUTE FUNCTION app.record_deletions();

CREATE TRIGGER record_truncate
  AFTER TRUNCATE ON app.kudos
  FOR EACH STATEMENT
  EXECUTE FUNCTION app.record_deletions();

CREATE TRIGGER number_insert
  BEFORE INSERT ON app.members
  FOR EACH ROW
  WHEN ((new.changed_in <> pg_current_xact_id()))
  EXECUTE FUNCTION app.number_change();

CREATE TRIGGER number_update
  BEFORE UPDATE ON app.members
  FOR EACH ROW
  WHEN ((old.* *<> new.*))
  EXECUTE FUNCTION app.number_change();

CREATE TRIGGER record_deletions
  AFTER DELETE ON app.members REFERENCING OLD TABLE AS deleted
  FOR EACH STATEMENT
  EXECUTE FUNCTION app.record_deletions();

CREATE TRIGGER record_truncate
  AFTER TRUNCATE ON app.members
  FOR EACH STATEMENT
  EXECUTE FUNCTION app.record_deletions();

CREATE TRIGGER mark_answers
  AFTER UPDATE ON app.pulse_questions
  FOR EACH ROW
  WHEN (((old.question IS DISTINCT FROM new.question) OR (old.response_type IS DISTINCT FROM new.response_type)))
  EXECUTE FUNCTION app.mark_answers();

CREATE TRIGGER number_insert
  BEFORE INSERT ON app.pulse_responses
  FOR EACH ROW
  WHEN ((new.changed_in <> pg_current_xact_id()))
  EXECUTE FUNCTION app.number_change();

CREATE TRIGGER number_update
  BEFORE UPDATE ON app.pulse_responses
  FOR EACH ROW
  WHEN ((old.* *<> new.*))
  EXECUTE FUNCTION app.number_change();

CREATE TRIGGER record_deletions
  AFTER DELETE ON app.pulse_responses REFERENCING OLD TABLE AS deleted
  FOR EACH STATEMENT
  EXECUTE FUNCTION app.record_deletions();

CREATE TRIGGER record_truncate
  AFTER TRUNCATE ON app.pulse_responses
  FOR EACH STATEMENT
  EXECUTE FUNCTION app.record_deletions();

CREATE TRIGGER number_insert
  BEFORE INSERT ON app.rewards
  FOR EACH ROW
  WHEN ((new.changed_in <> pg_current_xact_id()))
  EXECUTE FUNCTION app.number_change();

CREATE TRIGGER number_update
  BEFORE UPDATE ON app.rewards
  FOR EACH ROW
  WHEN ((old.* *<> new.*))
  EXECUTE FUNCTION app.number_change();

CREATE TRIGGER record_deletions
  AFTER DELETE ON app.rewards REFERENCING OLD TABLE AS deleted
  FOR EACH STATEMENT
  EXECUTE FUNCTION app.record_deletions();

CREATE TRIGGER record_truncate
  AFTER TRUNCATE ON app.rewards
  FOR EACH STATEMENT
  EXECUTE FUNCTION app.record_deletions();

CREATE TRIGGER number_insert
  BEFORE INSERT ON app.teams
  FOR EACH ROW
  WHEN ((new.changed_in <> pg_current_xact_id()))
  EXECUTE FUNCTION app.number_change();

CREATE TRIGGER number_update
  BEFORE UPDATE ON app.teams
  FOR EACH ROW
  WHEN ((old.* *<> new.*))
  EXECUTE FUNCTION app.number_change();

CREATE TRIGGER record_deletions
  AFTER DELETE ON app.teams REFERENCING OLD TABLE AS deleted
  FOR EACH STATEMENT
  EXECUTE FUNCTION app.record_deletions();

CREATE TRIGGER record_truncate
  AFTER TRUNCATE ON app.teams
  FOR EACH STATEMENT
  EXECUTE FUNCTION app.record_deletions();

CREATE POLICY "api_read" ON "app"."deletions"
  FOR SELECT
  TO "public_api"
  USING ((company_id = ( SELECT app.current_company_id() AS current_company_id)));

CREATE POLICY "api_read" ON "app"."forgotten_deletions"
  FOR SELECT
  TO "public_api"
  USING ((company_id = ( SELECT app.current_company_id() AS current_company_id)));

COMMENT ON COLUMN "app"."deletions"."deleted_in" IS 'The transaction that deleted it.';

COMMENT ON COLUMN "app"."deletions"."relation" IS 'The table of schema app that the row was in, such as kudos.';

COMMENT ON FUNCTION "app"."begin_changes"() IS 'Trigger: cursors of an earlier company with the same id are useless.';

COMMENT ON FUNCTION "app"."changes_query"(text, text[]) IS 'The statement of a page of changes of a list, with the columns that include names.';

COMMENT ON FUNCTION "app"."changing_lists"() IS 'The lists that changed_after can be sent to: their scope, their table and their columns.';

COMMENT ON FUNCTION "app"."cursor_origin"(uuid, text) IS 'The first 8 characters of every cursor of this company and list.';

COMMENT ON FUNCTION "app"."end_changes"() IS 'Trigger: the deletions of a company go with it.';

COMMENT ON FUNCTION "app"."forget_cursors"(uuid, text) IS 'Makes every cursor from before now useless (410): of a company or of all companies, of a table or of all lists. For operators.';

COMMENT ON FUNCTION "app"."forget_deletions"(uuid, text) IS 'Forgets deletions of a table that are older than 90 days, the oldest first.';

COMMENT ON FUNCTION "app"."list_headers"() IS 'The response.headers of a page, for format(): the ids of key and company, the number of its rows, true or false for whether there are more, the id or cursor of its last row.';

COMMENT ON FUNCTION "app"."mark_answers"() IS 'Trigger: the answers of a question that has changed have changed.';

COMMENT ON FUNCTION "app"."mark_categories"() IS 'Trigger: all categories of a company that changes its default language have changed.';

COMMENT ON FUNCTION "app"."mark_category"() IS 'Trigger: a category whose names have changed has changed.';

COMMENT ON FUNCTION "app"."number_change"() IS 'Trigger: gives a row the number of the transaction that changes it.';

COMMENT ON FUNCTION "app"."record_deletions"() IS 'Trigger: records in app.deletions which rows of a list were deleted.';

COMMENT ON FUNCTION "app"."refuse_cursor"(uuid, uuid) IS 'Raises PT410: the cursor is no longer known. The detail names key and company for the request log.';

COMMENT ON FUNCTION "public"."list_changes"(text, text, integer, text, text[]) IS 'What was added, changed or deleted in a list of the key''s company, oldest change first, as a JSON array. PT401, PT403, PT410, PT429.';

COMMENT ON TABLE "app"."deletions" IS 'Rows of lists that have been deleted, for 90 days at least.';

COMMENT ON TABLE "app"."forgotten_deletions" IS 'Up to where app.deletions no longer knows the deletions of a table.';

REVOKE ALL ON FUNCTION "app"."begin_changes"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "app"."changes_query"(text, text[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."changes_query"(text, text[]) TO "public_api";

REVOKE ALL ON FUNCTION "app"."changing_lists"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."changing_lists"() TO "public_api";

REVOKE ALL ON FUNCTION "app"."cursor_origin"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."cursor_origin"(uuid, text) TO "public_api";

REVOKE ALL ON FUNCTION "app"."end_changes"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "app"."forget_cursors"(uuid, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "app"."forget_deletions"(uuid, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "app"."list_headers"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."list_headers"() TO "public_api";

REVOKE ALL ON FUNCTION "app"."mark_answers"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "app"."mark_categories"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "app"."mark_category"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "app"."number_change"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "app"."record_deletions"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "app"."refuse_cursor"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."refuse_cursor"(uuid, uuid) TO "public_api";

GRANT EXECUTE ON FUNCTION "public"."list_changes"(text, text, integer, text, text[]) TO "service_role";

GRANT SELECT ON TABLE "app"."deletions" TO "public_api";

GRANT SELECT ON TABLE "app"."forgotten_deletions" TO "public_api";

revoke create on schema public from public_api;
