-- The views of the lists (docs/api.md, Lists), and what their statements call. The statements are in 0865_lists.sql, and
-- scripts/generate/lists.ts, which makes them, says why they are so.
--
-- Before the public columns of a list (docs/api.md) a view has company_id, the ids that filters need, and the instant by
-- which pages are ordered; after them those that only include returns. Date-times are text in the format of app.iso_8601,
-- but views do not call it: a call per row would take a fifth of a page's time. security_invoker means that a view reads
-- with the rights and policies of the role that selects from it. create or replace without this option would silently clear
-- it; a test checks it. Not granted: any view to anon, authenticated or service_role.
--
-- The team or the people of a row are looked up row by row with left join lateral (… offset 0). offset 0 stops
-- PostgreSQL from turning the look-ups into joins over whole tables, so that a page takes the same time at any size of
-- the tables.

-- GET /members

create view api.members with (security_invoker = true) as
select
  m.company_id,
  m.created_at as instant,
  m.changed_in,
  m.id,
  m.name,
  m.email,
  m.role,
  m.team_id,
  coalesce(team.name, 'No Team') as team_name,
  to_char(m.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as created_at,
  lower(extensions.unaccent(m.name)) as plain_name
from app.members as m
left join lateral (
  select t.name from app.teams as t where t.company_id = m.company_id and t.id = m.team_id offset 0
) as team on true
where not m.is_former;

comment on view api.members is 'Members, as the API lists them.';

-- As plain_name of api.members. Both are parsed when they are created: public_api may not use schema extensions.
create function app.plain(text text) returns text
language sql stable set search_path = ''
begin atomic
  select lower(extensions.unaccent(text));
end;

grant execute on function app.plain to public_api;
comment on function app.plain is 'A text in lower case and without accents.';

-- The leading filter: the only one that is set, or of two the one that fewer members match. At most a thousand matches
-- of each are counted, which takes less time than a page. The plans have the settings of the caller, but no bitmap
-- scans, which would read all matches before the first is counted.
create function app.rarest_members_filter(company_id uuid, team_id uuid, role text) returns text
language plpgsql stable
set search_path = ''
set enable_bitmapscan = off
set jit = off
as $$
declare
  of_team bigint;
  of_role bigint;
begin
  if num_nonnulls(team_id, role) = 1 then
    return case when team_id is not null then 'team' else 'role' end;
  end if;

  select count(*) into of_team from (
    select from app.members as m
    where m.company_id = rarest_members_filter.company_id and m.team_id = rarest_members_filter.team_id
    limit 1000
  ) as counted;
  select count(*) into of_role from (
    select from app.members as m
    where m.company_id = rarest_members_filter.company_id and m.role = rarest_members_filter.role
    limit 1000
  ) as counted;
  return case least(of_team, of_role) when of_team then 'team' else 'role' end;
end
$$;

grant execute on function app.rarest_members_filter to public_api;
comment on function app.rarest_members_filter is 'team or role, whichever fewest members match.';

-- The id of the member with this address. It runs with the rights of its owner, because a policy keeps the index of
-- lower(email) from being used: a function that is not leakproof may not see rows before the policy does. It is no way
-- round the policy: list_members then reads the row of that id as public_api. Only the
-- index of company and address has this order: that of addresses alone would read the members of all companies with it.
create function app.member_with_email(company_id uuid, email text) returns uuid
language sql stable security definer
set search_path = ''
set enable_sort = off
set enable_incremental_sort = off
begin atomic
  select m.id from app.members as m
  where (m.company_id, lower(m.email)) >= (member_with_email.company_id, lower(member_with_email.email))
    and (m.company_id, lower(m.email)) <= (member_with_email.company_id, lower(member_with_email.email))
  order by m.company_id, lower(m.email) limit 1;
end;

grant execute on function app.member_with_email to public_api;
comment on function app.member_with_email is 'The id of a company''s member with this email address, whatever its case.';

-- GET /teams

create view api.teams with (security_invoker = true) as
select
  t.company_id,
  t.created_at as instant,
  t.changed_in,
  t.id,
  t.name,
  to_char(t.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as created_at
from app.teams as t;

comment on view api.teams is 'Teams, as the API lists them.';

-- GET /activity

-- The names of the company's categories are read once per page: a look-up for each row took 1.1 times the processor time.
create view api.activity with (security_invoker = true) as
select
  k.company_id,
  k.category_id,
  k.sender_id,
  k.receiver_id,
  k.created_at as instant,
  k.changed_in,
  k.id,
  to_char(k.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "timestamp",
  sender.name as sender_name,
  sender.email as sender_email,
  receiver.name as receiver_name,
  receiver.email as receiver_email,
  (
    select jsonb_object_agg(c.id, c.name) from app.categories as c where c.company_id = (select app.current_company_id())
  ) ->> k.category_id::text as category,
  k.message,
  sender.team_id as sender_team_id,
  (select t.name from app.teams as t where t.company_id = k.company_id and t.id = sender.team_id) as sender_team_name,
  receiver.team_id as receiver_team_id,
  (select t.name from app.teams as t where t.company_id = k.company_id and t.id = receiver.team_id) as receiver_team_name
from app.kudos as k
left join lateral (
  select m.name, m.email, m.team_id from app.members as m where m.company_id = k.company_id and m.id = k.sender_id offset 0
) as sender on true
left join lateral (
  select m.name, m.email, m.team_id from app.members as m where m.company_id = k.company_id and m.id = k.receiver_id offset 0
) as receiver on true;

comment on view api.activity is 'Kudos, as the API lists them.';

-- The leading filter, as for members, counted in the time window.
create function app.rarest_kudos_filter(
  company_id uuid,
  since timestamptz,
  until timestamptz,
  sender_id uuid,
  receiver_id uuid,
  category_id uuid
)
returns text
language plpgsql stable
set search_path = ''
set enable_bitmapscan = off
set jit = off
as $$
declare
  of_sender bigint;
  of_receiver bigint;
  of_category bigint;
begin
  if num_nonnulls(sender_id, receiver_id, category_id) = 1 then
    return case when sender_id is not null then 'sender' when receiver_id is not null then 'receiver' else 'category' end;
  end if;

  if sender_id is not null then
    select count(*) into of_sender from (
      select from app.kudos as k
      where k.company_id = rarest_kudos_filter.company_id and k.sender_id = rarest_kudos_filter.sender_id
        and k.created_at >= since and k.created_at <= until
      limit 1000
    ) as counted;
  end if;
  if receiver_id is not null then
    select count(*) into of_receiver from (
      select from app.kudos as k
      where k.company_id = rarest_kudos_filter.company_id and k.receiver_id = rarest_kudos_filter.receiver_id
        and k.created_at >= since and k.created_at <= until
      limit 1000
    ) as counted;
  end if;
  if category_id is not null then
    select count(*) into of_category from (
      select from app.kudos as k
      where k.company_id = rarest_kudos_filter.company_id and k.category_id = rarest_kudos_filter.category_id
        and k.created_at >= since and k.created_at <= until
      limit 1000
    ) as counted;
  end if;
  -- least() passes over those that were not counted.
  return case least(of_sender, of_receiver, of_category)
    when of_sender then 'sender'
    when of_receiver then 'receiver'
    else 'category'
  end;
end
$$;

grant execute on function app.rarest_kudos_filter to public_api;
comment on function app.rarest_kudos_filter is
  'sender, receiver or category, whichever fewest kudos of the window match.';

-- GET /categories

create view api.categories with (security_invoker = true) as
select
  c.company_id,
  c.created_at as instant,
  c.changed_in,
  c.id,
  c.name,
  to_char(c.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as created_at
from app.categories as c;

comment on view api.categories is 'Categories, as the API lists them.';

-- GET /rewards

create view api.rewards with (security_invoker = true) as
select
  r.company_id,
  r.created_at as instant,
  r.changed_in,
  r.id,
  r.name,
  r.description,
  r.points_cost,
  r.reward_type,
  r.stock_count,
  r.image_url,
  r.vendor_name,
  r.is_archived,
  to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as created_at,
  r.external_id
from app.rewards as r;

comment on view api.rewards is 'Rewards, as the API lists them.';

-- GET /day-ratings

create view api.day_ratings with (security_invoker = true) as
select
  d.company_id,
  d.created_at as instant,
  d.changed_in,
  d.id,
  d.rating,
  d.comment,
  d.team_id,
  d.points_awarded,
  to_char(d.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as created_at,
  (select t.name from app.teams as t where t.company_id = d.company_id and t.id = d.team_id) as team_name
from app.day_ratings as d;

comment on view api.day_ratings is 'Day ratings, as the API lists them.';

-- GET /pulse-responses

create view api.pulse_responses with (security_invoker = true) as
select
  p.company_id,
  p.created_at as instant,
  p.changed_in,
  p.id,
  to_char(p.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "timestamp",
  question.question,
  question.response_type,
  p.value,
  p.comment,
  p.question_id
from app.pulse_responses as p
left join lateral (
  select q.question, q.response_type
  from app.pulse_questions as q
  where q.company_id = p.company_id and q.id = p.question_id
  offset 0
) as question on true;

comment on view api.pulse_responses is 'Pulse answers, as the API lists them.';

grant select on all tables in schema api to public_api;
