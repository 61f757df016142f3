-- What every function that serves an API key shares.

-- Raises unless row-level security binds the current role on these tables. Ownership is what a restore without owners loses, and
-- the same functions owned by postgres would return every company's rows: then they had better not run at all.
create function app.require_row_security(variadic relations regclass[]) returns void
language plpgsql stable set search_path = ''
as $$
declare
  relation regclass;
begin
  foreach relation in array relations loop
    if not row_security_active(relation) then
      raise exception 'row-level security does not bind % on %', current_user, relation
        using hint = 'Functions that serve API keys belong to public_api: docs/operations.md, Restore.';
    end if;
  end loop;
end
$$;

revoke all on function app.require_row_security(regclass[]) from public;
grant execute on function app.require_row_security(regclass[]) to public_api;
comment on function app.require_row_security(regclass[]) is 'Raises unless row-level security binds the current role on these tables.';

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

-- A page as one JSON array. page_rows are up to max_rows + 1 rows, newest first; the one past max_rows only says that there are more.
create function app.respond_with_page(key_id uuid, company_id uuid, page_rows json[], max_rows integer) returns json
language plpgsql volatile set search_path = ''
as $$
declare
  found_rows constant integer := coalesce(cardinality(page_rows), 0);
begin
  perform app.set_response_headers(key_id, company_id, least(found_rows, max_rows), found_rows > max_rows);
  return array_to_json(coalesce(page_rows[:max_rows], '{}'));
end
$$;

revoke all on function app.respond_with_page(uuid, uuid, json[], integer) from public;
grant execute on function app.respond_with_page(uuid, uuid, json[], integer) to public_api;
comment on function app.respond_with_page(uuid, uuid, json[], integer) is 'The page as a JSON array, with its response headers.';
