-- What every function that serves an API key shares.

-- Every one of these functions asks row_security_active() about the tables that it reads, and calls this where the answer is no.
-- Ownership is what a restore without owners loses, and the same functions owned by postgres would return every company's rows:
-- then they had better not run at all.
create function app.refuse_without_row_security() returns void
language plpgsql stable set search_path = ''
as $$
begin
  raise exception 'row-level security does not bind %', current_user
    using hint = 'Functions that serve API keys belong to public_api: docs/operations.md, Restore.';
end
$$;

revoke all on function app.refuse_without_row_security() from public;
grant execute on function app.refuse_without_row_security() to public_api;
comment on function app.refuse_without_row_security() is 'Raises: row-level security does not bind the current role.';

-- Date-times of the API: ISO 8601 in UTC with microseconds and Z (docs/api.md, Lists), and back into since and until unescaped.
create function app.iso_8601(instant timestamptz) returns text
language sql stable set search_path = ''
return to_char(instant at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');

revoke all on function app.iso_8601(timestamptz) from public;
grant execute on function app.iso_8601(timestamptz) to public_api, authenticated;
comment on function app.iso_8601(timestamptz) is 'A date-time as the API says it, 2026-11-21T10:15:30.123456Z.';

-- What the Edge Function needs to know besides the body travels in PostgREST's response.headers: key and company for the request
-- log; of a page how many rows it has, and whether there are more. The text is put together by hand, because building it
-- from JSON functions took a tenth of a small page's time, and uuids, integers and booleans need no escaping.
create function app.set_response_headers(key_id uuid, company_id uuid, page_rows integer default null, has_more boolean default null)
returns void
language plpgsql volatile set search_path = ''
as $$
declare
  headers text := format('{"X-Key-Id":"%s"},{"X-Company-Id":"%s"}', key_id, company_id);
begin
  if page_rows is not null then
    headers := headers || format(',{"X-Row-Count":"%s"},{"X-Has-More":"%s"}', page_rows, has_more::text);
  end if;
  perform set_config('response.headers', '[' || headers || ']', true);
end
$$;

revoke all on function app.set_response_headers(uuid, uuid, integer, boolean) from public;
grant execute on function app.set_response_headers(uuid, uuid, integer, boolean) to public_api;
comment on function app.set_response_headers(uuid, uuid, integer, boolean) is 'Puts X-Key-Id, X-Company-Id and of a page X-Row-Count and X-Has-More into the response.';

-- A page as one JSON array. Of the found rows, up to max_rows + 1, page holds the first max_rows, newest first; it is null when
-- there are none. The one past max_rows only says that there are more.
create function app.respond_with_page(key_id uuid, company_id uuid, found_rows bigint, max_rows integer, page json) returns json
language plpgsql volatile set search_path = ''
as $$
begin
  perform app.set_response_headers(key_id, company_id, least(found_rows, max_rows)::integer, found_rows > max_rows);
  return coalesce(page, '[]');
end
$$;

revoke all on function app.respond_with_page(uuid, uuid, bigint, integer, json) from public;
grant execute on function app.respond_with_page(uuid, uuid, bigint, integer, json) to public_api;
comment on function app.respond_with_page(uuid, uuid, bigint, integer, json) is 'The page as a JSON array, with its response headers.';
