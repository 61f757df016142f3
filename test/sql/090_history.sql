-- The history of keys: who created or revoked which key, and that no entry can be changed or deleted.
begin;
create extension if not exists pgtap with schema extensions;
select plan(12);

\ir helpers.psql

do $$ begin perform pg_temp.meet(); end $$;

-- Acting as Ada, Amy and Ben, one after the other.
create temporary table ids as
select
  pg_temp.make_key('Ada', 'Warehouse', '{write:rewards,read:members}', '2999-12-31Z') as warehouse,
  pg_temp.make_key('Amy', 'Mail') as mail,
  pg_temp.make_key('Ben', 'Birch') as birch;
grant select on ids to authenticated;
set local role authenticated;
select pg_temp.sign_in('Amy');
do $$
begin
  perform public.revoke_api_key(warehouse) from ids;
  perform public.revoke_api_key(warehouse) from ids;
end
$$;

-- Recorded entries
reset role;

select results_eq(
  $$
    select e.company_id, e.action, e.key_name, e.scopes, e.expires_at, e.member_id, e.member_name, e.created_at
    from app.api_key_events as e
    where e.company_id in (pg_temp.id('Acorn'), pg_temp.id('Birch')) order by e.id
  $$,
  $$ values
    (pg_temp.id('Acorn'), 'created', 'Warehouse', array['read:members', 'write:rewards'], timestamptz '2999-12-31Z',
      pg_temp.id('Ada of Acorn'), 'Ada', now()),
    (pg_temp.id('Acorn'), 'created', 'Mail', array['read:members'], null, pg_temp.id('Amy of Acorn'), 'Amy', now()),
    (pg_temp.id('Birch'), 'created', 'Birch', array['read:members'], null, pg_temp.id('Ben of Birch'), 'Ben', now()),
    (pg_temp.id('Acorn'), 'revoked', 'Warehouse', array['read:members', 'write:rewards'], '2999-12-31Z',
      pg_temp.id('Amy of Acorn'), 'Amy', now()) $$,
  'Every create and every revoke is recorded once: what, who, when, which key, what scopes, what expiry'
);
select is_empty(
  $$
    select e.id from app.api_key_events as e
    left join app.api_keys as k on k.company_id = e.company_id and k.id = e.key_id and k.hint = e.hint and k.name = e.key_name
    where e.company_id in (pg_temp.id('Acorn'), pg_temp.id('Birch')) and k.id is null
  $$,
  'Every event names its key by id, name and hint'
);
update app.members set name = 'Amy Renamed' where id = pg_temp.id('Amy of Acorn');

-- Acting as Ada.
set local role authenticated;
select pg_temp.sign_in('Ada');

select is(
  array(
    select concat_ws(' ', event ->> 'action', event ->> 'key_name', 'by', event ->> 'member')
    from json_array_elements(public.list_api_key_events()) as event
  ),
  array['revoked Warehouse by Amy', 'created Mail by Amy', 'created Warehouse by Ada'],
  'An admin reads the history of their company, newest first, with names as they were then'
);
select is(
  (public.list_api_key_events() -> 0)::text,
  (
    select format('{"created_at":"%s","action":"revoked","member":"Amy","key_id":"%s","key_name":"Warehouse","hint":"%s",'
      || '"scopes":["read:members","write:rewards"],"expires_at":"2999-12-31T00:00:00.000000Z","former_name":null,"replaced_by":null,"reason":null}', app.iso_8601(now()), warehouse, k.hint)
    from ids join app.api_keys as k on k.id = warehouse
  ),
  'An event has when, what, who, and of the key its id, name, hint, scopes and expiry, its former name, what replaced it and why'
);

create temporary table pages as
select
  public.replace_api_key(mail) as successor,
  mail
from ids;
select is(
  array(
    select concat_ws(' ', page, event ->> 'action', event ->> 'key_name')
    from (values
      (1, public.list_api_key_events(max_rows => 2)), (2, public.list_api_key_events(skip => 2, max_rows => 2)),
      (3, public.list_api_key_events(skip => 4, max_rows => 2)), (4, public.list_api_key_events(skip => 6, max_rows => 2))
    ) as read (page, events), json_array_elements(events) with ordinality as e (event, place)
    order by page, place
  ),
  array['1 replaced Mail', '1 created Mail', '2 revoked Warehouse', '2 created Mail', '3 created Warehouse'],
  'The history is read page by page'
);
select is(
  array(select event ->> 'action' from pages, json_array_elements(public.list_api_key_events((successor ->> 'id')::uuid)) as event),
  array['replaced', 'created'],
  'The history of a key that replaces another one begins with the replacement'
);
select is(
  array(select event ->> 'action' from pages, json_array_elements(public.list_api_key_events(mail)) as event),
  array['replaced', 'created'],
  'The history of a key has its own events and no others'
);

-- Entries can only be added

-- No role of the Data API can write to it (020_who_may_do_what.sql).

-- Acting as postgres, who owns the table, so that no policy applies.
reset role;

select throws_ok(
  'update app.api_key_events set action = action', '42501', 'app.api_key_events only grows: update is refused',
  -- Proves: lifecycle.9, leaving.6, actor.6
  'The owner of the table cannot change an event'
);
select throws_ok(
  $$ delete from app.api_key_events where company_id = pg_temp.id('Acorn') $$, '42501', 'app.api_key_events only grows: delete is refused',
  'The owner of the table cannot delete an event'
);
select throws_ok(
  'truncate app.api_key_events', '42501', 'app.api_key_events only grows: truncate is refused',
  'The owner of the table cannot empty the history'
);
select is(
  (select count(*) from app.api_key_events where company_id = pg_temp.id('Acorn')), 5::bigint, 'After all of this every event is there'
);
delete from app.api_keys where id = (select mail from ids);
select is(
  (select count(*) from app.api_key_events where key_id = (select mail from ids)), 2::bigint,
  'The history of a key stays also when an operator deletes the key'
);

select * from finish();
rollback;
