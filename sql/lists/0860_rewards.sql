-- GET /rewards

create type lists.reward as (
  id uuid, name text, description text, points_cost bigint, reward_type text, stock_count integer, image_url text,
  vendor_name text, is_archived boolean, created_at text
);
create type lists.reward_with as (
  id uuid, name text, description text, points_cost bigint, reward_type text, stock_count integer, image_url text,
  vendor_name text, is_archived boolean, created_at text, external_id text
);

create view lists.rewards with (security_invoker = true) as
select
  r.company_id, r.created_at as instant, r.changed_in, r.id, r.is_archived, r.external_id,
  row(
    r.id, r.name, r.description, r.points_cost, r.reward_type, r.stock_count, r.image_url, r.vendor_name, r.is_archived,
    app.iso_8601(r.created_at)
  )::lists.reward as shown
from app.rewards as r;

create view lists.rewards_with with (security_invoker = true) as
select
  v.company_id, v.instant, v.changed_in, v.id, v.is_archived, v.external_id,
  row((v.shown).*, v.external_id)::lists.reward_with as shown
from lists.rewards as v;

create function public.list_rewards(
  key_hash text, max_rows integer, include_archived boolean default false, starting_after uuid default null,
  include text[] default null, external_id text default null, after_time timestamptz default null
)
returns app."application/json"
language plpgsql volatile security definer set search_path = ''
as $$
declare
  page constant lists.page := lists.begin('rewards', key_hash, max_rows, starting_after, after_time);
  rows lists.reward_with[];
  rows_without lists.reward[];
begin
  if external_id is not null then
    -- In the order of external ids, so that no plan can use another index.
    rows := array(select v.shown from (
        select o.* from lists.rewards_with as o
        where o.company_id = page.company_id
          and o.external_id between list_rewards.external_id and list_rewards.external_id
        order by o.external_id limit 1
      ) as v
      where lists.is_in(page, v.company_id, v.instant, v.id) and (include_archived or not v.is_archived));
  elsif include_archived then
    rows := array(select v.shown from lists.rewards_with as v
      where lists.is_in(page, v.company_id, v.instant, v.id)
      order by v.instant desc, v.id desc limit max_rows + 1);
  else
    rows := array(select v.shown from lists.rewards_with as v
      where lists.is_in(page, v.company_id, v.instant, v.id) and not v.is_archived
      order by v.instant desc, v.id desc limit max_rows + 1);
  end if;
  if include is not null then
    return lists.answer(page, rows, rows[max_rows].created_at || '_' || rows[max_rows].id);
  end if;
  rows_without := array(
    select row(
      r.id, r.name, r.description, r.points_cost, r.reward_type, r.stock_count, r.image_url, r.vendor_name,
      r.is_archived, r.created_at
    )::lists.reward
    from unnest(rows) as r
  );
  return lists.answer(page, rows_without, rows[max_rows].created_at || '_' || rows[max_rows].id);
end
$$;

grant select on lists.rewards, lists.rewards_with to public_api;
select app.serve_keys('public.list_rewards'::regproc, true);
comment on function public.list_rewards is 'Rewards, newest first. read:rewards. PT400, PT401, PT403, PT429.';
