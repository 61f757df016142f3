-- GET /activity (docs/api.md, Activity). Statements and plans as in list_members.

create function public.list_activity(
  key_hash text,
  max_rows integer,
  since timestamptz default '-infinity',
  until timestamptz default 'infinity',
  category_id uuid default null,
  sender_id uuid default null,
  receiver_id uuid default null
)
returns json
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
  perform app.require_row_security('app.kudos', 'app.members', 'app.categories', 'app.category_names', 'app.companies');
  select * into api_key from app.authenticate(key_hash, 'read:activity');

  if sender_id is not null then
    select array_agg(row_to_json(page)) into page_rows from (
      select k.id, app.iso_8601(k."timestamp") as "timestamp", k.sender_name, k.sender_email, k.receiver_name, k.receiver_email,
        k.message, k.category
      from api.activity as k
      where k.company_id = api_key.company_id and k.sender_id = list_activity.sender_id
        and k."timestamp" >= since and k."timestamp" <= until
        and (list_activity.receiver_id is null or k.receiver_id = list_activity.receiver_id)
        and (list_activity.category_id is null or k.category_id = list_activity.category_id)
      order by k."timestamp" desc, k.id desc
      limit max_rows + 1
    ) as page;
  elsif receiver_id is not null then
    select array_agg(row_to_json(page)) into page_rows from (
      select k.id, app.iso_8601(k."timestamp") as "timestamp", k.sender_name, k.sender_email, k.receiver_name, k.receiver_email,
        k.message, k.category
      from api.activity as k
      where k.company_id = api_key.company_id and k.receiver_id = list_activity.receiver_id
        and k."timestamp" >= since and k."timestamp" <= until
        and (list_activity.category_id is null or k.category_id = list_activity.category_id)
      order by k."timestamp" desc, k.id desc
      limit max_rows + 1
    ) as page;
  elsif category_id is not null then
    select array_agg(row_to_json(page)) into page_rows from (
      select k.id, app.iso_8601(k."timestamp") as "timestamp", k.sender_name, k.sender_email, k.receiver_name, k.receiver_email,
        k.message, k.category
      from api.activity as k
      where k.company_id = api_key.company_id and k.category_id = list_activity.category_id
        and k."timestamp" >= since and k."timestamp" <= until
      order by k."timestamp" desc, k.id desc
      limit max_rows + 1
    ) as page;
  else
    select array_agg(row_to_json(page)) into page_rows from (
      select k.id, app.iso_8601(k."timestamp") as "timestamp", k.sender_name, k.sender_email, k.receiver_name, k.receiver_email,
        k.message, k.category
      from api.activity as k
      where k.company_id = api_key.company_id
        and k."timestamp" >= since and k."timestamp" <= until
      order by k."timestamp" desc, k.id desc
      limit max_rows + 1
    ) as page;
  end if;

  return app.respond_with_page(api_key.key_id, api_key.company_id, page_rows, max_rows);
end
$$;

comment on function public.list_activity(text, integer, timestamptz, timestamptz, uuid, uuid, uuid) is
  'Kudos of the key''s company, newest first, as a JSON array. read:activity. PT401, PT403.';
