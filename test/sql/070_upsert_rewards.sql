-- public.upsert_rewards: POST /rewards.
begin;
create extension if not exists pgtap with schema extensions;
select plan(33);

\ir helpers.psql

-- The ctid of a reward, which changes whenever the row is written.
create function pg_temp.version(company text, reward text) returns tid language sql stable
return (select ctid from app.rewards where company_id = pg_temp.id(company) and external_id = reward);

-- Acorn: a mug and a cup from another system, and tea entered by hand. Birch: its own mug.
do $$
begin
  perform pg_temp.found('Acorn');
  perform pg_temp.found('Birch');
end
$$;
insert into app.rewards
  (company_id, id, external_id, name, description, points_cost, reward_type, stock_count, image_url, vendor_name, is_archived, created_at)
values
  (pg_temp.id('Acorn'), pg_temp.id('mug'), 'mug', 'Mug', 'Blue', 10, 'goods', 3, 'https://acorn.example/mug.png', 'Potter', true, '2026-01-01Z'),
  (pg_temp.id('Acorn'), pg_temp.id('cup'), 'cup', 'Cup', 'Red', 20, 'goods', 4, 'https://acorn.example/cup.png', 'Potter', false, '2026-01-02Z'),
  (pg_temp.id('Acorn'), pg_temp.id('tea'), null, 'Tea', null, 1, 'perk', null, null, null, false, '2026-01-03Z'),
  (pg_temp.id('Birch'), pg_temp.id('Birch mug'), 'mug', 'Birch mug', 'Old', 30, 'birch', 5, null, null, true, '2026-01-04Z');
create temporary table before as
select ctid as version, * from app.rewards where company_id in (pg_temp.id('Acorn'), pg_temp.id('Birch'));
-- security definer, so that tests with another role can read what an import has written.
create function pg_temp.rewards(company text) returns setof app.rewards language sql security definer stable
begin atomic
  select * from app.rewards where company_id = pg_temp.id(company);
end;

-- Acting as the project's secret key, with the hash of Acorn's key.
set local role service_role;

-- Create

select is(
  public.upsert_rewards(pg_temp.key('Acorn'), '[{"external_id": "hat", "name": "Hat", "points_cost": 0}]')::text, '{"imported":1}',
  'An import answers how many rewards were sent'
);
select is(
  current_setting('response.headers')::jsonb @> jsonb_build_array(jsonb_build_object('X-Company-Id', pg_temp.id('Acorn'))), true,
  'An import names its company in the response headers'
);
select is(
  array(select header from jsonb_array_elements(current_setting('response.headers')::jsonb) as entry, jsonb_object_keys(entry) as header),
  array['X-Key-Id', 'X-Company-Id'],
  'An import''s response headers are those for the log and no other'
);
select results_eq(
  $$
    select name, description, points_cost, reward_type, stock_count, image_url, vendor_name, is_archived, created_at
    from pg_temp.rewards('Acorn') where external_id = 'hat'
  $$,
  $$ values ('Hat', null::text, 0::bigint, 'perk', null::integer, null::text, null::text, false, now()) $$,
  'A reward that does not exist is created, now, with description null, type perk and nothing else'
);
select is(
  public.upsert_rewards(pg_temp.key('Acorn'), '[
    {"external_id": "zebra 🦓", "name": "Zebra", "description": "Über", "points_cost": 9007199254740991, "reward_type": "animal"},
    {"external_id": "Äpfel", "name": "Äpfel", "description": null, "points_cost": 2},
    {"external_id": "Hat", "name": "Another hat", "description": "", "points_cost": 3}
  ]')::text, '{"imported":3}',
  'Several rewards are created at once'
);
select bag_eq(
  $$ select external_id, name, description, points_cost, reward_type from pg_temp.rewards('Acorn') where created_at = now() $$,
  $$ values
    ('hat', 'Hat', null, 0::bigint, 'perk'),
    ('zebra 🦓', 'Zebra', 'Über', 9007199254740991, 'animal'),
    ('Äpfel', 'Äpfel', null, 2, 'perk'),
    ('Hat', 'Another hat', '', 3, 'perk') $$,
  'What was sent is stored as it was sent, and external ids that differ in case are two rewards'
);

-- Update

select is(
  public.upsert_rewards(pg_temp.key('Acorn'), '[{"external_id": "mug", "name": "New mug", "points_cost": 11}]')::text, '{"imported":1}',
  'A reward that exists is matched by its external_id'
);
select results_eq(
  $$ select name, points_cost, description, reward_type from pg_temp.rewards('Acorn') where external_id = 'mug' $$,
  $$ values ('New mug', 11::bigint, 'Blue', 'goods') $$,
  'An update keeps description and reward_type when they were not sent'
);
select is(
  public.upsert_rewards(pg_temp.key('Acorn'), '[{"external_id": "mug", "name": "New mug", "points_cost": 11, "description": null}]')::text,
  '{"imported":1}',
  'A description may be sent as null'
);
select results_eq(
  $$ select name, points_cost, description, reward_type from pg_temp.rewards('Acorn') where external_id = 'mug' $$,
  $$ values ('New mug', 11::bigint, null::text, 'goods') $$,
  'description null clears the description'
);
select is(
  public.upsert_rewards(pg_temp.key('Acorn'),
    '[{"external_id": "mug", "name": "New mug", "points_cost": 11, "description": "Green", "reward_type": "tableware"}]')::text,
  '{"imported":1}',
  'Optional fields may be sent'
);
select results_eq(
  $$ select name, points_cost, description, reward_type from pg_temp.rewards('Acorn') where external_id = 'mug' $$,
  $$ values ('New mug', 11::bigint, 'Green', 'tableware') $$,
  'An update takes description and reward_type when they were sent'
);
select results_eq(
  $$ select id, stock_count, image_url, vendor_name, is_archived, created_at from pg_temp.rewards('Acorn') where external_id = 'mug' $$,
  $$ values (pg_temp.id('mug'), 3, 'https://acorn.example/mug.png', 'Potter', true, timestamptz '2026-01-01Z') $$,
  'An import leaves id, stock, image, vendor, created_at and the archived flag of a reward alone'
);
select is(
  public.upsert_rewards(pg_temp.key('Acorn'), json_build_array(json_build_object(
    'external_id', 'hat', 'name', 'Hat', 'points_cost', 0, 'company_id', pg_temp.id('Birch'), 'id', pg_temp.id('mug'),
    'is_archived', true, 'stock_count', 9, 'image_url', 'x', 'vendor_name', 'x', 'created_at', '2000-01-01Z'))::text)::text,
  '{"imported":1}',
  'Fields that an import does not know are passed over'
);
select results_eq(
  $$
    select company_id, name, stock_count, image_url, vendor_name, is_archived, created_at
    from pg_temp.rewards('Acorn') where external_id = 'hat'
  $$,
  $$ values (pg_temp.id('Acorn'), 'Hat', null::integer, null::text, null::text, false, now()) $$,
  'A row cannot choose its company, nor what an import leaves alone'
);

-- A mixed import: new and changed rewards with different optional fields

select is(
  public.upsert_rewards(pg_temp.key('Acorn'), '[
    {"external_id": "new", "name": "New", "points_cost": 1, "reward_type": "a"},
    {"external_id": "mug", "name": "Mug", "points_cost": 12},
    {"external_id": "hat", "name": "Hat", "points_cost": 4, "description": "Felt"}
  ]')::text, '{"imported":3}',
  'imported counts created and updated rewards'
);
select bag_eq(
  $$ select external_id, points_cost, description, reward_type from pg_temp.rewards('Acorn') where external_id in ('new', 'mug', 'hat') $$,
  $$ values ('new', 1::bigint, null, 'a'), ('mug', 12, 'Green', 'tableware'), ('hat', 4, 'Felt', 'perk') $$,
  'Which optional fields were sent is asked row by row'
);

-- Rewards that the import does not name
reset role;

select is_empty(
  $$
    select b.name from before as b
    where b.external_id is distinct from 'mug' and not exists (select from app.rewards as r where r.id = b.id and r.ctid = b.version)
  $$,
  'Rewards that an import does not name are not touched, not even for a moment'
);
select results_eq(
  $$ select ctid, name, description, points_cost, reward_type from app.rewards where company_id = pg_temp.id('Birch') $$,
  $$ select version, name, description, points_cost, reward_type from before where company_id = pg_temp.id('Birch') $$,
  'Another company''s reward with the same external_id is not touched'
);

-- Unchanged rewards

create temporary table versions as select external_id, ctid as version from app.rewards where company_id = pg_temp.id('Acorn');
-- Acting as the project's secret key.
set local role service_role;
select is(
  public.upsert_rewards(pg_temp.key('Acorn'), '[
    {"external_id": "cup", "name": "Cup", "points_cost": 20},
    {"external_id": "mug", "name": "Mug", "points_cost": 12, "description": "Green", "reward_type": "tableware"},
    {"external_id": "Äpfel", "name": "Äpfel", "points_cost": 2, "description": null}
  ]')::text, '{"imported":3}',
  'Unchanged rewards count as imported'
);
reset role;
select results_eq(
  $$ select external_id, ctid from app.rewards where company_id = pg_temp.id('Acorn') order by external_id $$,
  'select * from versions order by external_id',
  'An unchanged reward gets no new version'
);
select isnt(
  (select xmax::text from app.rewards where id = pg_temp.id('cup')), '0',
  'An unchanged reward is locked all the same, which puts two imports of the same rewards in serial order'
);
-- Acting as the project's secret key.
set local role service_role;
select is(
  public.upsert_rewards(pg_temp.key('Acorn'), '[
    {"external_id": "cup", "name": "Cup!", "points_cost": 20},
    {"external_id": "hat", "name": "Hat", "points_cost": 5},
    {"external_id": "mug", "name": "Mug", "points_cost": 12, "description": null},
    {"external_id": "new", "name": "New", "points_cost": 1, "reward_type": "b"},
    {"external_id": "Hat", "name": "Another hat", "description": null, "points_cost": 3}
  ]')::text, '{"imported":5}',
  'Rewards of which one field changed are imported'
);
select bag_eq(
  $$
    select external_id, name, description, points_cost, reward_type from pg_temp.rewards('Acorn')
    where external_id in ('cup', 'hat', 'mug', 'new', 'Hat')
  $$,
  $$ values
    ('cup', 'Cup!', 'Red', 20::bigint, 'goods'),
    ('hat', 'Hat', 'Felt', 5, 'perk'),
    ('mug', 'Mug', null, 12, 'tableware'),
    ('new', 'New', null, 1, 'b'),
    ('Hat', 'Another hat', null, 3, 'perk') $$,
  'A change of any one field is a change'
);

-- All or nothing

select throws_ok(
  $$
    select public.upsert_rewards(pg_temp.key('Acorn'), '[
      {"external_id": "aaa", "name": "First", "points_cost": 1},
      {"external_id": "cup", "name": "Changed", "points_cost": 1},
      {"external_id": "zzz", "name": "Last", "points_cost": -1}
    ]')
  $$, '23514', null,
  'A row that the table refuses fails the import'
);
select throws_ok(
  $$
    select public.upsert_rewards(pg_temp.key('Acorn'), '[
      {"external_id": "aaa", "name": "First", "points_cost": 1},
      {"external_id": "cup", "name": "Once", "points_cost": 1},
      {"external_id": "cup", "name": "Twice", "points_cost": 1}
    ]')
  $$, '21000', null,
  'An external_id that is there twice fails the import'
);
select is_empty(
  $$ select name from pg_temp.rewards('Acorn') where external_id in ('aaa', 'zzz') or name in ('Changed', 'Once', 'Twice') $$,
  'An import that fails leaves nothing behind'
);

-- Importing a whole catalogue several times
reset role;
create temporary table arrivals (place bigint generated always as identity, external_id text);
create function pg_temp.note_arrival() returns trigger language plpgsql security definer as $$
begin
  insert into arrivals (external_id) values (new.external_id);
  return new;
end
$$;
create trigger note_arrival before insert on app.rewards for each row execute function pg_temp.note_arrival();
-- Acting as the project's secret key.
set local role service_role;

select is(
  (
    select array_agg(public.upsert_rewards(pg_temp.key('Acorn'), catalogue.rewards)::text)
    from (
      select json_agg(json_build_object('external_id', 'item ' || n, 'name', 'Item ' || n, 'points_cost', n) order by md5(n || turn::text))::text
      from generate_series(1, 500) as n, generate_series(1, 3) as turn
      group by turn
    ) as catalogue (rewards)
  ),
  array['{"imported":500}', '{"imported":500}', '{"imported":500}'],
  'A catalogue of 500 rewards can be sent repeatedly, in any order'
);
select results_eq(
  $$ select count(*), count(distinct external_id) from pg_temp.rewards('Acorn') where external_id like 'item %' $$,
  'values (500::bigint, 500::bigint)',
  'Sending a catalogue repeatedly makes no duplicate'
);
reset role;
select is(
  array(select external_id from arrivals order by place),
  array(select 'item ' || n from generate_series(1, 500) as n, generate_series(1, 3) as turn order by turn, ('item ' || n) collate "C"),
  'An import takes its rows sorted by external_id whatever their order, so that two imports lock them in one order'
);
select is_empty(
  $$
    select external_id, company_id from app.rewards where created_at = now() and company_id <> pg_temp.id('Acorn')
  $$,
  'Nothing was written for any other company'
);

-- Acting as the project's secret key, with the hash of Birch's key.
set local role service_role;

select is(
  public.upsert_rewards(pg_temp.key('Birch'), '[{"external_id": "mug", "name": "Birch''s new mug", "points_cost": 31}]')::text,
  '{"imported":1}',
  'Birch may use an external_id that Acorn uses too'
);
select results_eq(
  $$ select id, name from pg_temp.rewards('Birch') union all select id, name from pg_temp.rewards('Acorn') where external_id = 'mug' $$,
  $$ values (pg_temp.id('Birch mug'), 'Birch''s new mug'), (pg_temp.id('mug'), 'Mug') $$,
  'Birch''s import changes Birch''s reward and not Acorn''s'
);

select * from finish();
rollback;
