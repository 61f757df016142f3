-- GET /categories (docs/api.md, Categories). Statement and plan as in list_members.

-- All columns except the name, which app.category_names_by_id looks up, as for kudos.
create view api.categories with (security_invoker = true) as
select
  c.company_id,
  c.created_at as instant,
  c.id,
  to_char(c.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as created_at
from app.categories as c;

grant select on api.categories to public_api;
comment on view api.categories is 'Categories (docs/api.md, Categories).';

create function public.list_categories(key_hash text, max_rows integer, starting_after uuid default null) returns json
language plpgsql volatile security definer
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_sort = off
set jit = off
set lock_timeout = '5s'
set statement_timeout = '7s'
as $$
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
    row_security_active('app.categories'::regclass) and row_security_active('app.category_names'::regclass)
    and row_security_active('app.companies'::regclass)
  ) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:activity');

  if starting_after is not null then
    select c.instant, c.id into below_instant, below_id from api.categories as c where c.company_id = api_key.company_id and c.id = starting_after;
    if not found then
      perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
    end if;
  end if;

  select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
    select item.id, item, row_number() over () as place from (
      select c.id, coalesce((select app.category_names_by_id(api_key.company_id)) ->> c.id::text, '') as name, c.created_at
      from api.categories as c
      where c.company_id = api_key.company_id
        and (c.instant, c.id) < (below_instant, below_id)
      order by c.instant desc, c.id desc
      limit max_rows + 1
    ) as item
  ) as numbered;

  found_rows := coalesce(cardinality(ids), 0);
  headers := set_config(
    'response.headers',
    format(app.list_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text, ids[max_rows]),
    true
  );
  return coalesce(page, '[]');
end
$$;

select app.serve_keys('public.list_categories'::regproc);
comment on function public.list_categories is
  'Categories of the key''s company, newest first, as a JSON array. read:activity. PT400, PT401, PT403, PT429.';
