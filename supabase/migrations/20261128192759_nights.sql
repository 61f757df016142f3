set lock_timeout = '2s';
set statement_timeout = '60s';

set local check_function_bodies = off;

DROP FUNCTION "app"."overdue"();

DROP PROCEDURE "app"."forget_all_deletions"();

CREATE TYPE "app"."overdue_rows" AS ("company_id" uuid, "relation" text, "before" timestamp with time zone, "late" interval);

CREATE OR REPLACE FUNCTION app.is_unlocked(relation text)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  execute format('lock table app.%I in row exclusive mode nowait', relation);
  return true;
exception
  when lock_not_available then return false;
end
$function$;

CREATE OR REPLACE FUNCTION app.overdue(relation text)
 RETURNS SETOF app.overdue_rows
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_sort TO 'off'
AS $function$
begin
  return query execute format(
    'select c.id, %1$L, t.before, t.before - o.oldest
     from app.companies as c
     cross join lateral (select now() - c.retention as before) as t
     cross join lateral (select min(r.created_at) as oldest from app.%1$I as r where r.company_id = c.id) as o
     where c.retention is not null and c.serving <> ''moving'' and o.oldest < t.before',
    relation
  );
end
$function$;

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
  relations constant text[] := '{kudos,day_ratings,pulse_responses}';
  relation text;
  due app.overdue_rows[];
  list app.overdue_rows;
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
    due := '{}';
    foreach relation in array relations loop
      continue when relation = any (locked);
      if app.is_unlocked(relation) then
        due := due || array(select o from app.overdue(relation) as o);
      else
        locked := locked || relation;
      end if;
    end loop;
    commit;
    foreach list in array array(select d from unnest(due) as d order by d.late desc) loop
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

COMMENT ON FUNCTION "app"."is_unlocked"(text) IS 'Whether rows of a table can be deleted now, because nobody has locked all of it.';

COMMENT ON FUNCTION "app"."overdue"(text) IS 'The companies with rows of a table that are older than their retention.';

COMMENT ON PROCEDURE "app"."forget_all_deletions"(bigint) IS 'Removes the recorded deletions that are older than 90 days, and codes of assistants, and commits after every 5,000. Returns how many lists it did not reach.';

COMMENT ON TYPE "app"."overdue_rows" IS 'A table with rows older than the retention of their company, and how late they are.';

REVOKE ALL ON FUNCTION "app"."is_unlocked"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."is_unlocked"(text) TO "postgres";

REVOKE ALL ON FUNCTION "app"."overdue"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."overdue"(text) TO "postgres";

REVOKE ALL ON PROCEDURE "app"."forget_all_deletions"(bigint) FROM PUBLIC;

GRANT EXECUTE ON PROCEDURE "app"."forget_all_deletions"(bigint) TO "postgres";

REVOKE ALL ON TYPE "app"."overdue_rows" FROM PUBLIC;

GRANT USAGE ON TYPE "app"."overdue_rows" TO "postgres";
