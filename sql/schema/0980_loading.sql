-- Loading, last step: checks what stands in staging and writes it to a company (docs/operations.md, How data gets in).
--
-- All or nothing: one mistake in one line, and nothing is written. Repeatable: a row is known by its id, so the same file sent again
-- changes nothing, and a corrected file changes what differs. Rows that the files do not name are left alone.

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
