-- Loading: checks what stands in staging and writes it to a company (docs/operations.md, How data gets in).
--
-- All or nothing: one mistake in one line, and nothing is written. Repeatable: a row is known by its id, so the same file sent again
-- changes nothing, and a corrected file changes what differs. Rows that the files do not name are left alone.

-- What a cell must be. Each of these says what is wrong with a cell, or null. They ask for more than a cast does: a cast takes
-- {…} for a uuid and yesterday for a date.

create function app.uuid_problem(field text, cell text) returns text
language sql immutable set search_path = ''
return case
  when cell ~ '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$' then null
  else field || ' must be a uuid'
end;

create function app.text_problem(field text, cell text, min_length integer, max_length integer) returns text
language sql immutable set search_path = ''
return case
  when char_length(coalesce(cell, '')) between min_length and max_length then null
  else format('%s must be %s%s characters', field, case when min_length = 0 then 'at most ' else min_length || ' to ' end, max_length)
end;

-- Names, roles and the like are grouped and filtered by: a blank that nobody sees would make two of one.
create function app.label_problem(field text, cell text, max_length integer) returns text
language sql immutable set search_path = ''
return case
  when char_length(cell) between 1 and max_length and cell !~ '^\s|\s$|[\u0001-\u001f\u007f]' then null
  else format('%s must be one line of 1 to %s characters without blanks around it', field, max_length)
end;

create function app.email_problem(field text, cell text) returns text
language sql immutable set search_path = ''
return case
  when cell ~ '^[^@\s]+@[^@\s]+$' and char_length(cell) <= 320 then null
  else field || ' must be an e-mail address'
end;

create function app.language_problem(field text, cell text) returns text
language sql immutable set search_path = ''
return case
  when cell ~ '^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$' then null
  else field || ' must be a language tag, such as en or pt-BR'
end;

create function app.whole_number_problem(field text, cell text, minimum integer, maximum integer) returns text
language sql immutable set search_path = ''
return case
  when case when cell ~ '^(0|[1-9][0-9]{0,9})$' then cell::bigint between minimum and maximum end then null
  else format('%s must be a whole number from %s to %s', field, minimum, maximum)
end;

-- The length first: JSON that is nested without end would break off the check itself.
create function app.json_problem(field text, cell text) returns text
language sql immutable set search_path = ''
return case
  when case when char_length(cell) <= 10000 then pg_input_is_valid(cell, 'jsonb') end then null
  else field || ' must be JSON of at most 10000 characters, such as 4, true or "yes"'
end;

-- With a zone, or the same file would mean different moments in different sessions.
create function app.date_time_problem(field text, cell text) returns text
language sql stable set search_path = ''
return case
  when case
    when cell ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}T([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|[+-][0-9]{2}(:?[0-9]{2})?)$'
      and pg_input_is_valid(cell, 'timestamptz')
    then cell::timestamptz >= '0001-01-01Z' and cell::timestamptz < '10000-01-01Z'
  end then null
  else field || ' must be an ISO 8601 date-time with a zone, such as 2026-11-20T10:15:30Z'
end;

revoke all on function
  app.uuid_problem(text, text),
  app.text_problem(text, text, integer, integer),
  app.label_problem(text, text, integer),
  app.email_problem(text, text),
  app.language_problem(text, text),
  app.whole_number_problem(text, text, integer, integer),
  app.json_problem(text, text),
  app.date_time_problem(text, text)
from public;

comment on function app.uuid_problem(text, text) is 'Null when the cell is a uuid in the form 8-4-4-4-12.';
comment on function app.text_problem(text, text, integer, integer) is 'Null when the cell is a text of that many characters.';
comment on function app.label_problem(text, text, integer) is 'Null when the cell is one line of text without blanks around it.';
comment on function app.email_problem(text, text) is 'Null when the cell is an e-mail address.';
comment on function app.language_problem(text, text) is 'Null when the cell is a BCP 47 tag.';
comment on function app.whole_number_problem(text, text, integer, integer) is 'Null when the cell is a whole number in that range.';
comment on function app.json_problem(text, text) is 'Null when the cell is JSON of at most 10000 characters.';
comment on function app.date_time_problem(text, text) is 'Null when the cell is an ISO 8601 date-time with a zone, of the years 1 to 9999.';

-- Everything that is wrong with what stands in staging, in the order of files and lines. A line is counted as an editor counts
-- it: the header is line 1, and a cell may hold line breaks.
create function app.staging_problems(company_id uuid) returns table (file text, line bigint, problem text)
language sql stable set search_path = ''
begin atomic
  with
  -- Every row of every file. language is '' but for categories, which stand in their file once per language.
  sent as (
    select 'teams' as file, t.position, lower(t.id) collate "C" as id, '' as language, t::text as cells from staging.teams as t
    union all
    select 'members', m.position, lower(m.id), '', m::text from staging.members as m
    union all
    select 'categories', c.position, lower(c.id), c.language, c::text from staging.categories as c
    union all
    select 'kudos', k.position, lower(k.id), '', k::text from staging.kudos as k
    union all
    select 'day_ratings', r.position, lower(r.id), '', r::text from staging.day_ratings as r
    union all
    select 'pulse_questions', q.position, lower(q.id), '', q::text from staging.pulse_questions as q
    union all
    select 'pulse_responses', r.position, lower(r.id), '', r::text from staging.pulse_responses as r
  ),
  lines as (
    select
      s.file,
      s.position,
      2 + coalesce(sum(1 + char_length(s.cells) - char_length(replace(s.cells, E'\n', ''))) over rows_before, 0) as line
    from sent as s
    window rows_before as (partition by s.file order by s.position rows between unbounded preceding and 1 preceding)
  ),
  -- Every cell that names a row of another file, and what it may name: rows of that file and rows that the company has already.
  named as (
    select 'members' as file, m.position, 'team_id' as field, ' or empty' as or_empty, 'team' as what, lower(m.team_id) as id
    from staging.members as m
    where m.team_id <> ''
    union all
    select 'kudos', k.position, 'sender_id', '', 'member', lower(k.sender_id) from staging.kudos as k
    union all
    select 'kudos', k.position, 'receiver_id', '', 'member', lower(k.receiver_id) from staging.kudos as k
    union all
    select 'kudos', k.position, 'category_id', '', 'category', lower(k.category_id) from staging.kudos as k
    union all
    select 'day_ratings', r.position, 'team_id', ' or empty', 'team', lower(r.team_id)
    from staging.day_ratings as r
    where r.team_id <> ''
    union all
    select 'pulse_responses', r.position, 'question_id', ' or empty', 'question', lower(r.question_id)
    from staging.pulse_responses as r
    where r.question_id <> ''
  ),
  known as (
    select 'team' as what, lower(t.id) as id from staging.teams as t
    union all
    select 'team', t.id::text from app.teams as t where t.company_id = staging_problems.company_id
    union all
    select 'member', lower(m.id) from staging.members as m
    union all
    select 'member', m.id::text from app.members as m where m.company_id = staging_problems.company_id
    union all
    select 'category', lower(c.id) from staging.categories as c
    union all
    select 'category', c.id::text from app.categories as c where c.company_id = staging_problems.company_id
    union all
    select 'question', lower(q.id) from staging.pulse_questions as q
    union all
    select 'question', q.id::text from app.pulse_questions as q where q.company_id = staging_problems.company_id
  ),
  wrong_cells as (
    select 'teams' as file, t.position, unnest(array[
      app.uuid_problem('id', t.id),
      app.label_problem('name', t.name, 255)
    ]) as problem
    from staging.teams as t
    union all
    select 'members', m.position, unnest(array[
      app.uuid_problem('id', m.id),
      app.label_problem('name', m.name, 255),
      app.email_problem('email', m.email),
      app.label_problem('role', m.role, 50),
      app.date_time_problem('created_at', m.created_at)
    ])
    from staging.members as m
    union all
    select 'categories', c.position, unnest(array[
      app.uuid_problem('id', c.id),
      app.language_problem('language', c.language),
      app.label_problem('name', c.name, 255)
    ])
    from staging.categories as c
    union all
    select 'kudos', k.position, unnest(array[
      app.uuid_problem('id', k.id),
      app.text_problem('message', k.message, 1, 10000),
      app.date_time_problem('created_at', k.created_at)
    ])
    from staging.kudos as k
    union all
    select 'day_ratings', r.position, unnest(array[
      app.uuid_problem('id', r.id),
      app.whole_number_problem('rating', r.rating, 1, 5),
      app.text_problem('comment', r.comment, 0, 10000),
      case when r.points_awarded <> '' then app.whole_number_problem('points_awarded', r.points_awarded, 0, 2147483647) || ' or empty' end,
      app.date_time_problem('created_at', r.created_at)
    ])
    from staging.day_ratings as r
    union all
    select 'pulse_questions', q.position, unnest(array[
      app.uuid_problem('id', q.id),
      app.text_problem('question', q.question, 1, 2000),
      case when q.response_type <> '' then app.label_problem('response_type', q.response_type, 50) || ' or empty' end
    ])
    from staging.pulse_questions as q
    union all
    select 'pulse_responses', r.position, unnest(array[
      app.uuid_problem('id', r.id),
      case when r.value <> '' then app.json_problem('value', r.value) || ', or empty' end,
      app.text_problem('comment', r.comment, 0, 10000),
      app.date_time_problem('created_at', r.created_at)
    ])
    from staging.pulse_responses as r
  ),
  problems as (
    select w.file, w.position, w.problem, null::bigint as same_as
    from wrong_cells as w
    where w.problem is not null

    union all
    select n.file, n.position, coalesce(
      app.uuid_problem(n.field, n.id) || n.or_empty,
      format('%s must be the id of a %s, %s is unknown', n.field, n.what, n.id)
    ), null
    from named as n
    where not exists (select from known as k where k.what = n.what and k.id = n.id)

    union all
    select s.file, s.position, case s.file when 'categories' then 'id and language' else 'id' end || ' must be unique in the file', s.first
    from (
      select s.file, s.position, min(s.position) over (partition by s.file, s.id, s.language) as first
      from sent as s
      where s.id <> ''
    ) as s
    where s.position > s.first

    union all
    select 'members', m.position, 'email must be unique in the file', m.first
    from (
      select m.position, min(m.position) over (partition by lower(m.email)) as first
      from staging.members as m
      where m.email <> ''
    ) as m
    where m.position > m.first

    union all
    select 'members', m.position, format('email must be unique in the company, member %s has it too', present.id), null
    from staging.members as m
    join app.members as present on present.company_id = staging_problems.company_id and lower(present.email) = lower(m.email)
    where not exists (select from staging.members as sent_too where lower(sent_too.id) = present.id::text)
  )
  select p.file, l.line, p.problem || coalesce(', line ' || first.line || ' has it too', '')
  from problems as p
  join lines as l on l.file = p.file and l.position = p.position
  left join lines as first on first.file = p.file and first.position = p.same_as
  order by
    array_position(
      array['teams', 'members', 'categories', 'kudos', 'day_ratings', 'pulse_questions', 'pulse_responses'],
      p.file
    ),
    l.line,
    p.problem;
end;

revoke all on function app.staging_problems(uuid) from public;
comment on function app.staging_problems(uuid) is 'Everything that is wrong with what stands in staging, were it loaded into this company.';

-- Security invoker: who may not write these tables may not load either. An error names up to 20 problems.
create function app.load_staging(company_id uuid)
returns table (file text, inserted bigint, updated bigint, unchanged bigint)
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  problems text[];
begin
  -- No row arrives between the check and the writing, and two loads do not meet.
  lock table
    staging.teams, staging.members, staging.categories, staging.kudos,
    staging.day_ratings, staging.pulse_questions, staging.pulse_responses
  in access exclusive mode;

  -- The planner does not know yet how many rows there are, here and where tables are analyzed below; after a load that was broken
  -- off it believes that all tables are empty. Then 20,000 kudos took more than half a minute instead of two seconds.
  analyze
    staging.teams, staging.members, staging.categories, staging.kudos,
    staging.day_ratings, staging.pulse_questions, staging.pulse_responses;

  if not exists (select from app.companies as c where c.id = load_staging.company_id) then
    raise exception 'company_id must be the id of a company, % is none', load_staging.company_id
      using errcode = 'invalid_parameter_value';
  end if;

  select array_agg(format('%s line %s: %s', p.file, p.line, p.problem)) into problems
  from app.staging_problems(load_staging.company_id) as p;
  if problems is not null then
    raise exception '%', array_to_string(problems[:20], '; ') || case
      when cardinality(problems) > 20 then format('; and %s more', cardinality(problems) - 20)
      else ''
    end
      using errcode = 'invalid_parameter_value';
  end if;

  -- Sorted: rows are locked in the same order by every load, and what a page of the API returns lies together on disk.

  return query
  with written as (
    merge into app.teams as t
    using (
      select
        s.id::uuid as id,
        s.name
      from staging.teams as s
      order by s.id
    ) as s
    on t.company_id = load_staging.company_id and t.id = s.id
    when matched and t.name <> s.name then update set name = s.name
    when not matched then insert (company_id, id, name)
      values (load_staging.company_id, s.id, s.name)
    returning merge_action() as action
  )
  select
    'teams',
    count(*) filter (where w.action = 'INSERT'),
    count(*) filter (where w.action = 'UPDATE'),
    (select count(*) from staging.teams) - count(*)
  from written as w;

  analyze app.teams;

  -- An address may pass from one member to another within a load: whoever gives one up that another takes lets go of it first.
  update app.members as m set email = m.id || '@moving.invalid'
  from staging.members as leaving, staging.members as taking
  where m.company_id = load_staging.company_id
    and m.id = leaving.id::uuid
    and lower(m.email) <> lower(leaving.email)
    and lower(m.email) = lower(taking.email);

  return query
  with written as (
    merge into app.members as t
    using (
      select
        s.id::uuid as id,
        s.name,
        s.email,
        s.role,
        nullif(s.team_id, '')::uuid as team_id,
        s.created_at::timestamptz as created_at
      from staging.members as s
      order by s.created_at::timestamptz, s.id
    ) as s
    on t.company_id = load_staging.company_id and t.id = s.id
    when matched and (t.name, t.email, t.role, t.team_id, t.created_at)
      is distinct from (s.name, s.email, s.role, s.team_id, s.created_at)
    then update set
      name = s.name,
      email = s.email,
      role = s.role,
      team_id = s.team_id,
      created_at = s.created_at
    when not matched then insert (company_id, id, name, email, role, team_id, created_at)
      values (load_staging.company_id, s.id, s.name, s.email, s.role, s.team_id, s.created_at)
    returning merge_action() as action
  )
  select
    'members',
    count(*) filter (where w.action = 'INSERT'),
    count(*) filter (where w.action = 'UPDATE'),
    (select count(*) from staging.members) - count(*)
  from written as w;

  analyze app.members;

  insert into app.categories (company_id, id)
  select distinct load_staging.company_id, s.id::uuid
  from staging.categories as s
  on conflict do nothing;
  analyze app.categories;

  return query
  with written as (
    merge into app.category_names as t
    using (
      select
        s.id::uuid as category_id,
        s.language,
        s.name
      from staging.categories as s
      order by s.id, s.language
    ) as s
    on t.company_id = load_staging.company_id and t.category_id = s.category_id and t.language = s.language
    when matched and t.name <> s.name then update set name = s.name
    when not matched then insert (company_id, category_id, language, name)
      values (load_staging.company_id, s.category_id, s.language, s.name)
    returning merge_action() as action
  )
  select
    'categories',
    count(*) filter (where w.action = 'INSERT'),
    count(*) filter (where w.action = 'UPDATE'),
    (select count(*) from staging.categories) - count(*)
  from written as w;

  return query
  with written as (
    merge into app.kudos as t
    using (
      select
        s.id::uuid as id,
        s.sender_id::uuid as sender_id,
        s.receiver_id::uuid as receiver_id,
        s.category_id::uuid as category_id,
        s.message,
        s.created_at::timestamptz as created_at
      from staging.kudos as s
      order by s.created_at::timestamptz, s.id
    ) as s
    on t.company_id = load_staging.company_id and t.id = s.id
    when matched and (t.sender_id, t.receiver_id, t.category_id, t.message, t.created_at)
      is distinct from (s.sender_id, s.receiver_id, s.category_id, s.message, s.created_at)
    then update set
      sender_id = s.sender_id,
      receiver_id = s.receiver_id,
      category_id = s.category_id,
      message = s.message,
      created_at = s.created_at
    when not matched then insert (company_id, id, sender_id, receiver_id, category_id, message, created_at)
      values (load_staging.company_id, s.id, s.sender_id, s.receiver_id, s.category_id, s.message, s.created_at)
    returning merge_action() as action
  )
  select
    'kudos',
    count(*) filter (where w.action = 'INSERT'),
    count(*) filter (where w.action = 'UPDATE'),
    (select count(*) from staging.kudos) - count(*)
  from written as w;

  return query
  with written as (
    merge into app.day_ratings as t
    using (
      select
        s.id::uuid as id,
        s.rating::smallint as rating,
        nullif(s.comment, '') as comment,
        nullif(s.team_id, '')::uuid as team_id,
        nullif(s.points_awarded, '')::integer as points_awarded,
        s.created_at::timestamptz as created_at
      from staging.day_ratings as s
      order by s.created_at::timestamptz, s.id
    ) as s
    on t.company_id = load_staging.company_id and t.id = s.id
    when matched and (t.rating, t.comment, t.team_id, t.points_awarded, t.created_at)
      is distinct from (s.rating, s.comment, s.team_id, s.points_awarded, s.created_at)
    then update set
      rating = s.rating,
      comment = s.comment,
      team_id = s.team_id,
      points_awarded = s.points_awarded,
      created_at = s.created_at
    when not matched then insert (company_id, id, rating, comment, team_id, points_awarded, created_at)
      values (load_staging.company_id, s.id, s.rating, s.comment, s.team_id, s.points_awarded, s.created_at)
    returning merge_action() as action
  )
  select
    'day_ratings',
    count(*) filter (where w.action = 'INSERT'),
    count(*) filter (where w.action = 'UPDATE'),
    (select count(*) from staging.day_ratings) - count(*)
  from written as w;

  return query
  with written as (
    merge into app.pulse_questions as t
    using (
      select
        s.id::uuid as id,
        s.question,
        nullif(s.response_type, '') as response_type
      from staging.pulse_questions as s
      order by s.id
    ) as s
    on t.company_id = load_staging.company_id and t.id = s.id
    when matched and (t.question, t.response_type)
      is distinct from (s.question, s.response_type)
    then update set
      question = s.question,
      response_type = s.response_type
    when not matched then insert (company_id, id, question, response_type)
      values (load_staging.company_id, s.id, s.question, s.response_type)
    returning merge_action() as action
  )
  select
    'pulse_questions',
    count(*) filter (where w.action = 'INSERT'),
    count(*) filter (where w.action = 'UPDATE'),
    (select count(*) from staging.pulse_questions) - count(*)
  from written as w;

  return query
  with written as (
    merge into app.pulse_responses as t
    using (
      select
        s.id::uuid as id,
        nullif(s.question_id, '')::uuid as question_id,
        nullif(s.value, '')::jsonb as value,
        coalesce(s.comment, '') as comment,
        s.created_at::timestamptz as created_at
      from staging.pulse_responses as s
      order by s.created_at::timestamptz, s.id
    ) as s
    on t.company_id = load_staging.company_id and t.id = s.id
    when matched and (t.question_id, t.value, t.comment, t.created_at)
      is distinct from (s.question_id, s.value, s.comment, s.created_at)
    then update set
      question_id = s.question_id,
      value = s.value,
      comment = s.comment,
      created_at = s.created_at
    when not matched then insert (company_id, id, question_id, value, comment, created_at)
      values (load_staging.company_id, s.id, s.question_id, s.value, s.comment, s.created_at)
    returning merge_action() as action
  )
  select
    'pulse_responses',
    count(*) filter (where w.action = 'INSERT'),
    count(*) filter (where w.action = 'UPDATE'),
    (select count(*) from staging.pulse_responses) - count(*)
  from written as w;

  truncate
    staging.teams, staging.members, staging.categories, staging.kudos,
    staging.day_ratings, staging.pulse_questions, staging.pulse_responses;
end
$$;

revoke all on function app.load_staging(uuid) from public;
comment on function app.load_staging(uuid) is
  'Checks what stands in staging, writes it to this company, all or nothing, and empties staging. What it did, per file.';
