-- Made by `npm run generate` from functions/public-api/table/endpoints.ts and scripts/generate/lists.ts: change these.
-- The lists, their changes, and both at a read replica. Why the statements are so: scripts/generate/lists.ts.

-- GET /members

create function public.list_members(
  key_hash text,
  max_rows integer,
  team_id uuid default null,
  role text default null,
  starting_after uuid default null,
  email text default null,
  name text default null,
  after_time timestamptz default null
)
returns app."application/json"
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
  found_rows integer;
  page json;
  next text;
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
  if list_members.name is not null then
    perform app.take_turn_of_total(api_key);
  end if;

  if starting_after is not null then
    if after_time is null then
      select t.created_at into after_time from app.members as t
      where t.company_id = api_key.company_id and t.id = starting_after and not t.is_former;
      if not found then
        perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
      end if;
    end if;
    if (after_time, starting_after) < (below_instant, below_id) then
      below_instant := after_time;
      below_id := starting_after;
    end if;
  end if;

  if list_members.email is null and list_members.name is null and num_nonnulls(team_id, role) > 0 then
    lead_by := app.rarest_members_filter(api_key.company_id, team_id, role);
  end if;

  if email is not null then
    select
      count(*), json_agg(item) filter (where place <= max_rows),
      string_agg((item).created_at || '_' || (item).id, '') filter (where place = max_rows)
    into found_rows, page, next from (
      select item, row_number() over () as place from (
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
          and (list_members.name is null or strpos(v.plain_name, (select app.plain(list_members.name))) > 0)
      ) as item
    ) as numbered;
  elsif list_members.name is not null then
    select
      count(*), json_agg(item) filter (where place <= max_rows),
      string_agg((item).created_at || '_' || (item).id, '') filter (where place = max_rows)
    into found_rows, page, next from (
      select item, row_number() over () as place from (
        select
          v.id, v.name, v.email, v.role, v.team_id, v.team_name, v.created_at
        from api.members as v
        where v.company_id = api_key.company_id
          and (v.instant, v.id) < (below_instant, below_id)
          and (list_members.team_id is null or v.team_id = list_members.team_id)
          and (list_members.role is null or v.role = list_members.role)
          and strpos(v.plain_name, (select app.plain(list_members.name))) > 0
        order by v.instant desc, v.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  elsif lead_by is null then
    select
      count(*), json_agg(item) filter (where place <= max_rows),
      string_agg((item).created_at || '_' || (item).id, '') filter (where place = max_rows)
    into found_rows, page, next from (
      select item, row_number() over () as place from (
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
    select
      count(*), json_agg(item) filter (where place <= max_rows),
      string_agg((item).created_at || '_' || (item).id, '') filter (where place = max_rows)
    into found_rows, page, next from (
      select item, row_number() over () as place from (
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
    select
      count(*), json_agg(item) filter (where place <= max_rows),
      string_agg((item).created_at || '_' || (item).id, '') filter (where place = max_rows)
    into found_rows, page, next from (
      select item, row_number() over () as place from (
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

  headers := set_config(
    'response.headers',
    format(
      app.page_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text,
      right(next, 36), next
    ),
    true
  );
  return coalesce(page, '[]');
end
$$;

select app.serve_keys('public.list_members'::regproc);
comment on function public.list_members is
  'People, their roles and teams: the rows of the key''s company, newest first, as a JSON array. '
  'read:members. PT400, PT401, PT403, PT429.';

-- GET /teams

create function public.list_teams(
  key_hash text,
  max_rows integer,
  starting_after uuid default null,
  after_time timestamptz default null
)
returns app."application/json"
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
  found_rows integer;
  page json;
  next text;
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
    if after_time is null then
      select t.created_at into after_time from app.teams as t
      where t.company_id = api_key.company_id and t.id = starting_after;
      if not found then
        perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
      end if;
    end if;
    if (after_time, starting_after) < (below_instant, below_id) then
      below_instant := after_time;
      below_id := starting_after;
    end if;
  end if;

  select
    count(*), json_agg(item) filter (where place <= max_rows),
    string_agg((item).created_at || '_' || (item).id, '') filter (where place = max_rows)
  into found_rows, page, next from (
    select item, row_number() over () as place from (
      select
        v.id, v.name, v.created_at
      from api.teams as v
      where v.company_id = api_key.company_id
        and (v.instant, v.id) < (below_instant, below_id)
      order by v.instant desc, v.id desc
      limit max_rows + 1
    ) as item
  ) as numbered;

  headers := set_config(
    'response.headers',
    format(
      app.page_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text,
      right(next, 36), next
    ),
    true
  );
  return coalesce(page, '[]');
end
$$;

select app.serve_keys('public.list_teams'::regproc);
comment on function public.list_teams is
  'The teams that people are in: the rows of the key''s company, newest first, as a JSON array. '
  'read:members. PT400, PT401, PT403, PT429.';

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
  include text[] default null,
  after_time timestamptz default null
)
returns app."application/json"
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
  found_rows integer;
  page json;
  next text;
  headers text;
  -- The page begins below this pair of instant and id (docs/api.md, Lists).
  below_instant timestamptz := until + interval '1 microsecond';
  below_id uuid := uuid '00000000-0000-0000-0000-000000000000';
  lead_by text;
  kept text;
  with_sender_id boolean;
  with_receiver_id boolean;
  with_category_id boolean;
  with_sender_team_id boolean;
  with_sender_team_name boolean;
  with_receiver_team_id boolean;
  with_receiver_team_name boolean;
begin
  if not (
    row_security_active('app.kudos'::regclass)
    and row_security_active('app.members'::regclass)
    and row_security_active('app.teams'::regclass)
    and row_security_active('app.categories'::regclass)
  ) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:activity');

  if starting_after is not null then
    if after_time is null then
      select t.created_at into after_time from app.kudos as t
      where t.company_id = api_key.company_id and t.id = starting_after;
      if not found then
        perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
      end if;
    end if;
    if (after_time, starting_after) < (below_instant, below_id) then
      below_instant := after_time;
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
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item)."timestamp" || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category
          from api.activity as v
          where v.company_id = api_key.company_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    elsif lead_by = 'sender' then
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item)."timestamp" || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category
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
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item)."timestamp" || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category
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
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item)."timestamp" || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category
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
    with_sender_id := 'sender_id' = any (include);
    with_receiver_id := 'receiver_id' = any (include);
    with_category_id := 'category_id' = any (include);
    if lead_by is null then
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item)."timestamp" || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
            case when with_sender_id then v.sender_id end as sender_id,
            case when with_receiver_id then v.receiver_id end as receiver_id,
            case when with_category_id then v.category_id end as category_id
          from api.activity as v
          where v.company_id = api_key.company_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    elsif lead_by = 'sender' then
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item)."timestamp" || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
            case when with_sender_id then v.sender_id end as sender_id,
            case when with_receiver_id then v.receiver_id end as receiver_id,
            case when with_category_id then v.category_id end as category_id
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
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item)."timestamp" || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
            case when with_sender_id then v.sender_id end as sender_id,
            case when with_receiver_id then v.receiver_id end as receiver_id,
            case when with_category_id then v.category_id end as category_id
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
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item)."timestamp" || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
            case when with_sender_id then v.sender_id end as sender_id,
            case when with_receiver_id then v.receiver_id end as receiver_id,
            case when with_category_id then v.category_id end as category_id
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
    -- never within a value, because quotes are escaped there. Each assignment to page parses it.
    if cardinality(include) < 3 then
      kept := page;
      if not with_sender_id then kept := replace(kept, ',"sender_id":null', ''); end if;
      if not with_receiver_id then kept := replace(kept, ',"receiver_id":null', ''); end if;
      if not with_category_id then kept := replace(kept, ',"category_id":null', ''); end if;
      page := kept;
    end if;
  elsif not include && array['sender_id', 'receiver_id', 'category_id'] then
    with_sender_team_id := 'sender_team_id' = any (include);
    with_sender_team_name := 'sender_team_name' = any (include);
    with_receiver_team_id := 'receiver_team_id' = any (include);
    with_receiver_team_name := 'receiver_team_name' = any (include);
    if lead_by is null then
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item)."timestamp" || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
            case when with_sender_team_id then v.sender_team_id end as sender_team_id,
            case when with_sender_team_name then sender_team.name end as sender_team_name,
            case when with_receiver_team_id then v.receiver_team_id end as receiver_team_id,
            case when with_receiver_team_name then receiver_team.name end as receiver_team_name
          from api.activity as v
          left join lateral (
            select t.name from app.teams as t where t.company_id = v.company_id and t.id = v.sender_team_id offset 0
          ) as sender_team on true
          left join lateral (
            select t.name from app.teams as t where t.company_id = v.company_id and t.id = v.receiver_team_id offset 0
          ) as receiver_team on true
          where v.company_id = api_key.company_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    elsif lead_by = 'sender' then
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item)."timestamp" || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
            case when with_sender_team_id then v.sender_team_id end as sender_team_id,
            case when with_sender_team_name then sender_team.name end as sender_team_name,
            case when with_receiver_team_id then v.receiver_team_id end as receiver_team_id,
            case when with_receiver_team_name then receiver_team.name end as receiver_team_name
          from api.activity as v
          left join lateral (
            select t.name from app.teams as t where t.company_id = v.company_id and t.id = v.sender_team_id offset 0
          ) as sender_team on true
          left join lateral (
            select t.name from app.teams as t where t.company_id = v.company_id and t.id = v.receiver_team_id offset 0
          ) as receiver_team on true
          where v.company_id = api_key.company_id and v.sender_id = list_activity.sender_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
            and (list_activity.receiver_id is null or v.receiver_id = list_activity.receiver_id)
            and (list_activity.category_id is null or v.category_id = list_activity.category_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    elsif lead_by = 'receiver' then
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item)."timestamp" || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
            case when with_sender_team_id then v.sender_team_id end as sender_team_id,
            case when with_sender_team_name then sender_team.name end as sender_team_name,
            case when with_receiver_team_id then v.receiver_team_id end as receiver_team_id,
            case when with_receiver_team_name then receiver_team.name end as receiver_team_name
          from api.activity as v
          left join lateral (
            select t.name from app.teams as t where t.company_id = v.company_id and t.id = v.sender_team_id offset 0
          ) as sender_team on true
          left join lateral (
            select t.name from app.teams as t where t.company_id = v.company_id and t.id = v.receiver_team_id offset 0
          ) as receiver_team on true
          where v.company_id = api_key.company_id and v.receiver_id = list_activity.receiver_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
            and (list_activity.sender_id is null or v.sender_id = list_activity.sender_id)
            and (list_activity.category_id is null or v.category_id = list_activity.category_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    else
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item)."timestamp" || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
            case when with_sender_team_id then v.sender_team_id end as sender_team_id,
            case when with_sender_team_name then sender_team.name end as sender_team_name,
            case when with_receiver_team_id then v.receiver_team_id end as receiver_team_id,
            case when with_receiver_team_name then receiver_team.name end as receiver_team_name
          from api.activity as v
          left join lateral (
            select t.name from app.teams as t where t.company_id = v.company_id and t.id = v.sender_team_id offset 0
          ) as sender_team on true
          left join lateral (
            select t.name from app.teams as t where t.company_id = v.company_id and t.id = v.receiver_team_id offset 0
          ) as receiver_team on true
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
    -- never within a value, because quotes are escaped there. Each assignment to page parses it.
    if cardinality(include) < 4 then
      kept := page;
      if not with_sender_team_id then kept := replace(kept, ',"sender_team_id":null', ''); end if;
      if not with_sender_team_name then kept := replace(kept, ',"sender_team_name":null', ''); end if;
      if not with_receiver_team_id then kept := replace(kept, ',"receiver_team_id":null', ''); end if;
      if not with_receiver_team_name then kept := replace(kept, ',"receiver_team_name":null', ''); end if;
      page := kept;
    end if;
  else
    with_sender_id := 'sender_id' = any (include);
    with_receiver_id := 'receiver_id' = any (include);
    with_category_id := 'category_id' = any (include);
    with_sender_team_id := 'sender_team_id' = any (include);
    with_sender_team_name := 'sender_team_name' = any (include);
    with_receiver_team_id := 'receiver_team_id' = any (include);
    with_receiver_team_name := 'receiver_team_name' = any (include);
    if lead_by is null then
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item)."timestamp" || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
            case when with_sender_id then v.sender_id end as sender_id,
            case when with_receiver_id then v.receiver_id end as receiver_id,
            case when with_category_id then v.category_id end as category_id,
            case when with_sender_team_id then v.sender_team_id end as sender_team_id,
            case when with_sender_team_name then sender_team.name end as sender_team_name,
            case when with_receiver_team_id then v.receiver_team_id end as receiver_team_id,
            case when with_receiver_team_name then receiver_team.name end as receiver_team_name
          from api.activity as v
          left join lateral (
            select t.name from app.teams as t where t.company_id = v.company_id and t.id = v.sender_team_id offset 0
          ) as sender_team on true
          left join lateral (
            select t.name from app.teams as t where t.company_id = v.company_id and t.id = v.receiver_team_id offset 0
          ) as receiver_team on true
          where v.company_id = api_key.company_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    elsif lead_by = 'sender' then
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item)."timestamp" || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
            case when with_sender_id then v.sender_id end as sender_id,
            case when with_receiver_id then v.receiver_id end as receiver_id,
            case when with_category_id then v.category_id end as category_id,
            case when with_sender_team_id then v.sender_team_id end as sender_team_id,
            case when with_sender_team_name then sender_team.name end as sender_team_name,
            case when with_receiver_team_id then v.receiver_team_id end as receiver_team_id,
            case when with_receiver_team_name then receiver_team.name end as receiver_team_name
          from api.activity as v
          left join lateral (
            select t.name from app.teams as t where t.company_id = v.company_id and t.id = v.sender_team_id offset 0
          ) as sender_team on true
          left join lateral (
            select t.name from app.teams as t where t.company_id = v.company_id and t.id = v.receiver_team_id offset 0
          ) as receiver_team on true
          where v.company_id = api_key.company_id and v.sender_id = list_activity.sender_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
            and (list_activity.receiver_id is null or v.receiver_id = list_activity.receiver_id)
            and (list_activity.category_id is null or v.category_id = list_activity.category_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    elsif lead_by = 'receiver' then
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item)."timestamp" || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
            case when with_sender_id then v.sender_id end as sender_id,
            case when with_receiver_id then v.receiver_id end as receiver_id,
            case when with_category_id then v.category_id end as category_id,
            case when with_sender_team_id then v.sender_team_id end as sender_team_id,
            case when with_sender_team_name then sender_team.name end as sender_team_name,
            case when with_receiver_team_id then v.receiver_team_id end as receiver_team_id,
            case when with_receiver_team_name then receiver_team.name end as receiver_team_name
          from api.activity as v
          left join lateral (
            select t.name from app.teams as t where t.company_id = v.company_id and t.id = v.sender_team_id offset 0
          ) as sender_team on true
          left join lateral (
            select t.name from app.teams as t where t.company_id = v.company_id and t.id = v.receiver_team_id offset 0
          ) as receiver_team on true
          where v.company_id = api_key.company_id and v.receiver_id = list_activity.receiver_id
            and v.instant >= since and (v.instant, v.id) < (below_instant, below_id)
            and (list_activity.sender_id is null or v.sender_id = list_activity.sender_id)
            and (list_activity.category_id is null or v.category_id = list_activity.category_id)
          order by v.instant desc, v.id desc
          limit max_rows + 1
        ) as item
      ) as numbered;
    else
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item)."timestamp" || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
          select
            v.id, v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
            case when with_sender_id then v.sender_id end as sender_id,
            case when with_receiver_id then v.receiver_id end as receiver_id,
            case when with_category_id then v.category_id end as category_id,
            case when with_sender_team_id then v.sender_team_id end as sender_team_id,
            case when with_sender_team_name then sender_team.name end as sender_team_name,
            case when with_receiver_team_id then v.receiver_team_id end as receiver_team_id,
            case when with_receiver_team_name then receiver_team.name end as receiver_team_name
          from api.activity as v
          left join lateral (
            select t.name from app.teams as t where t.company_id = v.company_id and t.id = v.sender_team_id offset 0
          ) as sender_team on true
          left join lateral (
            select t.name from app.teams as t where t.company_id = v.company_id and t.id = v.receiver_team_id offset 0
          ) as receiver_team on true
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
    -- never within a value, because quotes are escaped there. Each assignment to page parses it.
    if cardinality(include) < 7 then
      kept := page;
      if not with_sender_id then kept := replace(kept, ',"sender_id":null', ''); end if;
      if not with_receiver_id then kept := replace(kept, ',"receiver_id":null', ''); end if;
      if not with_category_id then kept := replace(kept, ',"category_id":null', ''); end if;
      if not with_sender_team_id then kept := replace(kept, ',"sender_team_id":null', ''); end if;
      if not with_sender_team_name then kept := replace(kept, ',"sender_team_name":null', ''); end if;
      if not with_receiver_team_id then kept := replace(kept, ',"receiver_team_id":null', ''); end if;
      if not with_receiver_team_name then kept := replace(kept, ',"receiver_team_name":null', ''); end if;
      page := kept;
    end if;
  end if;

  headers := set_config(
    'response.headers',
    format(
      app.page_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text,
      right(next, 36), next
    ),
    true
  );
  return coalesce(page, '[]');
end
$$;

select app.serve_keys('public.list_activity'::regproc);
comment on function public.list_activity is
  'Kudos with sender, recipient and category: the rows of the key''s company, newest first, as a JSON array. '
  'read:activity. PT400, PT401, PT403, PT429.';

-- GET /categories

create function public.list_categories(
  key_hash text,
  max_rows integer,
  starting_after uuid default null,
  after_time timestamptz default null
)
returns app."application/json"
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
  found_rows integer;
  page json;
  next text;
  headers text;
  -- The page begins below this pair of instant and id (docs/api.md, Lists).
  below_instant timestamptz := timestamptz 'infinity';
  below_id uuid := uuid '00000000-0000-0000-0000-000000000000';
begin
  if not (
    row_security_active('app.categories'::regclass)
  ) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:activity');

  if starting_after is not null then
    if after_time is null then
      select t.created_at into after_time from app.categories as t
      where t.company_id = api_key.company_id and t.id = starting_after;
      if not found then
        perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
      end if;
    end if;
    if (after_time, starting_after) < (below_instant, below_id) then
      below_instant := after_time;
      below_id := starting_after;
    end if;
  end if;

  select
    count(*), json_agg(item) filter (where place <= max_rows),
    string_agg((item).created_at || '_' || (item).id, '') filter (where place = max_rows)
  into found_rows, page, next from (
    select item, row_number() over () as place from (
      select
        v.id, v.name, v.created_at
      from api.categories as v
      where v.company_id = api_key.company_id
        and (v.instant, v.id) < (below_instant, below_id)
      order by v.instant desc, v.id desc
      limit max_rows + 1
    ) as item
  ) as numbered;

  headers := set_config(
    'response.headers',
    format(
      app.page_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text,
      right(next, 36), next
    ),
    true
  );
  return coalesce(page, '[]');
end
$$;

select app.serve_keys('public.list_categories'::regproc);
comment on function public.list_categories is
  'What kudos are given for: the rows of the key''s company, newest first, as a JSON array. '
  'read:activity. PT400, PT401, PT403, PT429.';

-- GET /rewards

create function public.list_rewards(
  key_hash text,
  max_rows integer,
  include_archived boolean default false,
  starting_after uuid default null,
  include text[] default null,
  external_id text default null,
  after_time timestamptz default null
)
returns app."application/json"
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
  found_rows integer;
  page json;
  next text;
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
    if after_time is null then
      select t.created_at into after_time from app.rewards as t
      where t.company_id = api_key.company_id and t.id = starting_after;
      if not found then
        perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
      end if;
    end if;
    if (after_time, starting_after) < (below_instant, below_id) then
      below_instant := after_time;
      below_id := starting_after;
    end if;
  end if;

  if include is null then
    if external_id is not null then
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item).created_at || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
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
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item).created_at || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
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
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item).created_at || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
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
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item).created_at || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
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
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item).created_at || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
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
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item).created_at || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
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

  headers := set_config(
    'response.headers',
    format(
      app.page_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text,
      right(next, 36), next
    ),
    true
  );
  return coalesce(page, '[]');
end
$$;

select app.serve_keys('public.list_rewards'::regproc);
comment on function public.list_rewards is
  'The reward catalogue: the rows of the key''s company, newest first, as a JSON array. '
  'read:rewards. PT400, PT401, PT403, PT429.';

-- GET /day-ratings

create function public.list_day_ratings(
  key_hash text,
  max_rows integer,
  since timestamptz default '-infinity',
  until timestamptz default 'infinity',
  team_id uuid default null,
  starting_after uuid default null,
  include text[] default null,
  after_time timestamptz default null
)
returns app."application/json"
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
  found_rows integer;
  page json;
  next text;
  headers text;
  -- The page begins below this pair of instant and id (docs/api.md, Lists).
  below_instant timestamptz := until + interval '1 microsecond';
  below_id uuid := uuid '00000000-0000-0000-0000-000000000000';
begin
  if not (
    row_security_active('app.day_ratings'::regclass)
    and row_security_active('app.teams'::regclass)
  ) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:analytics');

  if starting_after is not null then
    if after_time is null then
      select t.created_at into after_time from app.day_ratings as t
      where t.company_id = api_key.company_id and t.id = starting_after;
      if not found then
        perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
      end if;
    end if;
    if (after_time, starting_after) < (below_instant, below_id) then
      below_instant := after_time;
      below_id := starting_after;
    end if;
  end if;

  if include is null then
    if team_id is null then
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item).created_at || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
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
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item).created_at || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
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
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item).created_at || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
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
      select
        count(*), json_agg(item) filter (where place <= max_rows),
        string_agg((item).created_at || '_' || (item).id, '') filter (where place = max_rows)
      into found_rows, page, next from (
        select item, row_number() over () as place from (
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

  headers := set_config(
    'response.headers',
    format(
      app.page_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text,
      right(next, 36), next
    ),
    true
  );
  return coalesce(page, '[]');
end
$$;

select app.serve_keys('public.list_day_ratings'::regproc);
comment on function public.list_day_ratings is
  'How days were rated, by team: the rows of the key''s company, newest first, as a JSON array. '
  'read:analytics. PT400, PT401, PT403, PT429.';

-- GET /pulse-responses

create function public.list_pulse_responses(
  key_hash text,
  max_rows integer,
  since timestamptz default '-infinity',
  until timestamptz default 'infinity',
  starting_after uuid default null,
  include text[] default null,
  after_time timestamptz default null
)
returns app."application/json"
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
  found_rows integer;
  page json;
  next text;
  headers text;
  -- The page begins below this pair of instant and id (docs/api.md, Lists).
  below_instant timestamptz := until + interval '1 microsecond';
  below_id uuid := uuid '00000000-0000-0000-0000-000000000000';
begin
  if not (
    row_security_active('app.pulse_responses'::regclass)
    and row_security_active('app.pulse_questions'::regclass)
  ) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:analytics');

  if starting_after is not null then
    if after_time is null then
      select t.created_at into after_time from app.pulse_responses as t
      where t.company_id = api_key.company_id and t.id = starting_after;
      if not found then
        perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
      end if;
    end if;
    if (after_time, starting_after) < (below_instant, below_id) then
      below_instant := after_time;
      below_id := starting_after;
    end if;
  end if;

  if include is null then
    select
      count(*), json_agg(item) filter (where place <= max_rows),
      string_agg((item)."timestamp" || '_' || (item).id, '') filter (where place = max_rows)
    into found_rows, page, next from (
      select item, row_number() over () as place from (
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
    select
      count(*), json_agg(item) filter (where place <= max_rows),
      string_agg((item)."timestamp" || '_' || (item).id, '') filter (where place = max_rows)
    into found_rows, page, next from (
      select item, row_number() over () as place from (
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

  headers := set_config(
    'response.headers',
    format(
      app.page_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text,
      right(next, 36), next
    ),
    true
  );
  return coalesce(page, '[]');
end
$$;

select app.serve_keys('public.list_pulse_responses'::regproc);
comment on function public.list_pulse_responses is
  'Answers to pulse surveys: the rows of the key''s company, newest first, as a JSON array. '
  'read:analytics. PT400, PT401, PT403, PT429.';

-- Each of them, and list_changes, at a read replica (0862).
create function public.read_page(
  rpc text,
  key_hash text,
  max_rows integer,
  team_id uuid default null,
  role text default null,
  starting_after uuid default null,
  email text default null,
  name text default null,
  after_time timestamptz default null,
  since timestamptz default '-infinity',
  until timestamptz default 'infinity',
  category_id uuid default null,
  sender_id uuid default null,
  receiver_id uuid default null,
  include text[] default null,
  include_archived boolean default false,
  external_id text default null,
  list text default null,
  after text default null
)
returns app."application/json"
language plpgsql stable security definer
set search_path = ''
set jit = off
set statement_timeout = '2s'
as $$
declare
  page json;
begin
  case rpc
    when 'list_members' then
      page := public.list_members(
        key_hash, max_rows, team_id, role, starting_after, email, name, after_time
      );
    when 'list_teams' then
      page := public.list_teams(
        key_hash, max_rows, starting_after, after_time
      );
    when 'list_activity' then
      page := public.list_activity(
        key_hash, max_rows, since, until, category_id, sender_id, receiver_id, starting_after, include, after_time
      );
    when 'list_categories' then
      page := public.list_categories(
        key_hash, max_rows, starting_after, after_time
      );
    when 'list_rewards' then
      page := public.list_rewards(
        key_hash, max_rows, include_archived, starting_after, include, external_id, after_time
      );
    when 'list_day_ratings' then
      page := public.list_day_ratings(
        key_hash, max_rows, since, until, team_id, starting_after, include, after_time
      );
    when 'list_pulse_responses' then
      page := public.list_pulse_responses(
        key_hash, max_rows, since, until, starting_after, include, after_time
      );
    when 'list_changes' then
      page := public.list_changes(
        key_hash, list, max_rows, after, include
      );
  end case;
  return app.from_replica(page);
end
$$;

select app.serve_keys('public.read_page'::regproc);
comment on function public.read_page is
  'A page of the function with the name rpc, such as list_members, at a read replica. PT503 too.';

-- The answer of a total has at most so many rows. With more it has none, and X-Has-More is true.
create function app.most_groups() returns integer
language sql immutable set search_path = ''
return 10000;

grant execute on function app.most_groups to public_api;
comment on function app.most_groups is 'How many rows the answer of a total has at most.';

-- The lists for 0870_list_changes.sql: their scope and table. In plpgsql, because a session keeps its plan.
create function app.changing_list(list text, out scope text, out relation regclass)
language plpgsql stable
set search_path = ''
as $$
begin
  case list
    when 'members' then scope := 'read:members'; relation := 'app.members';
    when 'teams' then scope := 'read:members'; relation := 'app.teams';
    when 'activity' then scope := 'read:activity'; relation := 'app.kudos';
    when 'categories' then scope := 'read:activity'; relation := 'app.categories';
    when 'rewards' then scope := 'read:rewards'; relation := 'app.rewards';
    when 'day-ratings' then scope := 'read:analytics'; relation := 'app.day_ratings';
    when 'pulse-responses' then scope := 'read:analytics'; relation := 'app.pulse_responses';
  end case;
end
$$;

-- A page of the changes of a list for public.list_changes. Why so: scripts/generate/list_functions.ts.
create function app.page_of_changes(
  list text, company uuid, include text[], max_rows integer, after_transaction xid8, after_id uuid,
  deletions_after xid8, deletions_after_id uuid, horizon xid8, origin text, began xid8, began_digits text,
  out found_rows bigint, out page json, out next text, out are_foreign boolean
)
language plpgsql volatile
set search_path = ''
set jit = off
as $$
declare
  kept text;
  has_deletions boolean := false;
  with_sender_id boolean;
  with_receiver_id boolean;
  with_category_id boolean;
  with_sender_team_id boolean;
  with_sender_team_name boolean;
  with_receiver_team_id boolean;
  with_receiver_team_name boolean;
begin
  if list = 'members' then
    if after_transaction > '0' then
      perform from app.deletions as d
      where d.company_id = company and d.relation = 'app.members'::regclass
        and (d.deleted_in, d.id) > (deletions_after, deletions_after_id) and d.deleted_in < horizon
      order by d.deleted_in, d.id limit 1;
      has_deletions := found;
    end if;
    if not has_deletions then
      select count(*), json_agg(item), max(item.cursor collate "C") into found_rows, page, next from (
        select
          v.id,
          v.name, v.email, v.role, v.team_id, v.team_name, v.created_at,
          origin || encode(xid8send(changed_in) || uuid_send(id), 'hex')
            || case when changed_in < began then began_digits else '' end as cursor,
          false as deleted
        from api.members as v
        where v.company_id = company and (v.changed_in, v.id) > (after_transaction, after_id) and v.changed_in < horizon
        order by v.changed_in, v.id limit max_rows
      ) as item;
    else
      select
        count(*), json_agg(item) filter (where place <= max_rows), string_agg(item_cursor, '') filter (where place = max_rows)
      into found_rows, page, next
      from (
        select item, item.cursor as item_cursor, row_number() over () as place from (
          select
            id,
            name, email, role, team_id, team_name, created_at,
            origin || encode(xid8send(changed_in) || uuid_send(id), 'hex')
              || case when changed_in < began then began_digits else '' end as cursor,
            deleted
          from (
            (
              select
                v.changed_in, v.id,
                v.name, v.email, v.role, v.team_id, v.team_name, v.created_at,
                false as deleted
              from api.members as v
              where v.company_id = company and (v.changed_in, v.id) > (after_transaction, after_id) and v.changed_in < horizon
              order by v.changed_in, v.id limit max_rows + 1
            )
            union all
            (
              select d.deleted_in, d.id, there.*, there is null as deleted
              from (
                select d.deleted_in, d.id from app.deletions as d
                where d.company_id = company and d.relation = 'app.members'::regclass
                  and (d.deleted_in, d.id) > (deletions_after, deletions_after_id) and d.deleted_in < horizon
                order by d.deleted_in, d.id limit 2 * (max_rows + 1)
              ) as d
              left join lateral (
                select
                  v.name, v.email, v.role, v.team_id, v.team_name, v.created_at
                from api.members as v where v.company_id = company and v.id = d.id offset 0
              ) as there on true
              where d.id not in (
                select t.id from app.members as t
                where t.company_id = company and not t.is_former
                  and (t.changed_in, t.id) > (after_transaction, after_id) and t.changed_in < horizon
                order by t.changed_in, t.id limit max_rows + 1
              )
              order by d.deleted_in, d.id
            )
            order by changed_in, id limit max_rows + 1
          ) as change
          order by changed_in, id
        ) as item
      ) as numbered;
    end if;
    if found_rows = max_rows and not has_deletions then
      perform from app.members as t
      where t.company_id = company and not t.is_former and t.changed_in < horizon
        and (t.changed_in, t.id) > (('x' || substr(next, 9, 16))::bit(64)::bigint::text::xid8, substr(next, 25, 32)::uuid)
      order by t.changed_in, t.id limit 1;
      if found then found_rows := max_rows + 1; end if;
    end if;
    if found_rows <= max_rows then
      perform from app.members as t
      where t.company_id = company and t.changed_in >= pg_snapshot_xmax(pg_current_snapshot())
        and t.changed_in is distinct from pg_current_xact_id_if_assigned()
      order by t.changed_in, t.id limit 1;
      are_foreign := found;
    end if;
  elsif list = 'teams' then
    if after_transaction > '0' then
      perform from app.deletions as d
      where d.company_id = company and d.relation = 'app.teams'::regclass
        and (d.deleted_in, d.id) > (deletions_after, deletions_after_id) and d.deleted_in < horizon
      order by d.deleted_in, d.id limit 1;
      has_deletions := found;
    end if;
    if not has_deletions then
      select count(*), json_agg(item), max(item.cursor collate "C") into found_rows, page, next from (
        select
          v.id,
          v.name, v.created_at,
          origin || encode(xid8send(changed_in) || uuid_send(id), 'hex')
            || case when changed_in < began then began_digits else '' end as cursor,
          false as deleted
        from api.teams as v
        where v.company_id = company and (v.changed_in, v.id) > (after_transaction, after_id) and v.changed_in < horizon
        order by v.changed_in, v.id limit max_rows
      ) as item;
    else
      select
        count(*), json_agg(item) filter (where place <= max_rows), string_agg(item_cursor, '') filter (where place = max_rows)
      into found_rows, page, next
      from (
        select item, item.cursor as item_cursor, row_number() over () as place from (
          select
            id,
            name, created_at,
            origin || encode(xid8send(changed_in) || uuid_send(id), 'hex')
              || case when changed_in < began then began_digits else '' end as cursor,
            deleted
          from (
            (
              select
                v.changed_in, v.id,
                v.name, v.created_at,
                false as deleted
              from api.teams as v
              where v.company_id = company and (v.changed_in, v.id) > (after_transaction, after_id) and v.changed_in < horizon
              order by v.changed_in, v.id limit max_rows + 1
            )
            union all
            (
              select d.deleted_in, d.id, there.*, there is null as deleted
              from (
                select d.deleted_in, d.id from app.deletions as d
                where d.company_id = company and d.relation = 'app.teams'::regclass
                  and (d.deleted_in, d.id) > (deletions_after, deletions_after_id) and d.deleted_in < horizon
                order by d.deleted_in, d.id limit 2 * (max_rows + 1)
              ) as d
              left join lateral (
                select
                  v.name, v.created_at
                from api.teams as v where v.company_id = company and v.id = d.id offset 0
              ) as there on true
              where d.id not in (
                select t.id from app.teams as t
                where t.company_id = company
                  and (t.changed_in, t.id) > (after_transaction, after_id) and t.changed_in < horizon
                order by t.changed_in, t.id limit max_rows + 1
              )
              order by d.deleted_in, d.id
            )
            order by changed_in, id limit max_rows + 1
          ) as change
          order by changed_in, id
        ) as item
      ) as numbered;
    end if;
    if found_rows = max_rows and not has_deletions then
      perform from app.teams as t
      where t.company_id = company and t.changed_in < horizon
        and (t.changed_in, t.id) > (('x' || substr(next, 9, 16))::bit(64)::bigint::text::xid8, substr(next, 25, 32)::uuid)
      order by t.changed_in, t.id limit 1;
      if found then found_rows := max_rows + 1; end if;
    end if;
    if found_rows <= max_rows then
      perform from app.teams as t
      where t.company_id = company and t.changed_in >= pg_snapshot_xmax(pg_current_snapshot())
        and t.changed_in is distinct from pg_current_xact_id_if_assigned()
      order by t.changed_in, t.id limit 1;
      are_foreign := found;
    end if;
  elsif list = 'activity' then
    if after_transaction > '0' then
      perform from app.deletions as d
      where d.company_id = company and d.relation = 'app.kudos'::regclass
        and (d.deleted_in, d.id) > (deletions_after, deletions_after_id) and d.deleted_in < horizon
      order by d.deleted_in, d.id limit 1;
      has_deletions := found;
    end if;
    if include is null then
      if not has_deletions then
        select count(*), json_agg(item), max(item.cursor collate "C") into found_rows, page, next from (
          select
            v.id,
            v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
            origin || encode(xid8send(changed_in) || uuid_send(id), 'hex')
              || case when changed_in < began then began_digits else '' end as cursor,
            false as deleted
          from api.activity as v
          where v.company_id = company and (v.changed_in, v.id) > (after_transaction, after_id) and v.changed_in < horizon
          order by v.changed_in, v.id limit max_rows
        ) as item;
      else
        select
          count(*), json_agg(item) filter (where place <= max_rows), string_agg(item_cursor, '') filter (where place = max_rows)
        into found_rows, page, next
        from (
          select item, item.cursor as item_cursor, row_number() over () as place from (
            select
              id,
              "timestamp", sender_name, sender_email, receiver_name, receiver_email, message, category,
              origin || encode(xid8send(changed_in) || uuid_send(id), 'hex')
                || case when changed_in < began then began_digits else '' end as cursor,
              deleted
            from (
              (
                select
                  v.changed_in, v.id,
                  v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
                  false as deleted
                from api.activity as v
                where v.company_id = company and (v.changed_in, v.id) > (after_transaction, after_id) and v.changed_in < horizon
                order by v.changed_in, v.id limit max_rows + 1
              )
              union all
              (
                select d.deleted_in, d.id, there.*, there is null as deleted
                from (
                  select d.deleted_in, d.id from app.deletions as d
                  where d.company_id = company and d.relation = 'app.kudos'::regclass
                    and (d.deleted_in, d.id) > (deletions_after, deletions_after_id) and d.deleted_in < horizon
                  order by d.deleted_in, d.id limit 2 * (max_rows + 1)
                ) as d
                left join lateral (
                  select
                    v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category
                  from api.activity as v where v.company_id = company and v.id = d.id offset 0
                ) as there on true
                where d.id not in (
                  select t.id from app.kudos as t
                  where t.company_id = company
                    and (t.changed_in, t.id) > (after_transaction, after_id) and t.changed_in < horizon
                  order by t.changed_in, t.id limit max_rows + 1
                )
                order by d.deleted_in, d.id
              )
              order by changed_in, id limit max_rows + 1
            ) as change
            order by changed_in, id
          ) as item
        ) as numbered;
      end if;
    elsif not include && array['sender_team_id', 'sender_team_name', 'receiver_team_id', 'receiver_team_name'] then
      with_sender_id := 'sender_id' = any (include);
      with_receiver_id := 'receiver_id' = any (include);
      with_category_id := 'category_id' = any (include);
      if not has_deletions then
        select count(*), json_agg(item), max(item.cursor collate "C") into found_rows, page, next from (
          select
            v.id,
            v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
            case when with_sender_id then v.sender_id end as sender_id,
            case when with_receiver_id then v.receiver_id end as receiver_id,
            case when with_category_id then v.category_id end as category_id,
            origin || encode(xid8send(changed_in) || uuid_send(id), 'hex')
              || case when changed_in < began then began_digits else '' end as cursor,
            false as deleted
          from api.activity as v
          where v.company_id = company and (v.changed_in, v.id) > (after_transaction, after_id) and v.changed_in < horizon
          order by v.changed_in, v.id limit max_rows
        ) as item;
      else
        select
          count(*), json_agg(item) filter (where place <= max_rows), string_agg(item_cursor, '') filter (where place = max_rows)
        into found_rows, page, next
        from (
          select item, item.cursor as item_cursor, row_number() over () as place from (
            select
              id,
              "timestamp", sender_name, sender_email, receiver_name, receiver_email, message, category, sender_id,
              receiver_id, category_id,
              origin || encode(xid8send(changed_in) || uuid_send(id), 'hex')
                || case when changed_in < began then began_digits else '' end as cursor,
              deleted
            from (
              (
                select
                  v.changed_in, v.id,
                  v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
                  case when with_sender_id then v.sender_id end as sender_id,
                  case when with_receiver_id then v.receiver_id end as receiver_id,
                  case when with_category_id then v.category_id end as category_id,
                  false as deleted
                from api.activity as v
                where v.company_id = company and (v.changed_in, v.id) > (after_transaction, after_id) and v.changed_in < horizon
                order by v.changed_in, v.id limit max_rows + 1
              )
              union all
              (
                select d.deleted_in, d.id, there.*, there is null as deleted
                from (
                  select d.deleted_in, d.id from app.deletions as d
                  where d.company_id = company and d.relation = 'app.kudos'::regclass
                    and (d.deleted_in, d.id) > (deletions_after, deletions_after_id) and d.deleted_in < horizon
                  order by d.deleted_in, d.id limit 2 * (max_rows + 1)
                ) as d
                left join lateral (
                  select
                    v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
                    case when with_sender_id then v.sender_id end as sender_id,
                    case when with_receiver_id then v.receiver_id end as receiver_id,
                    case when with_category_id then v.category_id end as category_id
                  from api.activity as v where v.company_id = company and v.id = d.id offset 0
                ) as there on true
                where d.id not in (
                  select t.id from app.kudos as t
                  where t.company_id = company
                    and (t.changed_in, t.id) > (after_transaction, after_id) and t.changed_in < horizon
                  order by t.changed_in, t.id limit max_rows + 1
                )
                order by d.deleted_in, d.id
              )
              order by changed_in, id limit max_rows + 1
            ) as change
            order by changed_in, id
          ) as item
        ) as numbered;
      end if;
      -- Columns that include does not name are null in every row, and are taken out of the text of the page. This text is
      -- never within a value, because quotes are escaped there. Each assignment to page parses it.
      if cardinality(include) < 3 then
        kept := page;
        if not with_sender_id then kept := replace(kept, ',"sender_id":null', ''); end if;
        if not with_receiver_id then kept := replace(kept, ',"receiver_id":null', ''); end if;
        if not with_category_id then kept := replace(kept, ',"category_id":null', ''); end if;
        page := kept;
      end if;
    elsif not include && array['sender_id', 'receiver_id', 'category_id'] then
      with_sender_team_id := 'sender_team_id' = any (include);
      with_sender_team_name := 'sender_team_name' = any (include);
      with_receiver_team_id := 'receiver_team_id' = any (include);
      with_receiver_team_name := 'receiver_team_name' = any (include);
      if not has_deletions then
        select count(*), json_agg(item), max(item.cursor collate "C") into found_rows, page, next from (
          select
            v.id,
            v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
            case when with_sender_team_id then v.sender_team_id end as sender_team_id,
            case when with_sender_team_name then v.sender_team_name end as sender_team_name,
            case when with_receiver_team_id then v.receiver_team_id end as receiver_team_id,
            case when with_receiver_team_name then v.receiver_team_name end as receiver_team_name,
            origin || encode(xid8send(changed_in) || uuid_send(id), 'hex')
              || case when changed_in < began then began_digits else '' end as cursor,
            false as deleted
          from api.activity as v
          where v.company_id = company and (v.changed_in, v.id) > (after_transaction, after_id) and v.changed_in < horizon
          order by v.changed_in, v.id limit max_rows
        ) as item;
      else
        select
          count(*), json_agg(item) filter (where place <= max_rows), string_agg(item_cursor, '') filter (where place = max_rows)
        into found_rows, page, next
        from (
          select item, item.cursor as item_cursor, row_number() over () as place from (
            select
              id,
              "timestamp", sender_name, sender_email, receiver_name, receiver_email, message, category, sender_team_id,
              sender_team_name, receiver_team_id, receiver_team_name,
              origin || encode(xid8send(changed_in) || uuid_send(id), 'hex')
                || case when changed_in < began then began_digits else '' end as cursor,
              deleted
            from (
              (
                select
                  v.changed_in, v.id,
                  v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
                  case when with_sender_team_id then v.sender_team_id end as sender_team_id,
                  case when with_sender_team_name then v.sender_team_name end as sender_team_name,
                  case when with_receiver_team_id then v.receiver_team_id end as receiver_team_id,
                  case when with_receiver_team_name then v.receiver_team_name end as receiver_team_name,
                  false as deleted
                from api.activity as v
                where v.company_id = company and (v.changed_in, v.id) > (after_transaction, after_id) and v.changed_in < horizon
                order by v.changed_in, v.id limit max_rows + 1
              )
              union all
              (
                select d.deleted_in, d.id, there.*, there is null as deleted
                from (
                  select d.deleted_in, d.id from app.deletions as d
                  where d.company_id = company and d.relation = 'app.kudos'::regclass
                    and (d.deleted_in, d.id) > (deletions_after, deletions_after_id) and d.deleted_in < horizon
                  order by d.deleted_in, d.id limit 2 * (max_rows + 1)
                ) as d
                left join lateral (
                  select
                    v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
                    case when with_sender_team_id then v.sender_team_id end as sender_team_id,
                    case when with_sender_team_name then v.sender_team_name end as sender_team_name,
                    case when with_receiver_team_id then v.receiver_team_id end as receiver_team_id,
                    case when with_receiver_team_name then v.receiver_team_name end as receiver_team_name
                  from api.activity as v where v.company_id = company and v.id = d.id offset 0
                ) as there on true
                where d.id not in (
                  select t.id from app.kudos as t
                  where t.company_id = company
                    and (t.changed_in, t.id) > (after_transaction, after_id) and t.changed_in < horizon
                  order by t.changed_in, t.id limit max_rows + 1
                )
                order by d.deleted_in, d.id
              )
              order by changed_in, id limit max_rows + 1
            ) as change
            order by changed_in, id
          ) as item
        ) as numbered;
      end if;
      -- Columns that include does not name are null in every row, and are taken out of the text of the page. This text is
      -- never within a value, because quotes are escaped there. Each assignment to page parses it.
      if cardinality(include) < 4 then
        kept := page;
        if not with_sender_team_id then kept := replace(kept, ',"sender_team_id":null', ''); end if;
        if not with_sender_team_name then kept := replace(kept, ',"sender_team_name":null', ''); end if;
        if not with_receiver_team_id then kept := replace(kept, ',"receiver_team_id":null', ''); end if;
        if not with_receiver_team_name then kept := replace(kept, ',"receiver_team_name":null', ''); end if;
        page := kept;
      end if;
    else
      with_sender_id := 'sender_id' = any (include);
      with_receiver_id := 'receiver_id' = any (include);
      with_category_id := 'category_id' = any (include);
      with_sender_team_id := 'sender_team_id' = any (include);
      with_sender_team_name := 'sender_team_name' = any (include);
      with_receiver_team_id := 'receiver_team_id' = any (include);
      with_receiver_team_name := 'receiver_team_name' = any (include);
      if not has_deletions then
        select count(*), json_agg(item), max(item.cursor collate "C") into found_rows, page, next from (
          select
            v.id,
            v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
            case when with_sender_id then v.sender_id end as sender_id,
            case when with_receiver_id then v.receiver_id end as receiver_id,
            case when with_category_id then v.category_id end as category_id,
            case when with_sender_team_id then v.sender_team_id end as sender_team_id,
            case when with_sender_team_name then v.sender_team_name end as sender_team_name,
            case when with_receiver_team_id then v.receiver_team_id end as receiver_team_id,
            case when with_receiver_team_name then v.receiver_team_name end as receiver_team_name,
            origin || encode(xid8send(changed_in) || uuid_send(id), 'hex')
              || case when changed_in < began then began_digits else '' end as cursor,
            false as deleted
          from api.activity as v
          where v.company_id = company and (v.changed_in, v.id) > (after_transaction, after_id) and v.changed_in < horizon
          order by v.changed_in, v.id limit max_rows
        ) as item;
      else
        select
          count(*), json_agg(item) filter (where place <= max_rows), string_agg(item_cursor, '') filter (where place = max_rows)
        into found_rows, page, next
        from (
          select item, item.cursor as item_cursor, row_number() over () as place from (
            select
              id,
              "timestamp", sender_name, sender_email, receiver_name, receiver_email, message, category, sender_id,
              receiver_id, category_id, sender_team_id, sender_team_name, receiver_team_id, receiver_team_name,
              origin || encode(xid8send(changed_in) || uuid_send(id), 'hex')
                || case when changed_in < began then began_digits else '' end as cursor,
              deleted
            from (
              (
                select
                  v.changed_in, v.id,
                  v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
                  case when with_sender_id then v.sender_id end as sender_id,
                  case when with_receiver_id then v.receiver_id end as receiver_id,
                  case when with_category_id then v.category_id end as category_id,
                  case when with_sender_team_id then v.sender_team_id end as sender_team_id,
                  case when with_sender_team_name then v.sender_team_name end as sender_team_name,
                  case when with_receiver_team_id then v.receiver_team_id end as receiver_team_id,
                  case when with_receiver_team_name then v.receiver_team_name end as receiver_team_name,
                  false as deleted
                from api.activity as v
                where v.company_id = company and (v.changed_in, v.id) > (after_transaction, after_id) and v.changed_in < horizon
                order by v.changed_in, v.id limit max_rows + 1
              )
              union all
              (
                select d.deleted_in, d.id, there.*, there is null as deleted
                from (
                  select d.deleted_in, d.id from app.deletions as d
                  where d.company_id = company and d.relation = 'app.kudos'::regclass
                    and (d.deleted_in, d.id) > (deletions_after, deletions_after_id) and d.deleted_in < horizon
                  order by d.deleted_in, d.id limit 2 * (max_rows + 1)
                ) as d
                left join lateral (
                  select
                    v."timestamp", v.sender_name, v.sender_email, v.receiver_name, v.receiver_email, v.message, v.category,
                    case when with_sender_id then v.sender_id end as sender_id,
                    case when with_receiver_id then v.receiver_id end as receiver_id,
                    case when with_category_id then v.category_id end as category_id,
                    case when with_sender_team_id then v.sender_team_id end as sender_team_id,
                    case when with_sender_team_name then v.sender_team_name end as sender_team_name,
                    case when with_receiver_team_id then v.receiver_team_id end as receiver_team_id,
                    case when with_receiver_team_name then v.receiver_team_name end as receiver_team_name
                  from api.activity as v where v.company_id = company and v.id = d.id offset 0
                ) as there on true
                where d.id not in (
                  select t.id from app.kudos as t
                  where t.company_id = company
                    and (t.changed_in, t.id) > (after_transaction, after_id) and t.changed_in < horizon
                  order by t.changed_in, t.id limit max_rows + 1
                )
                order by d.deleted_in, d.id
              )
              order by changed_in, id limit max_rows + 1
            ) as change
            order by changed_in, id
          ) as item
        ) as numbered;
      end if;
      -- Columns that include does not name are null in every row, and are taken out of the text of the page. This text is
      -- never within a value, because quotes are escaped there. Each assignment to page parses it.
      if cardinality(include) < 7 then
        kept := page;
        if not with_sender_id then kept := replace(kept, ',"sender_id":null', ''); end if;
        if not with_receiver_id then kept := replace(kept, ',"receiver_id":null', ''); end if;
        if not with_category_id then kept := replace(kept, ',"category_id":null', ''); end if;
        if not with_sender_team_id then kept := replace(kept, ',"sender_team_id":null', ''); end if;
        if not with_sender_team_name then kept := replace(kept, ',"sender_team_name":null', ''); end if;
        if not with_receiver_team_id then kept := replace(kept, ',"receiver_team_id":null', ''); end if;
        if not with_receiver_team_name then kept := replace(kept, ',"receiver_team_name":null', ''); end if;
        page := kept;
      end if;
    end if;
    if found_rows = max_rows and not has_deletions then
      perform from app.kudos as t
      where t.company_id = company and t.changed_in < horizon
        and (t.changed_in, t.id) > (('x' || substr(next, 9, 16))::bit(64)::bigint::text::xid8, substr(next, 25, 32)::uuid)
      order by t.changed_in, t.id limit 1;
      if found then found_rows := max_rows + 1; end if;
    end if;
    if found_rows <= max_rows then
      perform from app.kudos as t
      where t.company_id = company and t.changed_in >= pg_snapshot_xmax(pg_current_snapshot())
        and t.changed_in is distinct from pg_current_xact_id_if_assigned()
      order by t.changed_in, t.id limit 1;
      are_foreign := found;
    end if;
  elsif list = 'categories' then
    if after_transaction > '0' then
      perform from app.deletions as d
      where d.company_id = company and d.relation = 'app.categories'::regclass
        and (d.deleted_in, d.id) > (deletions_after, deletions_after_id) and d.deleted_in < horizon
      order by d.deleted_in, d.id limit 1;
      has_deletions := found;
    end if;
    if not has_deletions then
      select count(*), json_agg(item), max(item.cursor collate "C") into found_rows, page, next from (
        select
          v.id,
          v.name, v.created_at,
          origin || encode(xid8send(changed_in) || uuid_send(id), 'hex')
            || case when changed_in < began then began_digits else '' end as cursor,
          false as deleted
        from api.categories as v
        where v.company_id = company and (v.changed_in, v.id) > (after_transaction, after_id) and v.changed_in < horizon
        order by v.changed_in, v.id limit max_rows
      ) as item;
    else
      select
        count(*), json_agg(item) filter (where place <= max_rows), string_agg(item_cursor, '') filter (where place = max_rows)
      into found_rows, page, next
      from (
        select item, item.cursor as item_cursor, row_number() over () as place from (
          select
            id,
            name, created_at,
            origin || encode(xid8send(changed_in) || uuid_send(id), 'hex')
              || case when changed_in < began then began_digits else '' end as cursor,
            deleted
          from (
            (
              select
                v.changed_in, v.id,
                v.name, v.created_at,
                false as deleted
              from api.categories as v
              where v.company_id = company and (v.changed_in, v.id) > (after_transaction, after_id) and v.changed_in < horizon
              order by v.changed_in, v.id limit max_rows + 1
            )
            union all
            (
              select d.deleted_in, d.id, there.*, there is null as deleted
              from (
                select d.deleted_in, d.id from app.deletions as d
                where d.company_id = company and d.relation = 'app.categories'::regclass
                  and (d.deleted_in, d.id) > (deletions_after, deletions_after_id) and d.deleted_in < horizon
                order by d.deleted_in, d.id limit 2 * (max_rows + 1)
              ) as d
              left join lateral (
                select
                  v.name, v.created_at
                from api.categories as v where v.company_id = company and v.id = d.id offset 0
              ) as there on true
              where d.id not in (
                select t.id from app.categories as t
                where t.company_id = company
                  and (t.changed_in, t.id) > (after_transaction, after_id) and t.changed_in < horizon
                order by t.changed_in, t.id limit max_rows + 1
              )
              order by d.deleted_in, d.id
            )
            order by changed_in, id limit max_rows + 1
          ) as change
          order by changed_in, id
        ) as item
      ) as numbered;
    end if;
    if found_rows = max_rows and not has_deletions then
      perform from app.categories as t
      where t.company_id = company and t.changed_in < horizon
        and (t.changed_in, t.id) > (('x' || substr(next, 9, 16))::bit(64)::bigint::text::xid8, substr(next, 25, 32)::uuid)
      order by t.changed_in, t.id limit 1;
      if found then found_rows := max_rows + 1; end if;
    end if;
    if found_rows <= max_rows then
      perform from app.categories as t
      where t.company_id = company and t.changed_in >= pg_snapshot_xmax(pg_current_snapshot())
        and t.changed_in is distinct from pg_current_xact_id_if_assigned()
      order by t.changed_in, t.id limit 1;
      are_foreign := found;
    end if;
  elsif list = 'rewards' then
    if after_transaction > '0' then
      perform from app.deletions as d
      where d.company_id = company and d.relation = 'app.rewards'::regclass
        and (d.deleted_in, d.id) > (deletions_after, deletions_after_id) and d.deleted_in < horizon
      order by d.deleted_in, d.id limit 1;
      has_deletions := found;
    end if;
    if include is null then
      if not has_deletions then
        select count(*), json_agg(item), max(item.cursor collate "C") into found_rows, page, next from (
          select
            v.id,
            v.name, v.description, v.points_cost, v.reward_type, v.stock_count, v.image_url, v.vendor_name, v.is_archived,
            v.created_at,
            origin || encode(xid8send(changed_in) || uuid_send(id), 'hex')
              || case when changed_in < began then began_digits else '' end as cursor,
            false as deleted
          from api.rewards as v
          where v.company_id = company and (v.changed_in, v.id) > (after_transaction, after_id) and v.changed_in < horizon
          order by v.changed_in, v.id limit max_rows
        ) as item;
      else
        select
          count(*), json_agg(item) filter (where place <= max_rows), string_agg(item_cursor, '') filter (where place = max_rows)
        into found_rows, page, next
        from (
          select item, item.cursor as item_cursor, row_number() over () as place from (
            select
              id,
              name, description, points_cost, reward_type, stock_count, image_url, vendor_name, is_archived, created_at,
              origin || encode(xid8send(changed_in) || uuid_send(id), 'hex')
                || case when changed_in < began then began_digits else '' end as cursor,
              deleted
            from (
              (
                select
                  v.changed_in, v.id,
                  v.name, v.description, v.points_cost, v.reward_type, v.stock_count, v.image_url, v.vendor_name, v.is_archived,
                  v.created_at,
                  false as deleted
                from api.rewards as v
                where v.company_id = company and (v.changed_in, v.id) > (after_transaction, after_id) and v.changed_in < horizon
                order by v.changed_in, v.id limit max_rows + 1
              )
              union all
              (
                select d.deleted_in, d.id, there.*, there is null as deleted
                from (
                  select d.deleted_in, d.id from app.deletions as d
                  where d.company_id = company and d.relation = 'app.rewards'::regclass
                    and (d.deleted_in, d.id) > (deletions_after, deletions_after_id) and d.deleted_in < horizon
                  order by d.deleted_in, d.id limit 2 * (max_rows + 1)
                ) as d
                left join lateral (
                  select
                    v.name, v.description, v.points_cost, v.reward_type, v.stock_count, v.image_url, v.vendor_name, v.is_archived,
                    v.created_at
                  from api.rewards as v where v.company_id = company and v.id = d.id offset 0
                ) as there on true
                where d.id not in (
                  select t.id from app.rewards as t
                  where t.company_id = company
                    and (t.changed_in, t.id) > (after_transaction, after_id) and t.changed_in < horizon
                  order by t.changed_in, t.id limit max_rows + 1
                )
                order by d.deleted_in, d.id
              )
              order by changed_in, id limit max_rows + 1
            ) as change
            order by changed_in, id
          ) as item
        ) as numbered;
      end if;
    else
      if not has_deletions then
        select count(*), json_agg(item), max(item.cursor collate "C") into found_rows, page, next from (
          select
            v.id,
            v.name, v.description, v.points_cost, v.reward_type, v.stock_count, v.image_url, v.vendor_name, v.is_archived,
            v.created_at, v.external_id,
            origin || encode(xid8send(changed_in) || uuid_send(id), 'hex')
              || case when changed_in < began then began_digits else '' end as cursor,
            false as deleted
          from api.rewards as v
          where v.company_id = company and (v.changed_in, v.id) > (after_transaction, after_id) and v.changed_in < horizon
          order by v.changed_in, v.id limit max_rows
        ) as item;
      else
        select
          count(*), json_agg(item) filter (where place <= max_rows), string_agg(item_cursor, '') filter (where place = max_rows)
        into found_rows, page, next
        from (
          select item, item.cursor as item_cursor, row_number() over () as place from (
            select
              id,
              name, description, points_cost, reward_type, stock_count, image_url, vendor_name, is_archived, created_at,
              external_id,
              origin || encode(xid8send(changed_in) || uuid_send(id), 'hex')
                || case when changed_in < began then began_digits else '' end as cursor,
              deleted
            from (
              (
                select
                  v.changed_in, v.id,
                  v.name, v.description, v.points_cost, v.reward_type, v.stock_count, v.image_url, v.vendor_name, v.is_archived,
                  v.created_at, v.external_id,
                  false as deleted
                from api.rewards as v
                where v.company_id = company and (v.changed_in, v.id) > (after_transaction, after_id) and v.changed_in < horizon
                order by v.changed_in, v.id limit max_rows + 1
              )
              union all
              (
                select d.deleted_in, d.id, there.*, there is null as deleted
                from (
                  select d.deleted_in, d.id from app.deletions as d
                  where d.company_id = company and d.relation = 'app.rewards'::regclass
                    and (d.deleted_in, d.id) > (deletions_after, deletions_after_id) and d.deleted_in < horizon
                  order by d.deleted_in, d.id limit 2 * (max_rows + 1)
                ) as d
                left join lateral (
                  select
                    v.name, v.description, v.points_cost, v.reward_type, v.stock_count, v.image_url, v.vendor_name, v.is_archived,
                    v.created_at, v.external_id
                  from api.rewards as v where v.company_id = company and v.id = d.id offset 0
                ) as there on true
                where d.id not in (
                  select t.id from app.rewards as t
                  where t.company_id = company
                    and (t.changed_in, t.id) > (after_transaction, after_id) and t.changed_in < horizon
                  order by t.changed_in, t.id limit max_rows + 1
                )
                order by d.deleted_in, d.id
              )
              order by changed_in, id limit max_rows + 1
            ) as change
            order by changed_in, id
          ) as item
        ) as numbered;
      end if;
    end if;
    if found_rows = max_rows and not has_deletions then
      perform from app.rewards as t
      where t.company_id = company and t.changed_in < horizon
        and (t.changed_in, t.id) > (('x' || substr(next, 9, 16))::bit(64)::bigint::text::xid8, substr(next, 25, 32)::uuid)
      order by t.changed_in, t.id limit 1;
      if found then found_rows := max_rows + 1; end if;
    end if;
    if found_rows <= max_rows then
      perform from app.rewards as t
      where t.company_id = company and t.changed_in >= pg_snapshot_xmax(pg_current_snapshot())
        and t.changed_in is distinct from pg_current_xact_id_if_assigned()
      order by t.changed_in, t.id limit 1;
      are_foreign := found;
    end if;
  elsif list = 'day-ratings' then
    if after_transaction > '0' then
      perform from app.deletions as d
      where d.company_id = company and d.relation = 'app.day_ratings'::regclass
        and (d.deleted_in, d.id) > (deletions_after, deletions_after_id) and d.deleted_in < horizon
      order by d.deleted_in, d.id limit 1;
      has_deletions := found;
    end if;
    if include is null then
      if not has_deletions then
        select count(*), json_agg(item), max(item.cursor collate "C") into found_rows, page, next from (
          select
            v.id,
            v.rating, v.comment, v.team_id, v.points_awarded, v.created_at,
            origin || encode(xid8send(changed_in) || uuid_send(id), 'hex')
              || case when changed_in < began then began_digits else '' end as cursor,
            false as deleted
          from api.day_ratings as v
          where v.company_id = company and (v.changed_in, v.id) > (after_transaction, after_id) and v.changed_in < horizon
          order by v.changed_in, v.id limit max_rows
        ) as item;
      else
        select
          count(*), json_agg(item) filter (where place <= max_rows), string_agg(item_cursor, '') filter (where place = max_rows)
        into found_rows, page, next
        from (
          select item, item.cursor as item_cursor, row_number() over () as place from (
            select
              id,
              rating, comment, team_id, points_awarded, created_at,
              origin || encode(xid8send(changed_in) || uuid_send(id), 'hex')
                || case when changed_in < began then began_digits else '' end as cursor,
              deleted
            from (
              (
                select
                  v.changed_in, v.id,
                  v.rating, v.comment, v.team_id, v.points_awarded, v.created_at,
                  false as deleted
                from api.day_ratings as v
                where v.company_id = company and (v.changed_in, v.id) > (after_transaction, after_id) and v.changed_in < horizon
                order by v.changed_in, v.id limit max_rows + 1
              )
              union all
              (
                select d.deleted_in, d.id, there.*, there is null as deleted
                from (
                  select d.deleted_in, d.id from app.deletions as d
                  where d.company_id = company and d.relation = 'app.day_ratings'::regclass
                    and (d.deleted_in, d.id) > (deletions_after, deletions_after_id) and d.deleted_in < horizon
                  order by d.deleted_in, d.id limit 2 * (max_rows + 1)
                ) as d
                left join lateral (
                  select
                    v.rating, v.comment, v.team_id, v.points_awarded, v.created_at
                  from api.day_ratings as v where v.company_id = company and v.id = d.id offset 0
                ) as there on true
                where d.id not in (
                  select t.id from app.day_ratings as t
                  where t.company_id = company
                    and (t.changed_in, t.id) > (after_transaction, after_id) and t.changed_in < horizon
                  order by t.changed_in, t.id limit max_rows + 1
                )
                order by d.deleted_in, d.id
              )
              order by changed_in, id limit max_rows + 1
            ) as change
            order by changed_in, id
          ) as item
        ) as numbered;
      end if;
    else
      if not has_deletions then
        select count(*), json_agg(item), max(item.cursor collate "C") into found_rows, page, next from (
          select
            v.id,
            v.rating, v.comment, v.team_id, v.points_awarded, v.created_at, v.team_name,
            origin || encode(xid8send(changed_in) || uuid_send(id), 'hex')
              || case when changed_in < began then began_digits else '' end as cursor,
            false as deleted
          from api.day_ratings as v
          where v.company_id = company and (v.changed_in, v.id) > (after_transaction, after_id) and v.changed_in < horizon
          order by v.changed_in, v.id limit max_rows
        ) as item;
      else
        select
          count(*), json_agg(item) filter (where place <= max_rows), string_agg(item_cursor, '') filter (where place = max_rows)
        into found_rows, page, next
        from (
          select item, item.cursor as item_cursor, row_number() over () as place from (
            select
              id,
              rating, comment, team_id, points_awarded, created_at, team_name,
              origin || encode(xid8send(changed_in) || uuid_send(id), 'hex')
                || case when changed_in < began then began_digits else '' end as cursor,
              deleted
            from (
              (
                select
                  v.changed_in, v.id,
                  v.rating, v.comment, v.team_id, v.points_awarded, v.created_at, v.team_name,
                  false as deleted
                from api.day_ratings as v
                where v.company_id = company and (v.changed_in, v.id) > (after_transaction, after_id) and v.changed_in < horizon
                order by v.changed_in, v.id limit max_rows + 1
              )
              union all
              (
                select d.deleted_in, d.id, there.*, there is null as deleted
                from (
                  select d.deleted_in, d.id from app.deletions as d
                  where d.company_id = company and d.relation = 'app.day_ratings'::regclass
                    and (d.deleted_in, d.id) > (deletions_after, deletions_after_id) and d.deleted_in < horizon
                  order by d.deleted_in, d.id limit 2 * (max_rows + 1)
                ) as d
                left join lateral (
                  select
                    v.rating, v.comment, v.team_id, v.points_awarded, v.created_at, v.team_name
                  from api.day_ratings as v where v.company_id = company and v.id = d.id offset 0
                ) as there on true
                where d.id not in (
                  select t.id from app.day_ratings as t
                  where t.company_id = company
                    and (t.changed_in, t.id) > (after_transaction, after_id) and t.changed_in < horizon
                  order by t.changed_in, t.id limit max_rows + 1
                )
                order by d.deleted_in, d.id
              )
              order by changed_in, id limit max_rows + 1
            ) as change
            order by changed_in, id
          ) as item
        ) as numbered;
      end if;
    end if;
    if found_rows = max_rows and not has_deletions then
      perform from app.day_ratings as t
      where t.company_id = company and t.changed_in < horizon
        and (t.changed_in, t.id) > (('x' || substr(next, 9, 16))::bit(64)::bigint::text::xid8, substr(next, 25, 32)::uuid)
      order by t.changed_in, t.id limit 1;
      if found then found_rows := max_rows + 1; end if;
    end if;
    if found_rows <= max_rows then
      perform from app.day_ratings as t
      where t.company_id = company and t.changed_in >= pg_snapshot_xmax(pg_current_snapshot())
        and t.changed_in is distinct from pg_current_xact_id_if_assigned()
      order by t.changed_in, t.id limit 1;
      are_foreign := found;
    end if;
  elsif list = 'pulse-responses' then
    if after_transaction > '0' then
      perform from app.deletions as d
      where d.company_id = company and d.relation = 'app.pulse_responses'::regclass
        and (d.deleted_in, d.id) > (deletions_after, deletions_after_id) and d.deleted_in < horizon
      order by d.deleted_in, d.id limit 1;
      has_deletions := found;
    end if;
    if include is null then
      if not has_deletions then
        select count(*), json_agg(item), max(item.cursor collate "C") into found_rows, page, next from (
          select
            v.id,
            v."timestamp", v.question, v.response_type, v.value, v.comment,
            origin || encode(xid8send(changed_in) || uuid_send(id), 'hex')
              || case when changed_in < began then began_digits else '' end as cursor,
            false as deleted
          from api.pulse_responses as v
          where v.company_id = company and (v.changed_in, v.id) > (after_transaction, after_id) and v.changed_in < horizon
          order by v.changed_in, v.id limit max_rows
        ) as item;
      else
        select
          count(*), json_agg(item) filter (where place <= max_rows), string_agg(item_cursor, '') filter (where place = max_rows)
        into found_rows, page, next
        from (
          select item, item.cursor as item_cursor, row_number() over () as place from (
            select
              id,
              "timestamp", question, response_type, value, comment,
              origin || encode(xid8send(changed_in) || uuid_send(id), 'hex')
                || case when changed_in < began then began_digits else '' end as cursor,
              deleted
            from (
              (
                select
                  v.changed_in, v.id,
                  v."timestamp", v.question, v.response_type, v.value, v.comment,
                  false as deleted
                from api.pulse_responses as v
                where v.company_id = company and (v.changed_in, v.id) > (after_transaction, after_id) and v.changed_in < horizon
                order by v.changed_in, v.id limit max_rows + 1
              )
              union all
              (
                select d.deleted_in, d.id, there.*, there is null as deleted
                from (
                  select d.deleted_in, d.id from app.deletions as d
                  where d.company_id = company and d.relation = 'app.pulse_responses'::regclass
                    and (d.deleted_in, d.id) > (deletions_after, deletions_after_id) and d.deleted_in < horizon
                  order by d.deleted_in, d.id limit 2 * (max_rows + 1)
                ) as d
                left join lateral (
                  select
                    v."timestamp", v.question, v.response_type, v.value, v.comment
                  from api.pulse_responses as v where v.company_id = company and v.id = d.id offset 0
                ) as there on true
                where d.id not in (
                  select t.id from app.pulse_responses as t
                  where t.company_id = company
                    and (t.changed_in, t.id) > (after_transaction, after_id) and t.changed_in < horizon
                  order by t.changed_in, t.id limit max_rows + 1
                )
                order by d.deleted_in, d.id
              )
              order by changed_in, id limit max_rows + 1
            ) as change
            order by changed_in, id
          ) as item
        ) as numbered;
      end if;
    else
      if not has_deletions then
        select count(*), json_agg(item), max(item.cursor collate "C") into found_rows, page, next from (
          select
            v.id,
            v."timestamp", v.question, v.response_type, v.value, v.comment, v.question_id,
            origin || encode(xid8send(changed_in) || uuid_send(id), 'hex')
              || case when changed_in < began then began_digits else '' end as cursor,
            false as deleted
          from api.pulse_responses as v
          where v.company_id = company and (v.changed_in, v.id) > (after_transaction, after_id) and v.changed_in < horizon
          order by v.changed_in, v.id limit max_rows
        ) as item;
      else
        select
          count(*), json_agg(item) filter (where place <= max_rows), string_agg(item_cursor, '') filter (where place = max_rows)
        into found_rows, page, next
        from (
          select item, item.cursor as item_cursor, row_number() over () as place from (
            select
              id,
              "timestamp", question, response_type, value, comment, question_id,
              origin || encode(xid8send(changed_in) || uuid_send(id), 'hex')
                || case when changed_in < began then began_digits else '' end as cursor,
              deleted
            from (
              (
                select
                  v.changed_in, v.id,
                  v."timestamp", v.question, v.response_type, v.value, v.comment, v.question_id,
                  false as deleted
                from api.pulse_responses as v
                where v.company_id = company and (v.changed_in, v.id) > (after_transaction, after_id) and v.changed_in < horizon
                order by v.changed_in, v.id limit max_rows + 1
              )
              union all
              (
                select d.deleted_in, d.id, there.*, there is null as deleted
                from (
                  select d.deleted_in, d.id from app.deletions as d
                  where d.company_id = company and d.relation = 'app.pulse_responses'::regclass
                    and (d.deleted_in, d.id) > (deletions_after, deletions_after_id) and d.deleted_in < horizon
                  order by d.deleted_in, d.id limit 2 * (max_rows + 1)
                ) as d
                left join lateral (
                  select
                    v."timestamp", v.question, v.response_type, v.value, v.comment, v.question_id
                  from api.pulse_responses as v where v.company_id = company and v.id = d.id offset 0
                ) as there on true
                where d.id not in (
                  select t.id from app.pulse_responses as t
                  where t.company_id = company
                    and (t.changed_in, t.id) > (after_transaction, after_id) and t.changed_in < horizon
                  order by t.changed_in, t.id limit max_rows + 1
                )
                order by d.deleted_in, d.id
              )
              order by changed_in, id limit max_rows + 1
            ) as change
            order by changed_in, id
          ) as item
        ) as numbered;
      end if;
    end if;
    if found_rows = max_rows and not has_deletions then
      perform from app.pulse_responses as t
      where t.company_id = company and t.changed_in < horizon
        and (t.changed_in, t.id) > (('x' || substr(next, 9, 16))::bit(64)::bigint::text::xid8, substr(next, 25, 32)::uuid)
      order by t.changed_in, t.id limit 1;
      if found then found_rows := max_rows + 1; end if;
    end if;
    if found_rows <= max_rows then
      perform from app.pulse_responses as t
      where t.company_id = company and t.changed_in >= pg_snapshot_xmax(pg_current_snapshot())
        and t.changed_in is distinct from pg_current_xact_id_if_assigned()
      order by t.changed_in, t.id limit 1;
      are_foreign := found;
    end if;
  end if;
end
$$;

grant execute on function app.changing_list, app.page_of_changes to public_api;
comment on function app.changing_list is 'The scope and the table of a list, such as day-ratings.';
comment on function app.page_of_changes is 'A page of the changes of a list, with the columns that include names.';
