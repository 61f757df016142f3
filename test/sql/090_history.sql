-- The history of keys: who created or revoked which key, and that no entry can be changed or deleted.
begin;
\ir helpers.psql
select plan(10);

select pg_temp.meet();

create temporary table ids as
select
  pg_temp.make_key('Ada', 'Warehouse', '{write:rewards,read:members}', '2999-12-31Z') as warehouse,
  pg_temp.make_key('Amy', 'Mail') as mail,
  pg_temp.make_key('Ben', 'Birch') as birch;
grant select on ids to authenticated;
select pg_temp.done_by('Amy', 'select public.revoke_api_key(warehouse) from ids') from generate_series(1, 2);

update app.members set name = 'Amy Renamed' where id = pg_temp.id('Amy of Acorn');
select is(
  pg_temp.done_by('Ada', 'select public.list_api_key_events() -> 0'),
  (
    select format('{"created_at":"%s","action":"revoked","member":"Amy","key_id":"%s","key_name":"Warehouse","hint":"%s",'
      || '"scopes":["read:members","write:rewards"],"expires_at":"2999-12-31T00:00:00.000000Z","former_name":null,"replaced_by":null,"reason":null}', app.iso_8601(now()), warehouse, k.hint)
    from ids join app.api_keys as k on k.id = warehouse
  ),
  'An event has when, what, who by the name of then, and of the key its id, name, hint, scopes and expiry, its former name, what replaced it and why'
);

create temporary table pages (place serial, key uuid, skip integer, max_rows integer, events text, name text);
insert into pages (key, skip, max_rows, events, name)
select key, skip, max_rows, events, name
from (select mail, (pg_temp.done_by('Ada', format('select public.replace_api_key(%L)', mail))::json ->> 'id')::uuid as successor from ids offset 0) as made,
  lateral (values
    (null::uuid, 0, null::integer, 'replaced Mail, created Mail, revoked Warehouse, created Mail, created Warehouse',
      'An admin reads the history of their company and of no other, newest first: every create and every revoke once'),
    (null, 2, 2, 'revoked Warehouse, created Mail', 'The history is read page by page'),
    (null, 4, 2, 'created Warehouse', 'The last page may be shorter'),
    (successor, 0, null, 'replaced Mail, created Mail', 'The history of a key that replaces another one begins with the replacement'),
    (mail, 0, null, 'replaced Mail, created Mail', 'The history of a key has its own events and no others')
  ) as wanted (key, skip, max_rows, events, name);
select is(
  pg_temp.done_by('Ada', format(
    'select string_agg((e ->> ''action'') || '' '' || (e ->> ''key_name''), '', '') from json_array_elements(public.list_api_key_events(%L, %L, %L)) as e',
    key, skip, max_rows)),
  events, name
)
from pages order by place;

-- Entries can only be added. No role of the Data API can write to the table (020_who_may_do_what.sql), and postgres owns
-- it, so that no policy applies.

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

select * from finish();
rollback;
