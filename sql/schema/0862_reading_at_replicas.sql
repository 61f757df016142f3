-- The lists at a read replica (docs/operate/read-replicas.md). A replica runs no transaction that may write, and the
-- Data API begins one for every POST to a volatile function. So public.read_page, which is stable, calls a list there
-- (0865_lists.sql). Its statement timeout is the time that the Edge Function waits for a replica. The lists themselves stay
-- volatile: they record the last use of a key. That is left to public.verify_api_key here, which the Edge Function calls at
-- the primary at the same time.

-- Stable, so that sessions use a new number at once.
create function app.max_replica_lag() returns interval
language sql stable set search_path = ''
return interval '30 seconds';

-- Returns the page, and adds X-Replica-Lag to its response headers: how many milliseconds ago the primary committed what
-- the replica has applied last, or 0 when it has applied all that it has received. So the page is not older than that,
-- and may be newer: after a quiet time the number is too high until the next transaction has been applied.
--
-- PT503: the server is more than app.max_replica_lag() behind, cannot tell how far it is behind, or is not a replica.
create function app.from_replica(page json) returns json
language plpgsql stable
set search_path = ''
set jit = off
as $$
declare
  lag interval := case
    when not pg_is_in_recovery() then null
    -- Without a receiver the replica does not know how much there is to receive.
    when pg_last_wal_receive_lsn() <= pg_last_wal_replay_lsn() and exists (select from pg_stat_wal_receiver) then interval '0'
    else clock_timestamp() - pg_last_xact_replay_timestamp()
  end;
  headers text;
begin
  if lag is null or lag > app.max_replica_lag() then
    raise exception 'this server is too far behind, or not a replica' using errcode = 'PT503';
  end if;
  -- Assigned and not performed, which would run it as a query.
  headers := set_config(
    'response.headers',
    left(current_setting('response.headers'), -1) || format(',{"X-Replica-Lag":"%s"}]', round(1000 * extract(epoch from lag))),
    true
  );
  return page;
end
$$;

grant execute on function app.max_replica_lag, app.from_replica to public_api;
comment on function app.max_replica_lag is
  'How far behind a replica may be to serve lists. The primary serves them otherwise. To be replaced by operators.';
comment on function app.from_replica is
  'Returns the page, and adds the response header X-Replica-Lag (milliseconds). PT503 if the server is too far behind, or not '
  'a replica.';
