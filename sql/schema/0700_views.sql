-- The views: the public shape of each resource (docs/api.md), column for column, after company_id, the ids that filters need and
-- the instant that pages are ordered by.
--
-- Date-times are text, as app.iso_8601 makes it, but not made by it: a call a row would cost a fifth of a page's time.
--
-- security_invoker: a view reads with the rights and under the policies of whoever selects from it. create or replace
-- without repeating the option would clear it silently; a test looks.
--
-- What a row names (its team, its people, its category) is looked up row by row with left join lateral (… offset 0): offset 0
-- keeps PostgreSQL from turning the look-ups into joins over whole tables, so that a page costs the same at any size.

create view api.members with (security_invoker = true) as
select
  m.company_id,
  m.created_at as instant,
  m.id,
  m.name,
  m.email,
  m.role,
  m.team_id,
  coalesce(team.name, 'No Team') as team_name,
  to_char(m.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as created_at
from app.members as m
left join lateral (
  select t.name from app.teams as t where t.company_id = m.company_id and t.id = m.team_id offset 0
) as team on true;

-- The name of each category in the company's default language (pt-br is pt-BR, but what is written the same comes first), else in English,
-- else in any: the first language by its tag. A category without any name has no row here.
create view api.categories with (security_invoker = true) as
select distinct on (n.company_id, n.category_id) n.company_id, n.category_id as id, n.name
from app.category_names as n
join app.companies as company on company.id = n.company_id
order by n.company_id, n.category_id, n.language = company.default_language desc,
  lower(n.language) = lower(company.default_language) desc, n.language = 'en' desc, n.language;

-- All but the category's name, which stands in api.categories: public.list_activity looks all of them up once a page.
create view api.activity with (security_invoker = true) as
select
  k.company_id,
  k.category_id,
  k.sender_id,
  k.receiver_id,
  k.created_at as instant,
  k.id,
  to_char(k.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "timestamp",
  sender.name as sender_name,
  sender.email as sender_email,
  receiver.name as receiver_name,
  receiver.email as receiver_email,
  k.message
from app.kudos as k
left join lateral (
  select m.name, m.email from app.members as m where m.company_id = k.company_id and m.id = k.sender_id offset 0
) as sender on true
left join lateral (
  select m.name, m.email from app.members as m where m.company_id = k.company_id and m.id = k.receiver_id offset 0
) as receiver on true;

create view api.rewards with (security_invoker = true) as
select
  r.company_id,
  r.created_at as instant,
  r.id,
  r.name,
  r.description,
  r.points_cost,
  r.reward_type,
  r.stock_count,
  r.image_url,
  r.vendor_name,
  r.is_archived,
  to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as created_at
from app.rewards as r;

create view api.day_ratings with (security_invoker = true) as
select
  d.company_id,
  d.created_at as instant,
  d.id,
  d.rating,
  d.comment,
  d.team_id,
  d.points_awarded,
  to_char(d.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as created_at
from app.day_ratings as d;

create view api.pulse_responses with (security_invoker = true) as
select
  p.company_id,
  p.created_at as instant,
  p.id,
  to_char(p.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "timestamp",
  question.question,
  question.response_type,
  p.value,
  p.comment
from app.pulse_responses as p
left join lateral (
  select q.question, q.response_type
  from app.pulse_questions as q
  where q.company_id = p.company_id and q.id = p.question_id
  offset 0
) as question on true;

grant select on api.members, api.categories, api.activity, api.rewards, api.day_ratings, api.pulse_responses to public_api;
-- Not granted: anything to anon, authenticated, service_role.

comment on view api.members is 'Members (docs/api.md, Members).';
comment on view api.categories is 'Names of kudos categories in the company''s default language.';
comment on view api.activity is 'Kudos (docs/api.md, Activity), with the id of their category.';
comment on view api.rewards is 'Rewards (docs/api.md, Rewards).';
comment on view api.day_ratings is 'Day ratings (docs/api.md, Day ratings).';
comment on view api.pulse_responses is 'Pulse answers (docs/api.md, Pulse responses).';
