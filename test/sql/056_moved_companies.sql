-- A company during and after its move to another project (docs/moving-a-company.md): what its keys and its admins can
-- still do here.
begin;
\ir helpers.psql
select plan(15);

select pg_temp.new_company(company), pg_temp.hire(company, 'Sam', 'sam@both.example', 'admin') from unnest(array['Acorn', 'Birch']) as company;
select pg_temp.sign_up('Sam', 'sam@both.example');
create temporary table ids as
select id, pg_temp.make_key('Acorn user', 'import', '{write:rewards}') as import from app.api_keys where encode(key_hash, 'hex') = pg_temp.key('Acorn');
select set_config('test.import', (select encode(k.key_hash, 'hex') from app.api_keys as k join ids on ids.import = k.id), true);

-- The result of a call with this key, as a company is served here: `passes`, what it answers, or its error.
create function pg_temp.tried(state text, call text, key text) returns text language plpgsql as $$
declare
  answer text;
begin
  update app.companies set serving = state, move_id = pg_temp.id('move') where id = pg_temp.id('Acorn');
  execute 'select ' || call into answer using pg_temp.key(key);
  return case when call ~ 'list_rewards|upsert_rewards' then 'passes' else answer end;
exception
  when others then return sqlstate || ' ' || sqlerrm;
end
$$;

select is(pg_temp.tried(state, call, key), outcome, name)
from (values
  ('moving', 'public.list_rewards($1, 10)', 'Acorn', 'passes', 'While a company moves, its keys read'),
  ('moving', $$ public.upsert_rewards($1, '[]') $$, 'Acorn', 'PT429 the company is moving to another project',
    'While a company moves, an import is refused for now'),
  ('moving', $$ app.authenticate($1, 'read:rewards') $$, 'import', 'PT403 Forbidden: this key is missing the "read:rewards" scope',
    'While a company moves, a key without the scope is refused as always'),
  ('readable', 'public.list_rewards($1, 10)', 'Acorn', 'passes', 'The keys of a company that was left readable read'),
  ('readable', $$ public.upsert_rewards($1, '[]') $$, 'Acorn', 'PT403 Forbidden: this key is missing the "write:rewards" scope',
    'The keys of a company that was left readable have lost the scope to write'),
  ('readable', $$ public.verify_api_key($1) ->> 'scopes' $$, 'Acorn', '["read:members","read:activity","read:rewards","read:analytics"]',
    'GET / lists their scopes without it'),
  ('closed', 'public.list_rewards($1, 10)', 'Acorn', 'PT401 Unauthorized: Invalid or missing API Key',
    'The keys of a company that was closed are refused with PT401'),
  ('closed', $$ app.authenticate($1, 'read:rewards') $$, 'import', 'PT401 Unauthorized: Invalid or missing API Key',
    'They are refused with PT401 also without the scope: such a key learns nothing about scopes'),
  ('closed', $$ public.upsert_rewards($1, '[]') $$, 'Birch', 'passes', 'Another company goes on as before')
) as tries (state, call, key, outcome, name);
select results_eq(
  $$ select k.revoked_at, u.last_used_at from ids join app.api_keys as k using (id) join app.api_key_uses as u on u.key_id = k.id $$,
  'values (null::timestamptz, null::timestamptz)',
  'None of these calls has recorded a use, or a revoke'
);

-- Its admins, where it was left readable
select pg_temp.tried('readable', 'null', 'Acorn');

select is(pg_temp.done_by(person, 'select ' || call), outcome, name)
from (values
  ('Acorn user', 'public.link_member()', '{"status" : "moved", "company_name" : "Acorn", "name" : "Ada", "role" : null}',
    'The admin of a company that has moved learns so'),
  ('Acorn user', 'public.list_api_keys()', '[]', 'They see no key here, where it would be revoked for nobody'),
  ('Acorn user', 'public.list_api_key_events()', '[]', 'They see no history here'),
  ('Sam', $$ public.link_member() ->> 'company_name' $$, 'Birch',
    'Who is listed by a company that has moved and by another one is linked to the other one'),
  ('Birch user', $$ public.link_member() ->> 'role' $$, 'admin', 'The admin of another company is an admin as before')
) as tries (person, call, outcome, name);

select * from finish();
rollback;
