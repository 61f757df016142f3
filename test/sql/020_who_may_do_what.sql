-- Who may do what: the privileges of each role on every column, table, view and function.
-- Each actor then reads and writes rows and manages keys. What is not listed in this file must be refused.
begin;
\ir helpers.psql
select plan(47);

select pg_temp.new_company_with_rows(company) from unnest(array['Acorn', 'Birch']) as company;

-- The actors, with what the database knows of each: the role, who has signed in, and the company of the verified key.
create temporary table actors (place integer, actor text, role text, signed_in text, company text);
insert into actors values
  (1, 'anon', 'anon', null, null),
  (2, 'the secret key', 'service_role', null, null),
  (3, 'a session without a user', 'authenticated', null, null),
  (4, 'a person of no company', 'authenticated', 'nobody''s user', null),
  (5, 'a member of Acorn', 'authenticated', 'Acorn member''s user', null),
  (6, 'an admin of Acorn', 'authenticated', 'Acorn user', null),
  (7, 'an admin of Birch', 'authenticated', 'Birch user', null),
  (8, 'no key', 'public_api', null, null),
  -- An earlier transaction of the session leaves an empty setting behind.
  (9, 'no key, in a pooled session', 'public_api', null, ''),
  (10, 'a key of Acorn', 'public_api', null, 'Acorn'),
  (11, 'a key of Birch', 'public_api', null, 'Birch');

-- The result of a statement, run by this actor: its value, or the error that refuses it. All its changes are rolled
-- back, the role too.
create function pg_temp.try(actor text, statement text) returns text language plpgsql as $$
declare
  acting record;
  answer text;
begin
  select * into acting from actors as a where a.actor = try.actor;
  perform set_config('request.jwt.claims', coalesce(json_build_object('sub', pg_temp.id(acting.signed_in))::text, ''), true);
  if acting.company is not null then
    perform set_config('app.company_id', coalesce(pg_temp.id(nullif(acting.company, ''))::text, ''), true);
  end if;
  perform set_config('role', acting.role, true);
  execute statement into answer;
  raise exception using errcode = 'P0000';
exception
  when sqlstate 'P0000' then return answer;
  when others then return sqlstate || ' ' || sqlerrm;
end
$$;

-- The tables and views that are tested: those of this project, and those that its migrations could open by mistake.
create temporary view relations as
select c.oid, c.oid::regclass::text as name, c.relkind
from pg_class as c
where c.relnamespace in (
    select n.oid from pg_namespace as n where n.nspname in ('app', 'lists', 'staging', 'public', 'auth', 'supabase_migrations')
  )
  and c.relkind in ('r', 'p', 'v', 'm', 'f')
  and not exists (select from pg_depend as d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e');
grant select on relations to public;

-- All that a role may do: a command, its columns (* for all), and the table, view or function.
create function pg_temp.can(role text) returns table (command text, columns text, object text) language sql stable
begin atomic
  select command, case when bool_and(may) then '*' else string_agg(a.attname, ', ' order by a.attname) filter (where may) end, r.name
  from relations as r
  join pg_attribute as a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
  cross join unnest(array['select', 'insert', 'update', 'references']) as right_to, unnest(array['', ' with grant option']) as passed_on
  cross join lateral (select right_to || passed_on) as tried (command)
  cross join lateral has_column_privilege(role, r.oid, a.attnum, command) as may
  group by r.name, command
  having bool_or(may)
  union all
  select command, '*', r.name from relations as r, unnest(array['delete', 'truncate', 'trigger']) as command
  where has_table_privilege(role, r.oid, command)
  union all
  select command, '*', p.pronamespace::regnamespace || '.' || p.proname
  from pg_proc as p, unnest(array['execute', 'execute with grant option']) as command
  -- An owner may always grant.
  where (command = 'execute' or p.proowner <> role::regrole) and p.pronamespace::regnamespace::text in ('app', 'lists', 'staging', 'public')
    and has_function_privilege(role, p.oid, command)
    and not exists (select from pg_depend as d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e');
end;

-- Roles

create temporary table expected (roles text[], command text, columns text, objects text[]);
insert into expected values
  -- The functions that serve API keys. The project's secret key, which no policy binds, can do nothing else. public_api
  -- owns them.
  ('{service_role,public_api}', 'execute', '*', '{public.average_day_ratings,public.count_activity,public.list_activity,public.list_categories,public.list_changes,
    public.list_day_ratings,public.list_members,public.list_pulse_responses,public.list_rewards,public.list_teams,public.note_refused_use,public.read_page,
    public.upsert_rewards,public.verify_api_key}'),
  -- Exchanging a code for a key. An authenticated session of it lasts for the transaction.
  ('{service_role}', 'execute', '*', '{public.redeem_assistant_code}'),
  -- Signed-in people: names of members, keys without their hash, their uses and their history; creating a key, and
  -- changing the columns of a key that may change.
  ('{authenticated}', 'select', '*', '{app.api_key_uses,app.api_key_events}'),
  ('{authenticated}', 'select', 'company_id, id, name', '{app.members}'),
  ('{authenticated}', 'select', 'assistant, assistant_address, company_id, created_at, created_by, expires_at, hint, id, name, replaced_by, revoked_at, revoked_by, scopes',
    '{app.api_keys}'),
  ('{authenticated}', 'insert', 'expires_at, name, scopes', '{app.api_keys}'),
  ('{authenticated}', 'update', 'expires_at, name, replaced_by, revoked_at', '{app.api_keys}'),
  ('{authenticated}', 'execute', '*', '{public.create_api_key,public.let_assistant_read,public.link_member,public.list_api_key_events,public.list_api_keys,
    public.rename_api_key,public.replace_api_key,public.revoke_api_key,app.check_api_key_name,app.count_day,app.current_admin,app.current_admins,
    app.insert_api_key,app.iso_8601,app.link_member,app.scopes,app.signed_in_member,app.wants_second_factor}'),
  -- The rights of these functions as public_api: they read what the API returns, and write the columns of an import.
  ('{public_api}', 'select', '*', '{lists.members,lists.teams,lists.activity,lists.activity_with_ids,lists.activity_with,
    lists.categories,lists.rewards,lists.rewards_with,lists.day_ratings,lists.day_ratings_with,lists.pulse_responses,
    lists.pulse_responses_with,
    app.teams,app.members,app.categories,app.kudos,app.rewards,app.day_ratings,app.pulse_questions,app.pulse_responses,
    app.deletions,app.forgotten_deletions}'),
  ('{public_api}', 'select', 'id, name', '{app.companies}'),
  ('{public_api}', 'insert',
    'company_id, description, external_id, image_url, is_archived, name, points_cost, reward_type, stock_count, vendor_name', '{app.rewards}'),
  ('{public_api}', 'update', 'description, image_url, is_archived, name, points_cost, reward_type, stock_count, vendor_name', '{app.rewards}'),
  ('{public_api}', 'execute', '*', '{app.admit,app.authenticate,app.current_company_id,app.end_page,app.first_of_day,app.first_of_window,
    app.from_replica,app.iso_8601,app.max_replica_lag,app.most_groups,app.note_refused_use,app.oldest_write,app.periods,
    app.requests_at_once,app.respond,app.take_turn_of_total,app.totals_at_once,
    lists.answer,lists.begin,lists.changed,lists.changed_and_deleted,lists.cursor,lists.cursor_origin,
    lists.included_in_activity,lists.includes,lists.is_after,lists.is_in,lists.masked_cursors,lists.member_with_email,lists.only,lists.origin_of_cursors,
    lists.plain,lists.rarest_kudos_filter,lists.rarest_member_filter,lists.refuse_cursor,lists.relation,lists.scope,lists.unmask_cursor}');

select bag_eq(
  format('select * from pg_temp.can(%L)', role),
  format('select command, columns, unnest(objects) from expected where %L = any (roles)', role),
  -- Proves: layer.6, layer.7
  format('%s can do what stands here, and nothing else', role)
)
from unnest(array['anon', 'authenticator', 'service_role', 'authenticated', 'public_api']) as role;

-- The rows that each actor finds in the tables and views that it may read: those of which companies.

create function pg_temp.whose(company uuid) returns text language sql immutable
return case company when pg_temp.id('Acorn') then 'Acorn' when pg_temp.id('Birch') then 'Birch' else 'somebody else' end;

create function pg_temp.found_by(actor text) returns table (relation text, companies text) language plpgsql as $$
declare
  company_column text;
begin
  for relation in select r.name from relations as r where r.name ~ '^(app|lists)\.' and r.name <> 'app.cursor_key' loop
    company_column := case relation when 'app.companies' then 'id' else 'company_id' end;
    companies := pg_temp.try(actor, format('select coalesce(string_agg(distinct pg_temp.whose(%I), '' and ''), ''nobody'') from %s', company_column, relation));
    if companies !~ '^42501 permission denied' then
      return next;
    end if;
  end loop;
end
$$;
select bag_eq(
  'select actor, companies, count(*) from actors, pg_temp.found_by(actor) group by actor, companies',
  $$
    select actor, companies, (select sum(cardinality(objects)) from expected where command = 'select' and role = any (roles))
    from (values
      ('a session without a user', 'nobody'), ('a person of no company', 'nobody'), ('a member of Acorn', 'nobody'),
      ('an admin of Acorn', 'Acorn'), ('an admin of Birch', 'Birch'),
      ('no key', 'nobody'), ('no key, in a pooled session', 'nobody'), ('a key of Acorn', 'Acorn'), ('a key of Birch', 'Birch')
    ) as finders (actor, companies)
    join actors using (actor)
  $$,
  -- Proves: layer.8
  'In every table and view that it may read each actor finds rows of its own company and of no other; without a company, no row'
);

-- Writing without the functions: whose rows are written, or the error that refuses it

select is(
  pg_temp.try(actor, format('with written as (%s returning company_id) select coalesce(string_agg(distinct pg_temp.whose(company_id), '' and ''), ''nobody'') from written', statement)),
  outcome, name
)
from (values
  ('a person of no company', $$ insert into app.api_keys (name, scopes) values ('Key', '{read:members}') $$,
    '42501 new row violates row-level security policy for table "api_keys"', 'A signed-in person who is no member cannot insert a key'),
  ('a member of Acorn', $$ insert into app.api_keys (name, scopes) values ('Key', '{read:members}') $$,
    '42501 new row violates row-level security policy for table "api_keys"', 'A plain member cannot insert a key'),
  ('an admin of Acorn', $$ insert into app.api_keys (name, scopes) values ('Key', '{read:members}') $$,
    'Acorn', 'A key that an admin inserts belongs to their own company'),
  ('a member of Acorn', 'update app.api_keys set revoked_at = now()', 'nobody', 'A plain member''s update reaches no key'),
  ('an admin of Acorn', 'update app.api_keys set revoked_at = now()', 'Acorn', 'An admin''s update without any condition reaches the keys of their company only'),
  ('no key', $$ insert into app.rewards (company_id, external_id, name, points_cost) values (pg_temp.id('Acorn'), 'cup', 'Cup', 1) $$,
    '42501 new row violates row-level security policy for table "rewards"', 'While no key has been verified no reward is inserted'),
  ('no key', $$ update app.rewards set name = 'Taken' $$, 'nobody', 'While no key has been verified an update reaches no reward'),
  ('a key of Acorn', $$ update app.rewards set name = 'Taken' $$,
    'Acorn', 'With a key of Acorn an update without any condition reaches the rewards of Acorn only'),
  ('a key of Acorn', $$ insert into app.rewards (company_id, external_id, name, points_cost) values (pg_temp.id('Acorn'), 'cup', 'Cup', 1) $$,
    'Acorn', 'With a key of Acorn a reward of Acorn is inserted'),
  ('a key of Acorn', $$ insert into app.rewards (company_id, external_id, name, points_cost) values (pg_temp.id('Birch'), 'cup', 'Cup', 1) $$,
    '42501 new row violates row-level security policy for table "rewards"', 'With a key of Acorn no reward of Birch is inserted'),
  ('a key of Acorn', $$ insert into app.rewards (company_id, external_id, name, points_cost) values (pg_temp.id('Birch'), 'mug', 'Mug', 1)
    on conflict (company_id, external_id) do update set name = 'Taken' $$,
    '42501 new row violates row-level security policy for table "rewards"', 'With a key of Acorn no reward of Birch is updated through on conflict either')
) as written (actor, statement, outcome, name);

-- Managing keys: the result of each function of the dashboard for each actor

-- Proves: keys.16, keys.17, actor.3, actor.4
select is(pg_temp.try(actor, format(statement, key.id)), outcome, format('%s, as %s: %s', task, actor, coalesce(outcome, 'none')))
from (values
  ('Creating a key', $$ select public.create_api_key('New') ->> 'name' $$, 'New', 'New', 'PT403 only an admin may create API keys'),
  ('Listing keys', $$ select string_agg(key ->> 'name', ' ') from json_array_elements(public.list_api_keys()) as key $$, 'Acorn key', 'Birch key', null),
  ('Reading the history', $$ select string_agg(event ->> 'key_name', ' ') from json_array_elements(public.list_api_key_events()) as event $$,
    'Acorn key', 'Birch key', null),
  ('Renaming a key of Acorn', $$ select public.rename_api_key(%L, 'New') ->> 'name' $$, 'New', 'PT404', 'PT404'),
  ('Replacing a key of Acorn', $$ select public.replace_api_key(%L) ->> 'name' $$, 'Acorn key', 'PT404', 'PT404'),
  ('Revoking a key of Acorn', $$ select public.revoke_api_key(%L) ->> 'revoked_by' $$, 'Ada', 'PT404', 'PT404')
) as tasks (task, statement, of_admin, of_other_admin, of_others)
cross join lateral (values
  ('an admin of Acorn', of_admin), ('an admin of Birch', of_other_admin), ('a member of Acorn', of_others), ('a person of no company', of_others),
  ('a session without a user', of_others)
) as answers (actor, answer)
cross join lateral (select case answer when 'PT404' then 'PT404 no API key of your company has this id' else answer end as outcome) as whole
join app.api_keys as key on encode(key.key_hash, 'hex') = pg_temp.key('Acorn');
rollback;
