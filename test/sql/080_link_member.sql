-- public.link_member: which account is linked to which member.
begin;
create extension if not exists pgtap with schema extensions;
select plan(23);

\ir helpers.psql

do $$
begin
  insert into app.companies (id, name) values (pg_temp.id('Acorn'), 'Acorn'), (pg_temp.id('Birch'), 'Birch');
  perform pg_temp.hire('Acorn', 'Ada', 'Ada@Acorn.example', 'admin');
  perform pg_temp.hire('Acorn', 'Uma', 'uma@acorn.example');
  perform pg_temp.hire('Acorn', 'Sam', 'sam@both.example');
  perform pg_temp.hire('Birch', 'Sam', 'SAM@both.example');
  perform pg_temp.sign_up('Ada', 'aDA@aCORN.eXAMPLE');
  perform pg_temp.sign_up('Eve', 'eve@elsewhere.example');
  perform pg_temp.sign_up('Sam', 'Sam@Both.example');
  perform pg_temp.sign_up('prefix', 'ada@acorn.exampl');
  perform pg_temp.sign_up('pattern', '%@acorn.example');
  insert into auth.users (id, email) values (pg_temp.id('Uma'), 'uma@acorn.example');
  insert into auth.users (id, phone, phone_confirmed_at) values (pg_temp.id('phone'), '15550100', now());
end
$$;

-- Acting as nobody: a session without a user.
set local role authenticated;
set local request.jwt.claims = '';

select throws_ok('select public.link_member()', 'PT401', 'this account no longer exists', 'Without a user there is nothing to link');

-- Acting as a person whose account was deleted, while their session is still valid.
select pg_temp.sign_in('nobody');

select throws_ok('select public.link_member()', 'PT401', 'this account no longer exists', 'An account that is gone is told so');

-- Acting as Uma, who has not confirmed her address.
select pg_temp.sign_in('Uma');

select is(
  public.link_member()::text, '{"status" : "email_not_confirmed", "company_name" : null, "name" : null, "role" : null}',
  -- Proves: keys.22
  'An address that is not confirmed is not linked, although a member has it'
);
reset role;
update auth.users set email_confirmed_at = now() where id = pg_temp.id('Uma');
set local role authenticated;
select is(
  public.link_member()::text, '{"status" : "linked", "company_name" : "Acorn", "name" : "Uma", "role" : "employee"}',
  'Once it is confirmed, the call links: the answer names company, member and role'
);

-- Acting as people whose address no member has.
select pg_temp.sign_in('Eve');
-- Proves: keys.26
select is(public.link_member() ->> 'status', 'no_member', 'An address that no member has is not linked');
select pg_temp.sign_in('prefix');
select is(public.link_member() ->> 'status', 'no_member', 'A part of a member''s address is not the address');
select pg_temp.sign_in('pattern');
select is(public.link_member() ->> 'status', 'no_member', 'An address is no pattern');
select pg_temp.sign_in('phone');
select is(public.link_member() ->> 'status', 'email_not_confirmed', 'A sign-in without an address is not linked');

-- Acting as Ada.
select pg_temp.sign_in('Ada');

select is(
  public.link_member()::text, '{"status" : "linked", "company_name" : "Acorn", "name" : "Ada", "role" : "admin"}',
  -- Proves: keys.23, keys.24
  'Addresses are compared without case'
);
select is(
  public.link_member()::text, '{"status" : "linked", "company_name" : "Acorn", "name" : "Ada", "role" : "admin"}',
  'Whoever is linked stays linked: calling again answers the same'
);
reset role;
select results_eq(
  $$ select company_id, member_id from app.member_accounts where user_id = pg_temp.id('Ada') $$,
  $$ values (pg_temp.id('Acorn'), pg_temp.id('Ada of Acorn')) $$,
  'A link is one row, and it names the member with that address'
);
update app.members set email = 'somebody@acorn.example' where id = pg_temp.id('Ada of Acorn');
select pg_temp.hire('Birch', 'Ada', 'ada@acorn.example', 'admin');
set local role authenticated;
select is(
  public.link_member()::text, '{"status" : "linked", "company_name" : "Acorn", "name" : "Ada", "role" : "admin"}',
  -- Proves: keys.25
  'A link is for good: when addresses change afterwards it does not move to another member'
);

-- Acting as Sam, whose address two companies have.
select pg_temp.sign_in('Sam');

select is(
  public.link_member()::text, '{"status" : "several_members", "company_name" : null, "name" : null, "role" : null}',
  -- Proves: keys.27
  'An address that members of several companies have is linked to none of them'
);
reset role;
select is_empty(
  $$ select member_id from app.member_accounts where user_id in (pg_temp.id('Sam'), pg_temp.id('Eve')) $$,
  'Whoever is not linked leaves no row behind'
);
select pg_temp.sign_up('Sam of old', 'sam.old@both.example');
select pg_temp.link('Sam of old', 'Birch', 'Sam');
set local role authenticated;
select is(
  public.link_member()::text, '{"status" : "linked", "company_name" : "Acorn", "name" : "Sam", "role" : "employee"}',
  -- Proves: keys.24
  'A member who is linked already does not count: the one that is left is linked'
);

-- Acting as a second account with the address of a linked member.
reset role;
select pg_temp.sign_up('second Uma', 'UMA@acorn.example');
select pg_temp.sign_in('second Uma');
set local role authenticated;

select is(
  public.link_member()::text, '{"status" : "no_member", "company_name" : null, "name" : null, "role" : null}',
  'A member who is linked is not linked to a second sign-in'
);
select throws_ok(
  $$ insert into app.member_accounts (user_id, company_id, member_id)
     values (pg_temp.id('second Uma'), pg_temp.id('Acorn'), pg_temp.id('Ada of Acorn')) $$,
  '42501', 'permission denied for table member_accounts',
  'Nobody can link themselves with SQL of their own'
);
select throws_ok(
  'delete from app.member_accounts', '42501', 'permission denied for table member_accounts',
  'Nobody can undo a link with SQL of their own'
);
select throws_ok(
  'select email from auth.users', '42501', null,
  'Looking through all addresses is what link_member does, not its caller'
);

-- Links and members
reset role;

select throws_ok(
  $$ insert into app.member_accounts (user_id, company_id, member_id)
     values (pg_temp.id('second Uma'), pg_temp.id('Acorn'), pg_temp.id('Uma of Acorn')) $$,
  '23505', null,
  -- Proves: keys.28
  'One member has one sign-in at most, also when an operator links by hand'
);
select throws_ok(
  $$ insert into app.member_accounts (user_id, company_id, member_id)
     values (pg_temp.id('Uma'), pg_temp.id('Birch'), pg_temp.id('Ada of Birch')) $$,
  '23505', null,
  'One sign-in is one member of one company at most, also when an operator links by hand'
);
delete from auth.users where id = pg_temp.id('Uma');
select is_empty(
  $$ select user_id from app.member_accounts where user_id = pg_temp.id('Uma') $$,
  'When a sign-in is deleted, its link goes with it'
);
select isnt_empty(
  $$ select id from app.members where id = pg_temp.id('Uma of Acorn') $$,
  'When a sign-in is deleted, the member stays'
);

select * from finish();
rollback;
