-- An account with a verified second factor is an admin only in a session that has shown it (aal2).
begin;
\ir helpers.psql
select plan(39);

select pg_temp.meet();
select pg_temp.hire('Acorn', 'Zoe', 'zoe@acorn.example', 'admin'), pg_temp.sign_up('Zoe', 'zoe@acorn.example');
create temporary table keys as select pg_temp.make_key('Ada', 'Ada''s') as id;
grant select on keys to authenticated;

create function pg_temp.add_factor(person text, status auth.factor_status) returns void language sql
begin atomic
  insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at)
  values (gen_random_uuid(), pg_temp.id(person), 'totp', status, now(), now());
end;

-- What an admin may do, with what each returns at most in part.
create temporary table calls (call text, answer text);
insert into calls values
  ('select public.list_api_keys()', '%"name":"Ada''s"%'),
  ('select public.list_api_key_events()', '%"action":"created"%'),
  ('select m.name from app.members as m where m.name = ''Max''', 'Max'),
  ('select public.create_api_key(''new'')', '%"api_key" : "sk_live_%'),
  ('select public.let_assistant_read(''Claude'', ''{read:members}'', now() + interval ''1 day'', ''program'')', '%"code" : %'),
  ('select public.rename_api_key((select id from keys), ''Ada''''s'')', '%"name" : "Ada''s"%'),
  ('select public.replace_api_key((select id from keys))', '%"api_key" : "sk_live_%'),
  ('select public.revoke_api_key((select id from keys))', '%"revoked_by" : "Ada"%');

-- What Ada gets in a session of this level for each call; nothing of it remains.
create function pg_temp.tried(call text, aal text) returns text language plpgsql as $$
declare
  answer text;
begin
  answer := pg_temp.done_by('Ada', call, aal => aal);
  raise exception using errcode = 'PT000', message = answer;
exception
  when sqlstate 'PT000' then return answer;
end
$$;

select pg_temp.add_factor('Ada', 'unverified'), pg_temp.add_factor('Amy', 'verified');
select alike(pg_temp.tried(call, 'aal1'), answer, 'Without a verified factor of their own an admin needs none: ' || call) from calls;
select pg_temp.add_factor('Ada', 'verified');
select is(
  pg_temp.tried(call, aal),
  'PT403 this account has a second factor: verify its code, then call again with the token of that session | second_factor',
  -- Proves: layer.21
  format('With a verified factor a session of %s is refused: %s', aal, call)
)
from calls, (values ('aal1'), (null)) as levels (aal);
select alike(pg_temp.tried(call, 'aal2'), answer, 'With the factor shown it works: ' || call) from calls;

-- The first call after a sign-in

select pg_temp.add_factor(person, 'verified') from unnest(array['Zoe', 'Max']) as person;
select is(
  pg_temp.done_by(person, 'select array_to_string(array(select value from json_each_text(public.link_member())), '' '', ''-'')', aal => aal),
  answer, name
)
from (values
  ('Ada', 'aal1', 'second_factor_wanted - - - -', 'Without the factor, link_member says that it is wanted, and nothing else'),
  ('Max', 'aal1', 'second_factor_wanted - - - -', 'Nor does it tell who the admins are'),
  ('Zoe', 'aal1', 'second_factor_wanted - - - -', 'Nor does it link anybody'),
  ('Ada', 'aal2', 'linked Acorn Ada admin -', 'With the factor it answers as ever')
) as answers (person, aal, answer, name);
select is_empty($$ select from app.member_accounts where user_id = pg_temp.id('Zoe') $$, 'Whoever has not shown their factor is linked to nobody');

-- An assistant: what an admin agreed to with the factor is fetched without it

create temporary table agreed as select pg_temp.done_by('Ada', $$
  select public.let_assistant_read('Claude', '{read:members}', now() + interval '1 day', 'program') ->> 'code'
$$, aal => 'aal2') as code;
select alike(
  pg_temp.done_by(
    'nobody', format('select public.redeem_assistant_code(%L, %L)', encode(sha256(convert_to(code, 'UTF8')), 'hex'), 'program'), 'service_role'
  ),
  '%"name" : "Claude", "api_key" : "sk_live_%',
  -- Proves: signin.12
  'A program gets the key that an admin with a factor has agreed to'
)
from agreed;
select is(
  (select m.name from app.api_keys as k join app.members as m on m.id = k.created_by where k.assistant = 'Claude'), 'Ada',
  'and the key is theirs'
);
rollback;
