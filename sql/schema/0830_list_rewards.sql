-- GET /rewards (docs/api.md, Rewards). Statements and plans as in list_members. The list without archived rewards has
-- its own index.

create view api.rewards with (security_invoker = true) as
select
  r.company_id,
  r.created_at as instant,
  r.id,
  r.name,
  r.description,
  r.points_cost,
  r.reward_type,
  r.stock_count,
  r.image_url,
  r.vendor_name,
  r.is_archived,
  to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as created_at,
  r.external_id
from app.rewards as r;

grant select on api.rewards to public_api;
comment on view api.rewards is 'Rewards (docs/api.md, Rewards).';

create function public.list_rewards(
  key_hash text,
  max_rows integer,
  include_archived boolean default false,
  starting_after uuid default null,
  include text[] default null,
  external_id text default null
)
returns json
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
  if not row_security_active('app.rewards'::regclass) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:rewards');

  if starting_after is not null then
    select r.instant, r.id into below_instant, below_id from api.rewards as r where r.company_id = api_key.company_id and r.id = starting_after;
    if not found then
      perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
    end if;
  end if;

  if external_id is not null then
    -- One row at most. It is looked up before other conditions, in the order of external ids, so that no plan can use
    -- another index.
    select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
      select id, item, row_number() over () as place from (
        select item.id, case when include is null then item else item_with_external_id end as item
        from (
          select v.* from api.rewards as v
          where v.company_id = api_key.company_id and v.external_id between list_rewards.external_id and list_rewards.external_id
          order by v.external_id limit 1
        ) as r
        cross join lateral (
          select r.id, r.name, r.description, r.points_cost, r.reward_type, r.stock_count, r.image_url, r.vendor_name, r.is_archived, r.created_at
        ) as item
        cross join lateral (select item.*, r.external_id) as item_with_external_id
        where (r.instant, r.id) < (below_instant, below_id)
          and (include_archived or not r.is_archived)
      ) as ordered
    ) as numbered;
  elsif include_archived is not true then
    select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
      select id, item, row_number() over () as place from (
        select item.id, case when include is null then item else item_with_external_id end as item
        from api.rewards as r
        cross join lateral (
          select r.id, r.name, r.description, r.points_cost, r.reward_type, r.stock_count, r.image_url, r.vendor_name, r.is_archived, r.created_at
        ) as item
        cross join lateral (select item.*, r.external_id) as item_with_external_id
        where r.company_id = api_key.company_id and not r.is_archived
          and (r.instant, r.id) < (below_instant, below_id)
        order by r.instant desc, r.id desc
        limit max_rows + 1
      ) as ordered
    ) as numbered;
  else
    select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
      select id, item, row_number() over () as place from (
        select item.id, case when include is null then item else item_with_external_id end as item
        from api.rewards as r
        cross join lateral (
          select r.id, r.name, r.description, r.points_cost, r.reward_type, r.stock_count, r.image_url, r.vendor_name, r.is_archived, r.created_at
        ) as item
        cross join lateral (select item.*, r.external_id) as item_with_external_id
        where r.company_id = api_key.company_id
          and (r.instant, r.id) < (below_instant, below_id)
        order by r.instant desc, r.id desc
        limit max_rows + 1
      ) as ordered
    ) as numbered;
  end if;

  found_rows := coalesce(cardinality(ids), 0);
  headers := set_config(
    'response.headers',
    format(app.list_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text, ids[max_rows]),
    true
  );
  return coalesce(page, '[]');
end
$$;

select app.serve_keys('public.list_rewards'::regproc);
comment on function public.list_rewards is
  'Rewards of the key''s company, newest first, as a JSON array. read:rewards. PT400, PT401, PT403, PT429.';
