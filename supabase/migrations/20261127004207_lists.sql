-- The tables of companies and keys are small: reading them takes milliseconds.
-- squawk-ignore-file ban-drop-not-null, constraint-missing-not-valid
set lock_timeout = '2s';
set statement_timeout = '60s';

set local check_function_bodies = off;

grant create on schema public to public_api;

REVOKE ALL ON TABLE "app"."category_names" FROM "public_api";

REVOKE ALL ("default_language") ON TABLE "app"."companies" FROM "public_api";

DROP POLICY "api_read" ON "app"."category_names";

DROP VIEW "api"."members";

DROP FUNCTION "app"."append_columns"(json, json, text[]);

DROP FUNCTION "app"."category_names_by_id"(uuid);

DROP FUNCTION "app"."include_in_activity"(json, uuid, text[]);

DROP FUNCTION "app"."include_in_day_ratings"(json, uuid, text[]);

DROP FUNCTION "app"."include_in_pulse_responses"(json, uuid, text[]);

DROP FUNCTION "app"."include_in_rewards"(json, uuid, text[]);

DROP FUNCTION "app"."is_time_up"();

DROP FUNCTION "app"."note_refused_use"(text);

DROP FUNCTION "app"."repeated_cells_query"(text);

DROP FUNCTION "app"."comparable"(text, text);

DROP FUNCTION "app"."taken_emails_query"();

DROP FUNCTION "app"."undo_load"(uuid, bigint, bigint);

DROP FUNCTION "app"."write_query"(text);

DROP FUNCTION "app"."stored_type"(text);

DROP FUNCTION "public"."average_day_ratings"(text, text[], timestamp with time zone, timestamp with time zone, text, uuid);

DROP FUNCTION "public"."count_activity"(text, text[], timestamp with time zone, timestamp with time zone, text, uuid, uuid, uuid);

DROP FUNCTION "public"."list_activity"(text, integer, timestamp with time zone, timestamp with time zone, uuid, uuid, uuid, uuid, text[]);

DROP FUNCTION "public"."list_categories"(text, integer, uuid);

DROP FUNCTION "public"."list_changes"(text, text, integer, text, text[]);

DROP FUNCTION "public"."list_day_ratings"(text, integer, timestamp with time zone, timestamp with time zone, uuid, uuid, text[]);

DROP FUNCTION "public"."list_members"(text, integer, uuid, text, uuid, text);

DROP FUNCTION "public"."list_pulse_responses"(text, integer, timestamp with time zone, timestamp with time zone, uuid, text[]);

DROP FUNCTION "public"."list_rewards"(text, integer, boolean, uuid, text[], text);

DROP FUNCTION "public"."list_teams"(text, integer, uuid);

DROP FUNCTION "public"."note_refused_use"(text);

DROP FUNCTION "public"."read_activity"(text, integer, timestamp with time zone, timestamp with time zone, uuid, uuid, uuid, uuid, text[]);

DROP FUNCTION "public"."read_categories"(text, integer, uuid);

DROP FUNCTION "public"."read_changes"(text, text, integer, text, text[]);

DROP FUNCTION "public"."read_day_ratings"(text, integer, timestamp with time zone, timestamp with time zone, uuid, uuid, text[]);

DROP FUNCTION "public"."read_members"(text, integer, uuid, text, uuid, text);

DROP FUNCTION "public"."read_pulse_responses"(text, integer, timestamp with time zone, timestamp with time zone, uuid, text[]);

DROP FUNCTION "public"."read_rewards"(text, integer, boolean, uuid, text[], text);

DROP FUNCTION "public"."read_teams"(text, integer, uuid);

DROP FUNCTION "public"."upsert_rewards"(text, text, boolean);

DROP FUNCTION "public"."verify_api_key"(text, text);

DROP PROCEDURE "app"."purge_table"(uuid, timestamp with time zone, text, bigint, text, text);

CREATE TABLE "app"."assistant_codes" ("company_id" uuid NOT NULL, "code_hash" bytea NOT NULL, "member_id" uuid NOT NULL, "assistant" text NOT NULL, "scopes" text[] NOT NULL, "key_expires_at" timestamp with time zone NOT NULL, "bound_to" text NOT NULL, "expires_at" timestamp with time zone NOT NULL DEFAULT (now() + '00:01:00'::interval), CONSTRAINT "assistant_codes_bound_to_length" CHECK ((char_length(bound_to) <= 3000)), CONSTRAINT "assistant_codes_code_hash_key" UNIQUE (code_hash), CONSTRAINT "assistant_codes_pkey" PRIMARY KEY (company_id, code_hash));

ALTER TABLE "app"."assistant_codes" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "app"."day_ratings" SET (autovacuum_vacuum_scale_factor=0.02);

ALTER TABLE "app"."deletions" SET (autovacuum_vacuum_scale_factor=0.02);

ALTER TABLE "app"."kudos" SET (autovacuum_vacuum_scale_factor=0.02);

ALTER TABLE "app"."pulse_responses" SET (autovacuum_vacuum_scale_factor=0.02);

CREATE DOMAIN "app"."application/json" AS json;

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
  -- In this database: a copy of it on the same server has a table with the same number.
  where l.relation = 'staging.teams'::regclass and a.datname = current_database()
    and l.granted and l.pid <> pg_backend_pid() and a.backend_type = 'client backend'
  limit 1;
  if found then
    raise notice 'waiting for % (process %, since %)', other.what, other.pid, to_char(other.xact_start, 'HH24:MI:SS TZ');
  end if;
  perform app.empty_staging();
end
$function$;

CREATE OR REPLACE FUNCTION app.category_name(company_id uuid, category_id uuid)
 RETURNS text
 LANGUAGE sql
 STABLE
 SET search_path TO ''
BEGIN ATOMIC
 SELECT COALESCE(( SELECT n.name
            FROM (app.category_names n
              JOIN app.companies company ON ((company.id = n.company_id)))
           WHERE ((n.company_id = category_name.company_id) AND (n.category_id = category_name.category_id))
           ORDER BY (n.language = company.default_language) DESC, (lower(n.language) = lower(company.default_language)) DESC, (n.language = 'en'::text) DESC, n.language
          LIMIT 1), ''::text) AS "coalesce";
END;

CREATE OR REPLACE FUNCTION app.cursor_origin(company_id uuid, list text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return left(encode(sha256(convert_to(format(
    app.origin_of_cursors(), (pg_control_checkpoint()).timeline_id, 'app.deletions'::regclass::oid, company_id, list
  ), 'utf8')), 'hex'), 8);
end
$function$;

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
   WHERE (ROW(forgotten.deleted_in, forgotten.id) < ROW(excluded.deleted_in, excluded.id));
END;

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
  -- The mark may have been raised meanwhile, and only rises: a cursor that has become invalid stays so.
  insert into app.forgotten_deletions as forgotten (company_id, relation, deleted_in, id)
  values (forget_deletions.company_id, forget_deletions.relation, final.deleted_in, final.id)
  on conflict on constraint forgotten_deletions_pkey do update set deleted_in = excluded.deleted_in, id = excluded.id
  where (forgotten.deleted_in, forgotten.id) < (excluded.deleted_in, excluded.id);
end
$function$;

CREATE OR REPLACE FUNCTION app.is_time_up(share double precision DEFAULT 0.5)
 RETURNS boolean
 LANGUAGE sql
 SET search_path TO ''
RETURN (((current_setting('statement_timeout'::text))::interval > '00:00:00'::interval) AND (clock_timestamp() > (statement_timestamp() + ((current_setting('statement_timeout'::text))::interval * share))));

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
    -- So that the foreign keys of the following files are checked with plans that know the rows of this one.
    execute format('analyze app.%I', loaded.target);
  end loop;

  perform app.empty_staging();
end
$function$;

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
  perform set_config('app.new_api_key', api_key, true);
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION app.mark_answers()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if current_setting('transaction_isolation') in ('repeatable read', 'serializable') then
    raise exception 'a question must be changed at isolation level read committed' using errcode = 'invalid_transaction_state';
  end if;
  perform from app.pulse_questions as q where q.company_id = new.company_id and q.id = new.id for update;
  update app.pulse_responses as p set changed_in = pg_current_xact_id()
  where p.company_id = new.company_id and p.question_id = new.id;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION app.may_note(noted_at timestamp with time zone, noted_endpoint text DEFAULT NULL::text, endpoint text DEFAULT NULL::text)
 RETURNS boolean
 LANGUAGE sql
 STABLE
 SET search_path TO ''
RETURN ((((noted_at > (now() - '00:01:00'::interval)) AND (noted_at < (now() + '00:01:00'::interval))) IS NOT TRUE) OR (((noted_endpoint = 'GET /'::text) AND (endpoint <> 'GET /'::text)) IS TRUE));

CREATE OR REPLACE FUNCTION app.name_categories(company_id uuid, ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update app.companies as c set default_language = c.default_language
  where c.id = name_categories.company_id and c.xmin <> pg_current_xact_id()::xid
    and exists (select from app.categories as o where o.company_id = c.id and o.id = any (ids));

  update app.categories as c set name = app.category_name(c.company_id, c.id)
  where c.company_id = name_categories.company_id and c.id = any (ids) and c.name <> app.category_name(c.company_id, c.id);
end
$function$;

CREATE OR REPLACE FUNCTION app.name_categories_again()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform app.name_categories(new.id, array(select c.id from app.categories as c where c.company_id = new.id));
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION app.name_category()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if tg_op = 'TRUNCATE' then
    perform app.name_categories(c.company_id, array_agg(c.id)) from app.categories as c group by c.company_id;
    return null;
  end if;
  if tg_op <> 'INSERT' then
    perform app.name_categories(old.company_id, array[old.category_id]);
  end if;
  if tg_op <> 'DELETE' then
    perform app.name_categories(new.company_id, array[new.category_id]);
  end if;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION app.note_refused_use(key_hash text, missing_scope text DEFAULT NULL::text)
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
  refused record;
begin
  if current_setting('default_transaction_read_only')::boolean then
    return false;
  end if;
  select u.company_id, u.key_id into refused
  from app.api_key_uses as u
  join app.api_keys as k on k.company_id = u.company_id and k.id = u.key_id
  join app.companies as c on c.id = k.company_id
  where k.key_hash = decode(note_refused_use.key_hash, 'hex') and c.serving = 'open'
    and case when k.revoked_at is not null or k.expires_at <= now()
      then missing_scope is null and app.may_note(u.refused_at, u.refused_endpoint, endpoint)
      else missing_scope <> all (k.scopes) and missing_scope = any (app.scopes())
        and app.may_note(u.forbidden_at, u.forbidden_endpoint, endpoint) end
  for update of u skip locked;
  if not found then
    return false;
  end if;
  if missing_scope is null then
    update app.api_key_uses as u set refused_at = now(), refused_endpoint = endpoint, refused_client = client
    where u.company_id = refused.company_id and u.key_id = refused.key_id;
  else
    update app.api_key_uses as u
    set forbidden_at = now(), forbidden_endpoint = endpoint, forbidden_scope = missing_scope, forbidden_client = client
    where u.company_id = refused.company_id and u.key_id = refused.key_id;
  end if;
  return true;
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
  if current_setting('default_transaction_read_only')::boolean or pg_is_in_recovery() then
    return;
  end if;
  if headers ->> 'x-quick-check' = 'true' then
    update app.api_key_uses as u set checked_at = now(), checked_client = left(headers ->> 'x-client', 60)
    where (u.company_id, u.key_id) in (
      select free.company_id, free.key_id
      from app.api_key_uses as free
      where free.company_id = note_use.company_id and free.key_id = note_use.key_id and app.may_note(free.checked_at)
      for update skip locked
    );
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
      and app.may_note(free.last_used_at, free.last_endpoint, headers ->> 'x-endpoint')
    for update skip locked
  );
end
$function$;

CREATE OR REPLACE FUNCTION app.origin_of_cursors()
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN (SELECT format('%s %%s %s %%s %%s %%s'::text, s.system_identifier, d.oid) AS format FROM pg_control_system() s(pg_control_version, catalog_version_no, system_identifier, pg_control_last_modified), pg_database d WHERE (d.datname = current_database()));

CREATE OR REPLACE FUNCTION app.overdue()
 RETURNS TABLE(company_id uuid, relation text, before timestamp with time zone, late interval)
 LANGUAGE sql
 STABLE
 SET search_path TO ''
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_sort TO 'off'
BEGIN ATOMIC
 SELECT c.id,
     o.relation,
     t.before,
     (t.before - o.oldest)
    FROM ((app.companies c
      CROSS JOIN LATERAL ( SELECT (now() - c.retention) AS before) t)
      CROSS JOIN LATERAL ( VALUES ('kudos'::text,( SELECT min(k.created_at) AS min
                    FROM app.kudos k
                   WHERE (k.company_id = c.id))), ('day_ratings'::text,( SELECT min(r.created_at) AS min
                    FROM app.day_ratings r
                   WHERE (r.company_id = c.id))), ('pulse_responses'::text,( SELECT min(p.created_at) AS min
                    FROM app.pulse_responses p
                   WHERE (p.company_id = c.id)))) o(relation, oldest))
   WHERE ((c.serving <> 'moving'::text) AND (o.oldest < t.before));
END;

CREATE OR REPLACE FUNCTION app.page_headers()
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN '[{"X-Key-Id":"%s"},{"X-Company-Id":"%s"},{"X-Row-Count":"%s"},{"X-Has-More":"%s"},{"X-Next":"%s"},{"X-Next-Page":"%s"}]'::text;

CREATE OR REPLACE FUNCTION app.page_of_changes(list text, company uuid, include text[], max_rows integer, after_transaction xid8, after_id uuid, deletions_after xid8, deletions_after_id uuid, horizon xid8, origin text, began xid8, began_digits text, OUT found_rows bigint, OUT page json, OUT next text, OUT are_foreign boolean)
 RETURNS record
 LANGUAGE plpgsql
 SET search_path TO ''
 SET jit TO 'off'
AS $function$
declare
  kept text;
  has_deletions boolean := false;
  with_sender_id boolean;
  with_receiver_id boolean;
  with_category_id boolean;
  with_sender_team_id boolean;
  with_sender_team_name boolean;
  with_receiver_team_id boolean;
  with_receiver_team_name boolean;
begin
  if list = 'members' then
    if after_transaction > '0' then
      perform from app.deletions as d
      where d.company_id = company and d.relation = 'app.members'::regclass
        and (d.deleted_in, d.id) > (deletions_after, deletions_after_id) and d.deleted_in < horizon
      order by d.deleted_in, d.id limit 1;
      has_deletions := found;
    end if;
    if not has_deletions then
      select count(*), json_agg(item), max(item.cursor collate "C") into found_rows, page, next from (
        select
          v.id,
          v.name, v.email, v.role, v.team_id, v.team_name, v.created_at,
          origin || encode(xid8send(changed_in) || uuid_send(id), 'hex')
            || case when changed_in < began then began_digits else '' end as cursor,
          false as deleted
        from api.members as v
        where v.company_id = company and (v.changed_in, v.id) > (after_transaction, after_id) and v.changed_in < horizon
        order by v.changed_in, v.id limit max_rows
      ) as item;
    else
      select
        count(*), json_agg(item) filter (where place <= max_rows), string_agg(item_cursor, '') filter (where place = max_rows)
      into found_rows, page, next
      from (
        select item, item.cursor as item_cursor, row_number() over () as place from (
          select
            id,
            name, email, role, team_id, team_name, created_at,
            origin || encode(xid8send(changed_in) || uuid_send(id), 'hex')
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
    end if;
    if found_rows = max_rows and not has_deletions then
      perform from app.members as t
      where t.company_id = company and not t.is_former and t.changed_in < horizon
        and (t.changed_in, t.id) > (('x' || substr(next, 9, 16))::bit(64)::bigint::text::xid8, substr(next, 25, 32)::uuid)
      order by t.changed_in, t.id limit 1;
      if found then found_rows := max_rows + 1; end if;
    end if;
    if found_rows <= max_rows then
      perform from app.members as t
      where t.company_id = company and t.changed_in >= pg_snapshot_xmax(pg_current_snapshot())
        and t.changed_in is distinct from pg_current_xact_id_if_assigned()
      order by t.changed_in, t.id limit 1;
      are_foreign := found;
    end if;
  elsif list = 'teams' then
    if after_transaction > '0' then
      perform from app.deletions as d
      where d.company_id = company and d.relation = 'app.teams'::regclass
        and (d.deleted_in, d.id) > (deletions_after, deletions_after_id) and d.deleted_in < horizon
      order by d.deleted_in, d.id limit 1;
      has_deletions := found;
    end if;
    if not has_deletions then
      select count(*), json_agg(item), max(item.cursor collate "C") into found_rows, page, next from (
        select
          v.id,
          v.name, v.created_at,
          origin || encode(xid8send(changed_in) || uuid_send(id), 'hex')
            || case when changed_in < began then began_digits else '' end as cursor,
          false as deleted
        from api.teams as v
        where v.company_id = company and (v.changed_in, v.id) > (after_transaction, after_id) and v.changed_in < horizon
        order by v.changed_in, v.id limit max_rows
      ) as item;
    else
      select
        count(*), json_agg(item) filter (where place <= max_rows), string_agg(item_cursor, '') filter (where place = max_rows)
      into found_rows, page, next
      from (
        select item, item.cursor as item_cursor, row_number() over () as place from (
          select
            id,
            name, created_at,
            origin || encode(xid8send(changed_in) || uuid_send(id), 'hex')
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
    end if;
    if found_rows = max_rows and not has_deletions then
      perform from app.teams as t
      where t.company_id = company and t.changed_in < horizon
        and (t.changed_in, t.id) > (('x' || substr(next, 9, 16))::bit(64)::bigint::text::xid8, substr(next, 25, 32)::uuid)
      order by t.changed_in, t.id limit 1;
      if found then found_rows := max_rows + 1; end if;
    end if;
    if found_rows <= max_rows then
      perform from app.teams as t
      where t.company_id = company and t.changed_in >= pg_snapshot_xmax(pg_current_snapshot())
        and t.changed_in is distinct from pg_current_xact_id_if_assigned()
      order by t.changed_in, t.id limit 1;
      are_foreign := found;
    end if;
  elsif list = 'activity' then
    if after_transaction > '0' then
      perform from app.deletions as d
      where d.company_id = company and d.relation = 'app.kudos'::regclass
        and (d.deleted_in, d.id) > (deletions_after, deletions_after_id) and d.deleted_in < horizon
      order by d.deleted_in, d.id limit 1;
      has_deletions := found;
    end if;
    if include is null then
      if not has_deletions then
        select count(*), json_agg(item), max(item.cursor collate "C") into found_rows, page, next from (
          select
            v.id,
            v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
            origin || encode(xid8send(changed_in) || uuid_send(id), 'hex')
              || case when changed_in < began then began_digits else '' end as cursor,
            false as deleted
          from api.activity as v
          where v.company_id = company and (v.changed_in, v.id) > (after_transaction, after_id) and v.changed_in < horizon
          order by v.changed_in, v.id limit max_rows
        ) as item;
      else
        select
          count(*), json_agg(item) filter (where place <= max_rows), string_agg(item_cursor, '') filter (where place = max_rows)
        into found_rows, page, next
        from (
          select item, item.cursor as item_cursor, row_number() over () as place from (
            select
              id,
              "timestamp", sender_name, sender_email, receiver_name, receiver_email, message, category,
              origin || encode(xid8send(changed_in) || uuid_send(id), 'hex')
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
      end if;
    elsif not include && array['sender_team_id', 'sender_team_name', 'receiver_team_id', 'receiver_team_name'] then
      with_sender_id := 'sender_id' = any (include);
      with_receiver_id := 'receiver_id' = any (include);
      with_category_id := 'category_id' = any (include);
      if not has_deletions then
        select count(*), json_agg(item), max(item.cursor collate "C") into found_rows, page, next from (
          select
            v.id,
            v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
            case when with_sender_id then v.sender_id end as sender_id,
            case when with_receiver_id then v.receiver_id end as receiver_id,
            case when with_category_id then v.category_id end as category_id,
            origin || encode(xid8send(changed_in) || uuid_send(id), 'hex')
              || case when changed_in < began then began_digits else '' end as cursor,
            false as deleted
          from api.activity as v
          where v.company_id = company and (v.changed_in, v.id) > (after_transaction, after_id) and v.changed_in < horizon
          order by v.changed_in, v.id limit max_rows
        ) as item;
      else
        select
          count(*), json_agg(item) filter (where place <= max_rows), string_agg(item_cursor, '') filter (where place = max_rows)
        into found_rows, page, next
        from (
          select item, item.cursor as item_cursor, row_number() over () as place from (
            select
              id,
              "timestamp", sender_name, sender_email, receiver_name, receiver_email, message, category, sender_id,
              receiver_id, category_id,
              origin || encode(xid8send(changed_in) || uuid_send(id), 'hex')
                || case when changed_in < began then began_digits else '' end as cursor,
              deleted
            from (
              (
                select
                  v.changed_in, v.id,
                  v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
                  case when with_sender_id then v.sender_id end as sender_id,
                  case when with_receiver_id then v.receiver_id end as receiver_id,
                  case when with_category_id then v.category_id end as category_id,
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
                    case when with_sender_id then v.sender_id end as sender_id,
                    case when with_receiver_id then v.receiver_id end as receiver_id,
                    case when with_category_id then v.category_id end as category_id
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
      end if;
      -- Columns that include does not name are null in every row, and are taken out of the text of the page. This text is
      -- never within a value, because quotes are escaped there. Each assignment to page parses it.
      if cardinality(include) < 3 then
        kept := page;
        if not with_sender_id then kept := replace(kept, ',"sender_id":null', ''); end if;
        if not with_receiver_id then kept := replace(kept, ',"receiver_id":null', ''); end if;
        if not with_category_id then kept := replace(kept, ',"category_id":null', ''); end if;
        page := kept;
      end if;
    elsif not include && array['sender_id', 'receiver_id', 'category_id'] then
      with_sender_team_id := 'sender_team_id' = any (include);
      with_sender_team_name := 'sender_team_name' = any (include);
      with_receiver_team_id := 'receiver_team_id' = any (include);
      with_receiver_team_name := 'receiver_team_name' = any (include);
      if not has_deletions then
        select count(*), json_agg(item), max(item.cursor collate "C") into found_rows, page, next from (
          select
            v.id,
            v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
            case when with_sender_team_id then v.sender_team_id end as sender_team_id,
            case when with_sender_team_name then v.sender_team_name end as sender_team_name,
            case when with_receiver_team_id then v.receiver_team_id end as receiver_team_id,
            case when with_receiver_team_name then v.receiver_team_name end as receiver_team_name,
            origin || encode(xid8send(changed_in) || uuid_send(id), 'hex')
              || case when changed_in < began then began_digits else '' end as cursor,
            false as deleted
          from api.activity as v
          where v.company_id = company and (v.changed_in, v.id) > (after_transaction, after_id) and v.changed_in < horizon
          order by v.changed_in, v.id limit max_rows
        ) as item;
      else
        select
          count(*), json_agg(item) filter (where place <= max_rows), string_agg(item_cursor, '') filter (where place = max_rows)
        into found_rows, page, next
        from (
          select item, item.cursor as item_cursor, row_number() over () as place from (
            select
              id,
              "timestamp", sender_name, sender_email, receiver_name, receiver_email, message, category, sender_team_id,
              sender_team_name, receiver_team_id, receiver_team_name,
              origin || encode(xid8send(changed_in) || uuid_send(id), 'hex')
                || case when changed_in < began then began_digits else '' end as cursor,
              deleted
            from (
              (
                select
                  v.changed_in, v.id,
                  v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
                  case when with_sender_team_id then v.sender_team_id end as sender_team_id,
                  case when with_sender_team_name then v.sender_team_name end as sender_team_name,
                  case when with_receiver_team_id then v.receiver_team_id end as receiver_team_id,
                  case when with_receiver_team_name then v.receiver_team_name end as receiver_team_name,
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
                    case when with_sender_team_id then v.sender_team_id end as sender_team_id,
                    case when with_sender_team_name then v.sender_team_name end as sender_team_name,
                    case when with_receiver_team_id then v.receiver_team_id end as receiver_team_id,
                    case when with_receiver_team_name then v.receiver_team_name end as receiver_team_name
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
      end if;
      -- Columns that include does not name are null in every row, and are taken out of the text of the page. This text is
      -- never within a value, because quotes are escaped there. Each assignment to page parses it.
      if cardinality(include) < 4 then
        kept := page;
        if not with_sender_team_id then kept := replace(kept, ',"sender_team_id":null', ''); end if;
        if not with_sender_team_name then kept := replace(kept, ',"sender_team_name":null', ''); end if;
        if not with_receiver_team_id then kept := replace(kept, ',"receiver_team_id":null', ''); end if;
        if not with_receiver_team_name then kept := replace(kept, ',"receiver_team_name":null', ''); end if;
        page := kept;
      end if;
    else
      with_sender_id := 'sender_id' = any (include);
      with_receiver_id := 'receiver_id' = any (include);
      with_category_id := 'category_id' = any (include);
      with_sender_team_id := 'sender_team_id' = any (include);
      with_sender_team_name := 'sender_team_name' = any (include);
      with_receiver_team_id := 'receiver_team_id' = any (include);
      with_receiver_team_name := 'receiver_team_name' = any (include);
      if not has_deletions then
        select count(*), json_agg(item), max(item.cursor collate "C") into found_rows, page, next from (
          select
            v.id,
            v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
            case when with_sender_id then v.sender_id end as sender_id,
            case when with_receiver_id then v.receiver_id end as receiver_id,
            case when with_category_id then v.category_id end as category_id,
            case when with_sender_team_id then v.sender_team_id end as sender_team_id,
            case when with_sender_team_name then v.sender_team_name end as sender_team_name,
            case when with_receiver_team_id then v.receiver_team_id end as receiver_team_id,
            case when with_receiver_team_name then v.receiver_team_name end as receiver_team_name,
            origin || encode(xid8send(changed_in) || uuid_send(id), 'hex')
              || case when changed_in < began then began_digits else '' end as cursor,
            false as deleted
          from api.activity as v
          where v.company_id = company and (v.changed_in, v.id) > (after_transaction, after_id) and v.changed_in < horizon
          order by v.changed_in, v.id limit max_rows
        ) as item;
      else
        select
          count(*), json_agg(item) filter (where place <= max_rows), string_agg(item_cursor, '') filter (where place = max_rows)
        into found_rows, page, next
        from (
          select item, item.cursor as item_cursor, row_number() over () as place from (
            select
              id,
              "timestamp", sender_name, sender_email, receiver_name, receiver_email, message, category, sender_id,
              receiver_id, category_id, sender_team_id, sender_team_name, receiver_team_id, receiver_team_name,
              origin || encode(xid8send(changed_in) || uuid_send(id), 'hex')
                || case when changed_in < began then began_digits else '' end as cursor,
              deleted
            from (
              (
                select
                  v.changed_in, v.id,
                  v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
                  case when with_sender_id then v.sender_id end as sender_id,
                  case when with_receiver_id then v.receiver_id end as receiver_id,
                  case when with_category_id then v.category_id end as category_id,
                  case when with_sender_team_id then v.sender_team_id end as sender_team_id,
                  case when with_sender_team_name then v.sender_team_name end as sender_team_name,
                  case when with_receiver_team_id then v.receiver_team_id end as receiver_team_id,
                  case when with_receiver_team_name then v.receiver_team_name end as receiver_team_name,
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
                    case when with_sender_id then v.sender_id end as sender_id,
                    case when with_receiver_id then v.receiver_id end as receiver_id,
                    case when with_category_id then v.category_id end as category_id,
                    case when with_sender_team_id then v.sender_team_id end as sender_team_id,
                    case when with_sender_team_name then v.sender_team_name end as sender_team_name,
                    case when with_receiver_team_id then v.receiver_team_id end as receiver_team_id,
                    case when with_receiver_team_name then v.receiver_team_name end as receiver_team_name
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
      end if;
      -- Columns that include does not name are null in every row, and are taken out of the text of the page. This text is
      -- never within a value, because quotes are escaped there. Each assignment to page parses it.
      if cardinality(include) < 7 then
        kept := page;
        if not with_sender_id then kept := replace(kept, ',"sender_id":null', ''); end if;
        if not with_receiver_id then kept := replace(kept, ',"receiver_id":null', ''); end if;
        if not with_category_id then kept := replace(kept, ',"category_id":null', ''); end if;
        if not with_sender_team_id then kept := replace(kept, ',"sender_team_id":null', ''); end if;
        if not with_sender_team_name then kept := replace(kept, ',"sender_team_name":null', ''); end if;
        if not with_receiver_team_id then kept := replace(kept, ',"receiver_team_id":null', ''); end if;
        if not with_receiver_team_name then kept := replace(kept, ',"receiver_team_name":null', ''); end if;
        page := kept;
      end if;
    end if;
    if found_rows = max_rows and not has_deletions then
      perform from app.kudos as t
      where t.company_id = company and t.changed_in < horizon
        and (t.changed_in, t.id) > (('x' || substr(next, 9, 16))::bit(64)::bigint::text::xid8, substr(next, 25, 32)::uuid)
      order by t.changed_in, t.id limit 1;
      if found then found_rows := max_rows + 1; end if;
    end if;
    if found_rows <= max_rows then
      perform from app.kudos as t
      where t.company_id = company and t.changed_in >= pg_snapshot_xmax(pg_current_snapshot())
        and t.changed_in is distinct from pg_current_xact_id_if_assigned()
      order by t.changed_in, t.id limit 1;
      are_foreign := found;
    end if;
  elsif list = 'categories' then
    if after_transaction > '0' then
      perform from app.deletions as d
      where d.company_id = company and d.relation = 'app.categories'::regclass
        and (d.deleted_in, d.id) > (deletions_after, deletions_after_id) and d.deleted_in < horizon
      order by d.deleted_in, d.id limit 1;
      has_deletions := found;
    end if;
    if not has_deletions then
      select count(*), json_agg(item), max(item.cursor collate "C") into found_rows, page, next from (
        select
          v.id,
          v.name, v.created_at,
          origin || encode(xid8send(changed_in) || uuid_send(id), 'hex')
            || case when changed_in < began then began_digits else '' end as cursor,
          false as deleted
        from api.categories as v
        where v.company_id = company and (v.changed_in, v.id) > (after_transaction, after_id) and v.changed_in < horizon
        order by v.changed_in, v.id limit max_rows
      ) as item;
    else
      select
        count(*), json_agg(item) filter (where place <= max_rows), string_agg(item_cursor, '') filter (where place = max_rows)
      into found_rows, page, next
      from (
        select item, item.cursor as item_cursor, row_number() over () as place from (
          select
            id,
            name, created_at,
            origin || encode(xid8send(changed_in) || uuid_send(id), 'hex')
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
    end if;
    if found_rows = max_rows and not has_deletions then
      perform from app.categories as t
      where t.company_id = company and t.changed_in < horizon
        and (t.changed_in, t.id) > (('x' || substr(next, 9, 16))::bit(64)::bigint::text::xid8, substr(next, 25, 32)::uuid)
      order by t.changed_in, t.id limit 1;
      if found then found_rows := max_rows + 1; end if;
    end if;
    if found_rows <= max_rows then
      perform from app.categories as t
      where t.company_id = company and t.changed_in >= pg_snapshot_xmax(pg_current_snapshot())
        and t.changed_in is distinct from pg_current_xact_id_if_assigned()
      order by t.changed_in, t.id limit 1;
      are_foreign := found;
    end if;
  elsif list = 'rewards' then
    if after_transaction > '0' then
      perform from app.deletions as d
      where d.company_id = company and d.relation = 'app.rewards'::regclass
        and (d.deleted_in, d.id) > (deletions_after, deletions_after_id) and d.deleted_in < horizon
      order by d.deleted_in, d.id limit 1;
      has_deletions := found;
    end if;
    if include is null then
      if not has_deletions then
        select count(*), json_agg(item), max(item.cursor collate "C") into found_rows, page, next from (
          select
            v.id,
            v.name, v.description, v.points_cost, v.reward_type, v.stock_count, v.image_url, v.vendor_name, v.is_archived,
            v.created_at,
            origin || encode(xid8send(changed_in) || uuid_send(id), 'hex')
              || case when changed_in < began then began_digits else '' end as cursor,
            false as deleted
          from api.rewards as v
          where v.company_id = company and (v.changed_in, v.id) > (after_transaction, after_id) and v.changed_in < horizon
          order by v.changed_in, v.id limit max_rows
        ) as item;
      else
        select
          count(*), json_agg(item) filter (where place <= max_rows), string_agg(item_cursor, '') filter (where place = max_rows)
        into found_rows, page, next
        from (
          select item, item.cursor as item_cursor, row_number() over () as place from (
            select
              id,
              name, description, points_cost, reward_type, stock_count, image_url, vendor_name, is_archived, created_at,
              origin || encode(xid8send(changed_in) || uuid_send(id), 'hex')
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
      end if;
    else
      if not has_deletions then
        select count(*), json_agg(item), max(item.cursor collate "C") into found_rows, page, next from (
          select
            v.id,
            v.name, v.description, v.points_cost, v.reward_type, v.stock_count, v.image_url, v.vendor_name, v.is_archived,
            v.created_at, v.external_id,
            origin || encode(xid8send(changed_in) || uuid_send(id), 'hex')
              || case when changed_in < began then began_digits else '' end as cursor,
            false as deleted
          from api.rewards as v
          where v.company_id = company and (v.changed_in, v.id) > (after_transaction, after_id) and v.changed_in < horizon
          order by v.changed_in, v.id limit max_rows
        ) as item;
      else
        select
          count(*), json_agg(item) filter (where place <= max_rows), string_agg(item_cursor, '') filter (where place = max_rows)
        into found_rows, page, next
        from (
          select item, item.cursor as item_cursor, row_number() over () as place from (
            select
              id,
              name, description, points_cost, reward_type, stock_count, image_url, vendor_name, is_archived, created_at,
              external_id,
              origin || encode(xid8send(changed_in) || uuid_send(id), 'hex')
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
    end if;
    if found_rows = max_rows and not has_deletions then
      perform from app.rewards as t
      where t.company_id = company and t.changed_in < horizon
        and (t.changed_in, t.id) > (('x' || substr(next, 9, 16))::bit(64)::bigint::text::xid8, substr(next, 25, 32)::uuid)
      order by t.changed_in, t.id limit 1;
      if found then found_rows := max_rows + 1; end if;
    end if;
    if found_rows <= max_rows then
      perform from app.rewards as t
      where t.company_id = company and t.changed_in >= pg_snapshot_xmax(pg_current_snapshot())
        and t.changed_in is distinct from pg_current_xact_id_if_assigned()
      order by t.changed_in, t.id limit 1;
      are_foreign := found;
    end if;
  elsif list = 'day-ratings' then
    if after_transaction > '0' then
      perform from app.deletions as d
      where d.company_id = company and d.relation = 'app.day_ratings'::regclass
        and (d.deleted_in, d.id) > (deletions_after, deletions_after_id) and d.deleted_in < horizon
      order by d.deleted_in, d.id limit 1;
      has_deletions := found;
    end if;
    if include is null then
      if not has_deletions then
        select count(*), json_agg(item), max(item.cursor collate "C") into found_rows, page, next from (
          select
            v.id,
            v.rating, v.comment, v.team_id, v.points_awarded, v.created_at,
            origin || encode(xid8send(changed_in) || uuid_send(id), 'hex')
              || case when changed_in < began then began_digits else '' end as cursor,
            false as deleted
          from api.day_ratings as v
          where v.company_id = company and (v.changed_in, v.id) > (after_transaction, after_id) and v.changed_in < horizon
          order by v.changed_in, v.id limit max_rows
        ) as item;
      else
        select
          count(*), json_agg(item) filter (where place <= max_rows), string_agg(item_cursor, '') filter (where place = max_rows)
        into found_rows, page, next
        from (
          select item, item.cursor as item_cursor, row_number() over () as place from (
            select
              id,
              rating, comment, team_id, points_awarded, created_at,
              origin || encode(xid8send(changed_in) || uuid_send(id), 'hex')
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
      end if;
    else
      if not has_deletions then
        select count(*), json_agg(item), max(item.cursor collate "C") into found_rows, page, next from (
          select
            v.id,
            v.rating, v.comment, v.team_id, v.points_awarded, v.created_at, v.team_name,
            origin || encode(xid8send(changed_in) || uuid_send(id), 'hex')
              || case when changed_in < began then began_digits else '' end as cursor,
            false as deleted
          from api.day_ratings as v
          where v.company_id = company and (v.changed_in, v.id) > (after_transaction, after_id) and v.changed_in < horizon
          order by v.changed_in, v.id limit max_rows
        ) as item;
      else
        select
          count(*), json_agg(item) filter (where place <= max_rows), string_agg(item_cursor, '') filter (where place = max_rows)
        into found_rows, page, next
        from (
          select item, item.cursor as item_cursor, row_number() over () as place from (
            select
              id,
              rating, comment, team_id, points_awarded, created_at, team_name,
              origin || encode(xid8send(changed_in) || uuid_send(id), 'hex')
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
    end if;
    if found_rows = max_rows and not has_deletions then
      perform from app.day_ratings as t
      where t.company_id = company and t.changed_in < horizon
        and (t.changed_in, t.id) > (('x' || substr(next, 9, 16))::bit(64)::bigint::text::xid8, substr(next, 25, 32)::uuid)
      order by t.changed_in, t.id limit 1;
      if found then found_rows := max_rows + 1; end if;
    end if;
    if found_rows <= max_rows then
      perform from app.day_ratings as t
      where t.company_id = company and t.changed_in >= pg_snapshot_xmax(pg_current_snapshot())
        and t.changed_in is distinct from pg_current_xact_id_if_assigned()
      order by t.changed_in, t.id limit 1;
      are_foreign := found;
    end if;
  elsif list = 'pulse-responses' then
    if after_transaction > '0' then
      perform from app.deletions as d
      where d.company_id = company and d.relation = 'app.pulse_responses'::regclass
        and (d.deleted_in, d.id) > (deletions_after, deletions_after_id) and d.deleted_in < horizon
      order by d.deleted_in, d.id limit 1;
      has_deletions := found;
    end if;
    if include is null then
      if not has_deletions then
        select count(*), json_agg(item), max(item.cursor collate "C") into found_rows, page, next from (
          select
            v.id,
            v."timestamp", v.question, v.response_type, v.value, v.comment,
            origin || encode(xid8send(changed_in) || uuid_send(id), 'hex')
              || case when changed_in < began then began_digits else '' end as cursor,
            false as deleted
          from api.pulse_responses as v
          where v.company_id = company and (v.changed_in, v.id) > (after_transaction, after_id) and v.changed_in < horizon
          order by v.changed_in, v.id limit max_rows
        ) as item;
      else
        select
          count(*), json_agg(item) filter (where place <= max_rows), string_agg(item_cursor, '') filter (where place = max_rows)
        into found_rows, page, next
        from (
          select item, item.cursor as item_cursor, row_number() over () as place from (
            select
              id,
              "timestamp", question, response_type, value, comment,
              origin || encode(xid8send(changed_in) || uuid_send(id), 'hex')
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
      end if;
    else
      if not has_deletions then
        select count(*), json_agg(item), max(item.cursor collate "C") into found_rows, page, next from (
          select
            v.id,
            v."timestamp", v.question, v.response_type, v.value, v.comment, v.question_id,
            origin || encode(xid8send(changed_in) || uuid_send(id), 'hex')
              || case when changed_in < began then began_digits else '' end as cursor,
            false as deleted
          from api.pulse_responses as v
          where v.company_id = company and (v.changed_in, v.id) > (after_transaction, after_id) and v.changed_in < horizon
          order by v.changed_in, v.id limit max_rows
        ) as item;
      else
        select
          count(*), json_agg(item) filter (where place <= max_rows), string_agg(item_cursor, '') filter (where place = max_rows)
        into found_rows, page, next
        from (
          select item, item.cursor as item_cursor, row_number() over () as place from (
            select
              id,
              "timestamp", question, response_type, value, comment, question_id,
              origin || encode(xid8send(changed_in) || uuid_send(id), 'hex')
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
    if found_rows = max_rows and not has_deletions then
      perform from app.pulse_responses as t
      where t.company_id = company and t.changed_in < horizon
        and (t.changed_in, t.id) > (('x' || substr(next, 9, 16))::bit(64)::bigint::text::xid8, substr(next, 25, 32)::uuid)
      order by t.changed_in, t.id limit 1;
      if found then found_rows := max_rows + 1; end if;
    end if;
    if found_rows <= max_rows then
      perform from app.pulse_responses as t
      where t.company_id = company and t.changed_in >= pg_snapshot_xmax(pg_current_snapshot())
        and t.changed_in is distinct from pg_current_xact_id_if_assigned()
      order by t.changed_in, t.id limit 1;
      are_foreign := found;
    end if;
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION app.plain(text text)
 RETURNS text
 LANGUAGE sql
 STABLE
 SET search_path TO ''
BEGIN ATOMIC
 SELECT lower(extensions.unaccent(text)) AS lower;
END;

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
        'run sql/commands/check.sql.';
end
$function$;

CREATE OR REPLACE FUNCTION app.repeated_cells_query(file text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN (SELECT string_agg(format('
        select s.position, %1$L, repeated.first
        from (
          select %3$s, min(s.position) as first
          from staging.%2$I as s
          where (%4$s) is not null
          group by %3$s having count(*) > 1
        ) as repeated (%5$s, first)
        join staging.%2$I as s on (%3$s) = (%6$s)
        where s.position > repeated.first
      '::text, pieces.problem, repeated_cells_query.file, pieces.compared, pieces.not_empty, pieces.names, pieces.repeated), 'union all'::text ORDER BY pieces.problem) AS string_agg FROM (SELECT (string_agg(c.field, ' and '::text ORDER BY c.place) || ' must be unique in the file'::text) AS problem, string_agg(format(CASE c.kind WHEN 'uuid'::text THEN 'lower(s.%I collate "C")'::text WHEN 'email'::text THEN 'lower(s.%I)'::text ELSE 's.%I'::text END, c.field), ', '::text ORDER BY c.place) AS compared, string_agg(format('nullif(s.%I, '''')'::text, c.field), ', '::text ORDER BY c.place) AS not_empty, string_agg(format('%I'::text, c.field), ', '::text ORDER BY c.place) AS names, string_agg(format('repeated.%I'::text, c.field), ', '::text ORDER BY c.place) AS repeated FROM app.loaded_columns() c(file, place, field, kind, unique_by, minimum, maximum, when_empty, names, target_column) WHERE ((c.file = repeated_cells_query.file) AND (c.unique_by IS NOT NULL)) GROUP BY c.unique_by) pieces);

CREATE OR REPLACE FUNCTION app.require_settled_company(company_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  serving text;
begin
  select c.serving into serving from app.companies as c where c.id = require_settled_company.company_id for key share;
  if not found then
    raise exception 'company_id must be the id of a company, % is none', company_id using errcode = 'invalid_parameter_value';
  elsif serving = 'moving' then
    raise exception 'company_id must be the id of a company that is not on its way to another project, % is moving', company_id
      using errcode = 'invalid_parameter_value';
  end if;
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
      'union all',
      app.wrong_cells_query(loaded.file),
      app.unknown_ids_query(loaded.file),
      app.repeated_cells_query(loaded.file),
      -- Members whose email address belongs to a member of the company who is not in the file.
      case when loaded.file = 'members' then
        $taken$
          select s.position, format('email must be unique in the company, member %s has it too', present.id), null::bigint
          from staging.members as s
          join app.members as present on present.company_id = $1 and lower(present.email) = lower(s.email)
          where not exists (select from staging.members as sent where lower(sent.id) = present.id::text)
        $taken$
      end
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

CREATE OR REPLACE FUNCTION app.take_turn_of_total(verified app.verified_key)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  base constant bigint := 7330216700000000;
begin
  if pg_try_advisory_xact_lock(uuid_hash_extended(verified.company_id, base)) then
    for slot in 1..app.totals_at_once() loop
      if pg_try_advisory_xact_lock(base + slot) then
        return;
      end if;
    end loop;
  end if;
  raise exception using
    errcode = 'PT429',
    message = 'Too Many Requests',
    detail = json_build_object('key_id', verified.key_id, 'company_id', verified.company_id);
end
$function$;

CREATE OR REPLACE FUNCTION app.totals_at_once()
 RETURNS integer
 LANGUAGE sql
 STABLE
 SET search_path TO ''
RETURN 2;

CREATE OR REPLACE FUNCTION app.unknown_ids_query(file text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN (SELECT string_agg(format('
        select u.position, %1$L || u.id || '' is unknown'', null::bigint
        from (
          select s.position, lower(s.%2$I collate "C") as id
          from staging.%3$I as s
          where s.%2$I <> '''' and not exists (
            select from (
              select lower(sent.id collate "C") as id from staging.%4$I as sent
              union all
              select present.id::text from app.%4$I as present where present.company_id = $1
            ) as known
            where known.id = lower(s.%2$I collate "C")
          )
          offset 0
        ) as u
        where case when %5$s then %6$s end
      '::text, (((c.field || ' must be the id of a '::text) || f.one) || ', '::text), c.field, c.file, c.names, format(k.condition, 'u.id'), CASE c.names WHEN 'members'::text THEN 'not app.is_erased($1, u.id::uuid)'::text ELSE 'true'::text END), 'union all'::text ORDER BY c.place) AS string_agg FROM ((app.loaded_columns() c(file, place, field, kind, unique_by, minimum, maximum, when_empty, names, target_column) JOIN app.loaded_files() f(place, file, target, one) ON ((f.file = c.names))) JOIN app.cell_checks() k(kind, condition, words) ON ((k.kind = c.kind))) WHERE (c.file = unknown_ids_query.file));

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
    '::text, f.target, f.file, string_agg((CASE WHEN (c.when_empty IS NULL) THEN format('s.%I::%s'::text, c.field, c.type) ELSE format('coalesce(nullif(s.%I, '''')::%s, %s)'::text, c.field, c.type, c.when_empty) END || format(' as %I'::text, c.target_column)), ', '::text ORDER BY c.place), string_agg(format('s.%I::%s'::text, c.field, c.type), ', '::text ORDER BY (c.kind = 'date_time'::text) DESC, c.place) FILTER (WHERE ((c.kind = 'date_time'::text) OR c.is_key)), string_agg(format('t.%1$I = s.%1$I'::text, c.target_column), ' and '::text ORDER BY c.place) FILTER (WHERE c.is_key), string_agg((format('t.%I'::text, c.target_column) || c.compared_as), ', '::text ORDER BY c.place) FILTER (WHERE (NOT c.is_key)), string_agg((format('s.%I'::text, c.target_column) || c.compared_as), ', '::text ORDER BY c.place) FILTER (WHERE (NOT c.is_key)), string_agg(format('%1$I = s.%1$I'::text, c.target_column), ', '::text ORDER BY c.place) FILTER (WHERE (NOT c.is_key)), string_agg(format('%I'::text, c.target_column), ', '::text ORDER BY c.place), string_agg(format('s.%I'::text, c.target_column), ', '::text ORDER BY c.place)) AS format FROM (app.loaded_files() f(place, file, target, one) JOIN (SELECT loaded.file, loaded.place, loaded.field, loaded.kind, loaded.unique_by, loaded.minimum, loaded.maximum, loaded.when_empty, loaded.names, loaded.target_column, CASE loaded.kind WHEN 'uuid'::text THEN 'uuid'::text WHEN 'whole_number'::text THEN 'integer'::text WHEN 'json'::text THEN 'jsonb'::text WHEN 'date_time'::text THEN 'timestamptz'::text ELSE 'text'::text END AS type, (NOT (loaded.unique_by IS DISTINCT FROM 'key'::text)) AS is_key, CASE loaded.kind WHEN 'json'::text THEN '::text'::text ELSE ''::text END AS compared_as FROM app.loaded_columns() loaded(file, place, field, kind, unique_by, minimum, maximum, when_empty, names, target_column)) c ON ((c.file = f.file))) WHERE (f.file = write_query.file) GROUP BY f.file, f.target);

CREATE OR REPLACE FUNCTION app.wrong_cells_query(file text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN (SELECT format('
      select s.position, p.problem, null::bigint
      from staging.%I as s
      cross join lateral (values %s) as p (problem)
      where p.problem is not null
    '::text, wrong_cells_query.file, string_agg(format('(case when %s(%s) is not true then %L end)'::text, CASE WHEN (c.when_empty IS NOT NULL) THEN format('s.%I <> '''' and '::text, c.field) ELSE NULL::text END, format(k.condition, format('s.%I'::text, c.field), c.minimum, c.maximum), (((c.field || ' '::text) || format(k.words, NULL::unknown, c.minimum, c.maximum)) || CASE WHEN (c.when_empty IS NULL) THEN ''::text ELSE ' or empty'::text END)), ', '::text ORDER BY c.place)) AS format FROM (app.loaded_columns() c(file, place, field, kind, unique_by, minimum, maximum, when_empty, names, target_column) JOIN app.cell_checks() k(kind, condition, words) ON ((k.kind = c.kind))) WHERE (c.file = wrong_cells_query.file));

CREATE OR REPLACE FUNCTION public.average_day_ratings(key_hash text, by text[], since timestamp with time zone DEFAULT NULL::timestamp with time zone, until timestamp with time zone DEFAULT NULL::timestamp with time zone, time_zone text DEFAULT 'UTC'::text, team_id uuid DEFAULT NULL::uuid)
 RETURNS app."application/json"
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
  perform app.take_turn_of_total(api_key);

  execute format(
    $statement$
      select count(*), json_agg(item) from (
        select %1$s ratings, average
        from (
          select period.first_day, rated.*
          from app.periods($2, app.first_of_window($3, $4, $5), $4, $5) as period
          cross join lateral (
            select %2$s count(*) as ratings, trim_scale(round(avg(d.rating), 2)) as average
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
 RETURNS app."application/json"
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
  perform app.take_turn_of_total(api_key);

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

CREATE OR REPLACE FUNCTION public.let_assistant_read(name text, scopes text[], expires_at timestamp with time zone, bound_to text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  readable constant text[] := array_remove(app.scopes(), 'write:rewards');
  code constant text := encode(extensions.gen_random_bytes(32), 'hex');
  admin record;
begin
  select a.company_id, a.member_id into admin from app.current_admin() as a;
  if not found then
    raise exception using errcode = 'PT403', message = 'only an admin may let an assistant read';
  end if;
  perform app.check_api_key_name(name);
  -- Null for no scopes, 2 for an array of arrays.
  if array_ndims(scopes) is distinct from 1 or not scopes <@ readable
    or cardinality(scopes) > (select count(distinct scope) from unnest(scopes) as scope) then
    raise exception using errcode = 'PT400', hint = 'scopes',
      message = 'scopes must be one or more of ' || array_to_string(readable, ', ') || ', each once';
  end if;
  -- 90 days, to the end of the day of the admin's zone, whose clocks may change meanwhile.
  if (expires_at between now() and now() + interval '92 days') is not true then
    raise exception using errcode = 'PT400', hint = 'expires_at', message = 'expires_at must be within the next 92 days';
  end if;
  if coalesce(char_length(bound_to), 0) not between 1 and 3000 then
    raise exception using errcode = 'PT400', hint = 'bound_to', message = 'bound_to must have 1 to 3000 characters';
  end if;
  delete from app.assistant_codes as c where c.company_id = admin.company_id and c.expires_at < now();
  insert into app.assistant_codes (company_id, code_hash, member_id, assistant, scopes, key_expires_at, bound_to)
  values (admin.company_id, sha256(convert_to(code, 'UTF8')), admin.member_id, name, scopes, expires_at, bound_to);
  return json_build_object('code', code);
end
$function$;

REVOKE ALL ON FUNCTION public.let_assistant_read FROM PUBLIC, anon, authenticated, service_role;

CREATE OR REPLACE FUNCTION public.list_activity(key_hash text, max_rows integer, since timestamp with time zone DEFAULT '-infinity'::timestamp with time zone, until timestamp with time zone DEFAULT 'infinity'::timestamp with time zone, category_id uuid DEFAULT NULL::uuid, sender_id uuid DEFAULT NULL::uuid, receiver_id uuid DEFAULT NULL::uuid, starting_after uuid DEFAULT NULL::uuid, include text[] DEFAULT NULL::text[], after_time timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS app."application/json"
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
  found_rows integer;
  page json;
  next text;
  headers text;
  -- The page begins below this pair of instant and id (docs/api.md, Lists).
  below_instant timestamptz := until + interval '1 microsecond';
  below_id uuid := uuid '00000000-0000-0000-0000-000000000000';
  lead_by text;
  kept text;
  with_sender_id boolean;
  with_receiver_id boolean;
  with_category_id boolean;
  with_sender_team_id boolean;
  with_sender_team_name boolean;
  with_receiver_team_id boolean;
  with_receiver_team_name boolean;
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
    if after_time is null then
      select t.created_at into after_time from app.kudos as t
      where t.company_id = api_key.company_id and t.id = starting_after;
      if not found then
        perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
      end if;
    end if;
    if (after_time, starting_after) < (below_instant, below_id) then
      below_instant := after_time;
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
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item)."timestamp" || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
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
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item)."timestamp" || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
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
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item)."timestamp" || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
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
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item)."timestamp" || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
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
    with_sender_id := 'sender_id' = any (include);
    with_receiver_id := 'receiver_id' = any (include);
    with_category_id := 'category_id' = any (include);
    if lead_by is null then
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item)."timestamp" || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
            case when with_sender_id then v.sender_id end as sender_id,
            case when with_receiver_id then v.receiver_id end as receiver_id,
            case when with_category_id then v.category_id end as category_id
          from api.activity as v
          where v.company_id = api_key.company_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    elsif lead_by = 'sender' then
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item)."timestamp" || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
            case when with_sender_id then v.sender_id end as sender_id,
            case when with_receiver_id then v.receiver_id end as receiver_id,
            case when with_category_id then v.category_id end as category_id
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
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item)."timestamp" || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
            case when with_sender_id then v.sender_id end as sender_id,
            case when with_receiver_id then v.receiver_id end as receiver_id,
            case when with_category_id then v.category_id end as category_id
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
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item)."timestamp" || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
            case when with_sender_id then v.sender_id end as sender_id,
            case when with_receiver_id then v.receiver_id end as receiver_id,
            case when with_category_id then v.category_id end as category_id
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
    -- never within a value, because quotes are escaped there. Each assignment to page parses it.
    if cardinality(include) < 3 then
      kept := page;
      if not with_sender_id then kept := replace(kept, ',"sender_id":null', ''); end if;
      if not with_receiver_id then kept := replace(kept, ',"receiver_id":null', ''); end if;
      if not with_category_id then kept := replace(kept, ',"category_id":null', ''); end if;
      page := kept;
    end if;
  elsif not include && array['sender_id', 'receiver_id', 'category_id'] then
    with_sender_team_id := 'sender_team_id' = any (include);
    with_sender_team_name := 'sender_team_name' = any (include);
    with_receiver_team_id := 'receiver_team_id' = any (include);
    with_receiver_team_name := 'receiver_team_name' = any (include);
    if lead_by is null then
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item)."timestamp" || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
            case when with_sender_team_id then v.sender_team_id end as sender_team_id,
            case when with_sender_team_name then sender_team.name end as sender_team_name,
            case when with_receiver_team_id then v.receiver_team_id end as receiver_team_id,
            case when with_receiver_team_name then receiver_team.name end as receiver_team_name
          from api.activity as v
          left join lateral (
            select t.name from app.teams as t where t.company_id = v.company_id and t.id = v.sender_team_id offset 0
          ) as sender_team on true
          left join lateral (
            select t.name from app.teams as t where t.company_id = v.company_id and t.id = v.receiver_team_id offset 0
          ) as receiver_team on true
          where v.company_id = api_key.company_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    elsif lead_by = 'sender' then
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item)."timestamp" || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
            case when with_sender_team_id then v.sender_team_id end as sender_team_id,
            case when with_sender_team_name then sender_team.name end as sender_team_name,
            case when with_receiver_team_id then v.receiver_team_id end as receiver_team_id,
            case when with_receiver_team_name then receiver_team.name end as receiver_team_name
          from api.activity as v
          left join lateral (
            select t.name from app.teams as t where t.company_id = v.company_id and t.id = v.sender_team_id offset 0
          ) as sender_team on true
          left join lateral (
            select t.name from app.teams as t where t.company_id = v.company_id and t.id = v.receiver_team_id offset 0
          ) as receiver_team on true
          where v.company_id = api_key.company_id and v.sender_id = list_activity.sender_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
            and (list_activity.receiver_id is null or v.receiver_id = list_activity.receiver_id)
            and (list_activity.category_id is null or v.category_id = list_activity.category_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    elsif lead_by = 'receiver' then
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item)."timestamp" || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
            case when with_sender_team_id then v.sender_team_id end as sender_team_id,
            case when with_sender_team_name then sender_team.name end as sender_team_name,
            case when with_receiver_team_id then v.receiver_team_id end as receiver_team_id,
            case when with_receiver_team_name then receiver_team.name end as receiver_team_name
          from api.activity as v
          left join lateral (
            select t.name from app.teams as t where t.company_id = v.company_id and t.id = v.sender_team_id offset 0
          ) as sender_team on true
          left join lateral (
            select t.name from app.teams as t where t.company_id = v.company_id and t.id = v.receiver_team_id offset 0
          ) as receiver_team on true
          where v.company_id = api_key.company_id and v.receiver_id = list_activity.receiver_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
            and (list_activity.sender_id is null or v.sender_id = list_activity.sender_id)
            and (list_activity.category_id is null or v.category_id = list_activity.category_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    else
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item)."timestamp" || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
            case when with_sender_team_id then v.sender_team_id end as sender_team_id,
            case when with_sender_team_name then sender_team.name end as sender_team_name,
            case when with_receiver_team_id then v.receiver_team_id end as receiver_team_id,
            case when with_receiver_team_name then receiver_team.name end as receiver_team_name
          from api.activity as v
          left join lateral (
            select t.name from app.teams as t where t.company_id = v.company_id and t.id = v.sender_team_id offset 0
          ) as sender_team on true
          left join lateral (
            select t.name from app.teams as t where t.company_id = v.company_id and t.id = v.receiver_team_id offset 0
          ) as receiver_team on true
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
    -- never within a value, because quotes are escaped there. Each assignment to page parses it.
    if cardinality(include) < 4 then
      kept := page;
      if not with_sender_team_id then kept := replace(kept, ',"sender_team_id":null', ''); end if;
      if not with_sender_team_name then kept := replace(kept, ',"sender_team_name":null', ''); end if;
      if not with_receiver_team_id then kept := replace(kept, ',"receiver_team_id":null', ''); end if;
      if not with_receiver_team_name then kept := replace(kept, ',"receiver_team_name":null', ''); end if;
      page := kept;
    end if;
  else
    with_sender_id := 'sender_id' = any (include);
    with_receiver_id := 'receiver_id' = any (include);
    with_category_id := 'category_id' = any (include);
    with_sender_team_id := 'sender_team_id' = any (include);
    with_sender_team_name := 'sender_team_name' = any (include);
    with_receiver_team_id := 'receiver_team_id' = any (include);
    with_receiver_team_name := 'receiver_team_name' = any (include);
    if lead_by is null then
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item)."timestamp" || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
            case when with_sender_id then v.sender_id end as sender_id,
            case when with_receiver_id then v.receiver_id end as receiver_id,
            case when with_category_id then v.category_id end as category_id,
            case when with_sender_team_id then v.sender_team_id end as sender_team_id,
            case when with_sender_team_name then sender_team.name end as sender_team_name,
            case when with_receiver_team_id then v.receiver_team_id end as receiver_team_id,
            case when with_receiver_team_name then receiver_team.name end as receiver_team_name
          from api.activity as v
          left join lateral (
            select t.name from app.teams as t where t.company_id = v.company_id and t.id = v.sender_team_id offset 0
          ) as sender_team on true
          left join lateral (
            select t.name from app.teams as t where t.company_id = v.company_id and t.id = v.receiver_team_id offset 0
          ) as receiver_team on true
          where v.company_id = api_key.company_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    elsif lead_by = 'sender' then
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item)."timestamp" || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
            case when with_sender_id then v.sender_id end as sender_id,
            case when with_receiver_id then v.receiver_id end as receiver_id,
            case when with_category_id then v.category_id end as category_id,
            case when with_sender_team_id then v.sender_team_id end as sender_team_id,
            case when with_sender_team_name then sender_team.name end as sender_team_name,
            case when with_receiver_team_id then v.receiver_team_id end as receiver_team_id,
            case when with_receiver_team_name then receiver_team.name end as receiver_team_name
          from api.activity as v
          left join lateral (
            select t.name from app.teams as t where t.company_id = v.company_id and t.id = v.sender_team_id offset 0
          ) as sender_team on true
          left join lateral (
            select t.name from app.teams as t where t.company_id = v.company_id and t.id = v.receiver_team_id offset 0
          ) as receiver_team on true
          where v.company_id = api_key.company_id and v.sender_id = list_activity.sender_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
            and (list_activity.receiver_id is null or v.receiver_id = list_activity.receiver_id)
            and (list_activity.category_id is null or v.category_id = list_activity.category_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    elsif lead_by = 'receiver' then
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item)."timestamp" || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
            case when with_sender_id then v.sender_id end as sender_id,
            case when with_receiver_id then v.receiver_id end as receiver_id,
            case when with_category_id then v.category_id end as category_id,
            case when with_sender_team_id then v.sender_team_id end as sender_team_id,
            case when with_sender_team_name then sender_team.name end as sender_team_name,
            case when with_receiver_team_id then v.receiver_team_id end as receiver_team_id,
            case when with_receiver_team_name then receiver_team.name end as receiver_team_name
          from api.activity as v
          left join lateral (
            select t.name from app.teams as t where t.company_id = v.company_id and t.id = v.sender_team_id offset 0
          ) as sender_team on true
          left join lateral (
            select t.name from app.teams as t where t.company_id = v.company_id and t.id = v.receiver_team_id offset 0
          ) as receiver_team on true
          where v.company_id = api_key.company_id and v.receiver_id = list_activity.receiver_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
            and (list_activity.sender_id is null or v.sender_id = list_activity.sender_id)
            and (list_activity.category_id is null or v.category_id = list_activity.category_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    else
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item)."timestamp" || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
            case when with_sender_id then v.sender_id end as sender_id,
            case when with_receiver_id then v.receiver_id end as receiver_id,
            case when with_category_id then v.category_id end as category_id,
            case when with_sender_team_id then v.sender_team_id end as sender_team_id,
            case when with_sender_team_name then sender_team.name end as sender_team_name,
            case when with_receiver_team_id then v.receiver_team_id end as receiver_team_id,
            case when with_receiver_team_name then receiver_team.name end as receiver_team_name
          from api.activity as v
          left join lateral (
            select t.name from app.teams as t where t.company_id = v.company_id and t.id = v.sender_team_id offset 0
          ) as sender_team on true
          left join lateral (
            select t.name from app.teams as t where t.company_id = v.company_id and t.id = v.receiver_team_id offset 0
          ) as receiver_team on true
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
    -- never within a value, because quotes are escaped there. Each assignment to page parses it.
    if cardinality(include) < 7 then
      kept := page;
      if not with_sender_id then kept := replace(kept, ',"sender_id":null', ''); end if;
      if not with_receiver_id then kept := replace(kept, ',"receiver_id":null', ''); end if;
      if not with_category_id then kept := replace(kept, ',"category_id":null', ''); end if;
      if not with_sender_team_id then kept := replace(kept, ',"sender_team_id":null', ''); end if;
      if not with_sender_team_name then kept := replace(kept, ',"sender_team_name":null', ''); end if;
      if not with_receiver_team_id then kept := replace(kept, ',"receiver_team_id":null', ''); end if;
      if not with_receiver_team_name then kept := replace(kept, ',"receiver_team_name":null', ''); end if;
      page := kept;
    end if;
  end if;

  headers := set_config(
    'response.headers',
    format(
      app.page_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text,
      right(next, 36), next
    ),
    true
  );
  return coalesce(page, '[]');
end
$function$;

REVOKE ALL ON FUNCTION public.list_activity FROM PUBLIC, anon, authenticated, service_role;

ALTER FUNCTION "public"."list_activity"(text, integer, timestamp with time zone, timestamp with time zone, uuid, uuid, uuid, uuid, text[], timestamp with time zone) OWNER TO "public_api";

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
             e.reason,
             k.assistant
            FROM (app.api_key_events e
              LEFT JOIN app.api_keys k ON (((k.company_id = e.company_id) AND (k.id = e.key_id))))
           WHERE ((list_api_key_events.key_id IS NULL) OR ((list_api_key_events.key_id = e.key_id) OR (list_api_key_events.key_id = e.replaced_by)))
           ORDER BY e.created_at DESC, e.id DESC
          OFFSET list_api_key_events.skip
          LIMIT list_api_key_events.max_rows) listed;
END;

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
             u.refused_client,
             app.iso_8601(u.forbidden_at) AS forbidden_at,
             u.forbidden_endpoint,
             u.forbidden_scope,
             u.forbidden_client,
             app.iso_8601(u.checked_at) AS checked_at,
             u.checked_client,
             k.assistant
            FROM (((app.api_keys k
              JOIN app.members creator ON (((creator.company_id = k.company_id) AND (creator.id = k.created_by))))
              LEFT JOIN app.members revoker ON (((revoker.company_id = k.company_id) AND (revoker.id = k.revoked_by))))
              LEFT JOIN app.api_key_uses u ON (((u.company_id = k.company_id) AND (u.key_id = k.id))))
           ORDER BY k.created_at DESC, k.id DESC) listed;
END;

CREATE OR REPLACE FUNCTION public.list_categories(key_hash text, max_rows integer, starting_after uuid DEFAULT NULL::uuid, after_time timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS app."application/json"
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
  found_rows integer;
  page json;
  next text;
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
    if after_time is null then
      select t.created_at into after_time from app.categories as t
      where t.company_id = api_key.company_id and t.id = starting_after;
      if not found then
        perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
      end if;
    end if;
    if (after_time, starting_after) < (below_instant, below_id) then
      below_instant := after_time;
      below_id := starting_after;
    end if;
  end if;

  select
    count(*), json_agg(item) filter (where place <= max_rows),
    string_agg((item).created_at || '_' || (item).id, '') filter (where place = max_rows)
  into found_rows, page, next from (
    select item, row_number() over () as place from (
      select
        v.id, v.name, v.created_at
      from api.categories as v
      where v.company_id = api_key.company_id
        and (v.instant, v.id) < (below_instant, below_id)
      order by v.instant desc, v.id desc
      limit max_rows + 1
    ) as item
  ) as numbered;

  headers := set_config(
    'response.headers',
    format(
      app.page_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text,
      right(next, 36), next
    ),
    true
  );
  return coalesce(page, '[]');
end
$function$;

REVOKE ALL ON FUNCTION public.list_categories FROM PUBLIC, anon, authenticated, service_role;

ALTER FUNCTION "public"."list_categories"(text, integer, uuid, timestamp with time zone) OWNER TO "public_api";

CREATE OR REPLACE FUNCTION public.list_changes(key_hash text, list text, max_rows integer, after text, include text[] DEFAULT NULL::text[])
 RETURNS app."application/json"
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
  if not (
    row_security_active('app.teams'::regclass) and row_security_active('app.members'::regclass)
    and row_security_active('app.categories'::regclass) and row_security_active('app.kudos'::regclass)
    and row_security_active('app.rewards'::regclass) and row_security_active('app.day_ratings'::regclass)
    and row_security_active('app.pulse_questions'::regclass) and row_security_active('app.pulse_responses'::regclass)
    and row_security_active('app.deletions'::regclass) and row_security_active('app.forgotten_deletions'::regclass)
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
      hint = 'Run sql/commands/repair.sql.';
  end if;

  -- Afterwards, because deletions may have been forgotten since this function began.
  if after <> 'start' then
    perform app.refuse_cursor(api_key.key_id, api_key.company_id) from app.forgotten_deletions as f
    where f.company_id = api_key.company_id and f.relation = served.relation
      and (f.deleted_in, f.id) > (after_transaction::text::xid8, after_id) and f.deleted_in >= began::text::xid8;
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

CREATE OR REPLACE FUNCTION public.list_day_ratings(key_hash text, max_rows integer, since timestamp with time zone DEFAULT '-infinity'::timestamp with time zone, until timestamp with time zone DEFAULT 'infinity'::timestamp with time zone, team_id uuid DEFAULT NULL::uuid, starting_after uuid DEFAULT NULL::uuid, include text[] DEFAULT NULL::text[], after_time timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS app."application/json"
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
  found_rows integer;
  page json;
  next text;
  headers text;
  -- The page begins below this pair of instant and id (docs/api.md, Lists).
  below_instant timestamptz := until + interval '1 microsecond';
  below_id uuid := uuid '00000000-0000-0000-0000-000000000000';
begin
  if not (
    row_security_active('app.day_ratings'::regclass)
    and row_security_active('app.teams'::regclass)
  ) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:analytics');

  if starting_after is not null then
    if after_time is null then
      select t.created_at into after_time from app.day_ratings as t
      where t.company_id = api_key.company_id and t.id = starting_after;
      if not found then
        perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
      end if;
    end if;
    if (after_time, starting_after) < (below_instant, below_id) then
      below_instant := after_time;
      below_id := starting_after;
    end if;
  end if;

  if include is null then
    if team_id is null then
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item).created_at || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
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
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item).created_at || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
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
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item).created_at || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
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
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item).created_at || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
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

  headers := set_config(
    'response.headers',
    format(
      app.page_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text,
      right(next, 36), next
    ),
    true
  );
  return coalesce(page, '[]');
end
$function$;

REVOKE ALL ON FUNCTION public.list_day_ratings FROM PUBLIC, anon, authenticated, service_role;

ALTER FUNCTION "public"."list_day_ratings"(text, integer, timestamp with time zone, timestamp with time zone, uuid, uuid, text[], timestamp with time zone) OWNER TO "public_api";

CREATE OR REPLACE FUNCTION public.list_members(key_hash text, max_rows integer, team_id uuid DEFAULT NULL::uuid, role text DEFAULT NULL::text, starting_after uuid DEFAULT NULL::uuid, email text DEFAULT NULL::text, name text DEFAULT NULL::text, after_time timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS app."application/json"
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
  found_rows integer;
  page json;
  next text;
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
  if list_members.name is not null then
    perform app.take_turn_of_total(api_key);
  end if;

  if starting_after is not null then
    if after_time is null then
      select t.created_at into after_time from app.members as t
      where t.company_id = api_key.company_id and t.id = starting_after and not t.is_former;
      if not found then
        perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
      end if;
    end if;
    if (after_time, starting_after) < (below_instant, below_id) then
      below_instant := after_time;
      below_id := starting_after;
    end if;
  end if;

  if list_members.email is null and list_members.name is null and num_nonnulls(team_id, role) > 0 then
    lead_by := app.rarest_members_filter(api_key.company_id, team_id, role);
  end if;

  if email is not null then
    select
      count(*), json_agg(item) filter (where place <= max_rows),
      string_agg((item).created_at || '_' || (item).id, '') filter (where place = max_rows)
    into found_rows, page, next from (
      select item, row_number() over () as place from (
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
          and (list_members.name is null or strpos(v.plain_name, (select app.plain(list_members.name))) > 0)
      ) as item
    ) as numbered;
  elsif list_members.name is not null then
    select
      count(*), json_agg(item) filter (where place <= max_rows),
      string_agg((item).created_at || '_' || (item).id, '') filter (where place = max_rows)
    into found_rows, page, next from (
      select item, row_number() over () as place from (
        select
          v.id, v.name, v.email, v.role, v.team_id, v.team_name, v.created_at
        from api.members as v
        where v.company_id = api_key.company_id
          and (v.instant, v.id) < (below_instant, below_id)
          and (list_members.team_id is null or v.team_id = list_members.team_id)
          and (list_members.role is null or v.role = list_members.role)
          and strpos(v.plain_name, (select app.plain(list_members.name))) > 0
        order by v.instant desc, v.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  elsif lead_by is null then
    select
      count(*), json_agg(item) filter (where place <= max_rows),
      string_agg((item).created_at || '_' || (item).id, '') filter (where place = max_rows)
    into found_rows, page, next from (
      select item, row_number() over () as place from (
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
    select
      count(*), json_agg(item) filter (where place <= max_rows),
      string_agg((item).created_at || '_' || (item).id, '') filter (where place = max_rows)
    into found_rows, page, next from (
      select item, row_number() over () as place from (
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
    select
      count(*), json_agg(item) filter (where place <= max_rows),
      string_agg((item).created_at || '_' || (item).id, '') filter (where place = max_rows)
    into found_rows, page, next from (
      select item, row_number() over () as place from (
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

  headers := set_config(
    'response.headers',
    format(
      app.page_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text,
      right(next, 36), next
    ),
    true
  );
  return coalesce(page, '[]');
end
$function$;

REVOKE ALL ON FUNCTION public.list_members FROM PUBLIC, anon, authenticated, service_role;

ALTER FUNCTION "public"."list_members"(text, integer, uuid, text, uuid, text, text, timestamp with time zone) OWNER TO "public_api";

CREATE OR REPLACE FUNCTION public.list_pulse_responses(key_hash text, max_rows integer, since timestamp with time zone DEFAULT '-infinity'::timestamp with time zone, until timestamp with time zone DEFAULT 'infinity'::timestamp with time zone, starting_after uuid DEFAULT NULL::uuid, include text[] DEFAULT NULL::text[], after_time timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS app."application/json"
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
  found_rows integer;
  page json;
  next text;
  headers text;
  -- The page begins below this pair of instant and id (docs/api.md, Lists).
  below_instant timestamptz := until + interval '1 microsecond';
  below_id uuid := uuid '00000000-0000-0000-0000-000000000000';
begin
  if not (
    row_security_active('app.pulse_responses'::regclass)
    and row_security_active('app.pulse_questions'::regclass)
  ) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:analytics');

  if starting_after is not null then
    if after_time is null then
      select t.created_at into after_time from app.pulse_responses as t
      where t.company_id = api_key.company_id and t.id = starting_after;
      if not found then
        perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
      end if;
    end if;
    if (after_time, starting_after) < (below_instant, below_id) then
      below_instant := after_time;
      below_id := starting_after;
    end if;
  end if;

  if include is null then
    select
      count(*), json_agg(item) filter (where place <= max_rows),
      string_agg((item)."timestamp" || '_' || (item).id, '') filter (where place = max_rows)
    into found_rows, page, next from (
      select item, row_number() over () as place from (
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
    select
      count(*), json_agg(item) filter (where place <= max_rows),
      string_agg((item)."timestamp" || '_' || (item).id, '') filter (where place = max_rows)
    into found_rows, page, next from (
      select item, row_number() over () as place from (
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

  headers := set_config(
    'response.headers',
    format(
      app.page_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text,
      right(next, 36), next
    ),
    true
  );
  return coalesce(page, '[]');
end
$function$;

REVOKE ALL ON FUNCTION public.list_pulse_responses FROM PUBLIC, anon, authenticated, service_role;

ALTER FUNCTION "public"."list_pulse_responses"(text, integer, timestamp with time zone, timestamp with time zone, uuid, text[], timestamp with time zone) OWNER TO "public_api";

CREATE OR REPLACE FUNCTION public.list_rewards(key_hash text, max_rows integer, include_archived boolean DEFAULT false, starting_after uuid DEFAULT NULL::uuid, include text[] DEFAULT NULL::text[], external_id text DEFAULT NULL::text, after_time timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS app."application/json"
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
  found_rows integer;
  page json;
  next text;
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
    if after_time is null then
      select t.created_at into after_time from app.rewards as t
      where t.company_id = api_key.company_id and t.id = starting_after;
      if not found then
        perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
      end if;
    end if;
    if (after_time, starting_after) < (below_instant, below_id) then
      below_instant := after_time;
      below_id := starting_after;
    end if;
  end if;

  if include is null then
    if external_id is not null then
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item).created_at || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
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
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item).created_at || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
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
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item).created_at || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
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
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item).created_at || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
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
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item).created_at || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
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
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item).created_at || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
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

  headers := set_config(
    'response.headers',
    format(
      app.page_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text,
      right(next, 36), next
    ),
    true
  );
  return coalesce(page, '[]');
end
$function$;

REVOKE ALL ON FUNCTION public.list_rewards FROM PUBLIC, anon, authenticated, service_role;

ALTER FUNCTION "public"."list_rewards"(text, integer, boolean, uuid, text[], text, timestamp with time zone) OWNER TO "public_api";

CREATE OR REPLACE FUNCTION public.list_teams(key_hash text, max_rows integer, starting_after uuid DEFAULT NULL::uuid, after_time timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS app."application/json"
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
  found_rows integer;
  page json;
  next text;
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
    if after_time is null then
      select t.created_at into after_time from app.teams as t
      where t.company_id = api_key.company_id and t.id = starting_after;
      if not found then
        perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
      end if;
    end if;
    if (after_time, starting_after) < (below_instant, below_id) then
      below_instant := after_time;
      below_id := starting_after;
    end if;
  end if;

  select
    count(*), json_agg(item) filter (where place <= max_rows),
    string_agg((item).created_at || '_' || (item).id, '') filter (where place = max_rows)
  into found_rows, page, next from (
    select item, row_number() over () as place from (
      select
        v.id, v.name, v.created_at
      from api.teams as v
      where v.company_id = api_key.company_id
        and (v.instant, v.id) < (below_instant, below_id)
      order by v.instant desc, v.id desc
      limit max_rows + 1
    ) as item
  ) as numbered;

  headers := set_config(
    'response.headers',
    format(
      app.page_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text,
      right(next, 36), next
    ),
    true
  );
  return coalesce(page, '[]');
end
$function$;

REVOKE ALL ON FUNCTION public.list_teams FROM PUBLIC, anon, authenticated, service_role;

ALTER FUNCTION "public"."list_teams"(text, integer, uuid, timestamp with time zone) OWNER TO "public_api";

CREATE OR REPLACE FUNCTION public.note_refused_use(key_hash text, missing_scope text DEFAULT NULL::text)
 RETURNS app."application/json"
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
 SET jit TO 'off'
 SET lock_timeout TO '5s'
 SET statement_timeout TO '7s'
AS $function$select to_json(app.note_refused_use(key_hash, missing_scope))$function$;

REVOKE ALL ON FUNCTION public.note_refused_use FROM PUBLIC, anon, authenticated, service_role;

ALTER FUNCTION "public"."note_refused_use"(text, text) OWNER TO "public_api";

CREATE OR REPLACE FUNCTION public.read_page(rpc text, key_hash text, max_rows integer, team_id uuid DEFAULT NULL::uuid, role text DEFAULT NULL::text, starting_after uuid DEFAULT NULL::uuid, email text DEFAULT NULL::text, name text DEFAULT NULL::text, after_time timestamp with time zone DEFAULT NULL::timestamp with time zone, since timestamp with time zone DEFAULT '-infinity'::timestamp with time zone, until timestamp with time zone DEFAULT 'infinity'::timestamp with time zone, category_id uuid DEFAULT NULL::uuid, sender_id uuid DEFAULT NULL::uuid, receiver_id uuid DEFAULT NULL::uuid, include text[] DEFAULT NULL::text[], include_archived boolean DEFAULT false, external_id text DEFAULT NULL::text, list text DEFAULT NULL::text, after text DEFAULT NULL::text)
 RETURNS app."application/json"
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET jit TO 'off'
 SET statement_timeout TO '2s'
AS $function$
declare
  page json;
begin
  case rpc
    when 'list_members' then
      page := public.list_members(
        key_hash, max_rows, team_id, role, starting_after, email, name, after_time
      );
    when 'list_teams' then
      page := public.list_teams(
        key_hash, max_rows, starting_after, after_time
      );
    when 'list_activity' then
      page := public.list_activity(
        key_hash, max_rows, since, until, category_id, sender_id, receiver_id, starting_after, include, after_time
      );
    when 'list_categories' then
      page := public.list_categories(
        key_hash, max_rows, starting_after, after_time
      );
    when 'list_rewards' then
      page := public.list_rewards(
        key_hash, max_rows, include_archived, starting_after, include, external_id, after_time
      );
    when 'list_day_ratings' then
      page := public.list_day_ratings(
        key_hash, max_rows, since, until, team_id, starting_after, include, after_time
      );
    when 'list_pulse_responses' then
      page := public.list_pulse_responses(
        key_hash, max_rows, since, until, starting_after, include, after_time
      );
    when 'list_changes' then
      page := public.list_changes(
        key_hash, list, max_rows, after, include
      );
  end case;
  return app.from_replica(page);
end
$function$;

REVOKE ALL ON FUNCTION public.read_page FROM PUBLIC, anon, authenticated, service_role;

ALTER FUNCTION "public"."read_page"(text, text, integer, uuid, text, uuid, text, text, timestamp with time zone, timestamp with time zone, timestamp with time zone, uuid, uuid, uuid, text[], boolean, text, text, text) OWNER TO "public_api";

CREATE OR REPLACE FUNCTION public.redeem_assistant_code(code_hash text, bound_to text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET lock_timeout TO '5s'
AS $function$
declare
  agreed app.assistant_codes;
  account uuid;
begin
  -- Whoever sends a code first uses it up, also a program that it is not for.
  delete from app.assistant_codes as c where c.code_hash = decode(redeem_assistant_code.code_hash, 'hex')
  returning * into agreed;
  if agreed.code_hash is null or agreed.bound_to <> redeem_assistant_code.bound_to
    or least(agreed.expires_at, agreed.key_expires_at) <= now() then
    return null;
  end if;
  select a.user_id into account
  from app.member_accounts as a where a.company_id = agreed.company_id and a.member_id = agreed.member_id;
  -- The triggers of app.api_keys take company, creator and history from the session: this one becomes that of the admin
  -- who agreed.
  perform set_config('request.jwt.claims', json_build_object('sub', account, 'role', 'authenticated')::text, true);
  -- No longer an admin, or the company has moved.
  if not exists (select from app.current_admin()) then
    return null;
  end if;
  perform set_config('app.assistant', agreed.assistant, true);
  return app.insert_api_key(agreed.assistant, agreed.scopes, agreed.key_expires_at);
end
$function$;

REVOKE ALL ON FUNCTION public.redeem_assistant_code FROM PUBLIC, anon, authenticated, service_role;

CREATE OR REPLACE FUNCTION public.upsert_rewards(key_hash text, rewards text, dry_run boolean DEFAULT false)
 RETURNS app."application/json"
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
 RETURNS app."application/json"
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

REVOKE ALL ON FUNCTION public.verify_api_key FROM PUBLIC, anon, authenticated, service_role;

ALTER FUNCTION "public"."verify_api_key"(text, text) OWNER TO "public_api";

CREATE OR REPLACE PROCEDURE app.forget_all_deletions()
 LANGUAGE plpgsql
AS $procedure$
declare
  list record;
  last app.forgotten_deletions;
  reached app.forgotten_deletions;
begin
  delete from app.assistant_codes as c where c.expires_at < now();
  -- app.forget_deletions begins at the mark of what is forgotten. Rows below it are those that app.forget_cursors has made
  -- worthless, and those of transactions that ended late. Up to 50,000 in a night.
  delete from app.deletions as d using app.forgotten_deletions as f
  where d.ctid = any (array(
      select o.ctid from app.deletions as o join app.forgotten_deletions as m using (company_id, relation)
      where (o.deleted_in, o.id) <= (m.deleted_in, m.id) limit 50000
    ))
    and f.company_id = d.company_id and f.relation = d.relation and (d.deleted_in, d.id) <= (f.deleted_in, f.id);
  commit;
  for list in
    select distinct d.company_id, d.relation from app.deletions as d join app.companies as c on c.id = d.company_id
  loop
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
  perform app.require_settled_company(company_id);
  foreach relation in array array['kudos', 'day_ratings', 'pulse_responses'] loop
    call app.purge_table(company_id, before, relation, null, 0.5, deleted, failure, failure_code);
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
  share constant double precision := 0.375;
  turn constant bigint := 100000;
  list record;
  deleted bigint;
  failure text;
  failure_code text;
  total bigint := 0;
  purged integer := 0;
  failed text[] := '{}';
  failures text[] := '{}';
  is_rest boolean := true;
begin
  while is_rest and not app.is_time_up(share) loop
    is_rest := false;
    for list in
      select o.* from app.overdue() as o
      where not failed && array[o.company_id::text, o.company_id || ' ' || o.relation] order by o.late desc
    loop
      -- A company whose lock was waited for once.
      continue when list.company_id::text = any (failed);
      call app.purge_table(
        list.company_id, list.before, list.relation, turn, share, deleted, failure, failure_code
      );
      total := total + deleted;
      is_rest := is_rest or deleted >= turn or coalesce(failure_code = 'query_canceled', false);
      exit when failure_code = 'query_canceled';
      if failure is not null then
        failed := failed || concat_ws(' ', list.company_id, case when failure_code <> '55P03' then list.relation end);
        failures := failures || format('%s: %s: %s rows deleted, then: %s', list.company_id, list.relation, deleted, failure);
      elsif deleted > 0 then
        purged := purged + 1;
        raise notice '%: %: % rows deleted', list.company_id, list.relation, deleted;
      end if;
    end loop;
  end loop;
  raise notice '% rows deleted', total;
  call app.forget_all_deletions();
  if failures <> '{}' then
    raise exception '% of % purges failed', cardinality(failures), cardinality(failures) + purged
      using detail = array_to_string(failures, E'\n');
  elsif is_rest then
    raise exception '% rows deleted: statement_timeout leaves no time for the rest, which comes first in the next call', total;
  end if;
end
$procedure$;

CREATE OR REPLACE PROCEDURE app.purge_table(IN company_id uuid, IN before timestamp with time zone, IN relation text, IN at_most bigint, IN share double precision, INOUT deleted bigint, INOUT failure text, INOUT failure_code text)
 LANGUAGE plpgsql
AS $procedure$
declare
  since timestamptz := '-infinity';
  batch record;
begin
  deleted := 0;
  failure := null;
  loop
    if app.is_time_up(share) then
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
    exit when batch.deleted = 0 and since = '-infinity' or deleted >= at_most;
    -- Deleted rows stay in the index while a transaction may still see them, so the next batch begins after them. At the
    -- end it looks once more from the beginning, for rows that were added in the meantime.
    since := coalesce(batch.reached, '-infinity');
  end loop;
end
$procedure$;

ALTER TABLE "app"."assistant_codes" ADD CONSTRAINT "assistant_codes_company_id_fkey" FOREIGN KEY (company_id) REFERENCES app.companies(id) ON DELETE CASCADE;

ALTER TABLE "app"."assistant_codes" ADD CONSTRAINT "assistant_codes_company_id_member_id_fkey" FOREIGN KEY (company_id, member_id) REFERENCES app.members(company_id, id) ON DELETE CASCADE;

CREATE VIEW "api"."members" WITH (security_invoker=true) AS  SELECT m.company_id,
    m.created_at AS instant,
    m.changed_in,
    m.id,
    m.name,
    m.email,
    m.role,
    m.team_id,
    COALESCE(team.name, 'No Team'::text) AS team_name,
    to_char((m.created_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'::text) AS created_at,
    lower(extensions.unaccent(m.name)) AS plain_name
   FROM (app.members m
     LEFT JOIN LATERAL ( SELECT t.name
           FROM app.teams t
          WHERE ((t.company_id = m.company_id) AND (t.id = m.team_id))
         OFFSET 0) team ON (true))
  WHERE (NOT m.is_former);;

CREATE TRIGGER name_no_category AFTER TRUNCATE ON app.category_names FOR EACH STATEMENT EXECUTE FUNCTION app.name_category();

COMMENT ON COLUMN "app"."api_key_uses"."checked_at" IS 'When the key was last tried on the dashboard (a quick check, which is no use), to the minute, and with which program.';

COMMENT ON COLUMN "app"."api_key_uses"."forbidden_at" IS 'When a request of the key was last refused because it lacks a scope (403), to the minute; where, which scope and which program.';

COMMENT ON COLUMN "app"."assistant_codes"."assistant" IS 'The name of the assistant as the admin saw it. The key gets it.';

COMMENT ON COLUMN "app"."assistant_codes"."bound_to" IS 'Client ID, redirect address and PKCE challenge, one a line: with others the code is worth nothing.';

COMMENT ON COLUMN "app"."assistant_codes"."code_hash" IS 'SHA-256 of the code. The code itself is never stored.';

COMMENT ON COLUMN "app"."members"."is_former" IS 'True for the one row that represents all erased people of a company (1010). No list of members has it.';

COMMENT ON DOMAIN "app"."application/json" IS 'JSON that the Data API sends as it is.';

COMMENT ON FUNCTION "app"."category_name"(uuid, uuid) IS 'The name of a category in the company''s default language, else in English, else in any; empty if it has none.';

COMMENT ON FUNCTION "app"."is_time_up"(double precision) IS 'Whether this share of statement_timeout is over for the running call.';

COMMENT ON FUNCTION "app"."list_headers"() IS 'The response.headers of changes and totals, for format(): the ids of key and company, the number of rows, true or false for whether there are more, the cursor of the last row.';

COMMENT ON FUNCTION "app"."may_note"(timestamp with time zone, text, text) IS 'Whether a note may be made now, a minute after the last one or in place of one of GET /.';

COMMENT ON FUNCTION "app"."most_groups"() IS 'How many rows the answer of a total has at most.';

COMMENT ON FUNCTION "app"."name_categories"(uuid, uuid[]) IS 'Names categories anew. 40001 if others have changed names meanwhile.';

COMMENT ON FUNCTION "app"."note_refused_use"(text, text) IS 'Records now as the last refused use of a revoked or expired key, or of a good one that lacks missing_scope, by its SHA-256 in hex, at most once a minute. Returns whether it has.';

COMMENT ON FUNCTION "app"."note_use"(uuid, uuid) IS 'Records now as the last use of a key, or as its last quick check, at most once a minute, unless another transaction is doing so or the database is read-only.';

COMMENT ON FUNCTION "app"."origin_of_cursors"() IS 'What every cursor of this server and database holds for, for format().';

COMMENT ON FUNCTION "app"."overdue"() IS 'The tables with rows older than the retention of their company, and how late they are.';

COMMENT ON FUNCTION "app"."page_headers"() IS 'The response.headers of a list, for format(): as app.list_headers with the id of the last row, then its time and id.';

COMMENT ON FUNCTION "app"."plain"(text) IS 'A text in lower case and without accents.';

COMMENT ON FUNCTION "app"."repeated_cells_query"(text) IS 'The query of the rows of a file that repeat a value that must be unique.';

COMMENT ON FUNCTION "app"."serve_keys"(regprocedure) IS 'Makes a function one that serves API keys: public_api owns it, and only service_role may call it. For the schema and sql/commands/repair.sql.';

COMMENT ON FUNCTION "app"."take_turn_of_total"(app.verified_key) IS 'Takes one of app.totals_at_once() turns until the end of the transaction, one of a company. PT429.';

COMMENT ON FUNCTION "app"."totals_at_once"() IS 'How many totals run in the database at the same moment, one of a company. More are refused with PT429. To be replaced by operators.';

COMMENT ON FUNCTION "app"."write_query"(text) IS 'The statement that writes rows of a file in staging to a company and counts them.';

COMMENT ON FUNCTION "public"."average_day_ratings"(text, text[], timestamp with time zone, timestamp with time zone, text, uuid) IS 'Number and average of the day ratings of the key''s company, by what by names, as a JSON array. read:analytics. PT401, PT403, PT429.';

COMMENT ON FUNCTION "public"."count_activity"(text, text[], timestamp with time zone, timestamp with time zone, text, uuid, uuid, uuid) IS 'How many kudos of the key''s company, by what by names, as a JSON array. read:activity. PT401, PT403, PT429.';

COMMENT ON FUNCTION "public"."let_assistant_read"(text, text[], timestamp with time zone, text) IS 'Lets the program of bound_to fetch a key with these scopes, within a minute: { code }. PT400, PT403.';

COMMENT ON FUNCTION "public"."list_activity"(text, integer, timestamp with time zone, timestamp with time zone, uuid, uuid, uuid, uuid, text[], timestamp with time zone) IS 'Kudos with sender, recipient and category: the rows of the key''s company, newest first, as a JSON array. read:activity. PT400, PT401, PT403, PT429.';

COMMENT ON FUNCTION "public"."list_categories"(text, integer, uuid, timestamp with time zone) IS 'What kudos are given for: the rows of the key''s company, newest first, as a JSON array. read:activity. PT400, PT401, PT403, PT429.';

COMMENT ON FUNCTION "public"."list_changes"(text, text, integer, text, text[]) IS 'What was added, changed or deleted in a list of the key''s company, oldest change first, as a JSON array. PT401, PT403, PT410, PT429.';

COMMENT ON FUNCTION "public"."list_day_ratings"(text, integer, timestamp with time zone, timestamp with time zone, uuid, uuid, text[], timestamp with time zone) IS 'How days were rated, by team: the rows of the key''s company, newest first, as a JSON array. read:analytics. PT400, PT401, PT403, PT429.';

COMMENT ON FUNCTION "public"."list_members"(text, integer, uuid, text, uuid, text, text, timestamp with time zone) IS 'People, their roles and teams: the rows of the key''s company, newest first, as a JSON array. read:members. PT400, PT401, PT403, PT429.';

COMMENT ON FUNCTION "public"."list_pulse_responses"(text, integer, timestamp with time zone, timestamp with time zone, uuid, text[], timestamp with time zone) IS 'Answers to pulse surveys: the rows of the key''s company, newest first, as a JSON array. read:analytics. PT400, PT401, PT403, PT429.';

COMMENT ON FUNCTION "public"."list_rewards"(text, integer, boolean, uuid, text[], text, timestamp with time zone) IS 'The reward catalogue: the rows of the key''s company, newest first, as a JSON array. read:rewards. PT400, PT401, PT403, PT429.';

COMMENT ON FUNCTION "public"."list_teams"(text, integer, uuid, timestamp with time zone) IS 'The teams that people are in: the rows of the key''s company, newest first, as a JSON array. read:members. PT400, PT401, PT403, PT429.';

COMMENT ON FUNCTION "public"."note_refused_use"(text, text) IS 'Records now as the last refused use of a revoked or expired key, or of a good one that lacks missing_scope, at most once a minute. Returns true or false: whether it has.';

COMMENT ON FUNCTION "public"."read_page"(text, text, integer, uuid, text, uuid, text, text, timestamp with time zone, timestamp with time zone, timestamp with time zone, uuid, uuid, uuid, text[], boolean, text, text, text) IS 'A page of the function with the name rpc, such as list_members, at a read replica. PT503 too.';

COMMENT ON FUNCTION "public"."redeem_assistant_code"(text, text) IS 'Makes the key that an admin has agreed to and returns it as create_api_key does; null for a code that is not valid.';

COMMENT ON FUNCTION "public"."upsert_rewards"(text, text, boolean) IS 'Creates or updates rewards of the key''s company by external_id: { imported, created, updated, unchanged }; dry_run counts and writes nothing. write:rewards. PT401, PT403, PT429; 25006 while the database is read-only.';

COMMENT ON FUNCTION "public"."verify_api_key"(text, text) IS 'Checks a key and, when it is given, a scope: { company_name, key_name, scopes, expires_at, company_id, requests_at_once }. PT401, PT403.';

COMMENT ON PROCEDURE "app"."forget_all_deletions"() IS 'Removes the recorded deletions that are older than 90 days, and codes of assistants, and commits after every 5,000.';

COMMENT ON PROCEDURE "app"."purge_expired"() IS 'Deletes the kudos, day ratings and pulse answers that are older than the retention of their company, then the recorded deletions that nobody needs.';

COMMENT ON PROCEDURE "app"."purge_table"(uuid, timestamp with time zone, text, bigint, double precision, bigint, text, text) IS 'Deletes the old rows of a table, and commits after every 2,000. Returns how many, and the error that ended it.';

COMMENT ON SCHEMA "staging" IS 'The rows of files that are being loaded. Only postgres uses it.';

COMMENT ON TABLE "app"."api_key_uses" IS 'When an API key was last used, to the minute, where and by what program; and when it was last refused, or only checked.';

COMMENT ON TABLE "app"."assistant_codes" IS 'What admins have let assistants read, until the assistant fetches its key.';

COMMENT ON TABLE "staging"."categories" IS 'The rows of categories.csv.';

COMMENT ON VIEW "api"."activity" IS 'Kudos, as the API lists them.';

COMMENT ON VIEW "api"."categories" IS 'Categories, as the API lists them.';

COMMENT ON VIEW "api"."day_ratings" IS 'Day ratings, as the API lists them.';

COMMENT ON VIEW "api"."members" IS 'Members, as the API lists them.';

COMMENT ON VIEW "api"."pulse_responses" IS 'Pulse answers, as the API lists them.';

COMMENT ON VIEW "api"."rewards" IS 'Rewards, as the API lists them.';

COMMENT ON VIEW "api"."teams" IS 'Teams, as the API lists them.';

REVOKE ALL ON TYPE "app"."application/json" FROM PUBLIC;

GRANT USAGE ON TYPE "app"."application/json" TO "postgres";

REVOKE ALL ON FUNCTION "app"."category_name"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."category_name"(uuid, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "app"."is_time_up"(double precision) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."is_time_up"(double precision) TO "postgres";

REVOKE ALL ON FUNCTION "app"."may_note"(timestamp with time zone, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."may_note"(timestamp with time zone, text, text) TO "postgres";

REVOKE ALL ON FUNCTION "app"."note_refused_use"(text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."note_refused_use"(text, text) TO "postgres", "public_api";

REVOKE ALL ON FUNCTION "app"."origin_of_cursors"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."origin_of_cursors"() TO "postgres", "public_api";

REVOKE ALL ON FUNCTION "app"."overdue"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."overdue"() TO "postgres";

REVOKE ALL ON FUNCTION "app"."plain"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."plain"(text) TO "postgres", "public_api";

REVOKE ALL ON FUNCTION "app"."repeated_cells_query"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."repeated_cells_query"(text) TO "postgres";

REVOKE ALL ON FUNCTION "app"."take_turn_of_total"(app.verified_key) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."take_turn_of_total"(app.verified_key) TO "postgres", "public_api";

REVOKE ALL ON FUNCTION "app"."totals_at_once"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."totals_at_once"() TO "postgres", "public_api";

REVOKE ALL ON FUNCTION "app"."write_query"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."write_query"(text) TO "postgres";

REVOKE ALL ON FUNCTION "public"."average_day_ratings"(text, text[], timestamp with time zone, timestamp with time zone, text, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."average_day_ratings"(text, text[], timestamp with time zone, timestamp with time zone, text, uuid) TO "service_role";

REVOKE ALL ON FUNCTION "public"."count_activity"(text, text[], timestamp with time zone, timestamp with time zone, text, uuid, uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."count_activity"(text, text[], timestamp with time zone, timestamp with time zone, text, uuid, uuid, uuid) TO "service_role";

REVOKE ALL ON FUNCTION "public"."let_assistant_read"(text, text[], timestamp with time zone, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."let_assistant_read"(text, text[], timestamp with time zone, text) TO "authenticated", "postgres";

REVOKE ALL ON FUNCTION "public"."list_activity"(text, integer, timestamp with time zone, timestamp with time zone, uuid, uuid, uuid, uuid, text[], timestamp with time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."list_activity"(text, integer, timestamp with time zone, timestamp with time zone, uuid, uuid, uuid, uuid, text[], timestamp with time zone) TO "service_role";

REVOKE ALL ON FUNCTION "public"."list_categories"(text, integer, uuid, timestamp with time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."list_categories"(text, integer, uuid, timestamp with time zone) TO "service_role";

REVOKE ALL ON FUNCTION "public"."list_changes"(text, text, integer, text, text[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."list_changes"(text, text, integer, text, text[]) TO "service_role";

REVOKE ALL ON FUNCTION "public"."list_day_ratings"(text, integer, timestamp with time zone, timestamp with time zone, uuid, uuid, text[], timestamp with time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."list_day_ratings"(text, integer, timestamp with time zone, timestamp with time zone, uuid, uuid, text[], timestamp with time zone) TO "service_role";

REVOKE ALL ON FUNCTION "public"."list_members"(text, integer, uuid, text, uuid, text, text, timestamp with time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."list_members"(text, integer, uuid, text, uuid, text, text, timestamp with time zone) TO "service_role";

REVOKE ALL ON FUNCTION "public"."list_pulse_responses"(text, integer, timestamp with time zone, timestamp with time zone, uuid, text[], timestamp with time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."list_pulse_responses"(text, integer, timestamp with time zone, timestamp with time zone, uuid, text[], timestamp with time zone) TO "service_role";

REVOKE ALL ON FUNCTION "public"."list_rewards"(text, integer, boolean, uuid, text[], text, timestamp with time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."list_rewards"(text, integer, boolean, uuid, text[], text, timestamp with time zone) TO "service_role";

REVOKE ALL ON FUNCTION "public"."list_teams"(text, integer, uuid, timestamp with time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."list_teams"(text, integer, uuid, timestamp with time zone) TO "service_role";

REVOKE ALL ON FUNCTION "public"."note_refused_use"(text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."note_refused_use"(text, text) TO "service_role";

REVOKE ALL ON FUNCTION "public"."read_page"(text, text, integer, uuid, text, uuid, text, text, timestamp with time zone, timestamp with time zone, timestamp with time zone, uuid, uuid, uuid, text[], boolean, text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."read_page"(text, text, integer, uuid, text, uuid, text, text, timestamp with time zone, timestamp with time zone, timestamp with time zone, uuid, uuid, uuid, text[], boolean, text, text, text) TO "service_role";

REVOKE ALL ON FUNCTION "public"."redeem_assistant_code"(text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."redeem_assistant_code"(text, text) TO "postgres", "service_role";

REVOKE ALL ON FUNCTION "public"."upsert_rewards"(text, text, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."upsert_rewards"(text, text, boolean) TO "service_role";

REVOKE ALL ON FUNCTION "public"."verify_api_key"(text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."verify_api_key"(text, text) TO "service_role";

REVOKE ALL ON PROCEDURE "app"."purge_table"(uuid, timestamp with time zone, text, bigint, double precision, bigint, text, text) FROM PUBLIC;

GRANT EXECUTE ON PROCEDURE "app"."purge_table"(uuid, timestamp with time zone, text, bigint, double precision, bigint, text, text) TO "postgres";

REVOKE ALL ("assistant") ON TABLE "app"."api_keys" FROM "authenticated";

GRANT SELECT ("assistant") ON TABLE "app"."api_keys" TO "authenticated";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "app"."assistant_codes" TO "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "api"."members" TO "postgres";

GRANT SELECT ON TABLE "api"."members" TO "public_api";

revoke create on schema public from public_api;
