-- The teams at the time of a kudos: what each way of writing stores. Unknown is null, none is an id of zeros.
begin;
\ir helpers.psql
select plan(13);

-- Max is in the team Acorn, Ada in none.
select pg_temp.new_company_with_rows('Acorn');
select set_config('test.former', app.former_member(pg_temp.id('Acorn'))::text, true);
create function pg_temp.person(name text) returns uuid language sql stable
return case name when 'Max' then pg_temp.id('row') when 'former' then current_setting('test.former')::uuid else pg_temp.id('Ada of Acorn') end;
create function pg_temp.team(id uuid) returns text language sql immutable
return case id when pg_temp.id('row') then 'Acorn' when '00000000-0000-0000-0000-000000000000' then 'none' else coalesce(id::text, 'unknown') end;
create function pg_temp.teams(label text) returns text language sql stable
return (
  select pg_temp.team(k.sender_team_then_id) || ', ' || pg_temp.team(k.receiver_team_then_id)
  from app.kudos as k where k.company_id = pg_temp.id('Acorn') and k.id = pg_temp.id(label)
);
-- Writes a kudos of this age, in which the writer says the sender's team or nothing, and returns its teams.
create function pg_temp.written(label text, sender text, receiver text, age interval, said uuid default null) returns text language sql
begin atomic
  insert into app.kudos (company_id, id, sender_id, receiver_id, category_id, message, created_at, sender_team_then_id)
  values (pg_temp.id('Acorn'), pg_temp.id(label), pg_temp.person(sender), pg_temp.person(receiver), pg_temp.id('row'), '', now() - age, said);
  select pg_temp.teams(label);
end;

select is(pg_temp.written(label, sender, receiver, age::interval, said), teams, label)
from (values
  ('Max', 'Ada', '0', null, 'Acorn, none', 'A kudos of now has the teams of now'),
  ('Max', 'Ada', '48 hours', null, 'Acorn, none', 'So has one of 48 hours ago'),
  -- Proves: questions.14
  ('Max', 'Ada', '48 hours 1 microsecond', null, 'unknown, unknown', 'The teams of an older one are unknown'),
  ('Max', 'Ada', '9 days', pg_temp.id('row'), 'Acorn, unknown', 'What the writer says of an older one is kept'),
  ('Max', 'Ada', '0', '00000000-0000-0000-0000-000000000000'::uuid, 'none, none', 'What the writer says of a new one, too, beside the other team'),
  ('former', 'Max', '0', null, 'unknown, Acorn', 'Nobody knows the team of Former member')
) as cases (sender, receiver, age, said, teams, label);
set local app.as_stored = 'on';
select is(pg_temp.written('As stored', 'Max', 'Ada', '0'), 'unknown, unknown', 'What a move or a restore brings stays unknown');
set local app.as_stored = 'off';

create role bound_writer;
grant bound_writer to postgres with set true;
grant usage on schema app to bound_writer;
grant insert on app.kudos to bound_writer;
create policy bound on app.kudos for insert to bound_writer with check (true);
set local role bound_writer;
insert into app.kudos (company_id, id, sender_id, receiver_id, category_id, message)
select pg_temp.id('Acorn'), pg_temp.id('bound'), pg_temp.id('row'), pg_temp.id('row'), pg_temp.id('row'), '';
reset role;
select is(pg_temp.teams('bound'), 'Acorn, Acorn', 'Whoever writes: a role that sees no member adds the teams, too');

-- Each change is made to kudos that Max sent to Ada.
create function pg_temp.changed(label text, change text) returns text language plpgsql as $$
begin
  perform pg_temp.written(label, 'Max', 'Ada', '0');
  execute format('update app.kudos set %s where company_id = %L and id = %L', change, pg_temp.id('Acorn'), pg_temp.id(label));
  return pg_temp.teams(label);
end
$$;
select is(pg_temp.changed(label, format(change, pg_temp.person('Ada'), pg_temp.person('Max'))), teams, label)
from (values
  ('message = ''new'', sender_id = sender_id', 'Acorn, none', 'Another text changes no team'),
  ('sender_id = %1$L', 'unknown, none', 'The team of another sender is unknown'),
  -- Proves: questions.14
  ('receiver_id = %2$L', 'Acorn, unknown', 'The team of another receiver is unknown'),
  ('sender_id = %1$L, sender_team_then_id = %1$L', pg_temp.person('Ada') || ', none', 'Unless the writer says it')
) as cases (change, teams, label);

select app.erase_member(pg_temp.id('Acorn'), pg_temp.person('Max'), false);
select is(
  (select array_agg(distinct pg_temp.team(case person when 'sender' then k.sender_team_then_id else k.receiver_team_then_id end))
    from app.kudos as k, unnest(array['sender', 'receiver']) as person
    where k.company_id = pg_temp.id('Acorn') and case person when 'sender' then k.sender_id else k.receiver_id end = pg_temp.person('former')),
  array['unknown'],
  -- Proves: questions.14
  'Nothing tells the team of an erased person'
);
rollback;
