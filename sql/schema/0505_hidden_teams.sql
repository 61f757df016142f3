-- The fewest people (docs/privacy.md): in a company with this number, no day rating has a team with fewer people. A rating
-- is judged when it is written, and then its team is gone from the table, so that lists, changes, totals, copies and
-- backups need no rule of their own.

-- The number of a company, as the triggers below apply it: null also in a transaction that brings rows as they were stored
-- elsewhere (a move, a restore) or that only numbers them anew.
create function app.fewest_people(company_id uuid) returns integer
language plpgsql stable set search_path = ''
as $$
begin
  return (
    select c.fewest_people from app.companies as c
    where c.id = fewest_people.company_id and current_setting('app.as_stored', true) is distinct from 'on'
  );
end
$$;

-- The teams of a company whose ratings have no team now. Ratings without a team come from the people in these teams and from
-- people without a team. So that the first are never fewer than the number, the smallest other team joins them: one is
-- enough, because it has so many people alone. People without a team don't count: nobody knows whether they rate.
-- All sizes come from one pass over the members: 50 counts took six times as long.
create function app.hidden_teams(company_id uuid) returns uuid[]
language plpgsql stable set search_path = '' set jit = off
as $$
declare
  fewest constant integer := app.fewest_people(company_id);
begin
  return (
    with sizes as materialized (
      select m.team_id, count(*) as people from app.members as m
      where m.company_id = hidden_teams.company_id and not m.is_former
      group by m.team_id
    ),
    teams as materialized (
      select t.id, coalesce(s.people, 0) as people from app.teams as t left join sizes as s on s.team_id = t.id
      where t.company_id = hidden_teams.company_id
    ),
    small as (
      select coalesce(array_agg(t.id), '{}') as ids, coalesce(sum(t.people), 0) as people from teams as t where t.people < fewest
    )
    select small.ids || case
      when small.people < fewest and (small.ids <> '{}' or exists (select from sizes as s where s.team_id is null))
        then array(select t.id from teams as t where t.people >= fewest order by t.people, t.id limit 1)
    end
    from small
  );
end
$$;

-- Trigger: takes hidden teams from the ratings that a statement has written. Once for the statement: the sizes of 10,000
-- people for each of 20,000 ratings would take minutes. Security definer, because a role that row-level security binds
-- would find no number, and hide nothing. Without sequential scans each rating is looked up by its key.
create function app.hide_teams() returns trigger
language plpgsql security definer set search_path = '' set enable_seqscan = off
as $$
declare
  company uuid;
  hidden uuid[];
begin
  for company in select distinct w.company_id from written as w where w.team_id is not null loop
    continue when app.fewest_people(company) is null;
    hidden := app.hidden_teams(company);
    update app.day_ratings as d set team_id = null
    where d.company_id = company
      and d.id = any (array(select w.id from written as w where w.company_id = company and w.team_id = any (hidden)));
  end loop;
  return null;
end
$$;

-- Trigger: a rating without a team stays without one, and its time is cut to the hour: the microsecond would tell the people
-- without a team from those in hidden teams, or match that of a kudos. By UTC, so that a load of the same file finds the
-- same time in any session.
create function app.keep_hidden() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if app.fewest_people(new.company_id) is not null then
    new.team_id := null;
    new.created_at := date_trunc('hour', new.created_at, 'UTC');
  end if;
  return new;
end
$$;

create trigger hide_inserted after insert on app.day_ratings
  referencing new table as written for each statement execute function app.hide_teams();
create trigger hide_updated after update on app.day_ratings
  referencing new table as written for each statement execute function app.hide_teams();
create trigger keep_hidden_insert before insert on app.day_ratings
  for each row when (new.team_id is null and new.created_at <> date_trunc('hour', new.created_at, 'UTC'))
  execute function app.keep_hidden();
-- Before number_update in the order of names, so that what it undoes is no change.
create trigger keep_hidden_update before update on app.day_ratings
  for each row when (old.team_id is null or new.team_id is null) execute function app.keep_hidden();
