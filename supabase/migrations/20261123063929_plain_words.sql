set lock_timeout = '5s';
set statement_timeout = '60s';

SET local check_function_bodies = off;

DROP FUNCTION "app"."most_replica_lag"();

CREATE OR REPLACE FUNCTION app.authenticate (
  key_hash       text,
  required_scope text
)
  RETURNS app.verified_key
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET jit TO 'off'
  AS $function$
declare
  verified app.verified_key;
  use_is_noted boolean;
  serving text;
  slot integer := 1;
  bound_to text;
begin
  select k.company_id, k.id, k.name, k.scopes, k.expires_at,
    -- A time in the future, from a wrong clock, does not count: this use corrects it.
    coalesce(u.last_used_at > now() - interval '1 minute' and u.last_used_at < now() + interval '1 minute', false), c.serving
  into verified.company_id, verified.key_id, verified.key_name, verified.scopes, verified.expires_at, use_is_noted, serving
  from app.api_keys as k
  cross join lateral (
    select used.last_used_at from app.api_key_uses as used where used.company_id = k.company_id and used.key_id = k.id offset 0
  ) as u
  cross join lateral (select company.serving from app.companies as company where company.id = k.company_id offset 0) as c
  where k.key_hash = decode(authenticate.key_hash, 'hex')
    and k.revoked_at is null
    and (k.expires_at is null or k.expires_at > now())
    and c.serving <> 'closed';

  if not found then
    raise exception using errcode = 'PT401', message = 'Unauthorized: Invalid or missing API Key';
  end if;

  -- A company that has moved to another project can only be read here.
  if serving = 'readable' then
    verified.scopes := array(select scope from unnest(verified.scopes) with ordinality as s (scope, place) where scope not like 'write:%' order by place);
  end if;

  if required_scope <> all (verified.scopes) then
    raise exception using
      errcode = 'PT403',
      message = format('Forbidden: this key is missing the "%s" scope', required_scope),
      detail = json_build_object('key_id', verified.key_id, 'company_id', verified.company_id);
  end if;

  if serving = 'moving' and required_scope like 'write:%' then
    raise exception using
      errcode = 'PT429',
      message = 'the company is moving to another project',
      detail = json_build_object('key_id', verified.key_id, 'company_id', verified.company_id);
  end if;

  -- Takes one of the company's slots until the end of the transaction, unless the transaction has one already. An advisory lock writes
  -- nothing, and is released however the transaction or the server ends. Its 64 bits are a hash of the company's id, seeded with the slot
  -- and a constant of this service, so that it differs from the locks of other companies and of other software.
  if current_setting('app.company_id', true) is distinct from verified.company_id::text then
    while not pg_try_advisory_xact_lock(uuid_hash_extended(verified.company_id, 7330216700000000 + slot)) loop
      slot := slot + 1;
      if slot > app.requests_at_once() then
        raise exception using
          errcode = 'PT429',
          message = 'Too Many Requests',
          detail = json_build_object(
            'key_id', verified.key_id, 'company_id', verified.company_id, 'requests_at_once', app.requests_at_once()
          );
      end if;
    end loop;
  end if;

  -- At most once a minute, and only in the project that the company is in.
  if not use_is_noted and serving = 'open' then
    perform app.note_use(verified.company_id, verified.key_id);
  end if;

  -- Assigned and not performed, which would run it as a query.
  bound_to := set_config('app.company_id', verified.company_id::text, true);
  return verified;
end
$function$;

CREATE OR REPLACE FUNCTION app.change_api_key()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  requested constant app.api_keys := new;
  admin_id constant uuid := (select admin.member_id from app.current_admin() as admin);
begin
  if app.stand_for_erased(old.company_id, array[old.created_by, old.revoked_by], array[new.created_by, new.revoked_by]) then
    old.created_by := new.created_by;
    old.revoked_by := new.revoked_by;
    return old;
  end if;
  if old.revoked_at is not null then
    return null;
  end if;
  new := old;
  if requested.revoked_at is not null then
    new.revoked_at := now();
    new.revoked_by := admin_id;
  elsif admin_id is null then
    return null;
  elsif requested.replaced_by is distinct from old.replaced_by and old.replaced_by is null then
    new.replaced_by := requested.replaced_by;
    -- The end of the overlap, unless the key expires before.
    new.expires_at := least(old.expires_at, requested.expires_at);
  elsif requested.name <> old.name then
    new.name := requested.name;
  else
    return null;
  end if;
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION app.check_api_key_name (
  name text
)
  RETURNS void
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  -- At least one visible character: no white space, filler or zero-width character of Unicode.
  if name is null or char_length(name) > 100
    or name !~ '[^\s\u0085\u00a0\u034f\u115f\u1160\u1680\u17b4\u17b5\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0]' then
    raise exception using errcode = 'PT400', hint = 'name', message = 'name must be a text of 1 to 100 characters';
  end if;
  -- Control characters and line ends; direction marks and embeddings; zero-width characters, except U+200C and U+200D,
  -- which join letters in Persian, in Indian scripts and in emoji; tag characters.
  if name ~ '[\u0001-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]' then
    raise exception using errcode = 'PT400', hint = 'name',
      message = 'name must be a text without control characters, direction marks and invisible characters';
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION app.delete_company (
  company_id uuid,
  OUT        members bigint,
  OUT        kudos bigint,
  OUT        keys bigint,
  OUT        accounts bigint
)
  RETURNS record
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  lock table staging.members in share mode;
  perform from app.companies as c where c.id = delete_company.company_id for update;
  if not found then
    raise exception 'company_id must be the id of a company, % is none', company_id using errcode = 'invalid_parameter_value';
  end if;
  select
    (select count(*) from app.members as m where m.company_id = delete_company.company_id and not m.is_former),
    (select count(*) from app.kudos as k where k.company_id = delete_company.company_id),
    (select count(*) from app.api_keys as k where k.company_id = delete_company.company_id)
  into members, kudos, keys;
  accounts := app.delete_accounts(
    company_id, array(select m.id from app.members as m where m.company_id = delete_company.company_id and not m.is_former)
  );
  delete from app.companies as c where c.id = delete_company.company_id;
  -- The trigger allows it, because the company is deleted.
  delete from app.api_key_events as e where e.company_id = delete_company.company_id;
  insert into app.deleted_companies as d (company_id) values (delete_company.company_id)
  on conflict on constraint deleted_companies_pkey do update set deleted_at = now();
end
$function$;

CREATE OR REPLACE FUNCTION app.erase_member (
  company_id     uuid,
  member_id      uuid,
  blank_messages boolean,
  OUT            kudos bigint,
  OUT            keys bigint,
  OUT            events bigint,
  OUT            accounts bigint
)
  RETURNS record
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  former uuid;
  blanked boolean;
begin
  -- Waits for a load that is running. The next load sees that this person has been erased.
  lock table staging.members in share mode;
  perform app.require_settled_company(company_id);
  if exists (select from app.companies as c where c.id = erase_member.company_id and c.move_id is not null) then
    raise notice 'This company has moved from one project to another: erase this person in both, while both have its rows';
  end if;
  if blank_messages is null then
    raise exception 'blank_messages must be true or false' using errcode = 'invalid_parameter_value';
  end if;

  perform from app.members as m
  where m.company_id = erase_member.company_id and m.id = erase_member.member_id and not m.is_former
  for update;
  if not found then
    select e.messages_blanked into blanked
    from app.erasures as e
    where e.company_id = erase_member.company_id and e.member_mark = app.erasure_mark(erase_member.company_id, erase_member.member_id);
    if not found then
      raise exception 'member_id must be the id of a member of the company' using errcode = 'invalid_parameter_value';
    elsif blank_messages and not blanked then
      raise exception 'this person was erased with their messages kept: it is no longer known which messages are theirs' using errcode = 'invalid_parameter_value';
    end if;
    select 0, 0, 0, 0 into kudos, keys, events, accounts;
    return;
  end if;

  former := app.former_member(company_id);
  insert into app.erasures (company_id, member_mark, messages_blanked)
  values (erase_member.company_id, app.erasure_mark(erase_member.company_id, erase_member.member_id), blank_messages);

  update app.kudos as k set
    sender_id = case when k.sender_id = erase_member.member_id then former else k.sender_id end,
    receiver_id = case when k.receiver_id = erase_member.member_id then former else k.receiver_id end,
    message = case when blank_messages then '' else k.message end
  where k.company_id = erase_member.company_id and erase_member.member_id in (k.sender_id, k.receiver_id);
  get diagnostics kudos = row_count;

  update app.api_keys as k set
    created_by = case when k.created_by = erase_member.member_id then former else k.created_by end,
    revoked_by = case when k.revoked_by = erase_member.member_id then former else k.revoked_by end
  where k.company_id = erase_member.company_id and erase_member.member_id in (k.created_by, k.revoked_by);
  get diagnostics keys = row_count;

  update app.api_key_events as e set member_id = former, member_name = 'Former member'
  where e.company_id = erase_member.company_id and e.member_id = erase_member.member_id;
  get diagnostics events = row_count;

  accounts := app.delete_accounts(company_id, array[member_id]);
  delete from app.members as m where m.company_id = erase_member.company_id and m.id = erase_member.member_id;
end
$function$;

CREATE OR REPLACE FUNCTION app.from_replica (
  page json
)
  RETURNS json
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  SET jit TO 'off'
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION app.load_staging (
  company_id uuid
)
  RETURNS TABLE (
    file      text,
    inserted  bigint,
    updated   bigint,
    unchanged bigint,
    left_out  bigint
  )
  LANGUAGE plpgsql
  SET search_path TO ''
  SET jit TO 'off'
  AS $function$
declare
  problems record;
  erased record;
  loaded record;
begin
  -- No row is added between the check and the writing, and two loads do not run at the same time.
  lock table
    staging.teams, staging.members, staging.categories, staging.kudos,
    staging.day_ratings, staging.pulse_questions, staging.pulse_responses
  in access exclusive mode;

  -- The planner does not know yet how many rows there are.
  analyze
    staging.teams, staging.members, staging.categories, staging.kudos,
    staging.day_ratings, staging.pulse_questions, staging.pulse_responses,
    app.teams, app.members, app.categories, app.pulse_questions;

  perform app.require_open_company(company_id);

  raise notice 'checking the files';
  select count(*) as found, string_agg(p.problem, '; ' order by p.place) filter (where p.place <= 20) as first into problems
  from (
    select row_number() over () as place, format('%s line %s: %s', p.file, p.line, p.problem) as problem
    from app.staging_problems(load_staging.company_id) as p
  ) as p;
  if problems.found > 0 then
    raise exception '%', problems.first || case when problems.found > 20 then format('; and %s more', problems.found - 20) else '' end
      using errcode = 'invalid_parameter_value';
  end if;

  select * into erased from app.leave_out_erased(company_id);
  for loaded in select f.file, f.target from app.loaded_files() as f order by f.place loop
    perform app.prepare_file(company_id, loaded.file);
    return query
      select loaded.file, w.inserted, w.updated, w.unchanged, case loaded.file when 'members' then erased.members when 'kudos' then erased.kudos else 0 end
      from app.write_file(load_staging.company_id, loaded.file) as w;
    -- So that the foreign keys of the following files are checked with plans that know the rows of this one.
    execute format('analyze app.%I', loaded.target);
  end loop;

  truncate
    staging.teams, staging.members, staging.categories, staging.kudos,
    staging.day_ratings, staging.pulse_questions, staging.pulse_responses;
end
$function$;

CREATE OR REPLACE FUNCTION app.max_replica_lag()
  RETURNS interval
  LANGUAGE sql
  STABLE
  SET search_path TO ''
RETURN '00:00:30'::interval;

CREATE OR REPLACE FUNCTION app.prepare_file (
  company_id uuid,
  file       text
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
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
  end if;
end
$function$;

create or replace function app.repeated_cells_query(file text) returns text
language sql immutable set search_path = ''
return (
  select string_agg(
    concat_ws(
      e'\n',
      'select s.position, ' || pieces.problem || ', repeated.first',
      'from (',
      '  select ' || pieces.compared || ', min(s.position) as first',
      '  from ' || pieces.source || ' as s',
      '  where (' || pieces.not_empty || ') is not null',
      '  group by ' || pieces.compared || ' having count(*) > 1',
      ') as repeated (' || pieces.names || ', first)',
      'join ' || pieces.source || ' as s on (' || pieces.compared || ') = (' || pieces.repeated || ')',
      'where s.position > repeated.first'
    ),
    e'\nunion all\n' order by pieces.problem
  )
  from (
    select
      quote_literal(string_agg(c.field, ' and ' order by c.place) || ' must be unique in the file') as problem,
      format('staging.%I', c.file) as source,
      string_agg(app.comparable(c.kind, format('s.%I', c.field)), ', ' order by c.place) as compared,
      string_agg(format('nullif(s.%I, '''')', c.field), ', ' order by c.place) as not_empty,
      string_agg(format('%I', c.field), ', ' order by c.place) as names,
      string_agg(format('repeated.%I', c.field), ', ' order by c.place) as repeated
    from app.loaded_columns() as c
    where c.file = repeated_cells_query.file and c.unique_by is not null
    group by c.file, c.unique_by
  ) as pieces
);

CREATE OR REPLACE FUNCTION app.staging_problems (
  company_id uuid
)
  RETURNS TABLE (
    file    text,
    line    bigint,
    problem text
  )
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
declare
  loaded record;
  problems text;
begin
  for loaded in select f.file from app.loaded_files() as f order by f.place loop
    problems := concat_ws(
      e'\nunion all\n',
      app.wrong_cells_query(loaded.file),
      app.unknown_ids_query(loaded.file),
      app.repeated_cells_query(loaded.file),
      case loaded.file when 'members' then app.taken_emails_query() end
    );
    return query execute format(
      $query$
        with
        found (position, problem, same_as) as materialized (%1$s),
        lines as (
          select
            s.position,
            2 + coalesce(sum(1 + char_length(s::text) - char_length(replace(s::text, E'\n', ''))) over rows_before, 0) as line
          from staging.%2$I as s
          where exists (select from found)
          window rows_before as (order by s.position rows between unbounded preceding and 1 preceding)
        )
        select %2$L, l.line, f.problem || coalesce(', line ' || first.line || ' has it too', '')
        from found as f
        join lines as l on l.position = f.position
        left join lines as first on first.position = f.same_as
        order by l.line, f.problem
      $query$,
      problems,
      loaded.file
    )
    using staging_problems.company_id;
  end loop;
end
$function$;

create or replace function app.unknown_ids_query(file text) returns text
language sql immutable set search_path = ''
return (
  select string_agg(
    concat_ws(
      e'\n',
      'select u.position, ' || pieces.beginning || ' || u.id || '' is unknown'', null::bigint',
      'from (',
      '  select s.position, ' || pieces.id || ' as id',
      '  from ' || pieces.source || ' as s',
      '  where ' || pieces.cell || ' <> '''' and not exists (',
      '    select from (',
      '      select lower(sent.id collate "C") as id from staging.' || pieces.names || ' as sent',
      '      union all',
      '      select present.id::text from app.' || pieces.names || ' as present where present.company_id = $1',
      '    ) as known',
      '    where known.id = ' || pieces.id,
      '  )',
      '  offset 0',
      ') as u',
      'where case when ' || pieces.is_uuid || ' then ' || pieces.is_reported || ' end'
    ),
    e'\nunion all\n' order by pieces.place
  )
  from (
    select
      c.place,
      quote_literal(c.field || ' must be the id of a ' || f.one || ', ') as beginning,
      format('staging.%I', c.file) as source,
      format('s.%I', c.field) as cell,
      format('lower(s.%I collate "C")', c.field) as id,
      quote_ident(c.names) as names,
      format(k.condition, 'u.id') as is_uuid,
      case c.names when 'members' then 'not app.is_erased($1, u.id::uuid)' else 'true' end as is_reported
    from app.loaded_columns() as c
    join app.loaded_files() as f on f.file = c.names
    join app.cell_checks() as k on k.kind = c.kind
    where c.file = unknown_ids_query.file
  ) as pieces
);

create or replace function app.wrong_cells_query(file text) returns text
language sql immutable set search_path = ''
return (
  select concat_ws(
    e'\n',
    'select s.position, p.problem, null::bigint',
    format('from staging.%I as s', wrong_cells_query.file),
    'cross join lateral (values',
    string_agg(
      '  (case when ' || pieces.not_empty || '(' || pieces.condition || e') is not true\n    then ' || pieces.problem || ' end)',
      e',\n' order by pieces.place
    ),
    ') as p (problem)',
    'where p.problem is not null'
  )
  from (
    select
      c.place,
      case when c.when_empty is null then '' else format('s.%I <> '''' and ', c.field) end as not_empty,
      format(k.condition, format('s.%I', c.field), c.minimum, c.maximum) as condition,
      quote_literal(
        c.field || ' ' || format(k.words, null, c.minimum, c.maximum) || case when c.when_empty is null then '' else ' or empty' end
      ) as problem
    from app.loaded_columns() as c
    join app.cell_checks() as k on k.kind = c.kind
    where c.file = wrong_cells_query.file
  ) as pieces
);

CREATE OR REPLACE FUNCTION public.list_changes (
  key_hash      text,
  list          text,
  max_rows      integer,
  changed_after text,
  include       text[]  DEFAULT NULL::text[]
)
  RETURNS json
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET plan_cache_mode TO 'force_generic_plan'
  SET enable_seqscan TO 'off'
  SET enable_sort TO 'off'
  SET jit TO 'off'
  SET lock_timeout TO '5s'
  SET statement_timeout TO '7s'
  AS $function$
declare
  api_key app.verified_key;
  served record;
  origin text;
  -- No transaction below it is still running: nothing below it can change any more.
  horizon bigint;
  began bigint;
  after_transaction bigint := 0;
  after_id uuid := '00000000-0000-0000-0000-000000000000';
  are_foreign boolean;
  found_rows bigint;
  page json;
  next text;
  headers text;
begin
  if exists (
    select from unnest('{app.companies,app.teams,app.members,app.categories,app.category_names,app.kudos,app.rewards,app.day_ratings,
      app.pulse_questions,app.pulse_responses,app.deletions,app.forgotten_deletions}'::regclass[]) as read (relation)
    where not row_security_active(read.relation)
  ) then
    perform app.refuse_without_row_security();
  end if;
  select l.* into strict served from app.changing_lists() as l where l.list = list_changes.list;
  api_key := app.authenticate(key_hash, served.scope);

  origin := app.cursor_origin(api_key.company_id, list);
  horizon := pg_snapshot_xmin(pg_current_snapshot())::text;
  if changed_after = 'start' then
    began := horizon;
  else
    if left(changed_after, 8) <> origin then
      perform app.refuse_cursor(api_key.key_id, api_key.company_id);
    end if;
    after_transaction := ('x' || substr(changed_after, 9, 16))::bit(64)::bigint;
    after_id := substr(changed_after, 25, 32);
    -- The number with these last 32 bits that is nearest to now. A standby that is late still has rows that were deleted
    -- before the copy began at the primary: it reads them now, so its deletions begin no later than this page ends.
    began := case
      when length(changed_after) = 56 then 0
      else least(horizon, greatest(0, horizon - 2147483648 + ((('x' || substr(changed_after, 57))::bit(32)::bigint - horizon + 2147483648) & 4294967295)))
    end;
    -- The cursor is newer than the data of this server: its data has gone back in time without a new timeline. A standby may just be behind.
    if after_transaction < 0 or after_transaction >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint and not pg_is_in_recovery() then
      perform app.refuse_cursor(api_key.key_id, api_key.company_id);
    end if;
  end if;

  -- A row of this server that a statement sees is of a transaction that ended before it, or of this one.
  execute format(
    'select exists (
       select from app.%I as t
       where t.company_id = $1 and t.changed_in >= (select pg_snapshot_xmax(pg_current_snapshot())) and t.changed_in is distinct from $2
     )',
    served.relation
  ) into are_foreign using api_key.company_id, pg_current_xact_id_if_assigned();
  if are_foreign then
    raise exception 'changes in app.% have the numbers of another server', served.relation
      using errcode = 'PT501',
      hint = 'Number them anew with sql/repair.sql: docs/operations.md, Restore.';
  end if;

  execute app.changes_query(list, include) into found_rows, page, next using
    api_key.company_id, max_rows, after_transaction::text::xid8, after_id,
    greatest(after_transaction, began - 1)::text::xid8,
    case when began > after_transaction then 'ffffffff-ffff-ffff-ffff-ffffffffffff' else after_id end,
    horizon::text::xid8, origin, began::text::xid8;

  -- Afterwards, because deletions may have been forgotten since this function began.
  if changed_after <> 'start' and exists (
    select from app.forgotten_deletions as f
    where f.company_id = api_key.company_id and f.relation = served.relation
      and (f.deleted_in, f.id) > (after_transaction::text::xid8, after_id) and f.deleted_in >= began::text::xid8
  ) then
    perform app.refuse_cursor(api_key.key_id, api_key.company_id);
  end if;

  headers := set_config(
    'response.headers',
    format(app.list_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text, next),
    true
  );
  return coalesce(page, '[]');
end
$function$;

CREATE OR REPLACE FUNCTION public.replace_api_key (
  key_id     uuid,
  overlap    interval                 DEFAULT '24:00:00'::interval,
  expires_at timestamp with time zone DEFAULT NULL::timestamp WITH time zone
)
  RETURNS json
  LANGUAGE plpgsql
  SET search_path TO ''
  SET lock_timeout TO '5s'
  AS $function$
declare
  replaced record;
  successor json;
begin
  if overlap is null or overlap not in ('0', '1 hour', '24 hours', '7 days') then
    raise exception using errcode = 'PT400', hint = 'overlap', message = 'overlap must be 0, 1 hour, 24 hours or 7 days';
  end if;

  -- Locked, so that of two admins who replace the same key at once, the second gets the error below.
  select k.name, k.scopes, k.expires_at, k.revoked_at, k.replaced_by into replaced
  from app.api_keys as k where k.id = key_id for update;
  if not found then
    raise exception using errcode = 'PT404', message = 'no API key of your company has this id';
  end if;
  if replaced.revoked_at is not null or replaced.replaced_by is not null or replaced.expires_at <= now() then
    raise exception using errcode = 'PT409', message = 'a key that is revoked, expired or replaced already cannot be replaced';
  end if;

  successor := app.insert_api_key(replaced.name, replaced.scopes, expires_at);
  update app.api_keys as k
  -- In seconds, so that a day of the overlap has 24 hours also when daylight saving time begins or ends.
  set replaced_by = (successor ->> 'id')::uuid, expires_at = now() + make_interval(secs => extract(epoch from overlap)::double precision)
  where k.id = key_id;
  return successor;
end
$function$;

CREATE OR REPLACE FUNCTION public.upsert_rewards (
  key_hash text,
  rewards  text
)
  RETURNS json
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET jit TO 'off'
  SET lock_timeout TO '5s'
  SET statement_timeout TO '7s'
  AS $function$
declare
  api_key app.verified_key;
  sent constant jsonb := rewards::jsonb;
  -- The external_ids of the rows that were sent without an optional field, as the keys of an object. An update of such a row keeps the field.
  without_description jsonb;
  without_reward_type jsonb;
begin
  if not row_security_active('app.rewards'::regclass) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'write:rewards');
  -- The platform makes read-only the default when a disk is nearly full. PostgREST begins this transaction as read write
  -- all the same, so that the rows would be written.
  if current_setting('default_transaction_read_only')::boolean then
    raise exception using errcode = 'read_only_sql_transaction', message = 'the database is read-only';
  end if;

  select
    coalesce(jsonb_object_agg(reward.fields ->> 'external_id', true) filter (where not reward.fields ? 'description'), '{}'),
    coalesce(jsonb_object_agg(reward.fields ->> 'external_id', true) filter (where not reward.fields ? 'reward_type'), '{}')
  into without_description, without_reward_type
  from jsonb_array_elements(sent) as reward (fields);

  insert into app.rewards as reward (company_id, external_id, name, description, points_cost, reward_type)
  select
    api_key.company_id,
    sent_reward.external_id,
    sent_reward.name,
    sent_reward.description,
    sent_reward.points_cost,
    coalesce(sent_reward.reward_type, 'perk')
  from jsonb_to_recordset(sent)
    as sent_reward (external_id text, name text, description text, points_cost bigint, reward_type text)
  order by sent_reward.external_id collate "C"
  on conflict (company_id, external_id) do update set
    name = excluded.name,
    points_cost = excluded.points_cost,
    description = case when without_description ? excluded.external_id then reward.description else excluded.description end,
    reward_type = case when without_reward_type ? excluded.external_id then reward.reward_type else excluded.reward_type end
  where (reward.name, reward.points_cost) is distinct from (excluded.name, excluded.points_cost)
    or (reward.description is distinct from excluded.description and not without_description ? excluded.external_id)
    or (reward.reward_type is distinct from excluded.reward_type and not without_reward_type ? excluded.external_id);

  return app.respond(api_key.key_id, api_key.company_id, format('{"imported":%s}', jsonb_array_length(sent))::json);
end
$function$;

CREATE OR REPLACE PROCEDURE app.purge_table (
  IN    company_id uuid,
  IN    before timestamp with time zone,
  IN    relation text,
  INOUT deleted bigint,
  INOUT failure text
)
  LANGUAGE plpgsql
  AS $procedure$
declare
  since timestamptz := '-infinity';
  batch record;
begin
  deleted := 0;
  loop
    begin
      select * into batch from app.purge_some(company_id, since, before, relation);
    exception
      when others then
        failure := sqlerrm;
    end;
    commit;
    exit when failure is not null;
    deleted := deleted + batch.deleted;
    exit when batch.deleted = 0 and since = '-infinity';
    -- Deleted rows stay in the index while a transaction may still see them, so the next batch begins after them. At the end it looks once
    -- more from the beginning, for rows that were added in the meantime.
    since := coalesce(batch.reached, '-infinity');
  end loop;
end
$procedure$;

COMMENT ON COLUMN "app"."members"."is_former" IS 'True for the one row that represents all erased people of a company (0950). No list of members has it.';

COMMENT ON COLUMN "app"."members"."role" IS 'Free text of 1 to 50 characters. Members with the role admin may manage API keys.';

COMMENT ON COLUMN "app"."rewards"."external_id" IS 'The id of the reward in the system that imports the catalogue; null for rewards that were not imported.';

COMMENT ON FUNCTION "app"."authenticate"(text, text) IS 'Verifies an API key by its SHA-256 in hex and sets the company of this transaction. PT401, PT403, PT429. With a null scope any valid key will do.';

COMMENT ON FUNCTION "app"."begin_changes"() IS 'Trigger: invalidates the cursors of an earlier company with the same id.';

COMMENT ON FUNCTION "app"."cell_checks"() IS 'The checks of a cell, by kind: a condition, and the message for a cell that does not meet it.';

COMMENT ON FUNCTION "app"."change_api_key"() IS 'Trigger: an update can only revoke, replace or rename a key, or put Former member in place of an erased person.';

COMMENT ON FUNCTION "app"."comparable"(text, text) IS 'The SQL to compare a cell of a kind with another one.';

COMMENT ON FUNCTION "app"."delete_accounts"(uuid, uuid[]) IS 'Deletes the accounts of members, and returns how many.';

COMMENT ON FUNCTION "app"."delete_company"(uuid) IS 'Deletes a company with all its data. Returns how many members, kudos, keys and accounts it had.';

COMMENT ON FUNCTION "app"."end_changes"() IS 'Trigger: removes the recorded deletions of a company that is deleted.';

COMMENT ON FUNCTION "app"."erase_member"(uuid, uuid, boolean) IS 'Erases a person. Returns in how many kudos, keys and history entries Former member has replaced them, and how many accounts were deleted.';

COMMENT ON FUNCTION "app"."erasure_mark"(uuid, uuid) IS 'The mark of an erased person: SHA-256 of the ids of company and member.';

COMMENT ON FUNCTION "app"."forget_cursors"(uuid, text) IS 'Invalidates all cursors that were given so far (410): of one company or of all, of one table or of all lists. For operators.';

COMMENT ON FUNCTION "app"."forget_deletions"(uuid, text) IS 'Removes deletions of a table that are older than 90 days, the oldest first.';

COMMENT ON FUNCTION "app"."former_member"(uuid) IS 'The id of the row that represents all erased people of a company; adds it if needed.';

COMMENT ON FUNCTION "app"."from_replica"(json) IS 'Returns the page, and adds the response header X-Replica-Lag (milliseconds). PT503 if the server is too far behind, or not a replica.';

COMMENT ON FUNCTION "app"."is_erased"(uuid, uuid) IS 'Whether this is the id of a person who has been erased.';

COMMENT ON FUNCTION "app"."iso_8601"(timestamp with time zone) IS 'A date-time in the format of the API, such as 2026-11-21T10:15:30.123456Z.';

COMMENT ON FUNCTION "app"."leave_out_erased"(uuid) IS 'Removes erased people and their kudos from staging. Returns how many rows that were.';

COMMENT ON FUNCTION "app"."load_staging"(uuid) IS 'Checks the rows in staging, writes all of them or none to a company, and empties staging. Returns the numbers of rows per file.';

COMMENT ON FUNCTION "app"."make_api_key"() IS 'Trigger: sets the key of a new row, and everything else that the caller may not choose.';

COMMENT ON FUNCTION "app"."mark_answers"() IS 'Trigger: marks the answers to a question as changed when the question changes.';

COMMENT ON FUNCTION "app"."mark_categories"() IS 'Trigger: marks all categories of a company as changed when its default language changes.';

COMMENT ON FUNCTION "app"."mark_category"() IS 'Trigger: marks a category as changed when its names change.';

COMMENT ON FUNCTION "app"."max_replica_lag"() IS 'How far behind a replica may be to serve lists. The primary serves them otherwise. To be replaced by operators.';

COMMENT ON FUNCTION "app"."note_use"(uuid, uuid) IS 'Records now as the last use of a key, unless another transaction is doing so or the database is read-only.';

COMMENT ON FUNCTION "app"."prepare_file"(uuid, text) IS 'Makes the changes that must come before the rows of a file are written.';

COMMENT ON FUNCTION "app"."purge_some"(uuid, timestamp with time zone, timestamp with time zone, text) IS 'Deletes up to 2,000 old rows of a table. Returns how many, and the time of the newest of them.';

COMMENT ON FUNCTION "app"."refuse_change"() IS 'Trigger: refuses update, delete and truncate by any role, except to erase a person or to delete a company.';

COMMENT ON FUNCTION "app"."repeated_cells_query"(text) IS 'The query of the rows of a file that repeat a value that must be unique.';

COMMENT ON FUNCTION "app"."require_open_company"(uuid) IS 'Raises an error unless the company exists and is served here. Locks its row, so that this stays so until the end of the transaction.';

COMMENT ON FUNCTION "app"."require_settled_company"(uuid) IS 'Raises an error unless the company exists and is not moving. Locks its row, so that this stays so until the end of the transaction.';

COMMENT ON FUNCTION "app"."respond"(uuid, uuid, json) IS 'Returns the body, and sets the response headers X-Key-Id and X-Company-Id.';

COMMENT ON FUNCTION "app"."staging_problems"(uuid) IS 'All mistakes in the rows in staging, as a load into this company would report them.';

COMMENT ON FUNCTION "app"."stand_for_erased"(uuid, uuid[], uuid[]) IS 'Whether two lists of members differ, and only by Former member in place of erased people.';

COMMENT ON FUNCTION "app"."stored_type"(text) IS 'The type in which a cell of this kind is stored.';

COMMENT ON FUNCTION "app"."taken_emails_query"() IS 'The query of the members in staging with an email address that another member of the company has.';

COMMENT ON FUNCTION "app"."unknown_ids_query"(text) IS 'The query of the cells of a file with an id that neither the files nor the company have.';

COMMENT ON FUNCTION "app"."write_file"(uuid, text) IS 'Writes a file in staging to a company. Returns how many rows were inserted, updated and unchanged.';

COMMENT ON FUNCTION "app"."wrong_cells_query"(text) IS 'The query of the cells of a file that fail a check of their column.';

COMMENT ON FUNCTION "public"."list_api_key_events"(uuid, integer, integer) IS 'Who created, replaced, renamed or revoked which API key of the admin''s company, newest first, as a JSON array; empty for anybody else. Of all keys, or of one; without the first skip entries; at most max_rows.';

COMMENT ON FUNCTION "public"."revoke_api_key"(uuid) IS 'Revokes a key of the admin''s company permanently. A revoked key is left as it is. { id, revoked_at, revoked_by }. PT404.';

COMMENT ON PROCEDURE "app"."purge_before"(uuid, timestamp with time zone) IS 'Deletes the kudos, day ratings and pulse answers of a company that were created before a time, and commits after every 2,000 rows.';

COMMENT ON PROCEDURE "app"."purge_expired"() IS 'Deletes the kudos, day ratings and pulse answers that are older than the retention of their company, in all companies that are served here.';

COMMENT ON PROCEDURE "app"."purge_table"(uuid, timestamp with time zone, text, bigint, text) IS 'Deletes the old rows of a table, and commits after every 2,000. Returns how many, and the error that ended it.';

COMMENT ON SCHEMA "staging" IS 'The rows of files that are being loaded (docs/operations.md, Loading data). Only postgres uses it.';

COMMENT ON TABLE "app"."api_key_events" IS 'Who created, replaced, renamed or revoked which API key, when. Rows are only added.';

COMMENT ON TABLE "app"."erasures" IS 'Erased people, each as a hash that only somebody who knows the id can compute.';

COMMENT ON TABLE "app"."forgotten_deletions" IS 'The last deletion of a table that is no longer in app.deletions.';

COMMENT ON TABLE "app"."member_accounts" IS 'Which account belongs to which member. Only app.link_member writes it, and a link is permanent.';

COMMENT ON TYPE "app"."verified_key" IS 'A key that app.authenticate has verified.';

REVOKE ALL ON FUNCTION "app"."max_replica_lag"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."max_replica_lag"() TO "public_api";
