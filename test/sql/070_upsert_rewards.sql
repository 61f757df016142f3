-- public.upsert_rewards: what only SQL shows of POST /rewards. What it creates, updates and leaves alone is tested over
-- HTTP (test/api/import.test.ts).
begin;
\ir helpers.psql
select plan(9);

-- Acorn has a mug and a cup from another system.
select pg_temp.new_company('Acorn');
insert into app.rewards (company_id, id, external_id, name, description, points_cost, reward_type) values
  (pg_temp.id('Acorn'), pg_temp.id('mug'), 'mug', 'Mug', 'Blue', 10, 'goods'),
  (pg_temp.id('Acorn'), pg_temp.id('cup'), 'cup', 'Cup', 'Red', 20, 'goods');
-- The external_ids in the order in which an import writes them.
create temporary table arrivals (place bigint generated always as identity, external_id text);
create function pg_temp.note_arrival() returns trigger language plpgsql security definer as $$
begin
  insert into arrivals (external_id) values (new.external_id);
  return new;
end
$$;
create trigger note_arrival before insert on app.rewards for each row execute function pg_temp.note_arrival();

create function pg_temp.import(rewards text) returns text language sql
return pg_temp.served(format('upsert_rewards($1, %L)', rewards));

select pg_temp.import('[{"external_id": "cup", "name": "Cup", "points_cost": 20}]');
select isnt(
  (select xmax::text from app.rewards where id = pg_temp.id('cup')), '0',
  'An unchanged reward is locked all the same, which puts two imports of the same rewards in serial order'
);
truncate arrivals;
select is(
  pg_temp.import(json_build_array(
    json_build_object('external_id', 'mug', 'name', 'New mug', 'points_cost', 12),
    json_build_object('external_id', 'hat', 'name', 'Hat', 'points_cost', 0, 'company_id', pg_temp.id('Birch'), 'id', pg_temp.id('hat'),
      'is_archived', true, 'stock_count', 9, 'image_url', 'x', 'vendor_name', 'x', 'created_at', '2000-01-01Z'),
    json_build_object('external_id', 'Zoo', 'name', 'Zoo', 'points_cost', 1))::text),
  '{"imported":3}',
  -- Proves: import.12, rows.35
  'imported counts created and updated rewards, and fields that an import does not know are passed over'
);
select is(
  array(select external_id from arrivals order by place), array['Zoo', 'hat', 'mug'],
  'An import takes its rows sorted by external_id whatever their order, so that two imports lock them in one order'
);
select is(
  pg_temp.headers() || jsonb_build_object('headers', jsonb_array_length(current_setting('response.headers')::jsonb)),
  (select jsonb_build_object('X-Key-Id', id, 'X-Company-Id', company_id, 'headers', 2) from app.api_keys where company_id = pg_temp.id('Acorn')),
  'An import''s response headers are those for the log and no other'
);
select results_eq(
  $$
    select company_id, name, stock_count, image_url, vendor_name, is_archived, created_at, id = pg_temp.id('hat')
    from app.rewards where external_id = 'hat' and company_id in (pg_temp.id('Acorn'), pg_temp.id('Birch'))
  $$,
  $$ values (pg_temp.id('Acorn'), 'Hat', null::integer, null::text, null::text, false, now(), false) $$,
  'A row cannot choose its company, nor what an import leaves alone'
);

-- All or nothing, also of what the function does not check

select matches(
  pg_temp.import(format('[
    {"external_id": "aaa", "name": "First", "points_cost": 1},
    {"external_id": "cup", "name": "Changed", "points_cost": 1},
    {"external_id": "%s", "name": "Last", "points_cost": %s}
  ]', external_id, points_cost)), '^' || code, name
)
from (values
  ('zzz', -1, '23514', 'A row that the table refuses fails the import'),
  ('cup', 1, '21000', 'An external_id that is there twice fails the import')
) as bad (external_id, points_cost, code, name);

-- The Data API begins every POST as read write, whatever the default is.
set local default_transaction_read_only = on;
select is(
  pg_temp.import('[{"external_id": "hat", "name": "New hat", "points_cost": 1}]'), '25006 the database is read-only',
  'An import is refused while the database is read-only, also in a transaction that was begun as read write'
);
select throws_ok(
  $$ select public.upsert_rewards(repeat('0', 64), '[]') $$, 'PT401', null,
  'An unknown key is refused as such while the database is read-only'
);
select * from finish();
rollback;
