-- Rewards: the catalogue. The only table that an API key can write, through public.upsert_rewards.

create table app.rewards (
  company_id uuid not null references app.companies (id) on delete cascade,
  id uuid not null default gen_random_uuid(),
  external_id text,
  name text not null,
  description text,
  points_cost bigint not null,
  reward_type text not null default 'perk',
  stock_count integer,
  image_url text,
  vendor_name text,
  is_archived boolean not null default false,
  created_at timestamptz not null default now(),
  changed_in xid8 not null default pg_current_xact_id(),
  primary key (company_id, id),
  -- An import matches rows on it. Rewards that were not imported have none.
  constraint rewards_external_id_key unique (company_id, external_id),
  constraint rewards_external_id_length check (char_length(external_id) between 1 and 255),
  constraint rewards_name_length check (char_length(name) between 1 and 255),
  constraint rewards_description_length check (char_length(description) <= 2000),
  -- 2^53 - 1: the largest integer that every JSON reader reads exactly.
  constraint rewards_points_cost_range check (points_cost between 0 and 9007199254740991),
  constraint rewards_reward_type_length check (char_length(reward_type) between 1 and 50),
  constraint rewards_stock_count_range check (stock_count >= 0)
);

-- For pages, newest first: of those that are not archived.
create index rewards_current_newest on app.rewards (company_id, created_at desc, id desc) where not is_archived;

create policy api_insert on app.rewards for insert to public_api
  with check (company_id = (select app.current_company_id()));
create policy api_update on app.rewards for update to public_api
  using (company_id = (select app.current_company_id()))
  with check (company_id = (select app.current_company_id()));

grant insert
  (company_id, external_id, name, description, points_cost, reward_type, is_archived, stock_count, image_url, vendor_name)
  on app.rewards to public_api;
grant update (name, description, points_cost, reward_type, is_archived, stock_count, image_url, vendor_name)
  on app.rewards to public_api;
-- Not granted: delete; writing created_at, which an import does not change; anything to authenticated.

comment on table app.rewards is 'The reward catalogue of a company.';
comment on column app.rewards.external_id is
  'The id of the reward in the system that imports the catalogue; null for rewards that were not imported.';
comment on column app.rewards.points_cost is 'In points, 0 to 9007199254740991.';
