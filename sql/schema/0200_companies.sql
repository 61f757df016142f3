-- Companies: the tenants. Every other table has company_id, first in its primary key and in every unique and foreign
-- key, and row-level security (1980).

create table app.companies (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  default_language text not null default 'en',
  created_at timestamptz not null default now(),
  -- Whether this project or another one serves the company (docs/operate/move-a-company.md). app.authenticate and
  -- app.current_admin check it.
  serving text not null default 'open',
  move_id uuid,
  -- How long kudos, day ratings and pulse answers are kept (1020); null: for ever.
  retention interval,
  -- How many people a team must have for day ratings to name it (0505); null: one.
  fewest_people integer,
  constraint companies_name_length check (char_length(name) between 1 and 255),
  constraint companies_default_language_form check (default_language ~ '^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$'),
  constraint companies_serving_known check (serving in ('open', 'moving', 'readable', 'closed')),
  constraint companies_serving_moved check (serving = 'open' or move_id is not null),
  constraint companies_retention_length check (retention >= interval '1 day'),
  constraint companies_fewest_people_range check (fewest_people between 2 and 100)
);

-- The company of the API key that was verified in this transaction; null when no key has been verified.
-- The setting is local to the transaction. In a later transaction of the session it is '', hence nullif. The function
-- is in plpgsql, because the session keeps its plan: in SQL it would be planned again for each table of each page.
create function app.current_company_id() returns uuid
language plpgsql stable set search_path = ''
as $$
begin
  return nullif(current_setting('app.company_id', true), '')::uuid;
end
$$;

grant execute on function app.current_company_id to public_api;

create policy api_read on app.companies for select to public_api
  using (id = (select app.current_company_id()));

grant select (id, name) on app.companies to public_api;
-- Not granted: any write. Operators create companies as postgres (docs/operate/deploy.md).

comment on table app.companies is 'The companies whose data the service holds.';
comment on column app.companies.default_language is 'BCP 47 tag, such as en or de: the language of category names in the API.';
comment on column app.companies.serving is
  'open: here. moving: being copied to another project, read only. readable: moved, its keys still read here. closed: moved, '
  'its keys answer 401 here.';
comment on column app.companies.move_id is 'Its last move, the same at both its ends; null when it has never moved.';
comment on column app.companies.retention is
  'How long kudos, day ratings and pulse answers are kept, such as 2 years; null: for ever.';
comment on column app.companies.fewest_people is
  'Day ratings name only teams with as many members, from 2 to 100 (docs/privacy.md); null: all teams. Only '
  'app.set_fewest_people also applies it to the ratings that are there.';
