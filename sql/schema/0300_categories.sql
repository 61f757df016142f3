-- Kudos categories and their names, one per language.

create table app.categories (
  company_id uuid not null references app.companies (id) on delete cascade,
  id uuid not null default gen_random_uuid(),
  created_at timestamptz not null default now(),
  changed_in xid8 not null default pg_current_xact_id(),
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
-- For the changes, oldest first (0207).
create index categories_changed on app.categories (company_id, changed_in, id);
-- While many rows have the same number, PostgreSQL 18 would look up an id in this index too (skip scan).
alter table app.categories alter column changed_in set (n_distinct = -1);

create policy api_read on app.categories for select to public_api
  using (company_id = (select app.current_company_id()));
create policy api_read on app.category_names for select to public_api
  using (company_id = (select app.current_company_id()));

grant select on app.categories, app.category_names to public_api;
-- Not granted: any write; anything to authenticated.

-- Keeping copies (0207).
select app.keep_changes('app.categories');

-- Triggers: a category's name in the API depends on app.category_names and on the company's default language. So a
-- change of either counts as a change of the category. mark_categories locks the company: it waits for transactions that
-- are adding categories, because it does not see their rows before they commit.
create function app.mark_category() returns trigger
language plpgsql set search_path = ''
as $$
begin
  update app.categories as c set changed_in = pg_current_xact_id()
  where c.company_id in (old.company_id, new.company_id) and c.id in (old.category_id, new.category_id)
    and c.changed_in <> pg_current_xact_id();
  return null;
end
$$;

create function app.mark_categories() returns trigger
language plpgsql set search_path = ''
as $$
begin
  perform from app.companies as c where c.id = new.id for update;
  update app.categories as c set changed_in = pg_current_xact_id() where c.company_id = new.id;
  return null;
end
$$;

create trigger mark_category after insert or update or delete on app.category_names
  for each row execute function app.mark_category();
create trigger mark_categories after update of default_language on app.companies
  for each row when (old.default_language <> new.default_language) execute function app.mark_categories();

revoke all on function app.mark_category, app.mark_categories from public;
comment on function app.mark_category() is 'Trigger: marks a category as changed when its names change.';
comment on function app.mark_categories() is 'Trigger: marks all categories of a company as changed when its default language changes.';

comment on table app.categories is 'What kudos are given for.';
comment on table app.category_names is 'The names of a category, one per language.';
comment on column app.category_names.language is 'BCP 47 tag, such as en or de.';
