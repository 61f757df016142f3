-- Plans: a page costs the same however long the history behind it. Counted in rows that a call really reads.
begin;
create extension if not exists pgtap with schema extensions;
select plan(41);

-- Ids by name, so that a row reads like a sentence.
create function pg_temp.id(name text) returns uuid language sql immutable return md5(name)::uuid;

-- A company, its admin, who has signed in, and a key with every scope, whose hash is pg_temp.key(company).
create function pg_temp.found(company text) returns void language sql
begin atomic
  insert into app.companies (id, name) values (pg_temp.id(company), company);
  insert into app.members (company_id, id, name, email, role, created_at)
  values (pg_temp.id(company), pg_temp.id(company || ' admin'), 'Ada', 'ada@' || lower(company) || '.example', 'admin', '2026-01-01Z');
  insert into auth.users (id) values (pg_temp.id(company || ' user'));
  insert into app.member_accounts (user_id, company_id, member_id)
  values (pg_temp.id(company || ' user'), pg_temp.id(company), pg_temp.id(company || ' admin'));
  select set_config('request.jwt.claims', json_build_object('sub', pg_temp.id(company || ' user'))::text, true);
  with made as (insert into app.api_keys (name, scopes) values ('Every scope', app.scopes()) returning key_hash)
  select set_config('test.' || company, encode(made.key_hash, 'hex'), true) from made;
end;

create function pg_temp.key(company text) returns text language sql stable
return current_setting('test.' || company);

-- Acorn and Birch, each with a history that no page should read through: 1,000 members in 20 teams, 4,000 kudos, 2,000 rewards,
-- ratings and answers, one a minute. Beside them 200 companies with five keys each.
create function pg_temp.fill(company text) returns void language sql
begin atomic
  insert into app.teams (company_id, id, name)
  select pg_temp.id(company), pg_temp.id(company || ' team ' || n), 'Team ' || n from generate_series(0, 19) as n;
  insert into app.members (company_id, id, name, email, role, team_id, created_at)
  select pg_temp.id(company), pg_temp.id(company || ' member ' || n), 'Member ' || n, n || '@' || company || '.example',
    case n % 10 when 0 then 'lead' else 'employee' end, pg_temp.id(company || ' team ' || n % 20), timestamptz '2026-01-02Z' + n * interval '1 minute'
  from generate_series(0, 999) as n;
  insert into app.categories (company_id, id)
  select pg_temp.id(company), pg_temp.id(company || ' category ' || n) from generate_series(0, 7) as n;
  insert into app.category_names (company_id, category_id, language, name)
  select pg_temp.id(company), pg_temp.id(company || ' category ' || n), language, 'Category ' || n
  from generate_series(0, 7) as n, unnest(array['de', 'en', 'fr']) as language;
  insert into app.kudos (company_id, sender_id, receiver_id, category_id, message, created_at)
  select pg_temp.id(company), pg_temp.id(company || ' member ' || n % 20), pg_temp.id(company || ' member ' || n % 15),
    pg_temp.id(company || ' category ' || n % 8), 'Thanks', timestamptz '2026-01-02Z' + n * interval '1 minute'
  from generate_series(0, 3999) as n;
  insert into app.rewards (company_id, external_id, name, points_cost, is_archived, created_at)
  select pg_temp.id(company), 'item ' || n, 'Item ' || n, n, n % 3 = 0 or n > 1800, timestamptz '2026-01-02Z' + n * interval '1 minute'
  from generate_series(0, 1999) as n;
  insert into app.day_ratings (company_id, rating, team_id, created_at)
  select pg_temp.id(company), 3, pg_temp.id(company || ' team ' || n % 20), timestamptz '2026-01-02Z' + n * interval '1 minute'
  from generate_series(0, 1999) as n;
  insert into app.pulse_questions (company_id, id, question)
  select pg_temp.id(company), pg_temp.id(company || ' question ' || n), 'Question ' || n from generate_series(0, 19) as n;
  insert into app.pulse_responses (company_id, question_id, created_at)
  select pg_temp.id(company), pg_temp.id(company || ' question ' || n % 20), timestamptz '2026-01-02Z' + n * interval '1 minute'
  from generate_series(0, 1999) as n;
end;

create function pg_temp.fill_in_others() returns void language sql
begin atomic
  insert into app.companies (id, name) select pg_temp.id('Other ' || n), 'Other ' || n from generate_series(1, 200) as n;
  insert into app.members (company_id, id, name, email)
  select pg_temp.id('Other ' || n), pg_temp.id('Other member'), 'Member', 'm@other.example' from generate_series(1, 200) as n;
  insert into app.api_keys (company_id, name, scopes, key_hash, hint, created_by)
  select pg_temp.id('Other ' || n), 'Key', app.scopes(), sha256(format('%s %s', n, m)::bytea), 'of others', pg_temp.id('Other member')
  from generate_series(1, 200) as n, generate_series(1, 5) as m;
  insert into app.api_key_uses (company_id, key_id) select company_id, id from app.api_keys where hint = 'of others';
end;

do $$
declare
  company text;
begin
  foreach company in array array['Acorn', 'Birch'] loop
    perform pg_temp.found(company);
    perform pg_temp.fill(company);
  end loop;
  -- Making thousands of real keys takes long, and nobody will use these.
  alter table app.api_keys disable trigger user;
  perform pg_temp.fill_in_others();
  alter table app.api_keys enable trigger user;
end
$$;
analyze app.companies, app.teams, app.members, app.categories, app.category_names, app.kudos, app.rewards, app.day_ratings,
  app.pulse_questions, app.pulse_responses, app.api_keys, app.api_key_uses;

-- Every statement that a list has, the table that it pages through and the index that has the page's order.
create temporary table pages (place integer, name text, call text, paged regclass, index text);
insert into pages values
  (1, 'members', 'list_members($1, 100)', 'app.members', 'members_newest'),
  (2, 'members of a team', $q$ list_members($1, 20, team_id => pg_temp.id('Acorn team 7')) $q$, 'app.members', 'members_team_newest'),
  (3, 'members with a role', $q$ list_members($1, 50, role => 'lead') $q$, 'app.members', 'members_role_newest'),
  (4, 'kudos', 'list_activity($1, 100)', 'app.kudos', 'kudos_newest'),
  (5, 'kudos of an hour', $q$ list_activity($1, 100, since => '2026-01-04Z', until => '2026-01-04 01:00:00Z') $q$, 'app.kudos', 'kudos_newest'),
  (6, 'kudos until a day', $q$ list_activity($1, 100, until => '2026-01-04Z') $q$, 'app.kudos', 'kudos_newest'),
  (7, 'kudos of a sender', $q$ list_activity($1, 100, sender_id => pg_temp.id('Acorn member 7')) $q$, 'app.kudos', 'kudos_sender_newest'),
  (8, 'kudos to a receiver', $q$ list_activity($1, 100, receiver_id => pg_temp.id('Acorn member 7')) $q$, 'app.kudos', 'kudos_receiver_newest'),
  (9, 'kudos of a category', $q$ list_activity($1, 100, category_id => pg_temp.id('Acorn category 7')) $q$, 'app.kudos', 'kudos_category_newest'),
  (10, 'kudos of a category until a day', $q$ list_activity($1, 100, until => '2026-01-04Z', category_id => pg_temp.id('Acorn category 7')) $q$,
    'app.kudos', 'kudos_category_newest'),
  (11, 'current rewards', 'list_rewards($1, 100)', 'app.rewards', 'rewards_current_newest'),
  (12, 'all rewards', 'list_rewards($1, 100, true)', 'app.rewards', 'rewards_newest'),
  (13, 'day ratings', 'list_day_ratings($1, 100)', 'app.day_ratings', 'day_ratings_newest'),
  (14, 'day ratings until a day', $q$ list_day_ratings($1, 100, until => '2026-01-03Z') $q$, 'app.day_ratings', 'day_ratings_newest'),
  (15, 'day ratings of a team', $q$ list_day_ratings($1, 100, team_id => pg_temp.id('Acorn team 7')) $q$, 'app.day_ratings', 'day_ratings_team_newest'),
  (16, 'pulse answers', 'list_pulse_responses($1, 100)', 'app.pulse_responses', 'pulse_responses_newest'),
  (17, 'pulse answers until a day', $q$ list_pulse_responses($1, 100, until => '2026-01-03Z') $q$, 'app.pulse_responses',
    'pulse_responses_newest'),
  (18, 'a thousand kudos', 'list_activity($1, 1000)', 'app.kudos', 'kudos_newest');

-- What this transaction has read so far: of each table the rows, from one end to the other and through its indexes, and of each
-- index how often it was entered.
create temporary view reads as
select c.oid as relation, s.seq_tup_read as scanned, s.idx_tup_fetch as fetched, null::bigint as entered
from pg_class as c join pg_stat_xact_user_tables as s on s.relid = c.oid
where c.relnamespace = 'app'::regnamespace
union all
select i.indexrelid, null, null, pg_stat_get_xact_numscans(i.indexrelid)
from pg_index as i join pg_class as c on c.oid = i.indrelid
where c.relnamespace = 'app'::regnamespace;

-- Calls every list as the secret key would, and notes what it read. The first call makes the plans, the second one counts.
create temporary table measured (page text, answered bigint, relation regclass, scanned bigint, fetched bigint, entered bigint);
create function pg_temp.measure() returns void language plpgsql as $$
declare
  page record;
  answer json;
begin
  for page in select * from pages loop
    set local role service_role;
    execute format('select public.%s', page.call) using pg_temp.key('Acorn');
    reset role;
    create temporary table before as select * from reads;
    set local role service_role;
    execute format('select public.%s', page.call) into answer using pg_temp.key('Acorn');
    reset role;
    insert into measured
    select
      page.name, json_array_length(answer), relation,
      after.scanned - before.scanned, after.fetched - before.fetched, after.entered - before.entered
    from reads as after join before using (relation);
    drop table before;
  end loop;
end
$$;
select pg_temp.measure();

select is_empty(
  'select name from pages where name not in (select page from measured where answered between 20 and 1000)', 'Every page that is measured has rows'
);

select is(
  (
    select string_agg(m.relation::text, ', ')
    from measured as m join pg_index as i on i.indexrelid = m.relation
    where m.page = p.name and m.entered > 0 and i.indrelid = p.paged
  ),
  'app.' || p.index,
  format('A page of %s comes from the index %s alone', p.name, p.index)
)
from pages as p order by p.place;

select cmp_ok(
  m.scanned + m.fetched, '<=', m.answered + 1,
  format('A page of %s reads of its table the rows that it answers and at most one more', p.name)
)
from pages as p join measured as m on m.page = p.name and m.relation = p.paged order by p.place;

select is_empty(
  $$
    select page, relation from measured
    where scanned > 0 and relation in (
      'app.members'::regclass, 'app.kudos', 'app.rewards', 'app.day_ratings', 'app.pulse_responses', 'app.api_keys', 'app.api_key_uses')
  $$,
  'No page reads a table of members, kudos, rewards, moods or keys from end to end'
);
select is_empty(
  $$ select page, fetched from measured where relation = 'app.members'::regclass and page ~ 'kudos' and fetched > 2 * (answered + 1) $$,
  'A page of kudos looks up the sender and the receiver of each and no other member'
);
select is_empty(
  $$ select page, relation, fetched from measured where relation in ('app.api_keys'::regclass, 'app.api_key_uses') and fetched <> 1 $$,
  'Verifying a key reads that key and its last use and no other'
);
select is_empty(
  $$ select page, relation from measured where relation = 'app.api_keys_key_hash_key'::regclass and entered <> 1 $$,
  'A key is looked up by its hash, once a request'
);

select * from finish();
rollback;
