-- Plans: the cost of a page does not depend on the length of the history. It is counted in rows that a call reads.
begin;
\ir helpers.psql
\ir many_rows.psql

-- New, empty tables until the end: dead rows of earlier runs would make other plans cheaper.
truncate app.companies cascade;

-- The pages: the call, the table that it reads, the indexes of this table that it may enter and how often, the number
-- of rows in the answer, and how many more it may read. One index has the page's order, the others find where it
-- begins.
create temporary table pages (place serial, name text, call text, paged regclass, entered text[], answered int4range, besides bigint);

-- Every statement of every list.
insert into pages (name, call, paged, entered, answered, besides)
select name, call, indrelid, array[index], '[5,1000]', 1
from (values
  ('members', 'list_members($1, 100)', 'members_newest'),
  ('a thousand members', 'list_members($1, 1000)', 'members_newest'),
  ('members of a team', $q$ list_members($1, 20, team_id => pg_temp.id('Acorn team 7')) $q$, 'members_team_newest'),
  ('members of a team by name', $q$ list_members($1, 20, team_id => pg_temp.id('Acorn team 7'), name => 'mem') $q$, 'members_team_newest'),
  ('members with a role', $q$ list_members($1, 50, role => 'lead') $q$, 'members_role_newest'),
  ('kudos', 'list_activity($1, 100)', 'kudos_newest'),
  ('kudos of an hour', $q$ list_activity($1, 100, since => '2026-01-04Z', until => '2026-01-04 01:00:00Z') $q$, 'kudos_newest'),
  ('kudos until a day', $q$ list_activity($1, 100, until => '2026-01-04Z') $q$, 'kudos_newest'),
  ('kudos of a sender', $q$ list_activity($1, 100, sender_id => pg_temp.id('Acorn member 7')) $q$, 'kudos_sender_newest'),
  ('kudos to a receiver', $q$ list_activity($1, 100, receiver_id => pg_temp.id('Acorn member 7')) $q$, 'kudos_receiver_newest'),
  ('kudos of a category', $q$ list_activity($1, 100, category_id => pg_temp.id('Acorn category 7')) $q$, 'kudos_category_newest'),
  ('kudos of a category until a day', $q$ list_activity($1, 100, until => '2026-01-04Z', category_id => pg_temp.id('Acorn category 7')) $q$,
    'kudos_category_newest'),
  ('current rewards', 'list_rewards($1, 100)', 'rewards_current_newest'),
  ('all rewards', 'list_rewards($1, 100, true)', 'rewards_newest'),
  ('day ratings', 'list_day_ratings($1, 100)', 'day_ratings_newest'),
  ('day ratings until a day', $q$ list_day_ratings($1, 100, until => '2026-01-03Z') $q$, 'day_ratings_newest'),
  ('day ratings of a team until a day', $q$ list_day_ratings($1, 100, until => '2026-01-03Z', team_id => pg_temp.id('Acorn team 7')) $q$,
    'day_ratings_team_newest'),
  ('day ratings of a team', $q$ list_day_ratings($1, 100, team_id => pg_temp.id('Acorn team 7')) $q$, 'day_ratings_team_newest'),
  ('pulse answers', 'list_pulse_responses($1, 100)', 'pulse_responses_newest'),
  ('pulse answers until a day', $q$ list_pulse_responses($1, 100, until => '2026-01-03Z') $q$, 'pulse_responses_newest'),
  ('a thousand pulse answers', 'list_pulse_responses($1, 1000)', 'pulse_responses_newest'),
  ('a thousand kudos', 'list_activity($1, 1000)', 'kudos_newest'),
  ('a thousand kudos with their teams', $q$ list_activity($1, 1000, include => array['sender_team_name', 'receiver_team_name']) $q$, 'kudos_newest'),
  ('a thousand kudos with their ids', $q$ list_activity($1, 1000, include => array['sender_id', 'receiver_id', 'category_id']) $q$, 'kudos_newest'),
  ('a thousand kudos with ids and teams', $q$ list_activity($1, 1000, include => array['sender_id', 'receiver_team_name']) $q$, 'kudos_newest'),
  ('rewards with their external ids', $q$ list_rewards($1, 100, include => array['external_id']) $q$, 'rewards_current_newest'),
  ('a thousand day ratings with the names of teams', $q$ list_day_ratings($1, 1000, include => array['team_name']) $q$, 'day_ratings_newest'),
  ('day ratings of a team with its name', $q$ list_day_ratings($1, 100, team_id => pg_temp.id('Acorn team 7'), include => array['team_name']) $q$,
    'day_ratings_team_newest'),
  ('pulse answers with the ids of questions', $q$ list_pulse_responses($1, 100, include => array['question_id']) $q$, 'pulse_responses_newest'),
  ('teams', 'list_teams($1, 20)', 'teams_newest'),
  ('categories', 'list_categories($1, 5)', 'categories_newest')
) as full_pages (name, call, index) join pg_index on indexrelid = ('app.' || index)::regclass;

-- Nothing matches the filter. The call finds this out without reading other rows.
insert into pages (name, call, paged, entered, answered, besides)
select 'no ' || name, regexp_replace(call, '(''Acorn [^'']*''|''lead'')', '''nothing'''), paged, entered, '[0,0]', 0
from pages where call ~ '_id =>|role =>';

-- Filters that one row meets. The address is looked up by one index, and its member by another.
insert into pages (name, call, paged, entered, answered, besides)
values
  ('the member with an address', $q$ list_members($1, 100, email => '7@ACORN.example') $q$, 'app.members', '{members_email_key,members_pkey}', '[1,1]', 1),
  ('the member with an address and a role', $q$ list_members($1, 100, role => 'employee', email => '7@ACORN.example') $q$, 'app.members',
    '{members_email_key,members_pkey}', '[1,1]', 1),
  ('the member of a team with an address', $q$ list_members($1, 100, pg_temp.id('Acorn team 7'), email => '7@acorn.example') $q$, 'app.members',
    '{members_email_key,members_pkey}', '[1,1]', 1),
  ('the member with an address and a name', $q$ list_members($1, 100, email => '7@acorn.example', name => 'mem') $q$, 'app.members',
    '{members_email_key,members_pkey}', '[1,1]', 1),
  ('the reward with an external id', $q$ list_rewards($1, 100, external_id => 'item 7') $q$, 'app.rewards', '{rewards_external_id_key}', '[1,1]', 0),
  ('an archived reward with an external id', $q$ list_rewards($1, 100, true, external_id => 'item 9') $q$, 'app.rewards', '{rewards_external_id_key}',
    '[1,1]', 0),
  ('the member with no address', $q$ list_members($1, 100, email => 'nobody@acorn.example') $q$, 'app.members', '{members_email_key}', '[0,0]', 0),
  ('the reward with no external id', $q$ list_rewards($1, 100, external_id => 'nothing') $q$, 'app.rewards', '{rewards_external_id_key}', '[0,0]', 0);

-- Questions read the rows of their window and no others: kudos have one a minute. Each period enters the index.
insert into pages (name, call, paged, entered, answered, besides)
select name, call, indrelid, array_fill(index, array[periods]), int4range(1, 1000), read
from (values
  ('counts of a day', $q$ count_activity($1, '{day}', '2026-01-03Z', '2026-01-03 23:59:59Z') $q$, 'kudos_newest', 1, 1440),
  ('counts of a day by team', $q$ count_activity($1, '{sender_team,receiver_team}', '2026-01-03Z', '2026-01-03 23:59:59Z') $q$, 'kudos_newest', 1, 1440),
  ('counts of twelve hours by day and person', $q$ count_activity($1, '{day,sender,receiver}', '2026-01-03 18:00Z', '2026-01-04 05:59:59Z') $q$,
    'kudos_newest', 2, 720),
  ('counts of a receiver by week', $q$ count_activity($1, '{week,category}', '2026-01-01Z', '2026-01-04Z', receiver_id => pg_temp.id('Acorn member 7')) $q$,
    'kudos_receiver_newest', 1, 192),
  ('counts of a day to a team', $q$ count_activity($1, '{receiver}', '2026-01-03Z', '2026-01-03 23:59:59Z', receiver_team_id => pg_temp.id('Acorn team 7')) $q$,
    'kudos_newest', 1, 1440),
  ('counts of a day between teams, with people', $q$ count_activity($1, '{day}', '2026-01-03Z', '2026-01-03 23:59:59Z',
    sender_team_id => pg_temp.id('Acorn team 7'), receiver_team_id => pg_temp.id('Acorn team 7'), include => '{senders,receivers}') $q$, 'kudos_newest', 1, 1440),
  ('counts from a team to a receiver', $q$ count_activity($1, '{week}', '2026-01-01Z', '2026-01-04Z', receiver_id => pg_temp.id('Acorn member 7'),
    sender_team_id => pg_temp.id('Acorn team 7')) $q$, 'kudos_receiver_newest', 1, 192),
  ('the first counts of three days', $q$ count_activity($1, '{day,sender,receiver}', '2026-01-02Z', '2026-01-04 23:59:59Z', max_rows => 5) $q$,
    'kudos_newest', 2, 2560),
  ('averages of a day', $q$ average_day_ratings($1, '{team}', '2026-01-02Z', '2026-01-02 23:59:59Z') $q$, 'day_ratings_newest', 1, 1440),
  ('averages of a team', $q$ average_day_ratings($1, '{year}', '2026-01-01Z', '2026-02-01Z', team_id => pg_temp.id('Acorn team 7')) $q$,
    'day_ratings_team_newest', 1, 100)
) as questions (name, call, index, periods, read) join pg_index on indexrelid = ('app.' || index)::regclass;

-- Pages of changes, which begin in the midst of the rows of one transaction, or before deletions. The rows are read in
-- the index of changes, and each deletion of the page looks for a row with its id.
insert into pages (name, call, paged, entered, answered, besides)
select
  format('changes of %s after %s', l.relation, began),
  format('list_changes($1, %L, 2, %L)', l.list, pg_temp.cursor(l.list, began, '80000000-0000-0000-0000-000000000000')),
  ('app.' || l.relation)::regclass,
  array(select l.relation || '_' || index from unnest(indexes) as index),
  int4range '[2,2]',
  4
from pg_temp.lists() as l, (values (5, '{changed}'::text[]), (3, '{changed,pkey,pkey,pkey}')) as pages (began, indexes);

-- The full pages again, after a row far from the newest one: inside the page's window of time, older, or newer. Only where
-- its time is not given it is looked up.
create function pg_temp.follow() returns void language plpgsql as $$
declare
  page record;
  start uuid;
  started timestamptz;
begin
  for page in select p.*, share from pages as p, unnest(array[0.1, 0.5]) as share where p.answered = '[5,1000]' order by p.place loop
    execute format('select id, created_at from %s where company_id = $1 order by created_at desc, id desc
      offset $2 * (select count(*) from %1$s where company_id = $1)', page.paged)
    into start, started using pg_temp.id('Acorn'), page.share;
    insert into pages (name, call, paged, entered, answered, besides) values (
      format('%s after the row behind %s of all', page.name, page.share),
      regexp_replace(page.call, '\)\s*$', format(', starting_after => %L)', start)), page.paged,
      page.entered || format('%s_pkey', substring(page.paged::text, 5)), '[0,1000]', 2);
    continue when page.share = 0.5;
    insert into pages (name, call, paged, entered, answered, besides) values (
      page.name || ' after a time and id',
      regexp_replace(page.call, '\)\s*$', format(', starting_after => %L, after_time => %L)', start, started)), page.paged,
      page.entered, '[0,1000]', 1);
  end loop;
end
$$;

-- Several filters: three rows match the rare one, more than a thousand each of the others. The index of the rare one
-- has the page's order and is entered twice, to count and to read. Of the others up to a thousand rows are counted.
insert into pages (name, call, paged, entered, answered, besides)
select
  format('%s of a rare %s and a common %s', substring(paged from '\w+$'), rare, array_to_string(common, ' and a common ')),
  format('%s($1, 100, %s)', list, (
    select string_agg(
      case filter when 'role' then format('role => %L', name) else format('%s_id => pg_temp.id(%L)', filter, 'Acorn ' || name) end, ', ')
    from unnest(rare || common) as filter, concat(case filter when rare then 'rare ' else 'common ' end, filter) as name
  )),
  paged::regclass,
  array(select format('%s_%s_newest', substring(paged from '\w+$'), filter) from unnest(array[rare, rare] || common) as filter),
  int4range '[3,3]',
  3 + 1000 * cardinality(common)
from (values
  ('list_members', 'app.members', 'team', array['role']),
  ('list_members', 'app.members', 'role', array['team']),
  ('list_activity', 'app.kudos', 'sender', array['receiver']),
  ('list_activity', 'app.kudos', 'receiver', array['sender']),
  ('list_activity', 'app.kudos', 'sender', array['category']),
  ('list_activity', 'app.kudos', 'category', array['sender']),
  ('list_activity', 'app.kudos', 'receiver', array['category']),
  ('list_activity', 'app.kudos', 'category', array['receiver']),
  ('list_activity', 'app.kudos', 'sender', array['receiver', 'category']),
  ('list_activity', 'app.kudos', 'receiver', array['sender', 'category']),
  ('list_activity', 'app.kudos', 'category', array['sender', 'receiver'])
) as filters (list, paged, rare, common)
union all
select
  format('kudos of June of a %s that is rare then and a %s that is busy', rare, busy),
  format($q$ list_activity($1, 100, since => '2024-06-01Z', until => '2024-06-30Z', %s_id => pg_temp.id(%L), %s_id => pg_temp.id(%L)) $q$,
    rare, 'Acorn June ' || rare, busy, 'Acorn busy ' || busy),
  'app.kudos'::regclass, array(select format('kudos_%s_newest', filter) from unnest(array[rare, rare, busy]) as filter), '[3,3]', 3 + 1000
from (values ('sender', 'receiver'), ('receiver', 'sender'), ('category', 'sender')) as filters (rare, busy);

-- What this transaction has read so far: for each table, the number of full scans and of rows fetched, also through its
-- indexes; for each index, how often it was entered. Nothing here was ever vacuumed, so even an index-only scan fetches
-- from the table, and is counted.
create temporary view reads as
select c.oid as relation, s.seq_scan as scans, s.seq_tup_read + s.idx_tup_fetch as fetched, null::bigint as entered
from pg_class as c join pg_stat_xact_user_tables as s on s.relid = c.oid
where c.relnamespace = 'app'::regnamespace
union all
select i.indexrelid, null, null, pg_stat_get_xact_numscans(i.indexrelid)
from pg_index as i join pg_class as c on c.oid = i.indrelid
where c.relnamespace = 'app'::regnamespace;

-- Calls every page as the secret key would, and records what it reads.
create temporary table measured (planned text, page text, answered integer, relation regclass, scans bigint, fetched bigint, entered bigint);
create function pg_temp.measure(planned text) returns void language plpgsql as $$
declare
  page record;
  answer json;
begin
  for page in select name, call from pages order by place loop
    create temporary table before as select * from reads;
    set local role service_role;
    execute format('select public.%s', page.call) into answer using pg_temp.key('Acorn');
    reset role;
    insert into measured
    select
      planned, page.name, json_array_length(answer), relation,
      after.scans - before.scans, after.fetched - before.fetched, after.entered - before.entered
    from reads as after join before using (relation);
    drop table before;
  end loop;
end
$$;

-- Measured twice: with plans made while the tables were nearly empty, which a session keeps, and with plans made now.
-- Which index is entered is tested only for plans made now. Full scans are not allowed in either case.
-- First, what discards cached plans: triggers are switched off, so that rows have the number of an earlier transaction
-- (changes of a running one are not shown), and keys need no admin and are quickly made.
do $$
declare
  relation text;
begin
  for relation in select l.relation from pg_temp.lists() as l loop
    execute format('alter table app.%I disable trigger user, alter changed_in set default %L', relation, '5');
  end loop;
  alter table app.category_names disable trigger user;
  perform pg_temp.new_company(company) from unnest(array['Acorn', 'Birch']) as company;
  delete from app.forgotten_deletions;
  alter table app.api_keys disable trigger user;
end
$$;
analyze app.companies, app.teams, app.members, app.categories, app.category_names, app.kudos, app.rewards, app.day_ratings, app.pulse_questions,
  app.pulse_responses, app.api_keys, app.api_key_uses;
select pg_temp.measure('to make the plans');
select pg_temp.fill(company) from unnest(array['Acorn', 'Birch']) as company;
insert into app.companies (id, name) select pg_temp.id('Other ' || n), 'Other ' || n from generate_series(1, 200) as n;
insert into app.members (company_id, id, name, email)
select pg_temp.id('Other ' || n), pg_temp.id('Other member'), 'Member', 'm@other.example' from generate_series(1, 200) as n;
insert into app.pulse_responses (company_id) select pg_temp.id('Other ' || n) from generate_series(1, 200) as n;
insert into app.api_keys (company_id, name, scopes, key_hash, hint, created_by)
select pg_temp.id('Other ' || n), 'Key', app.scopes(), sha256(format('%s %s', n, m)::bytea), 'of others', pg_temp.id('Other member')
from generate_series(1, 200) as n, generate_series(1, 5) as m;
insert into app.api_key_uses (company_id, key_id) select company_id, id from app.api_keys where hint = 'of others';
insert into app.deletions (company_id, relation, deleted_in, id)
select pg_temp.id('Acorn'), ('app.' || l.relation)::regclass, '4', gen_random_uuid() from pg_temp.lists() as l, generate_series(1, 500);
select pg_temp.measure('when the tables were small');
analyze app.companies, app.teams, app.members, app.categories, app.category_names, app.kudos, app.rewards, app.day_ratings, app.pulse_questions,
  app.pulse_responses, app.api_keys, app.api_key_uses;
select pg_temp.follow();
select pg_temp.measure('to make the plans');
select pg_temp.measure('now');
alter table app.api_keys enable trigger user;

delete from measured where planned = 'to make the plans';

select plan((9 + 2 * count(*))::integer) from pages;

select is_empty(
  $$ select planned, page, m.answered, p.answered from measured as m join pages as p on p.name = page where not m.answered <@ p.answered $$,
  'Every measured page has the expected number of rows'
);

select is(
  array(
    select c.relname::text
    from measured as m
    join pg_index as i on i.indexrelid = m.relation and i.indrelid = p.paged
    join pg_class as c on c.oid = m.relation, generate_series(1, m.entered)
    where m.planned = 'now' and m.page = p.name order by c.relname
  ),
  array(select index from unnest(p.entered) as index order by index collate "C"),
  format('A page of %s enters %s, each so often, and no other index of its table', p.name, array_to_string(p.entered, ', '))
)
from pages as p order by p.place;

-- So only the page itself can have been sorted. A page led by a common filter would also read its 3,000 rows.
select cmp_ok(
  m.fetched, '<=', m.answered + p.besides,
  -- Proves: reaching.5, questions.9
  format('A page of %s reads of its table the rows that it answers and at most %s more', p.name, p.besides)
)
from pages as p join measured as m on m.planned = 'now' and m.page = p.name and m.relation = p.paged order by p.place;

select is_empty(
  'select planned, page, relation, fetched from measured left join pages on name = page and relation = paged where ' || wrong, name
)
from (values
  ($$ pages.answered = int4range '[0,0]' and fetched > 0 $$,
    'A page of what nothing matches reads no row of its table, also with a plan made when the table was small'),
  ('scans > 0', 'No page reads any table from end to end, however small it was when the plan was made'),
  ($$ planned = 'now' and relation = 'app.members'::regclass and page ~ 'kudos' and fetched > 2 * (measured.answered + 1) $$,
    'A page of kudos looks up the sender and the receiver of each and no other member'),
  ($$ planned = 'now' and page ~ 'kudos' and (relation = 'app.companies'::regclass and fetched > 1 or relation = 'app.categories'::regclass and fetched > 11) $$,
    'A page of kudos reads the company once, for whether it is served here, and the names of its categories once, however many rows it has'),
  ($$ planned = 'now' and page ~ '^a thousand (members|pulse answers|day ratings with the names of teams)$'
      and (relation = 'app.teams'::regclass and fetched > 22 or relation = 'app.pulse_questions'::regclass and fetched > 20) $$,
    'A page of members or of day ratings looks up each team once, and one of pulse answers each question once, not once a row'),
  ($$ relation = 'app.deletions'::regclass and fetched > 4 * (page ~ 'after 3')::integer $$,
    'A page of changes reads no deletion from before its cursor, and of 500 behind it those of the page and two more'),
  ($$ planned = 'now' and relation in ('app.api_keys'::regclass, 'app.api_key_uses') and fetched <> 1 $$,
    'Verifying a key reads that key and its last use and no other'),
  ($$ planned = 'now' and relation = 'app.api_keys_key_hash_key'::regclass and measured.entered <> 1 $$, 'A key is looked up by its hash, once a request')
) as promises (wrong, name);
rollback;
