-- Scopes: which function requires which scope, and that each function checks it.
begin;
create extension if not exists pgtap with schema extensions;
select plan(8);

\ir helpers.psql

-- Calls a function that serves API keys with its arguments. Returns `passes` or the SQLSTATE of the error.
create function pg_temp.outcome(call text, hash text) returns text language plpgsql as $$
begin
  execute format('select public.%s', call) using hash;
  return 'passes';
exception
  when others then return sqlstate;
end
$$;

-- The calls, and the scope that the specification's table of endpoints requires for each.
create temporary table calls (call text, scope text);
insert into calls values
  ('list_members($1, 100)', 'read:members'),
  ('list_teams($1, 100)', 'read:members'),
  ('list_activity($1, 100)', 'read:activity'),
  ('list_categories($1, 100)', 'read:activity'),
  ('list_rewards($1, 100)', 'read:rewards'),
  ('list_day_ratings($1, 100)', 'read:analytics'),
  ('list_pulse_responses($1, 100)', 'read:analytics'),
  ('upsert_rewards($1, ''[{"external_id": "mug", "name": "Mug", "points_cost": 1}]'')', 'write:rewards');

-- For every scope: a key with this scope alone, one with all the others, a revoked one and an expired one.
create temporary table key_hashes (kind text, scope text, hash text);
do $$
begin
  perform pg_temp.new_company('Acorn');
end
$$;
with made as (
  insert into app.api_keys (name, scopes, expires_at)
  select kind.name, case kind.name when 'all but it' then array_remove(app.scopes(), scope) else array[scope] end,
    case kind.name when 'expired' then now() end
  from unnest(app.scopes()) as scope, unnest(array['it alone', 'all but it', 'revoked', 'expired']) as kind (name)
  returning name, scopes, key_hash
)
insert into key_hashes
select
  made.name,
  case made.name when 'all but it' then (select scope from unnest(app.scopes()) as scope where scope <> all (made.scopes)) else made.scopes[1] end,
  encode(made.key_hash, 'hex')
from made;
update app.api_keys set revoked_at = now() where company_id = pg_temp.id('Acorn') and name = 'revoked';
grant select on calls, key_hashes to service_role;

-- Acting as the project's secret key.
set local role service_role;

select is_empty(
  $$ select call from calls natural join key_hashes where kind = 'it alone' and pg_temp.outcome(call, hash) <> 'passes' $$,
  'Every function passes a key that has its scope and no other'
);
select is_empty(
  $$ select call, scope from calls natural join key_hashes where kind = 'all but it' and pg_temp.outcome(call, hash) <> 'PT403' $$,
  'Every function refuses a key that has all scopes but its own with PT403'
);
select is_empty(
  $$ select call, scope from calls natural join key_hashes where kind = 'revoked' and pg_temp.outcome(call, hash) <> 'PT401' $$,
  'Every function refuses a revoked key with PT401'
);
select is_empty(
  $$ select call, scope from calls natural join key_hashes where kind = 'expired' and pg_temp.outcome(call, hash) <> 'PT401' $$,
  'Every function refuses an expired key with PT401'
);
select is_empty(
  $$
    select call, hash from calls, (values (null), (''), (repeat('0', 64))) as unknown (hash)
    where pg_temp.outcome(call, hash) <> 'PT401'
  $$,
  'Every function refuses an unknown, an empty and no key with PT401'
);
select is_empty(
  $$
    select call, kind from calls, key_hashes
    where kind = 'it alone' and calls.scope <> key_hashes.scope and pg_temp.outcome(call, hash) <> 'PT403'
  $$,
  'No scope includes another'
);
select is_empty(
  $$ select scope from key_hashes where kind = 'it alone' and pg_temp.outcome('verify_api_key($1)', hash) <> 'passes' $$,
  'verify_api_key passes a key whatever its scope'
);

-- The revokes and refusals above changed no reward.
reset role;
select results_eq(
  $$ select external_id, name from app.rewards where company_id = pg_temp.id('Acorn') $$, $$ values ('mug', 'Mug') $$,
  'Only the key with write:rewards has written'
);

select * from finish();
rollback;
