-- The lists with changed_after: cursors, deletions and their end, and which rows a change marks.
begin;
\ir helpers.psql
select plan(20);

select pg_temp.new_company_with_rows(company) from unnest(array['Acorn', 'Birch']) as company;
delete from app.deletions;
delete from app.forgotten_deletions;
select pg_temp.settle();

-- A page of Acorn's changes, or the status and message of a refusal.
create function pg_temp.page(list text, changed_after text, max_rows integer default 100) returns json language sql
return public.list_changes(pg_temp.key('Acorn'), list, max_rows, changed_after);
create function pg_temp.refusal(list text, changed_after text) returns text language sql
return pg_temp.served(format('list_changes($1, %L, 100, %L)', list, changed_after));
create function pg_temp.cursor(list text, number bigint, id uuid default pg_temp.id('nothing'), company text default 'Acorn') returns text language sql
return app.cursor_origin(pg_temp.id(company), list) || lpad(to_hex(number), 16, '0') || replace(id::text, '-', '');

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
    select what, 'PT410 Gone: this cursor is no longer known, begin again with changed_after=start'
    from unnest(array['another list', 'another company', 'another server', 'the far future', 'no number', 'the future']) as what
  $$,
  -- Proves: copies.7
  'A cursor of another list, of another company, of another server, or from the future is refused with PT410'
);
select isnt(pg_temp.refusal('members', pg_temp.cursor('members', 3)), '[]', 'The same cursor of this list and company is good');

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
  ('app.categories', $$ delete from app.category_names where company_id = pg_temp.id('Birch') $$, 'Birch', 'A name that is deleted marks its category'),
  ('app.categories', $$ update app.companies set default_language = 'fr' where id = pg_temp.id('Acorn') $$, 'Acorn',
    'Another default language marks the categories of the company'),
  ('app.pulse_responses', $$ update app.pulse_questions set question = 'Calm?' where company_id = pg_temp.id('Acorn') $$, 'Acorn',
    'Another text of a question marks its answers')
) as changes (relation, statement, marks, name);

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
  json_array_length(pg_temp.page('rewards', pg_temp.cursor('rewards', 3) || '00000009')), 2,
  'The cursor of a copy that began after the forgotten deletions is good, and brings what was deleted since'
);
truncate app.rewards;
select matches(pg_temp.refusal('rewards', pg_temp.cursor('rewards', 20)), '^PT410', 'After truncate every copy of the list begins again');

-- Companies

delete from app.deletions;
delete from app.companies where id = pg_temp.id('Birch');
-- Proves: copies.11
select is((select count(*) from app.deletions), 0::bigint, 'Deleting a company writes no deletions');
insert into app.companies (id, name) values (pg_temp.id('Birch'), 'Birch');
select is((select count(*) from app.forgotten_deletions where company_id = pg_temp.id('Birch') and deleted_in = pg_current_xact_id()), 7::bigint,
  -- Proves: copies.11
  'A company that comes back takes no cursor from before');

-- Numbers of another server

alter table app.kudos disable trigger user;
update app.kudos set changed_in = '9000000000000000000' where company_id = pg_temp.id('Acorn');
alter table app.kudos enable trigger user;
-- Proves: copies.12
select is(pg_temp.refusal('activity', 'start'), 'PT501 changes in app.kudos have the numbers of another server', 'Rows with numbers of another server are not passed over: the list refuses');

select * from finish();
rollback;
