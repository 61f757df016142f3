-- GET /activity (docs/api.md, Activity). Statements and plans as in list_members.

-- All columns except the name of the category: public.list_activity looks up the names of all categories once per page.
create view api.activity with (security_invoker = true) as
select
  k.company_id,
  k.category_id,
  k.sender_id,
  k.receiver_id,
  k.created_at as instant,
  k.id,
  to_char(k.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "timestamp",
  sender.name as sender_name,
  sender.email as sender_email,
  receiver.name as receiver_name,
  receiver.email as receiver_email,
  k.message,
  sender.team_id as sender_team_id,
  (select t.name from app.teams as t where t.company_id = k.company_id and t.id = sender.team_id) as sender_team_name,
  receiver.team_id as receiver_team_id,
  (select t.name from app.teams as t where t.company_id = k.company_id and t.id = receiver.team_id) as receiver_team_name
from app.kudos as k
left join lateral (
  select m.name, m.email, m.team_id from app.members as m where m.company_id = k.company_id and m.id = k.sender_id offset 0
) as sender on true
left join lateral (
  select m.name, m.email, m.team_id from app.members as m where m.company_id = k.company_id and m.id = k.receiver_id offset 0
) as receiver on true;

grant select on api.activity to public_api;
comment on view api.activity is 'Kudos (docs/api.md, Activity), with the id of their category.';

-- The name of each category of a company, by the category's id: in the company's default language (pt-br matches pt-BR,
-- but an exact match comes first), else in English, else in the first language by its tag. A category without a name is
-- not in the result. In plpgsql, because a session keeps its plan. Stable, so that it has the same snapshot as the
-- statement that calls it.
create function app.category_names_by_id(company_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
set jit = off
as $$
begin
  return (
    select jsonb_object_agg(named.category_id, named.name)
    from (
      select distinct on (n.category_id) n.category_id, n.name
      from app.category_names as n
      join app.companies as company on company.id = n.company_id
      where n.company_id = category_names_by_id.company_id
      order by n.category_id, n.language = company.default_language desc,
        lower(n.language) = lower(company.default_language) desc, n.language = 'en' desc, n.language
    ) as named
  );
end
$$;

revoke all on function app.category_names_by_id from public;
grant execute on function app.category_names_by_id to public_api;
comment on function app.category_names_by_id is 'The names of a company''s kudos categories, { id: name }, in the language that the company reads.';

-- The leading filter: the only one that is set, or of several the one that the fewest kudos of the time window match.
-- At most a thousand matches of each are counted. The plans have the settings of the caller, but no bitmap scans, which
-- would read all matches before the first is counted.
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

revoke all on function app.rarest_kudos_filter from public;
grant execute on function app.rarest_kudos_filter to public_api;
comment on function app.rarest_kudos_filter is
  'sender, receiver or category, whichever fewest kudos of the window match.';

create function public.list_activity(
  key_hash text,
  max_rows integer,
  since timestamptz default '-infinity',
  until timestamptz default 'infinity',
  category_id uuid default null,
  sender_id uuid default null,
  receiver_id uuid default null,
  starting_after uuid default null,
  include text[] default null
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
  ids uuid[];
  found_rows integer;
  page json;
  headers text;
  -- The page begins below this pair of instant and id (docs/api.md, Lists).
  below_instant timestamptz := until + interval '1 microsecond';
  below_id uuid := uuid '00000000-0000-0000-0000-000000000000';
  after_instant timestamptz;
  lead_by text;
  with_teams boolean := include && array['sender_team_id', 'sender_team_name', 'receiver_team_id', 'receiver_team_name'];
  missing text;
begin
  if not (
    row_security_active('app.kudos'::regclass) and row_security_active('app.members'::regclass)
    and row_security_active('app.category_names'::regclass) and row_security_active('app.companies'::regclass)
    and row_security_active('app.teams'::regclass)
  ) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:activity');

  if starting_after is not null then
    select k.created_at into after_instant from app.kudos as k where k.company_id = api_key.company_id and k.id = starting_after;
    if not found then
      perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
    end if;
    if (after_instant, starting_after) < (below_instant, below_id) then
      below_instant := after_instant;
      below_id := starting_after;
    end if;
  end if;

  if num_nonnulls(sender_id, receiver_id, category_id) > 0 then
    lead_by := app.rarest_kudos_filter(api_key.company_id, since, least(until, below_instant), sender_id, receiver_id, category_id);
  end if;

  -- The names of all categories are looked up once per page, because a company has few categories and a page has many kudos. This is
  -- done in the statement of the page, because another statement would have another snapshot: a kudos of a new category, committed
  -- between the two, would have no category name.
  if lead_by is null then
    select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
      select id, item, row_number() over () as place from (
        select item.id, case when include is null then item when with_teams then item_with_teams else item_with_ids end as item
        from api.activity as k
        cross join lateral (
          select k.id, k."timestamp", k.sender_name, k.sender_email, k.receiver_name, k.receiver_email, k.message,
            coalesce((select app.category_names_by_id(api_key.company_id)) ->> k.category_id::text, '') as category
        ) as item
        cross join lateral (
          select item.*,
            case when 'sender_id' = any (include) then k.sender_id end as sender_id,
            case when 'receiver_id' = any (include) then k.receiver_id end as receiver_id,
            case when 'category_id' = any (include) then k.category_id end as category_id
        ) as item_with_ids
        cross join lateral (
          select item_with_ids.*,
            case when 'sender_team_id' = any (include) then k.sender_team_id end as sender_team_id,
            case when 'sender_team_name' = any (include) then k.sender_team_name end as sender_team_name,
            case when 'receiver_team_id' = any (include) then k.receiver_team_id end as receiver_team_id,
            case when 'receiver_team_name' = any (include) then k.receiver_team_name end as receiver_team_name
        ) as item_with_teams
        where k.company_id = api_key.company_id
          and k.instant >= since and (k.instant, k.id) < (below_instant, below_id)
        order by k.instant desc, k.id desc
        limit max_rows + 1
      ) as ordered
    ) as numbered;
  elsif lead_by = 'sender' then
    select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
      select id, item, row_number() over () as place from (
        select item.id, case when include is null then item when with_teams then item_with_teams else item_with_ids end as item
        from api.activity as k
        cross join lateral (
          select k.id, k."timestamp", k.sender_name, k.sender_email, k.receiver_name, k.receiver_email, k.message,
            coalesce((select app.category_names_by_id(api_key.company_id)) ->> k.category_id::text, '') as category
        ) as item
        cross join lateral (
          select item.*,
            case when 'sender_id' = any (include) then k.sender_id end as sender_id,
            case when 'receiver_id' = any (include) then k.receiver_id end as receiver_id,
            case when 'category_id' = any (include) then k.category_id end as category_id
        ) as item_with_ids
        cross join lateral (
          select item_with_ids.*,
            case when 'sender_team_id' = any (include) then k.sender_team_id end as sender_team_id,
            case when 'sender_team_name' = any (include) then k.sender_team_name end as sender_team_name,
            case when 'receiver_team_id' = any (include) then k.receiver_team_id end as receiver_team_id,
            case when 'receiver_team_name' = any (include) then k.receiver_team_name end as receiver_team_name
        ) as item_with_teams
        where k.company_id = api_key.company_id and k.sender_id = list_activity.sender_id
          and k.instant >= since and (k.instant, k.id) < (below_instant, below_id)
          and (list_activity.receiver_id is null or k.receiver_id = list_activity.receiver_id)
          and (list_activity.category_id is null or k.category_id = list_activity.category_id)
        order by k.instant desc, k.id desc
        limit max_rows + 1
      ) as ordered
    ) as numbered;
  elsif lead_by = 'receiver' then
    select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
      select id, item, row_number() over () as place from (
        select item.id, case when include is null then item when with_teams then item_with_teams else item_with_ids end as item
        from api.activity as k
        cross join lateral (
          select k.id, k."timestamp", k.sender_name, k.sender_email, k.receiver_name, k.receiver_email, k.message,
            coalesce((select app.category_names_by_id(api_key.company_id)) ->> k.category_id::text, '') as category
        ) as item
        cross join lateral (
          select item.*,
            case when 'sender_id' = any (include) then k.sender_id end as sender_id,
            case when 'receiver_id' = any (include) then k.receiver_id end as receiver_id,
            case when 'category_id' = any (include) then k.category_id end as category_id
        ) as item_with_ids
        cross join lateral (
          select item_with_ids.*,
            case when 'sender_team_id' = any (include) then k.sender_team_id end as sender_team_id,
            case when 'sender_team_name' = any (include) then k.sender_team_name end as sender_team_name,
            case when 'receiver_team_id' = any (include) then k.receiver_team_id end as receiver_team_id,
            case when 'receiver_team_name' = any (include) then k.receiver_team_name end as receiver_team_name
        ) as item_with_teams
        where k.company_id = api_key.company_id and k.receiver_id = list_activity.receiver_id
          and k.instant >= since and (k.instant, k.id) < (below_instant, below_id)
          and (list_activity.sender_id is null or k.sender_id = list_activity.sender_id)
          and (list_activity.category_id is null or k.category_id = list_activity.category_id)
        order by k.instant desc, k.id desc
        limit max_rows + 1
      ) as ordered
    ) as numbered;
  else
    select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
      select id, item, row_number() over () as place from (
        select item.id, case when include is null then item when with_teams then item_with_teams else item_with_ids end as item
        from api.activity as k
        cross join lateral (
          select k.id, k."timestamp", k.sender_name, k.sender_email, k.receiver_name, k.receiver_email, k.message,
            coalesce((select app.category_names_by_id(api_key.company_id)) ->> k.category_id::text, '') as category
        ) as item
        cross join lateral (
          select item.*,
            case when 'sender_id' = any (include) then k.sender_id end as sender_id,
            case when 'receiver_id' = any (include) then k.receiver_id end as receiver_id,
            case when 'category_id' = any (include) then k.category_id end as category_id
        ) as item_with_ids
        cross join lateral (
          select item_with_ids.*,
            case when 'sender_team_id' = any (include) then k.sender_team_id end as sender_team_id,
            case when 'sender_team_name' = any (include) then k.sender_team_name end as sender_team_name,
            case when 'receiver_team_id' = any (include) then k.receiver_team_id end as receiver_team_id,
            case when 'receiver_team_name' = any (include) then k.receiver_team_name end as receiver_team_name
        ) as item_with_teams
        where k.company_id = api_key.company_id and k.category_id = list_activity.category_id
          and k.instant >= since and (k.instant, k.id) < (below_instant, below_id)
          and (list_activity.sender_id is null or k.sender_id = list_activity.sender_id)
          and (list_activity.receiver_id is null or k.receiver_id = list_activity.receiver_id)
        order by k.instant desc, k.id desc
        limit max_rows + 1
      ) as ordered
    ) as numbered;
  end if;

  -- Columns of these records that include does not name are null in every row, and are removed from the text of the page. This text is
  -- never within a value, because quotes are escaped there.
  foreach missing in array case
    when include is null then '{}'
    when with_teams then '{sender_id,receiver_id,category_id,sender_team_id,sender_team_name,receiver_team_id,receiver_team_name}'
    else '{sender_id,receiver_id,category_id}'::text[]
  end loop
    if missing <> all (include) then
      page := replace(page::text, format(',"%s":null', missing), '');
    end if;
  end loop;

  found_rows := coalesce(cardinality(ids), 0);
  headers := set_config(
    'response.headers',
    format(app.list_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text, ids[max_rows]),
    true
  );
  return coalesce(page, '[]');
end
$$;

select app.serve_keys('public.list_activity'::regproc);
comment on function public.list_activity is
  'Kudos of the key''s company, newest first, as a JSON array. read:activity. PT400, PT401, PT403, PT429.';
