-- The state of the database, as it reports it itself (docs/operate/monitor.md, The database). Run it as postgres. It prints one
-- row per sign, first those that need an alert. To compare the size with the disk: psql … --set disk_gb=8

\set ON_ERROR_STOP on \set QUIET on
set statement_timeout = 0;
\if :{?disk_gb}
\else
  \set disk_gb null
\endif

-- The size of PostgreSQL's logs (WAL), if this role may see it.
select has_function_privilege('pg_catalog.pg_ls_waldir()', 'execute') as sees_wal \gset
\if :sees_wal
  \set wal '(select sum(size) from pg_catalog.pg_ls_waldir())'
\else
  \set wal null::numeric
\endif

with
locked (relation, pid, lasts) as (
  select distinct c.relname, l.pid, now() - a.xact_start
  from pg_catalog.pg_locks as l
  join pg_catalog.pg_class as c on c.oid = l.relation and c.relnamespace = 'app'::regnamespace and c.relkind = 'r'
  left join pg_catalog.pg_stat_activity as a on a.pid = l.pid
  where l.granted and l.database = (select d.oid from pg_catalog.pg_database as d where d.datname = current_database())
    and l.mode in ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
),
signs (sign, found, alert) as (
  select
    'connections', format('%s of %s', count(*), current_setting('max_connections')),
    count(*) > 0.9 * current_setting('max_connections')::integer
  from pg_catalog.pg_stat_activity as a
  where a.backend_type = 'client backend'
  union all
  -- It keeps vacuum from removing what has been deleted since, and may hold locks.
  select
    'longest transaction',
    date_trunc('second', max(now() - a.xact_start)) || ', process ' || (array_agg(a.pid order by a.xact_start))[1],
    max(now() - a.xact_start) > interval '1 hour'
  from pg_catalog.pg_stat_activity as a
  where a.backend_type = 'client backend' and a.pid <> pg_backend_pid() and a.xact_start is not null
  union all
  -- What is committed meanwhile is not in /…/changes yet.
  select
    'changes held back',
    date_trunc('second', max(now() - w.since)) || ', ' || (array_agg(w.session order by w.since))[1],
    max(now() - w.since) > interval '10 minutes'
  from (
    select a.xact_start, format('process %s (%s)', a.pid, concat_ws(', ', a.usename, nullif(a.application_name, '')))
    from pg_catalog.pg_stat_activity as a where a.backend_xid is not null and a.pid <> pg_backend_pid()
    union all select p.prepared, format('prepared transaction %s', p.gid) from pg_catalog.pg_prepared_xacts as p
  ) as w (since, session)
  union all
  select
    'dead rows',
    string_agg(format('app.%I: %s beside %s', t.relname, t.n_dead_tup, t.n_live_tup), ', ' order by t.n_dead_tup desc),
    count(*) > 0
  from pg_catalog.pg_stat_user_tables as t
  where t.schemaname = 'app' and t.n_dead_tup > 100000 and t.n_dead_tup > 0.3 * t.n_live_tup
  union all
  -- PostgreSQL stops taking writes at 2,000 million; autovacuum begins at 200.
  select 'transaction ids', format('%s million', max(age(d.datfrozenxid)) / 1000000), max(age(d.datfrozenxid)) > 500000000
  from pg_catalog.pg_database as d
  union all
  -- The same for rows that several transactions lock at the same time; autovacuum begins at 400.
  select 'multixacts', format('%s million', max(mxid_age(d.datminmxid)) / 1000000), max(mxid_age(d.datminmxid)) > 800000000
  from pg_catalog.pg_database as d
  union all
  -- What this role sees of the sessions and replicas of others.
  select
    'sight', case when m.sees_all then 'all' else 'without pg_monitor only sessions of ' || current_user end, not m.sees_all
  from pg_has_role('pg_monitor', 'usage') as m (sees_all)
  union all
  select
    'disk',
    pg_size_pretty(used.data) || coalesce(' and ' || pg_size_pretty(used.wal) || ' of WAL', '')
      || coalesce(' of ' || :disk_gb || ' GB', ''),
    used.data + coalesce(used.wal, 0) > 0.8 * :disk_gb * 1024 ^ 3
  from (
    select sum(pg_database_size(d.oid)) as data, :wal as wal
    from pg_catalog.pg_database as d where has_database_privilege(d.oid, 'connect')
  ) as used
  union all
  -- The server keeps its WAL until the replica or copy behind a slot has read it: without an end, if it never does.
  select
    'replication', string_agg(slot.state, ', ' order by slot.kept desc),
    bool_or(slot.kept > case when slot.active then 1024 else 64 end * 1024 ^ 2)
      or exists (select from pg_catalog.pg_stat_replication as r where r.replay_lag > interval '5 minutes')
  from (
    select r.active, w.kept, format(
      '%s: %sactive, keeps %s of WAL', r.slot_name, case when not r.active then 'in' end, pg_size_pretty(w.kept)
    )
    from pg_catalog.pg_replication_slots as r, pg_wal_lsn_diff(pg_current_wal_lsn(), r.restart_lsn) as w (kept)
    where r.restart_lsn is not null
  ) as slot (active, kept, state)
  union all
  -- What should have been deleted two days ago (docs/operate/erase-and-retain.md, Retention).
  select
    'retention', string_agg(distinct o.company_id::text, ', ' order by o.company_id::text), count(*) > 0
  from (values ('kudos'), ('day_ratings'), ('pulse_responses')) as r (relation)
  cross join lateral app.overdue(r.relation) as o
  where o.late > interval '2 days' and not exists (select from locked as l where l.relation = r.relation)
  union all
  -- What somebody has locked whole keeps the nightly job from deleting, and requests from reading.
  select
    'locked tables',
    string_agg(
      format('%s: %s, process %s', l.relation, date_trunc('second', l.lasts), l.pid), ', ' order by l.lasts desc
    ),
    max(l.lasts) > interval '1 minute'
  from locked as l
  union all
  -- Without its policy a role reads nothing, so lists are empty; with one that ignores who asks, it reads every company.
  select 'policies', coalesce(string_agg(p.found, ', ' order by p.found), 'as they should be'), count(*) > 0
  from (
    select format('%s: none for %s', t.oid::regclass, r.rolname)
    from pg_catalog.pg_class as t
    join pg_catalog.pg_roles as r
      on r.rolname in ('public_api', 'authenticated') and has_any_column_privilege(r.oid, t.oid, 'select')
    where t.relnamespace = 'app'::regnamespace and t.relkind = 'r' and not exists (
      select from pg_catalog.pg_policy as p where p.polrelid = t.oid and r.oid = any (p.polroles) and p.polcmd in ('r', '*')
    )
    union all
    select format('%s: %s lets everybody in', t.oid::regclass, p.polname)
    from pg_catalog.pg_policy as p
    join pg_catalog.pg_class as t on t.oid = p.polrelid and t.relnamespace = 'app'::regnamespace
    where p.polpermissive and not exists (
      select from pg_catalog.pg_depend as d
      where d.classid = 'pg_catalog.pg_policy'::regclass and d.objid = p.oid
        and d.refobjid in ('app.current_company_id'::regproc, 'app.current_admin'::regproc)
    )
  ) as p (found)
  union all
  -- One that is being built is not valid yet.
  select 'invalid indexes', string_agg(x.indexrelid::regclass::text, ', '), count(*) > 0
  from pg_catalog.pg_index as x
  join pg_catalog.pg_class as t on t.oid = x.indrelid and t.relnamespace = 'app'::regnamespace
  where not (x.indisvalid and x.indisready)
    and not exists (select from pg_catalog.pg_stat_progress_create_index as b where b.relid = x.indrelid)
  union all
  -- The ids of deleted rows, which the same job forgets after 90 days.
  select 'recorded deletions', format('%s older than 92 days', count(*)), count(*) > 0
  from app.deletions as d where d.deleted_at < now() - interval '92 days'
  union all
  -- Companies that have moved away and left their rows: to be deleted here when nobody has used their keys for 30 days.
  select
    'moved companies', string_agg(c.id || ' (' || c.serving || ')', ', ' order by c.id),
    bool_or(not exists (
      select from app.api_key_uses as u where u.company_id = c.id and u.last_used_at > now() - interval '30 days'
    ))
  from app.companies as c
  where c.serving in ('closed', 'readable')
  union all
  -- Companies that are closed for writing, although no move command holds their lock (docs/operate/move-a-company.md).
  select 'unfinished moves', string_agg(c.id::text, ', ' order by c.id), count(*) > 0
  from app.companies as c
  where c.serving = 'moving' and not exists (
    select from pg_catalog.pg_locks as l
    where l.locktype = 'advisory' and l.objsubid = 1
      and (l.classid::bigint << 32 | l.objid::bigint) = hashtextextended('move ' || c.id, 0)
  )
)
select coalesce(s.alert, false) as alert, s.sign, coalesce(s.found, 'none') as found from signs as s order by 1 desc, 2;
