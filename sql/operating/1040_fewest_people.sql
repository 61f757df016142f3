-- Applying the fewest people of a company to the ratings that are there (docs/operate/writing-data.md, Moods). For operators,
-- as postgres.

-- Takes hidden teams from up to 2,000 ratings, in the order of ids from this one on. It writes all of them, so that the
-- numbers of their changes don't show which of them had a team. Returns how many had a hidden one, and the last id. The
-- settings: see app.purge_some.
create function app.hide_some(company_id uuid, first uuid, out hidden bigint, out last uuid)
language plpgsql volatile security invoker
set search_path = '' set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
as $$
declare
  teams constant uuid[] := app.hidden_teams(company_id);
  ids uuid[];
begin
  perform app.require_open_company(company_id);
  select array_agg(d.id), count(*) filter (where d.team_id = any (teams)) into ids, hidden
  from (
    select d.id, d.team_id from app.day_ratings as d
    where d.company_id = hide_some.company_id and d.id >= first order by d.id limit 2000 for update
  ) as d;
  last := ids[cardinality(ids)];
  update app.day_ratings as d
  set team_id = case when d.team_id = any (teams) then null else d.team_id end, changed_in = pg_current_xact_id()
  where d.company_id = hide_some.company_id and d.id = any (ids);
end
$$;

-- Sets the number, then goes over all ratings, and commits after each batch, as a purge does (1020_retention.sql). Twice,
-- because a team that shrinks meanwhile would keep half of its ratings. It may be stopped and called again; what it has
-- hidden, nobody can bring back.
create procedure app.set_fewest_people(company_id uuid, fewest_people integer)
language plpgsql security invoker
as $$
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
$$;

comment on procedure app.set_fewest_people is
  'Sets how many people a team must have for ratings to name it, also for ratings that are there. Commits after every 2,000.';
