-- Made by `npm run generate` from functions/public-api/endpoints.ts and scripts/generate/lists.ts: change these.
-- The lists, and each of them at a read replica. Why the statements are so: 0810_views_of_lists.sql.

-- GET /members

create function public.list_members(
  key_hash text,
  max_rows integer,
  team_id uuid default null,
  role text default null,
  starting_after uuid default null,
  email text default null
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
  below_instant timestamptz := timestamptz 'infinity';
  below_id uuid := uuid '00000000-0000-0000-0000-000000000000';
  lead_by text;
begin
  if not (
    row_security_active('app.members'::regclass)
    and row_security_active('app.teams'::regclass)
  ) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:members');

  if starting_after is not null then
    select t.created_at, t.id into below_instant, below_id from app.members as t
    where t.company_id = api_key.company_id and t.id = starting_after and not t.is_former;
    if not found then
      perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
    end if;
  end if;

  if email is null and num_nonnulls(team_id, role) > 0 then
    lead_by := app.rarest_members_filter(api_key.company_id, team_id, role);
  end if;

  if email is not null then
    select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
      select item.id, item, row_number() over () as place from (
        select
          v.id, v.name, v.email, v.role, v.team_id, v.team_name, v.created_at
        from (
          select o.* from api.members as o
          where o.company_id = api_key.company_id
            and o.id = (select app.member_with_email(api_key.company_id, list_members.email))
          offset 0
        ) as v
        where (v.instant, v.id) < (below_instant, below_id)
          and (list_members.team_id is null or v.team_id = list_members.team_id)
          and (list_members.role is null or v.role = list_members.role)
      ) as item
    ) as numbered;
  elsif lead_by is null then
    select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
      select item.id, item, row_number() over () as place from (
        select
          v.id, v.name, v.email, v.role, v.team_id, v.team_name, v.created_at
        from api.members as v
        where v.company_id = api_key.company_id
          and (v.instant, v.id) < (below_instant, below_id)
        order by v.instant desc, v.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  elsif lead_by = 'team' then
    select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
      select item.id, item, row_number() over () as place from (
        select
          v.id, v.name, v.email, v.role, v.team_id, v.team_name, v.created_at
        from api.members as v
        where v.company_id = api_key.company_id and v.team_id = list_members.team_id
          and (v.instant, v.id) < (below_instant, below_id)
          and (list_members.role is null or v.role = list_members.role)
        order by v.instant desc, v.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  else
    select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
      select item.id, item, row_number() over () as place from (
        select
          v.id, v.name, v.email, v.role, v.team_id, v.team_name, v.created_at
        from api.members as v
        where v.company_id = api_key.company_id and v.role = list_members.role
          and (v.instant, v.id) < (below_instant, below_id)
          and (list_members.team_id is null or v.team_id = list_members.team_id)
        order by v.instant desc, v.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  end if;

  found_rows := coalesce(cardinality(ids), 0);
  headers := set_config(
    'response.headers',
    format(
      app.list_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text,
      ids[max_rows]
    ),
    true
  );
  return coalesce(page, '[]');
end
$$;

select app.serve_keys('public.list_members'::regproc);
comment on function public.list_members is
  'People, their roles and teams: the rows of the key''s company, newest first, as a JSON array. read:members. PT400, PT401, PT403, PT429.';

create function public.read_members(
  key_hash text,
  max_rows integer,
  team_id uuid default null,
  role text default null,
  starting_after uuid default null,
  email text default null
)
returns json
language sql stable security definer
set search_path = ''
set jit = off
set statement_timeout = '2s'
as 'select app.from_replica(public.list_members(key_hash, max_rows, team_id, role, starting_after, email))';

select app.serve_keys('public.read_members'::regproc);
comment on function public.read_members is
  'public.list_members, at a read replica. PT503 too.';

-- GET /teams

create function public.list_teams(
  key_hash text,
  max_rows integer,
  starting_after uuid default null
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
  below_instant timestamptz := timestamptz 'infinity';
  below_id uuid := uuid '00000000-0000-0000-0000-000000000000';
begin
  if not (
    row_security_active('app.teams'::regclass)
  ) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:members');

  if starting_after is not null then
    select t.created_at, t.id into below_instant, below_id from app.teams as t
    where t.company_id = api_key.company_id and t.id = starting_after;
    if not found then
      perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
    end if;
  end if;

  select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
    select item.id, item, row_number() over () as place from (
      select
        v.id, v.name, v.created_at
      from api.teams as v
      where v.company_id = api_key.company_id
        and (v.instant, v.id) < (below_instant, below_id)
      order by v.instant desc, v.id desc
      limit max_rows + 1
    ) as item
  ) as numbered;

  found_rows := coalesce(cardinality(ids), 0);
  headers := set_config(
    'response.headers',
    format(
      app.list_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text,
      ids[max_rows]
    ),
    true
  );
  return coalesce(page, '[]');
end
$$;

select app.serve_keys('public.list_teams'::regproc);
comment on function public.list_teams is
  'The teams that people are in: the rows of the key''s company, newest first, as a JSON array. read:members. PT400, PT401, PT403, PT429.';

create function public.read_teams(
  key_hash text,
  max_rows integer,
  starting_after uuid default null
)
returns json
language sql stable security definer
set search_path = ''
set jit = off
set statement_timeout = '2s'
as 'select app.from_replica(public.list_teams(key_hash, max_rows, starting_after))';

select app.serve_keys('public.read_teams'::regproc);
comment on function public.read_teams is
  'public.list_teams, at a read replica. PT503 too.';

-- GET /activity

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
begin
  if not (
    row_security_active('app.kudos'::regclass)
    and row_security_active('app.members'::regclass)
    and row_security_active('app.teams'::regclass)
    and row_security_active('app.category_names'::regclass)
    and row_security_active('app.companies'::regclass)
  ) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:activity');

  if starting_after is not null then
    select t.created_at into after_instant from app.kudos as t
    where t.company_id = api_key.company_id and t.id = starting_after;
    if not found then
      perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
    end if;
    if (after_instant, starting_after) < (below_instant, below_id) then
      below_instant := after_instant;
      below_id := starting_after;
    end if;
  end if;

  if num_nonnulls(sender_id, receiver_id, category_id) > 0 then
    lead_by := app.rarest_kudos_filter(
      api_key.company_id, since, least(until, below_instant), sender_id, receiver_id, category_id
    );
  end if;

  if include is null then
    if lead_by is null then
      select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
        select item.id, item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message,
            coalesce((select app.category_names_by_id(api_key.company_id)) ->> v.category_id::text, '') as category
          from api.activity as v
          where v.company_id = api_key.company_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    elsif lead_by = 'sender' then
      select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
        select item.id, item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message,
            coalesce((select app.category_names_by_id(api_key.company_id)) ->> v.category_id::text, '') as category
          from api.activity as v
          where v.company_id = api_key.company_id and v.sender_id = list_activity.sender_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
            and (list_activity.receiver_id is null or v.receiver_id = list_activity.receiver_id)
            and (list_activity.category_id is null or v.category_id = list_activity.category_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    elsif lead_by = 'receiver' then
      select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
        select item.id, item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message,
            coalesce((select app.category_names_by_id(api_key.company_id)) ->> v.category_id::text, '') as category
          from api.activity as v
          where v.company_id = api_key.company_id and v.receiver_id = list_activity.receiver_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
            and (list_activity.sender_id is null or v.sender_id = list_activity.sender_id)
            and (list_activity.category_id is null or v.category_id = list_activity.category_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    else
      select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
        select item.id, item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message,
            coalesce((select app.category_names_by_id(api_key.company_id)) ->> v.category_id::text, '') as category
          from api.activity as v
          where v.company_id = api_key.company_id and v.category_id = list_activity.category_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
            and (list_activity.sender_id is null or v.sender_id = list_activity.sender_id)
            and (list_activity.receiver_id is null or v.receiver_id = list_activity.receiver_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    end if;
  elsif not include && array['sender_team_id', 'sender_team_name', 'receiver_team_id', 'receiver_team_name'] then
    if lead_by is null then
      select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
        select item.id, item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message,
            coalesce((select app.category_names_by_id(api_key.company_id)) ->> v.category_id::text, '') as category,
            case when 'sender_id' = any (include) then v.sender_id end as sender_id,
            case when 'receiver_id' = any (include) then v.receiver_id end as receiver_id,
            case when 'category_id' = any (include) then v.category_id end as category_id
          from api.activity as v
          where v.company_id = api_key.company_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    elsif lead_by = 'sender' then
      select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
        select item.id, item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message,
            coalesce((select app.category_names_by_id(api_key.company_id)) ->> v.category_id::text, '') as category,
            case when 'sender_id' = any (include) then v.sender_id end as sender_id,
            case when 'receiver_id' = any (include) then v.receiver_id end as receiver_id,
            case when 'category_id' = any (include) then v.category_id end as category_id
          from api.activity as v
          where v.company_id = api_key.company_id and v.sender_id = list_activity.sender_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
            and (list_activity.receiver_id is null or v.receiver_id = list_activity.receiver_id)
            and (list_activity.category_id is null or v.category_id = list_activity.category_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    elsif lead_by = 'receiver' then
      select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
        select item.id, item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message,
            coalesce((select app.category_names_by_id(api_key.company_id)) ->> v.category_id::text, '') as category,
            case when 'sender_id' = any (include) then v.sender_id end as sender_id,
            case when 'receiver_id' = any (include) then v.receiver_id end as receiver_id,
            case when 'category_id' = any (include) then v.category_id end as category_id
          from api.activity as v
          where v.company_id = api_key.company_id and v.receiver_id = list_activity.receiver_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
            and (list_activity.sender_id is null or v.sender_id = list_activity.sender_id)
            and (list_activity.category_id is null or v.category_id = list_activity.category_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    else
      select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
        select item.id, item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message,
            coalesce((select app.category_names_by_id(api_key.company_id)) ->> v.category_id::text, '') as category,
            case when 'sender_id' = any (include) then v.sender_id end as sender_id,
            case when 'receiver_id' = any (include) then v.receiver_id end as receiver_id,
            case when 'category_id' = any (include) then v.category_id end as category_id
          from api.activity as v
          where v.company_id = api_key.company_id and v.category_id = list_activity.category_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
            and (list_activity.sender_id is null or v.sender_id = list_activity.sender_id)
            and (list_activity.receiver_id is null or v.receiver_id = list_activity.receiver_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    end if;
    -- Columns that include does not name are null in every row, and are taken out of the text of the page. This text is
    -- never within a value, because quotes are escaped there.
    if cardinality(include) < 3 then
      if not 'sender_id' = any (include) then page := replace(page::text, ',"sender_id":null', ''); end if;
      if not 'receiver_id' = any (include) then page := replace(page::text, ',"receiver_id":null', ''); end if;
      if not 'category_id' = any (include) then page := replace(page::text, ',"category_id":null', ''); end if;
    end if;
  else
    if lead_by is null then
      select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
        select item.id, item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message,
            coalesce((select app.category_names_by_id(api_key.company_id)) ->> v.category_id::text, '') as category,
            case when 'sender_id' = any (include) then v.sender_id end as sender_id,
            case when 'receiver_id' = any (include) then v.receiver_id end as receiver_id,
            case when 'category_id' = any (include) then v.category_id end as category_id,
            case when 'sender_team_id' = any (include) then v.sender_team_id end as sender_team_id,
            case when 'sender_team_name' = any (include) then v.sender_team_name end as sender_team_name,
            case when 'receiver_team_id' = any (include) then v.receiver_team_id end as receiver_team_id,
            case when 'receiver_team_name' = any (include) then v.receiver_team_name end as receiver_team_name
          from api.activity as v
          where v.company_id = api_key.company_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    elsif lead_by = 'sender' then
      select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
        select item.id, item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message,
            coalesce((select app.category_names_by_id(api_key.company_id)) ->> v.category_id::text, '') as category,
            case when 'sender_id' = any (include) then v.sender_id end as sender_id,
            case when 'receiver_id' = any (include) then v.receiver_id end as receiver_id,
            case when 'category_id' = any (include) then v.category_id end as category_id,
            case when 'sender_team_id' = any (include) then v.sender_team_id end as sender_team_id,
            case when 'sender_team_name' = any (include) then v.sender_team_name end as sender_team_name,
            case when 'receiver_team_id' = any (include) then v.receiver_team_id end as receiver_team_id,
            case when 'receiver_team_name' = any (include) then v.receiver_team_name end as receiver_team_name
          from api.activity as v
          where v.company_id = api_key.company_id and v.sender_id = list_activity.sender_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
            and (list_activity.receiver_id is null or v.receiver_id = list_activity.receiver_id)
            and (list_activity.category_id is null or v.category_id = list_activity.category_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    elsif lead_by = 'receiver' then
      select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
        select item.id, item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message,
            coalesce((select app.category_names_by_id(api_key.company_id)) ->> v.category_id::text, '') as category,
            case when 'sender_id' = any (include) then v.sender_id end as sender_id,
            case when 'receiver_id' = any (include) then v.receiver_id end as receiver_id,
            case when 'category_id' = any (include) then v.category_id end as category_id,
            case when 'sender_team_id' = any (include) then v.sender_team_id end as sender_team_id,
            case when 'sender_team_name' = any (include) then v.sender_team_name end as sender_team_name,
            case when 'receiver_team_id' = any (include) then v.receiver_team_id end as receiver_team_id,
            case when 'receiver_team_name' = any (include) then v.receiver_team_name end as receiver_team_name
          from api.activity as v
          where v.company_id = api_key.company_id and v.receiver_id = list_activity.receiver_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
            and (list_activity.sender_id is null or v.sender_id = list_activity.sender_id)
            and (list_activity.category_id is null or v.category_id = list_activity.category_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    else
      select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
        select item.id, item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message,
            coalesce((select app.category_names_by_id(api_key.company_id)) ->> v.category_id::text, '') as category,
            case when 'sender_id' = any (include) then v.sender_id end as sender_id,
            case when 'receiver_id' = any (include) then v.receiver_id end as receiver_id,
            case when 'category_id' = any (include) then v.category_id end as category_id,
            case when 'sender_team_id' = any (include) then v.sender_team_id end as sender_team_id,
            case when 'sender_team_name' = any (include) then v.sender_team_name end as sender_team_name,
            case when 'receiver_team_id' = any (include) then v.receiver_team_id end as receiver_team_id,
            case when 'receiver_team_name' = any (include) then v.receiver_team_name end as receiver_team_name
          from api.activity as v
          where v.company_id = api_key.company_id and v.category_id = list_activity.category_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
            and (list_activity.sender_id is null or v.sender_id = list_activity.sender_id)
            and (list_activity.receiver_id is null or v.receiver_id = list_activity.receiver_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    end if;
    -- Columns that include does not name are null in every row, and are taken out of the text of the page. This text is
    -- never within a value, because quotes are escaped there.
    if cardinality(include) < 7 then
      if not 'sender_id' = any (include) then page := replace(page::text, ',"sender_id":null', ''); end if;
      if not 'receiver_id' = any (include) then page := replace(page::text, ',"receiver_id":null', ''); end if;
      if not 'category_id' = any (include) then page := replace(page::text, ',"category_id":null', ''); end if;
      if not 'sender_team_id' = any (include) then page := replace(page::text, ',"sender_team_id":null', ''); end if;
      if not 'sender_team_name' = any (include) then page := replace(page::text, ',"sender_team_name":null', ''); end if;
      if not 'receiver_team_id' = any (include) then page := replace(page::text, ',"receiver_team_id":null', ''); end if;
      if not 'receiver_team_name' = any (include) then page := replace(page::text, ',"receiver_team_name":null', ''); end if;
    end if;
  end if;

  found_rows := coalesce(cardinality(ids), 0);
  headers := set_config(
    'response.headers',
    format(
      app.list_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text,
      ids[max_rows]
    ),
    true
  );
  return coalesce(page, '[]');
end
$$;

select app.serve_keys('public.list_activity'::regproc);
comment on function public.list_activity is
  'Kudos with sender, recipient and category: the rows of the key''s company, newest first, as a JSON array. read:activity. PT400, PT401, PT403, PT429.';

create function public.read_activity(
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
language sql stable security definer
set search_path = ''
set jit = off
set statement_timeout = '2s'
as 'select app.from_replica(public.list_activity(key_hash, max_rows, since, until, category_id, sender_id, receiver_id, starting_after, include))';

select app.serve_keys('public.read_activity'::regproc);
comment on function public.read_activity is
  'public.list_activity, at a read replica. PT503 too.';

-- GET /categories

create function public.list_categories(
  key_hash text,
  max_rows integer,
  starting_after uuid default null
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
  below_instant timestamptz := timestamptz 'infinity';
  below_id uuid := uuid '00000000-0000-0000-0000-000000000000';
begin
  if not (
    row_security_active('app.categories'::regclass)
    and row_security_active('app.category_names'::regclass)
    and row_security_active('app.companies'::regclass)
  ) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:activity');

  if starting_after is not null then
    select t.created_at, t.id into below_instant, below_id from app.categories as t
    where t.company_id = api_key.company_id and t.id = starting_after;
    if not found then
      perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
    end if;
  end if;

  select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
    select item.id, item, row_number() over () as place from (
      select
        v.id, coalesce((select app.category_names_by_id(api_key.company_id)) ->> v.id::text, '') as name,
        v.created_at
      from api.categories as v
      where v.company_id = api_key.company_id
        and (v.instant, v.id) < (below_instant, below_id)
      order by v.instant desc, v.id desc
      limit max_rows + 1
    ) as item
  ) as numbered;

  found_rows := coalesce(cardinality(ids), 0);
  headers := set_config(
    'response.headers',
    format(
      app.list_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text,
      ids[max_rows]
    ),
    true
  );
  return coalesce(page, '[]');
end
$$;

select app.serve_keys('public.list_categories'::regproc);
comment on function public.list_categories is
  'What kudos are given for: the rows of the key''s company, newest first, as a JSON array. read:activity. PT400, PT401, PT403, PT429.';

create function public.read_categories(
  key_hash text,
  max_rows integer,
  starting_after uuid default null
)
returns json
language sql stable security definer
set search_path = ''
set jit = off
set statement_timeout = '2s'
as 'select app.from_replica(public.list_categories(key_hash, max_rows, starting_after))';

select app.serve_keys('public.read_categories'::regproc);
comment on function public.read_categories is
  'public.list_categories, at a read replica. PT503 too.';

-- GET /rewards

create function public.list_rewards(
  key_hash text,
  max_rows integer,
  include_archived boolean default false,
  starting_after uuid default null,
  include text[] default null,
  external_id text default null
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
  below_instant timestamptz := timestamptz 'infinity';
  below_id uuid := uuid '00000000-0000-0000-0000-000000000000';
begin
  if not (
    row_security_active('app.rewards'::regclass)
  ) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:rewards');

  if starting_after is not null then
    select t.created_at, t.id into below_instant, below_id from app.rewards as t
    where t.company_id = api_key.company_id and t.id = starting_after;
    if not found then
      perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
    end if;
  end if;

  if include is null then
    if external_id is not null then
      select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
        select item.id, item, row_number() over () as place from (
          select
            v.id, v.name, v.description, v.points_cost, v.reward_type, v.stock_count, v.image_url, v.vendor_name,
            v.is_archived, v.created_at
          from (
            select o.* from api.rewards as o
            where o.company_id = api_key.company_id
              and o.external_id between list_rewards.external_id and list_rewards.external_id
            order by o.external_id limit 1
          ) as v
          where (v.instant, v.id) < (below_instant, below_id)
            and (include_archived or not v.is_archived)
        ) as item
      ) as numbered;
    elsif include_archived is not true then
      select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
        select item.id, item, row_number() over () as place from (
          select
            v.id, v.name, v.description, v.points_cost, v.reward_type, v.stock_count, v.image_url, v.vendor_name,
            v.is_archived, v.created_at
          from api.rewards as v
          where v.company_id = api_key.company_id and not v.is_archived
            and (v.instant, v.id) < (below_instant, below_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    else
      select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
        select item.id, item, row_number() over () as place from (
          select
            v.id, v.name, v.description, v.points_cost, v.reward_type, v.stock_count, v.image_url, v.vendor_name,
            v.is_archived, v.created_at
          from api.rewards as v
          where v.company_id = api_key.company_id
            and (v.instant, v.id) < (below_instant, below_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    end if;
  else
    if external_id is not null then
      select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
        select item.id, item, row_number() over () as place from (
          select
            v.id, v.name, v.description, v.points_cost, v.reward_type, v.stock_count, v.image_url, v.vendor_name,
            v.is_archived, v.created_at, v.external_id
          from (
            select o.* from api.rewards as o
            where o.company_id = api_key.company_id
              and o.external_id between list_rewards.external_id and list_rewards.external_id
            order by o.external_id limit 1
          ) as v
          where (v.instant, v.id) < (below_instant, below_id)
            and (include_archived or not v.is_archived)
        ) as item
      ) as numbered;
    elsif include_archived is not true then
      select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
        select item.id, item, row_number() over () as place from (
          select
            v.id, v.name, v.description, v.points_cost, v.reward_type, v.stock_count, v.image_url, v.vendor_name,
            v.is_archived, v.created_at, v.external_id
          from api.rewards as v
          where v.company_id = api_key.company_id and not v.is_archived
            and (v.instant, v.id) < (below_instant, below_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    else
      select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
        select item.id, item, row_number() over () as place from (
          select
            v.id, v.name, v.description, v.points_cost, v.reward_type, v.stock_count, v.image_url, v.vendor_name,
            v.is_archived, v.created_at, v.external_id
          from api.rewards as v
          where v.company_id = api_key.company_id
            and (v.instant, v.id) < (below_instant, below_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    end if;
  end if;

  found_rows := coalesce(cardinality(ids), 0);
  headers := set_config(
    'response.headers',
    format(
      app.list_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text,
      ids[max_rows]
    ),
    true
  );
  return coalesce(page, '[]');
end
$$;

select app.serve_keys('public.list_rewards'::regproc);
comment on function public.list_rewards is
  'The reward catalogue: the rows of the key''s company, newest first, as a JSON array. read:rewards. PT400, PT401, PT403, PT429.';

create function public.read_rewards(
  key_hash text,
  max_rows integer,
  include_archived boolean default false,
  starting_after uuid default null,
  include text[] default null,
  external_id text default null
)
returns json
language sql stable security definer
set search_path = ''
set jit = off
set statement_timeout = '2s'
as 'select app.from_replica(public.list_rewards(key_hash, max_rows, include_archived, starting_after, include, external_id))';

select app.serve_keys('public.read_rewards'::regproc);
comment on function public.read_rewards is
  'public.list_rewards, at a read replica. PT503 too.';

-- GET /day-ratings

create function public.list_day_ratings(
  key_hash text,
  max_rows integer,
  since timestamptz default '-infinity',
  until timestamptz default 'infinity',
  team_id uuid default null,
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
begin
  if not (
    row_security_active('app.day_ratings'::regclass)
    and row_security_active('app.teams'::regclass)
  ) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:analytics');

  if starting_after is not null then
    select t.created_at into after_instant from app.day_ratings as t
    where t.company_id = api_key.company_id and t.id = starting_after;
    if not found then
      perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
    end if;
    if (after_instant, starting_after) < (below_instant, below_id) then
      below_instant := after_instant;
      below_id := starting_after;
    end if;
  end if;

  if include is null then
    if team_id is null then
      select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
        select item.id, item, row_number() over () as place from (
          select
            v.id, v.rating, v.comment, v.team_id, v.points_awarded, v.created_at
          from api.day_ratings as v
          where v.company_id = api_key.company_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    else
      select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
        select item.id, item, row_number() over () as place from (
          select
            v.id, v.rating, v.comment, v.team_id, v.points_awarded, v.created_at
          from api.day_ratings as v
          where v.company_id = api_key.company_id and v.team_id = list_day_ratings.team_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    end if;
  else
    if team_id is null then
      select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
        select item.id, item, row_number() over () as place from (
          select
            v.id, v.rating, v.comment, v.team_id, v.points_awarded, v.created_at, team.name as team_name
          from api.day_ratings as v
          left join lateral (
            select t.name from app.teams as t where t.company_id = v.company_id and t.id = v.team_id offset 0
          ) as team on true
          where v.company_id = api_key.company_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    else
      select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
        select item.id, item, row_number() over () as place from (
          select
            v.id, v.rating, v.comment, v.team_id, v.points_awarded, v.created_at, team.name as team_name
          from api.day_ratings as v
          left join lateral (
            select t.name from app.teams as t where t.company_id = v.company_id and t.id = v.team_id offset 0
          ) as team on true
          where v.company_id = api_key.company_id and v.team_id = list_day_ratings.team_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    end if;
  end if;

  found_rows := coalesce(cardinality(ids), 0);
  headers := set_config(
    'response.headers',
    format(
      app.list_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text,
      ids[max_rows]
    ),
    true
  );
  return coalesce(page, '[]');
end
$$;

select app.serve_keys('public.list_day_ratings'::regproc);
comment on function public.list_day_ratings is
  'How days were rated, by team: the rows of the key''s company, newest first, as a JSON array. read:analytics. PT400, PT401, PT403, PT429.';

create function public.read_day_ratings(
  key_hash text,
  max_rows integer,
  since timestamptz default '-infinity',
  until timestamptz default 'infinity',
  team_id uuid default null,
  starting_after uuid default null,
  include text[] default null
)
returns json
language sql stable security definer
set search_path = ''
set jit = off
set statement_timeout = '2s'
as 'select app.from_replica(public.list_day_ratings(key_hash, max_rows, since, until, team_id, starting_after, include))';

select app.serve_keys('public.read_day_ratings'::regproc);
comment on function public.read_day_ratings is
  'public.list_day_ratings, at a read replica. PT503 too.';

-- GET /pulse-responses

create function public.list_pulse_responses(
  key_hash text,
  max_rows integer,
  since timestamptz default '-infinity',
  until timestamptz default 'infinity',
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
begin
  if not (
    row_security_active('app.pulse_responses'::regclass)
    and row_security_active('app.pulse_questions'::regclass)
  ) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:analytics');

  if starting_after is not null then
    select t.created_at into after_instant from app.pulse_responses as t
    where t.company_id = api_key.company_id and t.id = starting_after;
    if not found then
      perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
    end if;
    if (after_instant, starting_after) < (below_instant, below_id) then
      below_instant := after_instant;
      below_id := starting_after;
    end if;
  end if;

  if include is null then
    select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
      select item.id, item, row_number() over () as place from (
        select
          v.id, v."timestamp", v.question, v.response_type, v.value, v.comment
        from api.pulse_responses as v
        where v.company_id = api_key.company_id
          and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
        order by v.instant desc, v.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  else
    select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
      select item.id, item, row_number() over () as place from (
        select
          v.id, v."timestamp", v.question, v.response_type, v.value, v.comment, v.question_id
        from api.pulse_responses as v
        where v.company_id = api_key.company_id
          and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
        order by v.instant desc, v.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  end if;

  found_rows := coalesce(cardinality(ids), 0);
  headers := set_config(
    'response.headers',
    format(
      app.list_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text,
      ids[max_rows]
    ),
    true
  );
  return coalesce(page, '[]');
end
$$;

select app.serve_keys('public.list_pulse_responses'::regproc);
comment on function public.list_pulse_responses is
  'Answers to pulse surveys: the rows of the key''s company, newest first, as a JSON array. read:analytics. PT400, PT401, PT403, PT429.';

create function public.read_pulse_responses(
  key_hash text,
  max_rows integer,
  since timestamptz default '-infinity',
  until timestamptz default 'infinity',
  starting_after uuid default null,
  include text[] default null
)
returns json
language sql stable security definer
set search_path = ''
set jit = off
set statement_timeout = '2s'
as 'select app.from_replica(public.list_pulse_responses(key_hash, max_rows, since, until, starting_after, include))';

select app.serve_keys('public.read_pulse_responses'::regproc);
comment on function public.read_pulse_responses is
  'public.list_pulse_responses, at a read replica. PT503 too.';

-- The lists for 0870_list_changes.sql: the scope; the table, its rows that are in the list (t), and the list's view (v);
-- the columns in the order of docs/api.md, and those of include. $1 is the company.
create function app.changing_lists()
returns table (list text, scope text, relation text, rows text, view text, columns text, included text[])
language sql immutable
set search_path = ''
set jit = off
as $$
  values
    (
      'members', 'read:members', 'members', 'from app.members as t where not t.is_former', 'from api.members as v',
      'v.name, v.email, v.role, v.team_id, v.team_name, v.created_at',
      '{}'::text[]
    ),
    (
      'teams', 'read:members', 'teams', 'from app.teams as t where true', 'from api.teams as v',
      'v.name, v.created_at',
      '{}'::text[]
    ),
    (
      'activity', 'read:activity', 'kudos', 'from app.kudos as t where true', 'from api.activity as v',
      'v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message,
      coalesce((select app.category_names_by_id($1)) ->> v.category_id::text, '''') as category',
      '{sender_id,receiver_id,category_id,sender_team_id,sender_team_name,receiver_team_id,receiver_team_name}'::text[]
    ),
    (
      'categories', 'read:activity', 'categories', 'from app.categories as t where true', 'from api.categories as v',
      'coalesce((select app.category_names_by_id($1)) ->> v.id::text, '''') as name, v.created_at',
      '{}'::text[]
    ),
    (
      'rewards', 'read:rewards', 'rewards', 'from app.rewards as t where true', 'from api.rewards as v',
      'v.name, v.description, v.points_cost, v.reward_type, v.stock_count, v.image_url, v.vendor_name, v.is_archived,
      v.created_at',
      '{external_id}'::text[]
    ),
    (
      'day-ratings', 'read:analytics', 'day_ratings', 'from app.day_ratings as t where true', 'from api.day_ratings as v',
      'v.rating, v.comment, v.team_id, v.points_awarded, v.created_at',
      '{team_name}'::text[]
    ),
    (
      'pulse-responses', 'read:analytics', 'pulse_responses', 'from app.pulse_responses as t where true', 'from api.pulse_responses as v',
      'v."timestamp", v.question, v.response_type, v.value, v.comment',
      '{question_id}'::text[]
    )
$$;

revoke all on function app.changing_lists from public;
grant execute on function app.changing_lists to public_api;
comment on function app.changing_lists is 'The lists whose changes are served: their scope, their table and their columns.';
