set lock_timeout = '2s';
set statement_timeout = '60s';

set local check_function_bodies = off;

DROP VIEW "lists"."activity_with";

DROP VIEW "lists"."activity_with_ids";

DROP VIEW "lists"."activity";

CREATE TYPE "lists"."kudos_with_teams" AS ("id" uuid, "timestamp" text, "sender_name" text, "sender_email" text, "receiver_name" text, "receiver_email" text, "message" text, "category" text, "sender_team_id" uuid, "sender_team_name" text, "receiver_team_id" uuid, "receiver_team_name" text, "sender_team_then_id" uuid, "sender_team_then_name" text, "receiver_team_then_id" uuid, "receiver_team_then_name" text);

CREATE OR REPLACE FUNCTION lists.rarest_member_filter(company uuid, team uuid, named_role text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET enable_bitmapscan TO 'off'
AS $function$
begin
  return case when (
    select count(*) from (select from app.members where company_id = company and team_id = team limit 1000) as t
  ) <= (
    select count(*) from (select from app.members where company_id = company and role = named_role limit 1000) as r
  ) then 'team' else 'role' end;
end
$function$;

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
  body json;
begin
  if include is null then
    if lead_by is null then
      body := (select lists.answer(page, p.rows, (p.rows[max_rows])."timestamp" || '_' || (p.rows[max_rows]).id) from (
        select array(select v.shown from lists.activity as v
          where lists.is_in(page, v.company_id, v.instant, v.id) and v.instant >= since
          order by v.instant desc, v.id desc limit max_rows + 1) as rows offset 0) as p);
    elsif lead_by = 'sender' then
      body := (select lists.answer(page, p.rows, (p.rows[max_rows])."timestamp" || '_' || (p.rows[max_rows]).id) from (
        select array(select v.shown from lists.activity as v
          where lists.is_in(page, v.company_id, v.instant, v.id) and v.instant >= since and v.sender_id = sender
            and (receiver is null or v.receiver_id = receiver) and (category is null or v.category_id = category)
          order by v.instant desc, v.id desc limit max_rows + 1) as rows offset 0) as p);
    elsif lead_by = 'receiver' then
      body := (select lists.answer(page, p.rows, (p.rows[max_rows])."timestamp" || '_' || (p.rows[max_rows]).id) from (
        select array(select v.shown from lists.activity as v
          where lists.is_in(page, v.company_id, v.instant, v.id) and v.instant >= since and v.receiver_id = receiver
            and (sender is null or v.sender_id = sender) and (category is null or v.category_id = category)
          order by v.instant desc, v.id desc limit max_rows + 1) as rows offset 0) as p);
    else
      body := (select lists.answer(page, p.rows, (p.rows[max_rows])."timestamp" || '_' || (p.rows[max_rows]).id) from (
        select array(select v.shown from lists.activity as v
          where lists.is_in(page, v.company_id, v.instant, v.id) and v.instant >= since and v.category_id = category
            and (sender is null or v.sender_id = sender) and (receiver is null or v.receiver_id = receiver)
          order by v.instant desc, v.id desc limit max_rows + 1) as rows offset 0) as p);
    end if;
  elsif include <@ lists.included_in_activity(false) then
    included := lists.included_in_activity(false);
    if lead_by is null then
      body := (select lists.answer(page, p.rows, (p.rows[max_rows])."timestamp" || '_' || (p.rows[max_rows]).id) from (
        select array(select v.shown from lists.activity_with_ids as v
          where lists.is_in(page, v.company_id, v.instant, v.id) and v.instant >= since
          order by v.instant desc, v.id desc limit max_rows + 1) as rows offset 0) as p);
    elsif lead_by = 'sender' then
      body := (select lists.answer(page, p.rows, (p.rows[max_rows])."timestamp" || '_' || (p.rows[max_rows]).id) from (
        select array(select v.shown from lists.activity_with_ids as v
          where lists.is_in(page, v.company_id, v.instant, v.id) and v.instant >= since and v.sender_id = sender
            and (receiver is null or v.receiver_id = receiver) and (category is null or v.category_id = category)
          order by v.instant desc, v.id desc limit max_rows + 1) as rows offset 0) as p);
    elsif lead_by = 'receiver' then
      body := (select lists.answer(page, p.rows, (p.rows[max_rows])."timestamp" || '_' || (p.rows[max_rows]).id) from (
        select array(select v.shown from lists.activity_with_ids as v
          where lists.is_in(page, v.company_id, v.instant, v.id) and v.instant >= since and v.receiver_id = receiver
            and (sender is null or v.sender_id = sender) and (category is null or v.category_id = category)
          order by v.instant desc, v.id desc limit max_rows + 1) as rows offset 0) as p);
    else
      body := (select lists.answer(page, p.rows, (p.rows[max_rows])."timestamp" || '_' || (p.rows[max_rows]).id) from (
        select array(select v.shown from lists.activity_with_ids as v
          where lists.is_in(page, v.company_id, v.instant, v.id) and v.instant >= since and v.category_id = category
            and (sender is null or v.sender_id = sender) and (receiver is null or v.receiver_id = receiver)
          order by v.instant desc, v.id desc limit max_rows + 1) as rows offset 0) as p);
    end if;
  elsif lead_by is null and not include && lists.included_in_activity(false) then
    -- The page that is asked for most often: to take the ids out of its text took a tenth of its time.
    included := (lists.included_in_activity(true))[4:];
    body := (select lists.answer(page, p.rows, (p.rows[max_rows])."timestamp" || '_' || (p.rows[max_rows]).id) from (
      select array(select v.without_ids from lists.activity_with as v
        where lists.is_in(page, v.company_id, v.instant, v.id) and v.instant >= since
        order by v.instant desc, v.id desc limit max_rows + 1) as rows offset 0) as p);
  else
    included := lists.included_in_activity(true);
    if lead_by is null then
      body := (select lists.answer(page, p.rows, (p.rows[max_rows])."timestamp" || '_' || (p.rows[max_rows]).id) from (
        select array(select v.shown from lists.activity_with as v
          where lists.is_in(page, v.company_id, v.instant, v.id) and v.instant >= since
          order by v.instant desc, v.id desc limit max_rows + 1) as rows offset 0) as p);
    elsif lead_by = 'sender' then
      body := (select lists.answer(page, p.rows, (p.rows[max_rows])."timestamp" || '_' || (p.rows[max_rows]).id) from (
        select array(select v.shown from lists.activity_with as v
          where lists.is_in(page, v.company_id, v.instant, v.id) and v.instant >= since and v.sender_id = sender
            and (receiver is null or v.receiver_id = receiver) and (category is null or v.category_id = category)
          order by v.instant desc, v.id desc limit max_rows + 1) as rows offset 0) as p);
    elsif lead_by = 'receiver' then
      body := (select lists.answer(page, p.rows, (p.rows[max_rows])."timestamp" || '_' || (p.rows[max_rows]).id) from (
        select array(select v.shown from lists.activity_with as v
          where lists.is_in(page, v.company_id, v.instant, v.id) and v.instant >= since and v.receiver_id = receiver
            and (sender is null or v.sender_id = sender) and (category is null or v.category_id = category)
          order by v.instant desc, v.id desc limit max_rows + 1) as rows offset 0) as p);
    else
      body := (select lists.answer(page, p.rows, (p.rows[max_rows])."timestamp" || '_' || (p.rows[max_rows]).id) from (
        select array(select v.shown from lists.activity_with as v
          where lists.is_in(page, v.company_id, v.instant, v.id) and v.instant >= since and v.category_id = category
            and (sender is null or v.sender_id = sender) and (receiver is null or v.receiver_id = receiver)
          order by v.instant desc, v.id desc limit max_rows + 1) as rows offset 0) as p);
    end if;
  end if;
  return case when include is null or include @> included then body else lists.only(include, included, body) end;
end
$function$;

CREATE OR REPLACE FUNCTION public.list_members(key_hash text, max_rows integer, team_id uuid DEFAULT NULL::uuid, role text DEFAULT NULL::text, starting_after uuid DEFAULT NULL::uuid, email text DEFAULT NULL::text, name text DEFAULT NULL::text, after_time timestamp with time zone DEFAULT NULL::timestamp with time zone)
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
  page constant lists.page := lists.begin('members', key_hash, max_rows, starting_after, after_time);
  lead_by constant text := case when email is not null then 'email'
    when num_nonnulls(team_id, role) = 2 then lists.rarest_member_filter(page.company_id, team_id, role)
    when team_id is not null then 'team' when role is not null then 'role' end;
  rows lists.member[];
begin
  if name is not null and email is null and team_id is null then
    perform app.take_turn_of_total(page.key_id, page.company_id);
  end if;
  if lead_by is null then
    rows := array(select v.shown from lists.members as v
      where lists.is_in(page, v.company_id, v.instant, v.id)
        and (list_members.name is null or strpos(v.plain_name, (select lists.plain(list_members.name))) > 0)
      order by v.instant desc, v.id desc limit max_rows + 1);
  elsif lead_by = 'team' then
    rows := array(select v.shown from lists.members as v
      where lists.is_in(page, v.company_id, v.instant, v.id)
        and v.team_id = list_members.team_id and (list_members.role is null or v.role = list_members.role)
        and (list_members.name is null or strpos(v.plain_name, (select lists.plain(list_members.name))) > 0)
      order by v.instant desc, v.id desc limit max_rows + 1);
  elsif lead_by = 'role' then
    rows := array(select v.shown from lists.members as v
      where lists.is_in(page, v.company_id, v.instant, v.id)
        and v.role = list_members.role and (list_members.team_id is null or v.team_id = list_members.team_id)
        and (list_members.name is null or strpos(v.plain_name, (select lists.plain(list_members.name))) > 0)
      order by v.instant desc, v.id desc limit max_rows + 1);
  else
    rows := array(select v.shown from (
        select o.* from lists.members as o
        where o.company_id = page.company_id
          and o.id = (select lists.member_with_email(page.company_id, list_members.email))
        offset 0
      ) as v
      where lists.is_in(page, v.company_id, v.instant, v.id)
        and (list_members.team_id is null or v.team_id = list_members.team_id)
        and (list_members.role is null or v.role = list_members.role)
        and (list_members.name is null or strpos(v.plain_name, (select lists.plain(list_members.name))) > 0));
  end if;
  return lists.answer(page, rows, rows[max_rows].created_at || '_' || rows[max_rows].id);
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
    ROW(k.id, app.iso_8601(k.created_at), sender.name, sender.email, receiver.name, receiver.email, k.message, (( SELECT jsonb_object(array_agg((c.id)::text), array_agg(c.name)) AS jsonb_object
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
        END)::lists.kudos_with_ids AS shown,
    shown AS without_ids
   FROM lists.activity v;;

CREATE VIEW "lists"."activity_with" WITH (security_invoker=true) AS  SELECT company_id,
    instant,
    changed_in,
    id,
    sender_id,
    receiver_id,
    category_id,
    ROW((shown).id, (shown)."timestamp", (shown).sender_name, (shown).sender_email, (shown).receiver_name, (shown).receiver_email, (shown).message, (shown).category, (shown).sender_id, (shown).receiver_id, (shown).category_id, (teams).f1, (teams).f2, (teams).f3, (teams).f4, (teams).f5, (teams).f6, (teams).f7, (teams).f8)::lists.kudos_with AS shown,
    ROW((without_ids).id, (without_ids)."timestamp", (without_ids).sender_name, (without_ids).sender_email, (without_ids).receiver_name, (without_ids).receiver_email, (without_ids).message, (without_ids).category, (teams).f1, (teams).f2, (teams).f3, (teams).f4, (teams).f5, (teams).f6, (teams).f7, (teams).f8)::lists.kudos_with_teams AS without_ids
   FROM ( SELECT v_1.company_id,
            v_1.instant,
            v_1.changed_in,
            v_1.id,
            v_1.sender_id,
            v_1.receiver_id,
            v_1.category_id,
            v_1.sender_team_id,
            v_1.receiver_team_id,
            v_1.sender_team_then_id,
            v_1.receiver_team_then_id,
            v_1.shown,
            v_1.without_ids,
            ROW(
                CASE
                    WHEN ( SELECT lists.includes('sender_team_id'::text) AS includes) THEN v_1.sender_team_id
                    ELSE NULL::uuid
                END,
                CASE
                    WHEN ( SELECT lists.includes('sender_team_name'::text) AS includes) THEN (teams.names ->> (v_1.sender_team_id)::text)
                    ELSE NULL::text
                END,
                CASE
                    WHEN ( SELECT lists.includes('receiver_team_id'::text) AS includes) THEN v_1.receiver_team_id
                    ELSE NULL::uuid
                END,
                CASE
                    WHEN ( SELECT lists.includes('receiver_team_name'::text) AS includes) THEN (teams.names ->> (v_1.receiver_team_id)::text)
                    ELSE NULL::text
                END,
                CASE
                    WHEN ( SELECT lists.includes('sender_team_then_id'::text) AS includes) THEN NULLIF(v_1.sender_team_then_id, '00000000-0000-0000-0000-000000000000'::uuid)
                    ELSE NULL::uuid
                END,
                CASE
                    WHEN ( SELECT lists.includes('sender_team_then_name'::text) AS includes) THEN (teams.names ->> (v_1.sender_team_then_id)::text)
                    ELSE NULL::text
                END,
                CASE
                    WHEN ( SELECT lists.includes('receiver_team_then_id'::text) AS includes) THEN NULLIF(v_1.receiver_team_then_id, '00000000-0000-0000-0000-000000000000'::uuid)
                    ELSE NULL::uuid
                END,
                CASE
                    WHEN ( SELECT lists.includes('receiver_team_then_name'::text) AS includes) THEN (teams.names ->> (v_1.receiver_team_then_id)::text)
                    ELSE NULL::text
                END) AS teams
           FROM (lists.activity_with_ids v_1
             CROSS JOIN ( SELECT jsonb_object(array_append(array_agg((t.id)::text), '00000000-0000-0000-0000-000000000000'::text), array_append(array_agg(t.name), 'No Team'::text)) AS names
                   FROM app.teams t
                  WHERE (t.company_id = ( SELECT app.current_company_id() AS current_company_id))) teams)) v;;

GRANT USAGE ON TYPE "lists"."kudos_with_teams" TO "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "lists"."activity" TO "postgres";

GRANT SELECT ON TABLE "lists"."activity" TO "public_api";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "lists"."activity_with" TO "postgres";

GRANT SELECT ON TABLE "lists"."activity_with" TO "public_api";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "lists"."activity_with_ids" TO "postgres";

GRANT SELECT ON TABLE "lists"."activity_with_ids" TO "public_api";
