-- What the chapters that follow share: each is one endpoint, with its view, its function, and who may call it.
--
-- A view is the public shape of a resource (docs/api.md), column for column, after company_id, the ids that filters need and the instant
-- that pages are ordered by. Date-times are text, as app.iso_8601 makes it, but not made by it: a call a row would cost a fifth of a page's
-- time. security_invoker: a view reads with the rights and under the policies of whoever selects from it. create or replace without
-- repeating the option would clear it silently; a test looks.
--
-- What a row names (its team, its people) is looked up row by row with left join lateral (… offset 0): offset 0 keeps PostgreSQL from
-- turning the look-ups into joins over whole tables, so that a page costs the same at any size.
--
-- A page begins with the newest row, or below the row that starting_after names: one row comparison (instant, id) < (…), which an index
-- takes as a condition. It has to be the only upper bound: beside instant <= until the scan starts at the row comparison and walks down to
-- until. So until is folded into the pair, as the microsecond after it and the lowest id, and the smaller of the two pairs bounds the page.
--
-- Not granted: any view to anon, authenticated or service_role.

-- Every one of these functions asks row_security_active() about the tables that it reads, and calls this where the answer is no.
-- Ownership is what a restore without owners loses, and the same functions owned by postgres would return every company's rows:
-- then they had better not run at all.
create function app.refuse_without_row_security() returns void
language plpgsql stable set search_path = ''
as $$
begin
  raise exception 'row-level security does not bind %', current_user
    using hint = 'Functions that serve API keys belong to public_api, and every table has row-level security: docs/operations.md, Restore.';
end
$$;

revoke all on function app.refuse_without_row_security from public;
grant execute on function app.refuse_without_row_security to public_api;
comment on function app.refuse_without_row_security is 'Raises: row-level security does not bind the current role.';

-- What PostgREST's response.headers hold for the Edge Function besides a page: key and company for the request log, how many rows the page
-- has, and whether there are more. Written out, because building it from JSON functions took a tenth of a small page's time, and uuids,
-- integers and booleans need no escaping; each list fills it in itself, because the call of a function for that took a fortieth
-- (and assigns what set_config answers, because perform would run it as a query). This function costs nothing: it is immutable, so that
-- the planner calls it once and keeps the text.
create function app.page_headers() returns text
language sql immutable set search_path = ''
return '[{"X-Key-Id":"%s"},{"X-Company-Id":"%s"},{"X-Row-Count":"%s"},{"X-Has-More":"%s"}]';

revoke all on function app.page_headers from public;
grant execute on function app.page_headers to public_api;
comment on function app.page_headers is
  'The response.headers of a page, for format(): the ids of key and company, the number of its rows, true or false for whether there are more.';

-- The answer of the functions that serve no page: its body as it is, with key and company for the request log. Lists of 1.0.0 pass what a
-- page has besides; one that is under way while a migration replaces it still does.
create function app.respond(
  key_id uuid,
  company_id uuid,
  body json,
  page_rows bigint default null,
  has_more boolean default null
)
returns json
language plpgsql volatile set search_path = ''
as $$
declare
  headers text;
begin
  -- Assigned and not performed, which would run it as a query.
  headers := set_config(
    'response.headers',
    case
      when page_rows is null then format('[{"X-Key-Id":"%s"},{"X-Company-Id":"%s"}]', key_id, company_id)
      else format('[{"X-Key-Id":"%s"},{"X-Company-Id":"%s"},{"X-Row-Count":"%s"},{"X-Has-More":"%s"}]', key_id, company_id, page_rows, has_more::text)
    end,
    true
  );
  return body;
end
$$;

revoke all on function app.respond from public;
grant execute on function app.respond to public_api;
comment on function app.respond is
  'The body, with X-Key-Id, X-Company-Id and of a page X-Row-Count and X-Has-More put into the response.';

-- The row that starting_after names is not in this list of the company: it may be another company's, and nothing tells the two apart.
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

revoke all on function app.refuse_starting_after from public;
grant execute on function app.refuse_starting_after to public_api;
comment on function app.refuse_starting_after is 'Raises PT400: starting_after is not the id of a row of the list. The detail names key and company for the request log.';

-- As text, because json keeps the page's rows as they were written, and jsonb would sort their fields and change their numbers.
create function app.append_columns(item json, columns json, include text[]) returns json
language sql immutable set search_path = ''
return (
  select (left(item::text, -1) || string_agg(',' || to_json(c.key)::text || ':' || c.value::text, '' order by c.place) || '}')::json
  from json_each(columns) with ordinality as c (key, value, place)
  where c.key = any (include)
);

revoke all on function app.append_columns from public;
grant execute on function app.append_columns to public_api;
comment on function app.append_columns is 'A row of a page with those of the columns behind it that include names, in the order of the columns.';
