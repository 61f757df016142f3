-- public.upsert_rewards: POST /rewards.
begin;
create extension if not exists pgtap with schema extensions;
select plan(17);

\ir helpers.psql

-- Acorn: a mug and a cup from another system, and tea entered by hand. Birch: its own mug.
do $$
begin
  perform pg_temp.new_company('Acorn');
  perform pg_temp.new_company('Birch');
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

-- What an import answers and leaves alone. What it creates and updates is tested over HTTP (test/api/import.test.ts).

select is(
  public.upsert_rewards(pg_temp.key('Acorn'), '[
    {"external_id": "new", "name": "New", "points_cost": 1, "reward_type": "a"},
    {"external_id": "mug", "name": "New mug", "points_cost": 12}
  ]')::text, '{"imported":2}',
  -- Proves: import.12, rows.35
  'imported counts created and updated rewards'
);
select is(
  array(select header from jsonb_array_elements(current_setting('response.headers')::jsonb) as entry, jsonb_object_keys(entry) as header),
  array['X-Key-Id', 'X-Company-Id'],
  'An import''s response headers are those for the log and no other'
);
select is(pg_temp.headers() ->> 'X-Company-Id', pg_temp.id('Acorn')::text, 'An import names its company in the response headers');
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

-- Rewards that the import does not name
reset role;

select is_empty(
  $$
    select b.name from before as b
    where b.external_id is distinct from 'mug' and not exists (select from app.rewards as r where r.id = b.id and r.ctid = b.version)
  $$,
  'Rewards that an import does not name are not touched, not even for a moment, nor another company''s of the same external_id'
);

-- Unchanged rewards

create temporary table versions as select external_id, ctid as version from app.rewards where company_id = pg_temp.id('Acorn');
-- Acting as the project's secret key.
set local role service_role;
select is(
  public.upsert_rewards(pg_temp.key('Acorn'), '[
    {"external_id": "cup", "name": "Cup", "points_cost": 20},
    {"external_id": "mug", "name": "New mug", "points_cost": 12, "description": "Blue", "reward_type": "goods"}
  ]')::text, '{"imported":2}',
  -- Proves: rows.38
  'Unchanged rewards count as imported'
);
reset role;
select results_eq(
  $$ select external_id, ctid from app.rewards where company_id = pg_temp.id('Acorn') order by external_id $$,
  'select * from versions order by external_id',
  -- Proves: rows.39
  'An unchanged reward gets no new version'
);
select isnt(
  (select xmax::text from app.rewards where id = pg_temp.id('cup')), '0',
  'An unchanged reward is locked all the same, which puts two imports of the same rewards in serial order'
);
-- Acting as the project's secret key.
set local role service_role;

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
  -- Proves: import.2
  'A catalogue of 500 rewards can be sent repeatedly, in any order'
);
select results_eq(
  $$ select count(*), count(distinct external_id) from pg_temp.rewards('Acorn') where external_id like 'item %' $$,
  'values (500::bigint, 500::bigint)',
  -- Proves: import.2
  'Sending a catalogue repeatedly makes no duplicate'
);
-- The Data API begins every POST as read write, whatever the default is.
set local default_transaction_read_only = on;
select throws_ok(
  $$ select public.upsert_rewards(pg_temp.key('Acorn'), '[{"external_id": "hat", "name": "New hat", "points_cost": 1}]') $$,
  '25006', 'the database is read-only', 'An import is refused while the database is read-only, also in a transaction that was begun as read write'
);
select throws_ok(
  $$ select public.upsert_rewards(repeat('0', 64), '[]') $$, 'PT401', null,
  'An unknown key is told that while the database is read-only'
);
set local default_transaction_read_only = off;
reset role;
select is(
  array(select external_id from arrivals order by place),
  array(select 'item ' || n from generate_series(1, 500) as n, generate_series(1, 3) as turn order by turn, ('item ' || n) collate "C"),
  'An import takes its rows sorted by external_id whatever their order, so that two imports lock them in one order'
);
select * from finish();
rollback;
