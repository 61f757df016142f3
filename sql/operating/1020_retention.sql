-- Deleting old data (docs/operate/erase-and-retain.md, Retention). For operators, as postgres.
--
-- The procedures commit after every 2,000 rows, so that nobody has to wait long for them. Therefore they cannot be called
-- in a transaction, and if one is stopped, deleted rows stay deleted. They do not set search_path, because PostgreSQL does
-- not let a procedure with such a setting commit. So all names have their schema.

-- Whether this share of statement_timeout is over. A purge then begins nothing more. The limit counts for the whole call, over
-- all its commits; a procedure can neither catch it like another error nor lift it, and in pg_cron there is no place to set it.
create function app.is_time_up(share double precision default 0.5) returns boolean
language sql volatile set search_path = ''
return current_setting('statement_timeout')::interval > '0'
  and clock_timestamp() > statement_timestamp() + current_setting('statement_timeout')::interval * share;

-- The settings make it read the rows from the index, the oldest first: after a large load the planner still expects few
-- rows, and would read and sort all that are left for each 2,000. It waits for a locked company or row for two seconds.
create function app.purge_some(
  company_id uuid, since timestamptz, before timestamptz, relation text, out deleted bigint, out reached timestamptz
)
language plpgsql volatile set search_path = '' set enable_seqscan = off set enable_bitmapscan = off
set enable_sort = off set lock_timeout = '2s'
as $$
begin
  perform app.require_settled_company(company_id);
  execute format(
    'with gone as (
       delete from app.%1$I as t where t.ctid = any (array(
         select old.ctid from app.%1$I as old
         where old.company_id = $1 and old.created_at >= $2 and old.created_at < $3
         order by old.created_at limit 2000 for update
       ))
       returning t.created_at
     )
     select count(*), max(gone.created_at) from gone',
    relation
  ) into deleted, reached using company_id, since, before;
end
$$;

create procedure app.purge_table(
  company_id uuid, before timestamptz, relation text, at_most bigint, share double precision,
  inout deleted bigint, inout failure text, inout failure_code text
)
language plpgsql security invoker
as $$
declare
  since timestamptz := '-infinity';
  batch record;
begin
  deleted := 0;
  failure := null;
  loop
    if app.is_time_up(share) then
      failure := 'statement_timeout leaves no time for the rest: call it again';
      failure_code := 'query_canceled';
      exit;
    end if;
    begin
      select * into batch from app.purge_some(company_id, since, before, relation);
    exception
      when others then
        failure := sqlerrm;
        failure_code := sqlstate;
    end;
    commit;
    exit when failure is not null;
    deleted := deleted + batch.deleted;
    exit when batch.deleted = 0 and since = '-infinity' or deleted >= at_most;
    -- Deleted rows stay in the index while a transaction may still see them, so the next batch begins after them. At the
    -- end it looks once more from the beginning, for rows that were added in the meantime.
    since := coalesce(batch.reached, '-infinity');
  end loop;
end
$$;

create procedure app.purge_before(company_id uuid, before timestamptz)
language plpgsql security invoker
as $$
declare
  relation text;
  deleted bigint;
  failure text;
  failure_code text;
begin
  if before is null then
    raise exception 'before must be a time' using errcode = 'invalid_parameter_value';
  end if;
  perform app.require_settled_company(company_id);
  foreach relation in array array['kudos', 'day_ratings', 'pulse_responses'] loop
    call app.purge_table(company_id, before, relation, null, 0.5, deleted, failure, failure_code);
    if failure is not null then
      raise exception '%: %', relation, failure using errcode = failure_code;
    end if;
    raise notice '%: % rows deleted', relation, deleted;
  end loop;
end
$$;

-- Removes the recorded deletions that are older than 90 days, of all lists and companies, which the triggers that record
-- deletions do only for the list and company of the next one; and codes of assistants that have expired, likewise. It goes
-- by how old the oldest one is, so what one night leaves comes first in the next one: unreached says how many lists.
create procedure app.forget_all_deletions(inout unreached bigint default 0)
language plpgsql security invoker
as $$
declare
  list record;
  last app.forgotten_deletions;
  reached app.forgotten_deletions;
begin
  unreached := 0;
  delete from app.assistant_codes as c where c.expires_at < now();
  -- app.forget_deletions begins at the mark of what is forgotten. Rows below it are those that app.forget_cursors has made
  -- worthless, and those of transactions that ended late. Up to 50,000 in a night.
  delete from app.deletions as d using app.forgotten_deletions as f
  where d.ctid = any (array(
      select o.ctid from app.deletions as o join app.forgotten_deletions as m using (company_id, relation)
      where (o.deleted_in, o.id) <= (m.deleted_in, m.id) limit 50000
    ))
    and f.company_id = d.company_id and f.relation = d.relation and (d.deleted_in, d.id) <= (f.deleted_in, f.id);
  commit;
  for list in
    select d.company_id, d.relation from app.deletions as d join app.companies as c on c.id = d.company_id
    where d.deleted_at < now() - interval '90 days'
    group by d.company_id, d.relation order by min(d.deleted_at)
  loop
    last := null;
    loop
      exit when app.is_time_up();
      perform app.forget_deletions(list.company_id, list.relation);
      select f.* into reached from app.forgotten_deletions as f
      where f.company_id = list.company_id and f.relation = list.relation;
      commit;
      exit when reached is not distinct from last;
      last := reached;
    end loop;
  end loop;
  if app.is_time_up() then
    select count(distinct (d.company_id, d.relation)) into unreached
    from app.deletions as d where d.deleted_at < now() - interval '90 days';
  end if;
end
$$;

-- The companies with rows of a table that are older than their retention, and how late they are. Also those that have
-- moved away and left their rows. The settings: see purge_some.
create function app.overdue(relation text) returns table (company_id uuid, before timestamptz, late interval)
language plpgsql stable set search_path = '' set enable_seqscan = off set enable_bitmapscan = off
set enable_sort = off
as $$
begin
  return query execute format(
    'select c.id, t.before, t.before - o.oldest
     from app.companies as c
     cross join lateral (select now() - c.retention as before) as t
     cross join lateral (select min(r.created_at) as oldest from app.%I as r where r.company_id = c.id) as o
     where c.retention is not null and c.serving <> ''moving'' and o.oldest < t.before',
    relation
  );
end
$$;

create function app.is_unlocked(relation text) returns boolean
language plpgsql volatile set search_path = ''
as $$
begin
  execute format('lock table app.%I in row exclusive mode nowait', relation);
  return true;
exception
  when lock_not_available then return false;
end
$$;

-- Deletes what is older than the retention of its company, in all companies, also in those that have moved away and left
-- their rows, and then the recorded deletions that nobody needs any more. Each part has its share of the time.
--
-- It goes by how overdue the oldest row is, so what one night leaves comes first in the next one; and in turns of about
-- 100,000 rows, so that a table with years to delete does not keep the others waiting. A company that fails, and a table
-- that somebody has locked, stop no other, and are tried again by the next call. At the end there is an error that says
-- how much failed and how much is left, with the first ten failures as its DETAIL: of all that is raised, pg_cron keeps
-- only that. Two calls at the same time do no harm.
create procedure app.purge_expired()
language plpgsql security invoker
as $$
declare
  share constant double precision := 0.375;
  turn constant bigint := 100000;
  tables constant text[] := array['kudos', 'day_ratings', 'pulse_responses'];
  list record;
  deleted bigint;
  failure text;
  failure_code text;
  total bigint := 0;
  purged integer := 0;
  -- Companies, and tables of companies, that were tried in vain; and tables that somebody has locked.
  failed text[] := '{}';
  locked text[] := '{}';
  failures text[] := '{}';
  is_rest boolean := true;
  rest integer := 0;
  unreached bigint;
begin
  while is_rest and not app.is_time_up(share) loop
    is_rest := false;
    rest := 0;
    locked := locked || array(select t from unnest(tables) as t where t <> all (locked) and not app.is_unlocked(t));
    for list in
      select t.relation, o.* from unnest(tables) as t (relation) cross join lateral app.overdue(t.relation) as o
      where t.relation <> all (locked) order by o.late desc
    loop
      -- A company whose lock was waited for once.
      continue when failed && array[list.company_id::text, list.company_id || ' ' || list.relation]
        or list.relation = any (locked);
      if app.is_time_up(share) then
        rest := rest + 1;
        continue;
      end if;
      if not app.is_unlocked(list.relation) then
        locked := locked || list.relation;
        continue;
      end if;
      call app.purge_table(
        list.company_id, list.before, list.relation, turn, share, deleted, failure, failure_code
      );
      total := total + deleted;
      is_rest := is_rest or deleted >= turn;
      if failure_code = 'query_canceled' then
        rest := rest + 1;
      elsif failure is not null then
        failed := failed || concat_ws(' ', list.company_id, case when failure_code <> '55P03' then list.relation end);
        failures := failures || format('%s: %s: %s rows deleted, then: %s', list.company_id, list.relation, deleted, failure);
      elsif deleted > 0 then
        purged := purged + 1;
        raise notice '%: %: % rows deleted', list.company_id, list.relation, deleted;
      end if;
    end loop;
  end loop;
  raise notice '% rows deleted', total;
  call app.forget_all_deletions(unreached);
  if failures <> '{}' or locked <> '{}' or is_rest or rest + unreached > 0 then
    raise exception using
      message = concat_ws(
        '; ',
        format('%s rows deleted', total),
        cardinality(nullif(failures, '{}')) || format(' of %s purges failed', cardinality(failures) + purged),
        'locked by somebody, and left: ' || nullif(array_to_string(locked, ', '), ''),
        case when is_rest or rest + unreached > 0 then format(
          'statement_timeout leaves no time for the rest, which comes first in the next call '
            '(%s tables of companies, %s lists of recorded deletions)',
          greatest(rest, is_rest::integer), unreached
        ) end
      ),
      detail = concat_ws(
        E'\n', array_to_string(failures[:10], E'\n'),
        case when cardinality(failures) > 10 then format('and %s more', cardinality(failures) - 10) end
      );
  end if;
end
$$;

comment on function app.purge_some(uuid, timestamptz, timestamptz, text) is
  'Deletes up to 2,000 rows of a table in a time window, the oldest first. Returns how many, and the newest time.';
comment on function app.is_unlocked(text) is
  'Whether rows of a table can be deleted now: nobody has locked all. Holds a lock like a delete''s until the commit.';
comment on procedure app.purge_table is
  'Deletes old rows of a table, about at_most, until this share of the time is over. Returns how many, and the error.';
comment on procedure app.purge_before(uuid, timestamptz) is
  'Deletes the kudos, day ratings and pulse answers of a company from before a time. Commits after every 2,000 rows.';
comment on procedure app.purge_expired() is
  'Deletes kudos, day ratings and pulse answers older than the retention of their company, then recorded deletions.';
