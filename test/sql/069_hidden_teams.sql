-- The fewest people of a company: which teams are hidden, and what each write does to a rating of one.
begin;
\ir helpers.psql
select plan(18);

-- A company with teams of these sizes, A, B, C and so on; their ids rise. The last size is that of the people without one.
create function pg_temp.company(name text, fewest integer, variadic sizes integer[]) returns uuid language sql
begin atomic
  insert into app.companies (id, name, fewest_people) values (pg_temp.id(name), name, fewest);
  insert into app.teams (company_id, id, name)
  select pg_temp.id(name), (lpad(n::text, 8, '0') || '-0000-4000-8000-000000000000')::uuid, chr(64 + n)
  from generate_series(1, cardinality(sizes) - 1) as n;
  insert into app.members (company_id, name, email, team_id)
  select pg_temp.id(name), 'P', format('%s.%s@x.example', n, p), (select t.id from app.teams as t where t.company_id = pg_temp.id(company.name) and t.name = chr(64 + n::integer))
  from unnest(sizes) with ordinality as s (size, n), generate_series(1, size) as p;
  select pg_temp.id(name);
end;
create function pg_temp.team(company uuid, name text) returns uuid language sql stable
return (select t.id from app.teams as t where t.company_id = team.company and t.name = team.name);
create function pg_temp.hidden(company uuid) returns text language sql
return (
  select coalesce(string_agg(t.name, '' order by t.name), '') from app.teams as t where t.company_id = company and t.id = any (app.hidden_teams(company))
);

select is(pg_temp.hidden(pg_temp.company(label, fewest, variadic sizes)), hidden, label)
from (values
  ('Without a number no team is hidden', null, array[1, 0, 9], ''),
  ('Enough people in every team', 5, array[5, 6, 7, 0], ''),
  ('Small teams that have enough people together', 5, array[2, 3, 6, 0], 'AB'),
  ('A small team alone would be known: the smallest other one is hidden, too', 5, array[7, 1, 6, 8, 0], 'BC'),
  ('Of two teams of one size it is the one with the lower id', 5, array[9, 2, 6, 6, 0], 'BC'),
  ('So it is where only people without a team would be left over', 5, array[6, 7, 1], 'A'),
  ('People without a team cover nobody', 5, array[4, 6, 30], 'AB'),
  ('A team without people is hidden', 5, array[0, 6, 7, 0], 'AB'),
  ('A company with too few people has no team to show', 5, array[1, 2, 0], 'AB')
) as meant (label, fewest, sizes, hidden);
insert into app.members (company_id, name, email, is_former) values (pg_temp.id('Enough people in every team'), 'Former member', '', true);
select is(pg_temp.hidden(pg_temp.id('Enough people in every team')), '',
  -- Proves: subject.6
  'Erased people are no person without a team');

-- Acorn has A (2 people), B (3) and C (6), and number 5; Birch has such teams and no number. Ratings of half past nine.
select pg_temp.company('Acorn', 5, 2, 3, 6, 0), pg_temp.company('Birch', null, 2, 3, 6, 0);
create function pg_temp.rate(company text, team text, label text default null) returns void language sql
begin atomic
  insert into app.day_ratings (company_id, id, rating, team_id, created_at)
  values (pg_temp.id(company), pg_temp.id(coalesce(label, team)), 3, pg_temp.team(pg_temp.id(company), team), '2026-06-01 09:30:15.123456Z')
  on conflict (company_id, id) do update set team_id = excluded.team_id, created_at = excluded.created_at;
end;
-- A rating as text: its team, and the part of its time after the hour.
create function pg_temp.rating(company text, label text) returns text language sql
return (
  select concat_ws(' ', coalesce(t.name, 'none'), to_char(d.created_at at time zone 'UTC', 'HH24:MI:SS.US'))
  from app.day_ratings as d left join app.teams as t on t.company_id = d.company_id and t.id = d.team_id
  where d.company_id = pg_temp.id(company) and d.id = pg_temp.id(label)
);
create function pg_temp.ratings(company text) returns text[] language sql
return (
  select array_agg(pg_temp.rating(company, l) order by l) from unnest(array['A', 'B', 'C', 'none']) as l
);

-- A time zone whose hours begin at half past those of UTC.
set local time zone 'Asia/Kolkata';
select pg_temp.rate(c, l) from unnest(array['Acorn', 'Birch']) as c, unnest(array['A', 'B', 'C', 'none']) as l;
select is(
  pg_temp.ratings('Acorn'), array['none 09:00:00.000000', 'none 09:00:00.000000', 'C 09:30:15.123456', 'none 09:00:00.000000'],
  -- Proves: subject.1, subject.2
  'A rating of a hidden team is stored without it, at the hour, as one without a team is; others are as they were written'
);
select is(
  pg_temp.ratings('Birch'), array['A 09:30:15.123456', 'B 09:30:15.123456', 'C 09:30:15.123456', 'none 09:30:15.123456'],
  'In a company without a number nothing changes'
);

-- Updates

alter table app.day_ratings disable trigger user;
update app.day_ratings set changed_in = '3';
alter table app.day_ratings enable trigger user;
update app.members set team_id = pg_temp.team(pg_temp.id('Acorn'), 'C') where company_id = pg_temp.id('Acorn');
select pg_temp.rate('Acorn', 'C', 'A'), pg_temp.rate('Acorn', 'none');
select is(
  (select array_agg(pg_temp.rating('Acorn', l) || ' ' || d.changed_in order by l) from unnest(array['A', 'none']) as l
    join app.day_ratings as d on d.company_id = pg_temp.id('Acorn') and d.id = pg_temp.id(l)),
  array['none 09:00:00.000000 3', 'none 09:00:00.000000 3'],
  -- Proves: subject.3
  'A rating without a team gets none, also when its team has grown; writing it again is no change'
);
update app.day_ratings set team_id = pg_temp.team(company_id, 'A') where id = pg_temp.id('C');
select is(
  pg_temp.rating('Acorn', 'C') || ', ' || pg_temp.rating('Birch', 'C'), 'none 09:00:00.000000, A 09:30:15.123456',
  'A rating that moves into a hidden team loses it'
);

-- Many at once, and other writers

update app.members set team_id = pg_temp.team(company_id, 'A') where company_id = pg_temp.id('Acorn') and email in ('1.1@x.example', '1.2@x.example');
insert into app.day_ratings (company_id, rating, team_id, comment)
select t.company_id, 3, t.id, 'many' from app.teams as t, generate_series(1, 100) where t.company_id in (pg_temp.id('Acorn'), pg_temp.id('Birch'));
select results_eq(
  $$ select c.name, count(*), count(d.team_id) from app.day_ratings as d join app.companies as c on c.id = d.company_id where comment = 'many' group by 1 order by 1 $$,
  $$ values ('Acorn', 300::bigint, 0::bigint), ('Birch', 300, 300) $$,
  'A statement that writes for several companies hides the teams of each'
);
-- A writer that row-level security binds, and that sees no company.
create role bound_writer;
grant bound_writer to postgres with set true;
grant usage on schema app to bound_writer;
grant select, insert, update on app.day_ratings to bound_writer;
create policy bound on app.day_ratings to bound_writer using (true) with check (true);
set local role bound_writer;
insert into app.day_ratings (company_id, id, rating, team_id) values (pg_temp.id('Acorn'), pg_temp.id('bound'), 3, '00000001-0000-4000-8000-000000000000');
reset role;
select is(pg_temp.rating('Acorn', 'bound') ~ '^none ..:00:00.000000$', true, 'Whoever writes: a role that sees no company hides its teams, too');

select throws_ok(
  format('call app.set_fewest_people(%L, %s)', pg_temp.id('Acorn'), n), null, message, 'set_fewest_people refuses ' || n
) from (values ('null', 'fewest_people must be a whole number from 2 to 100'),
  ('1', 'new row for relation "companies" violates check constraint "companies_fewest_people_range"')) as refused (n, message);
rollback;
