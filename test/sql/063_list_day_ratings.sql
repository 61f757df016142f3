-- public.list_day_ratings: GET /day-ratings.
begin;
create extension if not exists pgtap with schema extensions;
select plan(28);

\ir helpers.psql

-- Acorn: five ratings. Birch: two more, newer than all others.
do $$
begin
  perform pg_temp.found('Acorn');
  perform pg_temp.found('Birch');
end
$$;
insert into app.teams (company_id, id, name) values
  (pg_temp.id('Acorn'), '00000000-0000-4000-8000-00000000000a', 'Garden'),
  (pg_temp.id('Acorn'), pg_temp.id('unrated team'), 'Kitchen'),
  (pg_temp.id('Birch'), pg_temp.id('Birch team'), 'Birch team');
insert into app.day_ratings (company_id, id, rating, comment, team_id, points_awarded, created_at) values
  (pg_temp.id('Acorn'), '00000000-0000-4000-8000-000000000001', 1, null, null, null, '0001-01-01Z'),
  (pg_temp.id('Acorn'), '00000000-0000-4000-8000-000000000002', 2, '', '00000000-0000-4000-8000-00000000000a', 0, '2026-06-02 12:00:00.000001Z'),
  (pg_temp.id('Acorn'), '00000000-0000-4000-8000-000000000003', 3, 'Too, "long"', null, 15, '2026-06-02 12:00:00.000001Z'),
  (pg_temp.id('Acorn'), '00000000-0000-4000-8000-000000000004', 4, null, '00000000-0000-4000-8000-00000000000a', null, '2026-06-03Z'),
  (pg_temp.id('Acorn'), '00000000-0000-4000-8000-000000000005', 5, null, '00000000-0000-4000-8000-00000000000a', null, '9999-12-31 23:59:59.999999Z'),
  (pg_temp.id('Birch'), '00000000-0000-4000-8000-000000000006', 1, null, pg_temp.id('Birch team'), null, '9999-12-31 23:59:59.999999Z'),
  (pg_temp.id('Birch'), '00000000-0000-4000-8000-000000000007', 2, null, pg_temp.id('Birch team'), null, '9999-12-31 23:59:59.999999Z');

select is_empty(
  $$
    select a.attrelid::regclass, a.attname
    from pg_attribute as a
    where a.attrelid in ('app.day_ratings'::regclass, 'api.day_ratings'::regclass) and a.attnum > 0
      and a.attname not in ('company_id', 'instant', 'id', 'rating', 'comment', 'team_id', 'points_awarded', 'created_at')
  $$,
  'A day rating has no column that could name a person'
);

-- Acting as the project's secret key, with the hash of Acorn's key.
set local role service_role;

-- Fields

select is(
  (public.list_day_ratings(pg_temp.key('Acorn'), 100) -> 2)::text,
  '{"id":"00000000-0000-4000-8000-000000000003","rating":3,"comment":"Too, \"long\"","team_id":null,"points_awarded":15,'
    || '"created_at":"2026-06-02T12:00:00.000001Z"}',
  'A day rating has its fields in the specification''s order; without a team its team_id is null'
);
select is(
  (public.list_day_ratings(pg_temp.key('Acorn'), 100) -> 1)::text,
  '{"id":"00000000-0000-4000-8000-000000000004","rating":4,"comment":null,"team_id":"00000000-0000-4000-8000-00000000000a","points_awarded":null,'
    || '"created_at":"2026-06-03T00:00:00.000000Z"}',
  'A day rating without comment and points has null for them'
);
select is(
  (public.list_day_ratings(pg_temp.key('Acorn'), 100) -> 3) ->> 'comment', '', 'A comment that is empty stays empty'
);
select is(
  public.list_day_ratings(pg_temp.key('Acorn'), 100) -> 4 ->> 'created_at', '0001-01-01T00:00:00.000000Z',
  'The first instant of year 1 has four digits'
);
select is(
  public.list_day_ratings(pg_temp.key('Acorn'), 100) -> 0 ->> 'created_at', '9999-12-31T23:59:59.999999Z', 'The last instant of year 9999 is exact'
);
set local timezone = 'America/St_Johns';
set local datestyle = 'SQL, DMY';
select is(
  public.list_day_ratings(pg_temp.key('Acorn'), 100) -> 2 ->> 'created_at', '2026-06-02T12:00:00.000001Z',
  'created_at is in UTC whatever the session''s time zone and date style'
);
reset timezone;
reset datestyle;

-- Order and limit

select is(
  pg_temp.column_of(public.list_day_ratings(pg_temp.key('Acorn'), 100), 'rating'), array['5', '4', '3', '2', '1'],
  'Day ratings come newest first, and those of one instant by id, the highest first'
);
select is(
  pg_temp.headers() - 'X-Key-Id',
  jsonb_build_object('X-Company-Id', pg_temp.id('Acorn'), 'X-Row-Count', '5', 'X-Has-More', 'false'),
  'A page that holds all day ratings says that there are no more, how many they are and whose'
);
select is(
  pg_temp.column_of(public.list_day_ratings(pg_temp.key('Acorn'), 3), 'rating'), array['5', '4', '3'],
  'At most max_rows day ratings are answered: the page may end between two of one instant'
);
select is(
  pg_temp.headers() - 'X-Key-Id',
  jsonb_build_object('X-Company-Id', pg_temp.id('Acorn'), 'X-Row-Count', '3', 'X-Has-More', 'true'),
  'A page that leaves day ratings out says that there are more'
);
select is(json_array_length(public.list_day_ratings(pg_temp.key('Acorn'), 5)), 5, 'A page can hold exactly the day ratings there are');
select is(pg_temp.headers() ->> 'X-Has-More', 'false', 'A page that holds exactly max_rows day ratings says that there are no more');

-- since and until

select is(
  pg_temp.column_of(public.list_day_ratings(pg_temp.key('Acorn'), 100, since => '2026-06-02 12:00:00.000001Z'), 'rating'),
  array['5', '4', '3', '2'],
  'since includes day ratings of its very microsecond'
);
select is(
  pg_temp.column_of(public.list_day_ratings(pg_temp.key('Acorn'), 100, since => '2026-06-02 12:00:00.000002Z'), 'rating'), array['5', '4'],
  'since leaves out day ratings of the microsecond before'
);
select is(
  pg_temp.column_of(public.list_day_ratings(pg_temp.key('Acorn'), 100, until => '2026-06-02 12:00:00.000001Z'), 'rating'), array['3', '2', '1'],
  'until includes day ratings of its very microsecond'
);
select is(
  pg_temp.column_of(public.list_day_ratings(pg_temp.key('Acorn'), 100, until => '2026-06-02 12:00:00Z'), 'rating'), array['1'],
  'until leaves out day ratings of the microsecond after'
);
select is(
  public.list_day_ratings(pg_temp.key('Acorn'), 100, since => '2026-06-02 12:00:00.000002Z', until => '2026-06-02 23:59:59.999999Z')::text, '[]',
  'A window without day ratings is an empty page'
);
select is(
  pg_temp.headers() - 'X-Key-Id',
  jsonb_build_object('X-Company-Id', pg_temp.id('Acorn'), 'X-Row-Count', '0', 'X-Has-More', 'false'),
  'An empty page is [] and says that it has no row and that there are no more'
);

-- team_id

select is(
  pg_temp.column_of(public.list_day_ratings(pg_temp.key('Acorn'), 100, team_id => '00000000-0000-4000-8000-00000000000a'), 'rating'),
  array['5', '4', '2'],
  'team_id leaves the day ratings of that team, newest first'
);
select is(
  pg_temp.column_of(public.list_day_ratings(pg_temp.key('Acorn'), 100, team_id => '00000000-0000-4000-8000-00000000000a',
    since => '2026-06-02 12:00:00.000001Z', until => '2026-06-03Z'), 'rating'),
  array['4', '2'],
  'since and until bound the day ratings of a team, both included'
);
select is(
  pg_temp.column_of(public.list_day_ratings(pg_temp.key('Acorn'), 100, team_id => '00000000-0000-4000-8000-00000000000a',
    since => '2026-06-02 12:00:00.000002Z', until => '2026-06-02 23:59:59.999999Z'), 'rating'),
  '{}'::text[],
  'since and until bound the day ratings of a team to the microsecond'
);
select is(
  pg_temp.column_of(public.list_day_ratings(pg_temp.key('Acorn'), 2, team_id => '00000000-0000-4000-8000-00000000000a'), 'rating'),
  array['5', '4'],
  'A page of a team has at most max_rows day ratings'
);
select is(pg_temp.headers() ->> 'X-Has-More', 'true', 'A page that leaves day ratings of the team out says that there are more');
select is(
  public.list_day_ratings(pg_temp.key('Acorn'), 100, team_id => pg_temp.id('unrated team'))::text, '[]',
  'A team without day ratings is an empty page'
);

-- Isolation

select is(
  public.list_day_ratings(pg_temp.key('Acorn'), 100, team_id => pg_temp.id('Birch team'))::text,
  public.list_day_ratings(pg_temp.key('Acorn'), 100, team_id => pg_temp.id('no team of anybody'))::text,
  'Another company''s team answers exactly as a team that does not exist'
);
select is(
  pg_temp.column_of(public.list_day_ratings(pg_temp.key('Birch'), 100), 'rating'), array['2', '1'],
  'A key of Birch sees the day ratings of Birch only'
);
select is(
  pg_temp.column_of(public.list_day_ratings(pg_temp.key('Birch'), 100, team_id => pg_temp.id('Birch team')), 'rating'), array['2', '1'],
  'Day ratings of a team and of one instant come by id, the highest first'
);

select * from finish();
rollback;
