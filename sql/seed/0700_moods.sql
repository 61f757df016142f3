-- 3,000 day ratings and 800 pulse answers per company. They have nothing of a person: a seat is chosen only so that a
-- large team has more ratings than a small one.

insert into app.day_ratings (company_id, id, rating, comment, team_id, points_awarded, created_at)
with companies as materialized (
  select slug, count(*) as seats from demo.people group by slug
), rated as (
  select m.*, p.team, demo.pick(m.key || '/comment', 100) < 36 as commented,
    substr(p.mood, 1 + demo.pick(m.key || '/rating', length(p.mood))::int, 1) as rating
  from demo.moments('rating', 3000, 13, 18) as m
  join companies as c on c.slug = m.slug
  join demo.people as p on p.slug = m.slug and p.seat = 1 + demo.pick(m.key || '/seat', c.seats)
), numbered as (
  select *, row_number() over (partition by slug, rating, commented order by rank) as n from rated
)
select demo.uuid(r.slug), demo.uuid(r.key), r.rating::smallint,
  demo.fill(c.comment, r.slug, r.n),
  -- Some ratings have no team: they come from a terminal in the entrance hall.
  case when demo.pick(r.key || '/hall', 20) > 0 then demo.uuid(r.slug || '/team/' || r.team) end,
  -- Points exist since February: five, ten with a comment, or none after the day's maximum.
  case when r.at < '2026-02-02Z' then null when demo.pick(r.key || '/points', 25) = 0 then 0 when r.commented then 10 else 5 end,
  r.at
from numbered as r
-- offset 0: the text is looked up once, not at each use.
cross join lateral (
  select case when r.commented then demo.card(r.slug, 'comment', r.rating, r.n) end as comment offset 0
) as c;

insert into app.pulse_questions (company_id, id, question, response_type, created_at)
select demo.uuid(slug), demo.uuid(slug || '/question/' || key), question, response_type,
  '2025-09-01 08:00:00Z'::timestamptz + interval '1 microsecond' * demo.pick(question, 3000000000000)
from demo.questions;

insert into app.pulse_responses (company_id, id, question_id, value, comment, created_at)
with asked as (
  select m.*, demo.choose(m.key || '/question', q.keys) as question, demo.pick(m.key || '/skipped', 100) as skipped
  from demo.moments('pulse', 800, 7.5, 17) as m
  join (select slug, array_agg(key order by key collate "C") as keys from demo.questions group by slug) as q on q.slug = m.slug
), numbered as (
  select *, row_number() over (partition by slug, question order by rank) as n from asked
)
select demo.uuid(a.slug), demo.uuid(a.key),
  -- Some questions have been deleted.
  case when demo.pick(a.key || '/deleted', 25) > 0 then demo.uuid(a.slug || '/question/' || a.question) end,
  -- Skipped answers: the app sends a JSON null, the form in the email sends no value.
  case when a.skipped = 0 then null when a.skipped < 3 then 'null' else demo.fill(c.answer, a.slug, a.n)::jsonb end,
  coalesce(demo.fill(c.remark, a.slug, a.rank), ''),
  a.at
from numbered as a
cross join lateral (
  select demo.card(a.slug, 'answer', a.question, a.n) as answer,
    case when demo.pick(a.key || '/remark', 100) < 15 then demo.card(a.slug, 'remark', '', a.rank) end as remark offset 0
) as c;

drop schema demo cascade;
