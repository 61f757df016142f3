-- What every function that serves an API key shares.

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

revoke all on function app.refuse_without_row_security() from public;
grant execute on function app.refuse_without_row_security() to public_api;
comment on function app.refuse_without_row_security() is 'Raises: row-level security does not bind the current role.';

-- The answer of every one of these functions: its body as it is, and in PostgREST's response.headers what the Edge Function needs to
-- know besides: key and company for the request log; of a page how many rows it has, and whether there are more. The text is put
-- together by hand, because building it from JSON functions took a tenth of a small page's time, and uuids, integers and booleans
-- need no escaping.
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

revoke all on function app.respond(uuid, uuid, json, bigint, boolean) from public;
grant execute on function app.respond(uuid, uuid, json, bigint, boolean) to public_api;
comment on function app.respond(uuid, uuid, json, bigint, boolean) is
  'The body, with X-Key-Id, X-Company-Id and of a page X-Row-Count and X-Has-More put into the response.';
