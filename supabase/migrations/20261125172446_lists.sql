-- The tables of companies and keys are small: reading them takes milliseconds.
-- squawk-ignore-file ban-drop-not-null, constraint-missing-not-valid
set lock_timeout = '2s';
set statement_timeout = '60s';

set local check_function_bodies = off;

grant create on schema public to public_api;

DROP VIEW "api"."activity";

DROP VIEW "api"."categories";

DROP VIEW "api"."day_ratings";

DROP VIEW "api"."members";

DROP VIEW "api"."pulse_responses";

DROP VIEW "api"."rewards";

DROP VIEW "api"."teams";

DROP FUNCTION "app"."load_staging"(uuid);

DROP FUNCTION "app"."respond"(uuid, uuid, json, bigint, boolean);

DROP FUNCTION "app"."stand_for_erased"(uuid, uuid[], uuid[]);

DROP FUNCTION "public"."list_api_key_events"();

DROP FUNCTION "public"."list_members"(text, integer, uuid, text, uuid);

DROP FUNCTION "public"."list_rewards"(text, integer, boolean, uuid, text[]);

DROP FUNCTION "public"."upsert_rewards"(text, text);

CREATE TABLE "app"."deleted_companies" ("company_id" uuid NOT NULL, "deleted_at" timestamp with time zone NOT NULL DEFAULT now(), CONSTRAINT "deleted_companies_pkey" PRIMARY KEY (company_id));

ALTER TABLE "app"."deleted_companies" ENABLE ROW LEVEL SECURITY;

CREATE TABLE "app"."deletions" ("company_id" uuid NOT NULL, "relation" regclass NOT NULL, "deleted_in" xid8 NOT NULL DEFAULT pg_current_xact_id(), "id" uuid NOT NULL, "deleted_at" timestamp with time zone NOT NULL DEFAULT now(), CONSTRAINT "deletions_pkey" PRIMARY KEY (company_id, relation, id));

ALTER TABLE "app"."deletions" ENABLE ROW LEVEL SECURITY;

CREATE TABLE "app"."forgotten_deletions" ("company_id" uuid NOT NULL, "relation" regclass NOT NULL, "deleted_in" xid8 NOT NULL, "id" uuid NOT NULL, CONSTRAINT "forgotten_deletions_pkey" PRIMARY KEY (company_id, relation));

ALTER TABLE "app"."forgotten_deletions" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "app"."categories" ADD COLUMN "changed_in" xid8 NOT NULL DEFAULT pg_current_xact_id();

ALTER TABLE "app"."day_ratings" ADD COLUMN "changed_in" xid8 NOT NULL DEFAULT pg_current_xact_id();

ALTER TABLE "app"."kudos" ADD COLUMN "changed_in" xid8 NOT NULL DEFAULT pg_current_xact_id();

ALTER TABLE "app"."members" ADD COLUMN "changed_in" xid8 NOT NULL DEFAULT pg_current_xact_id();

ALTER TABLE "app"."pulse_responses" ADD COLUMN "changed_in" xid8 NOT NULL DEFAULT pg_current_xact_id();

ALTER TABLE "app"."rewards" ADD COLUMN "changed_in" xid8 NOT NULL DEFAULT pg_current_xact_id();

ALTER TABLE "app"."teams" ADD COLUMN "changed_in" xid8 NOT NULL DEFAULT pg_current_xact_id();

CREATE OR REPLACE FUNCTION app.admins_to_ask()
 RETURNS json
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 SELECT json_agg(json_build_object('name', admin.name, 'email', admin.email) ORDER BY admin.name, admin.id) AS json_agg
    FROM ((app.member_accounts a
      JOIN app.members m ON (((m.company_id = a.company_id) AND (m.id = a.member_id) AND (m.role <> 'admin'::text))))
      JOIN app.members admin ON (((admin.company_id = m.company_id) AND (admin.role = 'admin'::text) AND (NOT admin.is_former))))
   WHERE (a.user_id = ( SELECT auth.uid() AS uid));
END;

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
    (select u.last_used_at from app.api_key_uses as u where u.company_id = k.company_id and u.key_id = k.id),
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
      raise exception using
        errcode = 'PT401',
        message = 'Unauthorized: Invalid or missing API Key',
        detail = coalesce(
          (
            select json_build_object('key_id', k.id, 'company_id', k.company_id)::text
            from app.api_keys as k where k.key_hash = decode(authenticate.key_hash, 'hex')
          ),
          ''
        );
    end if;

    -- A company that has moved to another project can only be read here.
    if serving = 'readable' then
      verified.scopes := array(
        select scope from unnest(verified.scopes) with ordinality as s (scope, place)
        where scope not like 'write:%' order by place
      );
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
  end if;

  -- Takes one of the company's slots until the end of the transaction, unless the transaction has one already. An
  -- advisory lock writes nothing, and is released however the transaction or the server ends. Its 64 bits are a hash of
  -- the company's id, seeded with the slot and a constant of this service, so that it differs from the locks of other
  -- companies and of other software.
  if current_setting('app.company_id', true) is distinct from verified.company_id::text then
    while not pg_try_advisory_xact_lock(uuid_hash_extended(verified.company_id, 7330216700000000 + slot)) loop
      slot := slot + 1;
      if slot > app.requests_at_once() then
        raise exception using
          errcode = 'PT429',
          message = 'Too Many Requests',
          detail = json_build_object('key_id', verified.key_id, 'company_id', verified.company_id);
      end if;
    end loop;
  end if;

  -- At most once a minute, and only in the project that the company is in. A time in the future, from a wrong clock, does
  -- not count: this use corrects it.
  if serving = 'open' and (last_use > now() - interval '1 minute' and last_use < now() + interval '1 minute') is not true then
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
  perform app.forget_cursors(new.id);
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION app.begin_load(company_id uuid, company text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  its_name text;
  other record;
begin
  perform app.require_open_company(company_id);
  select c.name into its_name from app.companies as c where c.id = begin_load.company_id;
  if company is distinct from its_name then
    raise exception 'company must be the name of the company that company_id names: % is of "%", not of "%"',
      company_id, its_name, company
      using errcode = 'invalid_parameter_value';
  end if;
  -- Until the end of the transaction. A load that waits for this one reads it.
  perform set_config('application_name', 'load into ' || company_id, true);
  select coalesce('a load into ' || c.name, 'another session that uses staging') as what, a.pid, a.xact_start into other
  from pg_catalog.pg_locks as l
  join pg_catalog.pg_stat_activity as a on a.pid = l.pid
  left join app.companies as c on a.application_name = 'load into ' || c.id
  where l.relation = 'staging.teams'::regclass and l.granted and l.pid <> pg_backend_pid() and a.backend_type = 'client backend'
  limit 1;
  if found then
    raise notice 'waiting for % (process %, since %)', other.what, other.pid, to_char(other.xact_start, 'HH24:MI:SS TZ');
  end if;
  perform app.empty_staging();
end
$function$;

CREATE OR REPLACE FUNCTION app.cell_checks()
 RETURNS TABLE(kind text, condition text, words text)
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
BEGIN ATOMIC
 VALUES ('uuid'::text,'%1$s like ''________-____-____-____-____________'' and pg_input_is_valid(%1$s, ''uuid'')'::text,'must be a uuid'::text), ('text'::text,'char_length(%1$s) between %2$s and %3$s'::text,'must be %2$s to %3$s characters'::text), ('label'::text,'char_length(%1$s) between %2$s and %3$s and %1$s !~ ''^\s|\s$|[\u0001-\u001f\u007f]'''::text,'must be one line of %2$s to %3$s characters without blanks around it'::text), ('email'::text,'char_length(%1$s) <= %3$s and %1$s ~ ''^[^@\s]+@[^@\s]+$'''::text,'must be an email address'::text), ('language'::text,'%1$s ~ ''^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$'''::text,'must be a language tag, such as en or pt-BR'::text), ('whole_number'::text,'case when %1$s ~ ''^(0|[1-9][0-9]{0,9})$'' then %1$s::bigint between %2$s and %3$s end'::text,'must be a whole number from %2$s to %3$s'::text), ('date_time'::text,'case
        when %1$s ~ ''^[0-9]{4}-[0-9]{2}-[0-9]{2}T([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?''
          ''(Z|[+-][0-9]{2}(:?[0-9]{2})?)$''
          and pg_input_is_valid(%1$s, ''timestamptz'')
        then %1$s::timestamptz >= ''0001-01-01Z'' and %1$s::timestamptz < ''10000-01-01Z''
      end'::text,'must be an ISO 8601 date-time with a zone, such as 2026-11-20T10:15:30Z'::text), ('json'::text,'case when char_length(%1$s) <= %3$s then pg_input_is_valid(%1$s, ''jsonb'') end'::text,'must be JSON of at most %3$s characters (such as 4, true or "yes")'::text), ('json'::text,'case when char_length(%1$s) <= %3$s and pg_input_is_valid(%1$s, ''jsonb'')
        then not jsonb_path_exists(%1$s::jsonb, ''strict $.**{60} ? (@.type() == "array" || @.type() == "object")'')
        else true
      end'::text,'must nest at most 60 levels of arrays and objects'::text), ('json'::text,'case when char_length(%1$s) <= %3$s and pg_input_is_valid(%1$s, ''jsonb'')
        then not exists (
          select from jsonb_path_query(%1$s::jsonb, ''strict $.** ? (@.type() == "number")'') as number
          where char_length(number::text) > 1000
        )
        else true
      end'::text,'must hold numbers of at most 1000 characters each, written out'::text);
END;

CREATE OR REPLACE FUNCTION app.change_api_key()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  requested constant app.api_keys := new;
  admin_id constant uuid := (select admin.member_id from app.current_admin() as admin);
begin
  if app.only_replaces_erased(old.company_id, array[old.created_by, old.revoked_by], array[new.created_by, new.revoked_by]) then
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

CREATE OR REPLACE FUNCTION app.changing_list(list text, OUT scope text, OUT relation regclass)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  case list
    when 'members' then scope := 'read:members'; relation := 'app.members';
    when 'teams' then scope := 'read:members'; relation := 'app.teams';
    when 'activity' then scope := 'read:activity'; relation := 'app.kudos';
    when 'categories' then scope := 'read:activity'; relation := 'app.categories';
    when 'rewards' then scope := 'read:rewards'; relation := 'app.rewards';
    when 'day-ratings' then scope := 'read:analytics'; relation := 'app.day_ratings';
    when 'pulse-responses' then scope := 'read:analytics'; relation := 'app.pulse_responses';
  end case;
end
$function$;

CREATE OR REPLACE FUNCTION app.check_api_key_name(name text)
 RETURNS void
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  -- Characters that show nothing: Unicode's property Default_Ignorable_Code_Point, which regular expressions here do not
  -- know (a test compares), and the blank symbols and letters, for which there is no property.
  invisible constant text :=
    '\u00ad\u034f\u061c\u115f-\u1160\u17b4-\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff'
    '\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff'
    '\u2800\U00013441-\U00013442\U00016fe4\U0001d159';
  white_space constant text := '\s\u0085\u00a0\u1680\u2000-\u200a\u2028-\u2029\u202f\u205f\u3000';
  controls constant text := '\u0001-\u001f\u007f-\u009f\u2028-\u2029\ufff9-\ufffb';
  -- Without what joins letters in Persian, in Indian scripts and in emoji, and chooses the colours of emoji.
  name_without_joiners constant text := regexp_replace(name, '[\u200c\u200d\ufe0e\ufe0f]', '', 'g');
begin
  if name is null or char_length(name) > 100 or name_without_joiners !~ format('[^%s%s]', white_space, invisible) then
    raise exception using errcode = 'PT400', hint = 'name', message = 'name must be a text of 1 to 100 characters';
  end if;
  if name_without_joiners ~ format('[%s%s]', controls, invisible) then
    raise exception using errcode = 'PT400', hint = 'name',
      message = 'name must be a text without control characters, direction marks and invisible characters';
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION app.cursor_origin(company_id uuid, list text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select left(encode(sha256(convert_to(
      concat_ws(' ', s.system_identifier, c.timeline_id, d.oid, 'app.deletions'::regclass::oid, company_id, list), 'utf8'
    )), 'hex'), 8)
    from pg_control_system() as s, pg_control_checkpoint() as c, pg_database as d
    where d.datname = current_database()
  );
end
$function$;

CREATE OR REPLACE FUNCTION app.delete_company(company_id uuid, OUT members bigint, OUT kudos bigint, OUT keys bigint, OUT accounts bigint)
 RETURNS record
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform app.empty_staging();
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
  perform app.renew_statistics();
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
  truncate
    staging.teams, staging.members, staging.categories, staging.kudos,
    staging.day_ratings, staging.pulse_questions, staging.pulse_responses;
  for told in
    select s.tablename, s.attname
    from pg_catalog.pg_stats as s
    where s.schemaname = 'staging' and s.attname <> 'position'
  loop
    execute format('alter table staging.%I alter column %I type text', told.tablename, told.attname);
  end loop;
end
$function$;

CREATE OR REPLACE FUNCTION app.end_changes()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  delete from app.deletions as d where d.company_id = old.id;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION app.erase_member(company_id uuid, member_id uuid, blank_messages boolean, OUT kudos bigint, OUT keys bigint, OUT events bigint, OUT accounts bigint)
 RETURNS record
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  former uuid;
  blanked boolean;
begin
  -- Waits for a load that is running. The next load sees that this person has been erased.
  perform app.empty_staging();
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
    where e.company_id = erase_member.company_id
      and e.member_mark = app.erasure_mark(erase_member.company_id, erase_member.member_id);
    if not found then
      raise exception 'member_id must be the id of a member of the company' using errcode = 'invalid_parameter_value';
    elsif blank_messages and not blanked then
      raise exception 'this person was erased with their messages kept: it is no longer known which messages are theirs'
        using errcode = 'invalid_parameter_value';
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
  perform app.renew_statistics();
end
$function$;

CREATE OR REPLACE FUNCTION app.first_of_window(since timestamp with time zone, until timestamp with time zone, time_zone text)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
 SET search_path TO ''
RETURN COALESCE(since, (date_trunc('month'::text, ((until AT TIME ZONE time_zone) - '1 year'::interval)) AT TIME ZONE time_zone));

CREATE OR REPLACE FUNCTION app.forget_deletions(company_id uuid, relation regclass)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_sort TO 'off'
AS $function$
declare
  before constant timestamptz := now() - interval '90 days';
  -- Where the scan begins: what was forgotten stays in the index until vacuum.
  last app.forgotten_deletions;
  deletion record;
  final record;
begin
  select f.* into last from app.forgotten_deletions as f
  where f.company_id = forget_deletions.company_id and f.relation = forget_deletions.relation;
  last.deleted_in := coalesce(last.deleted_in, '0');
  last.id := coalesce(last.id, '00000000-0000-0000-0000-000000000000');

  for deletion in
    select d.deleted_in, d.id, d.deleted_at from app.deletions as d
    where d.company_id = forget_deletions.company_id and d.relation = forget_deletions.relation
      and (d.deleted_in, d.id) > (last.deleted_in, last.id) and d.deleted_at <= clock_timestamp()
    order by d.deleted_in, d.id limit 5000
  loop
    exit when deletion.deleted_at >= before;
    final := deletion;
  end loop;
  if final is null or not pg_try_advisory_xact_lock(hashtextextended('app.forget_deletions', 0)) then
    return;
  end if;

  -- The second condition is for a row that is deleted again at the same time: its deletion is a later one then.
  delete from app.deletions as d
  where d.ctid = any (array(
      select o.ctid from app.deletions as o
      where o.company_id = forget_deletions.company_id and o.relation = forget_deletions.relation
        and (o.deleted_in, o.id) > (last.deleted_in, last.id) and (o.deleted_in, o.id) <= (final.deleted_in, final.id)
      order by o.deleted_in, o.id
    ))
    and (d.deleted_in, d.id) <= (final.deleted_in, final.id);
  insert into app.forgotten_deletions (company_id, relation, deleted_in, id)
  values (forget_deletions.company_id, forget_deletions.relation, final.deleted_in, final.id)
  on conflict on constraint forgotten_deletions_pkey do update set deleted_in = excluded.deleted_in, id = excluded.id;
end
$function$;

CREATE OR REPLACE FUNCTION app.former_member(company_id uuid)
 RETURNS uuid
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  insert into app.members (company_id, name, email, role, is_former)
  values (former_member.company_id, 'Former member', '', 'former', true)
  on conflict do nothing;
  return (select m.id from app.members as m where m.company_id = former_member.company_id and m.is_former);
end
$function$;

CREATE OR REPLACE FUNCTION app.from_replica(page json)
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

CREATE OR REPLACE FUNCTION app.include_in_activity(page json, company_id uuid, include text[])
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET jit TO 'off'
AS $function$
begin
  return (
    select json_agg(app.append_columns(item.json, json_build_object(
      'sender_id', kudos.sender_id, 'receiver_id', kudos.receiver_id, 'category_id', kudos.category_id
    ), include) order by item.place)
    from json_array_elements(page) with ordinality as item (json, place)
    cross join lateral (
      select k.sender_id, k.receiver_id, k.category_id from app.kudos as k
      where k.company_id = include_in_activity.company_id and k.id = (item.json ->> 'id')::uuid
      offset 0
    ) as kudos
  );
end
$function$;

CREATE OR REPLACE FUNCTION app.include_in_pulse_responses(page json, company_id uuid, include text[])
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET jit TO 'off'
AS $function$
begin
  return (
    select json_agg(
      app.append_columns(item.json, json_build_object('question_id', answer.question_id), include) order by item.place
    )
    from json_array_elements(page) with ordinality as item (json, place)
    cross join lateral (
      select p.question_id from app.pulse_responses as p
      where p.company_id = include_in_pulse_responses.company_id and p.id = (item.json ->> 'id')::uuid
      offset 0
    ) as answer
  );
end
$function$;

CREATE OR REPLACE FUNCTION app.include_in_rewards(page json, company_id uuid, include text[])
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET jit TO 'off'
AS $function$
begin
  return (
    select json_agg(
      app.append_columns(item.json, json_build_object('external_id', reward.external_id), include) order by item.place
    )
    from json_array_elements(page) with ordinality as item (json, place)
    cross join lateral (
      select r.external_id from app.rewards as r
      where r.company_id = include_in_rewards.company_id and r.id = (item.json ->> 'id')::uuid
      offset 0
    ) as reward
  );
end
$function$;

CREATE OR REPLACE FUNCTION app.insert_api_key(name text, scopes text[], expires_at timestamp with time zone)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  created record;
  api_key text;
begin
  perform app.check_api_key_name(name);
  if expires_at <= now() or expires_at >= '10000-01-01Z' then
    raise exception using errcode = 'PT400', hint = 'expires_at',
      message = 'expires_at must be in the future, before the year 10000';
  end if;

  insert into app.api_keys as k (name, scopes, expires_at)
  values (insert_api_key.name, insert_api_key.scopes, insert_api_key.expires_at)
  returning k.id, k.name, k.hint, k.scopes, k.created_at, k.expires_at into created;

  api_key := current_setting('app.new_api_key');
  perform set_config('app.new_api_key', '', true);

  return json_build_object(
    'id', created.id,
    'name', created.name,
    'api_key', api_key,
    'hint', created.hint,
    'scopes', created.scopes,
    'created_at', app.iso_8601(created.created_at),
    'expires_at', app.iso_8601(created.expires_at)
  );
end
$function$;

CREATE OR REPLACE FUNCTION app.is_time_up()
 RETURNS boolean
 LANGUAGE sql
 SET search_path TO ''
RETURN (((current_setting('statement_timeout'::text))::interval > '00:00:00'::interval) AND (clock_timestamp() > (statement_timestamp() + ((current_setting('statement_timeout'::text))::interval / (2)::double precision))));

CREATE OR REPLACE FUNCTION app.keep_changes(relation regclass)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  execute format(
    $triggers$
      create trigger number_insert before insert on %1$s
        for each row when (new.changed_in <> pg_current_xact_id()) execute function app.number_change();
      create trigger number_update before update on %1$s
        for each row when (old *<> new) execute function app.number_change();
      create trigger record_deletions after delete on %1$s
        referencing old table as deleted for each statement execute function app.record_deletions();
      create trigger record_truncate after truncate on %1$s
        for each statement execute function app.record_deletions();
      create trigger record_old_id after update on %1$s
        for each row when (old.company_id <> new.company_id or old.id <> new.id) execute function app.record_old_id();
    $triggers$,
    relation
  );
end
$function$;

CREATE OR REPLACE FUNCTION app.kept_tables()
 RETURNS TABLE(relation regclass)
 LANGUAGE sql
 STABLE
 SET search_path TO ''
BEGIN ATOMIC
 SELECT (a.attrelid)::regclass AS attrelid
    FROM (pg_attribute a
      JOIN pg_class c ON ((c.oid = a.attrelid)))
   WHERE ((c.relnamespace = ('app'::regnamespace)::oid) AND (c.relkind = 'r'::"char") AND (a.attname = 'changed_in'::name) AND (NOT a.attisdropped));
END;

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
  if candidates.found = 0 then
    -- Two first calls at once: the other one may have linked this sign-in since it was looked for above.
    return case
      when exists (select from app.member_accounts as a where a.user_id = account.id) then 'linked' else 'no_member'
    end;
  elsif candidates.found > 1 then
    return 'several_members';
  end if;

  insert into app.member_accounts (user_id, company_id, member_id)
  values (account.id, candidates.company_id, candidates.member_id);
  return 'linked';
exception
  -- Two first calls at once: the other one has linked this sign-in, or this member.
  when unique_violation then
    return case
      when exists (select from app.member_accounts as a where a.user_id = account.id) then 'linked' else 'no_member'
    end;
end
$function$;

CREATE OR REPLACE FUNCTION app.list_headers()
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN '[{"X-Key-Id":"%s"},{"X-Company-Id":"%s"},{"X-Row-Count":"%s"},{"X-Has-More":"%s"},{"X-Next":"%s"}]'::text;

CREATE OR REPLACE FUNCTION app.load_staging(company_id uuid, also_elsewhere boolean DEFAULT false)
 RETURNS TABLE(file text, inserted bigint, updated bigint, unchanged bigint, left_out bigint)
 LANGUAGE plpgsql
 SET search_path TO ''
 SET jit TO 'off'
AS $function$
declare
  problems record;
  other record;
  erased record;
  loaded record;
  added bigint := 0;
  changed bigint := 0;
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
    added := added + inserted;
    changed := changed + updated;
    -- So that the foreign keys of the following files are checked with plans that know the rows of this one.
    execute format('analyze app.%I', loaded.target);
  end loop;

  perform app.empty_staging();
  if changed > 0 then
    raise notice 'rows that were there have changed (%): this load cannot be taken back', changed;
  elsif added > 0 then
    raise notice 'to take this load back: select * from app.undo_load(''%'', %, %)', company_id, pg_current_xact_id(), added;
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION app.mark_answers()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform from app.pulse_questions as q where q.company_id = new.company_id and q.id = new.id for update;
  update app.pulse_responses as p set changed_in = pg_current_xact_id()
  where p.company_id = new.company_id and p.question_id = new.id;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION app.max_replica_lag()
 RETURNS interval
 LANGUAGE sql
 STABLE
 SET search_path TO ''
RETURN '00:00:30'::interval;

CREATE OR REPLACE FUNCTION app.member_with_email(company_id uuid, email text)
 RETURNS uuid
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET enable_incremental_sort TO 'off'
BEGIN ATOMIC
 SELECT m.id
    FROM app.members m
   WHERE ((ROW(m.company_id, lower(m.email)) >= ROW(member_with_email.company_id, lower(member_with_email.email))) AND (ROW(m.company_id, lower(m.email)) <= ROW(member_with_email.company_id, lower(member_with_email.email))))
   ORDER BY m.company_id, (lower(m.email))
  LIMIT 1;
END;

CREATE OR REPLACE FUNCTION app.most_groups()
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN 10000;

CREATE OR REPLACE FUNCTION app.note_refused_use(key_hash text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
declare
  headers constant json := nullif(current_setting('request.headers', true), '');
begin
  if current_setting('default_transaction_read_only')::boolean then
    return false;
  end if;
  update app.api_key_uses as u set
    refused_at = now(),
    refused_endpoint = left(headers ->> 'x-endpoint', 60),
    refused_client = left(headers ->> 'x-client', 60)
  where (u.company_id, u.key_id) in (
    select free.company_id, free.key_id
    from app.api_key_uses as free
    join app.api_keys as k on k.company_id = free.company_id and k.id = free.key_id
    join app.companies as c on c.id = k.company_id
    where k.key_hash = decode(note_refused_use.key_hash, 'hex')
      and (k.revoked_at is not null or k.expires_at <= now())
      and c.serving = 'open'
      and (free.refused_at > now() - interval '1 minute' and free.refused_at < now() + interval '1 minute') is not true
    for update of free skip locked
  );
  return found;
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
  today constant date := (now() at time zone 'UTC')::date;
begin
  if current_setting('default_transaction_read_only')::boolean or pg_is_in_recovery() or headers ->> 'x-quick-check' = 'true' then
    return;
  end if;
  update app.api_key_uses as u set
    last_used_at = now(),
    last_endpoint = left(headers ->> 'x-endpoint', 60),
    last_client = left(headers ->> 'x-client', 60),
    used_on = array(
      select distinct day from unnest(u.used_on || today) as day where day between today - 29 and today order by day
    )
  where (u.company_id, u.key_id) in (
    select free.company_id, free.key_id
    from app.api_key_uses as free
    where free.company_id = note_use.company_id and free.key_id = note_use.key_id
    for update skip locked
  );
end
$function$;

CREATE OR REPLACE FUNCTION app.number_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  new.changed_in := pg_current_xact_id();
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION app.only_replaces_erased(company_id uuid, before uuid[], after uuid[])
 RETURNS boolean
 LANGUAGE sql
 STABLE
 SET search_path TO ''
BEGIN ATOMIC
 SELECT ((before IS DISTINCT FROM after) AND (NOT (EXISTS ( SELECT
            FROM UNNEST(only_replaces_erased.before, only_replaces_erased.after) member(before, after)
           WHERE ((member.before IS DISTINCT FROM member.after) AND (NOT (app.is_erased(only_replaces_erased.company_id, member.before) AND (EXISTS ( SELECT
                    FROM app.members m
                   WHERE ((m.company_id = only_replaces_erased.company_id) AND (m.id = member.after) AND m.is_former))))))))));
END;

CREATE OR REPLACE FUNCTION app.page_of_changes(list text, company uuid, include text[], max_rows integer, after_transaction xid8, after_id uuid, deletions_after xid8, deletions_after_id uuid, horizon xid8, origin text, began xid8, began_digits text, OUT found_rows bigint, OUT page json, OUT next text, OUT are_foreign boolean)
 RETURNS record
 LANGUAGE plpgsql
 SET search_path TO ''
 SET jit TO 'off'
AS $function$
begin
  if list = 'members' then
    select
      count(*), json_agg(item) filter (where place <= max_rows), string_agg(item_cursor, '') filter (where place = max_rows),
      exists (
        select from (
          select from app.members as t
          where t.company_id = company and t.changed_in >= (select pg_snapshot_xmax(pg_current_snapshot()))
            and t.changed_in is distinct from (select pg_current_xact_id_if_assigned())
          order by t.changed_in, t.id limit 1
        ) as foreign_row
      )
    into found_rows, page, next, are_foreign
    from (
      select item, item.cursor as item_cursor, row_number() over () as place from (
        select
          id,
          name, email, role, team_id, team_name, created_at,
          origin || encode(int8send(changed_in::text::bigint), 'hex') || encode(uuid_send(id), 'hex')
            || case when changed_in < began then began_digits else '' end as cursor,
          deleted
        from (
          (
            select
              v.changed_in, v.id,
              v.name, v.email, v.role, v.team_id, v.team_name, v.created_at,
              false as deleted
            from api.members as v
            where v.company_id = company and (v.changed_in, v.id) > (after_transaction, after_id) and v.changed_in < horizon
            order by v.changed_in, v.id limit max_rows + 1
          )
          union all
          (
            select d.deleted_in, d.id, there.*, there is null as deleted
            from (
              select d.deleted_in, d.id from app.deletions as d
              where d.company_id = company and d.relation = 'app.members'::regclass
                and (d.deleted_in, d.id) > (deletions_after, deletions_after_id) and d.deleted_in < horizon
              order by d.deleted_in, d.id limit 2 * (max_rows + 1)
            ) as d
            left join lateral (
              select
                v.name, v.email, v.role, v.team_id, v.team_name, v.created_at
              from api.members as v where v.company_id = company and v.id = d.id offset 0
            ) as there on true
            where d.id not in (
              select t.id from app.members as t
              where t.company_id = company and not t.is_former
                and (t.changed_in, t.id) > (after_transaction, after_id) and t.changed_in < horizon
              order by t.changed_in, t.id limit max_rows + 1
            )
            order by d.deleted_in, d.id
          )
          order by changed_in, id limit max_rows + 1
        ) as change
        order by changed_in, id
      ) as item
    ) as numbered;
  elsif list = 'teams' then
    select
      count(*), json_agg(item) filter (where place <= max_rows), string_agg(item_cursor, '') filter (where place = max_rows),
      exists (
        select from (
          select from app.teams as t
          where t.company_id = company and t.changed_in >= (select pg_snapshot_xmax(pg_current_snapshot()))
            and t.changed_in is distinct from (select pg_current_xact_id_if_assigned())
          order by t.changed_in, t.id limit 1
        ) as foreign_row
      )
    into found_rows, page, next, are_foreign
    from (
      select item, item.cursor as item_cursor, row_number() over () as place from (
        select
          id,
          name, created_at,
          origin || encode(int8send(changed_in::text::bigint), 'hex') || encode(uuid_send(id), 'hex')
            || case when changed_in < began then began_digits else '' end as cursor,
          deleted
        from (
          (
            select
              v.changed_in, v.id,
              v.name, v.created_at,
              false as deleted
            from api.teams as v
            where v.company_id = company and (v.changed_in, v.id) > (after_transaction, after_id) and v.changed_in < horizon
            order by v.changed_in, v.id limit max_rows + 1
          )
          union all
          (
            select d.deleted_in, d.id, there.*, there is null as deleted
            from (
              select d.deleted_in, d.id from app.deletions as d
              where d.company_id = company and d.relation = 'app.teams'::regclass
                and (d.deleted_in, d.id) > (deletions_after, deletions_after_id) and d.deleted_in < horizon
              order by d.deleted_in, d.id limit 2 * (max_rows + 1)
            ) as d
            left join lateral (
              select
                v.name, v.created_at
              from api.teams as v where v.company_id = company and v.id = d.id offset 0
            ) as there on true
            where d.id not in (
              select t.id from app.teams as t
              where t.company_id = company
                and (t.changed_in, t.id) > (after_transaction, after_id) and t.changed_in < horizon
              order by t.changed_in, t.id limit max_rows + 1
            )
            order by d.deleted_in, d.id
          )
          order by changed_in, id limit max_rows + 1
        ) as change
        order by changed_in, id
      ) as item
    ) as numbered;
  elsif list = 'activity' then
    if include is null then
      select
        count(*), json_agg(item) filter (where place <= max_rows), string_agg(item_cursor, '') filter (where place = max_rows),
        exists (
          select from (
            select from app.kudos as t
            where t.company_id = company and t.changed_in >= (select pg_snapshot_xmax(pg_current_snapshot()))
              and t.changed_in is distinct from (select pg_current_xact_id_if_assigned())
            order by t.changed_in, t.id limit 1
          ) as foreign_row
        )
      into found_rows, page, next, are_foreign
      from (
        select item, item.cursor as item_cursor, row_number() over () as place from (
          select
            id,
            "timestamp", sender_name, sender_email, receiver_name, receiver_email, message, category,
            origin || encode(int8send(changed_in::text::bigint), 'hex') || encode(uuid_send(id), 'hex')
              || case when changed_in < began then began_digits else '' end as cursor,
            deleted
          from (
            (
              select
                v.changed_in, v.id,
                v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
                false as deleted
              from api.activity as v
              where v.company_id = company and (v.changed_in, v.id) > (after_transaction, after_id) and v.changed_in < horizon
              order by v.changed_in, v.id limit max_rows + 1
            )
            union all
            (
              select d.deleted_in, d.id, there.*, there is null as deleted
              from (
                select d.deleted_in, d.id from app.deletions as d
                where d.company_id = company and d.relation = 'app.kudos'::regclass
                  and (d.deleted_in, d.id) > (deletions_after, deletions_after_id) and d.deleted_in < horizon
                order by d.deleted_in, d.id limit 2 * (max_rows + 1)
              ) as d
              left join lateral (
                select
                  v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category
                from api.activity as v where v.company_id = company and v.id = d.id offset 0
              ) as there on true
              where d.id not in (
                select t.id from app.kudos as t
                where t.company_id = company
                  and (t.changed_in, t.id) > (after_transaction, after_id) and t.changed_in < horizon
                order by t.changed_in, t.id limit max_rows + 1
              )
              order by d.deleted_in, d.id
            )
            order by changed_in, id limit max_rows + 1
          ) as change
          order by changed_in, id
        ) as item
      ) as numbered;
    elsif not include && array['sender_team_id', 'sender_team_name', 'receiver_team_id', 'receiver_team_name'] then
      select
        count(*), json_agg(item) filter (where place <= max_rows), string_agg(item_cursor, '') filter (where place = max_rows),
        exists (
          select from (
            select from app.kudos as t
            where t.company_id = company and t.changed_in >= (select pg_snapshot_xmax(pg_current_snapshot()))
              and t.changed_in is distinct from (select pg_current_xact_id_if_assigned())
            order by t.changed_in, t.id limit 1
          ) as foreign_row
        )
      into found_rows, page, next, are_foreign
      from (
        select item, item.cursor as item_cursor, row_number() over () as place from (
          select
            id,
            "timestamp", sender_name, sender_email, receiver_name, receiver_email, message, category, sender_id,
            receiver_id, category_id,
            origin || encode(int8send(changed_in::text::bigint), 'hex') || encode(uuid_send(id), 'hex')
              || case when changed_in < began then began_digits else '' end as cursor,
            deleted
          from (
            (
              select
                v.changed_in, v.id,
                v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
                case when 'sender_id' = any (include) then v.sender_id end as sender_id,
                case when 'receiver_id' = any (include) then v.receiver_id end as receiver_id,
                case when 'category_id' = any (include) then v.category_id end as category_id,
                false as deleted
              from api.activity as v
              where v.company_id = company and (v.changed_in, v.id) > (after_transaction, after_id) and v.changed_in < horizon
              order by v.changed_in, v.id limit max_rows + 1
            )
            union all
            (
              select d.deleted_in, d.id, there.*, there is null as deleted
              from (
                select d.deleted_in, d.id from app.deletions as d
                where d.company_id = company and d.relation = 'app.kudos'::regclass
                  and (d.deleted_in, d.id) > (deletions_after, deletions_after_id) and d.deleted_in < horizon
                order by d.deleted_in, d.id limit 2 * (max_rows + 1)
              ) as d
              left join lateral (
                select
                  v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
                  case when 'sender_id' = any (include) then v.sender_id end as sender_id,
                  case when 'receiver_id' = any (include) then v.receiver_id end as receiver_id,
                  case when 'category_id' = any (include) then v.category_id end as category_id
                from api.activity as v where v.company_id = company and v.id = d.id offset 0
              ) as there on true
              where d.id not in (
                select t.id from app.kudos as t
                where t.company_id = company
                  and (t.changed_in, t.id) > (after_transaction, after_id) and t.changed_in < horizon
                order by t.changed_in, t.id limit max_rows + 1
              )
              order by d.deleted_in, d.id
            )
            order by changed_in, id limit max_rows + 1
          ) as change
          order by changed_in, id
        ) as item
      ) as numbered;
      -- Columns that include does not name are null in every row, and are taken out of the text of the page. This text is
      -- never within a value, because quotes are escaped there.
      if cardinality(include) < 3 then
        if not 'sender_id' = any (include) then page := replace(page::text, ',"sender_id":null', ''); end if;
        if not 'receiver_id' = any (include) then page := replace(page::text, ',"receiver_id":null', ''); end if;
        if not 'category_id' = any (include) then page := replace(page::text, ',"category_id":null', ''); end if;
      end if;
    else
      select
        count(*), json_agg(item) filter (where place <= max_rows), string_agg(item_cursor, '') filter (where place = max_rows),
        exists (
          select from (
            select from app.kudos as t
            where t.company_id = company and t.changed_in >= (select pg_snapshot_xmax(pg_current_snapshot()))
              and t.changed_in is distinct from (select pg_current_xact_id_if_assigned())
            order by t.changed_in, t.id limit 1
          ) as foreign_row
        )
      into found_rows, page, next, are_foreign
      from (
        select item, item.cursor as item_cursor, row_number() over () as place from (
          select
            id,
            "timestamp", sender_name, sender_email, receiver_name, receiver_email, message, category, sender_id,
            receiver_id, category_id, sender_team_id, sender_team_name, receiver_team_id, receiver_team_name,
            origin || encode(int8send(changed_in::text::bigint), 'hex') || encode(uuid_send(id), 'hex')
              || case when changed_in < began then began_digits else '' end as cursor,
            deleted
          from (
            (
              select
                v.changed_in, v.id,
                v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
                case when 'sender_id' = any (include) then v.sender_id end as sender_id,
                case when 'receiver_id' = any (include) then v.receiver_id end as receiver_id,
                case when 'category_id' = any (include) then v.category_id end as category_id,
                case when 'sender_team_id' = any (include) then v.sender_team_id end as sender_team_id,
                case when 'sender_team_name' = any (include) then v.sender_team_name end as sender_team_name,
                case when 'receiver_team_id' = any (include) then v.receiver_team_id end as receiver_team_id,
                case when 'receiver_team_name' = any (include) then v.receiver_team_name end as receiver_team_name,
                false as deleted
              from api.activity as v
              where v.company_id = company and (v.changed_in, v.id) > (after_transaction, after_id) and v.changed_in < horizon
              order by v.changed_in, v.id limit max_rows + 1
            )
            union all
            (
              select d.deleted_in, d.id, there.*, there is null as deleted
              from (
                select d.deleted_in, d.id from app.deletions as d
                where d.company_id = company and d.relation = 'app.kudos'::regclass
                  and (d.deleted_in, d.id) > (deletions_after, deletions_after_id) and d.deleted_in < horizon
                order by d.deleted_in, d.id limit 2 * (max_rows + 1)
              ) as d
              left join lateral (
                select
                  v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
                  case when 'sender_id' = any (include) then v.sender_id end as sender_id,
                  case when 'receiver_id' = any (include) then v.receiver_id end as receiver_id,
                  case when 'category_id' = any (include) then v.category_id end as category_id,
                  case when 'sender_team_id' = any (include) then v.sender_team_id end as sender_team_id,
                  case when 'sender_team_name' = any (include) then v.sender_team_name end as sender_team_name,
                  case when 'receiver_team_id' = any (include) then v.receiver_team_id end as receiver_team_id,
                  case when 'receiver_team_name' = any (include) then v.receiver_team_name end as receiver_team_name
                from api.activity as v where v.company_id = company and v.id = d.id offset 0
              ) as there on true
              where d.id not in (
                select t.id from app.kudos as t
                where t.company_id = company
                  and (t.changed_in, t.id) > (after_transaction, after_id) and t.changed_in < horizon
                order by t.changed_in, t.id limit max_rows + 1
              )
              order by d.deleted_in, d.id
            )
            order by changed_in, id limit max_rows + 1
          ) as change
          order by changed_in, id
        ) as item
      ) as numbered;
      -- Columns that include does not name are null in every row, and are taken out of the text of the page. This text is
      -- never within a value, because quotes are escaped there.
      if cardinality(include) < 7 then
        if not 'sender_id' = any (include) then page := replace(page::text, ',"sender_id":null', ''); end if;
        if not 'receiver_id' = any (include) then page := replace(page::text, ',"receiver_id":null', ''); end if;
        if not 'category_id' = any (include) then page := replace(page::text, ',"category_id":null', ''); end if;
        if not 'sender_team_id' = any (include) then page := replace(page::text, ',"sender_team_id":null', ''); end if;
        if not 'sender_team_name' = any (include) then page := replace(page::text, ',"sender_team_name":null', ''); end if;
        if not 'receiver_team_id' = any (include) then page := replace(page::text, ',"receiver_team_id":null', ''); end if;
        if not 'receiver_team_name' = any (include) then page := replace(page::text, ',"receiver_team_name":null', ''); end if;
      end if;
    end if;
  elsif list = 'categories' then
    select
      count(*), json_agg(item) filter (where place <= max_rows), string_agg(item_cursor, '') filter (where place = max_rows),
      exists (
        select from (
          select from app.categories as t
          where t.company_id = company and t.changed_in >= (select pg_snapshot_xmax(pg_current_snapshot()))
            and t.changed_in is distinct from (select pg_current_xact_id_if_assigned())
          order by t.changed_in, t.id limit 1
        ) as foreign_row
      )
    into found_rows, page, next, are_foreign
    from (
      select item, item.cursor as item_cursor, row_number() over () as place from (
        select
          id,
          name, created_at,
          origin || encode(int8send(changed_in::text::bigint), 'hex') || encode(uuid_send(id), 'hex')
            || case when changed_in < began then began_digits else '' end as cursor,
          deleted
        from (
          (
            select
              v.changed_in, v.id,
              v.name, v.created_at,
              false as deleted
            from api.categories as v
            where v.company_id = company and (v.changed_in, v.id) > (after_transaction, after_id) and v.changed_in < horizon
            order by v.changed_in, v.id limit max_rows + 1
          )
          union all
          (
            select d.deleted_in, d.id, there.*, there is null as deleted
            from (
              select d.deleted_in, d.id from app.deletions as d
              where d.company_id = company and d.relation = 'app.categories'::regclass
                and (d.deleted_in, d.id) > (deletions_after, deletions_after_id) and d.deleted_in < horizon
              order by d.deleted_in, d.id limit 2 * (max_rows + 1)
            ) as d
            left join lateral (
              select
                v.name, v.created_at
              from api.categories as v where v.company_id = company and v.id = d.id offset 0
            ) as there on true
            where d.id not in (
              select t.id from app.categories as t
              where t.company_id = company
                and (t.changed_in, t.id) > (after_transaction, after_id) and t.changed_in < horizon
              order by t.changed_in, t.id limit max_rows + 1
            )
            order by d.deleted_in, d.id
          )
          order by changed_in, id limit max_rows + 1
        ) as change
        order by changed_in, id
      ) as item
    ) as numbered;
  elsif list = 'rewards' then
    if include is null then
      select
        count(*), json_agg(item) filter (where place <= max_rows), string_agg(item_cursor, '') filter (where place = max_rows),
        exists (
          select from (
            select from app.rewards as t
            where t.company_id = company and t.changed_in >= (select pg_snapshot_xmax(pg_current_snapshot()))
              and t.changed_in is distinct from (select pg_current_xact_id_if_assigned())
            order by t.changed_in, t.id limit 1
          ) as foreign_row
        )
      into found_rows, page, next, are_foreign
      from (
        select item, item.cursor as item_cursor, row_number() over () as place from (
          select
            id,
            name, description, points_cost, reward_type, stock_count, image_url, vendor_name, is_archived, created_at,
            origin || encode(int8send(changed_in::text::bigint), 'hex') || encode(uuid_send(id), 'hex')
              || case when changed_in < began then began_digits else '' end as cursor,
            deleted
          from (
            (
              select
                v.changed_in, v.id,
                v.name, v.description, v.points_cost, v.reward_type, v.stock_count, v.image_url, v.vendor_name, v.is_archived,
                v.created_at,
                false as deleted
              from api.rewards as v
              where v.company_id = company and (v.changed_in, v.id) > (after_transaction, after_id) and v.changed_in < horizon
              order by v.changed_in, v.id limit max_rows + 1
            )
            union all
            (
              select d.deleted_in, d.id, there.*, there is null as deleted
              from (
                select d.deleted_in, d.id from app.deletions as d
                where d.company_id = company and d.relation = 'app.rewards'::regclass
                  and (d.deleted_in, d.id) > (deletions_after, deletions_after_id) and d.deleted_in < horizon
                order by d.deleted_in, d.id limit 2 * (max_rows + 1)
              ) as d
              left join lateral (
                select
                  v.name, v.description, v.points_cost, v.reward_type, v.stock_count, v.image_url, v.vendor_name, v.is_archived,
                  v.created_at
                from api.rewards as v where v.company_id = company and v.id = d.id offset 0
              ) as there on true
              where d.id not in (
                select t.id from app.rewards as t
                where t.company_id = company
                  and (t.changed_in, t.id) > (after_transaction, after_id) and t.changed_in < horizon
                order by t.changed_in, t.id limit max_rows + 1
              )
              order by d.deleted_in, d.id
            )
            order by changed_in, id limit max_rows + 1
          ) as change
          order by changed_in, id
        ) as item
      ) as numbered;
    else
      select
        count(*), json_agg(item) filter (where place <= max_rows), string_agg(item_cursor, '') filter (where place = max_rows),
        exists (
          select from (
            select from app.rewards as t
            where t.company_id = company and t.changed_in >= (select pg_snapshot_xmax(pg_current_snapshot()))
              and t.changed_in is distinct from (select pg_current_xact_id_if_assigned())
            order by t.changed_in, t.id limit 1
          ) as foreign_row
        )
      into found_rows, page, next, are_foreign
      from (
        select item, item.cursor as item_cursor, row_number() over () as place from (
          select
            id,
            name, description, points_cost, reward_type, stock_count, image_url, vendor_name, is_archived, created_at,
            external_id,
            origin || encode(int8send(changed_in::text::bigint), 'hex') || encode(uuid_send(id), 'hex')
              || case when changed_in < began then began_digits else '' end as cursor,
            deleted
          from (
            (
              select
                v.changed_in, v.id,
                v.name, v.description, v.points_cost, v.reward_type, v.stock_count, v.image_url, v.vendor_name, v.is_archived,
                v.created_at, v.external_id,
                false as deleted
              from api.rewards as v
              where v.company_id = company and (v.changed_in, v.id) > (after_transaction, after_id) and v.changed_in < horizon
              order by v.changed_in, v.id limit max_rows + 1
            )
            union all
            (
              select d.deleted_in, d.id, there.*, there is null as deleted
              from (
                select d.deleted_in, d.id from app.deletions as d
                where d.company_id = company and d.relation = 'app.rewards'::regclass
                  and (d.deleted_in, d.id) > (deletions_after, deletions_after_id) and d.deleted_in < horizon
                order by d.deleted_in, d.id limit 2 * (max_rows + 1)
              ) as d
              left join lateral (
                select
                  v.name, v.description, v.points_cost, v.reward_type, v.stock_count, v.image_url, v.vendor_name, v.is_archived,
                  v.created_at, v.external_id
                from api.rewards as v where v.company_id = company and v.id = d.id offset 0
              ) as there on true
              where d.id not in (
                select t.id from app.rewards as t
                where t.company_id = company
                  and (t.changed_in, t.id) > (after_transaction, after_id) and t.changed_in < horizon
                order by t.changed_in, t.id limit max_rows + 1
              )
              order by d.deleted_in, d.id
            )
            order by changed_in, id limit max_rows + 1
          ) as change
          order by changed_in, id
        ) as item
      ) as numbered;
    end if;
  elsif list = 'day-ratings' then
    if include is null then
      select
        count(*), json_agg(item) filter (where place <= max_rows), string_agg(item_cursor, '') filter (where place = max_rows),
        exists (
          select from (
            select from app.day_ratings as t
            where t.company_id = company and t.changed_in >= (select pg_snapshot_xmax(pg_current_snapshot()))
              and t.changed_in is distinct from (select pg_current_xact_id_if_assigned())
            order by t.changed_in, t.id limit 1
          ) as foreign_row
        )
      into found_rows, page, next, are_foreign
      from (
        select item, item.cursor as item_cursor, row_number() over () as place from (
          select
            id,
            rating, comment, team_id, points_awarded, created_at,
            origin || encode(int8send(changed_in::text::bigint), 'hex') || encode(uuid_send(id), 'hex')
              || case when changed_in < began then began_digits else '' end as cursor,
            deleted
          from (
            (
              select
                v.changed_in, v.id,
                v.rating, v.comment, v.team_id, v.points_awarded, v.created_at,
                false as deleted
              from api.day_ratings as v
              where v.company_id = company and (v.changed_in, v.id) > (after_transaction, after_id) and v.changed_in < horizon
              order by v.changed_in, v.id limit max_rows + 1
            )
            union all
            (
              select d.deleted_in, d.id, there.*, there is null as deleted
              from (
                select d.deleted_in, d.id from app.deletions as d
                where d.company_id = company and d.relation = 'app.day_ratings'::regclass
                  and (d.deleted_in, d.id) > (deletions_after, deletions_after_id) and d.deleted_in < horizon
                order by d.deleted_in, d.id limit 2 * (max_rows + 1)
              ) as d
              left join lateral (
                select
                  v.rating, v.comment, v.team_id, v.points_awarded, v.created_at
                from api.day_ratings as v where v.company_id = company and v.id = d.id offset 0
              ) as there on true
              where d.id not in (
                select t.id from app.day_ratings as t
                where t.company_id = company
                  and (t.changed_in, t.id) > (after_transaction, after_id) and t.changed_in < horizon
                order by t.changed_in, t.id limit max_rows + 1
              )
              order by d.deleted_in, d.id
            )
            order by changed_in, id limit max_rows + 1
          ) as change
          order by changed_in, id
        ) as item
      ) as numbered;
    else
      select
        count(*), json_agg(item) filter (where place <= max_rows), string_agg(item_cursor, '') filter (where place = max_rows),
        exists (
          select from (
            select from app.day_ratings as t
            where t.company_id = company and t.changed_in >= (select pg_snapshot_xmax(pg_current_snapshot()))
              and t.changed_in is distinct from (select pg_current_xact_id_if_assigned())
            order by t.changed_in, t.id limit 1
          ) as foreign_row
        )
      into found_rows, page, next, are_foreign
      from (
        select item, item.cursor as item_cursor, row_number() over () as place from (
          select
            id,
            rating, comment, team_id, points_awarded, created_at, team_name,
            origin || encode(int8send(changed_in::text::bigint), 'hex') || encode(uuid_send(id), 'hex')
              || case when changed_in < began then began_digits else '' end as cursor,
            deleted
          from (
            (
              select
                v.changed_in, v.id,
                v.rating, v.comment, v.team_id, v.points_awarded, v.created_at, v.team_name,
                false as deleted
              from api.day_ratings as v
              where v.company_id = company and (v.changed_in, v.id) > (after_transaction, after_id) and v.changed_in < horizon
              order by v.changed_in, v.id limit max_rows + 1
            )
            union all
            (
              select d.deleted_in, d.id, there.*, there is null as deleted
              from (
                select d.deleted_in, d.id from app.deletions as d
                where d.company_id = company and d.relation = 'app.day_ratings'::regclass
                  and (d.deleted_in, d.id) > (deletions_after, deletions_after_id) and d.deleted_in < horizon
                order by d.deleted_in, d.id limit 2 * (max_rows + 1)
              ) as d
              left join lateral (
                select
                  v.rating, v.comment, v.team_id, v.points_awarded, v.created_at, v.team_name
                from api.day_ratings as v where v.company_id = company and v.id = d.id offset 0
              ) as there on true
              where d.id not in (
                select t.id from app.day_ratings as t
                where t.company_id = company
                  and (t.changed_in, t.id) > (after_transaction, after_id) and t.changed_in < horizon
                order by t.changed_in, t.id limit max_rows + 1
              )
              order by d.deleted_in, d.id
            )
            order by changed_in, id limit max_rows + 1
          ) as change
          order by changed_in, id
        ) as item
      ) as numbered;
    end if;
  elsif list = 'pulse-responses' then
    if include is null then
      select
        count(*), json_agg(item) filter (where place <= max_rows), string_agg(item_cursor, '') filter (where place = max_rows),
        exists (
          select from (
            select from app.pulse_responses as t
            where t.company_id = company and t.changed_in >= (select pg_snapshot_xmax(pg_current_snapshot()))
              and t.changed_in is distinct from (select pg_current_xact_id_if_assigned())
            order by t.changed_in, t.id limit 1
          ) as foreign_row
        )
      into found_rows, page, next, are_foreign
      from (
        select item, item.cursor as item_cursor, row_number() over () as place from (
          select
            id,
            "timestamp", question, response_type, value, comment,
            origin || encode(int8send(changed_in::text::bigint), 'hex') || encode(uuid_send(id), 'hex')
              || case when changed_in < began then began_digits else '' end as cursor,
            deleted
          from (
            (
              select
                v.changed_in, v.id,
                v."timestamp", v.question, v.response_type, v.value, v.comment,
                false as deleted
              from api.pulse_responses as v
              where v.company_id = company and (v.changed_in, v.id) > (after_transaction, after_id) and v.changed_in < horizon
              order by v.changed_in, v.id limit max_rows + 1
            )
            union all
            (
              select d.deleted_in, d.id, there.*, there is null as deleted
              from (
                select d.deleted_in, d.id from app.deletions as d
                where d.company_id = company and d.relation = 'app.pulse_responses'::regclass
                  and (d.deleted_in, d.id) > (deletions_after, deletions_after_id) and d.deleted_in < horizon
                order by d.deleted_in, d.id limit 2 * (max_rows + 1)
              ) as d
              left join lateral (
                select
                  v."timestamp", v.question, v.response_type, v.value, v.comment
                from api.pulse_responses as v where v.company_id = company and v.id = d.id offset 0
              ) as there on true
              where d.id not in (
                select t.id from app.pulse_responses as t
                where t.company_id = company
                  and (t.changed_in, t.id) > (after_transaction, after_id) and t.changed_in < horizon
                order by t.changed_in, t.id limit max_rows + 1
              )
              order by d.deleted_in, d.id
            )
            order by changed_in, id limit max_rows + 1
          ) as change
          order by changed_in, id
        ) as item
      ) as numbered;
    else
      select
        count(*), json_agg(item) filter (where place <= max_rows), string_agg(item_cursor, '') filter (where place = max_rows),
        exists (
          select from (
            select from app.pulse_responses as t
            where t.company_id = company and t.changed_in >= (select pg_snapshot_xmax(pg_current_snapshot()))
              and t.changed_in is distinct from (select pg_current_xact_id_if_assigned())
            order by t.changed_in, t.id limit 1
          ) as foreign_row
        )
      into found_rows, page, next, are_foreign
      from (
        select item, item.cursor as item_cursor, row_number() over () as place from (
          select
            id,
            "timestamp", question, response_type, value, comment, question_id,
            origin || encode(int8send(changed_in::text::bigint), 'hex') || encode(uuid_send(id), 'hex')
              || case when changed_in < began then began_digits else '' end as cursor,
            deleted
          from (
            (
              select
                v.changed_in, v.id,
                v."timestamp", v.question, v.response_type, v.value, v.comment, v.question_id,
                false as deleted
              from api.pulse_responses as v
              where v.company_id = company and (v.changed_in, v.id) > (after_transaction, after_id) and v.changed_in < horizon
              order by v.changed_in, v.id limit max_rows + 1
            )
            union all
            (
              select d.deleted_in, d.id, there.*, there is null as deleted
              from (
                select d.deleted_in, d.id from app.deletions as d
                where d.company_id = company and d.relation = 'app.pulse_responses'::regclass
                  and (d.deleted_in, d.id) > (deletions_after, deletions_after_id) and d.deleted_in < horizon
                order by d.deleted_in, d.id limit 2 * (max_rows + 1)
              ) as d
              left join lateral (
                select
                  v."timestamp", v.question, v.response_type, v.value, v.comment, v.question_id
                from api.pulse_responses as v where v.company_id = company and v.id = d.id offset 0
              ) as there on true
              where d.id not in (
                select t.id from app.pulse_responses as t
                where t.company_id = company
                  and (t.changed_in, t.id) > (after_transaction, after_id) and t.changed_in < horizon
                order by t.changed_in, t.id limit max_rows + 1
              )
              order by d.deleted_in, d.id
            )
            order by changed_in, id limit max_rows + 1
          ) as change
          order by changed_in, id
        ) as item
      ) as numbered;
    end if;
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION app.periods(step text, since timestamp with time zone, until timestamp with time zone, time_zone text)
 RETURNS TABLE(first_day date, begins timestamp with time zone, ends timestamp with time zone)
 LANGUAGE sql
 STABLE
 SET search_path TO ''
BEGIN ATOMIC
 SELECT (day.first_day)::date AS first_day,
     GREATEST(periods.since, day.begins) AS begins,
     lead(day.begins, 1, (periods.until + '00:00:00.000001'::interval)) OVER (ORDER BY day.first_day) AS ends
    FROM ( SELECT midnight.midnight AS first_day,
                 CASE
                     WHEN ((earlier.before_change AT TIME ZONE periods.time_zone) = midnight.midnight) THEN LEAST(found.at_midnight, earlier.before_change)
                     ELSE found.at_midnight
                 END AS begins
            FROM ((generate_series(date_trunc(periods.step, (periods.since AT TIME ZONE periods.time_zone)), (periods.until AT TIME ZONE periods.time_zone),
                 CASE periods.step
                     WHEN 'quarter'::text THEN '3 mons'::interval
                     ELSE (('1 '::text || periods.step))::interval
                 END) midnight(midnight)
              CROSS JOIN LATERAL ( SELECT (midnight.midnight AT TIME ZONE periods.time_zone) AS at_midnight,
                     ((midnight.midnight AT TIME ZONE periods.time_zone) - '24:00:00'::interval) AS day_before) found)
              CROSS JOIN LATERAL ( SELECT ((midnight.midnight AT TIME ZONE 'UTC'::text) + ((found.day_before AT TIME ZONE 'UTC'::text) - (found.day_before AT TIME ZONE periods.time_zone))) AS before_change) earlier)
           WHERE (periods.step IS NOT NULL)) day
 UNION ALL
  SELECT NULL::date AS first_day,
     periods.since AS begins,
     (periods.until + '00:00:00.000001'::interval) AS ends
   WHERE (periods.step IS NULL);
END;

CREATE OR REPLACE FUNCTION app.prepare_file(company_id uuid, file text)
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

CREATE OR REPLACE FUNCTION app.purge_some(company_id uuid, since timestamp with time zone, before timestamp with time zone, relation text, OUT deleted bigint, OUT reached timestamp with time zone)
 RETURNS record
 LANGUAGE plpgsql
 SET search_path TO ''
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_sort TO 'off'
 SET lock_timeout TO '2s'
AS $function$
declare
  is_old boolean;
begin
  execute format(
    'select exists (select from app.%I as t where t.company_id = $1 and t.created_at >= $2 and t.created_at < $3)', relation
  )
    into is_old using company_id, since, before;
  if not is_old then
    deleted := 0;
    return;
  end if;
  perform app.require_open_company(company_id);
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

CREATE OR REPLACE FUNCTION app.record_api_key_event()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- Erasing a person is recorded in app.erasures, and names nobody.
  if tg_op = 'UPDATE'
    and (new.name, new.revoked_at, new.replaced_by) is not distinct from (old.name, old.revoked_at, old.replaced_by) then
    return null;
  end if;

  insert into app.api_key_events
    (company_id, action, key_id, key_name, hint, scopes, expires_at, member_id, member_name, former_name, replaced_by, reason)
  select
    new.company_id,
    case
      when tg_op = 'INSERT' then 'created'
      when new.revoked_at is not null then 'revoked'
      when new.name <> old.name then 'renamed'
      else 'replaced'
    end,
    new.id, new.name, new.hint, new.scopes, new.expires_at, m.id, m.name,
    case when tg_op = 'UPDATE' and new.name <> old.name then old.name end,
    case when tg_op = 'UPDATE' and new.replaced_by is distinct from old.replaced_by then new.replaced_by end,
    case when m.id is null then coalesce(nullif(current_setting('app.revoke_reason', true), ''), 'not given') end
  from (select) as change
  left join app.current_admin() as admin on true
  left join app.members as m on m.company_id = new.company_id and m.id = admin.member_id;

  if tg_op = 'INSERT' then
    insert into app.api_key_uses (company_id, key_id) values (new.company_id, new.id);
  end if;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION app.record_deletions()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  company uuid;
begin
  if tg_op = 'TRUNCATE' then
    perform app.forget_cursors(relation => tg_table_name);
    return null;
  end if;
  for company in select c.id from app.companies as c where c.id in (select d.company_id from deleted as d) loop
    insert into app.deletions (company_id, relation, id)
    select company, tg_relid, d.id from deleted as d where d.company_id = company
    on conflict on constraint deletions_pkey do update
      set deleted_in = excluded.deleted_in, deleted_at = excluded.deleted_at;
    perform app.forget_deletions(company, tg_relid);
  end loop;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION app.record_old_id()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  insert into app.deletions (company_id, relation, id) values (old.company_id, tg_relid, old.id)
  on conflict on constraint deletions_pkey do update
    set deleted_in = excluded.deleted_in, deleted_at = excluded.deleted_at;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION app.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if tg_op = 'UPDATE' and to_jsonb(new) - array['member_id', 'member_name'] = to_jsonb(old) - array['member_id', 'member_name']
    and new.member_name = 'Former member'
    and app.only_replaces_erased(old.company_id, array[old.member_id], array[new.member_id]) then
    return new;
  end if;
  if tg_op = 'DELETE' and not exists (select from app.companies as c where c.id = old.company_id) then
    return old;
  end if;
  raise exception '% only grows: % is refused', tg_relid::regclass, lower(tg_op) using errcode = 'insufficient_privilege';
end
$function$;

CREATE OR REPLACE FUNCTION app.refuse_cursor(key_id uuid, company_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  raise exception using
    errcode = 'PT410',
    message = 'Gone: this cursor is no longer known, begin again with after=start',
    detail = json_build_object('key_id', key_id, 'company_id', company_id);
end
$function$;

CREATE OR REPLACE FUNCTION app.refuse_without_row_security()
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  raise exception 'row-level security does not bind %', current_user
    using errcode = 'PT500',
      hint = 'Functions that serve API keys belong to public_api, and every table has row-level security: '
        'docs/operations.md, Restore.';
end
$function$;

CREATE OR REPLACE FUNCTION app.renew_statistics()
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  relation regclass;
begin
  for relation in
    select c.oid
    from pg_catalog.pg_class as c
    where c.relkind = 'r' and has_table_privilege(c.oid, 'maintain')
      and (
        c.relnamespace = 'auth'::regnamespace
        or c.oid = any ('{app.members,app.member_accounts,app.kudos,app.api_keys,app.api_key_events}'::regclass[])
      )
    -- The same order in every session, so that two do not wait for each other.
    order by c.oid
  loop
    execute format('analyze %s', relation);
  end loop;
end
$function$;

CREATE OR REPLACE FUNCTION app.repeated_cells_query(file text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN (SELECT string_agg(concat_ws('
'::text, (('select s.position, '::text || pieces.problem) || ', repeated.first'::text), 'from (', (('  select '::text || pieces.compared) || ', min(s.position) as first'::text), (('  from '::text || pieces.source) || ' as s'::text), (('  where ('::text || pieces.not_empty) || ') is not null'::text), (('  group by '::text || pieces.compared) || ' having count(*) > 1'::text), ((') as repeated ('::text || pieces.names) || ', first)'::text), (((((('join '::text || pieces.source) || ' as s on ('::text) || pieces.compared) || ') = ('::text) || pieces.repeated) || ')'::text), 'where s.position > repeated.first'), '
union all
'::text ORDER BY pieces.problem) AS string_agg FROM (SELECT quote_literal((string_agg(c.field, ' and '::text ORDER BY c.place) || ' must be unique in the file'::text)) AS problem, format('staging.%I'::text, c.file) AS source, string_agg(app.comparable(c.kind, format('s.%I'::text, c.field)), ', '::text ORDER BY c.place) AS compared, string_agg(format('nullif(s.%I, '''')'::text, c.field), ', '::text ORDER BY c.place) AS not_empty, string_agg(format('%I'::text, c.field), ', '::text ORDER BY c.place) AS names, string_agg(format('repeated.%I'::text, c.field), ', '::text ORDER BY c.place) AS repeated FROM app.loaded_columns() c(file, place, field, kind, unique_by, minimum, maximum, when_empty, names, target_column) WHERE ((c.file = repeated_cells_query.file) AND (c.unique_by IS NOT NULL)) GROUP BY c.file, c.unique_by) pieces);

CREATE OR REPLACE FUNCTION app.require_open_company(company_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform app.require_settled_company(company_id);
  if not exists (select from app.companies as c where c.id = require_open_company.company_id and c.serving = 'open') then
    raise exception 'company_id must be the id of a company that is served here, % has moved to another project', company_id
      using errcode = 'invalid_parameter_value';
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION app.require_settled_company(company_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  serving text;
begin
  select c.serving into serving from app.companies as c where c.id = require_settled_company.company_id for share;
  if not found then
    raise exception 'company_id must be the id of a company, % is none', company_id using errcode = 'invalid_parameter_value';
  elsif serving = 'moving' then
    raise exception 'company_id must be the id of a company that is not on its way to another project, % is moving', company_id
      using errcode = 'invalid_parameter_value';
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION app.respond(key_id uuid, company_id uuid, body json)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  headers text;
begin
  -- Assigned and not performed, which would run it as a query.
  headers := set_config('response.headers', format('[{"X-Key-Id":"%s"},{"X-Company-Id":"%s"}]', key_id, company_id), true);
  return body;
end
$function$;

CREATE OR REPLACE FUNCTION app.revoke_key(key text, reason text, OUT company_id uuid, OUT key_id uuid, OUT name text, OUT revoked_at timestamp with time zone)
 RETURNS record
 LANGUAGE plpgsql
 SET search_path TO ''
 SET lock_timeout TO '5s'
AS $function$
declare
  ids uuid[];
begin
  if key ~ '^sk_live_[0-9A-Za-z]{38}$' then
    raise exception 'key must be its id or its last four characters, never the key itself: statements are logged'
      using errcode = 'invalid_parameter_value';
  end if;
  if reason is null or char_length(btrim(reason)) not between 1 and 200 then
    raise exception 'reason must be a text of 1 to 200 characters: the admins of the company read it'
      using errcode = 'invalid_parameter_value';
  end if;
  select array_agg(k.id) into ids from app.api_keys as k
  where k.id::text = lower(revoke_key.key) or k.hint in (revoke_key.key, 'sk_live_…' || revoke_key.key);
  if cardinality(ids) is distinct from 1 then
    raise exception '% keys have this id or these last four characters', coalesce(cardinality(ids), 0)
      using errcode = 'invalid_parameter_value', detail = 'Their ids: ' || coalesce(array_to_string(ids, ', '), 'none');
  end if;
  perform app.require_settled_company(k.company_id) from app.api_keys as k where k.id = ids[1];

  perform set_config('app.revoke_reason', btrim(reason), true);
  update app.api_keys as k set revoked_at = now() where k.id = ids[1];
  perform set_config('app.revoke_reason', '', true);

  select k.company_id, k.id, k.name, k.revoked_at into company_id, key_id, name, revoked_at
  from app.api_keys as k where k.id = ids[1];
end
$function$;

CREATE OR REPLACE FUNCTION app.rows_of_others(company_id uuid)
 RETURNS TABLE(file text, what text, looked_at bigint, found bigint, owner uuid)
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  loaded record;
begin
  for loaded in
    select f.file, f.target from app.loaded_files() as f where f.file not in ('categories', 'pulse_questions') order by f.place
  loop
    return query execute format(
      $query$
        with
        sent as (select count(*) as rows, min(s.position) as first from staging.%1$I as s),
        sample as materialized (
          select s.id::uuid as id from staging.%1$I as s, sent where (s.position - sent.first) %% greatest(sent.rows / 20, 1) = 0
        )
        select %1$L, 'ids', (select count(*) from sample), count(*), c.id
        from sample as s
        cross join app.companies as c
        where c.id <> $1
          and exists (select from app.%2$I as t where t.company_id = c.id and t.id = s.id)
          and not exists (select from app.%2$I as t where t.company_id = $1 and t.id = s.id)
        group by c.id
        having count(*) * 2 > (select count(*) from sample)
      $query$,
      loaded.file,
      loaded.target
    )
    using rows_of_others.company_id;
  end loop;
  return query
    select 'members', 'addresses', (select count(*) from staging.members), count(*), m.company_id
    from staging.members as s
    join app.members as m on lower(m.email) = lower(s.email)
    where m.company_id <> rows_of_others.company_id
      and not exists (
        select from app.members as own where own.company_id = rows_of_others.company_id and lower(own.email) = lower(s.email)
      )
    group by m.company_id
    having count(*) * 2 > (select count(*) from staging.members);
end
$function$;

CREATE OR REPLACE FUNCTION app.serve_keys(served regprocedure)
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
end
$function$;

CREATE OR REPLACE FUNCTION app.staging_problems(company_id uuid)
 RETURNS TABLE(file text, line bigint, problem text)
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

CREATE OR REPLACE FUNCTION app.undo_load(company_id uuid, loaded_in bigint, rows bigint)
 RETURNS TABLE(file text, deleted bigint)
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  short constant xid := (loaded_in % 4294967296)::text::xid;
  loaded record;
  categories uuid[];
  found bigint;
  as_written bigint := 0;
begin
  -- Waits for a load that is running.
  perform app.empty_staging();
  perform app.require_open_company(company_id);
  if not coalesce(
    loaded_in::text::xid8 < pg_current_xact_id() and pg_xact_status(loaded_in::text::xid8) = 'committed', false
  ) then
    raise exception 'loaded_in must be the number of a load that is written and recent, % is none', loaded_in
      using errcode = 'invalid_parameter_value';
  end if;
  if exists (
    select from app.member_accounts as a
    join app.members as m on m.company_id = a.company_id and m.id = a.member_id
    where a.company_id = undo_load.company_id and m.xmin = short
  ) then
    raise exception 'this load cannot be taken back: some of its people have signed in' using errcode = 'object_in_use';
  end if;

  for loaded in select f.file, f.target from app.loaded_files() as f order by f.place loop
    execute format(
      'select count(*) from (select from app.%I as t where t.company_id = $1 and t.xmin = $2 for update) as locked', loaded.target
    ) into found using company_id, short;
    as_written := as_written + found;
  end loop;
  if as_written is distinct from rows then
    raise exception 'this load cannot be taken back: of its % rows % are as it wrote them', rows, as_written
      using errcode = 'object_in_use';
  end if;

  -- Before their names are deleted, which marks them as changed.
  select coalesce(array_agg(c.id), '{}') into categories
  from app.categories as c where c.company_id = undo_load.company_id and c.xmin = short;
  for loaded in select f.file, f.target from app.loaded_files() as f order by f.place desc loop
    file := loaded.file;
    execute format('delete from app.%I as t where t.company_id = $1 and t.xmin = $2', loaded.target) using company_id, short;
    get diagnostics deleted = row_count;
    return next;
  end loop;
  delete from app.categories as c
  where c.company_id = undo_load.company_id and c.id = any (categories)
    and not exists (select from app.category_names as n where n.company_id = c.company_id and n.category_id = c.id);
  perform app.renew_statistics();
exception
  when foreign_key_violation then
    raise exception 'this load cannot be taken back: other rows name its % (%)', file, sqlerrm using errcode = 'object_in_use';
end
$function$;

CREATE OR REPLACE FUNCTION app.unknown_ids_query(file text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN (SELECT string_agg(concat_ws('
'::text, (('select u.position, '::text || pieces.beginning) || ' || u.id || '' is unknown'', null::bigint'::text), 'from (', (('  select s.position, '::text || pieces.id) || ' as id'::text), (('  from '::text || pieces.source) || ' as s'::text), (('  where '::text || pieces.cell) || ' <> '''' and not exists ('::text), '    select from (', (('      select lower(sent.id collate "C") as id from staging.'::text || pieces.names) || ' as sent'::text), '      union all', (('      select present.id::text from app.'::text || pieces.names) || ' as present where present.company_id = $1'::text), '    ) as known', ('    where known.id = '::text || pieces.id), '  )', '  offset 0', ') as u', (((('where case when '::text || pieces.is_uuid) || ' then '::text) || pieces.is_reported) || ' end'::text)), '
union all
'::text ORDER BY pieces.place) AS string_agg FROM (SELECT c.place, quote_literal((((c.field || ' must be the id of a '::text) || f.one) || ', '::text)) AS beginning, format('staging.%I'::text, c.file) AS source, format('s.%I'::text, c.field) AS cell, format('lower(s.%I collate "C")'::text, c.field) AS id, quote_ident(c.names) AS names, format(k.condition, 'u.id') AS is_uuid, CASE c.names WHEN 'members'::text THEN 'not app.is_erased($1, u.id::uuid)'::text ELSE 'true'::text END AS is_reported FROM ((app.loaded_columns() c(file, place, field, kind, unique_by, minimum, maximum, when_empty, names, target_column) JOIN app.loaded_files() f(place, file, target, one) ON ((f.file = c.names))) JOIN app.cell_checks() k(kind, condition, words) ON ((k.kind = c.kind))) WHERE (c.file = unknown_ids_query.file)) pieces);

CREATE OR REPLACE FUNCTION app.write_query(file text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN (SELECT concat_ws('
'::text, 'with written as (', (('  merge into '::text || pieces.target) || ' as t'::text), '  using (', ('    select '::text || pieces.cells), ((('    from '::text || pieces.source) || ' as s where s.position between $2 and $3 order by '::text) || pieces.sorting), '  ) as s', ('  on t.company_id = $1 and '::text || pieces.same_key), ((((('  when matched and row('::text || pieces.stored) || ') is distinct from row('::text) || pieces.sent) || ') then update set '::text) || pieces.changes), (((('  when not matched then insert (company_id, '::text || pieces.names) || ') values ($1, '::text) || pieces.new_values) || ')'::text), '  returning merge_action() as action', ')', 'select count(*) filter (where action = ''INSERT'') as inserted, count(*) filter (where action = ''UPDATE'') as updated', 'from written') AS concat_ws FROM (SELECT format('app.%I'::text, f.target) AS target, format('staging.%I'::text, f.file) AS source, string_agg((CASE WHEN (c.when_empty IS NULL) THEN format('s.%I::%s'::text, c.field, c.type) ELSE format('coalesce(nullif(s.%I, '''')::%s, %s)'::text, c.field, c.type, c.when_empty) END || format(' as %I'::text, c.target_column)), ', '::text ORDER BY c.place) AS cells, string_agg(format('s.%I::%s'::text, c.field, c.type), ', '::text ORDER BY (c.kind = 'date_time'::text) DESC, c.place) FILTER (WHERE ((c.kind = 'date_time'::text) OR c.is_key)) AS sorting, string_agg(format('t.%1$I = s.%1$I'::text, c.target_column), ' and '::text ORDER BY c.place) FILTER (WHERE c.is_key) AS same_key, string_agg((format('t.%I'::text, c.target_column) || c.compared_as), ', '::text ORDER BY c.place) FILTER (WHERE (NOT c.is_key)) AS stored, string_agg((format('s.%I'::text, c.target_column) || c.compared_as), ', '::text ORDER BY c.place) FILTER (WHERE (NOT c.is_key)) AS sent, string_agg(format('%1$I = s.%1$I'::text, c.target_column), ', '::text ORDER BY c.place) FILTER (WHERE (NOT c.is_key)) AS changes, string_agg(format('%I'::text, c.target_column), ', '::text ORDER BY c.place) AS names, string_agg(format('s.%I'::text, c.target_column), ', '::text ORDER BY c.place) AS new_values FROM (app.loaded_files() f(place, file, target, one) JOIN (SELECT loaded.file, loaded.place, loaded.field, loaded.kind, loaded.unique_by, loaded.minimum, loaded.maximum, loaded.when_empty, loaded.names, loaded.target_column, app.stored_type(loaded.kind) AS type, (NOT (loaded.unique_by IS DISTINCT FROM 'key'::text)) AS is_key, CASE loaded.kind WHEN 'json'::text THEN '::text'::text ELSE ''::text END AS compared_as FROM app.loaded_columns() loaded(file, place, field, kind, unique_by, minimum, maximum, when_empty, names, target_column)) c ON ((c.file = f.file))) WHERE (f.file = write_query.file) GROUP BY f.file, f.target) pieces);

CREATE OR REPLACE FUNCTION app.wrong_cells_query(file text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN (SELECT concat_ws('
'::text, 'select s.position, p.problem, null::bigint', format('from staging.%I as s'::text, wrong_cells_query.file), 'cross join lateral (values', string_agg((((((('  (case when '::text || pieces.not_empty) || '('::text) || pieces.condition) || ') is not true
    then '::text) || pieces.problem) || ' end)'::text), ',
'::text ORDER BY pieces.place), ') as p (problem)', 'where p.problem is not null') AS concat_ws FROM (SELECT c.place, CASE WHEN (c.when_empty IS NULL) THEN ''::text ELSE format('s.%I <> '''' and '::text, c.field) END AS not_empty, format(k.condition, format('s.%I'::text, c.field), c.minimum, c.maximum) AS condition, quote_literal((((c.field || ' '::text) || format(k.words, NULL::unknown, c.minimum, c.maximum)) || CASE WHEN (c.when_empty IS NULL) THEN ''::text ELSE ' or empty'::text END)) AS problem FROM (app.loaded_columns() c(file, place, field, kind, unique_by, minimum, maximum, when_empty, names, target_column) JOIN app.cell_checks() k(kind, condition, words) ON ((k.kind = c.kind))) WHERE (c.file = wrong_cells_query.file)) pieces);

CREATE OR REPLACE FUNCTION public.average_day_ratings(key_hash text, by text[], since timestamp with time zone DEFAULT NULL::timestamp with time zone, until timestamp with time zone DEFAULT NULL::timestamp with time zone, time_zone text DEFAULT 'UTC'::text, team_id uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
 SET work_mem TO '32MB'
 SET lock_timeout TO '5s'
 SET statement_timeout TO '7s'
AS $function$
declare
  api_key app.verified_key;
  last timestamptz := coalesce(until, now());
  step text := (select name from unnest(by) as name where name <> 'team');
  of_team boolean := 'team' = any (by);
  found_rows integer;
  answer json;
  headers text;
begin
  if not (row_security_active('app.day_ratings'::regclass) and row_security_active('app.teams'::regclass)) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:analytics');

  execute format(
    $statement$
      select count(*), json_agg(item) from (
        select %1$s ratings, average
        from (
          select period.first_day, rated.*
          from app.periods($2, app.first_of_window($3, $4, $5), $4, $5) as period
          cross join lateral (
            select %2$s count(*) as ratings, round(avg(d.rating), 2) as average
            from app.day_ratings as d
            where d.company_id = $1 and d.created_at >= period.begins and d.created_at < period.ends
              and ($6 is null or d.team_id = $6)
            %3$s
            having count(*) > 0
          ) as rated
          limit app.most_groups() + 1
        ) as rated
        %4$s
        order by first_day desc, ratings desc %5$s
      ) as item
    $statement$,
    (
      select string_agg(
        case name
          when 'team' then 'team_id, coalesce(team.name, ''No Team'') as team_name, '
          else format('first_day as %I, ', name)
        end, '' order by place)
      from unnest(by) with ordinality as wanted (name, place)
    ),
    case when of_team then 'd.team_id,' end,
    case when of_team then 'group by d.team_id' end,
    case when of_team then 'left join app.teams as team on team.company_id = $1 and team.id = team_id' end,
    case when of_team then ', team_id' end
  )
  into found_rows, answer
  using api_key.company_id, step, since, last, time_zone, team_id;

  headers := set_config(
    'response.headers',
    format(app.list_headers(), api_key.key_id, api_key.company_id, found_rows, (found_rows > app.most_groups())::text, ''),
    true
  );
  return case when found_rows > app.most_groups() then '[]' else coalesce(answer, '[]') end;
end
$function$;

REVOKE ALL ON FUNCTION public.average_day_ratings FROM PUBLIC, anon, authenticated, service_role;

ALTER FUNCTION "public"."average_day_ratings"(text, text[], timestamp with time zone, timestamp with time zone, text, uuid) OWNER TO "public_api";

CREATE OR REPLACE FUNCTION public.count_activity(key_hash text, by text[], since timestamp with time zone DEFAULT NULL::timestamp with time zone, until timestamp with time zone DEFAULT NULL::timestamp with time zone, time_zone text DEFAULT 'UTC'::text, category_id uuid DEFAULT NULL::uuid, sender_id uuid DEFAULT NULL::uuid, receiver_id uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
 SET work_mem TO '32MB'
 SET lock_timeout TO '5s'
 SET statement_timeout TO '7s'
AS $function$
declare
  api_key app.verified_key;
  last timestamptz := coalesce(until, now());
  step text;
  selected text;
  groups text;
  teams text;
  ids text;
  names text;
  found_rows integer;
  answer json;
  headers text;
begin
  if not (
    row_security_active('app.kudos'::regclass) and row_security_active('app.members'::regclass)
    and row_security_active('app.teams'::regclass) and row_security_active('app.categories'::regclass)
  ) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:activity');

  -- A statement for each by would be hundreds. So it is put together, from these texts and nothing that was sent: the columns of
  -- the answer, what kudos are grouped by, where that is found, the ids that order the groups, and where names are found.
  -- Teams are found in one table of all members (offset 0): the planner cannot know how many kudos a period has, and
  -- might look them up one by one.
  select
    min(wanted.name) filter (where part.name is null),
    string_agg(coalesce(part.columns, format('first_day as %I', wanted.name)) || ', ', '' order by place),
    string_agg(part.grouped || ', ', '' order by place),
    string_agg(part.team, ' ' order by place),
    string_agg(part.id, ', ' order by place),
    string_agg(part.named, ' ' order by place)
  into step, selected, groups, teams, ids, names
  from unnest(by) with ordinality as wanted (name, place)
  left join (
    select 'category' as name, 'category_id' as id, 'k.category_id' as grouped, null as team,
      'join app.categories as category on category.company_id = $1 and category.id = category_id' as named,
      'category_id, category.name as category' as columns
    union all
    select replace(name, 'person', person), replace(id, 'person', person), replace(grouped, 'person', person),
      replace(team, 'person', person), replace(named, 'person', person), replace(columns, 'person', person)
    from unnest(array['sender', 'receiver']) as person
    cross join (values
      ('person', 'person_id', 'k.person_id', null,
        'join app.members as person on person.company_id = $1 and person.id = person_id',
        'person_id, person.name as person_name'),
      ('person_team', 'person_team_id', 'person.team_id as person_team_id',
        'join (select m.id, m.team_id from app.members as m where m.company_id = $1 offset 0) as person '
          'on person.id = k.person_id',
        'left join app.teams as person_team on person_team.company_id = $1 and person_team.id = person_team_id',
        'person_team_id, coalesce(person_team.name, ''No Team'') as person_team_name')
    ) as of_person (name, id, grouped, team, named, columns)
  ) as part on part.name = wanted.name;

  execute format(
    $statement$
      select count(*), json_agg(item) from (
        select %1$s kudos
        from (
          select period.first_day, counted.*
          from app.periods($2, app.first_of_window($3, $4, $5), $4, $5) as period
          cross join lateral (
            select %2$s count(*) as kudos
            from app.kudos as k %3$s
            where k.company_id = $1 and k.created_at >= period.begins and k.created_at < period.ends
              and ($6 is null or k.category_id = $6) and ($7 is null or k.sender_id = $7) and ($8 is null or k.receiver_id = $8)
            %4$s
            having count(*) > 0
          ) as counted
          limit app.most_groups() + 1
        ) as counted
        %5$s
        order by first_day desc, kudos desc %6$s
      ) as item
    $statement$,
    selected, groups, teams, 'group by ' || ids, names, ', ' || ids
  )
  into found_rows, answer
  using api_key.company_id, step, since, last, time_zone, category_id, sender_id, receiver_id;

  headers := set_config(
    'response.headers',
    format(app.list_headers(), api_key.key_id, api_key.company_id, found_rows, (found_rows > app.most_groups())::text, ''),
    true
  );
  return case when found_rows > app.most_groups() then '[]' else coalesce(answer, '[]') end;
end
$function$;

REVOKE ALL ON FUNCTION public.count_activity FROM PUBLIC, anon, authenticated, service_role;

ALTER FUNCTION "public"."count_activity"(text, text[], timestamp with time zone, timestamp with time zone, text, uuid, uuid, uuid) OWNER TO "public_api";

CREATE OR REPLACE FUNCTION public.create_api_key(name text, scopes text[] DEFAULT ARRAY['read:members'::text, 'read:activity'::text], expires_at timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if not exists (select from app.current_admin()) then
    raise exception using errcode = 'PT403', message = 'only an admin may create API keys';
  end if;
  -- Null for no scopes, 2 for an array of arrays.
  if array_ndims(scopes) is distinct from 1 or not scopes <@ app.scopes()
    or cardinality(scopes) > (select count(distinct scope) from unnest(scopes) as scope) then
    raise exception using errcode = 'PT400', hint = 'scopes',
      message = 'scopes must be one or more of ' || array_to_string(app.scopes(), ', ') || ', each once';
  end if;
  return app.insert_api_key(name, scopes, expires_at);
end
$function$;

CREATE OR REPLACE FUNCTION public.link_member()
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  status constant text := app.link_member();
  member record;
begin
  select * into member from app.current_member();
  return json_build_object(
    'status', status,
    'company_name', member.company_name,
    'name', member.name,
    'role', case status when 'linked' then member.role end,
    'admins', case status when 'linked' then app.admins_to_ask() end
  );
end
$function$;

CREATE OR REPLACE FUNCTION public.list_activity(key_hash text, max_rows integer, since timestamp with time zone DEFAULT '-infinity'::timestamp with time zone, until timestamp with time zone DEFAULT 'infinity'::timestamp with time zone, category_id uuid DEFAULT NULL::uuid, sender_id uuid DEFAULT NULL::uuid, receiver_id uuid DEFAULT NULL::uuid, starting_after uuid DEFAULT NULL::uuid, include text[] DEFAULT NULL::text[])
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
  ids uuid[];
  found_rows integer;
  page json;
  headers text;
  -- The page begins below this pair of instant and id (docs/api.md, Lists).
  below_instant timestamptz := until + interval '1 microsecond';
  below_id uuid := uuid '00000000-0000-0000-0000-000000000000';
  after_instant timestamptz;
  lead_by text;
begin
  if not (
    row_security_active('app.kudos'::regclass)
    and row_security_active('app.members'::regclass)
    and row_security_active('app.teams'::regclass)
    and row_security_active('app.categories'::regclass)
  ) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:activity');

  if starting_after is not null then
    select t.created_at into after_instant from app.kudos as t
    where t.company_id = api_key.company_id and t.id = starting_after;
    if not found then
      perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
    end if;
    if (after_instant, starting_after) < (below_instant, below_id) then
      below_instant := after_instant;
      below_id := starting_after;
    end if;
  end if;

  if num_nonnulls(sender_id, receiver_id, category_id) > 0 then
    lead_by := app.rarest_kudos_filter(
      api_key.company_id, since, least(until, below_instant), sender_id, receiver_id, category_id
    );
  end if;

  if include is null then
    if lead_by is null then
      select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
        select item.id, item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category
          from api.activity as v
          where v.company_id = api_key.company_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    elsif lead_by = 'sender' then
      select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
        select item.id, item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category
          from api.activity as v
          where v.company_id = api_key.company_id and v.sender_id = list_activity.sender_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
            and (list_activity.receiver_id is null or v.receiver_id = list_activity.receiver_id)
            and (list_activity.category_id is null or v.category_id = list_activity.category_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    elsif lead_by = 'receiver' then
      select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
        select item.id, item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category
          from api.activity as v
          where v.company_id = api_key.company_id and v.receiver_id = list_activity.receiver_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
            and (list_activity.sender_id is null or v.sender_id = list_activity.sender_id)
            and (list_activity.category_id is null or v.category_id = list_activity.category_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    else
      select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
        select item.id, item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category
          from api.activity as v
          where v.company_id = api_key.company_id and v.category_id = list_activity.category_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
            and (list_activity.sender_id is null or v.sender_id = list_activity.sender_id)
            and (list_activity.receiver_id is null or v.receiver_id = list_activity.receiver_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    end if;
  elsif not include && array['sender_team_id', 'sender_team_name', 'receiver_team_id', 'receiver_team_name'] then
    if lead_by is null then
      select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
        select item.id, item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
            case when 'sender_id' = any (include) then v.sender_id end as sender_id,
            case when 'receiver_id' = any (include) then v.receiver_id end as receiver_id,
            case when 'category_id' = any (include) then v.category_id end as category_id
          from api.activity as v
          where v.company_id = api_key.company_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    elsif lead_by = 'sender' then
      select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
        select item.id, item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
            case when 'sender_id' = any (include) then v.sender_id end as sender_id,
            case when 'receiver_id' = any (include) then v.receiver_id end as receiver_id,
            case when 'category_id' = any (include) then v.category_id end as category_id
          from api.activity as v
          where v.company_id = api_key.company_id and v.sender_id = list_activity.sender_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
            and (list_activity.receiver_id is null or v.receiver_id = list_activity.receiver_id)
            and (list_activity.category_id is null or v.category_id = list_activity.category_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    elsif lead_by = 'receiver' then
      select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
        select item.id, item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
            case when 'sender_id' = any (include) then v.sender_id end as sender_id,
            case when 'receiver_id' = any (include) then v.receiver_id end as receiver_id,
            case when 'category_id' = any (include) then v.category_id end as category_id
          from api.activity as v
          where v.company_id = api_key.company_id and v.receiver_id = list_activity.receiver_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
            and (list_activity.sender_id is null or v.sender_id = list_activity.sender_id)
            and (list_activity.category_id is null or v.category_id = list_activity.category_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    else
      select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
        select item.id, item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
            case when 'sender_id' = any (include) then v.sender_id end as sender_id,
            case when 'receiver_id' = any (include) then v.receiver_id end as receiver_id,
            case when 'category_id' = any (include) then v.category_id end as category_id
          from api.activity as v
          where v.company_id = api_key.company_id and v.category_id = list_activity.category_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
            and (list_activity.sender_id is null or v.sender_id = list_activity.sender_id)
            and (list_activity.receiver_id is null or v.receiver_id = list_activity.receiver_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    end if;
    -- Columns that include does not name are null in every row, and are taken out of the text of the page. This text is
    -- never within a value, because quotes are escaped there.
    if cardinality(include) < 3 then
      if not 'sender_id' = any (include) then page := replace(page::text, ',"sender_id":null', ''); end if;
      if not 'receiver_id' = any (include) then page := replace(page::text, ',"receiver_id":null', ''); end if;
      if not 'category_id' = any (include) then page := replace(page::text, ',"category_id":null', ''); end if;
    end if;
  else
    if lead_by is null then
      select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
        select item.id, item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
            case when 'sender_id' = any (include) then v.sender_id end as sender_id,
            case when 'receiver_id' = any (include) then v.receiver_id end as receiver_id,
            case when 'category_id' = any (include) then v.category_id end as category_id,
            case when 'sender_team_id' = any (include) then v.sender_team_id end as sender_team_id,
            case when 'sender_team_name' = any (include) then v.sender_team_name end as sender_team_name,
            case when 'receiver_team_id' = any (include) then v.receiver_team_id end as receiver_team_id,
            case when 'receiver_team_name' = any (include) then v.receiver_team_name end as receiver_team_name
          from api.activity as v
          where v.company_id = api_key.company_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    elsif lead_by = 'sender' then
      select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
        select item.id, item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
            case when 'sender_id' = any (include) then v.sender_id end as sender_id,
            case when 'receiver_id' = any (include) then v.receiver_id end as receiver_id,
            case when 'category_id' = any (include) then v.category_id end as category_id,
            case when 'sender_team_id' = any (include) then v.sender_team_id end as sender_team_id,
            case when 'sender_team_name' = any (include) then v.sender_team_name end as sender_team_name,
            case when 'receiver_team_id' = any (include) then v.receiver_team_id end as receiver_team_id,
            case when 'receiver_team_name' = any (include) then v.receiver_team_name end as receiver_team_name
          from api.activity as v
          where v.company_id = api_key.company_id and v.sender_id = list_activity.sender_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
            and (list_activity.receiver_id is null or v.receiver_id = list_activity.receiver_id)
            and (list_activity.category_id is null or v.category_id = list_activity.category_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    elsif lead_by = 'receiver' then
      select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
        select item.id, item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
            case when 'sender_id' = any (include) then v.sender_id end as sender_id,
            case when 'receiver_id' = any (include) then v.receiver_id end as receiver_id,
            case when 'category_id' = any (include) then v.category_id end as category_id,
            case when 'sender_team_id' = any (include) then v.sender_team_id end as sender_team_id,
            case when 'sender_team_name' = any (include) then v.sender_team_name end as sender_team_name,
            case when 'receiver_team_id' = any (include) then v.receiver_team_id end as receiver_team_id,
            case when 'receiver_team_name' = any (include) then v.receiver_team_name end as receiver_team_name
          from api.activity as v
          where v.company_id = api_key.company_id and v.receiver_id = list_activity.receiver_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
            and (list_activity.sender_id is null or v.sender_id = list_activity.sender_id)
            and (list_activity.category_id is null or v.category_id = list_activity.category_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    else
      select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
        select item.id, item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
            case when 'sender_id' = any (include) then v.sender_id end as sender_id,
            case when 'receiver_id' = any (include) then v.receiver_id end as receiver_id,
            case when 'category_id' = any (include) then v.category_id end as category_id,
            case when 'sender_team_id' = any (include) then v.sender_team_id end as sender_team_id,
            case when 'sender_team_name' = any (include) then v.sender_team_name end as sender_team_name,
            case when 'receiver_team_id' = any (include) then v.receiver_team_id end as receiver_team_id,
            case when 'receiver_team_name' = any (include) then v.receiver_team_name end as receiver_team_name
          from api.activity as v
          where v.company_id = api_key.company_id and v.category_id = list_activity.category_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
            and (list_activity.sender_id is null or v.sender_id = list_activity.sender_id)
            and (list_activity.receiver_id is null or v.receiver_id = list_activity.receiver_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    end if;
    -- Columns that include does not name are null in every row, and are taken out of the text of the page. This text is
    -- never within a value, because quotes are escaped there.
    if cardinality(include) < 7 then
      if not 'sender_id' = any (include) then page := replace(page::text, ',"sender_id":null', ''); end if;
      if not 'receiver_id' = any (include) then page := replace(page::text, ',"receiver_id":null', ''); end if;
      if not 'category_id' = any (include) then page := replace(page::text, ',"category_id":null', ''); end if;
      if not 'sender_team_id' = any (include) then page := replace(page::text, ',"sender_team_id":null', ''); end if;
      if not 'sender_team_name' = any (include) then page := replace(page::text, ',"sender_team_name":null', ''); end if;
      if not 'receiver_team_id' = any (include) then page := replace(page::text, ',"receiver_team_id":null', ''); end if;
      if not 'receiver_team_name' = any (include) then page := replace(page::text, ',"receiver_team_name":null', ''); end if;
    end if;
  end if;

  found_rows := coalesce(cardinality(ids), 0);
  headers := set_config(
    'response.headers',
    format(
      app.list_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text,
      ids[max_rows]
    ),
    true
  );
  return coalesce(page, '[]');
end
$function$;

CREATE OR REPLACE FUNCTION public.list_api_key_events(key_id uuid DEFAULT NULL::uuid, skip integer DEFAULT 0, max_rows integer DEFAULT NULL::integer)
 RETURNS json
 LANGUAGE sql
 STABLE
 SET search_path TO ''
BEGIN ATOMIC
 SELECT COALESCE(json_agg(row_to_json(listed.*)), '[]'::json) AS "coalesce"
    FROM ( SELECT app.iso_8601(e.created_at) AS created_at,
             e.action,
             e.member_name AS member,
             e.key_id,
             e.key_name,
             e.hint,
             e.scopes,
             app.iso_8601(e.expires_at) AS expires_at,
             e.former_name,
             e.replaced_by,
             e.reason
            FROM app.api_key_events e
           WHERE ((list_api_key_events.key_id IS NULL) OR ((list_api_key_events.key_id = e.key_id) OR (list_api_key_events.key_id = e.replaced_by)))
           ORDER BY e.created_at DESC, e.id DESC
          OFFSET list_api_key_events.skip
          LIMIT list_api_key_events.max_rows) listed;
END;

REVOKE ALL ON FUNCTION public.list_api_key_events FROM PUBLIC, anon, authenticated, service_role;

CREATE OR REPLACE FUNCTION public.list_api_keys()
 RETURNS json
 LANGUAGE sql
 STABLE
 SET search_path TO ''
BEGIN ATOMIC
 SELECT COALESCE(json_agg(row_to_json(listed.*)), '[]'::json) AS "coalesce"
    FROM ( SELECT k.id,
             k.name,
             k.hint,
             k.scopes,
                 CASE
                     WHEN (k.revoked_at IS NOT NULL) THEN 'revoked'::text
                     WHEN (k.expires_at <= now()) THEN 'expired'::text
                     ELSE 'active'::text
                 END AS status,
             app.iso_8601(k.created_at) AS created_at,
             creator.name AS created_by,
             app.iso_8601(k.expires_at) AS expires_at,
             app.iso_8601(u.last_used_at) AS last_used_at,
             app.iso_8601(k.revoked_at) AS revoked_at,
             revoker.name AS revoked_by,
             k.replaced_by,
             u.last_endpoint,
             u.last_client,
             ARRAY( SELECT day.day
                    FROM unnest(u.used_on) day(day)
                   WHERE (day.day > (((now() AT TIME ZONE 'UTC'::text))::date - 30))) AS used_on,
             app.iso_8601(u.refused_at) AS refused_at,
             u.refused_endpoint,
             u.refused_client
            FROM (((app.api_keys k
              JOIN app.members creator ON (((creator.company_id = k.company_id) AND (creator.id = k.created_by))))
              LEFT JOIN app.members revoker ON (((revoker.company_id = k.company_id) AND (revoker.id = k.revoked_by))))
              LEFT JOIN app.api_key_uses u ON (((u.company_id = k.company_id) AND (u.key_id = k.id))))
           ORDER BY k.created_at DESC, k.id DESC) listed;
END;

CREATE OR REPLACE FUNCTION public.list_categories(key_hash text, max_rows integer, starting_after uuid DEFAULT NULL::uuid)
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
  ids uuid[];
  found_rows integer;
  page json;
  headers text;
  -- The page begins below this pair of instant and id (docs/api.md, Lists).
  below_instant timestamptz := timestamptz 'infinity';
  below_id uuid := uuid '00000000-0000-0000-0000-000000000000';
begin
  if not (
    row_security_active('app.categories'::regclass)
  ) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:activity');

  if starting_after is not null then
    select t.created_at, t.id into below_instant, below_id from app.categories as t
    where t.company_id = api_key.company_id and t.id = starting_after;
    if not found then
      perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
    end if;
  end if;

  select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
    select item.id, item, row_number() over () as place from (
      select
        v.id, v.name, v.created_at
      from api.categories as v
      where v.company_id = api_key.company_id
        and (v.instant, v.id) < (below_instant, below_id)
      order by v.instant desc, v.id desc
      limit max_rows + 1
    ) as item
  ) as numbered;

  found_rows := coalesce(cardinality(ids), 0);
  headers := set_config(
    'response.headers',
    format(
      app.list_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text,
      ids[max_rows]
    ),
    true
  );
  return coalesce(page, '[]');
end
$function$;

CREATE OR REPLACE FUNCTION public.list_changes(key_hash text, list text, max_rows integer, after text, include text[] DEFAULT NULL::text[])
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
  served_page record;
  headers text;
begin
  if exists (
    select from unnest('{app.teams,app.members,app.categories,app.kudos,app.rewards,app.day_ratings,app.pulse_questions,
      app.pulse_responses,app.deletions,app.forgotten_deletions}'::regclass[]) as read (relation)
    where not row_security_active(read.relation)
  ) then
    perform app.refuse_without_row_security();
  end if;
  served := app.changing_list(list);
  api_key := app.authenticate(key_hash, served.scope);

  origin := app.cursor_origin(api_key.company_id, list);
  horizon := pg_snapshot_xmin(pg_current_snapshot())::text;
  if after = 'start' then
    began := horizon;
  else
    if left(after, 8) <> origin then
      perform app.refuse_cursor(api_key.key_id, api_key.company_id);
    end if;
    after_transaction := ('x' || substr(after, 9, 16))::bit(64)::bigint;
    after_id := substr(after, 25, 32);
    -- A standby that is late still has rows that were deleted before the copy began at the primary: it reads them now, so
    -- its deletions begin no later than this page ends.
    began := case when length(after) = 56 then 0 else least(horizon, ('x' || substr(after, 57))::bit(64)::bigint) end;
    -- The cursor is newer than the data of this server: its data has gone back in time without a new timeline. A standby
    -- may just be behind.
    if least(after_transaction, began) < 0
      or after_transaction >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint and not pg_is_in_recovery() then
      perform app.refuse_cursor(api_key.key_id, api_key.company_id);
    end if;
  end if;

  served_page := app.page_of_changes(
    list, api_key.company_id, include, max_rows, after_transaction::text::xid8, after_id,
    greatest(after_transaction, began - 1)::text::xid8,
    case when began > after_transaction then 'ffffffff-ffff-ffff-ffff-ffffffffffff' else after_id end,
    horizon::text::xid8, origin, began::text::xid8, encode(int8send(began), 'hex')
  );
  if served_page.are_foreign then
    raise exception 'changes in % have the numbers of another server', served.relation
      using errcode = 'PT501',
      hint = 'Number them anew with sql/repair.sql: docs/operations.md, Restore.';
  end if;

  -- Afterwards, because deletions may have been forgotten since this function began.
  if after <> 'start' and exists (
    select from app.forgotten_deletions as f
    where f.company_id = api_key.company_id and f.relation = served.relation
      and (f.deleted_in, f.id) > (after_transaction::text::xid8, after_id) and f.deleted_in >= began::text::xid8
  ) then
    perform app.refuse_cursor(api_key.key_id, api_key.company_id);
  end if;

  headers := set_config(
    'response.headers',
    format(app.list_headers(), api_key.key_id, api_key.company_id, least(served_page.found_rows, max_rows),
      (served_page.found_rows > max_rows)::text, served_page.next),
    true
  );
  return coalesce(served_page.page, '[]');
end
$function$;

REVOKE ALL ON FUNCTION public.list_changes FROM PUBLIC, anon, authenticated, service_role;

ALTER FUNCTION "public"."list_changes"(text, text, integer, text, text[]) OWNER TO "public_api";

CREATE OR REPLACE FUNCTION public.list_day_ratings(key_hash text, max_rows integer, since timestamp with time zone DEFAULT '-infinity'::timestamp with time zone, until timestamp with time zone DEFAULT 'infinity'::timestamp with time zone, team_id uuid DEFAULT NULL::uuid, starting_after uuid DEFAULT NULL::uuid, include text[] DEFAULT NULL::text[])
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
  ids uuid[];
  found_rows integer;
  page json;
  headers text;
  -- The page begins below this pair of instant and id (docs/api.md, Lists).
  below_instant timestamptz := until + interval '1 microsecond';
  below_id uuid := uuid '00000000-0000-0000-0000-000000000000';
  after_instant timestamptz;
begin
  if not (
    row_security_active('app.day_ratings'::regclass)
    and row_security_active('app.teams'::regclass)
  ) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:analytics');

  if starting_after is not null then
    select t.created_at into after_instant from app.day_ratings as t
    where t.company_id = api_key.company_id and t.id = starting_after;
    if not found then
      perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
    end if;
    if (after_instant, starting_after) < (below_instant, below_id) then
      below_instant := after_instant;
      below_id := starting_after;
    end if;
  end if;

  if include is null then
    if team_id is null then
      select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
        select item.id, item, row_number() over () as place from (
          select
            v.id, v.rating, v.comment, v.team_id, v.points_awarded, v.created_at
          from api.day_ratings as v
          where v.company_id = api_key.company_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    else
      select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
        select item.id, item, row_number() over () as place from (
          select
            v.id, v.rating, v.comment, v.team_id, v.points_awarded, v.created_at
          from api.day_ratings as v
          where v.company_id = api_key.company_id and v.team_id = list_day_ratings.team_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    end if;
  else
    if team_id is null then
      select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
        select item.id, item, row_number() over () as place from (
          select
            v.id, v.rating, v.comment, v.team_id, v.points_awarded, v.created_at, team.name as team_name
          from api.day_ratings as v
          left join lateral (
            select t.name from app.teams as t where t.company_id = v.company_id and t.id = v.team_id offset 0
          ) as team on true
          where v.company_id = api_key.company_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    else
      select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
        select item.id, item, row_number() over () as place from (
          select
            v.id, v.rating, v.comment, v.team_id, v.points_awarded, v.created_at, team.name as team_name
          from api.day_ratings as v
          left join lateral (
            select t.name from app.teams as t where t.company_id = v.company_id and t.id = v.team_id offset 0
          ) as team on true
          where v.company_id = api_key.company_id and v.team_id = list_day_ratings.team_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    end if;
  end if;

  found_rows := coalesce(cardinality(ids), 0);
  headers := set_config(
    'response.headers',
    format(
      app.list_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text,
      ids[max_rows]
    ),
    true
  );
  return coalesce(page, '[]');
end
$function$;

CREATE OR REPLACE FUNCTION public.list_members(key_hash text, max_rows integer, team_id uuid DEFAULT NULL::uuid, role text DEFAULT NULL::text, starting_after uuid DEFAULT NULL::uuid, email text DEFAULT NULL::text)
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
  ids uuid[];
  found_rows integer;
  page json;
  headers text;
  -- The page begins below this pair of instant and id (docs/api.md, Lists).
  below_instant timestamptz := timestamptz 'infinity';
  below_id uuid := uuid '00000000-0000-0000-0000-000000000000';
  lead_by text;
begin
  if not (
    row_security_active('app.members'::regclass)
    and row_security_active('app.teams'::regclass)
  ) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:members');

  if starting_after is not null then
    select t.created_at, t.id into below_instant, below_id from app.members as t
    where t.company_id = api_key.company_id and t.id = starting_after and not t.is_former;
    if not found then
      perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
    end if;
  end if;

  if email is null and num_nonnulls(team_id, role) > 0 then
    lead_by := app.rarest_members_filter(api_key.company_id, team_id, role);
  end if;

  if email is not null then
    select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
      select item.id, item, row_number() over () as place from (
        select
          v.id, v.name, v.email, v.role, v.team_id, v.team_name, v.created_at
        from (
          select o.* from api.members as o
          where o.company_id = api_key.company_id
            and o.id = (select app.member_with_email(api_key.company_id, list_members.email))
          offset 0
        ) as v
        where (v.instant, v.id) < (below_instant, below_id)
          and (list_members.team_id is null or v.team_id = list_members.team_id)
          and (list_members.role is null or v.role = list_members.role)
      ) as item
    ) as numbered;
  elsif lead_by is null then
    select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
      select item.id, item, row_number() over () as place from (
        select
          v.id, v.name, v.email, v.role, v.team_id, v.team_name, v.created_at
        from api.members as v
        where v.company_id = api_key.company_id
          and (v.instant, v.id) < (below_instant, below_id)
        order by v.instant desc, v.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  elsif lead_by = 'team' then
    select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
      select item.id, item, row_number() over () as place from (
        select
          v.id, v.name, v.email, v.role, v.team_id, v.team_name, v.created_at
        from api.members as v
        where v.company_id = api_key.company_id and v.team_id = list_members.team_id
          and (v.instant, v.id) < (below_instant, below_id)
          and (list_members.role is null or v.role = list_members.role)
        order by v.instant desc, v.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  else
    select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
      select item.id, item, row_number() over () as place from (
        select
          v.id, v.name, v.email, v.role, v.team_id, v.team_name, v.created_at
        from api.members as v
        where v.company_id = api_key.company_id and v.role = list_members.role
          and (v.instant, v.id) < (below_instant, below_id)
          and (list_members.team_id is null or v.team_id = list_members.team_id)
        order by v.instant desc, v.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  end if;

  found_rows := coalesce(cardinality(ids), 0);
  headers := set_config(
    'response.headers',
    format(
      app.list_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text,
      ids[max_rows]
    ),
    true
  );
  return coalesce(page, '[]');
end
$function$;

REVOKE ALL ON FUNCTION public.list_members FROM PUBLIC, anon, authenticated, service_role;

ALTER FUNCTION "public"."list_members"(text, integer, uuid, text, uuid, text) OWNER TO "public_api";

CREATE OR REPLACE FUNCTION public.list_pulse_responses(key_hash text, max_rows integer, since timestamp with time zone DEFAULT '-infinity'::timestamp with time zone, until timestamp with time zone DEFAULT 'infinity'::timestamp with time zone, starting_after uuid DEFAULT NULL::uuid, include text[] DEFAULT NULL::text[])
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
  ids uuid[];
  found_rows integer;
  page json;
  headers text;
  -- The page begins below this pair of instant and id (docs/api.md, Lists).
  below_instant timestamptz := until + interval '1 microsecond';
  below_id uuid := uuid '00000000-0000-0000-0000-000000000000';
  after_instant timestamptz;
begin
  if not (
    row_security_active('app.pulse_responses'::regclass)
    and row_security_active('app.pulse_questions'::regclass)
  ) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:analytics');

  if starting_after is not null then
    select t.created_at into after_instant from app.pulse_responses as t
    where t.company_id = api_key.company_id and t.id = starting_after;
    if not found then
      perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
    end if;
    if (after_instant, starting_after) < (below_instant, below_id) then
      below_instant := after_instant;
      below_id := starting_after;
    end if;
  end if;

  if include is null then
    select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
      select item.id, item, row_number() over () as place from (
        select
          v.id, v."timestamp", v.question, v.response_type, v.value, v.comment
        from api.pulse_responses as v
        where v.company_id = api_key.company_id
          and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
        order by v.instant desc, v.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  else
    select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
      select item.id, item, row_number() over () as place from (
        select
          v.id, v."timestamp", v.question, v.response_type, v.value, v.comment, v.question_id
        from api.pulse_responses as v
        where v.company_id = api_key.company_id
          and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
        order by v.instant desc, v.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  end if;

  found_rows := coalesce(cardinality(ids), 0);
  headers := set_config(
    'response.headers',
    format(
      app.list_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text,
      ids[max_rows]
    ),
    true
  );
  return coalesce(page, '[]');
end
$function$;

CREATE OR REPLACE FUNCTION public.list_rewards(key_hash text, max_rows integer, include_archived boolean DEFAULT false, starting_after uuid DEFAULT NULL::uuid, include text[] DEFAULT NULL::text[], external_id text DEFAULT NULL::text)
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
  ids uuid[];
  found_rows integer;
  page json;
  headers text;
  -- The page begins below this pair of instant and id (docs/api.md, Lists).
  below_instant timestamptz := timestamptz 'infinity';
  below_id uuid := uuid '00000000-0000-0000-0000-000000000000';
begin
  if not (
    row_security_active('app.rewards'::regclass)
  ) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:rewards');

  if starting_after is not null then
    select t.created_at, t.id into below_instant, below_id from app.rewards as t
    where t.company_id = api_key.company_id and t.id = starting_after;
    if not found then
      perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
    end if;
  end if;

  if include is null then
    if external_id is not null then
      select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
        select item.id, item, row_number() over () as place from (
          select
            v.id, v.name, v.description, v.points_cost, v.reward_type, v.stock_count, v.image_url, v.vendor_name,
            v.is_archived, v.created_at
          from (
            select o.* from api.rewards as o
            where o.company_id = api_key.company_id
              and o.external_id between list_rewards.external_id and list_rewards.external_id
            order by o.external_id limit 1
          ) as v
          where (v.instant, v.id) < (below_instant, below_id)
            and (include_archived or not v.is_archived)
        ) as item
      ) as numbered;
    elsif include_archived is not true then
      select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
        select item.id, item, row_number() over () as place from (
          select
            v.id, v.name, v.description, v.points_cost, v.reward_type, v.stock_count, v.image_url, v.vendor_name,
            v.is_archived, v.created_at
          from api.rewards as v
          where v.company_id = api_key.company_id and not v.is_archived
            and (v.instant, v.id) < (below_instant, below_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    else
      select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
        select item.id, item, row_number() over () as place from (
          select
            v.id, v.name, v.description, v.points_cost, v.reward_type, v.stock_count, v.image_url, v.vendor_name,
            v.is_archived, v.created_at
          from api.rewards as v
          where v.company_id = api_key.company_id
            and (v.instant, v.id) < (below_instant, below_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    end if;
  else
    if external_id is not null then
      select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
        select item.id, item, row_number() over () as place from (
          select
            v.id, v.name, v.description, v.points_cost, v.reward_type, v.stock_count, v.image_url, v.vendor_name,
            v.is_archived, v.created_at, v.external_id
          from (
            select o.* from api.rewards as o
            where o.company_id = api_key.company_id
              and o.external_id between list_rewards.external_id and list_rewards.external_id
            order by o.external_id limit 1
          ) as v
          where (v.instant, v.id) < (below_instant, below_id)
            and (include_archived or not v.is_archived)
        ) as item
      ) as numbered;
    elsif include_archived is not true then
      select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
        select item.id, item, row_number() over () as place from (
          select
            v.id, v.name, v.description, v.points_cost, v.reward_type, v.stock_count, v.image_url, v.vendor_name,
            v.is_archived, v.created_at, v.external_id
          from api.rewards as v
          where v.company_id = api_key.company_id and not v.is_archived
            and (v.instant, v.id) < (below_instant, below_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    else
      select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
        select item.id, item, row_number() over () as place from (
          select
            v.id, v.name, v.description, v.points_cost, v.reward_type, v.stock_count, v.image_url, v.vendor_name,
            v.is_archived, v.created_at, v.external_id
          from api.rewards as v
          where v.company_id = api_key.company_id
            and (v.instant, v.id) < (below_instant, below_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    end if;
  end if;

  found_rows := coalesce(cardinality(ids), 0);
  headers := set_config(
    'response.headers',
    format(
      app.list_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text,
      ids[max_rows]
    ),
    true
  );
  return coalesce(page, '[]');
end
$function$;

REVOKE ALL ON FUNCTION public.list_rewards FROM PUBLIC, anon, authenticated, service_role;

ALTER FUNCTION "public"."list_rewards"(text, integer, boolean, uuid, text[], text) OWNER TO "public_api";

CREATE OR REPLACE FUNCTION public.list_teams(key_hash text, max_rows integer, starting_after uuid DEFAULT NULL::uuid)
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
  ids uuid[];
  found_rows integer;
  page json;
  headers text;
  -- The page begins below this pair of instant and id (docs/api.md, Lists).
  below_instant timestamptz := timestamptz 'infinity';
  below_id uuid := uuid '00000000-0000-0000-0000-000000000000';
begin
  if not (
    row_security_active('app.teams'::regclass)
  ) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:members');

  if starting_after is not null then
    select t.created_at, t.id into below_instant, below_id from app.teams as t
    where t.company_id = api_key.company_id and t.id = starting_after;
    if not found then
      perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
    end if;
  end if;

  select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
    select item.id, item, row_number() over () as place from (
      select
        v.id, v.name, v.created_at
      from api.teams as v
      where v.company_id = api_key.company_id
        and (v.instant, v.id) < (below_instant, below_id)
      order by v.instant desc, v.id desc
      limit max_rows + 1
    ) as item
  ) as numbered;

  found_rows := coalesce(cardinality(ids), 0);
  headers := set_config(
    'response.headers',
    format(
      app.list_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text,
      ids[max_rows]
    ),
    true
  );
  return coalesce(page, '[]');
end
$function$;

CREATE OR REPLACE FUNCTION public.note_refused_use(key_hash text)
 RETURNS json
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
 SET jit TO 'off'
 SET lock_timeout TO '5s'
 SET statement_timeout TO '7s'
AS $function$select to_json(app.note_refused_use(key_hash))$function$;

REVOKE ALL ON FUNCTION public.note_refused_use FROM PUBLIC, anon, authenticated, service_role;

ALTER FUNCTION "public"."note_refused_use"(text) OWNER TO "public_api";

CREATE OR REPLACE FUNCTION public.read_activity(key_hash text, max_rows integer, since timestamp with time zone DEFAULT '-infinity'::timestamp with time zone, until timestamp with time zone DEFAULT 'infinity'::timestamp with time zone, category_id uuid DEFAULT NULL::uuid, sender_id uuid DEFAULT NULL::uuid, receiver_id uuid DEFAULT NULL::uuid, starting_after uuid DEFAULT NULL::uuid, include text[] DEFAULT NULL::text[])
 RETURNS json
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET jit TO 'off'
 SET statement_timeout TO '2s'
AS $function$select app.from_replica(public.list_activity(key_hash, max_rows, since, until, category_id, sender_id, receiver_id, starting_after, include))$function$;

REVOKE ALL ON FUNCTION public.read_activity FROM PUBLIC, anon, authenticated, service_role;

ALTER FUNCTION "public"."read_activity"(text, integer, timestamp with time zone, timestamp with time zone, uuid, uuid, uuid, uuid, text[]) OWNER TO "public_api";

CREATE OR REPLACE FUNCTION public.read_categories(key_hash text, max_rows integer, starting_after uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET jit TO 'off'
 SET statement_timeout TO '2s'
AS $function$select app.from_replica(public.list_categories(key_hash, max_rows, starting_after))$function$;

REVOKE ALL ON FUNCTION public.read_categories FROM PUBLIC, anon, authenticated, service_role;

ALTER FUNCTION "public"."read_categories"(text, integer, uuid) OWNER TO "public_api";

CREATE OR REPLACE FUNCTION public.read_changes(key_hash text, list text, max_rows integer, after text, include text[] DEFAULT NULL::text[])
 RETURNS json
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET jit TO 'off'
 SET statement_timeout TO '2s'
AS $function$select app.from_replica(public.list_changes(key_hash, list, max_rows, after, include))$function$;

REVOKE ALL ON FUNCTION public.read_changes FROM PUBLIC, anon, authenticated, service_role;

ALTER FUNCTION "public"."read_changes"(text, text, integer, text, text[]) OWNER TO "public_api";

CREATE OR REPLACE FUNCTION public.read_day_ratings(key_hash text, max_rows integer, since timestamp with time zone DEFAULT '-infinity'::timestamp with time zone, until timestamp with time zone DEFAULT 'infinity'::timestamp with time zone, team_id uuid DEFAULT NULL::uuid, starting_after uuid DEFAULT NULL::uuid, include text[] DEFAULT NULL::text[])
 RETURNS json
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET jit TO 'off'
 SET statement_timeout TO '2s'
AS $function$select app.from_replica(public.list_day_ratings(key_hash, max_rows, since, until, team_id, starting_after, include))$function$;

REVOKE ALL ON FUNCTION public.read_day_ratings FROM PUBLIC, anon, authenticated, service_role;

ALTER FUNCTION "public"."read_day_ratings"(text, integer, timestamp with time zone, timestamp with time zone, uuid, uuid, text[]) OWNER TO "public_api";

CREATE OR REPLACE FUNCTION public.read_members(key_hash text, max_rows integer, team_id uuid DEFAULT NULL::uuid, role text DEFAULT NULL::text, starting_after uuid DEFAULT NULL::uuid, email text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET jit TO 'off'
 SET statement_timeout TO '2s'
AS $function$select app.from_replica(public.list_members(key_hash, max_rows, team_id, role, starting_after, email))$function$;

REVOKE ALL ON FUNCTION public.read_members FROM PUBLIC, anon, authenticated, service_role;

ALTER FUNCTION "public"."read_members"(text, integer, uuid, text, uuid, text) OWNER TO "public_api";

CREATE OR REPLACE FUNCTION public.read_pulse_responses(key_hash text, max_rows integer, since timestamp with time zone DEFAULT '-infinity'::timestamp with time zone, until timestamp with time zone DEFAULT 'infinity'::timestamp with time zone, starting_after uuid DEFAULT NULL::uuid, include text[] DEFAULT NULL::text[])
 RETURNS json
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET jit TO 'off'
 SET statement_timeout TO '2s'
AS $function$select app.from_replica(public.list_pulse_responses(key_hash, max_rows, since, until, starting_after, include))$function$;

REVOKE ALL ON FUNCTION public.read_pulse_responses FROM PUBLIC, anon, authenticated, service_role;

ALTER FUNCTION "public"."read_pulse_responses"(text, integer, timestamp with time zone, timestamp with time zone, uuid, text[]) OWNER TO "public_api";

CREATE OR REPLACE FUNCTION public.read_rewards(key_hash text, max_rows integer, include_archived boolean DEFAULT false, starting_after uuid DEFAULT NULL::uuid, include text[] DEFAULT NULL::text[], external_id text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET jit TO 'off'
 SET statement_timeout TO '2s'
AS $function$select app.from_replica(public.list_rewards(key_hash, max_rows, include_archived, starting_after, include, external_id))$function$;

REVOKE ALL ON FUNCTION public.read_rewards FROM PUBLIC, anon, authenticated, service_role;

ALTER FUNCTION "public"."read_rewards"(text, integer, boolean, uuid, text[], text) OWNER TO "public_api";

CREATE OR REPLACE FUNCTION public.read_teams(key_hash text, max_rows integer, starting_after uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET jit TO 'off'
 SET statement_timeout TO '2s'
AS $function$select app.from_replica(public.list_teams(key_hash, max_rows, starting_after))$function$;

REVOKE ALL ON FUNCTION public.read_teams FROM PUBLIC, anon, authenticated, service_role;

ALTER FUNCTION "public"."read_teams"(text, integer, uuid) OWNER TO "public_api";

CREATE OR REPLACE FUNCTION public.rename_api_key(key_id uuid, name text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
 SET lock_timeout TO '5s'
AS $function$
declare
  renamed record;
begin
  perform app.check_api_key_name(name);
  update app.api_keys as k set name = rename_api_key.name where k.id = key_id;

  select k.id, k.name, k.revoked_at into renamed from app.api_keys as k where k.id = key_id;
  if not found then
    raise exception using errcode = 'PT404', message = 'no API key of your company has this id';
  end if;
  if renamed.revoked_at is not null then
    raise exception using errcode = 'PT409', message = 'a revoked key cannot be renamed';
  end if;
  return json_build_object('id', renamed.id, 'name', renamed.name);
end
$function$;

CREATE OR REPLACE FUNCTION public.replace_api_key(key_id uuid, overlap interval DEFAULT '24:00:00'::interval, expires_at timestamp with time zone DEFAULT NULL::timestamp with time zone)
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
  set replaced_by = (successor ->> 'id')::uuid,
    expires_at = now() + make_interval(secs => extract(epoch from overlap)::double precision)
  where k.id = key_id;
  return successor;
end
$function$;

CREATE OR REPLACE FUNCTION public.revoke_api_key(key_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
 SET lock_timeout TO '5s'
AS $function$
declare
  revoked record;
begin
  update app.api_keys as k set revoked_at = now() where k.id = key_id;

  select k.id, k.revoked_at, m.name as revoked_by into revoked
  from app.api_keys as k
  left join app.members as m on m.company_id = k.company_id and m.id = k.revoked_by
  where k.id = key_id;
  if not found then
    raise exception using errcode = 'PT404', message = 'no API key of your company has this id';
  end if;

  return json_build_object('id', revoked.id, 'revoked_at', app.iso_8601(revoked.revoked_at), 'revoked_by', revoked.revoked_by);
end
$function$;

CREATE OR REPLACE FUNCTION public.upsert_rewards(key_hash text, rewards text, dry_run boolean DEFAULT false)
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
  -- The rows by external_id. An update keeps the fields that were not sent.
  by_id jsonb;
  created integer;
  updated integer;
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

  select jsonb_object_agg(reward.fields ->> 'external_id', reward.fields)
  into by_id
  from jsonb_array_elements(sent) as reward (fields);

  begin
    with written as (
      insert into app.rewards as kept
        (company_id, external_id, name, description, points_cost, reward_type, is_archived, stock_count, image_url, vendor_name)
      select
        api_key.company_id,
        sent_reward.external_id,
        sent_reward.name,
        sent_reward.description,
        sent_reward.points_cost,
        coalesce(sent_reward.reward_type, 'perk'),
        coalesce(sent_reward.is_archived, false),
        sent_reward.stock_count,
        sent_reward.image_url,
        sent_reward.vendor_name
      from jsonb_to_recordset(sent) as sent_reward (
        external_id text, name text, description text, points_cost bigint, reward_type text,
        is_archived boolean, stock_count integer, image_url text, vendor_name text
      )
      order by sent_reward.external_id collate "C"
      on conflict (company_id, external_id) do update set
        name = excluded.name,
        points_cost = excluded.points_cost,
        description = case when by_id -> excluded.external_id ? 'description' then excluded.description else kept.description end,
        reward_type = case when by_id -> excluded.external_id ? 'reward_type' then excluded.reward_type else kept.reward_type end,
        is_archived = case when by_id -> excluded.external_id ? 'is_archived' then excluded.is_archived else kept.is_archived end,
        stock_count = case when by_id -> excluded.external_id ? 'stock_count' then excluded.stock_count else kept.stock_count end,
        image_url = case when by_id -> excluded.external_id ? 'image_url' then excluded.image_url else kept.image_url end,
        vendor_name = case when by_id -> excluded.external_id ? 'vendor_name' then excluded.vendor_name else kept.vendor_name end
      where (kept.name, kept.points_cost) is distinct from (excluded.name, excluded.points_cost)
        or (kept.description is distinct from excluded.description and by_id -> excluded.external_id ? 'description')
        or (kept.reward_type is distinct from excluded.reward_type and by_id -> excluded.external_id ? 'reward_type')
        or (kept.is_archived is distinct from excluded.is_archived and by_id -> excluded.external_id ? 'is_archived')
        or (kept.stock_count is distinct from excluded.stock_count and by_id -> excluded.external_id ? 'stock_count')
        or (kept.image_url is distinct from excluded.image_url and by_id -> excluded.external_id ? 'image_url')
        or (kept.vendor_name is distinct from excluded.vendor_name and by_id -> excluded.external_id ? 'vendor_name')
      -- Only a row that was there before has been locked, by the number in xmax.
      returning kept.xmax = 0 as is_new
    )
    select count(*) filter (where is_new), count(*) filter (where not is_new) into created, updated from written;
    if dry_run then
      raise exception using errcode = 'DRYRN';
    end if;
  exception when sqlstate 'DRYRN' then
    -- Nothing is left but the counts.
  end;

  return app.respond(api_key.key_id, api_key.company_id, format(
    '{"imported":%s,"created":%s,"updated":%s,"unchanged":%s}',
    case when dry_run then 0 else jsonb_array_length(sent) end, created, updated, jsonb_array_length(sent) - created - updated
  )::json);
end
$function$;

REVOKE ALL ON FUNCTION public.upsert_rewards FROM PUBLIC, anon, authenticated, service_role;

ALTER FUNCTION "public"."upsert_rewards"(text, text, boolean) OWNER TO "public_api";

CREATE OR REPLACE FUNCTION public.verify_api_key(key_hash text, required_scope text DEFAULT NULL::text)
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
  company_name text;
begin
  if not row_security_active('app.companies'::regclass) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, required_scope);
  select c.name into company_name from app.companies as c where c.id = api_key.company_id;
  return app.respond(
    api_key.key_id,
    api_key.company_id,
    json_build_object(
      'company_name', company_name,
      'key_name', api_key.key_name,
      'scopes', api_key.scopes,
      'expires_at', app.iso_8601(api_key.expires_at),
      'company_id', api_key.company_id,
      'requests_at_once', app.requests_at_once()
    )
  );
end
$function$;

CREATE OR REPLACE PROCEDURE app.forget_all_deletions()
 LANGUAGE plpgsql
AS $procedure$
declare
  list record;
  last app.forgotten_deletions;
  reached app.forgotten_deletions;
begin
  for list in select f.company_id, f.relation from app.forgotten_deletions as f loop
    last := null;
    loop
      exit when app.is_time_up();
      perform app.forget_deletions(list.company_id, list.relation);
      select f.* into reached from app.forgotten_deletions as f
      where f.company_id = list.company_id and f.relation = list.relation;
      commit;
      exit when reached is not distinct from last;
      last := reached;
    end loop;
  end loop;
end
$procedure$;

CREATE OR REPLACE PROCEDURE app.purge_before(IN company_id uuid, IN before timestamp with time zone)
 LANGUAGE plpgsql
AS $procedure$
declare
  relation text;
  deleted bigint;
  failure text;
  failure_code text;
begin
  if before is null then
    raise exception 'before must be a time' using errcode = 'invalid_parameter_value';
  end if;
  perform app.require_open_company(company_id);
  foreach relation in array array['kudos', 'day_ratings', 'pulse_responses'] loop
    call app.purge_table(company_id, before, relation, deleted, failure, failure_code);
    if failure is not null then
      raise exception '%: %', relation, failure using errcode = failure_code;
    end if;
    raise notice '%: % rows deleted', relation, deleted;
  end loop;
end
$procedure$;

CREATE OR REPLACE PROCEDURE app.purge_expired()
 LANGUAGE plpgsql
AS $procedure$
declare
  company record;
  relation text;
  deleted bigint;
  failure text;
  failure_code text;
  total bigint := 0;
  purged integer := 0;
  failures text[] := '{}';
begin
  call app.forget_all_deletions();
  <<companies>>
  for company in
    select c.id, now() - c.retention as before from app.companies as c
    where c.retention is not null and c.serving = 'open'
    -- If the time does not suffice for all, it is not always the same ones that are left.
    order by random()
  loop
    foreach relation in array array['kudos', 'day_ratings', 'pulse_responses'] loop
      call app.purge_table(company.id, company.before, relation, deleted, failure, failure_code);
      total := total + deleted;
      if failure is not null then
        failures := failures || format('%s: %s: %s rows deleted, then: %s', company.id, relation, deleted, failure);
      elsif deleted > 0 then
        purged := purged + 1;
        raise notice '%: %: % rows deleted', company.id, relation, deleted;
      end if;
      exit companies when app.is_time_up();
    end loop;
  end loop;
  raise notice '% rows deleted', total;
  if failures <> '{}' then
    raise exception '% of % purges failed', cardinality(failures), cardinality(failures) + purged
      using detail = array_to_string(failures, E'\n');
  elsif app.is_time_up() then
    raise exception 'statement_timeout left no time for some companies: call it again';
  end if;
end
$procedure$;

CREATE OR REPLACE PROCEDURE app.purge_table(IN company_id uuid, IN before timestamp with time zone, IN relation text, INOUT deleted bigint, INOUT failure text, INOUT failure_code text)
 LANGUAGE plpgsql
AS $procedure$
declare
  since timestamptz := '-infinity';
  batch record;
begin
  deleted := 0;
  failure := null;
  loop
    if app.is_time_up() then
      failure := 'statement_timeout leaves no time for the rest: call it again';
      failure_code := 'query_canceled';
      exit;
    end if;
    begin
      select * into batch from app.purge_some(company_id, since, before, relation);
    exception
      when others then
        failure := sqlerrm;
        failure_code := sqlstate;
    end;
    commit;
    exit when failure is not null;
    deleted := deleted + batch.deleted;
    exit when batch.deleted = 0 and since = '-infinity';
    -- Deleted rows stay in the index while a transaction may still see them, so the next batch begins after them. At the
    -- end it looks once more from the beginning, for rows that were added in the meantime.
    since := coalesce(batch.reached, '-infinity');
  end loop;
end
$procedure$;

ALTER TABLE "app"."forgotten_deletions" ADD CONSTRAINT "forgotten_deletions_company_id_fkey" FOREIGN KEY (company_id) REFERENCES app.companies(id) ON DELETE CASCADE;

CREATE OR REPLACE FUNCTION app.forget_cursors(company_id uuid DEFAULT NULL::uuid, relation text DEFAULT NULL::text)
 RETURNS void
 LANGUAGE sql
 SET search_path TO ''
BEGIN ATOMIC
 INSERT INTO app.forgotten_deletions AS forgotten (company_id, relation, deleted_in, id)  SELECT c.id,
             kept.relation,
             pg_current_xact_id() AS pg_current_xact_id,
             'ffffffff-ffff-ffff-ffff-ffffffffffff'
            FROM app.companies c,
             app.kept_tables() kept(relation)
           WHERE ((c.id = COALESCE(forget_cursors.company_id, c.id)) AND ((kept.relation)::oid = (COALESCE((('app.'::text || forget_cursors.relation))::regclass, kept.relation))::oid))
           ORDER BY c.id, kept.relation ON CONFLICT ON CONSTRAINT forgotten_deletions_pkey DO UPDATE SET deleted_in = excluded.deleted_in, id = excluded.id
   WHERE (forgotten.deleted_in < excluded.deleted_in);
END;

CREATE VIEW "api"."activity" WITH (security_invoker=true) AS  SELECT k.company_id,
    k.category_id,
    k.sender_id,
    k.receiver_id,
    k.created_at AS instant,
    k.changed_in,
    k.id,
    to_char((k.created_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'::text) AS "timestamp",
    sender.name AS sender_name,
    sender.email AS sender_email,
    receiver.name AS receiver_name,
    receiver.email AS receiver_email,
    (( SELECT jsonb_object_agg(c.id, c.name) AS jsonb_object_agg
           FROM app.categories c
          WHERE (c.company_id = ( SELECT app.current_company_id() AS current_company_id))) ->> (k.category_id)::text) AS category,
    k.message,
    sender.team_id AS sender_team_id,
    ( SELECT t.name
           FROM app.teams t
          WHERE ((t.company_id = k.company_id) AND (t.id = sender.team_id))) AS sender_team_name,
    receiver.team_id AS receiver_team_id,
    ( SELECT t.name
           FROM app.teams t
          WHERE ((t.company_id = k.company_id) AND (t.id = receiver.team_id))) AS receiver_team_name
   FROM ((app.kudos k
     LEFT JOIN LATERAL ( SELECT m.name,
            m.email,
            m.team_id
           FROM app.members m
          WHERE ((m.company_id = k.company_id) AND (m.id = k.sender_id))
         OFFSET 0) sender ON (true))
     LEFT JOIN LATERAL ( SELECT m.name,
            m.email,
            m.team_id
           FROM app.members m
          WHERE ((m.company_id = k.company_id) AND (m.id = k.receiver_id))
         OFFSET 0) receiver ON (true));;

CREATE VIEW "api"."categories" WITH (security_invoker=true) AS  SELECT company_id,
    created_at AS instant,
    changed_in,
    id,
    name,
    to_char((created_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'::text) AS created_at
   FROM app.categories c;;

CREATE VIEW "api"."day_ratings" WITH (security_invoker=true) AS  SELECT company_id,
    created_at AS instant,
    changed_in,
    id,
    rating,
    comment,
    team_id,
    points_awarded,
    to_char((created_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'::text) AS created_at,
    ( SELECT t.name
           FROM app.teams t
          WHERE ((t.company_id = d.company_id) AND (t.id = d.team_id))) AS team_name
   FROM app.day_ratings d;;

CREATE VIEW "api"."members" WITH (security_invoker=true) AS  SELECT m.company_id,
    m.created_at AS instant,
    m.changed_in,
    m.id,
    m.name,
    m.email,
    m.role,
    m.team_id,
    COALESCE(team.name, 'No Team'::text) AS team_name,
    to_char((m.created_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'::text) AS created_at
   FROM (app.members m
     LEFT JOIN LATERAL ( SELECT t.name
           FROM app.teams t
          WHERE ((t.company_id = m.company_id) AND (t.id = m.team_id))
         OFFSET 0) team ON (true))
  WHERE (NOT m.is_former);;

CREATE VIEW "api"."pulse_responses" WITH (security_invoker=true) AS  SELECT p.company_id,
    p.created_at AS instant,
    p.changed_in,
    p.id,
    to_char((p.created_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'::text) AS "timestamp",
    question.question,
    question.response_type,
    p.value,
    p.comment,
    p.question_id
   FROM (app.pulse_responses p
     LEFT JOIN LATERAL ( SELECT q.question,
            q.response_type
           FROM app.pulse_questions q
          WHERE ((q.company_id = p.company_id) AND (q.id = p.question_id))
         OFFSET 0) question ON (true));;

CREATE VIEW "api"."rewards" WITH (security_invoker=true) AS  SELECT company_id,
    created_at AS instant,
    changed_in,
    id,
    name,
    description,
    points_cost,
    reward_type,
    stock_count,
    image_url,
    vendor_name,
    is_archived,
    to_char((created_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'::text) AS created_at,
    external_id
   FROM app.rewards r;;

CREATE VIEW "api"."teams" WITH (security_invoker=true) AS  SELECT company_id,
    created_at AS instant,
    changed_in,
    id,
    name,
    to_char((created_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'::text) AS created_at
   FROM app.teams t;;

CREATE TRIGGER number_insert BEFORE INSERT ON app.categories FOR EACH ROW WHEN ((new.changed_in <> pg_current_xact_id())) EXECUTE FUNCTION app.number_change();

CREATE TRIGGER number_update BEFORE UPDATE ON app.categories FOR EACH ROW WHEN ((old.* *<> new.*)) EXECUTE FUNCTION app.number_change();

CREATE TRIGGER record_deletions AFTER DELETE ON app.categories REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION app.record_deletions();

CREATE TRIGGER record_old_id AFTER UPDATE ON app.categories FOR EACH ROW WHEN (((old.company_id <> new.company_id) OR (old.id <> new.id))) EXECUTE FUNCTION app.record_old_id();

CREATE TRIGGER record_truncate AFTER TRUNCATE ON app.categories FOR EACH STATEMENT EXECUTE FUNCTION app.record_deletions();

CREATE TRIGGER begin_changes AFTER INSERT ON app.companies FOR EACH ROW EXECUTE FUNCTION app.begin_changes();

CREATE TRIGGER end_changes AFTER DELETE ON app.companies FOR EACH ROW EXECUTE FUNCTION app.end_changes();

CREATE TRIGGER number_insert BEFORE INSERT ON app.day_ratings FOR EACH ROW WHEN ((new.changed_in <> pg_current_xact_id())) EXECUTE FUNCTION app.number_change();

CREATE TRIGGER number_update BEFORE UPDATE ON app.day_ratings FOR EACH ROW WHEN ((old.* *<> new.*)) EXECUTE FUNCTION app.number_change();

CREATE TRIGGER record_deletions AFTER DELETE ON app.day_ratings REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION app.record_deletions();

CREATE TRIGGER record_old_id AFTER UPDATE ON app.day_ratings FOR EACH ROW WHEN (((old.company_id <> new.company_id) OR (old.id <> new.id))) EXECUTE FUNCTION app.record_old_id();

CREATE TRIGGER record_truncate AFTER TRUNCATE ON app.day_ratings FOR EACH STATEMENT EXECUTE FUNCTION app.record_deletions();

CREATE TRIGGER number_insert BEFORE INSERT ON app.kudos FOR EACH ROW WHEN ((new.changed_in <> pg_current_xact_id())) EXECUTE FUNCTION app.number_change();

CREATE TRIGGER number_update BEFORE UPDATE ON app.kudos FOR EACH ROW WHEN ((old.* *<> new.*)) EXECUTE FUNCTION app.number_change();

CREATE TRIGGER record_deletions AFTER DELETE ON app.kudos REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION app.record_deletions();

CREATE TRIGGER record_old_id AFTER UPDATE ON app.kudos FOR EACH ROW WHEN (((old.company_id <> new.company_id) OR (old.id <> new.id))) EXECUTE FUNCTION app.record_old_id();

CREATE TRIGGER record_truncate AFTER TRUNCATE ON app.kudos FOR EACH STATEMENT EXECUTE FUNCTION app.record_deletions();

CREATE TRIGGER number_insert BEFORE INSERT ON app.members FOR EACH ROW WHEN ((new.changed_in <> pg_current_xact_id())) EXECUTE FUNCTION app.number_change();

CREATE TRIGGER number_update BEFORE UPDATE ON app.members FOR EACH ROW WHEN ((old.* *<> new.*)) EXECUTE FUNCTION app.number_change();

CREATE TRIGGER record_deletions AFTER DELETE ON app.members REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION app.record_deletions();

CREATE TRIGGER record_old_id AFTER UPDATE ON app.members FOR EACH ROW WHEN (((old.company_id <> new.company_id) OR (old.id <> new.id))) EXECUTE FUNCTION app.record_old_id();

CREATE TRIGGER record_truncate AFTER TRUNCATE ON app.members FOR EACH STATEMENT EXECUTE FUNCTION app.record_deletions();

CREATE TRIGGER mark_answers AFTER UPDATE ON app.pulse_questions FOR EACH ROW WHEN (((old.question IS DISTINCT FROM new.question) OR (old.response_type IS DISTINCT FROM new.response_type))) EXECUTE FUNCTION app.mark_answers();

CREATE TRIGGER number_insert BEFORE INSERT ON app.pulse_responses FOR EACH ROW WHEN ((new.changed_in <> pg_current_xact_id())) EXECUTE FUNCTION app.number_change();

CREATE TRIGGER number_update BEFORE UPDATE ON app.pulse_responses FOR EACH ROW WHEN ((old.* *<> new.*)) EXECUTE FUNCTION app.number_change();

CREATE TRIGGER record_deletions AFTER DELETE ON app.pulse_responses REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION app.record_deletions();

CREATE TRIGGER record_old_id AFTER UPDATE ON app.pulse_responses FOR EACH ROW WHEN (((old.company_id <> new.company_id) OR (old.id <> new.id))) EXECUTE FUNCTION app.record_old_id();

CREATE TRIGGER record_truncate AFTER TRUNCATE ON app.pulse_responses FOR EACH STATEMENT EXECUTE FUNCTION app.record_deletions();

CREATE TRIGGER number_insert BEFORE INSERT ON app.rewards FOR EACH ROW WHEN ((new.changed_in <> pg_current_xact_id())) EXECUTE FUNCTION app.number_change();

CREATE TRIGGER number_update BEFORE UPDATE ON app.rewards FOR EACH ROW WHEN ((old.* *<> new.*)) EXECUTE FUNCTION app.number_change();

CREATE TRIGGER record_deletions AFTER DELETE ON app.rewards REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION app.record_deletions();

CREATE TRIGGER record_old_id AFTER UPDATE ON app.rewards FOR EACH ROW WHEN (((old.company_id <> new.company_id) OR (old.id <> new.id))) EXECUTE FUNCTION app.record_old_id();

CREATE TRIGGER record_truncate AFTER TRUNCATE ON app.rewards FOR EACH STATEMENT EXECUTE FUNCTION app.record_deletions();

CREATE TRIGGER number_insert BEFORE INSERT ON app.teams FOR EACH ROW WHEN ((new.changed_in <> pg_current_xact_id())) EXECUTE FUNCTION app.number_change();

CREATE TRIGGER number_update BEFORE UPDATE ON app.teams FOR EACH ROW WHEN ((old.* *<> new.*)) EXECUTE FUNCTION app.number_change();

CREATE TRIGGER record_deletions AFTER DELETE ON app.teams REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION app.record_deletions();

CREATE TRIGGER record_old_id AFTER UPDATE ON app.teams FOR EACH ROW WHEN (((old.company_id <> new.company_id) OR (old.id <> new.id))) EXECUTE FUNCTION app.record_old_id();

CREATE TRIGGER record_truncate AFTER TRUNCATE ON app.teams FOR EACH STATEMENT EXECUTE FUNCTION app.record_deletions();

CREATE POLICY "api_read" ON "app"."deletions" FOR SELECT TO "public_api" USING ((company_id = ( SELECT app.current_company_id() AS current_company_id)));

CREATE POLICY "api_read" ON "app"."forgotten_deletions" FOR SELECT TO "public_api" USING ((company_id = ( SELECT app.current_company_id() AS current_company_id)));

COMMENT ON COLUMN "app"."api_key_uses"."last_client" IS 'The program, such as python-requests/2.32.3, from its User-Agent; at most 60 characters.';

COMMENT ON COLUMN "app"."api_key_uses"."last_endpoint" IS 'Method and path, such as GET /activity.';

COMMENT ON COLUMN "app"."api_key_uses"."refused_at" IS 'When the key, revoked or expired, was last refused, to the minute; where and which program as for the last use.';

COMMENT ON COLUMN "app"."api_key_uses"."used_on" IS 'The days of the last 30 on which the key was used, in UTC, oldest first, as of the last use.';

COMMENT ON COLUMN "app"."companies"."retention" IS 'How long kudos, day ratings and pulse answers are kept, such as 2 years; null: for ever.';

COMMENT ON COLUMN "app"."deletions"."deleted_in" IS 'The transaction that deleted it.';

COMMENT ON COLUMN "app"."deletions"."relation" IS 'The table that the row was in, such as app.kudos.';

COMMENT ON COLUMN "app"."members"."is_former" IS 'True for the one row that represents all erased people of a company (0950). No list of members has it.';

COMMENT ON COLUMN "app"."members"."role" IS 'Free text of 1 to 50 characters. Members with the role admin may manage API keys.';

COMMENT ON COLUMN "app"."rewards"."external_id" IS 'The id of the reward in the system that imports the catalogue; null for rewards that were not imported.';

COMMENT ON FUNCTION "app"."admins_to_ask"() IS 'Names and addresses of the admins of the signed-in member''s company, [{ name, email }]; null unless the member is no admin.';

COMMENT ON FUNCTION "app"."authenticate"(text, text) IS 'Verifies an API key by its SHA-256 in hex and sets the company of this transaction. PT401, PT403, PT429. With a null scope any valid key will do.';

COMMENT ON FUNCTION "app"."begin_changes"() IS 'Trigger: invalidates the cursors of an earlier company with the same id.';

COMMENT ON FUNCTION "app"."begin_load"(uuid, text) IS 'Begins a load into the company with this id and this name: empties staging, and says which other load it waits for.';

COMMENT ON FUNCTION "app"."cell_checks"() IS 'The checks of a cell, by kind: a condition, and the message for a cell that does not meet it.';

COMMENT ON FUNCTION "app"."change_api_key"() IS 'Trigger: an update can only revoke, replace or rename a key, or put Former member in place of an erased person.';

COMMENT ON FUNCTION "app"."changing_list"(text) IS 'The scope and the table of a list, such as day-ratings.';

COMMENT ON FUNCTION "app"."comparable"(text, text) IS 'The SQL to compare a cell of a kind with another one.';

COMMENT ON FUNCTION "app"."cursor_origin"(uuid, text) IS 'The first 8 characters of every cursor of this company and list.';

COMMENT ON FUNCTION "app"."delete_accounts"(uuid, uuid[]) IS 'Deletes the accounts of members, and returns how many.';

COMMENT ON FUNCTION "app"."delete_company"(uuid) IS 'Deletes a company with all its data. Returns how many members, kudos, keys and accounts it had.';

COMMENT ON FUNCTION "app"."empty_staging"() IS 'Removes all rows from staging, and what the planner''s statistics know of them. Waits for a load that is running.';

COMMENT ON FUNCTION "app"."end_changes"() IS 'Trigger: removes the recorded deletions of a company that is deleted.';

COMMENT ON FUNCTION "app"."erase_member"(uuid, uuid, boolean) IS 'Erases a person. Returns in how many kudos, keys and history entries Former member has replaced them, and how many accounts were deleted.';

COMMENT ON FUNCTION "app"."erasure_mark"(uuid, uuid) IS 'The mark of an erased person: SHA-256 of the ids of company and member.';

COMMENT ON FUNCTION "app"."first_of_window"(timestamp with time zone, timestamp with time zone, text) IS 'since, or where a window without it begins.';

COMMENT ON FUNCTION "app"."forget_cursors"(uuid, text) IS 'Invalidates all cursors that were given so far (410): of one company or of all, of one table or of all lists. For operators.';

COMMENT ON FUNCTION "app"."forget_deletions"(uuid, regclass) IS 'Removes deletions of a table that are older than 90 days, the oldest first.';

COMMENT ON FUNCTION "app"."former_member"(uuid) IS 'The id of the row that represents all erased people of a company; adds it if needed.';

COMMENT ON FUNCTION "app"."from_replica"(json) IS 'Returns the page, and adds the response header X-Replica-Lag (milliseconds). PT503 if the server is too far behind, or not a replica.';

COMMENT ON FUNCTION "app"."is_erased"(uuid, uuid) IS 'Whether this is the id of a person who has been erased.';

COMMENT ON FUNCTION "app"."is_time_up"() IS 'Whether half of statement_timeout is over for the running call.';

COMMENT ON FUNCTION "app"."iso_8601"(timestamp with time zone) IS 'A date-time in the format of the API, such as 2026-11-21T10:15:30.123456Z.';

COMMENT ON FUNCTION "app"."keep_changes"(regclass) IS 'Creates the triggers that number the changes of a table and record its deletions.';

COMMENT ON FUNCTION "app"."kept_tables"() IS 'The tables of the lists, whose changes are numbered.';

COMMENT ON FUNCTION "app"."leave_out_erased"(uuid) IS 'Removes erased people and their kudos from staging. Returns how many rows that were.';

COMMENT ON FUNCTION "app"."list_headers"() IS 'The response.headers of a page, for format(): the ids of key and company, the number of its rows, true or false for whether there are more, the id or cursor of its last row.';

COMMENT ON FUNCTION "app"."load_staging"(uuid, boolean) IS 'Checks the rows in staging, writes all of them or none to a company, and empties staging. Returns the numbers of rows per file.';

COMMENT ON FUNCTION "app"."make_api_key"() IS 'Trigger: sets the key of a new row, and everything else that the caller may not choose.';

COMMENT ON FUNCTION "app"."mark_answers"() IS 'Trigger: marks the answers to a question as changed when the question changes.';

COMMENT ON FUNCTION "app"."max_replica_lag"() IS 'How far behind a replica may be to serve lists. The primary serves them otherwise. To be replaced by operators.';

COMMENT ON FUNCTION "app"."member_with_email"(uuid, text) IS 'The id of a company''s member with this email address, whatever its case.';

COMMENT ON FUNCTION "app"."most_groups"() IS 'How many rows the answer to a question has at most.';

COMMENT ON FUNCTION "app"."note_refused_use"(text) IS 'Records now as the last refused use of a revoked or expired key, by its SHA-256 in hex. Returns whether it has.';

COMMENT ON FUNCTION "app"."note_use"(uuid, uuid) IS 'Records now as the last use of a key, unless another transaction is doing so, the database is read-only, or it is a quick check.';

COMMENT ON FUNCTION "app"."number_change"() IS 'Trigger: gives a row the number of the transaction that changes it.';

COMMENT ON FUNCTION "app"."only_replaces_erased"(uuid, uuid[], uuid[]) IS 'Whether two lists of members differ, and only by Former member in place of erased people.';

COMMENT ON FUNCTION "app"."page_of_changes"(text, uuid, text[], integer, xid8, uuid, xid8, uuid, xid8, text, xid8, text) IS 'A page of the changes of a list, with the columns that include names.';

COMMENT ON FUNCTION "app"."periods"(text, timestamp with time zone, timestamp with time zone, text) IS 'The days, weeks, months, quarters or years (step) from since to until in a time zone: first day, and the instants between which each lies.';

COMMENT ON FUNCTION "app"."prepare_file"(uuid, text) IS 'Makes the changes that must come before the rows of a file are written.';

COMMENT ON FUNCTION "app"."purge_some"(uuid, timestamp with time zone, timestamp with time zone, text) IS 'Deletes up to 2,000 old rows of a table. Returns how many, and the time of the newest of them.';

COMMENT ON FUNCTION "app"."record_deletions"() IS 'Trigger: records in app.deletions which rows of a list were deleted.';

COMMENT ON FUNCTION "app"."record_old_id"() IS 'Trigger: records in app.deletions the id that a row had before an update.';

COMMENT ON FUNCTION "app"."refuse_change"() IS 'Trigger: refuses update, delete and truncate by any role, except to erase a person or to delete a company.';

COMMENT ON FUNCTION "app"."refuse_cursor"(uuid, uuid) IS 'Raises PT410: the cursor is no longer known. The detail names key and company for the request log.';

COMMENT ON FUNCTION "app"."refuse_without_row_security"() IS 'Raises PT500: row-level security does not bind the current role.';

COMMENT ON FUNCTION "app"."renew_statistics"() IS 'Collects the planner''s statistics of the tables about people anew, so that they show nobody who is gone.';

COMMENT ON FUNCTION "app"."repeated_cells_query"(text) IS 'The query of the rows of a file that repeat a value that must be unique.';

COMMENT ON FUNCTION "app"."require_open_company"(uuid) IS 'Raises an error unless the company exists and is served here. Locks its row, so that this stays so until the end of the transaction.';

COMMENT ON FUNCTION "app"."require_settled_company"(uuid) IS 'Raises an error unless the company exists and is not moving. Locks its row, so that this stays so until the end of the transaction.';

COMMENT ON FUNCTION "app"."respond"(uuid, uuid, json) IS 'Returns the body, and sets the response headers X-Key-Id and X-Company-Id.';

COMMENT ON FUNCTION "app"."revoke_key"(text, text) IS 'Revokes the key with this id or these last four characters, for good, as the operator. The reason is for the admins of the company.';

COMMENT ON FUNCTION "app"."rows_of_others"(uuid) IS 'The files in staging whose rows are mostly those of another company.';

COMMENT ON FUNCTION "app"."serve_keys"(regprocedure) IS 'Makes a function one that serves API keys: public_api owns it, and only service_role may call it. For the schema and sql/repair.sql.';

COMMENT ON FUNCTION "app"."staging_problems"(uuid) IS 'All mistakes in the rows in staging, as a load into this company would report them.';

COMMENT ON FUNCTION "app"."stored_type"(text) IS 'The type in which a cell of this kind is stored.';

COMMENT ON FUNCTION "app"."taken_emails_query"() IS 'The query of the members in staging with an email address that another member of the company has.';

COMMENT ON FUNCTION "app"."undo_load"(uuid, bigint, bigint) IS 'Takes back a load that only added rows, if all of them are as it wrote them and nothing else names them. Returns the rows deleted per file.';

COMMENT ON FUNCTION "app"."unknown_ids_query"(text) IS 'The query of the cells of a file with an id that neither the files nor the company have.';

COMMENT ON FUNCTION "app"."write_file"(uuid, text) IS 'Writes a file in staging to a company. Returns how many rows were inserted, updated and unchanged.';

COMMENT ON FUNCTION "app"."wrong_cells_query"(text) IS 'The query of the cells of a file that fail a check of their column.';

COMMENT ON FUNCTION "public"."average_day_ratings"(text, text[], timestamp with time zone, timestamp with time zone, text, uuid) IS 'Number and average of the day ratings of the key''s company, by what by names, as a JSON array. read:analytics. PT401, PT403, PT429.';

COMMENT ON FUNCTION "public"."count_activity"(text, text[], timestamp with time zone, timestamp with time zone, text, uuid, uuid, uuid) IS 'How many kudos of the key''s company, by what by names, as a JSON array. read:activity. PT401, PT403, PT429.';

COMMENT ON FUNCTION "public"."link_member"() IS 'To be called after sign-in: { status, company_name, name, role, admins }, status linked, moved (no role then), email_not_confirmed, no_member or several_members; admins as admins_to_ask. PT401 when the account is gone.';

COMMENT ON FUNCTION "public"."list_activity"(text, integer, timestamp with time zone, timestamp with time zone, uuid, uuid, uuid, uuid, text[]) IS 'Kudos with sender, recipient and category: the rows of the key''s company, newest first, as a JSON array. read:activity. PT400, PT401, PT403, PT429.';

COMMENT ON FUNCTION "public"."list_api_key_events"(uuid, integer, integer) IS 'Who created, replaced, renamed or revoked which API key of the admin''s company, newest first, as a JSON array; empty for anybody else. Of all keys, or of one; without the first skip entries; at most max_rows.';

COMMENT ON FUNCTION "public"."list_categories"(text, integer, uuid) IS 'What kudos are given for: the rows of the key''s company, newest first, as a JSON array. read:activity. PT400, PT401, PT403, PT429.';

COMMENT ON FUNCTION "public"."list_changes"(text, text, integer, text, text[]) IS 'What was added, changed or deleted in a list of the key''s company, oldest change first, as a JSON array. PT401, PT403, PT410, PT429.';

COMMENT ON FUNCTION "public"."list_day_ratings"(text, integer, timestamp with time zone, timestamp with time zone, uuid, uuid, text[]) IS 'How days were rated, by team: the rows of the key''s company, newest first, as a JSON array. read:analytics. PT400, PT401, PT403, PT429.';

COMMENT ON FUNCTION "public"."list_members"(text, integer, uuid, text, uuid, text) IS 'People, their roles and teams: the rows of the key''s company, newest first, as a JSON array. read:members. PT400, PT401, PT403, PT429.';

COMMENT ON FUNCTION "public"."list_pulse_responses"(text, integer, timestamp with time zone, timestamp with time zone, uuid, text[]) IS 'Answers to pulse surveys: the rows of the key''s company, newest first, as a JSON array. read:analytics. PT400, PT401, PT403, PT429.';

COMMENT ON FUNCTION "public"."list_rewards"(text, integer, boolean, uuid, text[], text) IS 'The reward catalogue: the rows of the key''s company, newest first, as a JSON array. read:rewards. PT400, PT401, PT403, PT429.';

COMMENT ON FUNCTION "public"."list_teams"(text, integer, uuid) IS 'The teams that people are in: the rows of the key''s company, newest first, as a JSON array. read:members. PT400, PT401, PT403, PT429.';

COMMENT ON FUNCTION "public"."note_refused_use"(text) IS 'Records now as the last refused use of a revoked or expired key, at most once a minute. Returns true or false: whether it has.';

COMMENT ON FUNCTION "public"."read_activity"(text, integer, timestamp with time zone, timestamp with time zone, uuid, uuid, uuid, uuid, text[]) IS 'public.list_activity, at a read replica. PT503 too.';

COMMENT ON FUNCTION "public"."read_categories"(text, integer, uuid) IS 'public.list_categories, at a read replica. PT503 too.';

COMMENT ON FUNCTION "public"."read_changes"(text, text, integer, text, text[]) IS 'public.list_changes, at a read replica. PT503 too.';

COMMENT ON FUNCTION "public"."read_day_ratings"(text, integer, timestamp with time zone, timestamp with time zone, uuid, uuid, text[]) IS 'public.list_day_ratings, at a read replica. PT503 too.';

COMMENT ON FUNCTION "public"."read_members"(text, integer, uuid, text, uuid, text) IS 'public.list_members, at a read replica. PT503 too.';

COMMENT ON FUNCTION "public"."read_pulse_responses"(text, integer, timestamp with time zone, timestamp with time zone, uuid, text[]) IS 'public.list_pulse_responses, at a read replica. PT503 too.';

COMMENT ON FUNCTION "public"."read_rewards"(text, integer, boolean, uuid, text[], text) IS 'public.list_rewards, at a read replica. PT503 too.';

COMMENT ON FUNCTION "public"."read_teams"(text, integer, uuid) IS 'public.list_teams, at a read replica. PT503 too.';

COMMENT ON FUNCTION "public"."revoke_api_key"(uuid) IS 'Revokes a key of the admin''s company permanently. A revoked key is left as it is. { id, revoked_at, revoked_by }. PT404.';

COMMENT ON FUNCTION "public"."upsert_rewards"(text, text, boolean) IS 'Creates or updates rewards of the key''s company by external_id: { imported, created, updated, unchanged }; dry_run counts and writes nothing. write:rewards. PT401, PT403, PT429; 25006 while the database is read-only.';

COMMENT ON FUNCTION "public"."verify_api_key"(text, text) IS 'Checks a key and, when it is given, a scope: { company_name, key_name, scopes, expires_at, company_id, requests_at_once }. PT401, PT403.';

COMMENT ON PROCEDURE "app"."forget_all_deletions"() IS 'Removes the recorded deletions that are older than 90 days, and commits after every 5,000.';

COMMENT ON PROCEDURE "app"."purge_before"(uuid, timestamp with time zone) IS 'Deletes the kudos, day ratings and pulse answers of a company that were created before a time, and commits after every 2,000 rows.';

COMMENT ON PROCEDURE "app"."purge_expired"() IS 'Deletes the kudos, day ratings and pulse answers that are older than the retention of their company, in all companies that are served here.';

COMMENT ON PROCEDURE "app"."purge_table"(uuid, timestamp with time zone, text, bigint, text, text) IS 'Deletes the old rows of a table, and commits after every 2,000. Returns how many, and the error that ended it.';

COMMENT ON SCHEMA "staging" IS 'The rows of files that are being loaded (docs/operations.md, Loading data). Only postgres uses it.';

COMMENT ON TABLE "app"."api_key_events" IS 'Who created, replaced, renamed or revoked which API key, when. Rows are only added.';

COMMENT ON TABLE "app"."api_key_uses" IS 'When an API key was last used, to the minute, where and by what program; and when it was last refused.';

COMMENT ON TABLE "app"."deleted_companies" IS 'Companies that were deleted here, and when.';

COMMENT ON TABLE "app"."deletions" IS 'Rows of lists that have been deleted, for 90 days at least.';

COMMENT ON TABLE "app"."erasures" IS 'Erased people, each as a hash that only somebody who knows the id can compute.';

COMMENT ON TABLE "app"."forgotten_deletions" IS 'The last deletion of a table that is no longer in app.deletions.';

COMMENT ON TABLE "app"."member_accounts" IS 'Which account belongs to which member. Only app.link_member writes it, and a link is permanent.';

COMMENT ON TYPE "app"."verified_key" IS 'A key that app.authenticate has verified.';

COMMENT ON VIEW "api"."activity" IS 'Kudos (docs/api.md, Activity).';

COMMENT ON VIEW "api"."categories" IS 'Categories (docs/api.md, Categories).';

COMMENT ON VIEW "api"."day_ratings" IS 'Day ratings (docs/api.md, Day ratings).';

COMMENT ON VIEW "api"."members" IS 'Members (docs/api.md, Members).';

COMMENT ON VIEW "api"."pulse_responses" IS 'Pulse answers (docs/api.md, Pulse responses).';

COMMENT ON VIEW "api"."rewards" IS 'Rewards (docs/api.md, Rewards).';

COMMENT ON VIEW "api"."teams" IS 'Teams (docs/api.md, Teams).';

REVOKE ALL ON FUNCTION "app"."admins_to_ask"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."admins_to_ask"() TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "app"."begin_changes"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."begin_changes"() TO "postgres";

REVOKE ALL ON FUNCTION "app"."begin_load"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."begin_load"(uuid, text) TO "postgres";

REVOKE ALL ON FUNCTION "app"."changing_list"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."changing_list"(text) TO "postgres", "public_api";

REVOKE ALL ON FUNCTION "app"."cursor_origin"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."cursor_origin"(uuid, text) TO "postgres", "public_api";

REVOKE ALL ON FUNCTION "app"."empty_staging"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."empty_staging"() TO "postgres";

REVOKE ALL ON FUNCTION "app"."end_changes"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."end_changes"() TO "postgres";

REVOKE ALL ON FUNCTION "app"."first_of_window"(timestamp with time zone, timestamp with time zone, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."first_of_window"(timestamp with time zone, timestamp with time zone, text) TO "postgres", "public_api";

REVOKE ALL ON FUNCTION "app"."forget_cursors"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."forget_cursors"(uuid, text) TO "postgres";

REVOKE ALL ON FUNCTION "app"."forget_deletions"(uuid, regclass) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."forget_deletions"(uuid, regclass) TO "postgres";

REVOKE ALL ON FUNCTION "app"."from_replica"(json) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."from_replica"(json) TO "postgres", "public_api";

REVOKE ALL ON FUNCTION "app"."is_time_up"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."is_time_up"() TO "postgres";

REVOKE ALL ON FUNCTION "app"."keep_changes"(regclass) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."keep_changes"(regclass) TO "postgres";

REVOKE ALL ON FUNCTION "app"."kept_tables"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."kept_tables"() TO "postgres";

REVOKE ALL ON FUNCTION "app"."list_headers"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."list_headers"() TO "postgres", "public_api";

REVOKE ALL ON FUNCTION "app"."load_staging"(uuid, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."load_staging"(uuid, boolean) TO "postgres";

REVOKE ALL ON FUNCTION "app"."mark_answers"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."mark_answers"() TO "postgres";

REVOKE ALL ON FUNCTION "app"."max_replica_lag"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."max_replica_lag"() TO "postgres", "public_api";

REVOKE ALL ON FUNCTION "app"."member_with_email"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."member_with_email"(uuid, text) TO "postgres", "public_api";

REVOKE ALL ON FUNCTION "app"."most_groups"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."most_groups"() TO "postgres", "public_api";

REVOKE ALL ON FUNCTION "app"."note_refused_use"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."note_refused_use"(text) TO "postgres", "public_api";

REVOKE ALL ON FUNCTION "app"."number_change"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."number_change"() TO "postgres";

REVOKE ALL ON FUNCTION "app"."only_replaces_erased"(uuid, uuid[], uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."only_replaces_erased"(uuid, uuid[], uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "app"."page_of_changes"(text, uuid, text[], integer, xid8, uuid, xid8, uuid, xid8, text, xid8, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."page_of_changes"(text, uuid, text[], integer, xid8, uuid, xid8, uuid, xid8, text, xid8, text) TO "postgres", "public_api";

REVOKE ALL ON FUNCTION "app"."periods"(text, timestamp with time zone, timestamp with time zone, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."periods"(text, timestamp with time zone, timestamp with time zone, text) TO "postgres", "public_api";

REVOKE ALL ON FUNCTION "app"."record_deletions"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."record_deletions"() TO "postgres";

REVOKE ALL ON FUNCTION "app"."record_old_id"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."record_old_id"() TO "postgres";

REVOKE ALL ON FUNCTION "app"."refuse_cursor"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."refuse_cursor"(uuid, uuid) TO "postgres", "public_api";

REVOKE ALL ON FUNCTION "app"."renew_statistics"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."renew_statistics"() TO "postgres";

REVOKE ALL ON FUNCTION "app"."requests_at_once"() FROM "public_api";

GRANT EXECUTE ON FUNCTION "app"."requests_at_once"() TO "public_api";

REVOKE ALL ON FUNCTION "app"."require_settled_company"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."require_settled_company"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "app"."respond"(uuid, uuid, json) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."respond"(uuid, uuid, json) TO "postgres", "public_api";

REVOKE ALL ON FUNCTION "app"."revoke_key"(text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."revoke_key"(text, text) TO "postgres";

REVOKE ALL ON FUNCTION "app"."rows_of_others"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."rows_of_others"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "app"."serve_keys"(regprocedure) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."serve_keys"(regprocedure) TO "postgres";

REVOKE ALL ON FUNCTION "app"."undo_load"(uuid, bigint, bigint) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."undo_load"(uuid, bigint, bigint) TO "postgres";

REVOKE ALL ON FUNCTION "public"."average_day_ratings"(text, text[], timestamp with time zone, timestamp with time zone, text, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."average_day_ratings"(text, text[], timestamp with time zone, timestamp with time zone, text, uuid) TO "service_role";

REVOKE ALL ON FUNCTION "public"."count_activity"(text, text[], timestamp with time zone, timestamp with time zone, text, uuid, uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."count_activity"(text, text[], timestamp with time zone, timestamp with time zone, text, uuid, uuid, uuid) TO "service_role";

REVOKE ALL ON FUNCTION "public"."list_api_key_events"(uuid, integer, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."list_api_key_events"(uuid, integer, integer) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."list_changes"(text, text, integer, text, text[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."list_changes"(text, text, integer, text, text[]) TO "service_role";

REVOKE ALL ON FUNCTION "public"."list_members"(text, integer, uuid, text, uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."list_members"(text, integer, uuid, text, uuid, text) TO "service_role";

REVOKE ALL ON FUNCTION "public"."list_rewards"(text, integer, boolean, uuid, text[], text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."list_rewards"(text, integer, boolean, uuid, text[], text) TO "service_role";

REVOKE ALL ON FUNCTION "public"."note_refused_use"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."note_refused_use"(text) TO "service_role";

REVOKE ALL ON FUNCTION "public"."read_activity"(text, integer, timestamp with time zone, timestamp with time zone, uuid, uuid, uuid, uuid, text[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."read_activity"(text, integer, timestamp with time zone, timestamp with time zone, uuid, uuid, uuid, uuid, text[]) TO "service_role";

REVOKE ALL ON FUNCTION "public"."read_categories"(text, integer, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."read_categories"(text, integer, uuid) TO "service_role";

REVOKE ALL ON FUNCTION "public"."read_changes"(text, text, integer, text, text[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."read_changes"(text, text, integer, text, text[]) TO "service_role";

REVOKE ALL ON FUNCTION "public"."read_day_ratings"(text, integer, timestamp with time zone, timestamp with time zone, uuid, uuid, text[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."read_day_ratings"(text, integer, timestamp with time zone, timestamp with time zone, uuid, uuid, text[]) TO "service_role";

REVOKE ALL ON FUNCTION "public"."read_members"(text, integer, uuid, text, uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."read_members"(text, integer, uuid, text, uuid, text) TO "service_role";

REVOKE ALL ON FUNCTION "public"."read_pulse_responses"(text, integer, timestamp with time zone, timestamp with time zone, uuid, text[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."read_pulse_responses"(text, integer, timestamp with time zone, timestamp with time zone, uuid, text[]) TO "service_role";

REVOKE ALL ON FUNCTION "public"."read_rewards"(text, integer, boolean, uuid, text[], text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."read_rewards"(text, integer, boolean, uuid, text[], text) TO "service_role";

REVOKE ALL ON FUNCTION "public"."read_teams"(text, integer, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."read_teams"(text, integer, uuid) TO "service_role";

REVOKE ALL ON FUNCTION "public"."upsert_rewards"(text, text, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."upsert_rewards"(text, text, boolean) TO "service_role";

REVOKE ALL ON PROCEDURE "app"."forget_all_deletions"() FROM PUBLIC;

GRANT EXECUTE ON PROCEDURE "app"."forget_all_deletions"() TO "postgres";

REVOKE ALL ON PROCEDURE "app"."purge_expired"() FROM PUBLIC;

GRANT EXECUTE ON PROCEDURE "app"."purge_expired"() TO "postgres";

REVOKE ALL ON PROCEDURE "app"."purge_table"(uuid, timestamp with time zone, text, bigint, text, text) FROM PUBLIC;

GRANT EXECUTE ON PROCEDURE "app"."purge_table"(uuid, timestamp with time zone, text, bigint, text, text) TO "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "app"."deleted_companies" TO "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "app"."deletions" TO "postgres";

GRANT SELECT ON TABLE "app"."deletions" TO "public_api";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "app"."forgotten_deletions" TO "postgres";

GRANT SELECT ON TABLE "app"."forgotten_deletions" TO "public_api";

REVOKE ALL ("image_url") ON TABLE "app"."rewards" FROM "public_api";

GRANT INSERT ("image_url"), UPDATE ("image_url") ON TABLE "app"."rewards" TO "public_api";

REVOKE ALL ("is_archived") ON TABLE "app"."rewards" FROM "public_api";

GRANT INSERT ("is_archived"), UPDATE ("is_archived") ON TABLE "app"."rewards" TO "public_api";

REVOKE ALL ("stock_count") ON TABLE "app"."rewards" FROM "public_api";

GRANT INSERT ("stock_count"), UPDATE ("stock_count") ON TABLE "app"."rewards" TO "public_api";

REVOKE ALL ("vendor_name") ON TABLE "app"."rewards" FROM "public_api";

GRANT INSERT ("vendor_name"), UPDATE ("vendor_name") ON TABLE "app"."rewards" TO "public_api";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "api"."activity" TO "postgres";

GRANT SELECT ON TABLE "api"."activity" TO "public_api";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "api"."categories" TO "postgres";

GRANT SELECT ON TABLE "api"."categories" TO "public_api";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "api"."day_ratings" TO "postgres";

GRANT SELECT ON TABLE "api"."day_ratings" TO "public_api";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "api"."members" TO "postgres";

GRANT SELECT ON TABLE "api"."members" TO "public_api";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "api"."pulse_responses" TO "postgres";

GRANT SELECT ON TABLE "api"."pulse_responses" TO "public_api";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "api"."rewards" TO "postgres";

GRANT SELECT ON TABLE "api"."rewards" TO "public_api";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "api"."teams" TO "postgres";

GRANT SELECT ON TABLE "api"."teams" TO "public_api";

revoke create on schema public from public_api;
