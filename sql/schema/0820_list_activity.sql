-- GET /activity (docs/api.md, Activity). Statements and plans as in list_members.

-- Which filter leads: the only one, and of several the one that fewest kudos of the window match, of a thousand of each at most. It
-- is planned as its caller says, but for bitmaps, which read all that matches before the first is counted.
create function app.rarest_kudos_filter(
  company_id uuid,
  since timestamptz,
  until timestamptz,
  sender_id uuid,
  receiver_id uuid,
  category_id uuid
)
returns text
language plpgsql stable
set search_path = ''
set enable_bitmapscan = off
set jit = off
as $$
declare
  of_sender bigint;
  of_receiver bigint;
  of_category bigint;
begin
  if num_nonnulls(sender_id, receiver_id, category_id) = 1 then
    return case when sender_id is not null then 'sender' when receiver_id is not null then 'receiver' else 'category' end;
  end if;

  if sender_id is not null then
    select count(*) into of_sender from (
      select from app.kudos as k
      where k.company_id = rarest_kudos_filter.company_id and k.sender_id = rarest_kudos_filter.sender_id
        and k.created_at >= since and k.created_at <= until
      limit 1000
    ) as counted;
  end if;
  if receiver_id is not null then
    select count(*) into of_receiver from (
      select from app.kudos as k
      where k.company_id = rarest_kudos_filter.company_id and k.receiver_id = rarest_kudos_filter.receiver_id
        and k.created_at >= since and k.created_at <= until
      limit 1000
    ) as counted;
  end if;
  if category_id is not null then
    select count(*) into of_category from (
      select from app.kudos as k
      where k.company_id = rarest_kudos_filter.company_id and k.category_id = rarest_kudos_filter.category_id
        and k.created_at >= since and k.created_at <= until
      limit 1000
    ) as counted;
  end if;
  -- least() passes over those that were not counted.
  return case least(of_sender, of_receiver, of_category)
    when of_sender then 'sender'
    when of_receiver then 'receiver'
    else 'category'
  end;
end
$$;

revoke all on function app.rarest_kudos_filter(uuid, timestamptz, timestamptz, uuid, uuid, uuid) from public;
grant execute on function app.rarest_kudos_filter(uuid, timestamptz, timestamptz, uuid, uuid, uuid) to public_api;
comment on function app.rarest_kudos_filter(uuid, timestamptz, timestamptz, uuid, uuid, uuid) is
  'sender, receiver or category, whichever fewest kudos of the window match.';

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
set enable_seqscan = off
set enable_sort = off
set jit = off
set lock_timeout = '5s'
set statement_timeout = '7s'
as $$
declare
  api_key app.verified_key;
  found_rows bigint;
  page json;
  headers text;
  lead_by text;
begin
  if not (
    row_security_active('app.kudos'::regclass) and row_security_active('app.members'::regclass)
    and row_security_active('app.category_names'::regclass) and row_security_active('app.companies'::regclass)
  ) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:activity');

  if num_nonnulls(sender_id, receiver_id, category_id) > 0 then
    lead_by := app.rarest_kudos_filter(api_key.company_id, since, until, sender_id, receiver_id, category_id);
  end if;

  -- The names of all categories are looked up once a page, because a company has few and a page has many kudos; and in the page's own
  -- statement, because another would not see the same moment: kudos that came meanwhile would be without the name of theirs.
  if lead_by is null then
    select count(*), json_agg(item) filter (where place <= max_rows) into found_rows, page from (
      select item, row_number() over () as place from (
        select k.id, k."timestamp", k.sender_name, k.sender_email, k.receiver_name, k.receiver_email, k.message,
          coalesce((
            select jsonb_object_agg(c.id, c.name) from api.categories as c where c.company_id = api_key.company_id
          ) ->> k.category_id::text, '') as category
        from api.activity as k
        where k.company_id = api_key.company_id
          and k.instant >= since and k.instant <= until
        order by k.instant desc, k.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  elsif lead_by = 'sender' then
    select count(*), json_agg(item) filter (where place <= max_rows) into found_rows, page from (
      select item, row_number() over () as place from (
        select k.id, k."timestamp", k.sender_name, k.sender_email, k.receiver_name, k.receiver_email, k.message,
          coalesce((
            select jsonb_object_agg(c.id, c.name) from api.categories as c where c.company_id = api_key.company_id
          ) ->> k.category_id::text, '') as category
        from api.activity as k
        where k.company_id = api_key.company_id and k.sender_id = list_activity.sender_id
          and k.instant >= since and k.instant <= until
          and (list_activity.receiver_id is null or k.receiver_id = list_activity.receiver_id)
          and (list_activity.category_id is null or k.category_id = list_activity.category_id)
        order by k.instant desc, k.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  elsif lead_by = 'receiver' then
    select count(*), json_agg(item) filter (where place <= max_rows) into found_rows, page from (
      select item, row_number() over () as place from (
        select k.id, k."timestamp", k.sender_name, k.sender_email, k.receiver_name, k.receiver_email, k.message,
          coalesce((
            select jsonb_object_agg(c.id, c.name) from api.categories as c where c.company_id = api_key.company_id
          ) ->> k.category_id::text, '') as category
        from api.activity as k
        where k.company_id = api_key.company_id and k.receiver_id = list_activity.receiver_id
          and k.instant >= since and k.instant <= until
          and (list_activity.sender_id is null or k.sender_id = list_activity.sender_id)
          and (list_activity.category_id is null or k.category_id = list_activity.category_id)
        order by k.instant desc, k.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  else
    select count(*), json_agg(item) filter (where place <= max_rows) into found_rows, page from (
      select item, row_number() over () as place from (
        select k.id, k."timestamp", k.sender_name, k.sender_email, k.receiver_name, k.receiver_email, k.message,
          coalesce((
            select jsonb_object_agg(c.id, c.name) from api.categories as c where c.company_id = api_key.company_id
          ) ->> k.category_id::text, '') as category
        from api.activity as k
        where k.company_id = api_key.company_id and k.category_id = list_activity.category_id
          and k.instant >= since and k.instant <= until
          and (list_activity.sender_id is null or k.sender_id = list_activity.sender_id)
          and (list_activity.receiver_id is null or k.receiver_id = list_activity.receiver_id)
        order by k.instant desc, k.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  end if;

  headers := set_config(
    'response.headers',
    format(app.page_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text),
    true
  );
  return coalesce(page, '[]');
end
$$;

comment on function public.list_activity(text, integer, timestamptz, timestamptz, uuid, uuid, uuid) is
  'Kudos of the key''s company, newest first, as a JSON array. read:activity. PT401, PT403.';
