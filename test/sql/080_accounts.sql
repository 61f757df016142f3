-- public.link_member: which account is linked to which member; app.erase_member: which accounts go with a person. What else
-- goes and stays is in test/operating/erasing.test.ts.
begin;
\ir helpers.psql
select plan(21);

insert into app.companies (id, name) values (pg_temp.id('Acorn'), 'Acorn'), (pg_temp.id('Birch'), 'Birch');
select pg_temp.hire('Acorn', 'Ada', 'Ada@Acorn.example', 'admin'), pg_temp.hire('Acorn', 'Uma', 'uma@acorn.example'),
  pg_temp.hire('Acorn', 'Sam', 'sam@both.example'), pg_temp.hire('Birch', 'Sam', 'SAM@both.example');
select pg_temp.sign_up('Ada', 'aDA@aCORN.eXAMPLE'), pg_temp.sign_up('Eve', 'eve@elsewhere.example'), pg_temp.sign_up('Sam', 'Sam@Both.example'),
  pg_temp.sign_up('pattern', '%@acorn.example');
insert into auth.users (id, email) values (pg_temp.id('Uma'), 'uma@acorn.example');
insert into auth.users (id, phone, phone_confirmed_at) values (pg_temp.id('phone'), '15550100', now());

-- The answer to this person once a statement has been run; null is a session without a user.
create function pg_temp.linked(person text, before text) returns text language plpgsql as $$
begin
  if before is not null then
    execute before;
  end if;
  return pg_temp.done_by(person, $q$
    select concat_ws(' ', answer ->> 'status', answer ->> 'company_name', answer ->> 'name', answer ->> 'role') from public.link_member() as answer
  $q$);
end
$$;

-- One after the other.
select is(pg_temp.linked(person, before), answer, name)
from (values
  (null, null, 'PT401 this account no longer exists', 'Without a user there is nothing to link'),
  -- Proves: keys.22
  ('Uma', null, 'email_not_confirmed', 'An address that is not confirmed is not linked, although a member has it'),
  ('Uma', $$ update auth.users set email_confirmed_at = now() where id = pg_temp.id('Uma') $$, 'linked Acorn Uma employee',
    'Once it is confirmed, the call links: the answer names company, member and role'),
  -- Proves: keys.26
  ('Eve', null, 'no_member', 'An address that no member has is not linked'),
  ('pattern', null, 'no_member', 'An address is no pattern'),
  ('phone', null, 'email_not_confirmed', 'A sign-in without an address is not linked'),
  -- Proves: keys.23, keys.24
  ('Ada', null, 'linked Acorn Ada admin', 'Addresses are compared without case'),
  ('Ada', null, 'linked Acorn Ada admin', 'A linked account stays linked: calling again answers the same'),
  ('Ada', $$
      update app.members set email = 'somebody@acorn.example' where id = pg_temp.id('Ada of Acorn');
      select pg_temp.hire('Birch', 'Ada', 'ada@acorn.example', 'admin')
    $$, 'linked Acorn Ada admin',
    -- Proves: keys.25
    'A link is for good: when addresses change afterwards it does not move to another member'),
  -- Proves: keys.27
  ('Sam', null, 'several_members', 'An address that members of several companies have is linked to none of them'),
  ('Sam', $$ select pg_temp.sign_up('Sam of old', 'sam.old@both.example'), pg_temp.link('Sam of old', 'Birch', 'Sam') $$, 'linked Acorn Sam employee',
    -- Proves: keys.24
    'A member who is linked already does not count: the one that is left is linked'),
  ('second Uma', $$ select pg_temp.sign_up('second Uma', 'UMA@acorn.example') $$, 'no_member',
    'A member who is linked is not linked to a second sign-in')
) as calls (person, before, answer, name);

select is(
  pg_temp.done_by(person, $$ select coalesce(public.link_member() ->> 'admins', 'null') $$), admins,
  'Who is no admin is told who is, of their own company alone; an admin is told nobody'
)
from (values
  ('Uma', '[{"name" : "Ada", "email" : "somebody@acorn.example"}]'), ('Ada', 'null')
) as told (person, admins);

-- No role of the Data API can write links (020_who_may_do_what.sql), but an operator can.

select throws_ok(
  format('insert into app.member_accounts (user_id, company_id, member_id) values (pg_temp.id(%L), pg_temp.id(%L), pg_temp.id(%L))', person, company, member),
  '23505', null, name
)
from (values
  -- Proves: keys.28
  ('second Uma', 'Acorn', 'Uma of Acorn', 'One member has one sign-in at most, also when an operator links by hand'),
  ('Uma', 'Birch', 'Ada of Birch', 'One sign-in is one member of one company at most, also when an operator links by hand')
) as links (person, company, member, name);

-- Erased, one after the other. Ada of Acorn has another address by now, Ada of Birch has that of her account.

select pg_temp.hire(company, 'Zoe', 'Zoe@both.example') from unnest(array['Acorn', 'Birch']) as company;
select pg_temp.sign_up('Zoe', 'zoe@both.example');

-- How many accounts app.erase_member says that it has deleted, and whose are gone.
create function pg_temp.erased(company text, member text) returns text language plpgsql as $$
declare
  before uuid[] := array(select u.id from auth.users as u);
  accounts bigint;
begin
  select e.accounts into accounts from app.erase_member(pg_temp.id(company), pg_temp.id(member || ' of ' || company), false) as e;
  return format('%s %s', accounts, array(
    select person from unnest(array['Ada', 'Eve', 'Sam', 'Sam of old', 'Uma', 'second Uma', 'Zoe']) as person
    where pg_temp.id(person) = any (before) and not exists (select from auth.users as u where u.id = pg_temp.id(person))
    order by person));
end
$$;
select is(pg_temp.erased(company, member), gone, name)
from (values
  ('Acorn', 'Uma', '2 {Uma,"second Uma"}', 'With a person go the account that is linked to them and the unlinked one with their address, whatever its case'),
  ('Birch', 'Sam', '1 {"Sam of old"}', 'The linked account goes also when it has another address'),
  ('Birch', 'Ada', '0 {}', 'An account with their address stays when it is linked to somebody else'),
  ('Acorn', 'Zoe', '0 {}', 'An unlinked account stays as long as a member of another company has its address'),
  ('Birch', 'Zoe', '1 {Zoe}', 'It goes with the last member who has its address')
) as erasures (company, member, gone, name);
rollback;
