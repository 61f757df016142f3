-- public.list_api_keys and public.revoke_api_key: what admins see of keys, and that a revoke is final.
begin;
create extension if not exists pgtap with schema extensions;
select plan(33);

\ir helpers.psql

do $$ begin perform pg_temp.meet(); end $$;

create temporary table ids as
select
  pg_temp.make_key('Ada', 'Expired', expires_at => now()) as expired,
  pg_temp.make_key('Amy', 'Warehouse', '{write:rewards,read:members}', now() + interval '1 microsecond') as warehouse,
  pg_temp.make_key('Ada', 'Mail') as mail,
  pg_temp.make_key('Ben', 'Birch') as birch;
grant select on ids to authenticated;
-- Keys created in one transaction have the same time, but the test needs three different days. A trigger forbids this
-- update.
alter table app.api_keys disable trigger user;
update app.api_keys as k set created_at = dated.created_at, hint = 'sk_live_…' || right(name, 4)
from (values ('Expired', timestamptz '2026-03-01Z'), ('Warehouse', '2026-03-03 08:09:10.111213Z'), ('Mail', '2026-03-02Z')) as dated (key, created_at)
where k.company_id = pg_temp.id('Acorn') and k.name = dated.key;
alter table app.api_keys enable trigger user;
update app.api_key_uses set last_used_at = '2026-03-04 05:06:07.5Z' where key_id = (select mail from ids);

-- These fields of every listed key, one line per key.
create function pg_temp.listed(variadic fields text[]) returns text[] language sql stable
begin atomic
  select coalesce(array_agg(line), '{}')
  from json_array_elements(public.list_api_keys()) as key, lateral (
    select string_agg(coalesce(key ->> field, 'null'), ' ' order by place) from unnest(fields) with ordinality as f (field, place)
  ) as listed (line);
end;

-- List

-- Acting as Ada, an admin of Acorn.
set local role authenticated;
select pg_temp.sign_in('Ada');

select is(
  (public.list_api_keys() -> 0)::text,
  format('{"id":"%s","name":"Warehouse","hint":"sk_live_…ouse","scopes":["read:members","write:rewards"],"status":"active",'
    || '"created_at":"2026-03-03T08:09:10.111213Z","created_by":"Amy","expires_at":"%s","last_used_at":null,"revoked_at":null,"revoked_by":null,"replaced_by":null}',
    (select warehouse from ids), app.iso_8601(now() + interval '1 microsecond')),
  'A listed key has id, name, hint, scopes, status, when and by whom it was created, last used and revoked, and what replaces it'
);
select is(
  pg_temp.listed('name', 'status', 'last_used_at'),
  array['Warehouse active null', 'Mail active 2026-03-04T05:06:07.500000Z', 'Expired expired null'],
  'Keys are listed newest first, each active or expired, with their last use'
);
select is(
  -- Proves: key.2, states.2, authentication.2, keys.9
  public.list_api_keys()::text !~ '(key_hash|sk_live_[0-9A-Za-z]|\\x[0-9a-f]{2})', true, 'A listed key shows neither key nor hash'
);

-- Acting as Amy, another admin of Acorn.
select pg_temp.sign_in('Amy');

select is(
  pg_temp.listed('name', 'created_by'), array['Warehouse Amy', 'Mail Ada', 'Expired Ada'],
  'Every admin of a company sees all keys of the company'
);

-- Revoke

-- Acting as Ben, an admin of another company. 020_who_may_do_what.sql tests everybody who may not revoke.
select pg_temp.sign_in('Ben');
select throws_ok(
  $$ select public.revoke_api_key(pg_temp.id('no key of anybody')) $$, 'PT404', 'no API key of your company has this id',
  'A key that does not exist is refused as another company''s is'
);

-- Acting as Ada.
select pg_temp.sign_in('Ada');

select throws_ok(
  'select public.revoke_api_key(null)', 'PT404', 'no API key of your company has this id', 'No key is revoked without an id'
);
select is(
  pg_temp.listed('name', 'status'), array['Warehouse active', 'Mail active', 'Expired expired'],
  'After all these refusals every key is what it was'
);
select is(
  public.revoke_api_key((select mail from ids))::text,
  format('{"id" : "%s", "revoked_at" : "%s", "revoked_by" : "Ada"}', (select mail from ids), app.iso_8601(now())),
  'An admin can revoke a key: the answer says which, when and by whom'
);
select is(
  pg_temp.listed('name', 'status', 'revoked_at', 'revoked_by'),
  array['Warehouse active null null', 'Mail revoked ' || app.iso_8601(now()) || ' Ada', 'Expired expired null null'],
  -- Proves: keys.29, keys.31
  'A revoked key stays listed as revoked, with when and by whom, and no other key has changed'
);
select pg_temp.sign_in('Amy');
select is(
  public.revoke_api_key((select mail from ids)) ->> 'revoked_by', 'Ada',
  -- Proves: keys.31
  'Revoking a revoked key changes nothing: it names who revoked it first'
);
select lives_ok('select public.revoke_api_key((select expired from ids))', 'An expired key can be revoked');
select is(
  pg_temp.listed('name', 'status', 'revoked_by'), array['Warehouse active null', 'Mail revoked Ada', 'Expired revoked Amy'],
  'A key that is expired and revoked is listed as revoked'
);

-- What an admin cannot undo or forge, even with their own SQL

update app.api_keys set revoked_at = null where id = (select mail from ids);
select is(
  pg_temp.listed('name', 'status', 'revoked_by') @> array['Mail revoked Ada'], true, 'An admin cannot undo a revoke with SQL of their own'
);
select results_eq(
  $$ update app.api_keys set revoked_at = '2020-01-01Z' where id = (select warehouse from ids) returning revoked_at, revoked_by $$,
  $$ values (now(), pg_temp.id('Amy of Acorn')) $$,
  'An admin cannot date a revoke back: whatever they write, it is now and by them'
);
select throws_ok(
  $$ update app.api_keys set revoked_by = pg_temp.id('Ada of Acorn') $$, '42501', 'permission denied for table api_keys',
  'An admin cannot put a revoke in somebody else''s name'
);

-- Acting as postgres.
reset role;
update app.api_keys set revoked_at = null, revoked_by = null, name = 'Renamed', scopes = '{write:rewards}' where id = (select mail from ids);
select results_eq(
  $$ select name, scopes, revoked_at, revoked_by from app.api_keys where id = (select mail from ids) $$,
  $$ values ('Mail', array['read:members'], now(), pg_temp.id('Ada of Acorn')) $$,
  -- Proves: states.5, keys.30
  'A revoke cannot be undone and a revoked key cannot be changed, not by postgres either'
);
select pg_temp.sign_in('Ben');
select results_eq(
  $$
    update app.api_keys set name = 'Renamed', scopes = '{write:rewards}', key_hash = sha256('chosen'), expires_at = null
    where id = (select birch from ids) returning name, scopes, key_hash = sha256('chosen'), created_by
  $$,
  $$ values ('Renamed', array['read:members'], false, pg_temp.id('Ben of Birch')) $$,
  -- Proves: lifecycle.7
  'Of an update that says many things the name counts: scopes, hash and creator are fixed for life, whoever writes it'
);
select is_empty(
  $$ update app.api_keys set scopes = '{write:rewards}', created_by = null, key_hash = sha256('chosen') where id = (select birch from ids) returning id $$,
  -- Proves: lifecycle.7
  'An update of what is fixed for life changes nothing'
);
set local request.jwt.claims = '';
select is_empty(
  $$ update app.api_keys set name = 'Nobody''s' where id = (select birch from ids) returning id $$,
  'Without an admin who is signed in no key is renamed, because the history could not say by whom'
);

-- An operator revokes: nobody is signed in

select throws_ok(format('select app.revoke_key(%L, %L)', key, reason), '22023', message, 'An operator is refused: ' || message)
from (values
  ('sk_live_' || repeat('x', 38), 'leaked', 'key must be its id or its last four characters, never the key itself: statements are logged'),
  ('none', 'leaked', '0 keys have this id or these last four characters'),
  ((select birch::text from ids), ' ', 'reason must be a text of 1 to 200 characters: the admins of the company read it')
) as refused (key, reason, message);
select results_eq(
  $$ select company_id, key_id, name, revoked_at from app.revoke_key((select right(k.hint, 4) from app.api_keys as k where k.id = (select birch from ids)), 'found in a chat') $$,
  $$ select pg_temp.id('Birch'), birch, 'Renamed', now() from ids $$,
  'An operator revokes a key by its last four characters'
);
select is_empty(
  $$ select from app.revoke_key((select birch::text from ids), 'again') as again join app.api_key_events as e using (key_id) where e.reason = 'again' $$,
  'Revoking it again changes nothing'
);
set local role authenticated;
select pg_temp.sign_in('Ben');
select is(
  array(select concat_ws(' ', key ->> 'status', key ->> 'revoked_by') from json_array_elements(public.list_api_keys()) as key where key ->> 'id' = (select birch::text from ids)),
  array['revoked'], 'Its admins see it as revoked, by nobody of theirs'
);
select is(
  (select concat_ws(' ', event ->> 'action', event ->> 'key_name', coalesce(event ->> 'member', 'by an operator'), event ->> 'reason') from json_array_elements(public.list_api_key_events()) as event limit 1),
  'revoked Renamed by an operator found in a chat',
  -- Proves: lifecycle.10
  'The history says that it was no admin, and why'
);
reset role;

-- A person who stops being an admin
do $$ begin perform pg_temp.make_key('Ada', 'Second'); end $$;
update app.members set role = 'employee' where id = pg_temp.id('Ada of Acorn');
-- Acting as Ada, who has just become a plain member; her session is the same.
set local role authenticated;

-- Proves: keys.18, risk.5
select is(public.list_api_keys()::text, '[]', 'Who stops being an admin sees no key from the next call on');
select throws_ok(
  $$ select public.create_api_key('Key') $$, 'PT403', 'only an admin may create API keys',
  -- Proves: keys.18, risk.5
  'Who stops being an admin can create no key from the next call on'
);
select throws_ok(
  $$ select public.revoke_api_key((select warehouse from ids)) $$, 'PT404', 'no API key of your company has this id',
  -- Proves: keys.18
  'Who stops being an admin can revoke no key from the next call on'
);
select is(public.list_api_key_events()::text, '[]', 'Who stops being an admin sees no history from the next call on');
reset role;
update app.members set role = 'Admin' where id = pg_temp.id('Ada of Acorn');
set local role authenticated;
select is(public.list_api_keys()::text, '[]', 'The role of an admin is admin, exactly');
reset role;
update app.members set role = 'admin' where id = pg_temp.id('Ada of Acorn');
delete from app.member_accounts where user_id = pg_temp.id('Ada');
set local role authenticated;
select is(public.list_api_keys()::text, '[]', 'An admin whose sign-in is no longer linked sees no key');

-- Acting as Amy.
select pg_temp.sign_in('Amy');
select is(
  pg_temp.listed('name', 'created_by'), array['Second Ada', 'Warehouse Amy', 'Mail Ada', 'Expired Ada'],
  'Keys name their creator also when the creator is an admin no more'
);

select * from finish();
rollback;
