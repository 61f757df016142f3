-- public.list_activity: GET /activity.
begin;
create extension if not exists pgtap with schema extensions;
select plan(56);

\ir helpers.psql

-- Acorn, whose language is German: Ada, Bo and Cy send kudos to each other. Birch: three more kudos with the same time,
-- newer than all others.
do $$
begin
  perform pg_temp.found('Acorn');
  perform pg_temp.found('Birch');
  update app.companies set default_language = 'de' where id = pg_temp.id('Acorn');
end
$$;
insert into app.members (company_id, id, name, email) values
  (pg_temp.id('Acorn'), pg_temp.id('Bo'), 'Bo', 'bo@acorn.example'),
  (pg_temp.id('Acorn'), pg_temp.id('Cy'), 'Cy', 'cy@acorn.example');
insert into app.categories (company_id, id) values
  (pg_temp.id('Acorn'), pg_temp.id('in three languages')),
  (pg_temp.id('Acorn'), pg_temp.id('not in German')),
  (pg_temp.id('Acorn'), pg_temp.id('neither in German nor in English')),
  (pg_temp.id('Acorn'), pg_temp.id('without any name')),
  (pg_temp.id('Acorn'), pg_temp.id('unused')),
  (pg_temp.id('Birch'), pg_temp.id('Birch category'));
insert into app.category_names (company_id, category_id, language, name) values
  (pg_temp.id('Acorn'), pg_temp.id('in three languages'), 'da', 'Holdånd'),
  (pg_temp.id('Acorn'), pg_temp.id('in three languages'), 'en', 'Teamwork'),
  (pg_temp.id('Acorn'), pg_temp.id('in three languages'), 'de', 'Teamgeist'),
  (pg_temp.id('Acorn'), pg_temp.id('not in German'), 'da', 'Mod'),
  (pg_temp.id('Acorn'), pg_temp.id('not in German'), 'en', 'Courage'),
  (pg_temp.id('Acorn'), pg_temp.id('not in German'), 'fr', 'Audace'),
  (pg_temp.id('Acorn'), pg_temp.id('neither in German nor in English'), 'fr', 'Soin'),
  (pg_temp.id('Acorn'), pg_temp.id('neither in German nor in English'), 'es', 'Cuidado'),
  (pg_temp.id('Birch'), pg_temp.id('Birch category'), 'en', 'Birch category');
insert into app.kudos (company_id, id, sender_id, receiver_id, category_id, message, created_at) values
  (pg_temp.id('Acorn'), '00000000-0000-4000-8000-000000000001', pg_temp.id('Bo'), pg_temp.id('Cy'),
    pg_temp.id('in three languages'), 'one', '2026-06-01 12:00:00Z'),
  (pg_temp.id('Acorn'), '00000000-0000-4000-8000-000000000002', pg_temp.id('Bo'), pg_temp.id('Acorn admin'),
    pg_temp.id('not in German'), 'two', '2026-06-02 12:00:00.000001Z'),
  (pg_temp.id('Acorn'), '00000000-0000-4000-8000-000000000003', pg_temp.id('Cy'), pg_temp.id('Bo'),
    pg_temp.id('neither in German nor in English'), 'three', '2026-06-02 12:00:00.000001Z'),
  (pg_temp.id('Acorn'), '00000000-0000-4000-8000-000000000004', pg_temp.id('Bo'), pg_temp.id('Cy'),
    pg_temp.id('not in German'), 'four', '2026-06-03Z'),
  (pg_temp.id('Acorn'), '00000000-0000-4000-8000-000000000005', pg_temp.id('Cy'), pg_temp.id('Bo'),
    pg_temp.id('in three languages'), e'five: "+1"\n@Ada 🎉', '2026-06-04 23:59:59.999999Z'),
  (pg_temp.id('Birch'), '00000000-0000-4000-8000-000000000006', pg_temp.id('Birch admin'), pg_temp.id('Birch admin'),
    pg_temp.id('Birch category'), 'six', '2026-06-05Z'),
  (pg_temp.id('Birch'), '00000000-0000-4000-8000-000000000008', pg_temp.id('Birch admin'), pg_temp.id('Birch admin'),
    pg_temp.id('Birch category'), 'eight', '2026-06-05Z'),
  (pg_temp.id('Birch'), '00000000-0000-4000-8000-000000000007', pg_temp.id('Birch admin'), pg_temp.id('Birch admin'),
    pg_temp.id('Birch category'), 'seven', '2026-06-05Z');

-- One field of every kudos on a page of Acorn, with these arguments.
create function pg_temp.kudos(arguments text, field text default 'message') returns text[] language plpgsql as $$
declare
  page json;
begin
  execute format('select public.list_activity(pg_temp.key(''Acorn''), %s)', arguments) into page;
  return pg_temp.column_of(page, field);
end
$$;

-- Acting as the project's secret key, with the hash of Acorn's key.
set local role service_role;

-- Fields

select is(
  public.list_activity(pg_temp.key('Acorn'), 1)::text,
  '[{"id":"00000000-0000-4000-8000-000000000005","timestamp":"2026-06-04T23:59:59.999999Z","sender_name":"Cy","sender_email":"cy@acorn.example",'
    || '"receiver_name":"Bo","receiver_email":"bo@acorn.example","message":"five: \"+1\"\n@Ada 🎉","category":"Teamgeist"}]',
  'A kudos has its fields in the specification''s order, its timestamp to the microsecond, and its message as it was written'
);
select is(
  pg_temp.kudos('5', 'category'), array['Teamgeist', 'Courage', 'Cuidado', 'Courage', 'Teamgeist'],
  'category is the name in the company''s default language, the English one where there is none, and any other where there is no English one either'
);
reset role;
update app.companies set default_language = 'pt-br' where id = pg_temp.id('Acorn');
insert into app.category_names (company_id, category_id, language, name) values
  (pg_temp.id('Acorn'), pg_temp.id('in three languages'), 'pt-BR', 'Equipe'),
  (pg_temp.id('Acorn'), pg_temp.id('not in German'), 'pt-br', 'coragem'),
  (pg_temp.id('Acorn'), pg_temp.id('not in German'), 'pt-BR', 'Coragem'),
  (pg_temp.id('Acorn'), pg_temp.id('not in German'), 'pt', 'Bravura');
set local role service_role;
select is(
  pg_temp.kudos('5', 'category'), array['Equipe', 'coragem', 'Cuidado', 'coragem', 'Equipe'],
  'The case of a language does not count, unless there is a name for each way of writing it'
);
reset role;
delete from app.category_names where language ilike 'pt%';
update app.companies set default_language = 'de' where id = pg_temp.id('Acorn');
update app.kudos set category_id = pg_temp.id('without any name') where id = '00000000-0000-4000-8000-000000000001';
set local role service_role;
select is((pg_temp.kudos('5', 'category'))[5], '', 'category is an empty text where there is no name at all');
select is(pg_temp.kudos('100, ' || filter, 'category'), answered, 'category is chosen in the same way behind ' || split_part(filter, ' ', 1))
from (values
  ($$sender_id => pg_temp.id('Bo')$$, array['Courage', 'Courage', '']),
  ($$receiver_id => pg_temp.id('Cy')$$, array['Courage', '']),
  ($$category_id => pg_temp.id('without any name')$$, array[''])
) as led (filter, answered);
reset role;
update app.kudos set category_id = pg_temp.id('in three languages') where id = '00000000-0000-4000-8000-000000000001';
create temporary table names_of_birch as select * from app.category_names where company_id = pg_temp.id('Birch');
delete from app.category_names where company_id = pg_temp.id('Birch');
set local role service_role;
select is(
  pg_temp.column_of(public.list_activity(pg_temp.key('Birch'), 100), 'category'), array['', '', ''],
  'category is an empty text also where the company has no name of any category'
);
reset role;
insert into app.category_names select * from names_of_birch;
set local role service_role;
set local timezone = 'America/St_Johns';
set local datestyle = 'SQL, DMY';
select is(
  public.list_activity(pg_temp.key('Acorn'), 1) -> 0 ->> 'timestamp', '2026-06-04T23:59:59.999999Z',
  'timestamp is in UTC whatever the session''s time zone and date style'
);
reset timezone;
reset datestyle;

-- Order and limit

select is(
  pg_temp.kudos('100'), array[e'five: "+1"\n@Ada 🎉', 'four', 'three', 'two', 'one'],
  'Kudos come newest first, and those of one instant by id, the highest first'
);
select is(
  pg_temp.headers() - 'X-Key-Id',
  jsonb_build_object('X-Company-Id', pg_temp.id('Acorn'), 'X-Row-Count', '5', 'X-Has-More', 'false'),
  'A page that holds all kudos says that there are no more, how many they are and whose'
);
select is(
  pg_temp.kudos('3'), array[e'five: "+1"\n@Ada 🎉', 'four', 'three'],
  'At most max_rows kudos are answered: the page may end between two of one instant'
);
select is(
  pg_temp.headers() - 'X-Key-Id',
  jsonb_build_object('X-Company-Id', pg_temp.id('Acorn'), 'X-Row-Count', '3', 'X-Has-More', 'true'),
  'A page that leaves kudos out says that there are more'
);
select is(json_array_length(public.list_activity(pg_temp.key('Acorn'), 5)), 5, 'A page can hold exactly the kudos there are');
select is(pg_temp.headers() ->> 'X-Has-More', 'false', 'A page that holds exactly max_rows kudos says that there are no more');

-- since and until

select is(pg_temp.kudos('100, ' || arguments), answered, name)
from (values
  ($$ since => '2026-06-02 12:00:00.000001Z' $$, array[e'five: "+1"\n@Ada 🎉', 'four', 'three', 'two'], 'since includes kudos of its very microsecond'),
  ($$ since => '2026-06-02 12:00:00.000002Z' $$, array[e'five: "+1"\n@Ada 🎉', 'four'], 'since leaves out kudos of the microsecond before'),
  ($$ until => '2026-06-02 12:00:00.000001Z' $$, array['three', 'two', 'one'], 'until includes kudos of its very microsecond'),
  ($$ until => '2026-06-02 12:00:00Z' $$, array['one'], 'until leaves out kudos of the microsecond after'),
  ($$ since => '2026-06-02 12:00:00.000001Z', until => '2026-06-02 12:00:00.000001Z' $$, array['three', 'two'],
    'since and until of one instant leave the kudos of that instant')
) as windows (arguments, answered, name);
select is(
  public.list_activity(pg_temp.key('Acorn'), 100, since => '2026-06-03 00:00:00.000001Z', until => '2026-06-04Z')::text, '[]',
  'A window without kudos is an empty page'
);
select is(
  pg_temp.headers() - 'X-Key-Id',
  jsonb_build_object('X-Company-Id', pg_temp.id('Acorn'), 'X-Row-Count', '0', 'X-Has-More', 'false'),
  'An empty page is [] and says that it has no row and that there are no more'
);

-- Filters

select is(pg_temp.kudos('100, ' || arguments), answered, name)
from (values
  ($$ sender_id => pg_temp.id('Bo') $$, array['four', 'two', 'one'], 'sender_id leaves the kudos of that sender, newest first'),
  ($$ receiver_id => pg_temp.id('Cy') $$, array['four', 'one'], 'receiver_id leaves the kudos to that receiver, newest first'),
  ($$ category_id => pg_temp.id('not in German') $$, array['four', 'two'], 'category_id leaves the kudos of that category, newest first'),
  ($$ sender_id => pg_temp.id('Bo'), receiver_id => pg_temp.id('Cy') $$, array['four', 'one'],
    'sender_id and receiver_id together leave the kudos from one to the other'),
  ($$ sender_id => pg_temp.id('Bo'), category_id => pg_temp.id('not in German') $$, array['four', 'two'],
    'sender_id and category_id together leave the kudos that have both'),
  ($$ receiver_id => pg_temp.id('Cy'), category_id => pg_temp.id('not in German') $$, array['four'],
    'receiver_id and category_id together leave the kudos that have both'),
  ($$ sender_id => pg_temp.id('Bo'), receiver_id => pg_temp.id('Cy'), category_id => pg_temp.id('in three languages') $$, array['one'],
    'sender_id, receiver_id and category_id together leave the kudos that have all three'),
  ($$ category_id => pg_temp.id('unused') $$, '{}', 'A category without kudos is an empty page')
) as filters (arguments, answered, name);
select is(
  pg_temp.kudos(format('100, since => %1$L, until => %1$L, %2$s', instant, filter)), array[answered],
  format('since and until bound %s: of the instant of its %s kudos they leave that one', split_part(filter, ' ', 1), which)
)
from (values
  ('2026-06-01 12:00:00Z', $$sender_id => pg_temp.id('Bo')$$, 'one', 'oldest'),
  ('2026-06-02 12:00:00.000001Z', $$receiver_id => pg_temp.id('Bo')$$, 'three', 'oldest'),
  ('2026-06-02 12:00:00.000001Z', $$category_id => pg_temp.id('not in German')$$, 'two', 'oldest'),
  ('2026-06-03Z', $$sender_id => pg_temp.id('Bo')$$, 'four', 'newest'),
  ('2026-06-04 23:59:59.999999Z', $$receiver_id => pg_temp.id('Bo')$$, e'five: "+1"\n@Ada 🎉', 'newest'),
  ('2026-06-03Z', $$category_id => pg_temp.id('not in German')$$, 'four', 'newest')
) as bounded (instant, filter, answered, which);
select is(
  pg_temp.kudos('1, ' || filter) || (pg_temp.headers() ->> 'X-Has-More'), array['four', 'true'],
  format('A page of %s holds at most max_rows kudos and says that there are more', split_part(filter, ' ', 1))
)
from unnest(array[
  $$sender_id => pg_temp.id('Bo')$$, $$receiver_id => pg_temp.id('Cy')$$, $$category_id => pg_temp.id('not in German')$$
]) as filter;

-- Two and three filters: the filter with the fewest matches leads, and the others must hold too

reset role;
insert into app.members (company_id, id, name, email)
select pg_temp.id('Acorn'), pg_temp.id(name), name, md5(name) || '@acorn.example'
from unnest(array['common sender', 'rare sender', 'other sender', 'common receiver', 'rare receiver', 'other receiver']) as name;
insert into app.categories (company_id, id)
select pg_temp.id('Acorn'), pg_temp.id(name) from unnest(array['common category', 'rare category', 'other category']) as name;
-- Five kudos have all that is common. For each rare thing, one kudos has it with the common ones, and one with other
-- people and another category.
insert into app.kudos (company_id, sender_id, receiver_id, category_id, message)
select pg_temp.id('Acorn'), pg_temp.id(sender || ' sender'), pg_temp.id(receiver || ' receiver'), pg_temp.id(category || ' category'),
  concat_ws(' ', sender, receiver, category)
from (values
  ('rare', 'common', 'common'), ('rare', 'other', 'other'),
  ('common', 'rare', 'common'), ('other', 'rare', 'other'),
  ('common', 'common', 'rare'), ('other', 'other', 'rare')
) as led (sender, receiver, category)
union all
select pg_temp.id('Acorn'), pg_temp.id('common sender'), pg_temp.id('common receiver'), pg_temp.id('common category'), 'common'
from generate_series(1, 5);
set local role service_role;

-- The messages of the kudos with this sender, receiver and category; null means any.
create function pg_temp.led_by(sender text, receiver text, category text) returns text[] language sql
return pg_temp.column_of(
  public.list_activity(pg_temp.key('Acorn'), 100, sender_id => pg_temp.id(sender || ' sender'),
    receiver_id => pg_temp.id(receiver || ' receiver'), category_id => pg_temp.id(category || ' category')),
  'message'
);
select is(
  pg_temp.led_by(sender, receiver, category), array[message],
  format('%s, %s and %s as sender, receiver and category leave the kudos that have all of it', coalesce(sender, 'any'), coalesce(receiver, 'any'), coalesce(category, 'any'))
)
from (values
  ('rare', 'common', null, 'rare common common'), ('rare', null, 'common', 'rare common common'),
  ('common', 'rare', null, 'common rare common'), (null, 'rare', 'common', 'common rare common'),
  ('common', null, 'rare', 'common common rare'), (null, 'common', 'rare', 'common common rare'),
  ('rare', 'common', 'common', 'rare common common'), ('common', 'rare', 'common', 'common rare common'), ('common', 'common', 'rare', 'common common rare')
) as led (sender, receiver, category, message);

-- Isolation

select is(pg_temp.kudos('100, ' || filter), '{}', 'Another company''s people and categories answer exactly as those that do not exist: ' || filter)
from unnest(array[
  $$sender_id => pg_temp.id('Birch admin')$$, $$receiver_id => pg_temp.id('Birch admin')$$, $$category_id => pg_temp.id('Birch category')$$,
  $$sender_id => pg_temp.id('nobody')$$
]) as filter;
select is(pg_temp.column_of(page, 'message'), array['eight', 'seven', 'six'], name)
from (values
  (public.list_activity(pg_temp.key('Birch'), 100), 'A key of Birch sees the kudos of Birch only'),
  (public.list_activity(pg_temp.key('Birch'), 100, sender_id => pg_temp.id('Birch admin')),
    'Kudos of a sender and of one instant come by id, the highest first'),
  (public.list_activity(pg_temp.key('Birch'), 100, receiver_id => pg_temp.id('Birch admin')),
    'Kudos to a receiver and of one instant come by id, the highest first'),
  (public.list_activity(pg_temp.key('Birch'), 100, category_id => pg_temp.id('Birch category')),
    'Kudos of a category and of one instant come by id, the highest first')
) as pages (page, name);

select * from finish();
rollback;
