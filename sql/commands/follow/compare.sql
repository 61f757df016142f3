-- A step of follow.sql, in the transaction of load.sql: compares the files with what the company has. What is gone becomes
-- statements in gone.sql; nothing is done about it here.

\set ON_ERROR_STOP on \set QUIET on
set statement_timeout = 0;

create temporary table sent on commit drop as
select 'members' as list, lower(s.id) as id, null as created_at from staging.members as s
union all select 'teams', lower(s.id), null from staging.teams as s
union all select 'kudos', lower(s.id), s.created_at from staging.kudos as s
union all select 'day_ratings', lower(s.id), s.created_at from staging.day_ratings as s
union all select 'pulse_responses', lower(s.id), s.created_at from staging.pulse_responses as s;

select string_agg(distinct s.list || '.csv', ', ') || ' has rows from before ' || :'since' as early from sent as s
where case when pg_input_is_valid(s.created_at, 'timestamptz') then s.created_at::timestamptz < :'since' end \gset
\if :{?early}
  select set_config('follow.early', :'early', true) \g /dev/null
  do $$ begin raise exception '%: its query needs created_at >= :''since''', current_setting('follow.early'); end $$;
\endif

create temporary table gone on commit drop as
select c.*, c.missing = c.total or c.gone > greatest(1, 0.05 * c.total) and not :'many_gone'::boolean as is_doubtful
from (
  select
    p.*, s.id is null and not p.stays as is_gone, count(*) over one as total,
    count(*) filter (where s.id is null) over one as missing,
    count(*) filter (where s.id is null and not p.stays) over one as gone
  from (
    -- Who has left (gone.sql) stays, without a row of the file.
    select 1 as place, 'members' as list, m.id::text as id, m.name as name, m.role = 'left' as stays from app.members as m
    where m.company_id = :'company_id' and not m.is_former
    union all
    -- A team stays as long as it has people or, because they are its history, ratings.
    select
      2, 'teams', t.id::text, t.name,
      exists (select from app.members as m where m.company_id = t.company_id and m.team_id = t.id)
        or exists (select from app.day_ratings as r where r.company_id = t.company_id and r.team_id = t.id)
    from app.teams as t where t.company_id = :'company_id'
    union all
    -- The kudos of people who are gone stay.
    select 3, 'kudos', k.id::text, k.created_at::text, sender.id is null or receiver.id is null
    from app.kudos as k
    left join sent as sender on sender.list = 'members' and sender.id = k.sender_id::text
    left join sent as receiver on receiver.list = 'members' and receiver.id = k.receiver_id::text
    where k.company_id = :'company_id' and k.created_at >= :'since'
    union all
    select 4, 'day_ratings', r.id::text, r.created_at::text, false from app.day_ratings as r
    where r.company_id = :'company_id' and r.created_at >= :'since'
    union all
    select 5, 'pulse_responses', r.id::text, r.created_at::text, false from app.pulse_responses as r
    where r.company_id = :'company_id' and r.created_at >= :'since'
  ) as p
  left join sent as s using (list, id)
  window one as (partition by p.list)
) as c
where c.is_gone;

select
  string_agg(distinct format('%s of %s %s', g.gone, g.total, g.list), ', ') filter (where g.is_doubtful) as doubtful,
  string_agg(distinct format('%s of %s %s', g.gone, g.total, g.list), ', ') filter (where not g.is_doubtful) as found
from gone as g \gset
\if :{?found}
  -- For a person, the statements that can be undone.
  select concat_ws(
    E'\n', '-- Gone on ' || now() || '. Read it, choose, and run it with psql.', '\set ON_ERROR_STOP on', 'begin;',
    string_agg(format(
      case when g.list = 'members' then E'-- %1$s leaves:\n'
        'update app.members set role = ''left'', team_id = null where company_id = %3$L and id = %4$L;\n'
        'select app.delete_accounts(%3$L, array[%4$L]::uuid[]) as accounts;\n'
        '-- or is erased: select * from app.erase_member(%3$L, %4$L, blank_messages => false);'
      else E'-- %1$s\ndelete from app.%2$s where company_id = %3$L and id = %4$L;' end,
      regexp_replace(g.name, '[[:cntrl:]]', ' ', 'g'), g.list, :'company_id', g.id
    ), E'\n' order by g.place, g.name, g.id),
    'commit;'
  )
  from gone as g where not g.is_doubtful \g (format=unaligned tuples_only=on) gone.sql
  \echo Gone, see gone.sql: :found
\endif
