-- public.list_members: GET /members.
begin;
create extension if not exists pgtap with schema extensions;
select plan(26);

\ir helpers.psql

-- Acorn: six people. Bo and Cy have the same created_at. Birch: one more person.
do $$
begin
  perform pg_temp.found('Acorn');
  perform pg_temp.found('Birch');
end
$$;
insert into app.teams (company_id, id, name) values
  (pg_temp.id('Acorn'), pg_temp.id('Garden'), 'Garden'),
  (pg_temp.id('Acorn'), pg_temp.id('Kitchen'), 'Kitchen'),
  (pg_temp.id('Birch'), pg_temp.id('Birch team'), 'Birch team');
insert into app.members (company_id, id, name, email, role, team_id, created_at) values
  (pg_temp.id('Acorn'), '00000000-0000-4000-8000-00000000000b', 'Bo', 'bo@acorn.example', 'employee', pg_temp.id('Garden'), '2026-03-01 08:00:00Z'),
  (pg_temp.id('Acorn'), '00000000-0000-4000-8000-00000000000c', 'Cy', 'cy@acorn.example', 'employee', pg_temp.id('Garden'), '2026-03-01 08:00:00Z'),
  (pg_temp.id('Acorn'), '00000000-0000-4000-8000-00000000000d', 'Di "D" Ø', 'di@acorn.example', 'employee', null, '2026-11-21 11:15:30.1234+01'),
  (pg_temp.id('Acorn'), '00000000-0000-4000-8000-00000000000e', 'Ed', 'ed@acorn.example', 'Team Lead', pg_temp.id('Garden'), '2026-02-01Z'),
  (pg_temp.id('Acorn'), '00000000-0000-4000-8000-00000000000f', 'Flo', 'flo@acorn.example', 'Team Lead', pg_temp.id('Kitchen'), '2026-02-02Z'),
  (pg_temp.id('Birch'), '00000000-0000-4000-8000-0000000000bb', 'Birk', 'birk@birch.example', 'employee', pg_temp.id('Birch team'), '2026-12-01Z');

-- Acting as the project's secret key, with the hash of Acorn's key.
set local role service_role;

-- Fields

select is(
  public.list_members(pg_temp.key('Acorn'), 1)::text,
  '[{"id":"00000000-0000-4000-8000-00000000000d","name":"Di \"D\" Ø","email":"di@acorn.example","role":"employee","team_id":null,'
    || '"team_name":"No Team","created_at":"2026-11-21T10:15:30.123400Z"}]',
  'A member without a team has a null team_id and the team_name No Team; fields come in the specification''s order'
);
select is(
  (public.list_members(pg_temp.key('Acorn'), 2) -> 1)::text,
  '{"id":"00000000-0000-4000-8000-00000000000c","name":"Cy","email":"cy@acorn.example","role":"employee","team_id":"'
    || pg_temp.id('Garden') || '","team_name":"Garden","created_at":"2026-03-01T08:00:00.000000Z"}',
  'A member of a team has its id and its name; a created_at without a fraction still has six digits'
);
set local timezone = 'America/St_Johns';
set local datestyle = 'SQL, DMY';
select is(
  public.list_members(pg_temp.key('Acorn'), 1) -> 0 ->> 'created_at', '2026-11-21T10:15:30.123400Z',
  'created_at is in UTC whatever the session''s time zone and date style'
);
reset timezone;
reset datestyle;

-- Order and limit

select is(
  pg_temp.column_of(public.list_members(pg_temp.key('Acorn'), 100), 'name'), array['Di "D" Ø', 'Cy', 'Bo', 'Flo', 'Ed', 'Ada'],
  'Members come newest first, and those of one instant by id, the highest first'
);
select is(
  pg_temp.headers() - 'X-Key-Id',
  jsonb_build_object('X-Company-Id', pg_temp.id('Acorn'), 'X-Row-Count', '6', 'X-Has-More', 'false'),
  'A page that holds all members says that there are no more, how many they are and whose'
);
select matches(
  pg_temp.headers() ->> 'X-Key-Id', '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$', 'A page names the id of the key in its headers'
);
select is(
  pg_temp.column_of(public.list_members(pg_temp.key('Acorn'), 2), 'name'), array['Di "D" Ø', 'Cy'],
  'At most max_rows members are answered: the page may end between two of one instant'
);
select is(
  pg_temp.headers() - 'X-Key-Id',
  jsonb_build_object('X-Company-Id', pg_temp.id('Acorn'), 'X-Row-Count', '2', 'X-Has-More', 'true'),
  'A page that leaves members out says that there are more'
);
select is(json_array_length(public.list_members(pg_temp.key('Acorn'), 6)), 6, 'A page can hold exactly the members there are');
select is(pg_temp.headers() ->> 'X-Has-More', 'false', 'A page that holds exactly max_rows members says that there are no more');

-- Filters

select is(
  pg_temp.column_of(public.list_members(pg_temp.key('Acorn'), 100, team_id => pg_temp.id('Garden')), 'name'), array['Cy', 'Bo', 'Ed'],
  'team_id leaves the members of that team, newest first'
);
select is(
  pg_temp.column_of(public.list_members(pg_temp.key('Acorn'), 2, team_id => pg_temp.id('Garden')), 'name'), array['Cy', 'Bo'],
  'A page of a team has at most max_rows members'
);
select is(pg_temp.headers() ->> 'X-Has-More', 'true', 'A page that leaves members of the team out says that there are more');
select is(
  pg_temp.column_of(public.list_members(pg_temp.key('Acorn'), 100, role => 'employee'), 'name'), array['Di "D" Ø', 'Cy', 'Bo'],
  'role leaves the members with that role, newest first'
);
select is(
  pg_temp.column_of(public.list_members(pg_temp.key('Acorn'), 2, role => 'employee'), 'name'), array['Di "D" Ø', 'Cy'],
  'A page of a role has at most max_rows members'
);
select is(pg_temp.headers() ->> 'X-Has-More', 'true', 'A page that leaves members of the role out says that there are more');
select is(
  pg_temp.column_of(public.list_members(pg_temp.key('Acorn'), 100, pg_temp.id('Garden'), 'Team Lead'), 'name'), array['Ed'],
  'team_id and role together leave the members that have both'
);
select is(
  public.list_members(pg_temp.key('Acorn'), 100, role => 'team lead')::text, '[]', 'role is compared with its case: the wrong case matches nobody'
);
select is(
  pg_temp.headers() - 'X-Key-Id',
  jsonb_build_object('X-Company-Id', pg_temp.id('Acorn'), 'X-Row-Count', '0', 'X-Has-More', 'false'),
  'An empty page is [] and says that it has no row and that there are no more'
);
select is(
  public.list_members(pg_temp.key('Acorn'), 100, role => 'Team%')::text, '[]', 'role is no pattern'
);
select is(
  public.list_members(pg_temp.key('Acorn'), 100, team_id => pg_temp.id('Kitchen'), role => 'employee')::text, '[]',
  'A team without anybody of that role is an empty page'
);

-- Team and role together: the filter with fewer matches leads, and the other filter must hold too

reset role;
insert into app.teams (company_id, id, name) values (pg_temp.id('Acorn'), pg_temp.id('rare team'), 'Rare');
insert into app.members (company_id, name, email, role, team_id)
select pg_temp.id('Acorn'), concat_ws(' ', team, role, n), md5(team || role || n) || '@acorn.example', role || ' role', pg_temp.id(team)
from (values ('Kitchen', 'rare', 1), ('Garden', 'rare', 1), ('Kitchen', 'common', 5), ('rare team', 'common', 1), ('rare team', 'other', 1))
  as led (team, role, members), generate_series(1, members) as n;
set local role service_role;
select is(
  pg_temp.column_of(public.list_members(pg_temp.key('Acorn'), 100, pg_temp.id('Kitchen'), 'rare role'), 'name'), array['Kitchen rare 1'],
  'A common team and a rare role leave the member who has both'
);
select is(
  pg_temp.column_of(public.list_members(pg_temp.key('Acorn'), 100, pg_temp.id('rare team'), 'common role'), 'name'), array['rare team common 1'],
  'A rare team and a common role leave the member who has both'
);

-- Isolation

select is(
  public.list_members(pg_temp.key('Acorn'), 100, team_id => pg_temp.id('Birch team'))::text,
  public.list_members(pg_temp.key('Acorn'), 100, team_id => pg_temp.id('no team of anybody'))::text,
  'Another company''s team answers exactly as a team that does not exist'
);
select is(
  public.list_members(pg_temp.key('Acorn'), 100, team_id => pg_temp.id('Birch team'))::text, '[]', 'Another company''s team is an empty page'
);
select is(
  pg_temp.column_of(public.list_members(pg_temp.key('Birch'), 100), 'name'), array['Birk', 'Ada'],
  'A key of Birch sees the members of Birch only'
);

select * from finish();
rollback;
