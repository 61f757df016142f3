set lock_timeout = '5s';
set statement_timeout = '60s';

SET local check_function_bodies = off;

CREATE OR REPLACE FUNCTION app.authenticate (
  key_hash       text,
  required_scope text
)
  RETURNS app.verified_key
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET jit TO 'off'
  AS $function$
declare
  verified app.verified_key;
  last_use timestamptz;
  serving text;
  slot integer := 1;
  bound_to text;
begin
  select k.company_id, k.id, k.name, k.scopes, k.expires_at,
    (select u.last_used_at from app.api_key_uses as u where u.company_id = k.company_id and u.key_id = k.id),
    (select c.serving from app.companies as c where c.id = k.company_id)
  into verified.company_id, verified.key_id, verified.key_name, verified.scopes, verified.expires_at, last_use, serving
  from app.api_keys as k
  where k.key_hash = decode(authenticate.key_hash, 'hex')
    and k.revoked_at is null
    and (k.expires_at is null or k.expires_at > now());

  if not found or serving = 'closed' then
    raise exception using errcode = 'PT401', message = 'Unauthorized: Invalid or missing API Key';
  end if;

  -- A company that has moved to another project can only be read here.
  if serving = 'readable' then
    verified.scopes := array(select scope from unnest(verified.scopes) with ordinality as s (scope, place) where scope not like 'write:%' order by place);
  end if;

  if required_scope <> all (verified.scopes) then
    raise exception using
      errcode = 'PT403',
      message = format('Forbidden: this key is missing the "%s" scope', required_scope),
      detail = json_build_object('key_id', verified.key_id, 'company_id', verified.company_id);
  end if;

  if serving = 'moving' and required_scope like 'write:%' then
    raise exception using
      errcode = 'PT429',
      message = 'the company is moving to another project',
      detail = json_build_object('key_id', verified.key_id, 'company_id', verified.company_id);
  end if;

  -- Takes one of the company's slots until the end of the transaction, unless the transaction has one already. An advisory lock writes
  -- nothing, and is released however the transaction or the server ends. Its 64 bits are a hash of the company's id, seeded with the slot
  -- and a constant of this service, so that it differs from the locks of other companies and of other software.
  if current_setting('app.company_id', true) is distinct from verified.company_id::text then
    while not pg_try_advisory_xact_lock(uuid_hash_extended(verified.company_id, 7330216700000000 + slot)) loop
      slot := slot + 1;
      if slot > app.requests_at_once() then
        raise exception using
          errcode = 'PT429',
          message = 'Too Many Requests',
          detail = json_build_object(
            'key_id', verified.key_id, 'company_id', verified.company_id, 'requests_at_once', app.requests_at_once()
          );
      end if;
    end loop;
  end if;

  -- At most once a minute, and only in the project that the company is in. A time in the future, from a wrong clock, does
  -- not count: this use corrects it.
  if serving = 'open' and (last_use > now() - interval '1 minute' and last_use < now() + interval '1 minute') is not true then
    perform app.note_use(verified.company_id, verified.key_id);
  end if;

  -- Assigned and not performed, which would run it as a query.
  bound_to := set_config('app.company_id', verified.company_id::text, true);
  return verified;
end
$function$;

CREATE OR REPLACE FUNCTION public.list_activity (
  key_hash       text,
  max_rows       integer,
  since          timestamp with time zone DEFAULT '-infinity'::timestamp WITH time zone,
  until          timestamp with time zone DEFAULT 'infinity'::timestamp WITH time zone,
  category_id    uuid                     DEFAULT NULL::uuid,
  sender_id      uuid                     DEFAULT NULL::uuid,
  receiver_id    uuid                     DEFAULT NULL::uuid,
  starting_after uuid                     DEFAULT NULL::uuid,
  include        text[]                   DEFAULT NULL::text[]
)
  RETURNS json
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET plan_cache_mode TO 'force_generic_plan'
  SET enable_seqscan TO 'off'
  SET enable_sort TO 'off'
  SET jit TO 'off'
  SET lock_timeout TO '5s'
  SET statement_timeout TO '7s'
  AS $function$
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
    row_security_active('app.kudos'::regclass) and row_security_active('app.members'::regclass)
    and row_security_active('app.category_names'::regclass) and row_security_active('app.companies'::regclass)
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
        select item.id, case when include is null then item else item_with_ids end as item
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
        where k.company_id = api_key.company_id
          and k.instant >= since and (k.instant, k.id) < (below_instant, below_id)
        order by k.instant desc, k.id desc
        limit max_rows + 1
      ) as ordered
    ) as numbered;
  elsif lead_by = 'sender' then
    select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
      select id, item, row_number() over () as place from (
        select item.id, case when include is null then item else item_with_ids end as item
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
        select item.id, case when include is null then item else item_with_ids end as item
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
        select item.id, case when include is null then item else item_with_ids end as item
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
        where k.company_id = api_key.company_id and k.category_id = list_activity.category_id
          and k.instant >= since and (k.instant, k.id) < (below_instant, below_id)
          and (list_activity.sender_id is null or k.sender_id = list_activity.sender_id)
          and (list_activity.receiver_id is null or k.receiver_id = list_activity.receiver_id)
        order by k.instant desc, k.id desc
        limit max_rows + 1
      ) as ordered
    ) as numbered;
  end if;

  -- Columns of item_with_ids that include does not name are null in every row, and are removed from the text of the page. This text is
  -- never within a value, because quotes are escaped there.
  if cardinality(include) < 3 then
    page := replace(replace(replace(page::text,
      case when 'sender_id' = any (include) then '' else ',"sender_id":null' end, ''),
      case when 'receiver_id' = any (include) then '' else ',"receiver_id":null' end, ''),
      case when 'category_id' = any (include) then '' else ',"category_id":null' end, '');
  end if;

  found_rows := coalesce(cardinality(ids), 0);
  headers := set_config(
    'response.headers',
    format(app.list_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text, ids[max_rows]),
    true
  );
  return coalesce(page, '[]');
end
$function$;

CREATE OR REPLACE FUNCTION public.list_categories (
  key_hash       text,
  max_rows       integer,
  starting_after uuid    DEFAULT NULL::uuid
)
  RETURNS json
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET plan_cache_mode TO 'force_generic_plan'
  SET enable_seqscan TO 'off'
  SET enable_sort TO 'off'
  SET jit TO 'off'
  SET lock_timeout TO '5s'
  SET statement_timeout TO '7s'
  AS $function$
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
    row_security_active('app.categories'::regclass) and row_security_active('app.category_names'::regclass)
    and row_security_active('app.companies'::regclass)
  ) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:activity');

  if starting_after is not null then
    select c.instant, c.id into below_instant, below_id from api.categories as c where c.company_id = api_key.company_id and c.id = starting_after;
    if not found then
      perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
    end if;
  end if;

  select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
    select item.id, item, row_number() over () as place from (
      select c.id, coalesce((select app.category_names_by_id(api_key.company_id)) ->> c.id::text, '') as name, c.created_at
      from api.categories as c
      where c.company_id = api_key.company_id
        and (c.instant, c.id) < (below_instant, below_id)
      order by c.instant desc, c.id desc
      limit max_rows + 1
    ) as item
  ) as numbered;

  found_rows := coalesce(cardinality(ids), 0);
  headers := set_config(
    'response.headers',
    format(app.list_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text, ids[max_rows]),
    true
  );
  return coalesce(page, '[]');
end
$function$;

CREATE OR REPLACE FUNCTION public.list_day_ratings (
  key_hash       text,
  max_rows       integer,
  since          timestamp with time zone DEFAULT '-infinity'::timestamp WITH time zone,
  until          timestamp with time zone DEFAULT 'infinity'::timestamp WITH time zone,
  team_id        uuid                     DEFAULT NULL::uuid,
  starting_after uuid                     DEFAULT NULL::uuid,
  include        text[]                   DEFAULT NULL::text[]
)
  RETURNS json
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET plan_cache_mode TO 'force_generic_plan'
  SET enable_seqscan TO 'off'
  SET enable_sort TO 'off'
  SET jit TO 'off'
  SET lock_timeout TO '5s'
  SET statement_timeout TO '7s'
  AS $function$
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
  if not (row_security_active('app.day_ratings'::regclass) and row_security_active('app.teams'::regclass)) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:analytics');

  if starting_after is not null then
    select d.created_at into after_instant from app.day_ratings as d where d.company_id = api_key.company_id and d.id = starting_after;
    if not found then
      perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
    end if;
    if (after_instant, starting_after) < (below_instant, below_id) then
      below_instant := after_instant;
      below_id := starting_after;
    end if;
  end if;

  -- The name of the team has statements of its own: only preparing to look it up takes a fifteenth of a page of 20 rows.
  if include is null and team_id is null then
    select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
      select item.id, item, row_number() over () as place from (
        select d.id, d.rating, d.comment, d.team_id, d.points_awarded, d.created_at
        from api.day_ratings as d
        where d.company_id = api_key.company_id
          and d.instant >= since and (d.instant, d.id) < (below_instant, below_id)
        order by d.instant desc, d.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  elsif include is null then
    select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
      select item.id, item, row_number() over () as place from (
        select d.id, d.rating, d.comment, d.team_id, d.points_awarded, d.created_at
        from api.day_ratings as d
        where d.company_id = api_key.company_id and d.team_id = list_day_ratings.team_id
          and d.instant >= since and (d.instant, d.id) < (below_instant, below_id)
        order by d.instant desc, d.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  elsif team_id is null then
    select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
      select item.id, item, row_number() over () as place from (
        select d.id, d.rating, d.comment, d.team_id, d.points_awarded, d.created_at, team.name as team_name
        from api.day_ratings as d
        left join lateral (
          select t.name from app.teams as t where t.company_id = d.company_id and t.id = d.team_id offset 0
        ) as team on true
        where d.company_id = api_key.company_id
          and d.instant >= since and (d.instant, d.id) < (below_instant, below_id)
        order by d.instant desc, d.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  else
    select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
      select item.id, item, row_number() over () as place from (
        select d.id, d.rating, d.comment, d.team_id, d.points_awarded, d.created_at, team.name as team_name
        from api.day_ratings as d
        left join lateral (
          select t.name from app.teams as t where t.company_id = d.company_id and t.id = d.team_id offset 0
        ) as team on true
        where d.company_id = api_key.company_id and d.team_id = list_day_ratings.team_id
          and d.instant >= since and (d.instant, d.id) < (below_instant, below_id)
        order by d.instant desc, d.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  end if;

  found_rows := coalesce(cardinality(ids), 0);
  headers := set_config(
    'response.headers',
    format(app.list_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text, ids[max_rows]),
    true
  );
  return coalesce(page, '[]');
end
$function$;

CREATE OR REPLACE FUNCTION public.list_members (
  key_hash       text,
  max_rows       integer,
  team_id        uuid    DEFAULT NULL::uuid,
  role           text    DEFAULT NULL::text,
  starting_after uuid    DEFAULT NULL::uuid
)
  RETURNS json
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET plan_cache_mode TO 'force_generic_plan'
  SET enable_seqscan TO 'off'
  SET enable_sort TO 'off'
  SET jit TO 'off'
  SET lock_timeout TO '5s'
  SET statement_timeout TO '7s'
  AS $function$
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
  if not (row_security_active('app.members'::regclass) and row_security_active('app.teams'::regclass)) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:members');

  if starting_after is not null then
    select m.instant, m.id into below_instant, below_id from api.members as m where m.company_id = api_key.company_id and m.id = starting_after;
    if not found then
      perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
    end if;
  end if;

  if num_nonnulls(team_id, role) > 0 then
    lead_by := app.rarest_members_filter(api_key.company_id, team_id, role);
  end if;

  if lead_by is null then
    select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
      select item.id, item, row_number() over () as place from (
        select m.id, m.name, m.email, m.role, m.team_id, m.team_name, m.created_at
        from api.members as m
        where m.company_id = api_key.company_id
          and (m.instant, m.id) < (below_instant, below_id)
        order by m.instant desc, m.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  elsif lead_by = 'team' then
    select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
      select item.id, item, row_number() over () as place from (
        select m.id, m.name, m.email, m.role, m.team_id, m.team_name, m.created_at
        from api.members as m
        where m.company_id = api_key.company_id and m.team_id = list_members.team_id
          and (m.instant, m.id) < (below_instant, below_id)
          and (list_members.role is null or m.role = list_members.role)
        order by m.instant desc, m.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  else
    select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
      select item.id, item, row_number() over () as place from (
        select m.id, m.name, m.email, m.role, m.team_id, m.team_name, m.created_at
        from api.members as m
        where m.company_id = api_key.company_id and m.role = list_members.role
          and (m.instant, m.id) < (below_instant, below_id)
          and (list_members.team_id is null or m.team_id = list_members.team_id)
        order by m.instant desc, m.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  end if;

  found_rows := coalesce(cardinality(ids), 0);
  headers := set_config(
    'response.headers',
    format(app.list_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text, ids[max_rows]),
    true
  );
  return coalesce(page, '[]');
end
$function$;

CREATE OR REPLACE FUNCTION public.list_pulse_responses (
  key_hash       text,
  max_rows       integer,
  since          timestamp with time zone DEFAULT '-infinity'::timestamp WITH time zone,
  until          timestamp with time zone DEFAULT 'infinity'::timestamp WITH time zone,
  starting_after uuid                     DEFAULT NULL::uuid,
  include        text[]                   DEFAULT NULL::text[]
)
  RETURNS json
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET plan_cache_mode TO 'force_generic_plan'
  SET enable_seqscan TO 'off'
  SET enable_sort TO 'off'
  SET jit TO 'off'
  SET lock_timeout TO '5s'
  SET statement_timeout TO '7s'
  AS $function$
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
  if not (row_security_active('app.pulse_responses'::regclass) and row_security_active('app.pulse_questions'::regclass)) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:analytics');

  if starting_after is not null then
    select p.created_at into after_instant from app.pulse_responses as p where p.company_id = api_key.company_id and p.id = starting_after;
    if not found then
      perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
    end if;
    if (after_instant, starting_after) < (below_instant, below_id) then
      below_instant := after_instant;
      below_id := starting_after;
    end if;
  end if;

  select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
    select id, item, row_number() over () as place from (
      select item.id, case when include is null then item else item_with_question_id end as item
      from api.pulse_responses as p
      cross join lateral (select p.id, p."timestamp", p.question, p.response_type, p.value, p.comment) as item
      cross join lateral (select item.*, p.question_id) as item_with_question_id
      where p.company_id = api_key.company_id
        and p.instant >= since and (p.instant, p.id) < (below_instant, below_id)
      order by p.instant desc, p.id desc
      limit max_rows + 1
    ) as ordered
  ) as numbered;

  found_rows := coalesce(cardinality(ids), 0);
  headers := set_config(
    'response.headers',
    format(app.list_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text, ids[max_rows]),
    true
  );
  return coalesce(page, '[]');
end
$function$;

CREATE OR REPLACE FUNCTION public.list_rewards (
  key_hash         text,
  max_rows         integer,
  include_archived boolean DEFAULT false,
  starting_after   uuid    DEFAULT NULL::uuid,
  include          text[]  DEFAULT NULL::text[]
)
  RETURNS json
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET plan_cache_mode TO 'force_generic_plan'
  SET enable_seqscan TO 'off'
  SET enable_sort TO 'off'
  SET jit TO 'off'
  SET lock_timeout TO '5s'
  SET statement_timeout TO '7s'
  AS $function$
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
  if not row_security_active('app.rewards'::regclass) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:rewards');

  if starting_after is not null then
    select r.instant, r.id into below_instant, below_id from api.rewards as r where r.company_id = api_key.company_id and r.id = starting_after;
    if not found then
      perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
    end if;
  end if;

  if include_archived is not true then
    select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
      select id, item, row_number() over () as place from (
        select item.id, case when include is null then item else item_with_external_id end as item
        from api.rewards as r
        cross join lateral (
          select r.id, r.name, r.description, r.points_cost, r.reward_type, r.stock_count, r.image_url, r.vendor_name, r.is_archived, r.created_at
        ) as item
        cross join lateral (select item.*, r.external_id) as item_with_external_id
        where r.company_id = api_key.company_id and not r.is_archived
          and (r.instant, r.id) < (below_instant, below_id)
        order by r.instant desc, r.id desc
        limit max_rows + 1
      ) as ordered
    ) as numbered;
  else
    select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
      select id, item, row_number() over () as place from (
        select item.id, case when include is null then item else item_with_external_id end as item
        from api.rewards as r
        cross join lateral (
          select r.id, r.name, r.description, r.points_cost, r.reward_type, r.stock_count, r.image_url, r.vendor_name, r.is_archived, r.created_at
        ) as item
        cross join lateral (select item.*, r.external_id) as item_with_external_id
        where r.company_id = api_key.company_id
          and (r.instant, r.id) < (below_instant, below_id)
        order by r.instant desc, r.id desc
        limit max_rows + 1
      ) as ordered
    ) as numbered;
  end if;

  found_rows := coalesce(cardinality(ids), 0);
  headers := set_config(
    'response.headers',
    format(app.list_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text, ids[max_rows]),
    true
  );
  return coalesce(page, '[]');
end
$function$;

CREATE OR REPLACE FUNCTION public.list_teams (
  key_hash       text,
  max_rows       integer,
  starting_after uuid    DEFAULT NULL::uuid
)
  RETURNS json
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET plan_cache_mode TO 'force_generic_plan'
  SET enable_seqscan TO 'off'
  SET enable_sort TO 'off'
  SET jit TO 'off'
  SET lock_timeout TO '5s'
  SET statement_timeout TO '7s'
  AS $function$
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
  if not row_security_active('app.teams'::regclass) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:members');

  if starting_after is not null then
    select t.instant, t.id into below_instant, below_id from api.teams as t where t.company_id = api_key.company_id and t.id = starting_after;
    if not found then
      perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
    end if;
  end if;

  select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
    select item.id, item, row_number() over () as place from (
      select t.id, t.name, t.created_at
      from api.teams as t
      where t.company_id = api_key.company_id
        and (t.instant, t.id) < (below_instant, below_id)
      order by t.instant desc, t.id desc
      limit max_rows + 1
    ) as item
  ) as numbered;

  found_rows := coalesce(cardinality(ids), 0);
  headers := set_config(
    'response.headers',
    format(app.list_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text, ids[max_rows]),
    true
  );
  return coalesce(page, '[]');
end
$function$;

ALTER TABLE app.day_ratings ALTER COLUMN company_id SET (n_distinct = 10);

-- The planner uses the new value only after this.
ANALYZE app.day_ratings;
