-- A company during and after its move to another project (docs/moving-a-company.md): what its keys and its admins can
-- still do here.
begin;
create extension if not exists pgtap with schema extensions;
select plan(21);

\ir helpers.psql

-- A company with two admins, of whom only the first is linked, and two keys.
create function pg_temp.new_company(company text, admin text) returns void language plpgsql as $$
begin
  insert into app.companies (id, name) values (pg_temp.id(company), company);
  insert into app.members (company_id, id, name, email, role) values
    (pg_temp.id(company), pg_temp.id(admin || ' the member'), admin, admin || '@' || company || '.example', 'admin'),
    (pg_temp.id(company), pg_temp.id('Sam of ' || company), 'Sam', 'sam@both.example', 'admin');
  insert into auth.users (id, email) values (pg_temp.id(admin), admin || '@' || company || '.example');
  insert into app.member_accounts (user_id, company_id, member_id)
  values (pg_temp.id(admin), pg_temp.id(company), pg_temp.id(admin || ' the member'));
  perform pg_temp.sign_in(admin);
  perform set_config('test.' || company, public.create_api_key('all', app.scopes()) ->> 'api_key', true);
  perform set_config('test.' || company || '_writes', public.create_api_key('import', array['write:rewards']) ->> 'api_key', true);
end
$$;

create function pg_temp.hash_of(key text) returns text language sql stable
return encode(sha256(convert_to(current_setting('test.' || key), 'UTF8')), 'hex');

create function pg_temp.serve(company text, state text) returns void language sql
begin atomic
  update app.companies set serving = state, move_id = pg_temp.id('move') where id = pg_temp.id(company);
end;

do $$
begin
  perform pg_temp.new_company('Acorn', 'ada');
  perform pg_temp.new_company('Birch', 'ben');
  insert into auth.users (id, email, email_confirmed_at) values (pg_temp.id('sam'), 'sam@both.example', now());
end
$$;

-- While it moves.
select pg_temp.serve('Acorn', 'moving');

select lives_ok($$ select public.list_rewards(pg_temp.hash_of('Acorn'), 10) $$, 'While a company moves, its keys read');
select is(
  (select last_used_at from app.api_key_uses as u join app.api_keys as k on k.id = u.key_id and k.name = 'all' and k.company_id = pg_temp.id('Acorn')),
  null, 'While a company moves, nothing of it is written: not even when a key was last used'
);
select throws_ok(
  $$ select public.upsert_rewards(pg_temp.hash_of('Acorn'), '[]') $$, 'PT429', 'the company is moving to another project',
  'While a company moves, an import is told to try again'
);
select throws_ok(
  $$ select app.authenticate(pg_temp.hash_of('Acorn_writes'), 'read:rewards') $$, 'PT403', null,
  'While a company moves, a key without the scope is refused as always'
);
select is(
  public.verify_api_key(pg_temp.hash_of('Acorn')) ->> 'scopes', array_to_json(app.scopes())::text, 'While a company moves, its keys keep their scopes'
);
select lives_ok($$ select public.upsert_rewards(pg_temp.hash_of('Birch'), '[]') $$, 'Another company goes on writing');

-- Moved, and left readable.
select pg_temp.serve('Acorn', 'readable');

select lives_ok($$ select public.list_rewards(pg_temp.hash_of('Acorn'), 10) $$, 'The keys of a company that was left readable read');
select throws_ok(
  $$ select public.upsert_rewards(pg_temp.hash_of('Acorn'), '[]') $$, 'PT403', 'Forbidden: this key is missing the "write:rewards" scope',
  'The keys of a company that was left readable have lost the scope to write'
);
select is(
  public.verify_api_key(pg_temp.hash_of('Acorn')) ->> 'scopes', '["read:members","read:activity","read:rewards","read:analytics"]',
  'And they say so'
);
select is(
  (select count(*) from app.api_key_uses where company_id = pg_temp.id('Acorn') and last_used_at is not null), 0::bigint,
  'Where a company was left readable, no use of a key is recorded'
);

-- Its admins.
select pg_temp.sign_in('ada');
select is(
  public.link_member()::text, '{"status" : "moved", "company_name" : "Acorn", "name" : "ada", "role" : null}',
  'The admin of a company that has moved is told so'
);
select set_config('test.acorn_key', (select id::text from app.api_keys where company_id = pg_temp.id('Acorn') and name = 'all'), true);
set local role authenticated;
select is(public.list_api_keys()::text, '[]', 'The admin of a company that has moved sees no key here');
select is(public.list_api_key_events()::text, '[]', 'Nor any history');
select throws_ok($$ select public.create_api_key('new') $$, 'PT403', null, 'Nor can they create a key here');
select throws_ok(
  $$ select public.revoke_api_key(current_setting('test.acorn_key')::uuid) $$, 'PT404', null,
  'Nor revoke one here, where it would be revoked for nobody'
);
reset role;
select pg_temp.sign_in('sam');
select is(
  public.link_member() ->> 'company_name', 'Birch', 'Who is listed by a company that has moved and by another one is linked to the other one'
);
select pg_temp.sign_in('ben');
select is(public.link_member() ->> 'role', 'admin', 'The admin of another company is an admin as before');

-- Moved, and closed.
select pg_temp.serve('Acorn', 'closed');

select throws_ok(
  $$ select public.list_rewards(pg_temp.hash_of('Acorn'), 10) $$, 'PT401', 'Unauthorized: Invalid or missing API Key',
  'The keys of a company that was closed are refused with PT401'
);
select throws_ok(
  $$ select app.authenticate(pg_temp.hash_of('Acorn_writes'), 'read:rewards') $$, 'PT401', null,
  'Also for want of a scope: such a key learns nothing about scopes'
);
select is(
  (select count(*) from app.api_keys where company_id = pg_temp.id('Acorn') and revoked_at is null), 2::bigint,
  'None of its keys is revoked: the history says nothing that was not so'
);
select lives_ok($$ select public.upsert_rewards(pg_temp.hash_of('Birch'), '[]') $$, 'Another company goes on as before');

select * from finish();
rollback;
