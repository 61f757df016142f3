-- The lists with changed_after: cursors, deletions and their end, and which rows a change marks.
begin;
create extension if not exists pgtap with schema extensions;
select plan(27);

\ir helpers.psql

select pg_temp.new_company_with_rows('Acorn');
select pg_temp.new_company_with_rows('Birch');
delete from app.deletions;
delete from app.forgotten_deletions;
select pg_temp.settle();

-- Rows of this transaction are not shown before it ends. So changes get earlier numbers, as if transactions had ended.
create function pg_temp.number(relation text, number text) returns void language plpgsql as $$
begin
  execute format('alter table app.%1$s disable trigger user; update app.%1$s set changed_in = $1 where changed_in = pg_current_xact_id();
    alter table app.%1$s enable trigger user', relation) using number::xid8;
end
$$;
create function pg_temp.page(list text, changed_after text, company text default 'Acorn', max_rows integer default 100) returns json language sql
return public.list_changes(pg_temp.key(company), list, max_rows, changed_after);
-- The status and message of a refusal.
create function pg_temp.refusal(list text, changed_after text, company text default 'Acorn') returns text language plpgsql as $$
begin
  return pg_temp.page(list, changed_after, company);
exception
  when others then return sqlstate || ' ' || sqlerrm;
end
$$;
create function pg_temp.cursor(list text, number bigint, id uuid default pg_temp.id('nothing'), company text default 'Acorn') returns text language sql
return app.cursor_origin(pg_temp.id(company), list) || lpad(to_hex(number), 16, '0') || replace(id::text, '-', '');
create temporary table gone as select 'PT410 Gone: this cursor is no longer known, begin again with changed_after=start' as refusal;

-- Cursors

select is(
  pg_temp.column_of(pg_temp.page('members', 'start'), 'name') || pg_temp.column_of(pg_temp.page('members', 'start'), 'deleted'),
  array['Max', 'Ada', 'false', 'false'], 'start brings every row, those of one transaction in the order of their ids'
);
select is(
  pg_temp.page('members', pg_temp.page('members', 'start') -> -1 ->> 'cursor')::text, '[]', 'The cursor of the last row brings nothing when nothing has changed'
);
select is(
  pg_temp.page('members', pg_temp.page('members', 'start', max_rows => 1) -> 0 ->> 'cursor') -> 0 ->> 'name', 'Ada', 'The cursor of a row brings the rows after it'
);
select is(pg_temp.headers() - 'X-Key-Id' - 'X-Company-Id', '{"X-Next": "", "X-Has-More": "false", "X-Row-Count": "1"}', 'A page says how many rows it has, and that there are no more');
select is_empty(
  $$
    select cursor, pg_temp.refusal('members', cursor) from (values
      (pg_temp.cursor('teams', 3)), (pg_temp.cursor('members', 3, company => 'Birch')), ('00000000' || repeat('0', 48)),
      (pg_temp.cursor('members', 9223372036854775807)), (pg_temp.cursor('members', -1)), (pg_temp.cursor('members', pg_current_xact_id()::text::bigint + 1))
    ) as bad (cursor), gone where pg_temp.refusal('members', cursor) <> gone.refusal
  $$,
  -- Proves: copies.7
  'A cursor of another list, of another company, of another server, or from the future is refused with PT410'
);
select is(pg_temp.page('members', pg_temp.cursor('members', 3))::text <> '[]', true, 'The same cursor of this list and company is good');

-- Changes and deletions

update app.members set name = 'Maxi' where company_id = pg_temp.id('Acorn') and name = 'Max';
-- Proves: copies.2
select is(pg_temp.page('members', pg_temp.cursor('members', 3, pg_temp.id('Acorn admin')))::text, '[]', 'What a running transaction has changed is not shown');
select pg_temp.number('members', '7');
select is(pg_temp.page('members', pg_temp.cursor('members', 4)) -> 0 ->> 'name', 'Maxi', 'A changed row comes again, with its new number');
update app.members set name = 'Maxi' where name = 'Maxi';
select is((select changed_in::text from app.members where name = 'Maxi'), '7', 'An update that changes nothing changes no number');
update app.pulse_responses set value = '1.0';
update app.pulse_responses set value = '1.00' where company_id = pg_temp.id('Acorn');
select is((select array_agg(distinct changed_in) from app.pulse_responses), array[pg_current_xact_id()], 'JSON that reads alike but has another text is a change');
insert into app.teams (company_id, name, changed_in) values (pg_temp.id('Acorn'), 'Forged', '5');
update app.teams set changed_in = '5' where name = 'Forged';
-- Proves: copies.12
select is((select changed_in from app.teams where name = 'Forged'), pg_current_xact_id(), 'Nobody can give a row another number');

delete from app.rewards;
update app.deletions set deleted_in = '8';
select is(
  pg_temp.page('rewards', pg_temp.cursor('rewards', 3)) #>> '{0}',
  format('{"id":"%s","name":null,"description":null,"points_cost":null,"reward_type":null,"stock_count":null,"image_url":null,"vendor_name":null,"is_archived":null,"created_at":null,"cursor":"%s","deleted":true}',
    d.id, pg_temp.cursor('rewards', 8, d.id)),
  -- Proves: copies.4
  'Of a deleted row only id, cursor and deleted have values'
) from app.deletions as d where d.company_id = pg_temp.id('Acorn');
select is(pg_temp.page('rewards', 'start')::text, '[]', 'A copy that begins is not told of what was deleted before');
insert into app.rewards (company_id, id, name, points_cost) select company_id, id, 'Back', 1 from app.deletions;
select is(
  pg_temp.column_of(pg_temp.page('rewards', pg_temp.cursor('rewards', 3)), 'name') || pg_temp.column_of(pg_temp.page('rewards', pg_temp.cursor('rewards', 3)), 'deleted'),
  array['Back', 'false'],
  -- Proves: copies.8
  'A row that is there again comes as there'
);

-- Names

select pg_temp.settle();
update app.category_names set name = 'Teams' where company_id = pg_temp.id('Acorn');
-- Proves: copies.9
select results_eq('select company_id from app.categories where changed_in > ''3''', array[pg_temp.id('Acorn')], 'A new name marks its category');
select pg_temp.settle();
delete from app.category_names where company_id = pg_temp.id('Birch');
select results_eq('select company_id from app.categories where changed_in > ''3''', array[pg_temp.id('Birch')], 'A name that is deleted marks its category');
select pg_temp.settle();
update app.companies set default_language = 'fr' where id = pg_temp.id('Acorn');
select results_eq('select company_id from app.categories where changed_in > ''3''', array[pg_temp.id('Acorn')], 'Another default language marks the categories of the company');
update app.pulse_questions set question = 'Calm?' where company_id = pg_temp.id('Acorn');
select results_eq('select company_id from app.pulse_responses where changed_in > ''3''', array[pg_temp.id('Acorn')], 'Another text of a question marks its answers');

-- Deletions are forgotten after 90 days

select pg_temp.settle();
delete from app.deletions;
insert into app.deletions (company_id, relation, deleted_in, id, deleted_at)
select pg_temp.id('Acorn'), 'rewards', n::text::xid8, pg_temp.id('old ' || n), now() - case when n < 8 then interval '91 days' else interval '89 days' end
from generate_series(5, 10) as n;
delete from app.rewards where company_id = pg_temp.id('Acorn');
select results_eq(
  $$ select d.deleted_in::text from app.deletions as d where d.deleted_in < pg_current_xact_id() order by d.deleted_in $$, array['8', '9', '10'],
  -- Proves: copies.10
  'The next deletion forgets those that are older than 90 days'
);
-- Proves: copies.7
select is(pg_temp.refusal('rewards', pg_temp.cursor('rewards', 6)), refusal, 'A cursor from before the last that is forgotten is refused') from gone;
select is(json_array_length(pg_temp.page('rewards', pg_temp.cursor('rewards', 7, pg_temp.id('old 7')))), 3, 'The cursor of the last that is forgotten is good');
select is(
  json_array_length(pg_temp.page('rewards', pg_temp.cursor('rewards', 3) || '00000009')), 2,
  'The cursor of a copy that began after what is forgotten is good, and it is told of what was deleted since'
);
truncate app.rewards;
select is(pg_temp.refusal('rewards', pg_temp.cursor('rewards', 20)), refusal, 'After truncate every copy of the list begins again') from gone;

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
update app.kudos set changed_in = '9000000000000000000';
alter table app.kudos enable trigger user;
-- Proves: copies.12
select is(pg_temp.refusal('activity', 'start'), 'PT501 changes in app.kudos have the numbers of another server', 'Rows with numbers of another server are not passed over: the list refuses');
select lives_ok($$ select app.changes_query(list, included) from app.changing_lists() $$, 'Every list has a statement');

select * from finish();
rollback;
