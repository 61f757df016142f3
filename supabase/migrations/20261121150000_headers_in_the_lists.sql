-- Each list puts the headers of its page in itself: the call of a function for them took a fortieth of a small page's time.
-- app.respond stays as it is: pages that are being made meanwhile still call it.

set lock_timeout = '5s';
set statement_timeout = '60s';

create function app.page_headers() returns text
language sql immutable set search_path = ''
return '[{"X-Key-Id":"%s"},{"X-Company-Id":"%s"},{"X-Row-Count":"%s"},{"X-Has-More":"%s"}]';

revoke all on function app.page_headers() from public;
grant execute on function app.page_headers() to public_api;
comment on function app.page_headers() is
  'The response.headers of a page, for format(): the ids of key and company, the number of its rows, true or false for whether there are more.';

create or replace function public.list_members(key_hash text, max_rows integer, team_id uuid default null, role text default null) returns json
language plpgsql volatile security definer
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_sort = off
set lock_timeout = '5s'
set statement_timeout = '7s'
as $$
declare
  api_key app.verified_key;
  found_rows bigint;
  page json;
  headers text;
begin
  if not (row_security_active('app.members'::regclass) and row_security_active('app.teams'::regclass)) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:members');

  if team_id is null and role is null then
    select count(*), json_agg(item) filter (where place <= max_rows) into found_rows, page from (
      select item, row_number() over () as place from (
        select m.id, m.name, m.email, m.role, m.team_id, m.team_name, m.created_at
        from api.members as m
        where m.company_id = api_key.company_id
        order by m.instant desc, m.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  elsif role is null or (team_id is not null and app.rarer_members_filter(api_key.company_id, team_id, role) = 'team') then
    select count(*), json_agg(item) filter (where place <= max_rows) into found_rows, page from (
      select item, row_number() over () as place from (
        select m.id, m.name, m.email, m.role, m.team_id, m.team_name, m.created_at
        from api.members as m
        where m.company_id = api_key.company_id and m.team_id = list_members.team_id
          and (list_members.role is null or m.role = list_members.role)
        order by m.instant desc, m.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  else
    select count(*), json_agg(item) filter (where place <= max_rows) into found_rows, page from (
      select item, row_number() over () as place from (
        select m.id, m.name, m.email, m.role, m.team_id, m.team_name, m.created_at
        from api.members as m
        where m.company_id = api_key.company_id and m.role = list_members.role
          and (list_members.team_id is null or m.team_id = list_members.team_id)
        order by m.instant desc, m.id desc
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

create or replace function public.list_activity(
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

create or replace function public.list_rewards(key_hash text, max_rows integer, include_archived boolean default false) returns json
language plpgsql volatile security definer
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_sort = off
set lock_timeout = '5s'
set statement_timeout = '7s'
as $$
declare
  api_key app.verified_key;
  found_rows bigint;
  page json;
  headers text;
begin
  if not row_security_active('app.rewards'::regclass) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:rewards');

  if include_archived is not true then
    select count(*), json_agg(item) filter (where place <= max_rows) into found_rows, page from (
      select item, row_number() over () as place from (
        select r.id, r.name, r.description, r.points_cost, r.reward_type, r.stock_count, r.image_url, r.vendor_name, r.is_archived, r.created_at
        from api.rewards as r
        where r.company_id = api_key.company_id and not r.is_archived
        order by r.instant desc, r.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  else
    select count(*), json_agg(item) filter (where place <= max_rows) into found_rows, page from (
      select item, row_number() over () as place from (
        select r.id, r.name, r.description, r.points_cost, r.reward_type, r.stock_count, r.image_url, r.vendor_name, r.is_archived, r.created_at
        from api.rewards as r
        where r.company_id = api_key.company_id
        order by r.instant desc, r.id desc
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

create or replace function public.list_day_ratings(
  key_hash text,
  max_rows integer,
  since timestamptz default '-infinity',
  until timestamptz default 'infinity',
  team_id uuid default null
)
returns json
language plpgsql volatile security definer
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_sort = off
set lock_timeout = '5s'
set statement_timeout = '7s'
as $$
declare
  api_key app.verified_key;
  found_rows bigint;
  page json;
  headers text;
begin
  if not row_security_active('app.day_ratings'::regclass) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:analytics');

  if team_id is null then
    select count(*), json_agg(item) filter (where place <= max_rows) into found_rows, page from (
      select item, row_number() over () as place from (
        select d.id, d.rating, d.comment, d.team_id, d.points_awarded, d.created_at
        from api.day_ratings as d
        where d.company_id = api_key.company_id
          and d.instant >= since and d.instant <= until
        order by d.instant desc, d.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  else
    select count(*), json_agg(item) filter (where place <= max_rows) into found_rows, page from (
      select item, row_number() over () as place from (
        select d.id, d.rating, d.comment, d.team_id, d.points_awarded, d.created_at
        from api.day_ratings as d
        where d.company_id = api_key.company_id and d.team_id = list_day_ratings.team_id
          and d.instant >= since and d.instant <= until
        order by d.instant desc, d.id desc
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

create or replace function public.list_pulse_responses(
  key_hash text,
  max_rows integer,
  since timestamptz default '-infinity',
  until timestamptz default 'infinity'
)
returns json
language plpgsql volatile security definer
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_sort = off
set lock_timeout = '5s'
set statement_timeout = '7s'
as $$
declare
  api_key app.verified_key;
  found_rows bigint;
  page json;
  headers text;
begin
  if not (row_security_active('app.pulse_responses'::regclass) and row_security_active('app.pulse_questions'::regclass)) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:analytics');

  select count(*), json_agg(item) filter (where place <= max_rows) into found_rows, page from (
    select item, row_number() over () as place from (
      select p.id, p."timestamp", p.question, p.response_type, p.value, p.comment
      from api.pulse_responses as p
      where p.company_id = api_key.company_id
        and p.instant >= since and p.instant <= until
      order by p.instant desc, p.id desc
      limit max_rows + 1
    ) as item
  ) as numbered;

  headers := set_config(
    'response.headers',
    format(app.page_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text),
    true
  );
  return coalesce(page, '[]');
end
$$;
