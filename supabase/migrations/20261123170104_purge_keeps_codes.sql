set lock_timeout = '5s';
set statement_timeout = '60s';

SET local check_function_bodies = off;

DROP PROCEDURE "app"."purge_table"(uuid, timestamp WITH time zone, text, bigint, text);

CREATE OR REPLACE PROCEDURE app.purge_before (
  IN company_id uuid,
  IN before timestamp with time zone
)
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
  is_old boolean;
  deleted bigint;
  failure text;
  failure_code text;
  total bigint := 0;
  purged integer := 0;
  failed integer := 0;
begin
  for company in
    select c.id, now() - c.retention as before from app.companies as c
    where c.retention is not null and c.serving = 'open'
  loop
    foreach relation in array array['kudos', 'day_ratings', 'pulse_responses'] loop
      execute format('select exists (select from app.%I as t where t.company_id = $1 and t.created_at < $2)', relation)
        into is_old using company.id, company.before;
      continue when not is_old;
      failure := null;
      call app.purge_table(company.id, company.before, relation, deleted, failure, failure_code);
      total := total + deleted;
      if failure is null then
        purged := purged + 1;
        raise notice '%: %: % rows deleted', company.id, relation, deleted;
      else
        failed := failed + 1;
        raise warning '%: %: % rows deleted, then: %', company.id, relation, deleted, failure;
      end if;
    end loop;
  end loop;
  raise notice '% rows deleted', total;
  if failed > 0 then
    raise exception '% of % purges failed: the warnings above say which', failed, failed + purged;
  end if;
end
$procedure$;

CREATE OR REPLACE PROCEDURE app.purge_table (
  IN    company_id uuid,
  IN    before timestamp with time zone,
  IN    relation text,
  INOUT deleted bigint,
  INOUT failure text,
  INOUT failure_code text
)
  LANGUAGE plpgsql
  AS $procedure$
declare
  since timestamptz := '-infinity';
  batch record;
begin
  deleted := 0;
  loop
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

COMMENT ON PROCEDURE "app"."purge_table"(uuid, timestamp with time zone, text, bigint, text, text) IS 'Deletes the old rows of a table, and commits after every 2,000. Returns how many, and the error that ended it.';

REVOKE ALL ON PROCEDURE "app"."purge_table"(uuid, timestamp WITH time zone, text, bigint, text, text) FROM PUBLIC;
