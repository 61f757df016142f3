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
    -- Without ids and filters. To take the ids out of its text took a tenth of its time.
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
