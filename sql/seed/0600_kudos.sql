-- 3,000 kudos per company. Kudos with the same moment have one sender, who thanks several people with the same text.

-- The team of a person when a kudos was given: known from June 2026 on. One in eight has changed teams in September.
create function demo.team_then(slug text, seat bigint, at timestamptz) returns uuid language sql stable
return (
  select coalesce(demo.uuid(p.slug || '/team/' || case
      when at >= '2026-09-07Z' or demo.pick(p.slug || p.seat || '/moved', 8) > 0 then p.team
      else demo.choose(p.slug || p.seat, (select array_agg(t.name order by t.name collate "C") from demo.teams as t where t.slug = p.slug))
    end), '00000000-0000-0000-0000-000000000000')
  from demo.people as p where p.slug = team_then.slug and p.seat = team_then.seat and at >= '2026-06-01Z'
);

-- The earlier ones stay unknown, whatever the clock says.
set app.as_stored = 'on';
insert into app.kudos (
  company_id, id, sender_id, receiver_id, category_id, message, created_at, sender_team_then_id, receiver_team_then_id
)
with tickets as (
  select p.slug, p.senders, c.categories
  from (select slug, array_agg(seat order by seat) as senders from demo.people, generate_series(1, thanks) group by slug) as p
  join (select slug, array_agg(key order by key collate "C") as categories from demo.categories, generate_series(1, weight) group by slug) as c
    on c.slug = p.slug
), sent as materialized (
  select m.*, latest.seat as seats, demo.choose(m.moment || '/category', t.categories) as category,
    t.senders[1 + demo.pick(m.moment || '/sender', latest.thanks_so_far)] as sender
  from demo.moments('kudos', 3000, 7.5, 18) as m
  join tickets as t on t.slug = m.slug
  -- The last person who joined before that time: people who joined later do not send or receive.
  cross join lateral (
    select p.seat, p.thanks_so_far from demo.people as p where p.slug = m.slug and p.since < m.at order by p.since desc, p.seat desc limit 1
  ) as latest
), exchanged as materialized (
  select s.*, p.company_id, p.id as sender_id, case
      -- About half of the kudos go to a person of the same team.
      when cardinality(team.seats) > 3
        then team.seats[1 + demo.pick(s.moment || '/receiver', cardinality(team.seats))]
      -- The others go to anybody but the sender: the seats are counted on from the sender's, in a circle.
      else 1 + (s.sender + (demo.pick(s.moment || '/receiver', s.seats - 1) + s.nth) % (s.seats - 1)) % s.seats
    end as receiver
  from sent as s
  join demo.people as p on p.slug = s.slug and p.seat = s.sender
  cross join lateral (
    select array_agg(mate.seat order by mate.seat) as seats
    from demo.people as mate
    where mate.slug = s.slug and mate.team = p.team and mate.seat <= s.seats and mate.seat <> s.sender
      and s.sharing = 1 and demo.pick(s.moment || '/inside', 100) < 55
  ) as team
), numbered as materialized (
  select *, dense_rank() over (partition by slug order by at, moment collate "C") as n,
    dense_rank() over (partition by slug, category order by at, moment collate "C") as of_category,
    1 + (receiver + demo.pick(moment || '/peer', seats - 2)) % seats as peer
  from exchanged
)
select k.company_id, demo.uuid(k.key), k.sender_id, r.id, demo.uuid(k.slug || '/category/' || k.category),
  demo.fill(m.message, k.slug, k.n, r.first_name, p.first_name), k.at,
  demo.team_then(k.slug, k.sender, k.at), demo.team_then(k.slug, k.receiver, k.at)
from numbered as k
-- offset 0: each is looked up by the primary key.
cross join lateral (select * from demo.people where slug = k.slug and seat = k.receiver offset 0) as r
-- The peer must not be the sender: then it is the person in the next seat.
cross join lateral (
  select * from demo.people where slug = k.slug and seat = case when k.peer = k.sender then 1 + k.peer % k.seats else k.peer end offset 0
) as p
-- offset 0: the text is looked up once, not at each use.
cross join lateral (
  select case when k.sharing > 1 then demo.card(k.slug, 'group', '', k.n) else demo.card(k.slug, 'kudos', k.category, k.of_category) end as text offset 0
) as body
cross join lateral (
  select case
    when body.text like '%{name}%' or demo.pick(k.moment || '/plain', 8) = 0 then body.text
    else demo.card(k.slug, 'open', '', k.n) || (array[' ', ' ', ' ', ' ', ' ', ' ', ' ', E'\n', E'\r\n\r\n'])[1 + demo.pick(k.moment || '/break', 9)]
      || body.text || case when demo.pick(k.moment || '/close', 5) < 2 then ' ' || demo.card(k.slug, 'close', '', k.n) else '' end
  end as message offset 0
) as m;
reset app.as_stored;
