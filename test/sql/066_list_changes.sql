-- The changes of lists: cursors, deletions and their end, and which rows a change marks.
begin;
\ir helpers.psql
select plan(61);

select pg_temp.new_company_with_rows(company) from unnest(array['Acorn', 'Birch']) as company;
delete from app.deletions;
delete from app.forgotten_deletions;
select pg_temp.settle();

-- A page of Acorn's changes, or the status and message of a refusal.
create function pg_temp.page(list text, after text, max_rows integer default 100) returns json language sql
return public.list_changes(pg_temp.key('Acorn'), list, max_rows, after);
create function pg_temp.refusal(list text, after text) returns text language sql
return pg_temp.served(format('list_changes($1, %L, 100, %L)', list, after));

-- Cursors

select is(
  pg_temp.column_of(page, 'name') || pg_temp.column_of(page, 'deleted')
    || pg_temp.column_of(pg_temp.page('members', page -> 0 ->> 'cursor'), 'name') || pg_temp.column_of(pg_temp.page('members', page -> 1 ->> 'cursor'), 'name'),
  array['Ada', 'Max of Acorn', 'false', 'false', 'Max of Acorn'],
  'start brings every row, those of one transaction in the order of their ids; the cursor of a row brings the rows after it'
) from pg_temp.page('members', 'start') as page;
select bag_eq(
  $$
    select what, pg_temp.refusal('members', cursor) from (values
      ('another list', pg_temp.cursor('teams', 3)), ('another company', pg_temp.cursor('members', 3, company => 'Birch')),
      ('another server', '00000000' || repeat('0', 48)), ('the far future', pg_temp.cursor('members', 9223372036854775807)),
      ('no number', pg_temp.cursor('members', -1)), ('the future', pg_temp.cursor('members', pg_current_xact_id()::text::bigint + 1000000))
    ) as bad (what, cursor)
  $$,
  $$
    select what, 'PT410 Gone: this cursor is no longer known, begin again with after=start'
    from unnest(array['another list', 'another company', 'another server', 'the far future', 'no number', 'the future']) as what
  $$,
  -- Proves: copies.7
  'A cursor of another list, of another company, of another server, or from the future is refused with PT410'
);
select matches(pg_temp.refusal('companies', 'start'), '^PT403 ', 'What is no list asks for a scope that no key has');
select isnt(pg_temp.refusal('members', pg_temp.cursor('members', 3)), '[]', 'The same cursor of this list and company is good');

select is(right(page -> 0 ->> 'cursor', -56), lpad(to_hex(pg_snapshot_xmin(pg_current_snapshot())::text::bigint), 16, '0'),
  'While a copy reads what was there when it began, its cursor has all 64 bits of where it began'
) from pg_temp.page('members', 'start') as page;
select is(right(pg_temp.page('members', pg_temp.page('members', pg_temp.cursor('members', 3) || '0000000000000009', 1) -> 0 ->> 'cursor') -> 0 ->> 'cursor', 16),
  '0000000000000009', 'and keeps it from page to page');

insert into app.members (company_id, id, name, email, is_former) values (pg_temp.id('Acorn'), 'ffffffff-ffff-ffff-ffff-ffffffffffff', 'Former', '', true);
select pg_temp.settle();
select is(
  array(select (select pg_temp.headers() ->> 'X-Has-More' from pg_temp.page('members', 'start', max_rows)) from generate_series(1, 3) as max_rows),
  array['true', 'false', 'false'], 'A page says whether rows of the list are behind it, also when it is full'
);
delete from app.members where is_former;
delete from app.deletions;

-- Changes and deletions

update app.members set name = 'Maxi' where company_id = pg_temp.id('Acorn') and id = pg_temp.id('row');
-- Proves: copies.2
select is(pg_temp.page('members', pg_temp.cursor('members', 3, pg_temp.id('Ada of Acorn')))::text, '[]', 'What a running transaction has changed is not shown');
select pg_temp.settle('7');
update app.members set name = 'Maxi' where company_id = pg_temp.id('Acorn') and name = 'Maxi';
select is((select changed_in::text from app.members where name = 'Maxi'), '7', 'An update that changes nothing changes no number');
insert into app.teams (company_id, name, changed_in) values (pg_temp.id('Acorn'), 'Forged', '5');
update app.teams set changed_in = '5' where name = 'Forged';
-- Proves: copies.12
select is((select changed_in from app.teams where name = 'Forged'), pg_current_xact_id(), 'Nobody can give a row another number');

delete from app.rewards where company_id = pg_temp.id('Acorn');
update app.deletions set deleted_in = '8';
select is(pg_temp.page('rewards', 'start')::text, '[]', 'A copy that begins does not get what was deleted before');
insert into app.rewards (company_id, id, name, points_cost) select company_id, id, 'Back', 1 from app.deletions;
select is(
  pg_temp.column_of(pg_temp.page('rewards', pg_temp.cursor('rewards', 3)), 'name') || pg_temp.column_of(pg_temp.page('rewards', pg_temp.cursor('rewards', 3)), 'deleted'),
  array['Back', 'false'],
  -- Proves: copies.8
  'A row that was deleted and inserted again comes as not deleted'
);

delete from app.deletions;
insert into app.teams (company_id, id, name) values (pg_temp.id('Acorn'), pg_temp.id('moving'), 'Moving'), (pg_temp.id('Acorn'), pg_temp.id('given'), 'Given');
update app.teams set id = pg_temp.id('moved') where name = 'Moving';
update app.teams set company_id = pg_temp.id('Birch') where name = 'Given';
select bag_eq(
  $$ select company_id, relation::text, id from app.deletions $$,
  $$ select pg_temp.id('Acorn') as company_id, 'app.teams', pg_temp.id(name) from unnest(array['moving', 'given']) as name $$,
  'An id that an update replaces is deleted, also when its row goes to another company'
);
delete from app.deletions;
do $$
begin
  for n in 1..2 loop
    delete from app.day_ratings where company_id = pg_temp.id('Acorn') and id = pg_temp.id('row');
    insert into app.day_ratings (company_id, id, rating) values (pg_temp.id('Acorn'), pg_temp.id('row'), 1);
  end loop;
  delete from app.day_ratings where company_id = pg_temp.id('Acorn') and id = pg_temp.id('row');
end
$$;
select is((select count(*) from app.deletions), 1::bigint, 'A row can be deleted and inserted several times in one transaction');
update app.deletions set deleted_in = '5', deleted_at = '2020-01-01Z';
insert into app.day_ratings (company_id, id, rating) values (pg_temp.id('Acorn'), pg_temp.id('row'), 1);
delete from app.day_ratings where company_id = pg_temp.id('Acorn') and id = pg_temp.id('row');
select is((select format('%s %s', deleted_in, deleted_at = now()) from app.deletions), pg_current_xact_id() || ' t', 'A row that is deleted again has its last deletion only');

-- Rows that are gone, and there again: by one transaction (9), by a later one (10, 11), by one that has not ended yet.
select pg_temp.settle('4');
delete from app.deletions;
delete from app.rewards where company_id = pg_temp.id('Acorn');
insert into app.rewards (company_id, id, name, points_cost)
select pg_temp.id('Acorn'), pg_temp.id('again ' || n), 'New', n from generate_series(1, 60) as n;
alter table app.rewards disable trigger user;
update app.rewards set changed_in = (array['9', '10', '11'])[points_cost % 4]::xid8 where name = 'New' and points_cost % 4 > 0;
alter table app.rewards enable trigger user;
insert into app.deletions (company_id, relation, deleted_in, id)
select r.company_id, 'app.rewards', (case when r.changed_in = '9' then 9 else 7 + r.points_cost % 3 end)::text::xid8, r.id from app.rewards as r where r.name = 'New'
union all select pg_temp.id('Acorn'), 'app.rewards', (7 + n % 5)::text::xid8, pg_temp.id('gone ' || n) from generate_series(1, 20) as n;
create function pg_temp.walk(list text, max_rows integer, after text)
returns table (page integer, id uuid, name text, deleted boolean, cursor text, more boolean) language plpgsql as $$
declare
  rows json;
begin
  for n in 1..200 loop
    rows := pg_temp.page(list, after, max_rows);
    exit when json_array_length(rows) = 0;
    more := (pg_temp.headers() ->> 'X-Has-More')::boolean;
    return query select n, r.id, r.name, r.deleted, r.cursor, walk.more from json_to_recordset(rows) as r (id uuid, name text, deleted boolean, cursor text);
    after := rows -> -1 ->> 'cursor';
  end loop;
end
$$;
create temporary table walked as
select max_rows, w.*, row_number() over () as place
from unnest(array[1, 2, 3, 7, 20, 100]) as max_rows, lateral pg_temp.walk('rewards', max_rows, pg_temp.cursor('rewards', 3)) as w;
-- Proves: copies.8
select is_empty($$ select max_rows, page, id from walked group by max_rows, page, id having count(*) > 1 $$, 'An id comes at most once in a page');
select is_empty(
  $$ select from (select cursor, lag(cursor) over (partition by max_rows order by place) as before from walked) as pair where cursor <= before $$,
  'Cursors rise strictly, in a page and from page to page'
);
select is_empty($$ select max_rows, page from walked where more group by max_rows, page having count(*) <> max_rows $$, 'A page with more behind it is full');
select bag_eq(
  $$ select distinct on (max_rows, id) max_rows, id, name, deleted from walked order by max_rows, id, place desc $$,
  $$
    select max_rows, now.* from unnest(array[1, 2, 3, 7, 20, 100]) as max_rows, (
      select r.id, r.name, false as deleted from app.rewards as r where r.company_id = pg_temp.id('Acorn')
      union all select d.id, null, true from app.deletions as d
      where d.deleted_in < pg_current_xact_id() and not exists (select from app.rewards as r where r.company_id = d.company_id and r.id = d.id)
    ) as now
  $$,
  'Whatever the size of the pages, the last that a copy hears of an id is its newest state'
);
select is_empty($$ select id from walked where max_rows = 3 and name is not null and deleted $$, 'What is there never comes as deleted');
select is(
  (select max(times) from (select count(*) as times from walked join app.rewards as r using (id) where r.changed_in = '9' group by max_rows, id) as each), 1::bigint,
  'What one transaction deleted and inserted again comes once, whatever the size of the pages'
);

-- Cursors of moods. The transactions 5, 6 and 7 have each written a kudos, two ratings and two answers.

create temporary table moods as
select list, n, pg_temp.id(list || n) as id, (5 + n % 3)::text::xid8 as number
from unnest(array['activity', 'day-ratings', 'pulse-responses']) as list, generate_series(1, 6) as n where list <> 'activity' or n < 4;
alter table app.kudos disable trigger user;
alter table app.day_ratings disable trigger user;
alter table app.pulse_responses disable trigger user;
insert into app.kudos (company_id, id, sender_id, receiver_id, category_id, message, changed_in)
select pg_temp.id('Acorn'), id, pg_temp.id('row'), pg_temp.id('row'), pg_temp.id('row'), '', number from moods where list = 'activity';
insert into app.day_ratings (company_id, id, rating, changed_in) select pg_temp.id('Acorn'), id, 3, number from moods where list = 'day-ratings';
insert into app.pulse_responses (company_id, id, question_id, value, changed_in)
select pg_temp.id('Acorn'), id, pg_temp.id('row'), '1', number from moods where list = 'pulse-responses';
alter table app.kudos enable trigger user;
alter table app.day_ratings enable trigger user;
alter table app.pulse_responses enable trigger user;
create temporary table walked_moods as
select w.*, m.list, max_rows, row_number() over () as place
from unnest(array['activity', 'day-ratings', 'pulse-responses']) as m (list), unnest(array[1, 2, 3, 100]) as max_rows, lateral pg_temp.walk(m.list, max_rows, 'start') as w;
select bag_eq(
  'select list, max_rows, id from walked_moods join moods using (list, id)', 'select list, max_rows, id from moods, unnest(array[1, 2, 3, 100]) as max_rows',
  'A walk through moods brings each row once, whatever the size of the pages'
);
select is_empty(
  $$
    select from (select cursor collate "C" as cursor, lag(cursor) over (partition by list, max_rows order by place) as before from walked_moods) as pair
    where cursor <= before or length(cursor) > 80
  $$,
  -- Proves: copies.17
  'Cursors of moods rise as text, in a page and from page to page'
);
select is_empty(
  $$
    select from walked_moods as kudos join walked_moods as mood on strpos(mood.cursor, substr(kudos.cursor, 13, 12)) > 0
    where kudos.list = 'activity' and mood.list <> 'activity'
  $$,
  -- Proves: copies.17, layer.22
  'No cursor of a mood has the number of a kudos: of rows of one transaction it does not join them'
);
create function pg_temp.pieces(cursor text) returns setof text language sql immutable
return unnest(array[substr(cursor, 9, 8), substr(cursor, 17, 8), substr(cursor, 57, 8), substr(cursor, 65, 8)]);
select is_empty(
  $$
    select piece from (select list, piece from walked_moods, pg_temp.pieces(cursor) as piece where list <> 'activity' and max_rows = 100) as pieces
    group by piece having count(*) > 1
  $$,
  'Two cursors of moods have nothing in common but what the rank and the id say'
);
select is_empty(
  $$ select pg_temp.pieces(pg_temp.cursor('day-ratings', 5)) intersect select pg_temp.pieces(pg_temp.cursor('day-ratings', 6)) $$,
  'nor have those of two changes of one row at one rank'
);
select is_empty(
  $$
    select place, answer from (select cursor from walked_moods where list = 'day-ratings' limit 1) as one, generate_series(1, 72) as place,
      lateral pg_temp.refusal('day-ratings', overlay(cursor placing to_hex((strpos('0123456789abcdef', substr(cursor, place, 1))) % 16) from place)) as answer
    where answer !~ '^PT410'
  $$,
  -- Proves: copies.17
  'A cursor of moods of which any digit is altered is refused: its answer tells nothing about what is masked'
);
select is_empty(
  $$
    select what from (values
      ('of before they were masked', lists.cursor_origin(pg_temp.id('Acorn'), 'day-ratings') || lpad('3', 16, '0') || repeat('0', 32)),
      ('the same of a copy that begins', lists.cursor_origin(pg_temp.id('Acorn'), 'day-ratings') || lpad('3', 16, '0') || repeat('0', 47) || '9'),
      ('of another list', pg_temp.cursor('pulse-responses', 3)), ('of another company', pg_temp.cursor('day-ratings', 3, company => 'Birch')),
      ('from the future', pg_temp.cursor('day-ratings', pg_current_xact_id()::text::bigint + 1000000)), ('with a last rank', '7ffffff0' || repeat('0', 64))
    ) as bad (what, cursor) where pg_temp.refusal('day-ratings', cursor) !~ '^PT410'
  $$,
  -- Proves: copies.7
  'Of moods, a cursor of before they were masked is refused, as is one of another list or company, from the future, or with a last rank'
);
insert into app.deletions (company_id, relation, deleted_in, id)
select pg_temp.id('Acorn'), 'app.day_ratings', '6', pg_temp.id('gone ' || n) from generate_series(1, 3) as n;
select is(
  array(select count(*) filter (where not deleted) || ' ' || count(*) filter (where deleted) || ' ' || (array_agg(cursor) = array_agg(cursor order by cursor collate "C"))
    from pg_temp.walk('day-ratings', max_rows, pg_temp.cursor('day-ratings', 4))),
  array['6 3 true'], format('Deletions of moods come in their order, %s a page', max_rows)
) from unnest(array[1, 2, 100]) as max_rows;
insert into app.forgotten_deletions (company_id, relation, deleted_in, id) values (pg_temp.id('Acorn'), 'app.day_ratings', '7', pg_temp.id('forgotten'));
select matches(pg_temp.refusal('day-ratings', pg_temp.cursor('day-ratings', 5)), '^PT410', 'A cursor of moods from before a forgotten deletion is refused');
select is(json_array_length(pg_temp.page('day-ratings', (select cursor from walked_moods where list = 'day-ratings' limit 1))) > 0, true,
  'but not that of a copy that began after it');
delete from app.deletions;
delete from app.forgotten_deletions;

-- Names

-- The companies with rows of a table that a statement marks as changed.
create function pg_temp.marked(relation regclass, statement text) returns text language plpgsql as $$
declare
  companies text;
begin
  perform pg_temp.settle();
  execute statement;
  execute format('select string_agg(company, '' '') from unnest(array[''Acorn'', ''Birch'']) as company
    where exists (select from %s where company_id = pg_temp.id(company) and changed_in = pg_current_xact_id())', relation) into companies;
  return companies;
end
$$;
select is(pg_temp.marked(relation, statement), marks, name)
from (values
  ('app.categories', $$ update app.category_names set name = 'Teams' where company_id = pg_temp.id('Acorn') $$, 'Acorn',
    -- Proves: copies.9
    'A new name marks its category'),
  ('app.categories', $$ insert into app.category_names select company_id, id, 'fr', 'Équipes' from app.categories where company_id = pg_temp.id('Acorn') $$, null,
    'A name in a language that the company does not read marks nothing'),
  ('app.categories', $$ delete from app.category_names where company_id = pg_temp.id('Birch') $$, 'Birch', 'A name that is deleted marks its category'),
  ('app.categories', $$ update app.companies set default_language = 'fr' where id = pg_temp.id('Acorn') $$, 'Acorn',
    'Another default language marks the categories of the company'),
  ('app.pulse_responses', $$ update app.pulse_questions set question = 'Calm?' where company_id = pg_temp.id('Acorn') $$, 'Acorn',
    'Another text of a question marks its answers')
) as changes (relation, statement, marks, name);

-- Category names

update app.companies set default_language = 'pt-br' where id = pg_temp.id('Acorn');
insert into app.categories (company_id, id) values (pg_temp.id('Acorn'), pg_temp.id('named'));
create function pg_temp.named(names text) returns text language plpgsql as $$
begin
  delete from app.category_names where category_id = pg_temp.id('named');
  insert into app.category_names (company_id, category_id, language, name)
  select pg_temp.id('Acorn'), pg_temp.id('named'), language, 'in ' || language from unnest(names::text[]) as language;
  return (select name from app.categories where id = pg_temp.id('named'));
end
$$;
select is(pg_temp.named(names), expected, format('Of the names in %s the one %s is chosen', names, expected))
from (values
  ('{de,en,pt-br}', 'in pt-br'), ('{de,en,pt}', 'in en'), ('{es,de}', 'in de'), ('{}', ''), ('{pt-BR,en}', 'in pt-BR'), ('{pt-BR,pt-br}', 'in pt-br')
) as given (names, expected);
select pg_temp.named('{pt-br}');
create temporary table named as select ctid as place from app.categories where id = pg_temp.id('named');
insert into app.category_names (company_id, category_id, language, name) values (pg_temp.id('Acorn'), pg_temp.id('named'), 'en', 'in en');
select is((select ctid from app.categories where id = pg_temp.id('named')), (select place from named), 'A category whose name stays is not written');
select is(pg_temp.marked('app.categories', 'truncate app.category_names'), 'Acorn', 'When all names are truncated, categories that had one are marked');
select is_empty($$ select from app.categories where name <> '' $$, 'and have none');

-- Deletions are forgotten after 90 days

delete from app.deletions;
insert into app.deletions (company_id, relation, deleted_in, id, deleted_at)
select pg_temp.id('Acorn'), 'app.rewards', n::text::xid8, pg_temp.id('old ' || n), now() - case when n < 8 then interval '91 days' else interval '89 days' end
from generate_series(5, 10) as n;
delete from app.rewards where company_id = pg_temp.id('Acorn');
select results_eq(
  $$ select d.deleted_in::text from app.deletions as d where d.deleted_in < pg_current_xact_id() order by d.deleted_in $$, array['8', '9', '10'],
  -- Proves: copies.10
  'The next deletion forgets those older than 90 days'
);
insert into app.deletions (company_id, relation, deleted_in, id) values (pg_temp.id('Acorn'), 'app.teams', '9', pg_temp.id('a team'));
-- Proves: copies.7
select matches(pg_temp.refusal('rewards', pg_temp.cursor('rewards', 6)), '^PT410', 'A cursor from before the last forgotten deletion is refused');
select is(json_array_length(pg_temp.page('rewards', pg_temp.cursor('rewards', 7, pg_temp.id('old 7')))), 3, 'The cursor of the last forgotten deletion is good, and brings the later deletions of its list');
select is(
  json_array_length(pg_temp.page('rewards', pg_temp.cursor('rewards', 3) || '0000000000000009')), 2,
  'The cursor of a copy that began after the forgotten deletions is good, and brings what was deleted since'
);
select is(pg_temp.page('rewards', pg_temp.cursor('rewards', 3) || '0000000100000009')::text, '[]', 'Where a copy began has 64 bits: the last 32 would be another number');
truncate app.rewards;
select matches(pg_temp.refusal('rewards', pg_temp.cursor('rewards', 20)), '^PT410', 'After truncate every copy of the list begins again');

-- A clock that was wrong: the deletions before and behind are forgotten, those that may be young are not.
delete from app.deletions;
delete from app.forgotten_deletions;
insert into app.deletions (company_id, relation, deleted_in, id, deleted_at)
select pg_temp.id('Acorn'), 'app.teams', number::text::xid8, pg_temp.id('clock ' || number), now() + age
from (values (4, interval '1 year'), (5, interval '-91 days'), (6, interval '1 year'), (7, interval '-92 days'), (8, interval '1 year'), (9, interval '-89 days'),
  (10, interval '-91 days')) as dated (number, age);
select app.forget_deletions(pg_temp.id('Acorn'), 'app.teams');
select results_eq(
  $$ select d.deleted_in::text from app.deletions as d order by d.deleted_in $$, array['8', '9', '10'],
  -- Proves: copies.10
  'Deletions that are dated in the future do not keep older ones'
);

-- While they are forgotten, all cursors are made invalid: by a trigger here, as nothing else can come between.
delete from app.deletions;
create function pg_temp.forget_cursors() returns trigger language plpgsql as $$ begin perform app.forget_cursors(); return old; end $$;
create trigger forgetting before delete on app.deletions for each row execute function pg_temp.forget_cursors();
insert into app.deletions (company_id, relation, deleted_in, id, deleted_at)
select pg_temp.id('Acorn'), 'app.members', '5', pg_temp.id('old'), now() - interval '91 days';
select app.forget_deletions(pg_temp.id('Acorn'), 'app.members');
drop trigger forgetting on app.deletions;
select results_eq(
  $$ select deleted_in, id::text from app.forgotten_deletions where company_id = pg_temp.id('Acorn') and relation = 'app.members'::regclass $$,
  $$ select pg_current_xact_id(), 'ffffffff-ffff-ffff-ffff-ffffffffffff' $$,
  'Forgetting a deletion makes no cursor good that has become invalid meanwhile'
);
update app.forgotten_deletions set id = pg_temp.id('old') where relation = 'app.members'::regclass;
select app.forget_cursors();
select is_empty(
  $$ select from app.forgotten_deletions where id <> 'ffffffff-ffff-ffff-ffff-ffffffffffff' $$,
  'Cursors are made invalid also behind a deletion that the same transaction has forgotten'
);

delete from app.forgotten_deletions;

-- Companies

delete from app.deletions;
delete from app.companies where id = pg_temp.id('Birch');
-- Proves: copies.11
select is((select count(*) from app.deletions), 0::bigint, 'Deleting a company writes no deletions');
insert into app.companies (id, name) values (pg_temp.id('Birch'), 'Birch');
select is((select count(*) from app.forgotten_deletions where company_id = pg_temp.id('Birch') and deleted_in = pg_current_xact_id()), (select count(*) from pg_temp.lists()),
  -- Proves: copies.11
  'A company that comes back takes no cursor from before');

-- Numbers of another server

alter table app.kudos disable trigger user;
update app.kudos set changed_in = '9000000000000000000' where company_id = pg_temp.id('Acorn');
alter table app.kudos enable trigger user;
-- Proves: copies.12
select is(pg_temp.refusal('activity', 'start'), 'PT501 changes in app.kudos have the numbers of another server', 'Rows with numbers of another server are not passed over: the list refuses');

-- A promoted standby begins a new timeline, and pg_upgrade makes a new server identifier but keeps all oids. Nothing in a
-- test can, so the number is put into the texts of the functions.
create temporary table origins as select lists.cursor_origin(pg_temp.id('Acorn'), 'members') as origin;
do $do$ begin execute replace(pg_get_functiondef('lists.origin_of_cursors'::regproc), 's.system_identifier', '(s.system_identifier + 1)'); end $do$;
insert into origins select lists.cursor_origin(pg_temp.id('Acorn'), 'members');
select is((select count(distinct origin) from origins), 2::bigint, 'A server that was upgraded gives other cursors: its identifier is in them');
do $do$ begin execute replace(pg_get_functiondef('lists.cursor_origin'::regproc), '.timeline_id', '.timeline_id + 1'); end $do$;
insert into origins select lists.cursor_origin(pg_temp.id('Acorn'), 'members');
select is((select count(distinct origin) from origins), 3::bigint, 'A server that was promoted gives other cursors: its timeline is in them');
rollback;
