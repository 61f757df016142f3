-- The lists at a read replica (docs/operate/read-replicas.md). A replica runs no transaction that may write, and the
-- Data API begins one for every POST to a volatile function. So public.read_page, which is stable, calls a list there.
-- Its statement timeout is the time that the Edge Function waits for a replica. The lists themselves
-- stay volatile: they record the last use of a key. That is left to public.verify_api_key here, which the Edge Function
-- calls at the primary at the same time.

-- Stable, so that sessions use a new number at once.
create function app.max_replica_lag() returns interval
language sql stable set search_path = ''
return interval '30 seconds';

-- Returns the page, and adds X-Replica-Lag to its response headers: how many milliseconds ago the primary committed
-- what the replica has applied last, or 0 when it has applied all that it has received. So the page is not older than
-- that, and may be newer: after a quiet time the number is too high until the next transaction has been applied.
--
-- PT503: the server is more than app.max_replica_lag() behind, cannot tell how far it is behind, or is not a replica.
create function app.from_replica(page json) returns json
language plpgsql stable set search_path = ''
as $$
declare
  lag interval := case
    when not pg_is_in_recovery() then null
    -- Without a receiver the replica does not know how much there is to receive.
    when pg_last_wal_receive_lsn() <= pg_last_wal_replay_lsn() and exists (select from pg_stat_wal_receiver)
      then interval '0'
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
    left(current_setting('response.headers'), -1)
      || format(',{"X-Replica-Lag":"%s"}]', round(1000 * extract(epoch from lag))),
    true
  );
  return page;
end
$$;

grant execute on function app.max_replica_lag, app.from_replica to public_api;
comment on function app.max_replica_lag is
  'How far behind a replica may be to serve lists. The primary serves them otherwise. To be replaced by operators.';
comment on function app.from_replica is
  'Returns the page, and adds the response header X-Replica-Lag (milliseconds). PT503 if the server is too far behind, '
  'or not a replica.';

-- The lists and their changes, with the arguments of all.
create function public.read_page(
  rpc text, key_hash text, max_rows integer, team_id uuid default null, role text default null,
  starting_after uuid default null, email text default null, name text default null,
  after_time timestamptz default null, since timestamptz default '-infinity', until timestamptz default 'infinity',
  category_id uuid default null, sender_id uuid default null, receiver_id uuid default null,
  include text[] default null, include_archived boolean default false, external_id text default null,
  list text default null, after text default null
)
returns app."application/json"
language plpgsql stable security definer set search_path = '' set jit = off set statement_timeout = '2s'
as $$
begin
  return app.from_replica(case rpc
    when 'list_members' then
      public.list_members(key_hash, max_rows, team_id, role, starting_after, email, name, after_time)
    when 'list_teams' then public.list_teams(key_hash, max_rows, starting_after, after_time)
    when 'list_activity' then public.list_activity(
      key_hash, max_rows, since, until, category_id, sender_id, receiver_id, starting_after, include, after_time
    )
    when 'list_categories' then public.list_categories(key_hash, max_rows, starting_after, after_time)
    when 'list_rewards' then
      public.list_rewards(key_hash, max_rows, include_archived, starting_after, include, external_id, after_time)
    when 'list_day_ratings' then
      public.list_day_ratings(key_hash, max_rows, since, until, team_id, starting_after, include, after_time)
    when 'list_pulse_responses' then
      public.list_pulse_responses(key_hash, max_rows, since, until, starting_after, include, after_time)
    when 'list_changes' then public.list_changes(key_hash, list, max_rows, after, include)
  end);
end
$$;

select app.serve_keys('public.read_page'::regproc, null);
comment on function public.read_page is
  'A page of the function with the name rpc, such as list_members, at a read replica. PT503 too.';
