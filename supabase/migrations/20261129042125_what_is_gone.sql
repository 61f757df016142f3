-- The tables of companies and keys are small: reading them takes milliseconds.
-- squawk-ignore-file ban-drop-not-null, constraint-missing-not-valid
set lock_timeout = '2s';
set statement_timeout = '60s';

-- Requests that began before the functions were replaced end within 7 seconds.
do $$
declare
  running constant text[] := array(
    select l.virtualxid from pg_locks as l where l.locktype = 'virtualxid' and l.pid <> pg_backend_pid()
  );
begin
  for tried in 1..100 loop
    exit when not exists (select from pg_locks as l where l.virtualxid = any (running));
    perform pg_sleep(0.1);
  end loop;
end
$$;

DROP FUNCTION "lists"."facts"(text);
