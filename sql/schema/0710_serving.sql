-- What the functions that serve API keys share.

-- What a function that serves API keys returns. The Data API sends a value whose type is named like its media type as
-- it is; for json it would copy and parse each page again. Its statement names the type as service_role, which needs
-- usage on the schema.
create domain app."application/json" as json;

revoke all on type app."application/json" from public;
comment on domain app."application/json" is 'JSON that the Data API sends as it is.';

-- Makes a function one that serves API keys: public_api owns it, so that the policies bind it; only the project's
-- secret key may call it; and it has time limits and what the planner may use. With a null is_list it keeps its
-- settings: sql/commands/repair.sql calls this so, after a restore without owners and privileges.
--
-- A session keeps its plans. One that was made while the tables were tiny reads whole tables, or sorts a whole company,
-- for each page until the next analyze: 20 s a page of 300,000 kudos in place of 5 ms. So plans must use indexes, and
-- the statements of lists (is_list) those in the order of the page; planning again for every call would halve the speed
-- of small pages. A sort that cannot be avoided then has an estimated cost of 1e10, with which a page would be compiled
-- (0.2 to 0.7 s).
create function app.serve_keys(served regprocedure, is_list boolean default false) returns void
language plpgsql volatile set search_path = ''
as $$
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
$$;

-- Begins every function that serves API keys: row-level security binds the caller, and the key is good. Authenticate
-- first, then read: the policies use the company that this sets.
--
-- After a restore without owners, postgres may own these functions. They would then return the rows of every company, so
-- they must not run. PT500 is raised nowhere else: docs/operate/monitor.md alerts on it.
create function app.admit(key_hash text, required_scope text) returns app.verified_key
language plpgsql volatile set search_path = ''
as $$
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
$$;

-- Ends the functions that serve rows, with response headers for the Edge Function (PostgREST's setting
-- response.headers): the ids of key and company for the request log, the number of rows, whether there are more, and
-- what requests them: a cursor, or the time and id of the last row; with changes, until when all are served. format(),
-- because JSON functions took a tenth of a small page's time; nothing in it needs escaping. Its callers assign the
-- result, because perform would run it as a query.
create function app.end_page(
  key_id uuid, company_id uuid, found_rows bigint, max_rows integer, next text, until timestamptz default null
)
returns text
language sql volatile
return set_config('response.headers', format(
  '[{"X-Key-Id":"%s"},{"X-Company-Id":"%s"},{"X-Row-Count":"%s"},{"X-Has-More":"%s"},{"X-Next-Page":"%s"}%s]',
  key_id, company_id, least(found_rows, max_rows), (found_rows > max_rows)::text, next,
  ',{"X-Changes-Until":"' || app.iso_8601(until) || '"}'
), true);

-- The start of the oldest transaction that has written anywhere on this server, at most now: all that was committed before
-- it is below pg_snapshot_xmin of any later snapshot. Null beside one whose start is unknown, because it is prepared, or its
-- session has no track_activities. Of a session, the moment is read before its number, of what is prepared meanwhile, both.
create function app.oldest_write() returns timestamptz
language plpgsql volatile security definer set search_path = ''
as $$
declare
  oldest constant timestamptz :=
    (select min(coalesce(a.xact_start, '-infinity')) from pg_stat_get_activity(null) as a where a.backend_xid is not null);
begin
  if pg_has_role('pg_read_all_stats', 'usage') and not exists (select from pg_prepared_xacts) then
    return nullif(least(oldest, now()), '-infinity');
  end if;
  return null;
end
$$;

-- Returns the body of what serves no page, with the ids of key and company for the request log.
create function app.respond(key_id uuid, company_id uuid, body json) returns json
language plpgsql volatile set search_path = ''
as $$
declare
  headers text;
begin
  -- Assigned and not performed, which would run it as a query.
  headers := set_config('response.headers', format('[{"X-Key-Id":"%s"},{"X-Company-Id":"%s"}]', key_id, company_id), true);
  return body;
end
$$;

grant execute on function app.admit, app.end_page, app.oldest_write, app.respond to public_api;
