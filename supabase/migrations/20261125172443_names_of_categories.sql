-- By hand, first: the names are there before the lists read them.
-- The tables of categories are small: reading them takes milliseconds.
set lock_timeout = '2s';
set statement_timeout = '60s';

alter table app.categories add column name text not null default '';
comment on column app.categories.name is 'Its name in the API, chosen from app.category_names. Empty if it has none.';

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
  'Names categories: in the company''s default language (pt-br matches pt-BR, an exact match comes first), else in English, else in any.';
comment on function app.name_category() is 'Trigger: names a category anew when its names change.';
comment on function app.name_categories_again() is 'Trigger: names all categories of a company anew when its default language changes.';

-- The triggers have locked both tables against writing until this ends.
select app.name_categories(company.id, array(select c.id from app.categories as c where c.company_id = company.id))
from app.companies as company;
