set lock_timeout = '2s';
set statement_timeout = '60s';

set local check_function_bodies = off;

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
  failures text[] := '{}';
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
        failures := failures || format('%s: %s: %s rows deleted, then: %s', company.id, relation, deleted, failure);
      elsif deleted > 0 then
        purged := purged + 1;
        raise notice '%: %: % rows deleted', company.id, relation, deleted;
      end if;
      exit companies when app.is_time_up();
    end loop;
  end loop;
  raise notice '% rows deleted', total;
  if failures <> '{}' then
    raise exception '% of % purges failed', cardinality(failures), cardinality(failures) + purged
      using detail = array_to_string(failures, E'\n');
  elsif app.is_time_up() then
    raise exception 'statement_timeout left no time for some companies: call it again';
  end if;
end
$procedure$;
