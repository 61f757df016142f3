-- Every table and view, every command, every role: what is refused for want of a grant, and what the policies let through.
begin;
create extension if not exists pgtap with schema extensions;
-- Only so that pgTAP itself can be called while acting as public_api.
grant usage on schema extensions to public_api;
select plan(38);

-- Acorn and Birch: the same people and things in both, with a row in every table.

\ir helpers.psql

-- What app.authenticate leaves behind when it has verified a key.
create function pg_temp.verified_key_of(company text) returns void language sql
begin atomic
  select set_config('app.company_id', pg_temp.id(company)::text, true);
end;

create function pg_temp.furnish(company text) returns void language sql
begin atomic
  insert into app.companies (id, name) values (pg_temp.id(company), company);
  insert into app.teams (company_id, id, name) values (pg_temp.id(company), pg_temp.id(company || ' team'), 'Garden');
  insert into app.members (company_id, id, name, email, role) values
    (pg_temp.id(company), pg_temp.id(company || ' admin'), 'Ada', 'ada@' || company || '.example', 'admin'),
    (pg_temp.id(company), pg_temp.id(company || ' member'), 'Max', 'max@' || company || '.example', 'employee');
  insert into auth.users (id, email, email_confirmed_at)
  select m.id, m.email, now() from app.members as m where m.company_id = pg_temp.id(company);
  insert into app.member_accounts (user_id, company_id, member_id)
  select m.id, m.company_id, m.id from app.members as m where m.company_id = pg_temp.id(company);
  insert into app.categories (company_id, id) values (pg_temp.id(company), pg_temp.id(company || ' category'));
  insert into app.category_names (company_id, category_id, language, name)
  values (pg_temp.id(company), pg_temp.id(company || ' category'), 'en', 'Teamwork');
  insert into app.kudos (company_id, sender_id, receiver_id, category_id, message)
  values (pg_temp.id(company), pg_temp.id(company || ' admin'), pg_temp.id(company || ' member'), pg_temp.id(company || ' category'), 'Thanks');
  insert into app.rewards (company_id, external_id, name, points_cost) values (pg_temp.id(company), 'mug', 'Mug', 10);
  insert into app.day_ratings (company_id, rating) values (pg_temp.id(company), 4);
  insert into app.pulse_questions (company_id, id, question) values (pg_temp.id(company), pg_temp.id(company || ' question'), 'Busy?');
  insert into app.pulse_responses (company_id, question_id, value) values (pg_temp.id(company), pg_temp.id(company || ' question'), 'true');
  select pg_temp.sign_in(company || ' admin');
  insert into app.api_keys (name, scopes) values (company || ' key', '{read:members}');
end;

do $$
begin
  perform pg_temp.furnish('Acorn');
  perform pg_temp.furnish('Birch');
  perform set_config('request.jwt.claims', '', true);
end
$$;

-- The tables and views of this project.
create function pg_temp.relations() returns regclass[] language sql stable
return array(
  select c.oid::regclass from pg_class as c
  where c.relnamespace in (select n.oid from pg_namespace as n where n.nspname in ('app', 'api', 'staging'))
    and c.relkind in ('r', 'p', 'v', 'm', 'f')
);

-- Whether the acting role may run a statement. Nothing of it stays. 55000 and 0A000: a view, or a column of one, that nobody can
-- write to.
create function pg_temp.may(statement text) returns boolean language plpgsql as $$
begin
  execute statement;
  raise exception using errcode = 'P0000';
exception
  when insufficient_privilege or object_not_in_prerequisite_state or feature_not_supported then return false;
  when others then return true;
end
$$;

-- What the acting role may do at all, found by trying every command on every column of every table and view.
create function pg_temp.works() returns table (relation text, command text, columns text) language sql
begin atomic
  select
    c.oid::regclass::text,
    tried.command,
    case when bool_and(answer.may) then '*' else string_agg(a.attname, ', ' order by a.attname) filter (where answer.may) end
  from pg_class as c
  join pg_attribute as a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  cross join lateral (values
    ('select', format('select %I from %s where false', a.attname, c.oid::regclass)),
    ('insert', format('insert into %2$s (%1$I) overriding system value select (null::%2$s).%1$I where false', a.attname, c.oid::regclass)),
    ('update', format('update %2$s set %1$I = default where false', a.attname, c.oid::regclass)),
    ('delete', format('delete from %s where false', c.oid::regclass)),
    ('truncate', case when c.relkind <> 'v' then format('truncate %s cascade', c.oid::regclass) end)
  ) as tried (command, statement)
  cross join lateral (select pg_temp.may(tried.statement) as may where tried.statement is not null) as answer
  where c.oid = any (pg_temp.relations())
  group by c.oid, tried.command
  having bool_or(answer.may);
end;

-- Whose rows the acting role sees in every table and view that it may read.
create function pg_temp.sees() returns table (relation text, companies text) language plpgsql as $$
declare
  company_column text;
begin
  for relation in select unnest(pg_temp.relations())::text loop
    company_column := case relation when 'app.companies' then 'id' else 'company_id' end;
    if pg_temp.may(format('select %I from %s where false', company_column, relation)) then
      execute format(
        $query$
          select string_agg(distinct case company
            when pg_temp.id('Acorn') then 'Acorn' when pg_temp.id('Birch') then 'Birch' else 'somebody else' end, ' and ')
          from (select %I as company from %s) as visible
        $query$, company_column, relation) into companies;
      return next;
    end if;
  end loop;
end
$$;

-- Acting as anon: nobody has signed in.
set local role anon;

select is_empty('select * from pg_temp.works()', 'anon can do nothing with any column of any table or view');
select throws_ok('select * from app.members', '42501', null, 'anon cannot read members');
select throws_ok('select * from api.members', '42501', null, 'anon cannot read the view of members');

-- Acting as the project's secret key, which no policy binds.
set local role service_role;

select is_empty('select * from pg_temp.works()', 'service_role can do nothing with any column of any table or view');
select throws_ok('select * from app.api_keys', '42501', null, 'service_role cannot read API keys, although no policy binds it');

-- Acting as somebody who has signed in and is no member of any company.
set local role authenticated;
set local request.jwt.claims = '{"sub": "00000000-0000-4000-8000-000000000000"}';

select bag_eq(
  'select * from pg_temp.works()',
  $$ values
    ('app.members', 'select', 'company_id, id, name'),
    ('app.api_keys', 'select', 'company_id, created_at, created_by, expires_at, hint, id, name, replaced_by, revoked_at, revoked_by, scopes'),
    ('app.api_keys', 'insert', 'expires_at, name, scopes'),
    ('app.api_keys', 'update', 'expires_at, name, replaced_by, revoked_at'),
    ('app.api_key_uses', 'select', '*'),
    ('app.api_key_events', 'select', '*') $$,
  'authenticated can read names of members, keys without their hash, uses and history, name a new key and revoke one, and nothing else'
);
select throws_ok('select key_hash from app.api_keys', '42501', null, 'authenticated cannot read the hash of a key');
select throws_ok('select email from app.members', '42501', null, 'authenticated cannot read addresses of members');
select bag_eq(
  'select * from pg_temp.sees()',
  $$ values ('app.members', null), ('app.api_keys', null), ('app.api_key_uses', null), ('app.api_key_events', null) $$,
  'Whoever is signed in and no member sees no row of any table'
);
select throws_ok(
  $$ insert into app.api_keys (name, scopes) values ('Key', '{read:members}') $$,
  '42501', 'new row violates row-level security policy for table "api_keys"',
  'Whoever is signed in and no member cannot insert a key'
);

-- Acting as nobody: a session without a user.
set local request.jwt.claims = '';

select bag_eq(
  'select * from pg_temp.sees()',
  $$ values ('app.members', null), ('app.api_keys', null), ('app.api_key_uses', null), ('app.api_key_events', null) $$,
  'A session without a user sees no row of any table'
);

-- Acting as Max, a plain member of Acorn.
select pg_temp.sign_in('Acorn member');

select bag_eq(
  'select * from pg_temp.sees()',
  $$ values ('app.members', null), ('app.api_keys', null), ('app.api_key_uses', null), ('app.api_key_events', null) $$,
  'A plain member sees no row of any table, not even their own'
);
select throws_ok(
  $$ insert into app.api_keys (name, scopes) values ('Key', '{read:members}') $$,
  '42501', 'new row violates row-level security policy for table "api_keys"',
  'A plain member cannot insert a key'
);
select is_empty(
  $$ update app.api_keys set revoked_at = now() returning id $$,
  'A plain member''s update reaches no key'
);

-- Acting as Ada, an admin of Acorn.
select pg_temp.sign_in('Acorn admin');

select bag_eq(
  'select * from pg_temp.sees()',
  $$ values ('app.members', 'Acorn'), ('app.api_keys', 'Acorn'), ('app.api_key_uses', 'Acorn'), ('app.api_key_events', 'Acorn') $$,
  'An admin sees members, keys, uses and history of their own company only'
);
select results_eq(
  'select name from app.members order by name', array['Ada', 'Max'],
  'An admin sees every member of their company'
);
select results_eq(
  $$ insert into app.api_keys (name, scopes) values ('Second key', '{read:members}') returning company_id $$,
  array[pg_temp.id('Acorn')],
  'An admin can insert a key, and it belongs to their own company'
);
select is_empty(
  $$ update app.api_keys set revoked_at = now() where company_id = pg_temp.id('Birch') returning id $$,
  'An admin''s update reaches no key of another company'
);
select results_eq(
  $$ update app.api_keys set revoked_at = now() where name = 'Acorn key' returning name $$, array['Acorn key'],
  'An admin can revoke a key of their own company'
);
select throws_ok(
  'delete from app.api_keys', '42501', 'permission denied for table api_keys',
  'An admin cannot delete a key: revoked keys stay listed'
);

-- Acting as Ada of Birch.
select pg_temp.sign_in('Birch admin');

select bag_eq(
  'select * from pg_temp.sees()',
  $$ values ('app.members', 'Birch'), ('app.api_keys', 'Birch'), ('app.api_key_uses', 'Birch'), ('app.api_key_events', 'Birch') $$,
  'Another company''s admin sees that company only'
);
reset role;
select is_empty(
  $$ select k.name from app.api_keys as k where k.company_id = pg_temp.id('Birch') and k.revoked_at is not null $$,
  'No key of Birch has been revoked by what Acorn''s people did'
);

-- Acting as public_api, before any key has been verified.
set local role public_api;

select bag_eq(
  'select * from pg_temp.works()',
  $$
    values
    ('app.companies', 'select', 'default_language, id, name'),
    ('app.teams', 'select', '*'),
    ('app.members', 'select', '*'),
    ('app.categories', 'select', '*'),
    ('app.category_names', 'select', '*'),
    ('app.kudos', 'select', '*'),
    ('app.rewards', 'select', '*'),
    ('app.rewards', 'insert', 'company_id, description, external_id, name, points_cost, reward_type'),
    ('app.rewards', 'update', 'description, name, points_cost, reward_type'),
    ('app.day_ratings', 'select', '*'),
    ('app.pulse_questions', 'select', '*'),
    ('app.pulse_responses', 'select', '*')
    union all
    select oid::regclass::text, 'select', '*' from pg_class where relnamespace = 'api'::regnamespace
  $$,
  'public_api can read what the API serves and write the columns that an import writes, and nothing else'
);
select throws_ok('select * from app.api_keys', '42501', null, 'public_api cannot read API keys');
select throws_ok('select created_at from app.companies', '42501', null, 'public_api cannot read since when there are companies');
select is_empty(
  'select * from pg_temp.sees() where companies is not null',
  'public_api sees no row of any table or view while no key has been verified'
);
select throws_ok(
  $$ insert into app.rewards (company_id, external_id, name, points_cost) values (pg_temp.id('Acorn'), 'cup', 'Cup', 1) $$,
  '42501', 'new row violates row-level security policy for table "rewards"',
  'public_api cannot insert a reward while no key has been verified'
);
select is_empty(
  $$ update app.rewards set name = 'Taken' returning id $$,
  'public_api''s update reaches no reward while no key has been verified'
);

-- Acting as public_api in a pooled session, where an earlier transaction has left the setting empty.
set local app.company_id = '';

select is_empty(
  'select * from pg_temp.sees() where companies is not null',
  'public_api sees no row when the company of the transaction is empty'
);

-- Acting as public_api with a key of Acorn.
select pg_temp.verified_key_of('Acorn');

select results_eq(
  'select companies, count(*) from pg_temp.sees() group by companies',
  $$ select 'Acorn', count(*) from pg_temp.works() where command = 'select' $$,
  'With a key of Acorn public_api sees rows of Acorn in every table and view that it may read, and nobody else''s'
);
select results_eq(
  $$ update app.rewards set name = 'Taken' returning company_id $$, array[pg_temp.id('Acorn')],
  'With a key of Acorn an update without any condition reaches the rewards of Acorn only'
);
select results_eq(
  $$ insert into app.rewards (company_id, external_id, name, points_cost) values (pg_temp.id('Acorn'), 'cup', 'Cup', 1) returning name $$,
  array['Cup'],
  'With a key of Acorn public_api can insert a reward of Acorn'
);
select throws_ok(
  $$ insert into app.rewards (company_id, external_id, name, points_cost) values (pg_temp.id('Birch'), 'cup', 'Cup', 1) $$,
  '42501', 'new row violates row-level security policy for table "rewards"',
  'With a key of Acorn public_api cannot insert a reward of Birch'
);
select throws_ok(
  $$
    insert into app.rewards (company_id, external_id, name, points_cost) values (pg_temp.id('Birch'), 'mug', 'Mug', 1)
    on conflict (company_id, external_id) do update set name = 'Taken'
  $$,
  '42501', 'new row violates row-level security policy for table "rewards"',
  'With a key of Acorn public_api cannot update a reward of Birch through on conflict either'
);
select throws_ok(
  $$ update app.rewards set company_id = pg_temp.id('Birch') $$, '42501', 'permission denied for table rewards',
  'public_api cannot move a reward to another company'
);
select throws_ok(
  'delete from app.rewards', '42501', 'permission denied for table rewards',
  'public_api cannot delete a reward'
);

-- Acting as public_api with a key of Birch.
select pg_temp.verified_key_of('Birch');

select results_eq(
  'select companies, count(*) from pg_temp.sees() group by companies', $$ values ('Birch', 17::bigint) $$,
  'With a key of Birch public_api sees rows of Birch in all 17 tables and views that it may read, and nobody else''s'
);
reset role;
select results_eq(
  $$ select name from app.rewards where company_id = pg_temp.id('Birch') $$, array['Mug'],
  'No reward of Birch has been changed with Acorn''s key'
);

select * from finish();
rollback;
