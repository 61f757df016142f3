-- GET /categories

create type lists.category as (id uuid, name text, created_at text);

create view lists.categories with (security_invoker = true) as
select
  c.company_id, c.created_at as instant, c.changed_in, c.id,
  row(c.id, c.name, app.iso_8601(c.created_at))::lists.category as shown
from app.categories as c;

create function public.list_categories(
  key_hash text, max_rows integer, starting_after uuid default null, after_time timestamptz default null
)
returns app."application/json"
language plpgsql volatile security definer set search_path = ''
as $$
declare
  page constant lists.page := lists.begin('categories', key_hash, max_rows, starting_after, after_time);
  rows lists.category[];
begin
  rows := array(select v.shown from lists.categories as v
    where lists.is_in(page, v.company_id, v.instant, v.id)
    order by v.instant desc, v.id desc limit max_rows + 1);
  return lists.answer(page, rows, rows[max_rows].created_at || '_' || rows[max_rows].id);
end
$$;

grant select on lists.categories to public_api;
select app.serve_keys('public.list_categories'::regproc, true);
comment on function public.list_categories is 'Categories, newest first. read:activity. PT400, PT401, PT403, PT429.';
