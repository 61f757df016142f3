-- public.replace_api_key and public.rename_api_key: a successor while the old key still works for a time, a new name,
-- and no other change of a key.
begin;
create extension if not exists pgtap with schema extensions;
select plan(21);

\ir helpers.psql

do $$ begin perform pg_temp.meet(); end $$;

create temporary table ids as
select
  pg_temp.make_key('Ada', 'Mail') as mail,
  pg_temp.make_key('Ada', 'Warehouse', '{write:rewards,read:members}', now() + interval '30 minutes') as warehouse,
  pg_temp.make_key('Ada', 'Expired', expires_at => now()) as expired,
  pg_temp.make_key('Ada', 'Revoked') as revoked,
  pg_temp.make_key('Ben', 'Birch') as birch;
grant select on ids to authenticated;

-- The stored row of a key, with columns that no role of the Data API may read.
create function pg_temp.stored(id uuid) returns app.api_keys language sql stable security definer
return (select k from app.api_keys as k where k.id = stored.id);

create function pg_temp.history(key uuid) returns text[] language sql stable
begin atomic
  select array_agg(concat_ws(' ', event ->> 'action', event ->> 'former_name', event ->> 'key_name', event ->> 'member') order by place desc)
  from json_array_elements(public.list_api_key_events()) with ordinality as e (event, place)
  where event ->> 'key_id' = key::text;
end;

-- Replace

-- Acting as Amy, not the admin who created the keys. Who may not do this is tested in 020_who_may_do_what.sql.
set local role authenticated;
select pg_temp.sign_in('Amy');
do $$ begin perform public.revoke_api_key(revoked) from ids; end $$;
select throws_ok(
  format('select public.replace_api_key(%L, %L)', mail, overlap), 'PT400', 'overlap must be 0, 1 hour, 24 hours or 7 days',
  -- Proves: lifecycle.2
  'An overlap of ' || coalesce(overlap, 'null') || ' is refused'
)
from ids, unnest(array['2 hours', '-1 hour', null]) as overlap;
select throws_ok(
  $$ select public.replace_api_key((select mail from ids), '0', now()) $$, 'PT400', 'expires_at must be in the future, before the year 10000',
  'A successor cannot have expired'
);
select throws_ok(
  format('select public.replace_api_key(%L)', id), 'PT409', 'a key that is revoked, expired or replaced already cannot be replaced',
  -- Proves: lifecycle.4
  'A key that is ' || what || ' cannot be replaced'
)
from ids, lateral (values (revoked, 'revoked'), (expired, 'expired')) as gone (id, what);

create temporary table successor as
select public.replace_api_key(mail, '1 hour', now() + interval '365 days') as key from ids;
select is(
  (select array_agg(field) from successor, json_object_keys(key) as field),
  array['id', 'name', 'api_key', 'hint', 'scopes', 'created_at', 'expires_at'],
  'A replacement is answered as a new key is'
);
select results_eq(
  $$ select made.name, made.scopes, made.expires_at, made.created_by, made.key_hash = sha256(convert_to(key ->> 'api_key', 'UTF8'))
     from successor, pg_temp.stored((key ->> 'id')::uuid) as made $$,
  $$ values ('Mail', array['read:members'], now() + interval '365 days', pg_temp.id('Amy of Acorn'), true) $$,
  -- Proves: lifecycle.1
  'A successor has name and scopes of the old key, an expiry of its own, and its own creator and hash'
);
select is_empty(
  $$ update app.api_keys set replaced_by = pg_temp.id('another') where id = (select mail from ids) returning id $$,
  'A key is replaced once: an admin cannot change its successor'
);
select results_eq(
  $$ select old.expires_at, old.revoked_at, old.replaced_by::text, old.created_by from ids, pg_temp.stored(mail) as old $$,
  $$ select now() + interval '1 hour', null::timestamptz, key ->> 'id', pg_temp.id('Ada of Acorn') from successor $$,
  -- Proves: lifecycle.2
  'The old key expires at the end of the overlap and names its successor'
);
select throws_ok(
  -- Proves: lifecycle.4
  'select public.replace_api_key((select mail from ids))', 'PT409', null, 'A key that is replaced cannot be replaced again: its successor can'
);
select lives_ok($$ select public.replace_api_key((select (key ->> 'id')::uuid from successor), '7 days') $$, 'A successor can be replaced');
do $$ begin perform public.replace_api_key(warehouse, '24 hours') from ids; end $$;
select is(
  (select old.expires_at from ids, pg_temp.stored(warehouse) as old), now() + interval '30 minutes',
  -- Proves: lifecycle.3
  'An overlap never makes a key live longer than it was to'
);
select is(
  (select pg_temp.history(mail) from ids), array['created Mail Ada', 'replaced Mail Amy'],
  -- Proves: lifecycle.9
  'The history says who replaced a key'
);
do $$ begin perform public.revoke_api_key((key ->> 'id')::uuid) from successor; end $$;
-- Proves: lifecycle.5
select is((select (pg_temp.stored(mail)).revoked_at from ids), null, 'Revoking a successor leaves the old key as it is');

-- Rename

select is(
  (select public.rename_api_key(warehouse, 'Storage')::text from ids), (select format('{"id" : "%s", "name" : "Storage"}', warehouse) from ids),
  -- Proves: lifecycle.6
  'An admin can rename a key: the answer says which, and how it is called now'
);
do $$ begin perform public.rename_api_key(warehouse, 'Storage') from ids; end $$;
select is(
  (select pg_temp.history(warehouse) from ids), array['created Warehouse Ada', 'replaced Warehouse Amy', 'renamed Warehouse Storage Amy'],
  -- Proves: lifecycle.6
  'The history says both names and who renamed; the same name once more is no event'
);
select throws_ok(
  $$ select public.rename_api_key((select warehouse from ids), '  ') $$, 'PT400', 'name must be a text of 1 to 100 characters',
  'A name of blanks is refused'
);
select throws_ok(
  format('select public.rename_api_key(%L, %L)', revoked, name), 'PT409', 'a revoked key cannot be renamed', 'A revoked key keeps its name: ' || name
)
from ids, unnest(array['X', 'Revoked']) as name;
-- As postgres: a key whose name is from before such names were refused.
reset role;
alter table app.api_keys disable trigger user;
update app.api_keys set name = e'Stor\u202eage', replaced_by = null where id = (select warehouse from ids);
alter table app.api_keys enable trigger user;
set local role authenticated;
select throws_ok(
  'select public.replace_api_key((select warehouse from ids))', 'PT400', 'name must be a text without control characters, direction marks and invisible characters',
  'A replacement gets no name that a new key could not have'
);

select * from finish();
rollback;
