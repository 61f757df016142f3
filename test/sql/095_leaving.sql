-- app.erase_member: which accounts go with a person. What else goes and stays is in test/database/erasing.test.ts.
begin;
\ir helpers.psql
select plan(3);

select pg_temp.meet();

-- Max of Acorn has an account under another address, and an older one that was never linked, under his own. Amy is
-- linked to an account with Max's address. Zoe is a member of Acorn and of Birch, and has linked her account to neither.
select pg_temp.sign_up('Max of old', 'MAX@acorn.example');
update auth.users set email = 'Max@acorn.example' where id = pg_temp.id('Amy');
select pg_temp.hire('Acorn', 'Zoe', 'zoe@both.example'), pg_temp.hire('Birch', 'Zoe', 'Zoe@both.example');
select pg_temp.sign_up('Zoe', 'zoe@both.example');

-- Erases a member. Returns how many accounts that says it deleted, and whose are gone.
create function pg_temp.erased(company text, member text) returns text[] language plpgsql as $$
declare
  before uuid[] := array(select u.id from auth.users as u);
  accounts bigint;
begin
  select e.accounts into accounts from app.erase_member(pg_temp.id(company), pg_temp.id(member || ' of ' || company), false) as e;
  return accounts::text || array(
    select person from unnest(array['Ada', 'Amy', 'Max', 'Max of old', 'Ben', 'Eve', 'Zoe']) as person
    where pg_temp.id(person) = any (before) and not exists (select from auth.users as u where u.id = pg_temp.id(person))
  );
end
$$;

select is(
  pg_temp.erased('Acorn', 'Max'), array['2', 'Max', 'Max of old'],
  'With a person go the account that is linked to them and the unlinked one with their address, whatever its case, and nobody else''s'
);
select is(
  pg_temp.erased('Acorn', 'Zoe'), array['0'],
  'An unlinked account stays as long as a member of another company has its address'
);
select is(pg_temp.erased('Birch', 'Zoe'), array['1', 'Zoe'], 'It goes with the last member who has its address');

select * from finish();
rollback;
