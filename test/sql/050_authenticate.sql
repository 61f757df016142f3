-- app.authenticate: which keys pass, what a refusal contains, and what is set and recorded for a key that passes.
begin;
create extension if not exists pgtap with schema extensions;
-- Only so that tests that run as public_api can call pgTAP.
grant usage on schema extensions to public_api;
select plan(45);

\ir helpers.psql

-- A company and its admin, who can sign in.
create function pg_temp.new_company(company text, admin text) returns void language sql
begin atomic
  insert into app.companies (id, name) values (pg_temp.id(company), company);
  insert into app.members (company_id, id, name, email, role)
  values (pg_temp.id(company), pg_temp.id(admin || ' the member'), admin, 'admin@' || company || '.example', 'admin');
  insert into auth.users (id, email) values (pg_temp.id(admin), 'admin@' || company || '.example');
  insert into app.member_accounts (user_id, company_id, member_id)
  values (pg_temp.id(admin), pg_temp.id(company), pg_temp.id(admin || ' the member'));
end;

-- Makes a key and keeps its hash in a setting of the transaction.
create function pg_temp.keep_key(key text, admin text, scopes text[], expires_at timestamptz default null) returns void language plpgsql as $$
declare
  hash bytea;
begin
  perform pg_temp.sign_in(admin);
  insert into app.api_keys as k (name, scopes, expires_at) values (key, scopes, expires_at) returning k.key_hash into hash;
  perform set_config('test.' || key, encode(hash, 'hex'), true);
end
$$;

create function pg_temp.hash_of(key text) returns text language sql stable
return current_setting('test.' || key);

create function pg_temp.last_used_at(key text) returns timestamptz language sql stable
begin atomic
  select last_used_at from app.api_key_uses
  where key_id = (select k.id from app.api_keys as k where k.key_hash = decode(pg_temp.hash_of(key), 'hex'));
end;

create function pg_temp.set_last_used_at(key text, instant timestamptz) returns void language sql
begin atomic
  update app.api_key_uses set last_used_at = instant
  where key_id = (select k.id from app.api_keys as k where k.key_hash = decode(pg_temp.hash_of(key), 'hex'));
end;

-- All parts of a refusal's error.
create function pg_temp.refusal(hash text, scope text) returns table (code text, message text, detail text, hint text) language plpgsql as $$
begin
  perform app.authenticate(hash, scope);
exception
  when others then
    get stacked diagnostics code = returned_sqlstate, message = message_text, detail = pg_exception_detail, hint = pg_exception_hint;
    return next;
end
$$;

do $$
begin
  perform pg_temp.new_company('Acorn', 'Ada');
  perform pg_temp.new_company('Birch', 'Ben');
  perform pg_temp.keep_key('members', 'Ada', '{read:members}');
  perform pg_temp.keep_key('everything', 'Ada', app.scopes());
  perform pg_temp.keep_key('import', 'Ada', '{write:rewards}');
  perform pg_temp.keep_key('birch', 'Ben', '{read:members}');
  perform pg_temp.keep_key('revoked', 'Ada', '{read:members}');
  perform pg_temp.keep_key('over', 'Ada', '{read:members}', now() - interval '1 day');
  perform pg_temp.keep_key('over_now', 'Ada', '{read:members}', now());
  perform pg_temp.keep_key('over_soon', 'Ada', '{read:members}', now() + interval '1 microsecond');
  update app.api_keys set revoked_at = now() where key_hash = decode(pg_temp.hash_of('revoked'), 'hex');
  perform set_config('request.jwt.claims', '', true);
end
$$;

-- Acting as public_api, the owner of the functions that serve API keys.
set local role public_api;

-- Refused with 401

-- Code, message, detail and hint: nothing tells one of these keys from another.
select results_eq(
  format('select * from pg_temp.refusal(%L, %L)', hash, scope),
  $$ values ('PT401', 'Unauthorized: Invalid or missing API Key', '', '') $$, name
)
from (values
  (repeat('0', 64), 'read:members', 'An unknown key is refused with PT401 and the text of the specification'),
  (null, 'read:members', 'No key is refused with PT401'),
  ('', 'read:members', 'An empty hash is refused with PT401'),
  (left(pg_temp.hash_of('members'), 62), 'read:members', 'A part of a hash is refused with PT401'),
  -- Proves: requests.14
  (pg_temp.hash_of('revoked'), 'read:members', 'A revoked key is refused with PT401, also in the instant of its revoke'),
  -- Proves: requests.14
  (pg_temp.hash_of('over'), 'read:members', 'An expired key is refused with PT401'),
  -- Proves: keys.38
  (pg_temp.hash_of('over_now'), 'read:members', 'A key is refused with PT401 from the instant of its expiry on'),
  (pg_temp.hash_of('revoked'), 'write:rewards', 'A revoked key without the scope is refused with PT401: it learns nothing about scopes')
) as refused (hash, scope, name);

-- Refused with 403

select throws_ok(
  format('select app.authenticate(%L, %L)', hash, scope), 'PT403', format('Forbidden: this key is missing the "%s" scope', scope), name
)
from (values
  (pg_temp.hash_of('members'), 'write:rewards', 'A key without the scope is refused with PT403, which names the scope'),
  -- Proves: authentication.13
  (pg_temp.hash_of('import'), 'read:rewards', 'Writing rewards does not include reading them'),
  (pg_temp.hash_of('members'), 'read', 'A part of a scope is not a scope')
) as refused (hash, scope, name);
select results_eq(
  $$ select detail::jsonb from pg_temp.refusal(pg_temp.hash_of('members'), 'write:rewards') $$,
  $$ select jsonb_build_object('key_id', key_id, 'company_id', company_id) from app.authenticate(pg_temp.hash_of('members'), null) $$,
  'The detail of a PT403 names key and company, for the log'
);

-- After a refusal nothing is changed
reset role;
select pg_temp.set_last_used_at('members', null);
set local app.company_id = '';
set local role public_api;

select throws_ok(
  $$ select app.authenticate(pg_temp.hash_of('members'), 'write:rewards') $$, 'PT403', null,
  'A key that has never been used is refused a scope'
);
select is(app.current_company_id(), null, 'After a refusal no company is set');
reset role;
-- Proves: keys.36
select is(pg_temp.last_used_at('members'), null, 'A refusal with PT403 records no use');
-- Proves: keys.36
select is(pg_temp.last_used_at('revoked'), null, 'A refusal of a revoked key records no use');
-- Proves: keys.36
select is(pg_temp.last_used_at('over'), null, 'A refusal of an expired key records no use');

-- Passed
set local role public_api;

select results_eq(
  $$ select company_id, key_name, scopes from app.authenticate(pg_temp.hash_of('members'), 'read:members') $$,
  $$ values (pg_temp.id('Acorn'), 'members', array['read:members']) $$,
  'A key passes for its scope, and its company, name and scopes are answered'
);
select is(app.current_company_id(), pg_temp.id('Acorn'), 'A key that has passed sets its company for the transaction');
select lives_ok(
  $$ select app.authenticate(pg_temp.hash_of('members'), null) $$, 'A key passes when no scope is asked for'
);
select lives_ok(
  $$ select app.authenticate(pg_temp.hash_of('over_soon'), 'read:members') $$, 'A key passes until the instant of its expiry'
);
select is_empty(
  $$ select scope from unnest(array['read:members', 'read:activity', 'read:rewards', 'read:analytics', 'write:rewards']) as scope
     where (app.authenticate(pg_temp.hash_of('everything'), scope)).company_id is distinct from pg_temp.id('Acorn') $$,
  'A key with every scope passes for each'
);
select results_eq(
  $$ select company_id from app.authenticate(pg_temp.hash_of('birch'), 'read:members') $$, array[pg_temp.id('Birch')],
  'Another company''s key answers that company'
);
select is(app.current_company_id(), pg_temp.id('Birch'), 'The key that was verified last decides the company of the transaction');
reset role;
select isnt(
  (select key_id from app.authenticate(pg_temp.hash_of('members'), null)),
  (select key_id from app.authenticate(pg_temp.hash_of('everything'), null)),
  'Each key answers an id of its own'
);

-- Requests at the same time, as far as one session can test them. The other tests are in
-- test/hardening/requests_at_once.test.ts.

create function pg_temp.slots() returns bigint language sql volatile
begin atomic
  select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid();
end;
select is(pg_temp.slots(), 2::bigint, 'However often and with however many keys a transaction has asked, it takes one slot of each company');
select is(app.requests_at_once(), 4, 'A company may have four requests under way');

-- Last use

-- Proves: keys.32
select is(pg_temp.last_used_at('members'), now(), 'The first use of a key is recorded');
select is(pg_temp.last_used_at('import'), null, 'A use of one key is not a use of another');

select pg_temp.set_last_used_at('members', now() - interval '59 seconds');
set local role public_api;
select lives_ok($$ select app.authenticate(pg_temp.hash_of('members'), null) $$, 'A key passes that was used a moment ago');
reset role;
-- Proves: keys.32
select is(pg_temp.last_used_at('members'), now() - interval '59 seconds', 'A use within a minute of the last one is not recorded');

select pg_temp.set_last_used_at('members', now() - interval '61 seconds');
set local role public_api;
select lives_ok($$ select app.authenticate(pg_temp.hash_of('members'), null) $$, 'A key passes that was used a while ago');
reset role;
-- Proves: keys.32
select is(pg_temp.last_used_at('members'), now(), 'A use more than a minute after the last one is recorded');

select pg_temp.set_last_used_at('members', now() + interval '1 hour');
set local role public_api;
select lives_ok($$ select app.authenticate(pg_temp.hash_of('members'), null) $$, 'A key passes that seems to have been used in an hour');
reset role;
select is(pg_temp.last_used_at('members'), now(), 'A last use in the future, of a clock that was wrong, is corrected by the next one');

-- Acting as the project's secret key, through the function that the Data API calls.
set local role service_role;

select is(
  public.verify_api_key(pg_temp.hash_of('everything'), 'read:members')::text,
  '{"company_name" : "Acorn", "key_name" : "everything", '
    || '"scopes" : ["read:members","read:activity","read:rewards","read:analytics","write:rewards"], "expires_at" : null, '
    || format('"company_id" : "%s"}', pg_temp.id('Acorn')),
  'verify_api_key answers the names of company and key, its scopes in the order in which they are always shown, its expiry and the company''s id'
);
select lives_ok(
  $$ select public.verify_api_key(pg_temp.hash_of('members')) $$, 'verify_api_key asks for no scope unless it is told one'
);
select throws_ok(
  $$ select public.verify_api_key(pg_temp.hash_of('members'), 'read:rewards') $$, 'PT403', 'Forbidden: this key is missing the "read:rewards" scope',
  'verify_api_key refuses a key without the scope'
);
select throws_ok(
  $$ select public.verify_api_key(pg_temp.hash_of('revoked')) $$, 'PT401', 'Unauthorized: Invalid or missing API Key',
  'verify_api_key refuses a revoked key'
);
select lives_ok(
  $$ select public.verify_api_key(pg_temp.hash_of('birch')) $$, 'verify_api_key passes a key of Birch'
);
reset role;
select is(
  current_setting('response.headers')::jsonb,
  jsonb_build_array(
    jsonb_build_object('X-Key-Id', (select id from app.api_keys where company_id = pg_temp.id('Birch'))),
    jsonb_build_object('X-Company-Id', pg_temp.id('Birch'))
  ),
  'verify_api_key puts the ids of key and company into the response headers, for the log'
);

-- The database is read-only by default: the platform sets this when a disk is nearly full.
select pg_temp.set_last_used_at('birch', now() - interval '1 hour');

set local default_transaction_read_only = on;
select lives_ok(
  $$ select public.verify_api_key(pg_temp.hash_of('birch')) $$,
  'A key passes in a transaction that was begun as read write, as the Data API does, although the default is read-only'
);
-- Proves: keys.34
select is(pg_temp.last_used_at('birch'), now() - interval '1 hour', 'No use is recorded while the default is read-only');
set local transaction_read_only = on;
select lives_ok($$ select public.verify_api_key(pg_temp.hash_of('birch')) $$, 'A key passes in a transaction that is read-only by default');
set local default_transaction_read_only = off;
select throws_ok(
  $$ select public.verify_api_key(pg_temp.hash_of('birch')) $$, '25006', null,
  'A transaction that alone is read-only, as a GET''s, is refused: the use of the key has to be recorded'
);

select * from finish();
rollback;
