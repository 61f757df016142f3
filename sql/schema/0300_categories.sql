-- Kudos categories and their names, one per language.

create table app.categories (
  company_id uuid not null references app.companies (id) on delete cascade,
  id uuid not null default gen_random_uuid(),
  created_at timestamptz not null default now(),
  primary key (company_id, id),
  constraint categories_created_at_range check (created_at >= '0001-01-01Z' and created_at < '10000-01-01Z')
);

create table app.category_names (
  company_id uuid not null,
  category_id uuid not null,
  language text not null,
  name text not null,
  primary key (company_id, category_id, language),
  foreign key (company_id, category_id) references app.categories (company_id, id) on delete cascade,
  constraint category_names_language_form check (language ~ '^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$'),
  constraint category_names_name_length check (char_length(name) between 1 and 255)
);

alter table app.categories enable row level security;
alter table app.category_names enable row level security;

-- For pages, newest first.
create index categories_newest on app.categories (company_id, created_at desc, id desc);

create policy api_read on app.categories for select to public_api
  using (company_id = (select app.current_company_id()));
create policy api_read on app.category_names for select to public_api
  using (company_id = (select app.current_company_id()));

grant select on app.categories, app.category_names to public_api;
-- Not granted: any write; anything to authenticated.

comment on table app.categories is 'What kudos are given for.';
comment on table app.category_names is 'The names of a category, one per language.';
comment on column app.category_names.language is 'BCP 47 tag, such as en or de.';
