-- The tables of companies and keys are small: reading them takes milliseconds.
-- squawk-ignore-file ban-drop-not-null, constraint-missing-not-valid
set lock_timeout = '2s';
set statement_timeout = '60s';

set local check_function_bodies = off;

grant create on schema public to public_api;

ALTER TABLE "app"."kudos" ADD COLUMN "sender_team_then_id" uuid;

ALTER TABLE "app"."kudos" ADD COLUMN "receiver_team_then_id" uuid;

ALTER TABLE "staging"."kudos" ADD COLUMN "sender_team_then_id" text;

ALTER TABLE "staging"."kudos" ADD COLUMN "receiver_team_then_id" text;

CREATE OR REPLACE FUNCTION app.admit(key_hash text, required_scope text)
 RETURNS app.verified_key
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if not (
    row_security_active('app.companies'::regclass) and row_security_active('app.teams'::regclass)
    and row_security_active('app.members'::regclass) and row_security_active('app.categories'::regclass)
    and row_security_active('app.kudos'::regclass) and row_security_active('app.rewards'::regclass)
    and row_security_active('app.day_ratings'::regclass) and row_security_active('app.pulse_questions'::regclass)
    and row_security_active('app.pulse_responses'::regclass) and row_security_active('app.deletions'::regclass)
    and row_security_active('app.forgotten_deletions'::regclass)
  ) then
    raise exception 'row-level security does not bind %', current_user
      using errcode = 'PT500',
        hint = 'Functions that serve API keys belong to public_api, and every table has row-level security: '
          'run sql/commands/check.sql.';
  end if;
  return app.authenticate(key_hash, required_scope);
end
$function$;

CREATE OR REPLACE FUNCTION app.authenticate(key_hash text, required_scope text)
 RETURNS app.verified_key
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
declare
  verified app.verified_key;
  last_use timestamptz;
  serving text;
  slot integer := 1;
  bound_to text;
begin
  select k.company_id, k.id, k.name, k.scopes, k.expires_at,
    (
      select case when u.last_endpoint is distinct from 'GET /' then u.last_used_at end
      from app.api_key_uses as u where u.company_id = k.company_id and u.key_id = k.id
    ),
    (select c.serving from app.companies as c where c.id = k.company_id)
  into verified.company_id, verified.key_id, verified.key_name, verified.scopes, verified.expires_at, last_use, serving
  from app.api_keys as k
  where k.key_hash = decode(authenticate.key_hash, 'hex')
    and k.revoked_at is null
    and (k.expires_at is null or k.expires_at > now());

  -- One check passes nearly all requests, because PL/pgSQL prepares each anew in every transaction. It is null for an unknown
  -- key, and where any scope will do.
  if (serving = 'open' and required_scope = any (verified.scopes)) is not true then
    if not found or serving = 'closed' then
      raise exception using errcode = 'PT401', message = 'Unauthorized: Invalid or missing API Key',
        detail = coalesce((
          select json_build_object('key_id', k.id, 'company_id', k.company_id)::text
          from app.api_keys as k where k.key_hash = decode(authenticate.key_hash, 'hex')
        ), '');
    end if;

    -- A company that has moved to another project can only be read here.
    if serving = 'readable' then
      verified.scopes := array(
        select scope from unnest(verified.scopes) with ordinality as s (scope, place)
        where scope not like 'write:%' order by place
      );
    end if;

    if required_scope <> all (verified.scopes) then
      raise exception using errcode = 'PT403',
        message = format('Forbidden: this key is missing the "%s" scope', required_scope),
        detail = json_build_object('key_id', verified.key_id, 'company_id', verified.company_id);
    end if;

    if serving = 'moving' and required_scope like 'write:%' then
      raise exception using errcode = 'PT429', message = 'the company is moving to another project',
        detail = json_build_object('key_id', verified.key_id, 'company_id', verified.company_id);
    end if;
  end if;

  -- Takes one of the company's slots until the end of the transaction, unless the transaction has one already. An
  -- advisory lock writes nothing, and is released however the transaction or the server ends. Its 64 bits are a hash of
  -- the company's id, seeded with the slot and a constant of this service, so that it differs from the locks of other
  -- companies and of other software.
  if current_setting('app.company_id', true) is distinct from verified.company_id::text then
    while not pg_try_advisory_xact_lock(uuid_hash_extended(verified.company_id, 7330216700000000 + slot)) loop
      slot := slot + 1;
      if slot > app.requests_at_once() then
        raise exception using errcode = 'PT429', message = 'Too Many Requests',
          detail = json_build_object('key_id', verified.key_id, 'company_id', verified.company_id);
      end if;
    end loop;
  end if;

  -- At most once a minute, and only in the project that the company is in. After GET /, and for it (it may be a quick check),
  -- app.note_use decides. A time in the future, from a wrong clock, does not count.
  if serving = 'open' and (
    required_scope is null or (last_use > now() - interval '1 minute' and last_use < now() + interval '1 minute') is not true
  ) then
    perform app.note_use(verified.company_id, verified.key_id);
  end if;

  -- Assigned and not performed, which would run it as a query.
  bound_to := set_config('app.company_id', verified.company_id::text, true);
  return verified;
end
$function$;

CREATE OR REPLACE FUNCTION app.begin_changes()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if tg_op = 'DELETE' then
    delete from app.deletions as d where d.company_id = old.id;
  else
    perform app.forget_cursors(new.id);
  end if;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION app.count_day(counts integer[], counted_on date, more integer)
 RETURNS integer[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  days constant integer := coalesce((now() at time zone 'UTC')::date - counted_on, 30);
begin
  if days > 0 then
    counts := counts[days + 1:] || array_fill(0, array[least(days, 30)]);
  end if;
  counts[30] := counts[30] + more;
  return counts;
end
$function$;

CREATE OR REPLACE FUNCTION app.empty_staging()
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  told record;
begin
  execute (select 'truncate ' || string_agg('staging.' || f.file, ', ' order by f.place) from app.loaded_files() as f);
  for told in
    select s.tablename, s.attname
    from pg_catalog.pg_stats as s
    where s.schemaname = 'staging' and s.attname <> 'position'
  loop
    execute format('alter table staging.%I alter column %I type text', told.tablename, told.attname);
  end loop;
end
$function$;

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

CREATE OR REPLACE FUNCTION app.forget_teams()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if new.sender_id <> old.sender_id and new.sender_team_then_id = old.sender_team_then_id then
    new.sender_team_then_id := null;
  end if;
  if new.receiver_id <> old.receiver_id and new.receiver_team_then_id = old.receiver_team_then_id then
    new.receiver_team_then_id := null;
  end if;
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION app.from_replica(page json)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION app.has_shown_factor()
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if app.wants_second_factor() then
    raise exception using errcode = 'PT403', hint = 'second_factor',
      message = 'this account has a second factor: verify its code, then call again with the token of that session';
  end if;
  return true;
end
$function$;

CREATE OR REPLACE FUNCTION app.current_admin(OUT company_id uuid, OUT member_id uuid)
 RETURNS SETOF record
 LANGUAGE sql
 STABLE SECURITY DEFINER ROWS 1
 SET search_path TO ''
BEGIN ATOMIC
 SELECT m.company_id,
     m.id
    FROM ((app.member_accounts a
      JOIN app.members m ON (((m.company_id = a.company_id) AND (m.id = a.member_id))))
      JOIN app.companies c ON ((c.id = a.company_id)))
   WHERE ((a.user_id = ( SELECT auth.uid() AS uid)) AND (m.role = 'admin'::text) AND (c.serving = 'open'::text) AND app.has_shown_factor());
END;

CREATE OR REPLACE FUNCTION app.current_admins()
 RETURNS SETOF uuid
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 SELECT m.id
    FROM ((app.current_admin() me(company_id, member_id)
      JOIN app.members m ON (((m.company_id = me.company_id) AND (m.role = 'admin'::text))))
      JOIN app.member_accounts a ON (((a.company_id = m.company_id) AND (a.member_id = m.id))));
END;

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

CREATE OR REPLACE FUNCTION app.insert_api_key(name text, scopes text[], expires_at timestamp with time zone)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  created json;
begin
  -- Null for no scopes, 2 for an array of arrays.
  if array_ndims(scopes) is distinct from 1 or not scopes <@ app.scopes()
    or cardinality(scopes) > (select count(distinct scope) from unnest(scopes) as scope) then
    raise exception using errcode = 'PT400', hint = 'scopes',
      message = 'scopes must be one or more of ' || array_to_string(app.scopes(), ', ') || ', each once';
  end if;
  perform app.check_api_key_name(name);
  if expires_at <= now() or expires_at >= '10000-01-01Z' then
    raise exception using errcode = 'PT400', hint = 'expires_at',
      message = 'expires_at must be in the future, before the year 10000';
  end if;

  insert into app.api_keys as k (name, scopes, expires_at)
  values (insert_api_key.name, insert_api_key.scopes, insert_api_key.expires_at)
  returning json_build_object(
    'id', k.id,
    'name', k.name,
    'api_key', current_setting('app.new_api_key'),
    'hint', k.hint,
    'scopes', k.scopes,
    'created_at', app.iso_8601(k.created_at),
    'expires_at', app.iso_8601(k.expires_at)
  ) into created;
  perform set_config('app.new_api_key', '', true);
  return created;
end
$function$;

CREATE OR REPLACE FUNCTION app.is_unlocked(relation text)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  execute format('lock table app.%I in row exclusive mode nowait', relation);
  return true;
exception
  when lock_not_available then return false;
end
$function$;

CREATE OR REPLACE FUNCTION app.iso_8601(instant timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 STABLE
RETURN to_char((instant AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'::text);

CREATE OR REPLACE FUNCTION app.end_page(key_id uuid, company_id uuid, found_rows bigint, max_rows integer, next text, until timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS text
 LANGUAGE sql
RETURN set_config('response.headers'::text, format('[{"X-Key-Id":"%s"},{"X-Company-Id":"%s"},{"X-Row-Count":"%s"},{"X-Has-More":"%s"},{"X-Next-Page":"%s"}%s]'::text, key_id, company_id, LEAST(found_rows, (max_rows)::bigint), ((found_rows > max_rows))::text, next, ((',{"X-Changes-Until":"'::text || app.iso_8601(until)) || '"}'::text)), true);

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

CREATE OR REPLACE FUNCTION app.link_member()
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  status text;
  account record;
  candidates record;
begin
  select case when c.serving = 'open' then 'linked' else 'moved' end into status
  from app.member_accounts as a
  join app.companies as c on c.id = a.company_id
  where a.user_id = (select auth.uid());
  if found then
    return status;
  end if;

  select u.id, u.email, u.email_confirmed_at into account from auth.users as u where u.id = (select auth.uid());
  if not found then
    raise exception using errcode = 'PT401', message = 'this account no longer exists';
  elsif account.email_confirmed_at is null then
    return 'email_not_confirmed';
  end if;

  select count(*) as found, (array_agg(m.company_id))[1] as company_id, (array_agg(m.id))[1] as member_id into candidates
  from app.members as m
  join app.companies as c on c.id = m.company_id and c.serving = 'open'
  where lower(m.email) = lower(account.email)
    and not exists (select from app.member_accounts as a where a.company_id = m.company_id and a.member_id = m.id);
  if candidates.found > 1 then
    return 'several_members';
  elsif candidates.found = 1 then
    insert into app.member_accounts (user_id, company_id, member_id)
    values (account.id, candidates.company_id, candidates.member_id)
    on conflict do nothing;
  end if;
  -- Two first calls at once: the other one may have linked this sign-in meanwhile, or this member.
  return case
    when exists (select from app.member_accounts as a where a.user_id = account.id) then 'linked' else 'no_member'
  end;
end
$function$;

CREATE OR REPLACE FUNCTION app.load_staging(company_id uuid, also_elsewhere boolean DEFAULT false)
 RETURNS TABLE(file text, inserted bigint, updated bigint, unchanged bigint, left_out bigint)
 LANGUAGE plpgsql
 SET search_path TO ''
 SET jit TO 'off'
AS $function$
declare
  files constant text := (select string_agg('staging.' || f.file, ', ' order by f.place) from app.loaded_files() as f);
  problems record;
  other record;
  erased record;
  loaded record;
begin
  -- No row is added between the check and the writing, and two loads do not run at the same time.
  execute format('lock table %s in access exclusive mode', files);
  -- The planner does not know yet how many rows there are.
  execute format('analyze %s, app.teams, app.members, app.categories, app.pulse_questions', files);
  perform app.require_open_company(company_id);

  raise notice 'checking the files';
  select count(*) as found, string_agg(p.problem, '; ' order by p.place) filter (where p.place <= 20) as first into problems
  from (
    select row_number() over () as place, format('%s line %s: %s', p.file, p.line, p.problem) as problem
    from app.staging_problems(load_staging.company_id) as p
  ) as p;
  if problems.found > 0 then
    raise exception '%',
      problems.first || case when problems.found > 20 then format('; and %s more', problems.found - 20) else '' end
      using errcode = 'invalid_parameter_value';
  end if;

  select o.*, c.name into other
  from app.rows_of_others(company_id) as o
  join app.companies as c on c.id = o.owner
  limit 1;
  if found and not also_elsewhere then
    raise exception
      '%: of % % % are those of the company "%" (%). Are these its files? If both have them, load with also_elsewhere',
      other.file, other.looked_at, other.what, other.found, other.name, other.owner
      using errcode = 'invalid_parameter_value';
  end if;

  select * into erased from app.leave_out_erased(company_id);
  for loaded in select f.file, f.target from app.loaded_files() as f order by f.place loop
    perform app.prepare_file(company_id, loaded.file);
    select w.inserted, w.updated, w.unchanged into inserted, updated, unchanged
    from app.write_file(load_staging.company_id, loaded.file) as w;
    file := loaded.file;
    left_out := case loaded.file when 'members' then erased.members when 'kudos' then erased.kudos else 0 end;
    return next;
    -- So that the foreign keys of the following files are checked with plans that know the rows of this one.
    execute format('analyze app.%I', loaded.target);
  end loop;

  perform app.empty_staging();
end
$function$;

CREATE OR REPLACE FUNCTION app.loaded_columns()
 RETURNS TABLE(file text, place integer, field text, kind text, unique_by text, minimum integer, maximum integer, when_empty text, names text, target_column text)
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
BEGIN ATOMIC
 VALUES ('teams'::text,1,'id'::text,'uuid'::text,'key'::text,NULL::integer,NULL::integer,NULL::text,NULL::text,'id'::text), ('teams'::text,2,'name'::text,'label'::text,NULL::text,1,255,NULL::text,NULL::text,'name'::text), ('members'::text,1,'id'::text,'uuid'::text,'key'::text,NULL::integer,NULL::integer,NULL::text,NULL::text,'id'::text), ('members'::text,2,'name'::text,'label'::text,NULL::text,1,255,NULL::text,NULL::text,'name'::text), ('members'::text,3,'email'::text,'email'::text,'email'::text,1,320,NULL::text,NULL::text,'email'::text), ('members'::text,4,'role'::text,'label'::text,NULL::text,1,50,NULL::text,NULL::text,'role'::text), ('members'::text,5,'team_id'::text,'uuid'::text,NULL::text,NULL::integer,NULL::integer,'null'::text,'teams'::text,'team_id'::text), ('members'::text,6,'created_at'::text,'date_time'::text,NULL::text,NULL::integer,NULL::integer,NULL::text,NULL::text,'created_at'::text), ('categories'::text,1,'id'::text,'uuid'::text,'key'::text,NULL::integer,NULL::integer,NULL::text,NULL::text,'category_id'::text), ('categories'::text,2,'language'::text,'language'::text,'key'::text,NULL::integer,NULL::integer,NULL::text,NULL::text,'language'::text), ('categories'::text,3,'name'::text,'label'::text,NULL::text,1,255,NULL::text,NULL::text,'name'::text), ('kudos'::text,1,'id'::text,'uuid'::text,'key'::text,NULL::integer,NULL::integer,NULL::text,NULL::text,'id'::text), ('kudos'::text,2,'sender_id'::text,'uuid'::text,NULL::text,NULL::integer,NULL::integer,NULL::text,'members'::text,'sender_id'::text), ('kudos'::text,3,'receiver_id'::text,'uuid'::text,NULL::text,NULL::integer,NULL::integer,NULL::text,'members'::text,'receiver_id'::text), ('kudos'::text,4,'category_id'::text,'uuid'::text,NULL::text,NULL::integer,NULL::integer,NULL::text,'categories'::text,'category_id'::text), ('kudos'::text,5,'message'::text,'text'::text,NULL::text,1,10000,NULL::text,NULL::text,'message'::text), ('kudos'::text,6,'created_at'::text,'date_time'::text,NULL::text,NULL::integer,NULL::integer,NULL::text,NULL::text,'created_at'::text), ('kudos'::text,7,'sender_team_then_id'::text,'uuid'::text,NULL::text,NULL::integer,NULL::integer,'kept'::text,NULL::text,'sender_team_then_id'::text), ('kudos'::text,8,'receiver_team_then_id'::text,'uuid'::text,NULL::text,NULL::integer,NULL::integer,'kept'::text,NULL::text,'receiver_team_then_id'::text), ('day_ratings'::text,1,'id'::text,'uuid'::text,'key'::text,NULL::integer,NULL::integer,NULL::text,NULL::text,'id'::text), ('day_ratings'::text,2,'rating'::text,'whole_number'::text,NULL::text,1,5,NULL::text,NULL::text,'rating'::text), ('day_ratings'::text,3,'comment'::text,'text'::text,NULL::text,1,10000,'null'::text,NULL::text,'comment'::text), ('day_ratings'::text,4,'team_id'::text,'uuid'::text,NULL::text,NULL::integer,NULL::integer,'null'::text,'teams'::text,'team_id'::text), ('day_ratings'::text,5,'points_awarded'::text,'whole_number'::text,NULL::text,0,2147483647,'null'::text,NULL::text,'points_awarded'::text), ('day_ratings'::text,6,'created_at'::text,'date_time'::text,NULL::text,NULL::integer,NULL::integer,NULL::text,NULL::text,'created_at'::text), ('pulse_questions'::text,1,'id'::text,'uuid'::text,'key'::text,NULL::integer,NULL::integer,NULL::text,NULL::text,'id'::text), ('pulse_questions'::text,2,'question'::text,'text'::text,NULL::text,1,2000,NULL::text,NULL::text,'question'::text), ('pulse_questions'::text,3,'response_type'::text,'label'::text,NULL::text,1,50,'null'::text,NULL::text,'response_type'::text), ('pulse_responses'::text,1,'id'::text,'uuid'::text,'key'::text,NULL::integer,NULL::integer,NULL::text,NULL::text,'id'::text), ('pulse_responses'::text,2,'question_id'::text,'uuid'::text,NULL::text,NULL::integer,NULL::integer,'null'::text,'pulse_questions'::text,'question_id'::text), ('pulse_responses'::text,3,'value'::text,'json'::text,NULL::text,1,10000,'null'::text,NULL::text,'value'::text), ('pulse_responses'::text,4,'comment'::text,'text'::text,NULL::text,1,10000,''''''::text,NULL::text,'comment'::text), ('pulse_responses'::text,5,'created_at'::text,'date_time'::text,NULL::text,NULL::integer,NULL::integer,NULL::text,NULL::text,'created_at'::text);
END;

CREATE OR REPLACE FUNCTION app.make_api_key()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  api_key constant text := app.new_api_key();
begin
  select admin.company_id, admin.member_id into new.company_id, new.created_by from app.current_admin() as admin;
  new.id := gen_random_uuid();
  new.scopes := array(select scope from unnest(new.scopes) as scope order by array_position(app.scopes(), scope));
  new.key_hash := sha256(convert_to(api_key, 'UTF8'));
  new.hint := 'sk_live_…' || right(api_key, 4);
  new.created_at := now();
  new.revoked_at := null;
  new.revoked_by := null;
  new.replaced_by := null;
  -- Set by public.redeem_assistant_code alone.
  new.assistant := nullif(current_setting('app.assistant', true), '');
  new.assistant_address := nullif(current_setting('app.assistant_address', true), '');
  perform set_config('app.new_api_key', api_key, true);
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION app.note_refused_use(key_hash text, missing_scope text, reason text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
declare
  headers constant json := nullif(current_setting('request.headers', true), '');
  endpoint constant text := left(headers ->> 'x-endpoint', 60);
  client constant text := left(headers ->> 'x-client', 60);
  today constant date := (now() at time zone 'UTC')::date;
  is_dead constant boolean := coalesce(missing_scope, reason) is null;
  refused record;
begin
  if current_setting('default_transaction_read_only')::boolean then
    return false;
  end if;
  select u.company_id, u.key_id,
    -- As in app.note_use.
    app.count_day(u.answers, u.counted_on, 0) as answers,
    app.count_day(u.refusals, u.counted_on,
      app.may_note(case when is_dead then u.refused_at else u.forbidden_at end)::integer) as refusals
  into refused
  from app.api_key_uses as u
  join app.api_keys as k on k.company_id = u.company_id and k.id = u.key_id
  join app.companies as c on c.id = k.company_id
  where k.key_hash = decode(note_refused_use.key_hash, 'hex') and c.serving = 'open'
    and case when k.revoked_at is not null or k.expires_at <= now()
      then is_dead and app.may_note(u.refused_at, u.refused_endpoint, endpoint)
      when reason is not null then u.forbidden_reason is null or app.may_note(u.forbidden_at)
      else missing_scope <> all (k.scopes) and missing_scope = any (app.scopes())
        and app.may_note(u.forbidden_at, u.forbidden_endpoint, endpoint) end
  for update of u skip locked;
  if not found then
    return false;
  end if;
  if is_dead then
    update app.api_key_uses as u
    set refused_at = now(), refused_endpoint = endpoint, refused_client = client,
      answers = refused.answers, refusals = refused.refusals, counted_on = today
    where u.company_id = refused.company_id and u.key_id = refused.key_id;
  else
    update app.api_key_uses as u
    set forbidden_at = now(), forbidden_endpoint = endpoint, forbidden_scope = missing_scope, forbidden_client = client,
      forbidden_reason = left(reason, 300), answers = refused.answers, refusals = refused.refusals, counted_on = today
    where u.company_id = refused.company_id and u.key_id = refused.key_id;
  end if;
  return true;
end
$function$;

CREATE OR REPLACE FUNCTION app.note_teams()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  select
    coalesce(new.sender_team_then_id, (
      select coalesce(m.team_id, '00000000-0000-0000-0000-000000000000') from app.members as m
      where m.company_id = new.company_id and m.id = new.sender_id and not m.is_former
    )),
    coalesce(new.receiver_team_then_id, (
      select coalesce(m.team_id, '00000000-0000-0000-0000-000000000000') from app.members as m
      where m.company_id = new.company_id and m.id = new.receiver_id and not m.is_former
    ))
  into new.sender_team_then_id, new.receiver_team_then_id;
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION app.note_use(company_id uuid, key_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
 SET enable_seqscan TO 'off'
AS $function$
declare
  headers constant json := nullif(current_setting('request.headers', true), '');
  is_check constant boolean := coalesce(headers ->> 'x-quick-check' = 'true', false);
  client constant text := left(headers ->> 'x-client', 60);
  today constant date := (now() at time zone 'UTC')::date;
  noted record;
begin
  if current_setting('default_transaction_read_only')::boolean or pg_is_in_recovery() then
    return;
  end if;
  select u.company_id, u.key_id into noted from app.api_key_uses as u
  where u.company_id = note_use.company_id and u.key_id = note_use.key_id and case when is_check
    then app.may_note(u.checked_at) else app.may_note(u.last_used_at, u.last_endpoint, headers ->> 'x-endpoint') end
  for update skip locked;
  if not found then
    return;
  elsif is_check then
    update app.api_key_uses as u set checked_at = now(), checked_client = client
    where u.company_id = noted.company_id and u.key_id = noted.key_id;
  else
    update app.api_key_uses as u set
      last_used_at = now(),
      last_endpoint = left(headers ->> 'x-endpoint', 60),
      last_client = client,
      used_on = case u.used_on[cardinality(u.used_on)] when today then u.used_on else array(
        select distinct day from unnest(u.used_on || today) as day where day between today - 29 and today order by day
      ) end,
      -- What takes the minute of GET / has been counted with it.
      answers = app.count_day(u.answers, u.counted_on, app.may_note(u.last_used_at)::integer),
      refusals = app.count_day(u.refusals, u.counted_on, 0),
      counted_on = today,
      -- An import: what was wrong with the one before is over.
      forbidden_reason = case when u.forbidden_endpoint <> headers ->> 'x-endpoint' then u.forbidden_reason end
    where u.company_id = noted.company_id and u.key_id = noted.key_id;
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION app.oldest_write()
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  oldest constant timestamptz :=
    (select min(a.xact_start) from pg_stat_get_activity(null) as a where a.backend_xid is not null);
begin
  if pg_has_role('pg_read_all_stats', 'usage') and not exists (select from pg_prepared_xacts) then
    return least(oldest, now());
  end if;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION app.overdue(relation text)
 RETURNS TABLE(company_id uuid, before timestamp with time zone, late interval)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_sort TO 'off'
AS $function$
begin
  return query execute format(
    'select c.id, t.before, t.before - o.oldest
     from app.companies as c
     cross join lateral (select now() - c.retention as before) as t
     cross join lateral (select min(r.created_at) as oldest from app.%I as r where r.company_id = c.id) as o
     where c.retention is not null and c.serving <> ''moving'' and o.oldest < t.before',
    relation
  );
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

CREATE OR REPLACE FUNCTION app.purge_some(company_id uuid, since timestamp with time zone, before timestamp with time zone, relation text, OUT deleted bigint, OUT reached timestamp with time zone)
 RETURNS record
 LANGUAGE plpgsql
 SET search_path TO ''
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_sort TO 'off'
 SET lock_timeout TO '2s'
AS $function$
begin
  perform app.require_settled_company(company_id);
  execute format(
    'with gone as (
       delete from app.%1$I as t where t.ctid = any (array(
         select old.ctid from app.%1$I as old
         where old.company_id = $1 and old.created_at >= $2 and old.created_at < $3
         order by old.created_at limit 2000 for update
       ))
       returning t.created_at
     )
     select count(*), max(gone.created_at) from gone',
    relation
  ) into deleted, reached using company_id, since, before;
end
$function$;

CREATE OR REPLACE FUNCTION app.repeated_cells_query(file text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN (SELECT string_agg(format('
        select r.position, %1$L, r.first
        from (
          select s.position, min(s.position) over (partition by %3$s) as first
          from staging.%2$I as s
          where (%4$s) is not null
        ) as r
        where r.position > r.first
      '::text, pieces.problem, repeated_cells_query.file, pieces.compared, pieces.not_empty), 'union all'::text ORDER BY pieces.problem) AS string_agg FROM (SELECT (string_agg(c.field, ' and '::text ORDER BY c.place) || ' must be unique in the file'::text) AS problem, string_agg(format(CASE c.kind WHEN 'uuid'::text THEN 'lower(s.%I collate "C")'::text WHEN 'email'::text THEN 'lower(s.%I)'::text ELSE 's.%I'::text END, c.field), ', '::text ORDER BY c.place) AS compared, string_agg(format('nullif(s.%I, '''')'::text, c.field), ', '::text ORDER BY c.place) AS not_empty FROM app.loaded_columns() c(file, place, field, kind, unique_by, minimum, maximum, when_empty, names, target_column) WHERE ((c.file = repeated_cells_query.file) AND (c.unique_by IS NOT NULL)) GROUP BY c.unique_by) pieces);

CREATE OR REPLACE FUNCTION app.serve_keys(served regprocedure, is_list boolean DEFAULT false)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  grant create on schema public to public_api;
  execute format('alter function %s owner to public_api', served);
  revoke create on schema public from public_api;
  execute format('revoke all on function %s from public, anon, authenticated', served);
  execute format('grant execute on function %s to service_role', served);
  if is_list is not null then
    execute format('alter function %s set lock_timeout = ''5s'' set statement_timeout = ''7s'' set jit = off '
      'set enable_seqscan = off', served);
  end if;
  if is_list then
    execute format('alter function %s set plan_cache_mode = force_generic_plan set enable_sort = off', served);
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION app.signed_in_member(OUT company_name text, OUT name text, OUT role text, OUT admins json)
 RETURNS SETOF record
 LANGUAGE sql
 STABLE SECURITY DEFINER ROWS 1
 SET search_path TO ''
BEGIN ATOMIC
 SELECT c.name,
     m.name,
     m.role,
     ( SELECT json_agg(json_build_object('name', admin.name, 'email', admin.email) ORDER BY admin.name, admin.id) AS json_agg
            FROM app.members admin
           WHERE ((m.role <> 'admin'::text) AND (admin.company_id = m.company_id) AND (admin.role = 'admin'::text) AND (NOT admin.is_former))) AS json_agg
    FROM ((app.member_accounts a
      JOIN app.members m ON (((m.company_id = a.company_id) AND (m.id = a.member_id))))
      JOIN app.companies c ON ((c.id = m.company_id)))
   WHERE (a.user_id = ( SELECT auth.uid() AS uid));
END;

CREATE OR REPLACE FUNCTION app.take_turn_of_total(key_id uuid, company_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  base constant bigint := 7330216700000000;
begin
  if pg_try_advisory_xact_lock(uuid_hash_extended(company_id, base)) then
    for slot in 1..app.totals_at_once() loop
      if pg_try_advisory_xact_lock(base + slot) then
        return;
      end if;
    end loop;
  end if;
  raise exception using errcode = 'PT429', message = 'Too Many Requests',
    detail = json_build_object('key_id', key_id, 'company_id', company_id);
end
$function$;

CREATE OR REPLACE FUNCTION app.wants_second_factor()
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET row_security TO 'off'
AS $function$
begin
  return (auth.jwt() ->> 'aal') is distinct from 'aal2'
    and exists (select from auth.mfa_factors as f where f.user_id = (select auth.uid()) and f.status = 'verified');
end
$function$;

CREATE OR REPLACE FUNCTION app.write_query(file text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN (SELECT format('
      with written as (
        merge into app.%1$I as t
        using (
          select %3$s from staging.%2$I as s where s.position between $2 and $3 order by %4$s
        ) as s
        on t.company_id = $1 and %5$s
        when matched and row(%6$s) is distinct from row(%7$s) then update set %8$s
        when not matched then insert (company_id, %9$s) values ($1, %10$s)
        returning merge_action() as action
      )
      select count(*) filter (where action = ''INSERT'') as inserted, count(*) filter (where action = ''UPDATE'') as updated
      from written
    '::text, f.target, f.file, string_agg((CASE WHEN (c.when_empty IS NULL) THEN format('s.%I::%s'::text, c.field, c.type) ELSE format('coalesce(nullif(s.%I, '''')::%s, %s)'::text, c.field, c.type, replace(c.when_empty, 'kept'::text, 'null'::text)) END || format(' as %I'::text, c.target_column)), ', '::text ORDER BY c.place), string_agg(format('s.%I::%s'::text, c.field, c.type), ', '::text ORDER BY (c.kind = 'date_time'::text) DESC, c.place) FILTER (WHERE ((c.kind = 'date_time'::text) OR c.is_key)), string_agg(format('t.%1$I = s.%1$I'::text, c.target_column), ' and '::text ORDER BY c.place) FILTER (WHERE c.is_key), string_agg((format('t.%I'::text, c.target_column) || c.compared_as), ', '::text ORDER BY c.place) FILTER (WHERE (NOT c.is_key)), string_agg((format(c.replaced_by, c.target_column) || c.compared_as), ', '::text ORDER BY c.place) FILTER (WHERE (NOT c.is_key)), string_agg(format(('%1$I = '::text || c.replaced_by), c.target_column), ', '::text ORDER BY c.place) FILTER (WHERE (NOT c.is_key)), string_agg(format('%I'::text, c.target_column), ', '::text ORDER BY c.place), string_agg(format('s.%I'::text, c.target_column), ', '::text ORDER BY c.place)) AS format FROM (app.loaded_files() f(place, file, target, one) JOIN (SELECT loaded.file, loaded.place, loaded.field, loaded.kind, loaded.unique_by, loaded.minimum, loaded.maximum, loaded.when_empty, loaded.names, loaded.target_column, CASE loaded.kind WHEN 'uuid'::text THEN 'uuid'::text WHEN 'whole_number'::text THEN 'integer'::text WHEN 'json'::text THEN 'jsonb'::text WHEN 'date_time'::text THEN 'timestamptz'::text ELSE 'text'::text END AS type, (NOT (loaded.unique_by IS DISTINCT FROM 'key'::text)) AS is_key, CASE loaded.kind WHEN 'json'::text THEN '::text'::text ELSE ''::text END AS compared_as, CASE loaded.when_empty WHEN 'kept'::text THEN 'coalesce(s.%1$I, t.%1$I)'::text ELSE 's.%1$I'::text END AS replaced_by FROM app.loaded_columns() loaded(file, place, field, kind, unique_by, minimum, maximum, when_empty, names, target_column)) c ON ((c.file = f.file))) WHERE (f.file = write_query.file) GROUP BY f.file, f.target);

CREATE TRIGGER begin_changes AFTER INSERT OR DELETE ON app.companies FOR EACH ROW EXECUTE FUNCTION app.begin_changes();

CREATE TRIGGER hide_inserted AFTER INSERT ON app.day_ratings REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION app.hide_teams();

CREATE TRIGGER hide_updated AFTER UPDATE ON app.day_ratings REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION app.hide_teams();

CREATE TRIGGER keep_hidden_insert BEFORE INSERT ON app.day_ratings FOR EACH ROW WHEN (((new.team_id IS NULL) AND (new.created_at <> date_trunc('hour'::text, new.created_at, 'UTC'::text)))) EXECUTE FUNCTION app.keep_hidden();

CREATE TRIGGER keep_hidden_update BEFORE UPDATE ON app.day_ratings FOR EACH ROW WHEN (((old.team_id IS NULL) OR (new.team_id IS NULL))) EXECUTE FUNCTION app.keep_hidden();

CREATE TRIGGER forget_teams BEFORE UPDATE OF sender_id, receiver_id ON app.kudos FOR EACH ROW WHEN (((new.sender_id <> old.sender_id) OR (new.receiver_id <> old.receiver_id))) EXECUTE FUNCTION app.forget_teams();

CREATE TRIGGER note_teams BEFORE INSERT ON app.kudos FOR EACH ROW WHEN (((new.created_at >= (now() - '48:00:00'::interval)) AND (num_nulls(new.sender_team_then_id, new.receiver_team_then_id) > 0) AND (current_setting('app.as_stored'::text, true) IS DISTINCT FROM 'on'::text))) EXECUTE FUNCTION app.note_teams();

COMMENT ON COLUMN "app"."api_key_uses"."answers" IS 'How many notes of answers were made on each of the 30 days up to counted_on, in UTC, oldest first: at most one a minute. Empty before the first.';

COMMENT ON COLUMN "app"."api_key_uses"."counted_on" IS 'The day of the last counted note: the last of answers and refusals.';

COMMENT ON COLUMN "app"."api_key_uses"."forbidden_at" IS 'When the key, a good one, was last refused: it lacks a scope (403), or an import was wrong; as for refused_at.';

COMMENT ON COLUMN "app"."api_key_uses"."forbidden_reason" IS 'What was wrong with the last import, never a value of it, such as: points_cost must be a number of 0 or more.';

COMMENT ON COLUMN "app"."api_key_uses"."refusals" IS 'The same of refusals, as in refused_at and forbidden_at.';

COMMENT ON COLUMN "app"."companies"."fewest_people" IS 'Day ratings name only teams with as many members, from 2 to 100 (docs/privacy.md); null: all teams. Only app.set_fewest_people also applies it to the ratings that are there.';

COMMENT ON COLUMN "app"."companies"."move_id" IS 'Its last move, the same at both its ends; null when it has never moved.';

COMMENT ON FUNCTION "app"."begin_changes"() IS 'Trigger: invalidates the cursors of an earlier company with the same id; removes the deletions of a deleted one.';

COMMENT ON FUNCTION "app"."category_name"(uuid, uuid) IS 'The name of a category in the API: in the company''s default language (pt-br matches pt-BR, an exact match comes first), else in English, else in any; empty if it has none.';

COMMENT ON FUNCTION "app"."current_admins"() IS 'The members of the signed-in admin''s company who can sign in as admins; no row for anybody else.';

COMMENT ON FUNCTION "app"."delete_company"(uuid) IS 'Deletes a company with all its data, the accounts of its people, and the history of its keys, then refused. Returns how many members, kudos, keys and accounts it had.';

COMMENT ON FUNCTION "app"."forget_cursors"(uuid, text) IS 'Invalidates the cursors given so far (410), of one company or all, of one table or all: copies begin again.';

COMMENT ON FUNCTION "app"."forget_teams"() IS 'Trigger: another person has no known team in a kudos.';

COMMENT ON FUNCTION "app"."has_shown_factor"() IS 'True, or PT403 if the session has not shown a second factor that its account has.';

COMMENT ON FUNCTION "app"."hide_staged_teams"(uuid) IS 'Takes hidden teams from the ratings in staging. Returns how many had one.';

COMMENT ON FUNCTION "app"."insert_api_key"(text, text[], timestamp with time zone) IS 'Makes an API key and returns it as public.create_api_key does. PT400.';

COMMENT ON FUNCTION "app"."is_unlocked"(text) IS 'Whether rows of a table can be deleted now: nobody has locked all. Holds a lock like a delete''s until the commit.';

COMMENT ON FUNCTION "app"."most_groups"() IS 'How many rows a total without max_rows has at most.';

COMMENT ON FUNCTION "app"."note_teams"() IS 'Trigger: adds the teams of a new kudos.';

COMMENT ON FUNCTION "app"."purge_some"(uuid, timestamp with time zone, timestamp with time zone, text) IS 'Deletes up to 2,000 rows of a table in a time window, the oldest first. Returns how many, and the newest time.';

COMMENT ON FUNCTION "app"."record_api_key_event"() IS 'Trigger: records every change of a key in app.api_key_events, and adds the row for the uses of a new key.';

COMMENT ON FUNCTION "app"."requests_at_once"() IS 'How many requests of one company run in the database at the same moment. More get PT429. For operators to replace.';

COMMENT ON FUNCTION "app"."revoke_key"(text, text) IS 'Revokes the key with this id or these last four characters, for good, as the operator. Its admins read the reason.';

COMMENT ON FUNCTION "app"."scopes"() IS 'All scopes, in the order in which they are shown (docs/api.md, Authentication).';

COMMENT ON FUNCTION "app"."totals_at_once"() IS 'How many totals run in the database at the same moment, one of a company. More get PT429. For operators to replace.';

REVOKE ALL ON FUNCTION "app"."admit"(text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."admit"(text, text) TO "postgres", "public_api";

REVOKE ALL ON FUNCTION "app"."count_day"(integer[], date, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."count_day"(integer[], date, integer) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "app"."current_admins"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."current_admins"() TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "app"."end_page"(uuid, uuid, bigint, integer, text, timestamp with time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."end_page"(uuid, uuid, bigint, integer, text, timestamp with time zone) TO "postgres", "public_api";

REVOKE ALL ON FUNCTION "app"."fewest_people"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."fewest_people"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "app"."forget_teams"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."forget_teams"() TO "postgres";

REVOKE ALL ON FUNCTION "app"."has_shown_factor"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."has_shown_factor"() TO "postgres";

REVOKE ALL ON FUNCTION "app"."hidden_teams"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."hidden_teams"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "app"."hide_some"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."hide_some"(uuid, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "app"."hide_staged_teams"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."hide_staged_teams"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "app"."hide_teams"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."hide_teams"() TO "postgres";

REVOKE ALL ON FUNCTION "app"."is_unlocked"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."is_unlocked"(text) TO "postgres";

REVOKE ALL ON FUNCTION "app"."keep_hidden"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."keep_hidden"() TO "postgres";

REVOKE ALL ON FUNCTION "app"."note_refused_use"(text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."note_refused_use"(text, text, text) TO "postgres", "public_api";

REVOKE ALL ON FUNCTION "app"."note_teams"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."note_teams"() TO "postgres";

REVOKE ALL ON FUNCTION "app"."oldest_write"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."oldest_write"() TO "postgres", "public_api";

REVOKE ALL ON FUNCTION "app"."overdue"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."overdue"(text) TO "postgres";

REVOKE ALL ON FUNCTION "app"."serve_keys"(regprocedure, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."serve_keys"(regprocedure, boolean) TO "postgres";

REVOKE ALL ON FUNCTION "app"."signed_in_member"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."signed_in_member"() TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "app"."take_turn_of_total"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."take_turn_of_total"(uuid, uuid) TO "postgres", "public_api";

REVOKE ALL ON FUNCTION "app"."wants_second_factor"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."wants_second_factor"() TO "authenticated", "postgres";

REVOKE ALL ("assistant_address") ON TABLE "app"."api_keys" FROM "authenticated";

GRANT SELECT ("assistant_address") ON TABLE "app"."api_keys" TO "authenticated";

revoke create on schema public from public_api;
