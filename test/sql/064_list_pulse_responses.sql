-- public.list_pulse_responses: GET /pulse-responses.
begin;
create extension if not exists pgtap with schema extensions;
select plan(20);

\ir helpers.psql

-- Acorn: pulse responses with every kind of JSON value. Birch: one more, newer than all others.
do $$
begin
  perform pg_temp.found('Acorn');
  perform pg_temp.found('Birch');
end
$$;
insert into app.pulse_questions (company_id, id, question, response_type) values
  (pg_temp.id('Acorn'), pg_temp.id('How busy?'), 'How busy?', 'scale'),
  (pg_temp.id('Acorn'), pg_temp.id('Anything else?'), 'Anything "else"?', null),
  (pg_temp.id('Birch'), pg_temp.id('Birch?'), 'Birch?', 'text');
insert into app.pulse_responses (company_id, id, question_id, value, comment, created_at) values
  (pg_temp.id('Acorn'), '00000000-0000-4000-8000-000000000001', null, null, default, '2026-06-01Z'),
  (pg_temp.id('Acorn'), '00000000-0000-4000-8000-000000000002', pg_temp.id('Anything else?'), 'null', '', '2026-06-02 12:00:00.000001Z'),
  (pg_temp.id('Acorn'), '00000000-0000-4000-8000-000000000003', pg_temp.id('Anything else?'), '"yes, \"really\""', 'so',
    '2026-06-02 12:00:00.000001Z'),
  (pg_temp.id('Acorn'), '00000000-0000-4000-8000-000000000004', pg_temp.id('How busy?'), '4', 'Hm', '2026-06-03Z'),
  (pg_temp.id('Acorn'), '00000000-0000-4000-8000-000000000005', pg_temp.id('How busy?'), '1.10', '', '2026-06-04Z'),
  (pg_temp.id('Acorn'), '00000000-0000-4000-8000-000000000006', pg_temp.id('How busy?'), 'false', '', '2026-06-05Z'),
  (pg_temp.id('Acorn'), '00000000-0000-4000-8000-000000000007', pg_temp.id('How busy?'), '["a", {"b": []}]', '', '2026-06-06Z'),
  (pg_temp.id('Birch'), '00000000-0000-4000-8000-000000000008', pg_temp.id('Birch?'), '"Birch"', '', '2026-06-07Z');

select is_empty(
  $$
    select a.attrelid::regclass, a.attname
    from pg_attribute as a
    where a.attrelid in ('app.pulse_responses'::regclass, 'api.pulse_responses'::regclass) and a.attnum > 0
      and a.attname not in ('company_id', 'id', 'question_id', 'question', 'response_type', 'value', 'comment', 'created_at', 'timestamp',
        'instant')
  $$,
  'A pulse answer has no column that could name a person or a team'
);

-- Acting as the project's secret key, with the hash of Acorn's key.
set local role service_role;

-- Fields

select is(
  (public.list_pulse_responses(pg_temp.key('Acorn'), 100) -> 3)::text,
  '{"id":"00000000-0000-4000-8000-000000000004","timestamp":"2026-06-03T00:00:00.000000Z","question":"How busy?","response_type":"scale",'
    || '"value":4,"comment":"Hm"}',
  'A pulse answer has its fields in the specification''s order'
);
select is(
  (public.list_pulse_responses(pg_temp.key('Acorn'), 100) -> 6)::text,
  '{"id":"00000000-0000-4000-8000-000000000001","timestamp":"2026-06-01T00:00:00.000000Z","question":null,"response_type":null,'
    || '"value":null,"comment":""}',
  'A pulse answer without a question has null for question, type and value, and the comment is empty text'
);
select is(
  (public.list_pulse_responses(pg_temp.key('Acorn'), 100) -> 4)::text,
  '{"id":"00000000-0000-4000-8000-000000000003","timestamp":"2026-06-02T12:00:00.000001Z","question":"Anything \"else\"?","response_type":null,'
    || '"value":"yes, \"really\"","comment":"so"}',
  'A question without a known response type has null for it'
);
select is(
  array(
    select json_typeof(answer -> 'value') || ' ' || (answer ->> 'value')
    from json_array_elements(public.list_pulse_responses(pg_temp.key('Acorn'), 5)) as answer
  ),
  array['array ["a", {"b": []}]', 'boolean false', 'number 1.10', 'number 4', 'string yes, "really"'],
  'value is any JSON value and passes through as it is'
);
select is(
  json_typeof(public.list_pulse_responses(pg_temp.key('Acorn'), 100) -> 5 -> 'value'), 'null', 'A value that is JSON''s null is null'
);
set local timezone = 'America/St_Johns';
set local datestyle = 'SQL, DMY';
select is(
  public.list_pulse_responses(pg_temp.key('Acorn'), 100) -> 4 ->> 'timestamp', '2026-06-02T12:00:00.000001Z',
  'timestamp is in UTC whatever the session''s time zone and date style'
);
reset timezone;
reset datestyle;

-- Order and limit

select is(
  pg_temp.column_of(public.list_pulse_responses(pg_temp.key('Acorn'), 100), 'id'),
  array(select '00000000-0000-4000-8000-00000000000' || digit from generate_series(7, 1, -1) as digit),
  'Pulse answers come newest first, and those of one instant by id, the highest first'
);
select is(
  pg_temp.headers() - 'X-Key-Id',
  jsonb_build_object('X-Company-Id', pg_temp.id('Acorn'), 'X-Row-Count', '7', 'X-Has-More', 'false'),
  'A page that holds all pulse answers says that there are no more, how many they are and whose'
);
select is(
  pg_temp.column_of(public.list_pulse_responses(pg_temp.key('Acorn'), 5), 'value'),
  array['["a", {"b": []}]', 'false', '1.10', '4', 'yes, "really"'],
  'At most max_rows pulse answers are answered: the page may end between two of one instant'
);
select is(
  pg_temp.headers() - 'X-Key-Id',
  jsonb_build_object('X-Company-Id', pg_temp.id('Acorn'), 'X-Row-Count', '5', 'X-Has-More', 'true'),
  'A page that leaves pulse answers out says that there are more'
);
select is(json_array_length(public.list_pulse_responses(pg_temp.key('Acorn'), 7)), 7, 'A page can hold exactly the pulse answers there are');
select is(pg_temp.headers() ->> 'X-Has-More', 'false', 'A page that holds exactly max_rows pulse answers says that there are no more');

-- since and until

select is(
  json_array_length(public.list_pulse_responses(pg_temp.key('Acorn'), 100, since => '2026-06-02 12:00:00.000001Z')), 6,
  'since includes pulse answers of its very microsecond'
);
select is(
  json_array_length(public.list_pulse_responses(pg_temp.key('Acorn'), 100, since => '2026-06-02 12:00:00.000002Z')), 4,
  'since leaves out pulse answers of the microsecond before'
);
select is(
  json_array_length(public.list_pulse_responses(pg_temp.key('Acorn'), 100, until => '2026-06-02 12:00:00.000001Z')), 3,
  'until includes pulse answers of its very microsecond'
);
select is(
  json_array_length(public.list_pulse_responses(pg_temp.key('Acorn'), 100, until => '2026-06-02 12:00:00Z')), 1,
  'until leaves out pulse answers of the microsecond after'
);
select is(
  public.list_pulse_responses(pg_temp.key('Acorn'), 100, since => '2026-06-02 12:00:00.000002Z', until => '2026-06-02 23:59:59.999999Z')::text, '[]',
  'A window without pulse answers is an empty page'
);
select is(
  pg_temp.headers() - 'X-Key-Id',
  jsonb_build_object('X-Company-Id', pg_temp.id('Acorn'), 'X-Row-Count', '0', 'X-Has-More', 'false'),
  'An empty page is [] and says that it has no row and that there are no more'
);

-- Isolation

select is(
  pg_temp.column_of(public.list_pulse_responses(pg_temp.key('Birch'), 100), 'value'), array['Birch'],
  'A key of Birch sees the pulse answers of Birch only'
);

select * from finish();
rollback;
