-- GET /teams (docs/api.md, Teams). Statement and plan as in list_members.

create view api.teams with (security_invoker = true) as
select
  t.company_id,
  t.created_at as instant,
  t.id,
  t.name,
  to_char(t.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as created_at
from app.teams as t;

grant select on api.teams to public_api;
comment on view api.teams is 'Teams (docs/api.md, Teams).';

create function public.list_teams(key_hash text, max_rows integer, starting_after uuid default null) returns json
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
  if not row_security_active('app.teams'::regclass) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:members');

  if starting_after is not null then
    select t.instant, t.id into below_instant, below_id from api.teams as t where t.company_id = api_key.company_id and t.id = starting_after;
    if not found then
      perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
    end if;
  end if;

  select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
    select item.id, item, row_number() over () as place from (
      select t.id, t.name, t.created_at
      from api.teams as t
      where t.company_id = api_key.company_id
        and (t.instant, t.id) < (below_instant, below_id)
      order by t.instant desc, t.id desc
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

select app.serve_keys('public.list_teams'::regproc);
comment on function public.list_teams is
  'Teams of the key''s company, newest first, as a JSON array. read:members. PT400, PT401, PT403, PT429.';
