-- The tables of companies and keys are small: reading them takes milliseconds.
-- squawk-ignore-file constraint-missing-not-valid
set lock_timeout = '2s';
set statement_timeout = '60s';

set local check_function_bodies = off;

ALTER TABLE "app"."companies" ADD COLUMN "fewest_people" integer;

CREATE OR REPLACE FUNCTION app.fewest_people(company_id uuid)
 RETURNS integer
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select c.fewest_people from app.companies as c
    where c.id = fewest_people.company_id and current_setting('app.as_stored', true) is distinct from 'on'
  );
end
$function$;

CREATE OR REPLACE FUNCTION app.hidden_teams(company_id uuid)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET jit TO 'off'
AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION app.hide_some(company_id uuid, first uuid, OUT hidden bigint, OUT last uuid)
 RETURNS record
 LANGUAGE plpgsql
 SET search_path TO ''
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_sort TO 'off'
AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION app.hide_staged_teams(company_id uuid)
 RETURNS bigint
 LANGUAGE plpgsql
 SET search_path TO ''
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_seqscan TO 'off'
 SET enable_material TO 'off'
AS $function$
declare
  hidden constant uuid[] := app.hidden_teams(company_id);
  had_team bigint;
begin
  if app.fewest_people(company_id) is null then
    return 0;
  end if;
  with without as (
    select s.position, s.team_id <> '' as had_team
    from staging.day_ratings as s
    left join app.day_ratings as d on d.company_id = hide_staged_teams.company_id and d.id = s.id::uuid
    where s.team_id = '' or (d.id is not null and d.team_id is null)
      or (nullif(s.team_id, '')::uuid = any (hidden) and d.team_id is distinct from nullif(s.team_id, '')::uuid)
  ),
  told as (
    update staging.day_ratings as s
    set team_id = '', created_at = app.iso_8601(date_trunc('hour', s.created_at::timestamptz, 'UTC'))
    from without as w where w.position = s.position
    returning w.had_team
  )
  select count(*) filter (where told.had_team) into had_team from told;
  return had_team;
end
$function$;

CREATE OR REPLACE FUNCTION app.hide_teams()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET enable_seqscan TO 'off'
AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION app.keep_hidden()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if app.fewest_people(new.company_id) is not null then
    new.team_id := null;
    new.created_at := date_trunc('hour', new.created_at, 'UTC');
  end if;
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION app.prepare_file(company_id uuid, file text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  hidden bigint;
begin
  if file = 'members' then
    -- Within a load an email address can pass from one member to another. The member who gives it up gets another one first.
    update app.members as m set email = m.id || '@moving.invalid'
    from staging.members as leaving, staging.members as taking
    where m.company_id = prepare_file.company_id
      and m.id = leaving.id::uuid
      and lower(m.email) <> lower(leaving.email)
      and lower(m.email) = lower(taking.email);
  elsif file = 'categories' then
    insert into app.categories (company_id, id)
    select distinct prepare_file.company_id, s.id::uuid
    from staging.categories as s
    on conflict do nothing;
    analyze app.categories;
  elsif file = 'day_ratings' then
    hidden := app.hide_staged_teams(company_id);
    if hidden > 0 then
      raise notice 'day_ratings: % rows without their team: fewest_people is %', hidden, app.fewest_people(company_id);
    end if;
  end if;
end
$function$;

CREATE OR REPLACE PROCEDURE app.set_fewest_people(IN company_id uuid, IN fewest_people integer)
 LANGUAGE plpgsql
AS $procedure$
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
$procedure$;

ALTER TABLE "app"."companies" ADD CONSTRAINT "companies_fewest_people_range" CHECK (((fewest_people >= 2) AND (fewest_people <= 100)));

CREATE TRIGGER hide_inserted AFTER INSERT ON app.day_ratings REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION app.hide_teams();

CREATE TRIGGER hide_updated AFTER UPDATE ON app.day_ratings REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION app.hide_teams();

CREATE TRIGGER keep_hidden_insert BEFORE INSERT ON app.day_ratings FOR EACH ROW WHEN (((new.team_id IS NULL) AND (new.created_at <> date_trunc('hour'::text, new.created_at, 'UTC'::text)))) EXECUTE FUNCTION app.keep_hidden();

CREATE TRIGGER keep_hidden_update BEFORE UPDATE ON app.day_ratings FOR EACH ROW WHEN (((old.team_id IS NULL) OR (new.team_id IS NULL))) EXECUTE FUNCTION app.keep_hidden();

COMMENT ON COLUMN "app"."companies"."fewest_people" IS 'Day ratings name only teams with as many members, from 2 to 100 (docs/privacy.md); null: all teams. Only app.set_fewest_people also applies it to the ratings that are there.';

COMMENT ON FUNCTION "app"."fewest_people"(uuid) IS 'The fewest people of a team that ratings name, in this transaction, or null.';

COMMENT ON FUNCTION "app"."hidden_teams"(uuid) IS 'The teams of a company whose ratings are stored without a team now.';

COMMENT ON FUNCTION "app"."hide_some"(uuid, uuid) IS 'Takes hidden teams from up to 2,000 ratings. Returns how many had one, and the last id.';

COMMENT ON FUNCTION "app"."hide_staged_teams"(uuid) IS 'Takes hidden teams from the ratings in staging. Returns how many had one.';

COMMENT ON FUNCTION "app"."hide_teams"() IS 'Trigger: takes hidden teams from the ratings that a statement has written.';

COMMENT ON FUNCTION "app"."keep_hidden"() IS 'Trigger: keeps a rating without a team, and cuts its time to the hour.';

COMMENT ON PROCEDURE "app"."set_fewest_people"(uuid, integer) IS 'Sets how many people a team must have for ratings to name it, also for ratings that are there. Commits after every 2,000.';

REVOKE ALL ON FUNCTION "app"."fewest_people"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."fewest_people"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "app"."hidden_teams"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."hidden_teams"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "app"."hide_some"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."hide_some"(uuid, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "app"."hide_staged_teams"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."hide_staged_teams"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "app"."hide_teams"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."hide_teams"() TO "postgres";

REVOKE ALL ON FUNCTION "app"."keep_hidden"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."keep_hidden"() TO "postgres";

REVOKE ALL ON PROCEDURE "app"."set_fewest_people"(uuid, integer) FROM PUBLIC;

GRANT EXECUTE ON PROCEDURE "app"."set_fewest_people"(uuid, integer) TO "postgres";
