-- GET /rewards (docs/api.md, Rewards). Statements and plans as in list_members; without archived rewards there is an index of its own.

create function public.list_rewards(key_hash text, max_rows integer, include_archived boolean default false) returns json
language plpgsql volatile security definer
set search_path = ''
set plan_cache_mode = force_generic_plan
set lock_timeout = '5s'
set statement_timeout = '7s'
as $$
declare
  api_key record;
  page_rows json[];
begin
  perform app.require_row_security('app.rewards');
  select * into api_key from app.authenticate(key_hash, 'read:rewards');

  if include_archived then
    select array_agg(row_to_json(page)) into page_rows from (
      select r.id, r.name, r.description, r.points_cost, r.reward_type, r.stock_count, r.image_url, r.vendor_name, r.is_archived,
        app.iso_8601(r.created_at) as created_at
      from api.rewards as r
      where r.company_id = api_key.company_id
      order by r.created_at desc, r.id desc
      limit max_rows + 1
    ) as page;
  else
    select array_agg(row_to_json(page)) into page_rows from (
      select r.id, r.name, r.description, r.points_cost, r.reward_type, r.stock_count, r.image_url, r.vendor_name, r.is_archived,
        app.iso_8601(r.created_at) as created_at
      from api.rewards as r
      where r.company_id = api_key.company_id and not r.is_archived
      order by r.created_at desc, r.id desc
      limit max_rows + 1
    ) as page;
  end if;

  return app.respond_with_page(api_key.key_id, api_key.company_id, page_rows, max_rows);
end
$$;

comment on function public.list_rewards(text, integer, boolean) is
  'Rewards of the key''s company, newest first, as a JSON array. read:rewards. PT401, PT403.';
