set lock_timeout = '5s';
set statement_timeout = '60s';

create or replace function app.write_query(file text) returns text
language sql immutable set search_path = ''
return (
  select concat_ws(
    e'\n',
    'with written as (',
    '  merge into ' || pieces.target || ' as t',
    '  using (',
    '    select ' || pieces.cells,
    '    from ' || pieces.source || ' as s where s.position between $2 and $3 order by ' || pieces.sorting,
    '  ) as s',
    '  on t.company_id = $1 and ' || pieces.same_key,
    '  when matched and row(' || pieces.stored || ') is distinct from row(' || pieces.sent || ') then update set ' || pieces.changes,
    '  when not matched then insert (company_id, ' || pieces.names || ') values ($1, ' || pieces.new_values || ')',
    '  returning merge_action() as action',
    ')',
    'select count(*) filter (where action = ''INSERT'') as inserted, count(*) filter (where action = ''UPDATE'') as updated',
    'from written'
  )
  from (
    select
      format('app.%I', f.target) as target,
      format('staging.%I', f.file) as source,
      string_agg(
        case
          when c.when_empty is null then format('s.%I::%s', c.field, c.type)
          else format('coalesce(nullif(s.%I, '''')::%s, %s)', c.field, c.type, c.when_empty)
        end || format(' as %I', c.target_column),
        ', ' order by c.place
      ) as cells,
      string_agg(format('s.%I::%s', c.field, c.type), ', ' order by c.kind = 'date_time' desc, c.place)
        filter (where c.kind = 'date_time' or c.is_key) as sorting,
      string_agg(format('t.%1$I = s.%1$I', c.target_column), ' and ' order by c.place) filter (where c.is_key) as same_key,
      string_agg(format('t.%I', c.target_column) || c.compared_as, ', ' order by c.place) filter (where not c.is_key) as stored,
      string_agg(format('s.%I', c.target_column) || c.compared_as, ', ' order by c.place) filter (where not c.is_key) as sent,
      string_agg(format('%1$I = s.%1$I', c.target_column), ', ' order by c.place) filter (where not c.is_key) as changes,
      string_agg(format('%I', c.target_column), ', ' order by c.place) as names,
      string_agg(format('s.%I', c.target_column), ', ' order by c.place) as new_values
    from app.loaded_files() as f
    join (
      select
        loaded.*,
        app.stored_type(loaded.kind) as type,
        loaded.unique_by is not distinct from 'key' as is_key,
        case loaded.kind when 'json' then '::text' else '' end as compared_as
      from app.loaded_columns() as loaded
    ) as c on c.file = f.file
    where f.file = write_query.file
    group by f.file, f.target
  ) as pieces
);
