-- public.replace_api_key and public.rename_api_key: a successor while the old key still works for a time, a new name,
-- and no other change of a key; and the history of keys, which no one can change or delete. 020_who_may_do_what.sql tests
-- who may do this.
begin;
\ir helpers.psql
select plan(25);

select pg_temp.meet();

create temporary table ids as
select
  pg_temp.make_key('Ada', 'Mail') as mail,
  pg_temp.make_key('Ada', 'Warehouse', '{write:rewards,read:members}', now() + interval '30 minutes') as warehouse,
  pg_temp.make_key('Ada', 'Expired', expires_at => now()) as expired,
  pg_temp.make_key('Ada', 'Revoked', '{write:rewards,read:members}', '2999-12-31Z') as revoked,
  pg_temp.make_key('Ben', 'Birch') as birch;
select pg_temp.done_by('Ada', format('select public.revoke_api_key(%L)', revoked)) from ids, generate_series(1, 2);
update app.members set name = 'Ada Renamed' where id = pg_temp.id('Ada of Acorn');
-- By Amy, not the admin who created the keys.
create temporary table successor as
select pg_temp.done_by('Amy', format('select public.replace_api_key(%L, ''1 hour'', now() + interval ''365 days'') ->> ''id''', mail))::uuid as id from ids;
grant select on ids, successor to authenticated;

create function pg_temp.history(key uuid) returns text language sql stable
begin atomic
  select string_agg(concat_ws(' ', event ->> 'action', event ->> 'former_name', event ->> 'key_name', event ->> 'member'), ', ')
  from json_array_elements(public.list_api_key_events(key)) as event;
end;

select is(
  pg_temp.done_by('Amy', format('select public.list_api_key_events(%L) -> 0', revoked)),
  format('{"created_at":"%s","action":"revoked","member":"Ada","key_id":"%s","key_name":"Revoked","hint":"%s","scopes":["read:members","write:rewards"],'
    || '"expires_at":"2999-12-31T00:00:00.000000Z","former_name":null,"replaced_by":null,"reason":null,"assistant":null,"assistant_address":null,"new_scopes":null}', app.iso_8601(now()), revoked, k.hint),
  'An event has when, what, who by the name of then, and of the key its id, name, hint, scopes and expiry, its former name, what replaced it and why'
) from ids join app.api_keys as k on k.id = revoked;

select is(
  pg_temp.done_by('Amy', format('select public.replace_api_key(%L)', key)),
  'PT409 a key that is revoked, expired or replaced already cannot be replaced',
  -- Proves: lifecycle.4
  format('A key that is %s cannot be replaced', state)
)
from ids, lateral (values ('revoked', revoked), ('expired', expired), ('replaced', mail)) as ended (state, key);

-- One after the other
select is(pg_temp.done_by('Amy', statement), answer, name)
from (values
  ('select pg_temp.history(null)',
    'replaced Mail Amy, created Mail Amy, revoked Revoked Ada, created Revoked Ada, created Expired Ada, created Warehouse Ada, created Mail Ada',
    'An admin reads the history of their company and of no other, newest first: every create and every revoke once'),
  ('select pg_temp.history(id) from successor', 'replaced Mail Amy, created Mail Amy',
    'The history of a key that replaces another one begins with the replacement'),
  ('select pg_temp.history(mail) from ids', 'replaced Mail Amy, created Mail Ada', 'The history of a key has its own events and no others'),
  -- Proves: lifecycle.2
  ($$ select public.replace_api_key((select warehouse from ids), '2 hours') $$, 'PT400 overlap must be 0, 1 hour, 24 hours or 7 days | overlap', 'An overlap of 2 hours is refused'),
  ($$ select public.replace_api_key((select warehouse from ids), '0', now()) $$, 'PT400 expires_at must be in the future, before the year 10000 | expires_at',
    'A successor cannot have expired'),
  ($$ update app.api_keys set replaced_by = pg_temp.id('another') where id = (select mail from ids) returning id $$, null,
    'A key is replaced once: an admin cannot change its successor'),
  ($$ select public.replace_api_key(id, '7 days', scopes => '{write:members}') from successor $$, (select 'PT400 scopes must be one or more of ' || array_to_string(app.scopes(), ', ') || ', each once | scopes'),
    'A successor gets no scope that a new key could not have'),
  ($$ select public.replace_api_key(id, '7 days', scopes => '{read:rewards,read:members}') ->> 'scopes' from successor $$, '["read:members","read:rewards"]',
    'A successor can be replaced, with other scopes'),
  ('select public.list_api_key_events(id) -> 0 ->> ''new_scopes'' from successor', '["read:members","read:rewards"]', 'which the history has'),
  ($$ select public.replace_api_key(warehouse, '24 hours') ->> 'name' from ids $$, 'Warehouse', 'An overlap may be longer than the key was to live'),
  -- Proves: lifecycle.5
  ($$ select public.revoke_api_key(id) ->> 'revoked_by' from successor $$, 'Amy', 'A successor can be revoked, which leaves the old key as it is'),
  -- Proves: lifecycle.6
  ($$ select public.rename_api_key(warehouse, 'Storage') ->> 'name' from ids $$, 'Storage', 'An admin can rename a key: the answer says how it is called now'),
  ($$ select public.rename_api_key(warehouse, 'Storage') ->> 'name' from ids $$, 'Storage', 'It can be given the same name once more'),
  ($$ select public.rename_api_key((select revoked from ids), 'Revoked') $$, 'PT409 a revoked key cannot be renamed', 'A revoked key keeps its name'),
  ('select pg_temp.history(warehouse) from ids', 'renamed Warehouse Storage Amy, replaced Warehouse Amy, created Warehouse Ada',
    -- Proves: lifecycle.6, lifecycle.9
    'The history says who replaced a key, both names of a renamed one and who renamed it; the same name once more is no event')
) as steps (statement, answer, name);
select results_eq(
  $$ select name, expires_at, revoked_at from ids join app.api_keys as k on k.id in (mail, warehouse) order by name $$,
  $$ values ('Mail', now() + interval '1 hour', null::timestamptz), ('Storage', now() + interval '30 minutes', null) $$,
  -- Proves: lifecycle.3
  'An overlap never makes a key live longer than it was to, and revoking a successor leaves the old key as it is'
);
-- A name from before such names were refused.
alter table app.api_keys disable trigger user;
update app.api_keys set name = e'Stor\u202eage', replaced_by = null where id = (select warehouse from ids);
alter table app.api_keys enable trigger user;
select is(
  pg_temp.done_by('Amy', 'select public.replace_api_key((select warehouse from ids))'),
  'PT400 name must be a text without control characters, direction marks and invisible characters | name',
  'A replacement gets no name that a new key could not have'
);

-- No role of the Data API can write to the history (020_who_may_do_what.sql), and postgres owns it, so that no policy applies.

select throws_ok(
  statement, '42501', format('app.api_key_events only grows: %s is refused', substring(statement from '^\w+')),
  -- Proves: lifecycle.9, leaving.6, actor.6
  'The owner of the table cannot change an event, nor delete one, nor empty the history: ' || statement
)
from unnest(array['update app.api_key_events set action = action', 'delete from app.api_key_events where company_id = pg_temp.id(''Acorn'')',
  'truncate app.api_key_events']) as statement;
delete from app.api_keys where id = (select mail from ids);
select is(
  (select count(*) from app.api_key_events where key_id = (select mail from ids)), 2::bigint,
  'The history of a key stays also when an operator deletes the key'
);
rollback;
