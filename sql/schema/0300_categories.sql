-- Kudos categories and their names, one per language.

create table app.categories (
  company_id uuid not null references app.companies (id) on delete cascade,
  id uuid not null default gen_random_uuid(),
  created_at timestamptz not null default now(),
  -- Kept by the triggers below.
  name text not null default '',
  changed_in xid8 not null default pg_current_xact_id(),
  primary key (company_id, id)
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

-- Not granted: any write; the names in all languages; anything to authenticated.

create function app.category_name(company_id uuid, category_id uuid) returns text
language sql stable set search_path = ''
begin atomic
  select coalesce((
    select n.name from app.category_names as n join app.companies as company on company.id = n.company_id
    where n.company_id = category_name.company_id and n.category_id = category_name.category_id
    order by n.language = company.default_language desc, lower(n.language) = lower(company.default_language) desc,
      n.language = 'en' desc, n.language
    limit 1
  ), '');
end;

-- Triggers: app.categories.name follows app.category_names and the company's default language. Every transaction that
-- changes one of these first writes the company's row, once, as it is. So they wait for each other, and the second statement
-- sees what the others have committed. At repeatable read and above it would not: there the write fails (40001) if another
-- transaction has written the row since. A lock alone would not fail.
create function app.name_categories(company_id uuid, ids uuid[]) returns void
language plpgsql volatile set search_path = ''
as $$
begin
  update app.companies as c set default_language = c.default_language
  where c.id = name_categories.company_id and c.xmin <> pg_current_xact_id()::xid
    and exists (select from app.categories as o where o.company_id = c.id and o.id = any (ids));

  update app.categories as c set name = app.category_name(c.company_id, c.id)
  where c.company_id = name_categories.company_id and c.id = any (ids) and c.name <> app.category_name(c.company_id, c.id);
end
$$;

create function app.name_category() returns trigger
language plpgsql set search_path = ''
as $$
begin
  if tg_op = 'TRUNCATE' then
    perform app.name_categories(c.company_id, array_agg(c.id)) from app.categories as c group by c.company_id;
    return null;
  end if;
  if tg_op <> 'INSERT' then
    perform app.name_categories(old.company_id, array[old.category_id]);
  end if;
  if tg_op <> 'DELETE' then
    perform app.name_categories(new.company_id, array[new.category_id]);
  end if;
  return null;
end
$$;

create function app.name_categories_again() returns trigger
language plpgsql set search_path = ''
as $$
begin
  perform app.name_categories(new.id, array(select c.id from app.categories as c where c.company_id = new.id));
  return null;
end
$$;

create trigger name_category after insert or update or delete on app.category_names
  for each row execute function app.name_category();
create trigger name_no_category after truncate on app.category_names
  for each statement execute function app.name_category();
create trigger name_categories after update of default_language on app.companies
  for each row when (old.default_language <> new.default_language) execute function app.name_categories_again();

comment on function app.category_name(uuid, uuid) is
  'The name of a category in the API: in the company''s default language (pt-br matches pt-BR, an exact match comes '
  'first), else in English, else in any; empty if it has none.';
comment on function app.name_category() is 'Trigger: names a category anew when its names change.';
comment on function app.name_categories_again() is
  'Trigger: names all categories of a company anew when its default language changes.';

comment on table app.categories is 'What kudos are given for.';
comment on column app.categories.name is 'Its name in the API, chosen from app.category_names. Empty if it has none.';
comment on table app.category_names is 'The names of a category, one per language.';
comment on column app.category_names.language is 'BCP 47 tag, such as en or de.';
