-- public.list_api_keys and public.revoke_api_key, app.revoke_key: what admins see of keys, and that a revoke is final.
-- 020_who_may_do_what.sql tests who may do this and which columns may be written.
begin;
\ir helpers.psql
select plan(23);

select pg_temp.meet();

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

-- These fields of every listed key.
create function pg_temp.listed(variadic fields text[]) returns text language sql stable
begin atomic
  select string_agg(line, ', ')
  from json_array_elements(public.list_api_keys()) as key, lateral (
    select string_agg(coalesce(key ->> field, 'null'), ' ' order by place) from unnest(fields) with ordinality as f (field, place)
  ) as listed (line);
end;

-- By admins, one after the other

select is(
  pg_temp.done_by('Ada', 'select public.list_api_keys() -> 0'),
  format('{"id":"%s","name":"Warehouse","hint":"sk_live_…ouse","scopes":["read:members","write:rewards"],"status":"active",'
    || '"created_at":"2026-03-03T08:09:10.111213Z","created_by":"Amy","expires_at":"%s","last_used_at":null,"revoked_at":null,"revoked_by":null,"replaced_by":null,'
    || '"last_endpoint":null,"last_client":null,"used_on":[],"refused_at":null,"refused_endpoint":null,"refused_client":null,'
    || '"forbidden_at":null,"forbidden_endpoint":null,"forbidden_scope":null,"forbidden_client":null,"checked_at":null,"checked_client":null,"assistant":null,"assistant_address":null,"creator_is_admin":true,'
    || format('"answers":[0%1$s],"refusals":[0%1$s],"forbidden_reason":null}', repeat(',0', 29)),
    (select warehouse from ids), app.iso_8601(now() + interval '1 microsecond')),
  -- Proves: key.2, states.2, authentication.2, keys.9
  'A listed key has id, name, hint, scopes, status, when and by whom it was created, last used, refused and revoked, and what replaces it, and neither key nor hash'
);
select is(pg_temp.done_by(person, 'select ' || call), replace(replace(answer, '(now)', app.iso_8601(now())), '(mail)', mail::text), name)
from ids, (values
  ('Ada', 'public.revoke_api_key(null)', 'PT404 no API key of your company has this id', 'No key is revoked without an id'),
  ('Ada', 'public.revoke_api_key((select mail from ids))', '{"id" : "(mail)", "revoked_at" : "(now)", "revoked_by" : "Ada"}',
    'An admin can revoke a key: the answer says which, when and by whom'),
  ('Ada', $$ pg_temp.listed('name', 'status', 'revoked_at', 'revoked_by') $$,
    'Warehouse active null null, Mail revoked (now) Ada, Expired expired null null',
    -- Proves: keys.29, keys.31
    'A revoked key stays listed as revoked, with when and by whom, and no other key has changed'),
  -- Proves: keys.31
  ('Amy', $$ public.revoke_api_key((select mail from ids)) ->> 'revoked_by' $$, 'Ada', 'Revoking a revoked key changes nothing: it names who revoked it first'),
  ('Amy', $$ public.revoke_api_key((select expired from ids)) ->> 'revoked_by' $$, 'Amy', 'An expired key can be revoked'),
  ('Ada', $$ pg_temp.listed('name', 'status', 'revoked_by') $$, 'Warehouse active null, Mail revoked Ada, Expired revoked Amy',
    'A key that is expired and revoked is listed as revoked')
) as steps (person, call, answer, name);

select is(
  pg_temp.done_by('Ada', format('select string_agg(k ->> ''name'', '','') from json_array_elements(public.list_api_keys(%L)) as k', key)), name,
  'One key is listed alone, unless it is another company''s'
)
from ids, lateral (values (warehouse, 'Warehouse'), (birch, null)) as one (key, name);

-- What nobody can undo or forge with SQL of their own, not as postgres either

select is(
  pg_temp.done_by(person, format($q$
    update app.api_keys as k set %s from ids where k.id = ids.%I
    returning concat_ws(' ', k.name, k.scopes, k.created_by, k.revoked_at, k.revoked_by)
  $q$, change, key), role),
  answer, name
)
from (values
  -- Proves: states.5, keys.30
  ('Amy', 'authenticated', 'mail', $$ revoked_at = null, name = 'Renamed' $$, null, 'A revoke cannot be undone and a revoked key cannot be changed'),
  ('Amy', 'none', 'mail', $$ revoked_at = null, revoked_by = null, name = 'Renamed', scopes = '{write:rewards}' $$, null,
    -- Proves: states.5, keys.30
    'A revoke cannot be undone and a revoked key cannot be changed, not by postgres either'),
  ('Amy', 'authenticated', 'warehouse', $$ revoked_at = '2020-01-01Z' $$,
    concat_ws(' ', 'Warehouse', '{read:members,write:rewards}', pg_temp.id('Amy of Acorn'), now(), pg_temp.id('Amy of Acorn')),
    'An admin cannot date a revoke back: whatever they write, it is now and by them'),
  ('Ben', 'none', 'birch', $$ name = 'Renamed', scopes = '{write:rewards}', key_hash = sha256('chosen'), created_by = null, expires_at = null $$,
    concat_ws(' ', 'Renamed', '{read:members}', pg_temp.id('Ben of Birch')),
    -- Proves: lifecycle.7
    'Of an update that says many things the name counts: scopes, hash and creator are fixed for life, whoever writes it'),
  (null, 'none', 'birch', $$ name = 'Nobody''s' $$, null, 'Without an admin who is signed in no key is renamed, because the history could not say by whom')
) as updates (person, role, key, change, answer, name);
select is_empty(
  $$ select from app.api_keys where key_hash = sha256('chosen') $$, 'Nobody has chosen the hash of a key'
);

-- An operator revokes: nobody is signed in

set local request.jwt.claims = '';
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
-- A person who stops being an admin, in the same session

select is(pg_temp.done_by('Amy', 'select pg_temp.listed(''name'', ''creator_is_admin'')'), 'Warehouse true, Mail true, Expired true',
  'A listed key says whether its creator is still an admin');

create function pg_temp.keys_after(change text) returns text language sql
begin atomic
  select pg_temp.run(change);
  select pg_temp.done_by('Ada', 'select public.list_api_keys()') || pg_temp.done_by('Amy', 'select pg_temp.listed(''creator_is_admin'')');
end;
select is(pg_temp.keys_after(change), '[]true, false, false', name)
from (values
  ($$ update app.members set role = 'employee' where name = 'Ada' $$,
    -- Proves: keys.18, risk.5
    'A person who stops being an admin sees no key from the next call on, and their keys say it to the others'),
  ($$ update app.members set role = 'admin' where name = 'Ada'; delete from app.member_accounts where user_id = pg_temp.id('Ada') $$,
    'An admin whose sign-in is no longer linked sees no key')
) as changes (change, name);
rollback;
