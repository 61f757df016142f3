-- Companies, teams, members, categories and rewards.

insert into app.companies (id, name, default_language, created_at, fewest_people)
select demo.uuid(slug), name, language, created_at, 5 from demo.companies;

insert into app.teams (company_id, id, name, created_at)
select demo.uuid(t.slug), demo.uuid(t.slug || '/team/' || t.name), t.name,
  c.created_at + interval '24 hours' * demo.pick(t.slug || t.name, 900) + interval '1 microsecond' * demo.pick(t.name, 3600000000)
from demo.teams as t
join demo.companies as c on c.slug = t.slug
where t.name is not null;

-- All people, with a number (seat) in the order in which they joined. So a choice among the first n seats is a choice
-- among the people who had joined at that time.
create table demo.people as
with written as (
  select t.slug, t.name as team, t.mood, t.name is not null and p.place = 1 and cardinality(t.people) > 2 as leads, string_to_array(p.line, '|', '') as part
  from demo.teams as t, unnest(t.people) with ordinality as p (line, place)
), named as (
  select *, part[1] as name, coalesce(part[2], demo.local_part(part[1])) || '@' || slug || '.example' as email,
    coalesce(part[3], split_part(part[1], ' ', 1)) as first_name, coalesce(part[4], case when leads then 'manager' else 'employee' end) as role
  from written
), keyed as (
  select *, concat_ws('/', slug, 'member', email) as key from named
), busy as (
  -- thanks: most people give kudos sometimes, a few give many, some give none.
  select *, (array[0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 6, 8, 10, 12, 16, 24, 40])[1 + demo.pick(key || '/thanks', 19)] as thanks from keyed
), joined as (
  -- Companies grow: more people joined recently than long ago. Team leads joined earlier. All were added on a workday
  -- morning.
  select k.*, c.zone, date '2026-11-14' - least(
      (c.age - demo.pick(k.key || '/founding', 60))::int,
      (share * (1000 + share) * c.age / 2000000 + case when k.leads then 1000 else 20 end)::int
    ) as day
  from busy as k
  join (select slug, zone, date '2026-09-14' - (created_at at time zone zone)::date as age from demo.companies) as c on c.slug = k.slug,
    lateral (select demo.pick(k.key || '/joined', 1000) as share) as s
), dated as (
  select *, coalesce(part[5]::timestamptz, ((day - greatest(extract(isodow from day)::int - 5, 0))::timestamp + interval '8 hours'
    + interval '1 microsecond' * demo.pick(key || '/time', 9000000000)) at time zone zone) as since
  from joined
)
select slug, team, mood, demo.uuid(slug) as company_id, demo.uuid(key) as id, name, email, first_name, role, since,
  row_number() over seats as seat, thanks, sum(thanks) over seats as thanks_so_far
from dated window seats as (partition by slug order by since, key collate "C");
alter table demo.people add primary key (slug, seat);
create index on demo.people (slug, since, seat);
create index on demo.people (slug, team, seat);

insert into app.members (company_id, id, name, email, role, team_id, created_at)
select company_id, id, name, email, role, demo.uuid(slug || '/team/' || team), since from demo.people;

insert into app.categories (company_id, id, created_at)
select demo.uuid(slug), demo.uuid(slug || '/category/' || key), '2024-05-06 09:30:17.125038Z'::timestamptz + interval '24 hours' * weight
from demo.categories;

insert into app.category_names (company_id, category_id, language, name)
select demo.uuid(c.slug), demo.uuid(c.slug || '/category/' || c.key), n.language, n.name
from demo.categories as c, jsonb_each_text(c.names) as n (language, name);

-- The gift cards came in one import and have its time. The other rewards were added over two years.
insert into app.rewards (
  company_id, id, external_id, name, description, points_cost, reward_type, stock_count, image_url, vendor_name, is_archived, created_at
)
select demo.uuid(slug), demo.uuid(slug || '/reward/' || name), external_id, name, description, points, type, stock,
  'https://example.com/' || slug || '/rewards/' || image, vendor, archived,
  case
    when type = 'gift_card' then '2025-02-03 15:20:44.906131Z'::timestamptz
    else '2024-11-21 12:00:00Z'::timestamptz + interval '24 hours' * demo.pick(slug || name, case when archived then 300 else 725 end)
      + interval '1 microsecond' * demo.pick(name, 14400000000)
  end
from demo.rewards;
