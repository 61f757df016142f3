-- Loading, second step (docs/operations.md, How data gets in): what is wrong with the files as a whole.

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
