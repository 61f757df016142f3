-- public.list_rewards: GET /rewards.
begin;
create extension if not exists pgtap with schema extensions;
select plan(17);

\ir helpers.psql

-- Acorn: five rewards, of which two are archived and two have the same time. Birch: two more with the same time, newer
-- than all others.
do $$
begin
  perform pg_temp.found('Acorn');
  perform pg_temp.found('Birch');
end
$$;
insert into app.rewards
  (company_id, id, external_id, name, description, points_cost, reward_type, stock_count, image_url, vendor_name, is_archived, created_at)
values
  (pg_temp.id('Acorn'), '00000000-0000-4000-8000-000000000001', null, 'Tea', null, 0, 'perk', null, null, null, false, '2026-01-01Z'),
  (pg_temp.id('Acorn'), '00000000-0000-4000-8000-000000000002', 'mug', 'Mug', 'A "blue" mug', 9007199254740991, 'goods', 0,
    'https://acorn.example/mug.png', 'Töpferei', false, '2026-01-02 03:04:05.6Z'),
  (pg_temp.id('Acorn'), '00000000-0000-4000-8000-000000000003', null, 'Cup', '', 5, 'goods', 7, '', '', true, '2026-01-02 03:04:05.6Z'),
  (pg_temp.id('Acorn'), '00000000-0000-4000-8000-000000000004', null, 'Day off', null, 900, 'perk', null, null, null, false, '2026-01-03Z'),
  (pg_temp.id('Acorn'), '00000000-0000-4000-8000-000000000005', null, 'Cake', null, 12, 'perk', null, null, null, true, '2026-01-04Z'),
  (pg_temp.id('Birch'), '00000000-0000-4000-8000-000000000006', 'mug', 'Birch mug', null, 1, 'perk', null, null, null, false, '2026-01-05Z'),
  (pg_temp.id('Birch'), '00000000-0000-4000-8000-000000000007', 'cup', 'Birch cup', null, 1, 'perk', null, null, null, false, '2026-01-05Z');

-- Acting as the project's secret key, with the hash of Acorn's key.
set local role service_role;

-- Fields

select is(
  (public.list_rewards(pg_temp.key('Acorn'), 100) -> 1)::text,
  '{"id":"00000000-0000-4000-8000-000000000002","name":"Mug","description":"A \"blue\" mug","points_cost":9007199254740991,"reward_type":"goods",'
    || '"stock_count":0,"image_url":"https://acorn.example/mug.png","vendor_name":"Töpferei","is_archived":false,'
    || '"created_at":"2026-01-02T03:04:05.600000Z"}',
  'A reward has its fields in the specification''s order and its points exactly; its external_id is not among them'
);
select is(
  (public.list_rewards(pg_temp.key('Acorn'), 100) -> 2)::text,
  '{"id":"00000000-0000-4000-8000-000000000001","name":"Tea","description":null,"points_cost":0,"reward_type":"perk","stock_count":null,'
    || '"image_url":null,"vendor_name":null,"is_archived":false,"created_at":"2026-01-01T00:00:00.000000Z"}',
  'What a reward does not have is null'
);
set local timezone = 'America/St_Johns';
set local datestyle = 'SQL, DMY';
select is(
  public.list_rewards(pg_temp.key('Acorn'), 100) -> 1 ->> 'created_at', '2026-01-02T03:04:05.600000Z',
  'created_at is in UTC whatever the session''s time zone and date style'
);
reset timezone;
reset datestyle;

-- Archived rewards

select is(
  pg_temp.column_of(public.list_rewards(pg_temp.key('Acorn'), 100), 'name'), array['Day off', 'Mug', 'Tea'],
  'Archived rewards are left out'
);
select is(
  pg_temp.headers() - 'X-Key-Id',
  jsonb_build_object('X-Company-Id', pg_temp.id('Acorn'), 'X-Row-Count', '3', 'X-Has-More', 'false'),
  'A page that holds all current rewards says that there are no more, how many they are and whose'
);
select is(
  pg_temp.column_of(public.list_rewards(pg_temp.key('Acorn'), 100, include_archived => true), 'name'), array['Cake', 'Day off', 'Cup', 'Mug', 'Tea'],
  'include_archived adds them, newest first, and those of one instant by id, the highest first'
);
select is(
  pg_temp.column_of(public.list_rewards(pg_temp.key('Acorn'), 100, include_archived => true), 'is_archived'),
  array['true', 'false', 'true', 'false', 'false'],
  'is_archived says which rewards are archived'
);
select is(
  public.list_rewards(pg_temp.key('Acorn'), 100, include_archived => null)::text, public.list_rewards(pg_temp.key('Acorn'), 100)::text,
  'include_archived null is as if it were left out'
);

-- Limit

select is(
  pg_temp.column_of(public.list_rewards(pg_temp.key('Acorn'), 2), 'name'), array['Day off', 'Mug'],
  'At most max_rows rewards are answered'
);
select is(
  pg_temp.headers() - 'X-Key-Id',
  jsonb_build_object('X-Company-Id', pg_temp.id('Acorn'), 'X-Row-Count', '2', 'X-Has-More', 'true'),
  'A page that leaves rewards out says that there are more'
);
select is(json_array_length(public.list_rewards(pg_temp.key('Acorn'), 3)), 3, 'A page can hold exactly the current rewards there are');
select is(pg_temp.headers() ->> 'X-Has-More', 'false', 'Archived rewards do not count as more when they are left out');
select is(
  pg_temp.column_of(public.list_rewards(pg_temp.key('Acorn'), 3, true), 'name'), array['Cake', 'Day off', 'Cup'],
  'With archived rewards, too, at most max_rows are answered'
);
select is(pg_temp.headers() ->> 'X-Has-More', 'true', 'With archived rewards, too, a page that leaves some out says that there are more');

-- Isolation and the empty page

select is(
  pg_temp.column_of(public.list_rewards(pg_temp.key('Birch'), 100), 'name'), array['Birch cup', 'Birch mug'],
  'A key of Birch sees the rewards of Birch only, and current ones of one instant come by id, too'
);
reset role;
delete from app.rewards where company_id = pg_temp.id('Birch');
set local role service_role;
select is(
  public.list_rewards(pg_temp.key('Birch'), 100)::text, '[]', 'A company without rewards gets an empty page'
);
select is(
  pg_temp.headers() - 'X-Key-Id',
  jsonb_build_object('X-Company-Id', pg_temp.id('Birch'), 'X-Row-Count', '0', 'X-Has-More', 'false'),
  'An empty page says that it has no row and that there are no more'
);

select * from finish();
rollback;
