-- What the functions that serve API keys share.

-- Each of them checks row_security_active() for the tables that it reads, and calls this function if it is
-- false. After a restore without owners, postgres may own the functions. They would then return the rows of every
-- company, so they must not run. PT500 is raised nowhere else: docs/operate/monitor.md alerts on it.
create function app.refuse_without_row_security() returns void
language plpgsql stable set search_path = ''
as $$
begin
  raise exception 'row-level security does not bind %', current_user
    using errcode = 'PT500',
      hint = 'Functions that serve API keys belong to public_api, and every table has row-level security: '
        'run sql/commands/check.sql.';
end
$$;

grant execute on function app.refuse_without_row_security to public_api;
comment on function app.refuse_without_row_security is 'Raises PT500: row-level security does not bind the current role.';

-- What a function that serves API keys returns. The Data API sends a value whose type is named like its media type as it is;
-- for json it would copy and parse each page again. Its statement names the type as service_role, which needs usage on
-- the schema.
create domain app."application/json" as json;

revoke all on type app."application/json" from public;
comment on domain app."application/json" is 'JSON that the Data API sends as it is.';

-- Owned by public_api, so that the policies bind it; to be called with the project's secret key only. sql/commands/repair.sql
-- calls this too, after a restore without owners and privileges.
create function app.serve_keys(served regprocedure) returns void
language plpgsql volatile set search_path = ''
as $$
begin
  grant create on schema public to public_api;
  execute format('alter function %s owner to public_api', served);
  revoke create on schema public from public_api;
  execute format('revoke all on function %s from public, anon, authenticated', served);
  execute format('grant execute on function %s to service_role', served);
end
$$;

comment on function app.serve_keys is
  'Makes a function one that serves API keys: public_api owns it, and only service_role may call it. For the schema and '
  'sql/commands/repair.sql.';

-- The response headers of a page for the Edge Function (PostgREST's setting response.headers): the ids of key and
-- company for the request log, the number of rows, whether there are more, and the id or the cursor of the last row, with
-- which the next page is requested. It is a text for format(), because JSON functions took a tenth of a small page's
-- time, and uuids, integers and booleans need no escaping. Each function calls format() itself, because another function
-- call took a fortieth of the time. They assign the result of set_config, because perform would run it as a query.
-- This function costs no time: it is immutable, so the planner calls it once and keeps the text.
create function app.list_headers() returns text
language sql immutable set search_path = ''
return '[{"X-Key-Id":"%s"},{"X-Company-Id":"%s"},{"X-Row-Count":"%s"},{"X-Has-More":"%s"},{"X-Next":"%s"}]';

-- The same for the lists, with the time and id of the last row too: the starting_after that looks nothing up. Version 1.2
-- of the Edge Function uses X-Next.
create function app.page_headers() returns text
language sql immutable set search_path = ''
return '[{"X-Key-Id":"%s"},{"X-Company-Id":"%s"},{"X-Row-Count":"%s"},{"X-Has-More":"%s"},{"X-Next":"%s"},'
  '{"X-Next-Page":"%s"}]';

grant execute on function app.list_headers, app.page_headers to public_api;
comment on function app.list_headers is
  'The response.headers of changes and totals, for format(): the ids of key and company, the number of rows, true or false for '
  'whether there are more, the cursor of the last row.';
comment on function app.page_headers is
  'The response.headers of a list, for format(): as app.list_headers with the id of the last row, then its time and id.';

-- The response of the functions that serve no page: returns the body unchanged, and sets the headers with key and
-- company for the request log.
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

grant execute on function app.respond to public_api;
comment on function app.respond is 'Returns the body, and sets the response headers X-Key-Id and X-Company-Id.';

-- Raises the error for a starting_after that is not the id of a row of the company's list. It must be the same for a row
-- of another company.
create function app.refuse_starting_after(key_id uuid, company_id uuid) returns void
language plpgsql stable set search_path = ''
as $$
begin
  raise exception using
    errcode = 'PT400',
    message = 'starting_after must be the id of a row of this list',
    detail = json_build_object('key_id', key_id, 'company_id', company_id);
end
$$;

grant execute on function app.refuse_starting_after to public_api;
comment on function app.refuse_starting_after is
  'Raises PT400: starting_after is not the id of a row of the list. The detail names key and company for the request log.';
