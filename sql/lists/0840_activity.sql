-- GET /activity

create type lists.kudos as (
  id uuid, "timestamp" text, sender_name text, sender_email text, receiver_name text, receiver_email text, message text,
  category text
);
create type lists.kudos_with_ids as (
  id uuid, "timestamp" text, sender_name text, sender_email text, receiver_name text, receiver_email text, message text,
  category text, sender_id uuid, receiver_id uuid, category_id uuid
);
create type lists.kudos_with as (
  id uuid, "timestamp" text, sender_name text, sender_email text, receiver_name text, receiver_email text, message text,
  category text, sender_id uuid, receiver_id uuid, category_id uuid,
  sender_team_id uuid, sender_team_name text, receiver_team_id uuid, receiver_team_name text,
  sender_team_then_id uuid, sender_team_then_name text, receiver_team_then_id uuid, receiver_team_then_name text
);
create type lists.kudos_with_teams as (
  id uuid, "timestamp" text, sender_name text, sender_email text, receiver_name text, receiver_email text, message text,
  category text, sender_team_id uuid, sender_team_name text, receiver_team_id uuid, receiver_team_name text,
  sender_team_then_id uuid, sender_team_then_name text, receiver_team_then_id uuid, receiver_team_then_name text
);

-- The names of the company's categories are read once per page: a look-up for each row took 1.1 times the processor
-- time. jsonb_object_agg takes twice as long as jsonb_object.
create view lists.activity with (security_invoker = true) as
select
  k.company_id, k.created_at as instant, k.changed_in, k.id, k.sender_id, k.receiver_id, k.category_id,
  sender.team_id as sender_team_id, receiver.team_id as receiver_team_id,
  k.sender_team_then_id, k.receiver_team_then_id,
  row(
    k.id, app.iso_8601(k.created_at), sender.name, sender.email, receiver.name, receiver.email, k.message,
    (
      select jsonb_object(array_agg(c.id::text), array_agg(c.name)) from app.categories as c
      where c.company_id = (select app.current_company_id())
    ) ->> k.category_id::text
  )::lists.kudos as shown
from app.kudos as k
left join lateral (
  select m.name, m.email, m.team_id from app.members as m
  where m.company_id = k.company_id and m.id = k.sender_id offset 0
) as sender on true
left join lateral (
  select m.name, m.email, m.team_id from app.members as m
  where m.company_id = k.company_id and m.id = k.receiver_id offset 0
) as receiver on true;

-- The ids without teams, because they cost no look-ups.
create view lists.activity_with_ids with (security_invoker = true) as
select
  v.company_id, v.instant, v.changed_in, v.id, v.sender_id, v.receiver_id, v.category_id,
  v.sender_team_id, v.receiver_team_id, v.sender_team_then_id, v.receiver_team_then_id,
  row(
    (v.shown).*,
    case when (select lists.includes('sender_id')) then v.sender_id end,
    case when (select lists.includes('receiver_id')) then v.receiver_id end,
    case when (select lists.includes('category_id')) then v.category_id end
  )::lists.kudos_with_ids as shown,
  v.shown as without_ids
from lists.activity as v;

-- The names of teams are read once per page, too: four look-ups for each row took 1.3 times the processor time.
create view lists.activity_with with (security_invoker = true) as
select
  v.company_id, v.instant, v.changed_in, v.id, v.sender_id, v.receiver_id, v.category_id,
  row((v.shown).*, (v.teams).*)::lists.kudos_with as shown,
  row((v.without_ids).*, (v.teams).*)::lists.kudos_with_teams as without_ids
from (
  select v.*, row(
    case when (select lists.includes('sender_team_id')) then v.sender_team_id end,
    case when (select lists.includes('sender_team_name')) then teams.names ->> v.sender_team_id::text end,
    case when (select lists.includes('receiver_team_id')) then v.receiver_team_id end,
    case when (select lists.includes('receiver_team_name')) then teams.names ->> v.receiver_team_id::text end,
    case when (select lists.includes('sender_team_then_id'))
      then nullif(v.sender_team_then_id, '00000000-0000-0000-0000-000000000000') end,
    case when (select lists.includes('sender_team_then_name')) then teams.names ->> v.sender_team_then_id::text end,
    case when (select lists.includes('receiver_team_then_id'))
      then nullif(v.receiver_team_then_id, '00000000-0000-0000-0000-000000000000') end,
    case when (select lists.includes('receiver_team_then_name')) then teams.names ->> v.receiver_team_then_id::text end
  ) as teams
  from lists.activity_with_ids as v
  cross join (
    select jsonb_object(
      array_append(array_agg(t.id::text), '00000000-0000-0000-0000-000000000000'),
      array_append(array_agg(t.name), 'No Team')
    ) as names
    from app.teams as t where t.company_id = (select app.current_company_id())
  ) as teams
) as v;

create function lists.included_in_activity(with_teams boolean) returns text[]
language sql immutable
return array['sender_id', 'receiver_id', 'category_id'] || case when with_teams
  then array[
    'sender_team_id', 'sender_team_name', 'receiver_team_id', 'receiver_team_name',
    'sender_team_then_id', 'sender_team_then_name', 'receiver_team_then_id', 'receiver_team_then_name'
  ] end;

create function public.list_activity(
  key_hash text, max_rows integer, since timestamptz default '-infinity', until timestamptz default 'infinity',
  category_id uuid default null, sender_id uuid default null, receiver_id uuid default null,
  starting_after uuid default null, include text[] default null, after_time timestamptz default null
)
returns app."application/json"
language plpgsql volatile security definer set search_path = ''
as $$
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
$$;

grant execute on function lists.included_in_activity to public_api;
comment on function lists.included_in_activity is 'What only include returns of activity, in order; with teams or not.';

grant select on lists.activity, lists.activity_with_ids, lists.activity_with to public_api;
select app.serve_keys('public.list_activity'::regproc, true);
comment on function public.list_activity is
  'Kudos of the key''s company, newest first: a JSON array. read:activity. PT400, PT401, PT403, PT429.';
