set lock_timeout = '2s';
set statement_timeout = '60s';

set local check_function_bodies = off;

grant create on schema public to public_api;

DROP FUNCTION "app"."note_refused_use"(text);

DROP FUNCTION "public"."note_refused_use"(text);

ALTER TABLE "app"."api_key_uses" ADD COLUMN "forbidden_at" timestamp with time zone;

ALTER TABLE "app"."api_key_uses" ADD COLUMN "forbidden_endpoint" text;

ALTER TABLE "app"."api_key_uses" ADD COLUMN "forbidden_scope" text;

ALTER TABLE "app"."api_key_uses" ADD COLUMN "forbidden_client" text;

ALTER TABLE "app"."api_key_uses" ADD COLUMN "checked_at" timestamp with time zone;

ALTER TABLE "app"."api_key_uses" ADD COLUMN "checked_client" text;

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

CREATE OR REPLACE FUNCTION app.is_recent(instant timestamp with time zone)
 RETURNS boolean
 LANGUAGE sql
 STABLE
 SET search_path TO ''
RETURN COALESCE(((instant > (now() - '00:01:00'::interval)) AND (instant < (now() + '00:01:00'::interval))), false);

CREATE OR REPLACE FUNCTION app.mark_answers()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if current_setting('transaction_isolation') in ('repeatable read', 'serializable') then
    raise exception 'a question must be changed at isolation level read committed' using errcode = 'serialization_failure';
  end if;
  perform from app.pulse_questions as q where q.company_id = new.company_id and q.id = new.id for update;
  update app.pulse_responses as p set changed_in = pg_current_xact_id()
  where p.company_id = new.company_id and p.question_id = new.id;
  return null;
end
$function$;

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
    and case when k.revoked_at is not null or k.expires_at <= now() then missing_scope is null and not app.is_recent(u.refused_at)
      else missing_scope <> all (k.scopes) and missing_scope = any (app.scopes()) and not app.is_recent(u.forbidden_at) end
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
      where free.company_id = note_use.company_id and free.key_id = note_use.key_id and not app.is_recent(free.checked_at)
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
    where free.company_id = note_use.company_id and free.key_id = note_use.key_id and (
      not app.is_recent(free.last_used_at)
      or free.last_endpoint = 'GET /' and headers ->> 'x-endpoint' is distinct from 'GET /'
    )
    for update skip locked
  );
end
$function$;

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
             u.checked_client
            FROM (((app.api_keys k
              JOIN app.members creator ON (((creator.company_id = k.company_id) AND (creator.id = k.created_by))))
              LEFT JOIN app.members revoker ON (((revoker.company_id = k.company_id) AND (revoker.id = k.revoked_by))))
              LEFT JOIN app.api_key_uses u ON (((u.company_id = k.company_id) AND (u.key_id = k.id))))
           ORDER BY k.created_at DESC, k.id DESC) listed;
END;

CREATE OR REPLACE FUNCTION public.note_refused_use(key_hash text, missing_scope text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
 SET jit TO 'off'
 SET lock_timeout TO '5s'
 SET statement_timeout TO '7s'
AS $function$select to_json(app.note_refused_use(key_hash, missing_scope))$function$;

REVOKE ALL ON FUNCTION public.note_refused_use FROM PUBLIC, anon, authenticated, service_role;

ALTER FUNCTION "public"."note_refused_use"(text, text) OWNER TO "public_api";

CREATE OR REPLACE PROCEDURE app.forget_all_deletions()
 LANGUAGE plpgsql
AS $procedure$
declare
  list record;
  last app.forgotten_deletions;
  reached app.forgotten_deletions;
begin
  -- app.forget_deletions begins at the mark of what is forgotten. Rows below it are those that app.forget_cursors has made
  -- worthless, and those of transactions that ended late.
  delete from app.deletions as d using app.forgotten_deletions as f
  where f.company_id = d.company_id and f.relation = d.relation and (d.deleted_in, d.id) <= (f.deleted_in, f.id);
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

CREATE TRIGGER name_no_category AFTER TRUNCATE ON app.category_names FOR EACH STATEMENT EXECUTE FUNCTION app.name_category();

COMMENT ON COLUMN "app"."api_key_uses"."checked_at" IS 'When the key was last tried on the dashboard (a quick check, which is no use), to the minute, and with which program.';

COMMENT ON COLUMN "app"."api_key_uses"."forbidden_at" IS 'When a request of the key was last refused because it lacks a scope (403), to the minute; where, which scope and which program.';

COMMENT ON FUNCTION "app"."category_name"(uuid, uuid) IS 'The name of a category in the company''s default language, else in English, else in any; empty if it has none.';

COMMENT ON FUNCTION "app"."is_recent"(timestamp with time zone) IS 'Whether this was within the last minute.';

COMMENT ON FUNCTION "app"."name_categories"(uuid, uuid[]) IS 'Names categories anew. 40001 if others have changed names meanwhile.';

COMMENT ON FUNCTION "app"."note_refused_use"(text, text) IS 'Records now as the last refused use of a revoked or expired key, or of a good one that lacks missing_scope, by its SHA-256 in hex, at most once a minute. Returns whether it has.';

COMMENT ON FUNCTION "app"."note_use"(uuid, uuid) IS 'Records now as the last use of a key, or as its last quick check, at most once a minute, unless another transaction is doing so or the database is read-only.';

COMMENT ON FUNCTION "public"."note_refused_use"(text, text) IS 'Records now as the last refused use of a revoked or expired key, or of a good one that lacks missing_scope, at most once a minute. Returns true or false: whether it has.';

COMMENT ON TABLE "app"."api_key_uses" IS 'When an API key was last used, to the minute, where and by what program; and when it was last refused, or only checked.';

REVOKE ALL ON FUNCTION "app"."category_name"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."category_name"(uuid, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "app"."is_recent"(timestamp with time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."is_recent"(timestamp with time zone) TO "postgres";

REVOKE ALL ON FUNCTION "app"."note_refused_use"(text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."note_refused_use"(text, text) TO "postgres", "public_api";

REVOKE ALL ON FUNCTION "public"."note_refused_use"(text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."note_refused_use"(text, text) TO "service_role";

revoke create on schema public from public_api;
