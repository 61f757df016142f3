set lock_timeout = '2s';
set statement_timeout = '60s';

set local check_function_bodies = off;

DROP FUNCTION "app"."is_time_up"();

DROP PROCEDURE "app"."purge_table"(uuid, timestamp with time zone, text, bigint, text, text);

CREATE OR REPLACE FUNCTION app.is_time_up(share double precision DEFAULT 0.5)
 RETURNS boolean
 LANGUAGE sql
 SET search_path TO ''
RETURN (((current_setting('statement_timeout'::text))::interval > '00:00:00'::interval) AND (clock_timestamp() > (statement_timestamp() + ((current_setting('statement_timeout'::text))::interval * share))));

CREATE OR REPLACE FUNCTION app.overdue()
 RETURNS TABLE(company_id uuid, relation text, before timestamp with time zone, late interval)
 LANGUAGE sql
 STABLE
 SET search_path TO ''
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_sort TO 'off'
BEGIN ATOMIC
 SELECT c.id,
     o.relation,
     t.before,
     (t.before - o.oldest)
    FROM ((app.companies c
      CROSS JOIN LATERAL ( SELECT (now() - c.retention) AS before) t)
      CROSS JOIN LATERAL ( VALUES ('kudos'::text,( SELECT min(k.created_at) AS min
                    FROM app.kudos k
                   WHERE (k.company_id = c.id))), ('day_ratings'::text,( SELECT min(r.created_at) AS min
                    FROM app.day_ratings r
                   WHERE (r.company_id = c.id))), ('pulse_responses'::text,( SELECT min(p.created_at) AS min
                    FROM app.pulse_responses p
                   WHERE (p.company_id = c.id)))) o(relation, oldest))
   WHERE ((c.serving <> 'moving'::text) AND (o.oldest < t.before));
END;

CREATE OR REPLACE FUNCTION app.purge_some(company_id uuid, since timestamp with time zone, before timestamp with time zone, relation text, OUT deleted bigint, OUT reached timestamp with time zone)
 RETURNS record
 LANGUAGE plpgsql
 SET search_path TO ''
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_sort TO 'off'
 SET lock_timeout TO '2s'
AS $function$
declare
  is_old boolean;
begin
  execute format(
    'select exists (select from app.%I as t where t.company_id = $1 and t.created_at >= $2 and t.created_at < $3)', relation
  )
    into is_old using company_id, since, before;
  if not is_old then
    deleted := 0;
    return;
  end if;
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
$function$;

CREATE OR REPLACE PROCEDURE app.purge_before(IN company_id uuid, IN before timestamp with time zone)
 LANGUAGE plpgsql
AS $procedure$
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
$procedure$;

CREATE OR REPLACE PROCEDURE app.purge_expired()
 LANGUAGE plpgsql
AS $procedure$
declare
  share constant double precision := 0.375;
  turn constant bigint := 100000;
  list record;
  deleted bigint;
  failure text;
  failure_code text;
  total bigint := 0;
  purged integer := 0;
  failed text[] := '{}';
  failures text[] := '{}';
  is_rest boolean := true;
begin
  while is_rest and not app.is_time_up(share) loop
    is_rest := false;
    for list in
      select o.* from app.overdue() as o
      where not failed && array[o.company_id::text, o.company_id || ' ' || o.relation] order by o.late desc
    loop
      -- A company whose lock was waited for once.
      continue when list.company_id::text = any (failed);
      call app.purge_table(
        list.company_id, list.before, list.relation, turn, share, deleted, failure, failure_code
      );
      total := total + deleted;
      is_rest := is_rest or deleted >= turn or coalesce(failure_code = 'query_canceled', false);
      exit when failure_code = 'query_canceled';
      if failure is not null then
        failed := failed || concat_ws(' ', list.company_id, case when failure_code <> '55P03' then list.relation end);
        failures := failures || format('%s: %s: %s rows deleted, then: %s', list.company_id, list.relation, deleted, failure);
      elsif deleted > 0 then
        purged := purged + 1;
        raise notice '%: %: % rows deleted', list.company_id, list.relation, deleted;
      end if;
    end loop;
  end loop;
  raise notice '% rows deleted', total;
  call app.forget_all_deletions();
  if failures <> '{}' then
    raise exception '% of % purges failed', cardinality(failures), cardinality(failures) + purged
      using detail = array_to_string(failures, E'\n');
  elsif is_rest then
    raise exception '% rows deleted: statement_timeout leaves no time for the rest, which comes first in the next call', total;
  end if;
end
$procedure$;

CREATE OR REPLACE PROCEDURE app.purge_table(IN company_id uuid, IN before timestamp with time zone, IN relation text, IN at_most bigint, IN share double precision, INOUT deleted bigint, INOUT failure text, INOUT failure_code text)
 LANGUAGE plpgsql
AS $procedure$
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
$procedure$;

COMMENT ON FUNCTION "app"."is_time_up"(double precision) IS 'Whether this share of statement_timeout is over for the running call.';

COMMENT ON FUNCTION "app"."overdue"() IS 'The tables with rows that are older than the retention of their company, and how late they are.';

COMMENT ON PROCEDURE "app"."purge_expired"() IS 'Deletes the kudos, day ratings and pulse answers that are older than the retention of their company, then the recorded deletions that nobody needs.';

COMMENT ON PROCEDURE "app"."purge_table"(uuid, timestamp with time zone, text, bigint, double precision, bigint, text, text) IS 'Deletes the old rows of a table, and commits after every 2,000. Returns how many, and the error that ended it.';

REVOKE ALL ON FUNCTION "app"."is_time_up"(double precision) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."is_time_up"(double precision) TO "postgres";

REVOKE ALL ON FUNCTION "app"."overdue"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."overdue"() TO "postgres";

REVOKE ALL ON PROCEDURE "app"."purge_table"(uuid, timestamp with time zone, text, bigint, double precision, bigint, text, text) FROM PUBLIC;

GRANT EXECUTE ON PROCEDURE "app"."purge_table"(uuid, timestamp with time zone, text, bigint, double precision, bigint, text, text) TO "postgres";
