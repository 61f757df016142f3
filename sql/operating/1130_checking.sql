-- Loading, first step (docs/operate/load-data.md): finds the mistakes in the rows in staging.
--
-- There are three queries per file, built from the table of columns; members has a fourth one. Each returns (position,
-- problem, same_as). same_as is the position of an earlier row with the same value.

create function app.wrong_cells_query(file text) returns text
language sql immutable set search_path = ''
return (
  select format(
    $query$
      select s.position, p.problem, null::bigint
      from staging.%I as s
      cross join lateral (values %s) as p (problem)
      where p.problem is not null
    $query$,
    wrong_cells_query.file,
    string_agg(
      format(
        '(case when %s(%s) is not true then %L end)',
        case when c.when_empty is not null then format('s.%I <> '''' and ', c.field) end,
        format(k.condition, format('s.%I', c.field), c.minimum, c.maximum),
        c.field || ' ' || format(k.words, null, c.minimum, c.maximum)
          || case when c.when_empty is null then '' else ' or empty' end
      ),
      ', ' order by c.place
    )
  )
  from app.loaded_columns() as c
  join app.cell_checks() as k on k.kind = c.kind
  where c.file = wrong_cells_query.file
);

-- Cells with the id of a row that is neither in the files nor in the company ($1). Ids of erased people are accepted.
-- Cells that are not a uuid are not reported again: app.wrong_cells_query has found them.
create function app.unknown_ids_query(file text) returns text
language sql immutable set search_path = ''
return (
  select string_agg(
    format(
      $query$
        select u.position, %1$L || u.id || ' is unknown', null::bigint
        from (
          select s.position, lower(s.%2$I collate "C") as id
          from staging.%3$I as s
          where s.%2$I <> '' and not exists (
            select from (
              select lower(sent.id collate "C") as id from staging.%4$I as sent
              union all
              select present.id::text from app.%4$I as present where present.company_id = $1
            ) as known
            where known.id = lower(s.%2$I collate "C")
          )
          offset 0
        ) as u
        where case when %5$s then %6$s end
      $query$,
      c.field || ' must be the id of a ' || f.one || ', ', c.field, c.file, c.names, format(k.condition, 'u.id'),
      case c.names when 'members' then 'not app.is_erased($1, u.id::uuid)' else 'true' end
    ),
    'union all' order by c.place
  )
  from app.loaded_columns() as c
  join app.loaded_files() as f on f.file = c.names
  join app.cell_checks() as k on k.kind = c.kind
  where c.file = unknown_ids_query.file
);

-- Rows with a value that must be unique in the file, and that an earlier row has too: ids and email addresses in any case.
-- lower() is cheap in the collation C, which is enough for ids because they are ASCII.
create function app.repeated_cells_query(file text) returns text
language sql immutable set search_path = ''
return (
  select string_agg(
    format(
      $query$
        select r.position, %1$L, r.first
        from (
          select s.position, min(s.position) over (partition by %3$s) as first
          from staging.%2$I as s
          where (%4$s) is not null
        ) as r
        where r.position > r.first
      $query$,
      pieces.problem, repeated_cells_query.file, pieces.compared, pieces.not_empty
    ),
    'union all' order by pieces.problem
  )
  from (
    select
      string_agg(c.field, ' and ' order by c.place) || ' must be unique in the file' as problem,
      string_agg(
        format(case c.kind when 'uuid' then 'lower(s.%I collate "C")' when 'email' then 'lower(s.%I)' else 's.%I' end, c.field),
        ', ' order by c.place
      ) as compared,
      string_agg(format('nullif(s.%I, '''')', c.field), ', ' order by c.place) as not_empty
    from app.loaded_columns() as c
    where c.file = repeated_cells_query.file and c.unique_by is not null
    group by c.unique_by
  ) as pieces
);

-- All mistakes in the rows in staging, in the order of files and lines. Lines are numbered as in a text editor: the
-- header is line 1, and a cell may have line breaks. Lines are counted only in a file with a mistake.
create function app.staging_problems(company_id uuid) returns table (file text, line bigint, problem text)
language plpgsql stable set search_path = ''
as $$
declare
  loaded record;
  problems text;
begin
  for loaded in select f.file from app.loaded_files() as f order by f.place loop
    problems := concat_ws(
      'union all',
      app.wrong_cells_query(loaded.file),
      app.unknown_ids_query(loaded.file),
      app.repeated_cells_query(loaded.file),
      -- Members whose email address belongs to a member of the company who is not in the file.
      case when loaded.file = 'members' then
        $taken$
          select s.position, format('email must be unique in the company, member %s has it too', present.id), null::bigint
          from staging.members as s
          join app.members as present on present.company_id = $1 and lower(present.email) = lower(s.email)
          where not exists (select from staging.members as sent where lower(sent.id) = present.id::text)
        $taken$
      end
    );
    return query execute format(
      $query$
        with
        found (position, problem, same_as) as materialized (%1$s),
        lines as (
          select
            s.position,
            2 + coalesce(sum(1 + char_length(s::text) - char_length(replace(s::text, E'\n', ''))) over rows_before, 0) as line
          from staging.%2$I as s
          where exists (select from found)
          window rows_before as (order by s.position rows between unbounded preceding and 1 preceding)
        )
        select %2$L, l.line, f.problem || coalesce(', line ' || first.line || ' has it too', '')
        from found as f
        join lines as l on l.position = f.position
        left join lines as first on first.position = f.same_as
        order by l.line, f.problem
      $query$,
      problems,
      loaded.file
    )
    using staging_problems.company_id;
  end loop;
end
$$;

comment on function app.wrong_cells_query(text) is 'The query of the cells of a file that fail a check of their column.';
