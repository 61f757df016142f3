-- public.list_rewards: GET /rewards.
begin;
create extension if not exists pgtap with schema extensions;
select plan(17);

-- Ids by name, so that a row reads like a sentence.
create function pg_temp.id(name text) returns uuid language sql immutable return md5(name)::uuid;

-- A company, its admin, who has signed in, and a key with every scope, whose hash is pg_temp.key(company).
create function pg_temp.found(company text) returns void language sql
begin atomic
  insert into app.companies (id, name) values (pg_temp.id(company), company);
  insert into app.members (company_id, id, name, email, role, created_at)
  values (pg_temp.id(company), pg_temp.id(company || ' admin'), 'Ada', 'ada@' || lower(company) || '.example', 'admin', '2026-01-01Z');
  insert into auth.users (id) values (pg_temp.id(company || ' user'));
  insert into app.member_accounts (user_id, company_id, member_id)
  values (pg_temp.id(company || ' user'), pg_temp.id(company), pg_temp.id(company || ' admin'));
  select set_config('request.jwt.claims', json_build_object('sub', pg_temp.id(company || ' user'))::text, true);
  with made as (insert into app.api_keys (name, scopes) values ('Every scope', app.scopes()) returning key_hash)
  select set_config('test.' || company, encode(made.key_hash, 'hex'), true) from made;
end;

create function pg_temp.key(company text) returns text language sql stable
return current_setting('test.' || company);

-- One field of every row of a page, in the page's order.
create function pg_temp.column_of(page json, field text) returns text[] language sql immutable
return array(select row ->> field from json_array_elements(page) as row);

-- The headers of the last response, as one JSON object.
create function pg_temp.headers() returns jsonb language sql stable
begin atomic
  select jsonb_object_agg(header.key, header.value)
  from jsonb_array_elements(current_setting('response.headers')::jsonb) as entry, jsonb_each_text(entry) as header;
end;

-- Acorn: five rewards, two of them archived, two of one instant. Birch: two more, of one instant newer
-- than all.
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
