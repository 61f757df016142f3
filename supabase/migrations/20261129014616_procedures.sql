-- The tables of companies and keys are small: reading them takes milliseconds.
-- squawk-ignore-file ban-drop-not-null, constraint-missing-not-valid
set lock_timeout = '2s';
set statement_timeout = '60s';

set local check_function_bodies = off;

DROP PROCEDURE "app"."forget_all_deletions"();

CREATE OR REPLACE PROCEDURE app.forget_all_deletions(INOUT unreached bigint DEFAULT 0)
 LANGUAGE plpgsql
AS $procedure$
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
$procedure$;

CREATE OR REPLACE PROCEDURE app.purge_expired()
 LANGUAGE plpgsql
AS $procedure$
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
$procedure$;

CREATE OR REPLACE PROCEDURE app.set_fewest_people(IN company_id uuid, IN fewest_people integer)
 LANGUAGE plpgsql
AS $procedure$
declare
  earlier text[];
  pids text;
  reached uuid;
  batch record;
  hidden bigint := 0;
begin
  if fewest_people is null then
    raise exception 'fewest_people must be a whole number from 2 to 100' using errcode = 'invalid_parameter_value';
  end if;
  perform app.require_open_company(company_id);
  update app.companies as c set fewest_people = set_fewest_people.fewest_people where c.id = set_fewest_people.company_id;
  commit;

  -- Transactions that began before may have read that there is no number, and still write: with the old snapshot of
  -- repeatable read also one that has written nothing yet.
  select array_agg(l.virtualtransaction), string_agg(l.pid::text, ', ') into earlier, pids
  from pg_catalog.pg_locks as l
  join pg_catalog.pg_stat_activity as a on a.pid = l.pid
  where l.locktype = 'virtualxid' and l.granted and l.pid <> pg_catalog.pg_backend_pid()
    and a.datname = pg_catalog.current_database() and a.usesysid is not null;
  if earlier is not null then
    raise notice 'waiting for transactions that began earlier (processes %)', pids;
  end if;
  while exists (
    select from pg_catalog.pg_locks as l where l.locktype = 'virtualxid' and l.granted and l.virtualtransaction = any (earlier)
  ) loop
    commit;
    perform pg_catalog.pg_sleep(0.05);
  end loop;

  for pass in 1..2 loop
    reached := '00000000-0000-0000-0000-000000000000';
    loop
      select * into batch from app.hide_some(company_id, reached);
      commit;
      hidden := hidden + batch.hidden;
      -- A batch begins with the last row of the one before.
      exit when batch.last is not distinct from reached;
      reached := batch.last;
    end loop;
  end loop;
  raise notice '% ratings lost their team', hidden;
end
$procedure$;

COMMENT ON PROCEDURE "app"."purge_before"(uuid, timestamp with time zone) IS 'Deletes the kudos, day ratings and pulse answers of a company from before a time. Commits after every 2,000 rows.';

COMMENT ON PROCEDURE "app"."purge_expired"() IS 'Deletes kudos, day ratings and pulse answers older than the retention of their company, then recorded deletions.';

COMMENT ON PROCEDURE "app"."purge_table"(uuid, timestamp with time zone, text, bigint, double precision, bigint, text, text) IS 'Deletes old rows of a table, about at_most, until this share of the time is over. Returns how many, and the error.';

COMMENT ON PROCEDURE "app"."set_fewest_people"(uuid, integer) IS 'Sets how many people a team must have for ratings to name it, also for ratings that are there. Commits after every 2,000.';

REVOKE ALL ON PROCEDURE "app"."forget_all_deletions"(bigint) FROM PUBLIC;

GRANT EXECUTE ON PROCEDURE "app"."forget_all_deletions"(bigint) TO "postgres";

REVOKE ALL ON PROCEDURE "app"."set_fewest_people"(uuid, integer) FROM PUBLIC;

GRANT EXECUTE ON PROCEDURE "app"."set_fewest_people"(uuid, integer) TO "postgres";
