-- The tables of companies and keys are small: reading them takes milliseconds.
-- squawk-ignore-file ban-drop-not-null, constraint-missing-not-valid
set lock_timeout = '2s';
set statement_timeout = '60s';

set local check_function_bodies = off;

CREATE SCHEMA "lists";

CREATE TYPE "lists"."category" AS ("id" uuid, "name" text, "created_at" text);

CREATE TYPE "lists"."changes" AS ("found_rows" bigint, "page" json, "next" text);

CREATE TYPE "lists"."day_rating_with" AS ("id" uuid, "rating" smallint, "comment" text, "team_id" uuid, "points_awarded" integer, "created_at" text, "team_name" text);

CREATE TYPE "lists"."day_rating" AS ("id" uuid, "rating" smallint, "comment" text, "team_id" uuid, "points_awarded" integer, "created_at" text);

CREATE TYPE "lists"."kudos_with_ids" AS ("id" uuid, "timestamp" text, "sender_name" text, "sender_email" text, "receiver_name" text, "receiver_email" text, "message" text, "category" text, "sender_id" uuid, "receiver_id" uuid, "category_id" uuid);

CREATE TYPE "lists"."kudos_with" AS ("id" uuid, "timestamp" text, "sender_name" text, "sender_email" text, "receiver_name" text, "receiver_email" text, "message" text, "category" text, "sender_id" uuid, "receiver_id" uuid, "category_id" uuid, "sender_team_id" uuid, "sender_team_name" text, "receiver_team_id" uuid, "receiver_team_name" text, "sender_team_then_id" uuid, "sender_team_then_name" text, "receiver_team_then_id" uuid, "receiver_team_then_name" text);

CREATE TYPE "lists"."kudos" AS ("id" uuid, "timestamp" text, "sender_name" text, "sender_email" text, "receiver_name" text, "receiver_email" text, "message" text, "category" text);

CREATE TYPE "lists"."member" AS ("id" uuid, "name" text, "email" text, "role" text, "team_id" uuid, "team_name" text, "created_at" text);

CREATE TYPE "lists"."page" AS ("key_id" uuid, "company_id" uuid, "instant" timestamp with time zone, "id" uuid, "max_rows" integer);

CREATE TYPE "lists"."pulse_response_with" AS ("id" uuid, "timestamp" text, "question" text, "response_type" text, "value" jsonb, "comment" text, "question_id" uuid);

CREATE TYPE "lists"."pulse_response" AS ("id" uuid, "timestamp" text, "question" text, "response_type" text, "value" jsonb, "comment" text);

CREATE TYPE "lists"."reward_with" AS ("id" uuid, "name" text, "description" text, "points_cost" bigint, "reward_type" text, "stock_count" integer, "image_url" text, "vendor_name" text, "is_archived" boolean, "created_at" text, "external_id" text);

CREATE TYPE "lists"."reward" AS ("id" uuid, "name" text, "description" text, "points_cost" bigint, "reward_type" text, "stock_count" integer, "image_url" text, "vendor_name" text, "is_archived" boolean, "created_at" text);

CREATE TYPE "lists"."span" AS ("company" uuid, "after_transaction" xid8, "after_id" uuid, "deletions_after" xid8, "deletions_after_id" uuid, "horizon" xid8, "origin" text, "began" xid8, "began_digits" text, "max_rows" integer, "rank" integer);

CREATE TYPE "lists"."team" AS ("id" uuid, "name" text, "created_at" text);

CREATE OR REPLACE FUNCTION lists.answer(page lists.page, rows anyarray, last text)
 RETURNS json
 LANGUAGE sql
AS $function$
  select case when app.end_page(page.key_id, page.company_id, cardinality(rows), page.max_rows, last) <> ''
    then array_to_json(rows[:page.max_rows]) end
$function$;

CREATE OR REPLACE FUNCTION lists.begin(list text, key_hash text, max_rows integer, starting_after uuid, after_time timestamp with time zone, until timestamp with time zone DEFAULT 'infinity'::timestamp with time zone)
 RETURNS lists.page
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  facts constant record := lists.facts(list);
  api_key constant app.verified_key := app.admit(key_hash, facts.scope);
  below_instant timestamptz := until + interval '1 microsecond';
  below_id uuid := '00000000-0000-0000-0000-000000000000';
begin
  if starting_after is not null then
    if after_time is null then
      execute format('select t.created_at from %s as t where t.company_id = $1 and t.id = $2', facts.relation)
      into after_time using api_key.company_id, starting_after;
      -- The same for a row of another company.
      if after_time is null then
        raise exception using errcode = 'PT400', message = 'starting_after must be the id of a row of this list',
          detail = json_build_object('key_id', api_key.key_id, 'company_id', api_key.company_id);
      end if;
    end if;
    if (after_time, starting_after) < (below_instant, below_id) then
      below_instant := after_time;
      below_id := starting_after;
    end if;
  end if;
  return row(api_key.key_id, api_key.company_id, below_instant, below_id, max_rows);
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
$function$;

CREATE OR REPLACE FUNCTION lists.cursor(s lists.span, changed_in xid8, id uuid)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
RETURN ((((s).origin || encode((xid8send(changed_in) || uuid_send(id)), 'hex'::text)) || CASE WHEN (changed_in < (s).began) THEN (s).began_digits ELSE ''::text END) COLLATE "C");

CREATE OR REPLACE FUNCTION lists.cursor_origin(company_id uuid, list text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return left(encode(sha256(convert_to(format(
    lists.origin_of_cursors(), (pg_control_checkpoint()).timeline_id, 'app.deletions'::regclass::oid, company_id, list
  ), 'utf8')), 'hex'), 8);
end
$function$;

CREATE OR REPLACE FUNCTION lists.facts(list text, OUT scope text, OUT relation regclass)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  case list
    when 'members' then scope := 'read:members'; relation := 'app.members';
    when 'teams' then scope := 'read:members'; relation := 'app.teams';
    when 'activity' then scope := 'read:activity'; relation := 'app.kudos';
    when 'categories' then scope := 'read:activity'; relation := 'app.categories';
    when 'rewards' then scope := 'read:rewards'; relation := 'app.rewards';
    when 'day-ratings' then scope := 'read:analytics'; relation := 'app.day_ratings';
    when 'pulse-responses' then scope := 'read:analytics'; relation := 'app.pulse_responses';
  end case;
end
$function$;

CREATE OR REPLACE FUNCTION lists.included_in_activity(with_teams boolean)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE
RETURN (ARRAY['sender_id'::text, 'receiver_id'::text, 'category_id'::text] || CASE WHEN with_teams THEN ARRAY['sender_team_id'::text, 'sender_team_name'::text, 'receiver_team_id'::text, 'receiver_team_name'::text, 'sender_team_then_id'::text, 'sender_team_then_name'::text, 'receiver_team_then_id'::text, 'receiver_team_then_name'::text] ELSE NULL::text[] END);

CREATE OR REPLACE FUNCTION lists.includes(name text)
 RETURNS boolean
 LANGUAGE sql
 STABLE
RETURN (strpos(current_setting('lists.include'::text, true), ((','::text || name) || ','::text)) > 0);

CREATE OR REPLACE FUNCTION lists.is_after(s lists.span, company_id uuid, changed_in xid8, id uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE
RETURN ((company_id = (s).company) AND (ROW(changed_in, id) > ROW((s).after_transaction, (s).after_id)) AND (changed_in < (s).horizon));

CREATE OR REPLACE FUNCTION lists.is_in(page lists.page, company_id uuid, instant timestamp with time zone, id uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE
RETURN ((company_id = (page).company_id) AND (ROW(instant, id) < ROW((page).instant, (page).id)));

CREATE OR REPLACE FUNCTION lists.masked_cursors(s lists.span, ids uuid[], numbers xid8[], are_deleted boolean[] DEFAULT '{}'::boolean[])
 RETURNS TABLE(cursor text, deleted boolean)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION lists.member_with_email(company_id uuid, email text)
 RETURNS uuid
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET enable_incremental_sort TO 'off'
BEGIN ATOMIC
 SELECT m.id
    FROM app.members m
   WHERE ((ROW(m.company_id, lower(m.email)) >= ROW(member_with_email.company_id, lower(member_with_email.email))) AND (ROW(m.company_id, lower(m.email)) <= ROW(member_with_email.company_id, lower(member_with_email.email))))
   ORDER BY m.company_id, (lower(m.email))
  LIMIT 1;
END;

CREATE OR REPLACE FUNCTION lists."only"(include text[], all_included text[], page json)
 RETURNS json
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  kept text := page;
  run text := '';
  name text;
begin
  if cardinality(include) = cardinality(all_included) then
    return page;
  end if;
  foreach name in array all_included || null::text loop
    if name <> all (include) then
      run := run || format(',"%s":null', name);
    elsif run <> '' then
      kept := replace(kept, run, '');
      run := '';
    end if;
  end loop;
  return kept;
end
$function$;

CREATE OR REPLACE FUNCTION lists.origin_of_cursors()
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN (SELECT format('%s %%s %s %%s %%s %%s'::text, s.system_identifier, d.oid) AS format FROM pg_control_system() s(pg_control_version, catalog_version_no, system_identifier, pg_control_last_modified), pg_database d WHERE (d.datname = current_database()));

CREATE OR REPLACE FUNCTION lists.plain(text text)
 RETURNS text
 LANGUAGE sql
 STABLE
 SET search_path TO ''
BEGIN ATOMIC
 SELECT lower(extensions.unaccent(text)) AS lower;
END;

CREATE OR REPLACE FUNCTION lists.rarest_kudos_filter(page lists.page, since timestamp with time zone, sender uuid, receiver uuid, category uuid)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET enable_bitmapscan TO 'off'
AS $function$
declare
  of_sender constant bigint := case when sender is not null then (select count(*) from (select from app.kudos as k
    where k.company_id = page.company_id and k.sender_id = sender and k.created_at between since and page.instant
    limit 1000) as counted) end;
  of_receiver constant bigint := case when receiver is not null then (select count(*) from (select from app.kudos as k
    where k.company_id = page.company_id and k.receiver_id = receiver and k.created_at between since and page.instant
    limit 1000) as counted) end;
  of_category constant bigint := case when category is not null then (select count(*) from (select from app.kudos as k
    where k.company_id = page.company_id and k.category_id = category and k.created_at between since and page.instant
    limit 1000) as counted) end;
begin
  -- least() passes over those that were not counted.
  return case least(of_sender, of_receiver, of_category)
    when of_sender then 'sender' when of_receiver then 'receiver' else 'category' end;
end
$function$;

CREATE OR REPLACE FUNCTION lists.rarest_member_filter(company uuid, team uuid, named_role text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET enable_bitmapscan TO 'off'
AS $function$
begin
  return case when (
    select count(*) from (
      select from app.members as m where m.company_id = company and m.team_id = team limit 1000
    ) as of_team
  ) <= (
    select count(*) from (
      select from app.members as m where m.company_id = company and m.role = named_role limit 1000
    ) as of_role
  ) then 'team' else 'role' end;
end
$function$;

CREATE OR REPLACE FUNCTION lists.refuse_cursor(api_key app.verified_key)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  raise exception using
    errcode = 'PT410',
    message = 'Gone: this cursor is no longer known, begin again with after=start',
    detail = json_build_object('key_id', api_key.key_id, 'company_id', api_key.company_id);
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

CREATE VIEW "lists"."activity" WITH (security_invoker=true) AS  SELECT k.company_id,
    k.created_at AS instant,
    k.changed_in,
    k.id,
    k.sender_id,
    k.receiver_id,
    k.category_id,
    sender.team_id AS sender_team_id,
    receiver.team_id AS receiver_team_id,
    k.sender_team_then_id,
    k.receiver_team_then_id,
    ROW(k.id, app.iso_8601(k.created_at), sender.name, sender.email, receiver.name, receiver.email, k.message, (( SELECT jsonb_object_agg(c.id, c.name) AS jsonb_object_agg
           FROM app.categories c
          WHERE (c.company_id = ( SELECT app.current_company_id() AS current_company_id))) ->> (k.category_id)::text))::lists.kudos AS shown
   FROM ((app.kudos k
     LEFT JOIN LATERAL ( SELECT m.name,
            m.email,
            m.team_id
           FROM app.members m
          WHERE ((m.company_id = k.company_id) AND (m.id = k.sender_id))
         OFFSET 0) sender ON (true))
     LEFT JOIN LATERAL ( SELECT m.name,
            m.email,
            m.team_id
           FROM app.members m
          WHERE ((m.company_id = k.company_id) AND (m.id = k.receiver_id))
         OFFSET 0) receiver ON (true));;

CREATE VIEW "lists"."activity_with_ids" WITH (security_invoker=true) AS  SELECT company_id,
    instant,
    changed_in,
    id,
    sender_id,
    receiver_id,
    category_id,
    sender_team_id,
    receiver_team_id,
    sender_team_then_id,
    receiver_team_then_id,
    ROW((shown).id, (shown)."timestamp", (shown).sender_name, (shown).sender_email, (shown).receiver_name, (shown).receiver_email, (shown).message, (shown).category,
        CASE
            WHEN ( SELECT lists.includes('sender_id'::text) AS includes) THEN sender_id
            ELSE NULL::uuid
        END,
        CASE
            WHEN ( SELECT lists.includes('receiver_id'::text) AS includes) THEN receiver_id
            ELSE NULL::uuid
        END,
        CASE
            WHEN ( SELECT lists.includes('category_id'::text) AS includes) THEN category_id
            ELSE NULL::uuid
        END)::lists.kudos_with_ids AS shown
   FROM lists.activity v;;

CREATE VIEW "lists"."activity_with" WITH (security_invoker=true) AS  SELECT v.company_id,
    v.instant,
    v.changed_in,
    v.id,
    v.sender_id,
    v.receiver_id,
    v.category_id,
    ROW((v.shown).id, (v.shown)."timestamp", (v.shown).sender_name, (v.shown).sender_email, (v.shown).receiver_name, (v.shown).receiver_email, (v.shown).message, (v.shown).category, (v.shown).sender_id, (v.shown).receiver_id, (v.shown).category_id,
        CASE
            WHEN ( SELECT lists.includes('sender_team_id'::text) AS includes) THEN v.sender_team_id
            ELSE NULL::uuid
        END,
        CASE
            WHEN ( SELECT lists.includes('sender_team_name'::text) AS includes) THEN (teams.names ->> (v.sender_team_id)::text)
            ELSE NULL::text
        END,
        CASE
            WHEN ( SELECT lists.includes('receiver_team_id'::text) AS includes) THEN v.receiver_team_id
            ELSE NULL::uuid
        END,
        CASE
            WHEN ( SELECT lists.includes('receiver_team_name'::text) AS includes) THEN (teams.names ->> (v.receiver_team_id)::text)
            ELSE NULL::text
        END,
        CASE
            WHEN ( SELECT lists.includes('sender_team_then_id'::text) AS includes) THEN NULLIF(v.sender_team_then_id, '00000000-0000-0000-0000-000000000000'::uuid)
            ELSE NULL::uuid
        END,
        CASE
            WHEN ( SELECT lists.includes('sender_team_then_name'::text) AS includes) THEN (teams.names ->> (v.sender_team_then_id)::text)
            ELSE NULL::text
        END,
        CASE
            WHEN ( SELECT lists.includes('receiver_team_then_id'::text) AS includes) THEN NULLIF(v.receiver_team_then_id, '00000000-0000-0000-0000-000000000000'::uuid)
            ELSE NULL::uuid
        END,
        CASE
            WHEN ( SELECT lists.includes('receiver_team_then_name'::text) AS includes) THEN (teams.names ->> (v.receiver_team_then_id)::text)
            ELSE NULL::text
        END)::lists.kudos_with AS shown
   FROM (lists.activity_with_ids v
     CROSS JOIN ( SELECT (COALESCE(jsonb_object_agg(t.id, t.name), '{}'::jsonb) || '{"00000000-0000-0000-0000-000000000000": "No Team"}'::jsonb) AS names
           FROM app.teams t
          WHERE (t.company_id = ( SELECT app.current_company_id() AS current_company_id))) teams);;

CREATE VIEW "lists"."categories" WITH (security_invoker=true) AS  SELECT company_id,
    created_at AS instant,
    changed_in,
    id,
    ROW(id, name, app.iso_8601(created_at))::lists.category AS shown
   FROM app.categories c;;

CREATE VIEW "lists"."day_ratings" WITH (security_invoker=true) AS  SELECT company_id,
    created_at AS instant,
    changed_in,
    id,
    team_id,
    ROW(id, rating, comment, team_id, points_awarded, app.iso_8601(created_at))::lists.day_rating AS shown
   FROM app.day_ratings d;;

CREATE VIEW "lists"."day_ratings_with" WITH (security_invoker=true) AS  SELECT v.company_id,
    v.instant,
    v.changed_in,
    v.id,
    v.team_id,
    ROW((v.shown).id, (v.shown).rating, (v.shown).comment, (v.shown).team_id, (v.shown).points_awarded, (v.shown).created_at, team.name)::lists.day_rating_with AS shown
   FROM (lists.day_ratings v
     LEFT JOIN LATERAL ( SELECT t.name
           FROM app.teams t
          WHERE ((t.company_id = v.company_id) AND (t.id = v.team_id))
         OFFSET 0) team ON (true));;

CREATE VIEW "lists"."members" WITH (security_invoker=true) AS  SELECT m.company_id,
    m.created_at AS instant,
    m.changed_in,
    m.id,
    m.team_id,
    m.role,
    lower(extensions.unaccent(m.name)) AS plain_name,
    ROW(m.id, m.name, m.email, m.role, m.team_id, COALESCE(team.name, 'No Team'::text), app.iso_8601(m.created_at))::lists.member AS shown
   FROM (app.members m
     LEFT JOIN LATERAL ( SELECT t.name
           FROM app.teams t
          WHERE ((t.company_id = m.company_id) AND (t.id = m.team_id))
         OFFSET 0) team ON (true))
  WHERE (NOT m.is_former);;

CREATE VIEW "lists"."pulse_responses" WITH (security_invoker=true) AS  SELECT p.company_id,
    p.created_at AS instant,
    p.changed_in,
    p.id,
    p.question_id,
    ROW(p.id, app.iso_8601(p.created_at), question.question, question.response_type, p.value, p.comment)::lists.pulse_response AS shown
   FROM (app.pulse_responses p
     LEFT JOIN LATERAL ( SELECT q.question,
            q.response_type
           FROM app.pulse_questions q
          WHERE ((q.company_id = p.company_id) AND (q.id = p.question_id))
         OFFSET 0) question ON (true));;

CREATE VIEW "lists"."pulse_responses_with" WITH (security_invoker=true) AS  SELECT company_id,
    instant,
    changed_in,
    id,
    ROW((shown).id, (shown)."timestamp", (shown).question, (shown).response_type, (shown).value, (shown).comment, question_id)::lists.pulse_response_with AS shown
   FROM lists.pulse_responses v;;

CREATE VIEW "lists"."rewards" WITH (security_invoker=true) AS  SELECT company_id,
    created_at AS instant,
    changed_in,
    id,
    is_archived,
    external_id,
    ROW(id, name, description, points_cost, reward_type, stock_count, image_url, vendor_name, is_archived, app.iso_8601(created_at))::lists.reward AS shown
   FROM app.rewards r;;

CREATE VIEW "lists"."rewards_with" WITH (security_invoker=true) AS  SELECT company_id,
    instant,
    changed_in,
    id,
    is_archived,
    external_id,
    ROW((shown).id, (shown).name, (shown).description, (shown).points_cost, (shown).reward_type, (shown).stock_count, (shown).image_url, (shown).vendor_name, (shown).is_archived, (shown).created_at, external_id)::lists.reward_with AS shown
   FROM lists.rewards v;;

CREATE VIEW "lists"."teams" WITH (security_invoker=true) AS  SELECT company_id,
    created_at AS instant,
    changed_in,
    id,
    ROW(id, name, app.iso_8601(created_at))::lists.team AS shown
   FROM app.teams t;;

COMMENT ON FUNCTION "lists"."answer"(lists.page, anyarray, text) IS 'The rows of a page as JSON. Sets the response headers.';

COMMENT ON FUNCTION "lists"."begin"(text, text, integer, uuid, timestamp with time zone, timestamp with time zone) IS 'The page that a request asks for. PT400, PT401, PT403, PT429, PT500.';

COMMENT ON FUNCTION "lists"."changed"(text, lists.span) IS 'A page of changes without deletions.';

COMMENT ON FUNCTION "lists"."changed_and_deleted"(text, regclass, lists.span) IS 'A page of changes and deletions.';

COMMENT ON FUNCTION "lists"."cursor"(lists.span, xid8, uuid) IS 'The cursor of a change.';

COMMENT ON FUNCTION "lists"."cursor_origin"(uuid, text) IS 'The first 8 characters of every cursor of this company and list.';

COMMENT ON FUNCTION "lists"."facts"(text) IS 'The scope and the table of a list, such as day-ratings.';

COMMENT ON FUNCTION "lists"."included_in_activity"(boolean) IS 'What only include returns of activity, in order; with teams or not.';

COMMENT ON FUNCTION "lists"."includes"(text) IS 'Whether include names a column.';

COMMENT ON FUNCTION "lists"."is_after"(lists.span, uuid, xid8, uuid) IS 'Whether a change is in a page or after it.';

COMMENT ON FUNCTION "lists"."is_in"(lists.page, uuid, timestamp with time zone, uuid) IS 'Whether a row is in a page or below it.';

COMMENT ON FUNCTION "lists"."masked_cursors"(lists.span, uuid[], xid8[], boolean[]) IS 'The cursors of a page of moods, and which of its rows are deleted.';

COMMENT ON FUNCTION "lists"."member_with_email"(uuid, text) IS 'The id of a company''s member with this address, whatever its case.';

COMMENT ON FUNCTION "lists"."origin_of_cursors"() IS 'What every cursor of this server and database holds for, for format().';

COMMENT ON FUNCTION "lists"."plain"(text) IS 'A text in lower case and without accents.';

COMMENT ON FUNCTION "lists"."rarest_kudos_filter"(lists.page, timestamp with time zone, uuid, uuid, uuid) IS 'sender, receiver or category: which fewest kudos match.';

COMMENT ON FUNCTION "lists"."refuse_cursor"(app.verified_key) IS 'Raises PT410: the cursor is no longer known.';

COMMENT ON FUNCTION "lists"."unmask_cursor"(text, text) IS 'The rank and the numbers in a cursor of moods. Nulls for any other text.';

COMMENT ON SCHEMA "lists" IS 'The public shape of the data: security_invoker views, and what pages of lists share.';

COMMENT ON TYPE "lists"."changes" IS 'A page of changes: how many rows were found, those of the page, and its last cursor.';

COMMENT ON TYPE "lists"."span" IS 'Which changes a page has, and what its cursors begin and end with.';

REVOKE ALL ON FUNCTION "lists"."answer"(lists.page, anyarray, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "lists"."answer"(lists.page, anyarray, text) TO "postgres", "public_api";

REVOKE ALL ON FUNCTION "lists"."begin"(text, text, integer, uuid, timestamp with time zone, timestamp with time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "lists"."begin"(text, text, integer, uuid, timestamp with time zone, timestamp with time zone) TO "postgres", "public_api";

REVOKE ALL ON FUNCTION "lists"."changed"(text, lists.span) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "lists"."changed"(text, lists.span) TO "postgres", "public_api";

REVOKE ALL ON FUNCTION "lists"."changed_and_deleted"(text, regclass, lists.span) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "lists"."changed_and_deleted"(text, regclass, lists.span) TO "postgres", "public_api";

REVOKE ALL ON FUNCTION "lists"."cursor"(lists.span, xid8, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "lists"."cursor"(lists.span, xid8, uuid) TO "postgres", "public_api";

REVOKE ALL ON FUNCTION "lists"."cursor_origin"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "lists"."cursor_origin"(uuid, text) TO "postgres", "public_api";

REVOKE ALL ON FUNCTION "lists"."facts"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "lists"."facts"(text) TO "postgres", "public_api";

REVOKE ALL ON FUNCTION "lists"."included_in_activity"(boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "lists"."included_in_activity"(boolean) TO "postgres", "public_api";

REVOKE ALL ON FUNCTION "lists"."includes"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "lists"."includes"(text) TO "postgres", "public_api";

REVOKE ALL ON FUNCTION "lists"."is_after"(lists.span, uuid, xid8, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "lists"."is_after"(lists.span, uuid, xid8, uuid) TO "postgres", "public_api";

REVOKE ALL ON FUNCTION "lists"."is_in"(lists.page, uuid, timestamp with time zone, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "lists"."is_in"(lists.page, uuid, timestamp with time zone, uuid) TO "postgres", "public_api";

REVOKE ALL ON FUNCTION "lists"."masked_cursors"(lists.span, uuid[], xid8[], boolean[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "lists"."masked_cursors"(lists.span, uuid[], xid8[], boolean[]) TO "postgres", "public_api";

REVOKE ALL ON FUNCTION "lists"."member_with_email"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "lists"."member_with_email"(uuid, text) TO "postgres", "public_api";

REVOKE ALL ON FUNCTION "lists"."only"(text[], text[], json) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "lists"."only"(text[], text[], json) TO "postgres", "public_api";

REVOKE ALL ON FUNCTION "lists"."origin_of_cursors"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "lists"."origin_of_cursors"() TO "postgres", "public_api";

REVOKE ALL ON FUNCTION "lists"."plain"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "lists"."plain"(text) TO "postgres", "public_api";

REVOKE ALL ON FUNCTION "lists"."rarest_kudos_filter"(lists.page, timestamp with time zone, uuid, uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "lists"."rarest_kudos_filter"(lists.page, timestamp with time zone, uuid, uuid, uuid) TO "postgres", "public_api";

REVOKE ALL ON FUNCTION "lists"."rarest_member_filter"(uuid, uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "lists"."rarest_member_filter"(uuid, uuid, text) TO "postgres", "public_api";

REVOKE ALL ON FUNCTION "lists"."refuse_cursor"(app.verified_key) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "lists"."refuse_cursor"(app.verified_key) TO "postgres", "public_api";

REVOKE ALL ON FUNCTION "lists"."unmask_cursor"(text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "lists"."unmask_cursor"(text, text) TO "postgres", "public_api";

GRANT CREATE, USAGE ON SCHEMA "lists" TO "postgres";

GRANT USAGE ON SCHEMA "lists" TO "public_api";

GRANT USAGE ON TYPE "lists"."category" TO "postgres";

GRANT USAGE ON TYPE "lists"."changes" TO "postgres";

GRANT USAGE ON TYPE "lists"."day_rating" TO "postgres";

GRANT USAGE ON TYPE "lists"."day_rating_with" TO "postgres";

GRANT USAGE ON TYPE "lists"."kudos" TO "postgres";

GRANT USAGE ON TYPE "lists"."kudos_with" TO "postgres";

GRANT USAGE ON TYPE "lists"."kudos_with_ids" TO "postgres";

GRANT USAGE ON TYPE "lists"."member" TO "postgres";

GRANT USAGE ON TYPE "lists"."page" TO "postgres";

GRANT USAGE ON TYPE "lists"."pulse_response" TO "postgres";

GRANT USAGE ON TYPE "lists"."pulse_response_with" TO "postgres";

GRANT USAGE ON TYPE "lists"."reward" TO "postgres";

GRANT USAGE ON TYPE "lists"."reward_with" TO "postgres";

GRANT USAGE ON TYPE "lists"."span" TO "postgres";

GRANT USAGE ON TYPE "lists"."team" TO "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "lists"."activity" TO "postgres";

GRANT SELECT ON TABLE "lists"."activity" TO "public_api";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "lists"."activity_with" TO "postgres";

GRANT SELECT ON TABLE "lists"."activity_with" TO "public_api";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "lists"."activity_with_ids" TO "postgres";

GRANT SELECT ON TABLE "lists"."activity_with_ids" TO "public_api";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "lists"."categories" TO "postgres";

GRANT SELECT ON TABLE "lists"."categories" TO "public_api";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "lists"."day_ratings" TO "postgres";

GRANT SELECT ON TABLE "lists"."day_ratings" TO "public_api";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "lists"."day_ratings_with" TO "postgres";

GRANT SELECT ON TABLE "lists"."day_ratings_with" TO "public_api";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "lists"."members" TO "postgres";

GRANT SELECT ON TABLE "lists"."members" TO "public_api";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "lists"."pulse_responses" TO "postgres";

GRANT SELECT ON TABLE "lists"."pulse_responses" TO "public_api";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "lists"."pulse_responses_with" TO "postgres";

GRANT SELECT ON TABLE "lists"."pulse_responses_with" TO "public_api";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "lists"."rewards" TO "postgres";

GRANT SELECT ON TABLE "lists"."rewards" TO "public_api";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "lists"."rewards_with" TO "postgres";

GRANT SELECT ON TABLE "lists"."rewards_with" TO "public_api";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "lists"."teams" TO "postgres";

GRANT SELECT ON TABLE "lists"."teams" TO "public_api";
