-- public.replace_api_key and public.rename_api_key: a successor with an overlap, a new name, and nothing else of a key.
begin;
create extension if not exists pgtap with schema extensions;
select plan(24);

-- Ids by name, so that a row reads like a sentence.
create function pg_temp.id(name text) returns uuid language sql immutable return md5(name)::uuid;

create function pg_temp.sign_in(person text) returns void language sql
begin atomic
  select set_config('request.jwt.claims', json_build_object('sub', pg_temp.id(person))::text, true);
end;

-- A person who can sign in, with a confirmed address, and is linked to no member.
create function pg_temp.sign_up(person text, email text) returns void language sql
begin atomic
  insert into auth.users (id, email, email_confirmed_at) values (pg_temp.id(person), email, now());
end;

-- A member of a company. Ids of members are not those of the people who sign in.
create function pg_temp.hire(company text, member text, email text, role text default 'employee') returns void language sql
begin atomic
  insert into app.members (company_id, id, name, email, role)
  values (pg_temp.id(company), pg_temp.id(member || ' of ' || company), member, email, role);
end;

create function pg_temp.link(person text, company text, member text) returns void language sql
begin atomic
  insert into app.member_accounts (user_id, company_id, member_id)
  values (pg_temp.id(person), pg_temp.id(company), pg_temp.id(member || ' of ' || company));
end;

-- Acorn with its admins Ada and Amy and the plain member Max, Birch with its admin Ben, and Eve, who is no member of anything.
do $$
begin
  insert into app.companies (id, name) values (pg_temp.id('Acorn'), 'Acorn'), (pg_temp.id('Birch'), 'Birch');
  perform pg_temp.hire('Acorn', 'Ada', 'ada@acorn.example', 'admin');
  perform pg_temp.hire('Acorn', 'Amy', 'amy@acorn.example', 'admin');
  perform pg_temp.hire('Acorn', 'Max', 'max@acorn.example');
  perform pg_temp.hire('Birch', 'Ben', 'ben@birch.example', 'admin');
  perform pg_temp.sign_up(person, person || '@somewhere.example') from unnest(array['Ada', 'Amy', 'Max', 'Ben', 'Eve']) as person;
  perform pg_temp.link(person, 'Acorn', person) from unnest(array['Ada', 'Amy', 'Max']) as person;
  perform pg_temp.link('Ben', 'Birch', 'Ben');
end
$$;


-- Makes a key as this admin and answers its id.
create function pg_temp.make_key(admin text, key text, scopes text[] default '{read:members}', expires_at timestamptz default null)
returns uuid language sql
begin atomic
  select pg_temp.sign_in(admin);
  insert into app.api_keys (name, scopes, expires_at) values (key, scopes, expires_at) returning id;
end;

create temporary table ids as
select
  pg_temp.make_key('Ada', 'Mail') as mail,
  pg_temp.make_key('Ada', 'Warehouse', '{write:rewards,read:members}', now() + interval '30 minutes') as warehouse,
  pg_temp.make_key('Ada', 'Expired', expires_at => now()) as expired,
  pg_temp.make_key('Ada', 'Revoked') as revoked,
  pg_temp.make_key('Ben', 'Birch') as birch;
grant select on ids to authenticated;

-- The stored row of a key, for what no role of the Data API may see.
create function pg_temp.stored(id uuid) returns app.api_keys language sql stable security definer
return (select k from app.api_keys as k where k.id = stored.id);

create function pg_temp.history(key uuid) returns text[] language sql stable
begin atomic
  select array_agg(concat_ws(' ', event ->> 'action', event ->> 'former_name', event ->> 'key_name', event ->> 'member') order by place desc)
  from json_array_elements(public.list_api_key_events()) with ordinality as e (event, place)
  where event ->> 'key_id' = key::text;
end;

-- Acting as those who may not: a session without a user, a plain member, another company's admin.
set local role authenticated;
set local request.jwt.claims = '';
select throws_ok('select public.replace_api_key((select mail from ids))', 'PT404', null, 'A session without a user can replace no key');
select throws_ok($$ select public.rename_api_key((select mail from ids), 'X') $$, 'PT404', null, 'A session without a user can rename no key');
select pg_temp.sign_in('Max');
select throws_ok('select public.replace_api_key((select mail from ids))', 'PT404', null, 'A plain member can replace no key');
select throws_ok($$ select public.rename_api_key((select mail from ids), 'X') $$, 'PT404', null, 'A plain member can rename no key');
select pg_temp.sign_in('Ben');
select throws_ok('select public.replace_api_key((select mail from ids))', 'PT404', null, 'An admin of another company can replace no key of this one');
select throws_ok(
  $$ select public.rename_api_key((select mail from ids), 'X') $$, 'PT404', 'no API key of your company has this id',
  'An admin of another company can rename no key of this one'
);

-- Replace

-- Acting as Amy, another admin than the one who made the keys.
select pg_temp.sign_in('Amy');
do $$ begin perform public.revoke_api_key(revoked) from ids; end $$;
select throws_ok(
  format('select public.replace_api_key(%L, %L)', mail, overlap), 'PT400', 'overlap must be 0, 1 hour, 24 hours or 7 days',
  'An overlap of ' || coalesce(overlap, 'null') || ' is refused'
)
from ids, unnest(array['2 hours', '-1 hour', null]) as overlap;
select throws_ok(
  $$ select public.replace_api_key((select mail from ids), '0', now()) $$, 'PT400', 'expires_at must be in the future, before the year 10000',
  'A successor cannot have expired'
);
select throws_ok(
  format('select public.replace_api_key(%L)', id), 'PT409', 'a key that is revoked, expired or replaced already cannot be replaced',
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
  'A successor has name and scopes of the old key, an expiry of its own, and its own creator and hash'
);
select results_eq(
  $$ select old.expires_at, old.revoked_at, old.replaced_by::text, old.created_by from ids, pg_temp.stored(mail) as old $$,
  $$ select now() + interval '1 hour', null::timestamptz, key ->> 'id', pg_temp.id('Ada of Acorn') from successor $$,
  'The old key expires at the end of the overlap and names its successor'
);
select throws_ok(
  'select public.replace_api_key((select mail from ids))', 'PT409', null, 'A key that is replaced cannot be replaced again: its successor can'
);
select lives_ok($$ select public.replace_api_key((select (key ->> 'id')::uuid from successor), '7 days') $$, 'A successor can be replaced');
do $$ begin perform public.replace_api_key(warehouse, '24 hours') from ids; end $$;
select is(
  (select old.expires_at from ids, pg_temp.stored(warehouse) as old), now() + interval '30 minutes',
  'An overlap never makes a key live longer than it was to'
);
select is(
  (select pg_temp.history(mail) from ids), array['created Mail Ada', 'replaced Mail Amy'],
  'The history says who replaced a key'
);
do $$ begin perform public.revoke_api_key((key ->> 'id')::uuid) from successor; end $$;
select is((select (pg_temp.stored(mail)).revoked_at from ids), null, 'Revoking a successor leaves the old key as it is');

-- Rename

select is(
  (select public.rename_api_key(warehouse, 'Storage')::text from ids), (select format('{"id" : "%s", "name" : "Storage"}', warehouse) from ids),
  'An admin can rename a key: the answer says which, and how it is called now'
);
do $$ begin perform public.rename_api_key(warehouse, 'Storage') from ids; end $$;
select is(
  (select pg_temp.history(warehouse) from ids), array['created Warehouse Ada', 'replaced Warehouse Amy', 'renamed Warehouse Storage Amy'],
  'The history says both names and who renamed; the same name once more is no event'
);
select throws_ok(
  $$ select public.rename_api_key((select warehouse from ids), '  ') $$, 'PT400', 'name must be a text of 1 to 100 characters',
  'A name of blanks is refused'
);
select throws_ok(
  $$ select public.rename_api_key((select revoked from ids), 'X') $$, 'PT409', 'a revoked key cannot be renamed', 'A revoked key keeps its name'
);

select * from finish();
rollback;
