-- Kudos categories and their names, one per language.

create table app.categories (
  company_id uuid not null references app.companies (id) on delete cascade,
  id uuid not null default gen_random_uuid(),
  created_at timestamptz not null default now(),
  -- Kept by the triggers below.
  name text not null default '',
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

grant select on app.categories to public_api;
-- Not granted: any write; the names in all languages; anything to authenticated.

-- Keeping copies (0207).
select app.keep_changes('app.categories');

-- Triggers: app.categories.name follows app.category_names and the company's default language. The rows are locked first,
-- and named by a second statement, which sees what those who held the locks have committed.
create function app.name_categories(company_id uuid, ids uuid[]) returns void
language plpgsql volatile set search_path = ''
as $$
begin
  perform from app.categories as c
  where c.company_id = name_categories.company_id and c.id = any (ids)
  order by c.id for no key update;

  update app.categories as c set name = named.name
  from (
    select o.id, coalesce(
      (
        select n.name from app.category_names as n
        where n.company_id = o.company_id and n.category_id = o.id
        order by n.language = company.default_language desc, lower(n.language) = lower(company.default_language) desc,
          n.language = 'en' desc, n.language
        limit 1
      ), '') as name
    from app.categories as o join app.companies as company on company.id = o.company_id
    where o.company_id = name_categories.company_id and o.id = any (ids)
  ) as named
  where c.company_id = name_categories.company_id and c.id = named.id and c.name <> named.name;
end
$$;

create function app.name_category() returns trigger
language plpgsql set search_path = ''
as $$
begin
  if tg_op <> 'INSERT' then
    perform app.name_categories(old.company_id, array[old.category_id]);
  end if;
  if tg_op <> 'DELETE' then
    perform app.name_categories(new.company_id, array[new.category_id]);
  end if;
  return null;
end
$$;

-- Locks the company: this waits for transactions that are adding categories, whose rows it does not see before they commit.
create function app.name_categories_again() returns trigger
language plpgsql set search_path = ''
as $$
begin
  perform from app.companies as c where c.id = new.id for update;
  perform app.name_categories(new.id, array(select c.id from app.categories as c where c.company_id = new.id));
  return null;
end
$$;

create trigger name_category after insert or update or delete on app.category_names
  for each row execute function app.name_category();
create trigger name_categories after update of default_language on app.companies
  for each row when (old.default_language <> new.default_language) execute function app.name_categories_again();

revoke all on function app.name_categories, app.name_category, app.name_categories_again from public;
comment on function app.name_categories(uuid, uuid[]) is
  'Names categories: in the company''s default language (pt-br matches pt-BR, an exact match comes first), else in English, '
  'else in any.';
comment on function app.name_category() is 'Trigger: names a category anew when its names change.';
comment on function app.name_categories_again() is
  'Trigger: names all categories of a company anew when its default language changes.';

comment on table app.categories is 'What kudos are given for.';
comment on column app.categories.name is 'Its name in the API, chosen from app.category_names. Empty if it has none.';
comment on table app.category_names is 'The names of a category, one per language.';
comment on column app.category_names.language is 'BCP 47 tag, such as en or de.';
