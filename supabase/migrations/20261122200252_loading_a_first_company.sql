set lock_timeout = '5s';
set statement_timeout = '60s';

SET local check_function_bodies = off;

CREATE OR REPLACE FUNCTION app.write_file (
  company_id uuid,
  file       text,
  OUT        inserted bigint,
  OUT        updated bigint,
  OUT        unchanged bigint
)
  RETURNS record
  LANGUAGE plpgsql
  SET search_path TO ''
  SET enable_hashjoin TO 'off'
  SET enable_mergejoin TO 'off'
  SET enable_seqscan TO 'off'
  SET enable_material TO 'off'
  AS $function$
declare
  slice constant bigint := 50000;
  beginning constant bigint := 1000;
  target text := (select f.target from app.loaded_files() as f where f.file = write_file.file);
  sent record;
  part record;
  written bigint := 0;
  upto bigint;
begin
  inserted := 0;
  updated := 0;
  execute format('select count(*) as rows, min(position) as first, max(position) as last from staging.%I', file) into sent;
  while written <= sent.last - sent.first loop
    upto := case when written = 0 then beginning else (written / slice + 1) * slice end;
    execute app.write_query(file) into part using company_id, sent.first + written, sent.first + upto - 1;
    inserted := inserted + part.inserted;
    updated := updated + part.updated;
    if written = 0 and sent.rows > beginning then
      execute format('analyze app.%I', target);
    elsif sent.rows > slice then
      raise notice '%: % of % rows written', file, least(upto, sent.rows), sent.rows;
    end if;
    written := upto;
  end loop;
  unchanged := sent.rows - inserted - updated;
end
$function$;
