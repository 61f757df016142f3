set lock_timeout = '2s';
set statement_timeout = '60s';

set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION app.is_time_up()
 RETURNS boolean
 LANGUAGE sql
 SET search_path TO ''
RETURN (((current_setting('statement_timeout'::text))::interval > '00:00:00'::interval) AND (clock_timestamp() > (statement_timestamp() + ((current_setting('statement_timeout'::text))::interval / (2)::double precision))));

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
  execute format('select exists (select from app.%I as t where t.company_id = $1 and t.created_at >= $2 and t.created_at < $3)', relation)
    into is_old using company_id, since, before;
  if not is_old then
    deleted := 0;
    return;
  end if;
  perform app.require_open_company(company_id);
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

CREATE OR REPLACE PROCEDURE app.forget_all_deletions()
 LANGUAGE plpgsql
AS $procedure$
declare
  list record;
  last app.forgotten_deletions;
  reached app.forgotten_deletions;
begin
  for list in select f.company_id, f.relation from app.forgotten_deletions as f loop
    last := null;
    loop
      exit when app.is_time_up();
      perform app.forget_deletions(list.company_id, list.relation);
      select f.* into reached from app.forgotten_deletions as f where f.company_id = list.company_id and f.relation = list.relation;
      commit;
      exit when reached is not distinct from last;
      last := reached;
    end loop;
  end loop;
end
$procedure$;

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
  perform app.require_open_company(company_id);
  foreach relation in array array['kudos', 'day_ratings', 'pulse_responses'] loop
    call app.purge_table(company_id, before, relation, deleted, failure, failure_code);
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
  company record;
  relation text;
  deleted bigint;
  failure text;
  failure_code text;
  total bigint := 0;
  purged integer := 0;
  failed integer := 0;
begin
  call app.forget_all_deletions();
  <<companies>>
  for company in
    select c.id, now() - c.retention as before from app.companies as c
    where c.retention is not null and c.serving = 'open'
    -- If the time does not suffice for all, it is not always the same ones that are left.
    order by random()
  loop
    foreach relation in array array['kudos', 'day_ratings', 'pulse_responses'] loop
      call app.purge_table(company.id, company.before, relation, deleted, failure, failure_code);
      total := total + deleted;
      if failure is not null then
        failed := failed + 1;
        raise warning '%: %: % rows deleted, then: %', company.id, relation, deleted, failure;
      elsif deleted > 0 then
        purged := purged + 1;
        raise notice '%: %: % rows deleted', company.id, relation, deleted;
      end if;
      exit companies when app.is_time_up();
    end loop;
  end loop;
  raise notice '% rows deleted', total;
  if failed > 0 then
    raise exception '% of % purges failed: the warnings above say which', failed, failed + purged;
  elsif app.is_time_up() then
    raise exception 'statement_timeout left no time for some companies: call it again';
  end if;
end
$procedure$;

CREATE OR REPLACE PROCEDURE app.purge_table(IN company_id uuid, IN before timestamp with time zone, IN relation text, INOUT deleted bigint, INOUT failure text, INOUT failure_code text)
 LANGUAGE plpgsql
AS $procedure$
declare
  since timestamptz := '-infinity';
  batch record;
begin
  deleted := 0;
  failure := null;
  loop
    if app.is_time_up() then
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
    exit when batch.deleted = 0 and since = '-infinity';
    -- Deleted rows stay in the index while a transaction may still see them, so the next batch begins after them. At the end it looks once
    -- more from the beginning, for rows that were added in the meantime.
    since := coalesce(batch.reached, '-infinity');
  end loop;
end
$procedure$;

COMMENT ON FUNCTION "app"."is_time_up"() IS 'Whether half of statement_timeout is over for the running call.';

COMMENT ON PROCEDURE "app"."forget_all_deletions"() IS 'Removes the recorded deletions that are older than 90 days, and commits after every 5,000.';

REVOKE ALL ON FUNCTION "app"."is_time_up"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."is_time_up"() TO "postgres";

REVOKE ALL ON PROCEDURE "app"."forget_all_deletions"() FROM PUBLIC;

GRANT EXECUTE ON PROCEDURE "app"."forget_all_deletions"() TO "postgres";
