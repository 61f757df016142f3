set lock_timeout = '5s';
set statement_timeout = '60s';

SET local check_function_bodies = off;

DROP FUNCTION "app"."delete_accounts"(uuid, uuid, text);

DROP FUNCTION "app"."purge_some"(uuid, timestamp WITH time zone, text);

CREATE OR REPLACE FUNCTION app.delete_accounts (
  company_id uuid,
  member_ids uuid[]
)
  RETURNS bigint
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  deleted uuid[];
begin
  with gone as (
    delete from auth.users as u
    where u.id in (
        select a.user_id from app.member_accounts as a
        where a.company_id = delete_accounts.company_id and a.member_id = any (delete_accounts.member_ids)
      )
      or (
        lower(u.email) in (
          select lower(m.email) from app.members as m
          where m.company_id = delete_accounts.company_id and m.id = any (delete_accounts.member_ids)
        )
        and not exists (select from app.member_accounts as a where a.user_id = u.id)
        and not exists (
          select from app.members as m
          where lower(m.email) = lower(u.email)
            and not (m.company_id = delete_accounts.company_id and m.id = any (delete_accounts.member_ids))
        )
      )
    returning u.id
  )
  select coalesce(array_agg(gone.id), '{}') into deleted from gone;
  if cardinality(deleted) > 0 then
    delete from auth.audit_log_entries as entry
    where exists (select from unnest(deleted) as account (id) where strpos(entry.payload::text, account.id::text) > 0);
  end if;
  return cardinality(deleted);
end
$function$;

CREATE OR REPLACE FUNCTION app.delete_company (
  company_id uuid,
  OUT        members bigint,
  OUT        kudos bigint,
  OUT        keys bigint,
  OUT        accounts bigint
)
  RETURNS record
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  lock table staging.members in share mode;
  perform from app.companies as c where c.id = delete_company.company_id for update;
  if not found then
    raise exception 'company_id must be the id of a company, % is none', company_id using errcode = 'invalid_parameter_value';
  end if;
  select
    (select count(*) from app.members as m where m.company_id = delete_company.company_id and not m.is_former),
    (select count(*) from app.kudos as k where k.company_id = delete_company.company_id),
    (select count(*) from app.api_keys as k where k.company_id = delete_company.company_id)
  into members, kudos, keys;
  accounts := app.delete_accounts(
    company_id, array(select m.id from app.members as m where m.company_id = delete_company.company_id and not m.is_former)
  );
  delete from app.companies as c where c.id = delete_company.company_id;
  -- Their trigger lets go of the history of a company that is no more.
  delete from app.api_key_events as e where e.company_id = delete_company.company_id;
end
$function$;

CREATE OR REPLACE FUNCTION app.erase_member (
  company_id     uuid,
  member_id      uuid,
  blank_messages boolean,
  OUT            kudos bigint,
  OUT            keys bigint,
  OUT            events bigint,
  OUT            accounts bigint
)
  RETURNS record
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  former uuid;
  blanked boolean;
begin
  -- A load that is under way ends first, and the next one knows that this person is gone.
  lock table staging.members in share mode;
  perform app.require_open_company(company_id);
  if blank_messages is null then
    raise exception 'blank_messages must be true or false' using errcode = 'invalid_parameter_value';
  end if;

  perform from app.members as m
  where m.company_id = erase_member.company_id and m.id = erase_member.member_id and not m.is_former
  for update;
  if not found then
    select e.messages_blanked into blanked
    from app.erasures as e
    where e.company_id = erase_member.company_id and e.member_mark = app.erasure_mark(erase_member.company_id, erase_member.member_id);
    if not found then
      raise exception 'member_id must be the id of a member of the company' using errcode = 'invalid_parameter_value';
    elsif blank_messages and not blanked then
      raise exception 'this person was erased with their messages kept: nobody can tell any more which they are' using errcode = 'invalid_parameter_value';
    end if;
    select 0, 0, 0, 0 into kudos, keys, events, accounts;
    return;
  end if;

  former := app.former_member(company_id);
  insert into app.erasures (company_id, member_mark, messages_blanked)
  values (erase_member.company_id, app.erasure_mark(erase_member.company_id, erase_member.member_id), blank_messages);

  update app.kudos as k set
    sender_id = case when k.sender_id = erase_member.member_id then former else k.sender_id end,
    receiver_id = case when k.receiver_id = erase_member.member_id then former else k.receiver_id end,
    message = case when blank_messages then '' else k.message end
  where k.company_id = erase_member.company_id and erase_member.member_id in (k.sender_id, k.receiver_id);
  get diagnostics kudos = row_count;

  update app.api_keys as k set
    created_by = case when k.created_by = erase_member.member_id then former else k.created_by end,
    revoked_by = case when k.revoked_by = erase_member.member_id then former else k.revoked_by end
  where k.company_id = erase_member.company_id and erase_member.member_id in (k.created_by, k.revoked_by);
  get diagnostics keys = row_count;

  update app.api_key_events as e set member_id = former, member_name = 'Former member'
  where e.company_id = erase_member.company_id and e.member_id = erase_member.member_id;
  get diagnostics events = row_count;

  accounts := app.delete_accounts(company_id, array[member_id]);
  delete from app.members as m where m.company_id = erase_member.company_id and m.id = erase_member.member_id;
end
$function$;

CREATE OR REPLACE FUNCTION app.purge_some (
  company_id uuid,
  since      timestamp with time zone,
  before     timestamp with time zone,
  relation   text,
  OUT        deleted bigint,
  OUT        reached timestamp with time zone
)
  RETURNS record
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  perform app.require_open_company(company_id);
  execute format(
    'with gone as (
       delete from app.%1$I as t where t.ctid = any (array(
         select old.ctid from app.%1$I as old
         where old.company_id = $1 and old.created_at >= $2 and old.created_at < $3
         order by old.created_at limit 2000 for update
       ))
       returning t.created_at
     )
     select count(*), max(gone.created_at) from gone',
    relation
  ) into deleted, reached using company_id, since, before;
end
$function$;

CREATE OR REPLACE FUNCTION app.write_file (
  company_id uuid,
  file       text,
  OUT        inserted bigint,
  OUT        updated bigint,
  OUT        unchanged bigint
)
  RETURNS record
  LANGUAGE plpgsql
  SET search_path TO ''
  SET enable_hashjoin TO 'off'
  SET enable_mergejoin TO 'off'
  SET enable_seqscan TO 'off'
  SET enable_material TO 'off'
  AS $function$
declare
  slice constant bigint := 50000;
  sent record;
  part record;
begin
  inserted := 0;
  updated := 0;
  execute format('select count(*) as rows, min(position) as first, max(position) as last from staging.%I', file) into sent;
  for start in 0 .. coalesce((sent.last - sent.first) / slice, -1) loop
    execute app.write_query(file) into part
      using company_id, sent.first + start * slice, sent.first + (start + 1) * slice - 1;
    inserted := inserted + part.inserted;
    updated := updated + part.updated;
    if sent.rows > slice then
      raise notice '%: % of % rows written', file, least((start + 1) * slice, sent.rows), sent.rows;
    end if;
  end loop;
  unchanged := sent.rows - inserted - updated;
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
  found_rows bigint;
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

  -- The names of all categories are looked up once a page, because a company has few and a page has many kudos; and in the page's own
  -- statement, because another would not see the same moment: kudos that came meanwhile would be without the name of theirs.
  if lead_by is null then
    select count(*),
      case
        when include is null then json_agg(item) filter (where place <= max_rows)
        else app.include_in_activity(json_agg(item) filter (where place <= max_rows), api_key.company_id, include)
      end
    into found_rows, page from (
      select item, row_number() over () as place from (
        select k.id, k."timestamp", k.sender_name, k.sender_email, k.receiver_name, k.receiver_email, k.message,
          coalesce((select app.category_names_by_id(api_key.company_id)) ->> k.category_id::text, '') as category
        from api.activity as k
        where k.company_id = api_key.company_id
          and k.instant >= since and (k.instant, k.id) < (below_instant, below_id)
        order by k.instant desc, k.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  elsif lead_by = 'sender' then
    select count(*),
      case
        when include is null then json_agg(item) filter (where place <= max_rows)
        else app.include_in_activity(json_agg(item) filter (where place <= max_rows), api_key.company_id, include)
      end
    into found_rows, page from (
      select item, row_number() over () as place from (
        select k.id, k."timestamp", k.sender_name, k.sender_email, k.receiver_name, k.receiver_email, k.message,
          coalesce((select app.category_names_by_id(api_key.company_id)) ->> k.category_id::text, '') as category
        from api.activity as k
        where k.company_id = api_key.company_id and k.sender_id = list_activity.sender_id
          and k.instant >= since and (k.instant, k.id) < (below_instant, below_id)
          and (list_activity.receiver_id is null or k.receiver_id = list_activity.receiver_id)
          and (list_activity.category_id is null or k.category_id = list_activity.category_id)
        order by k.instant desc, k.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  elsif lead_by = 'receiver' then
    select count(*),
      case
        when include is null then json_agg(item) filter (where place <= max_rows)
        else app.include_in_activity(json_agg(item) filter (where place <= max_rows), api_key.company_id, include)
      end
    into found_rows, page from (
      select item, row_number() over () as place from (
        select k.id, k."timestamp", k.sender_name, k.sender_email, k.receiver_name, k.receiver_email, k.message,
          coalesce((select app.category_names_by_id(api_key.company_id)) ->> k.category_id::text, '') as category
        from api.activity as k
        where k.company_id = api_key.company_id and k.receiver_id = list_activity.receiver_id
          and k.instant >= since and (k.instant, k.id) < (below_instant, below_id)
          and (list_activity.sender_id is null or k.sender_id = list_activity.sender_id)
          and (list_activity.category_id is null or k.category_id = list_activity.category_id)
        order by k.instant desc, k.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  else
    select count(*),
      case
        when include is null then json_agg(item) filter (where place <= max_rows)
        else app.include_in_activity(json_agg(item) filter (where place <= max_rows), api_key.company_id, include)
      end
    into found_rows, page from (
      select item, row_number() over () as place from (
        select k.id, k."timestamp", k.sender_name, k.sender_email, k.receiver_name, k.receiver_email, k.message,
          coalesce((select app.category_names_by_id(api_key.company_id)) ->> k.category_id::text, '') as category
        from api.activity as k
        where k.company_id = api_key.company_id and k.category_id = list_activity.category_id
          and k.instant >= since and (k.instant, k.id) < (below_instant, below_id)
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
  found_rows bigint;
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

  select count(*), json_agg(item) filter (where place <= max_rows) into found_rows, page from (
    select item, row_number() over () as place from (
      select c.id, coalesce((select app.category_names_by_id(api_key.company_id)) ->> c.id::text, '') as name, c.created_at
      from api.categories as c
      where c.company_id = api_key.company_id
        and (c.instant, c.id) < (below_instant, below_id)
      order by c.instant desc, c.id desc
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
  found_rows bigint;
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

  if team_id is null then
    select count(*),
      case
        when include is null then json_agg(item) filter (where place <= max_rows)
        else app.include_in_day_ratings(json_agg(item) filter (where place <= max_rows), api_key.company_id, include)
      end
    into found_rows, page from (
      select item, row_number() over () as place from (
        select d.id, d.rating, d.comment, d.team_id, d.points_awarded, d.created_at
        from api.day_ratings as d
        where d.company_id = api_key.company_id
          and d.instant >= since and (d.instant, d.id) < (below_instant, below_id)
        order by d.instant desc, d.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  else
    select count(*),
      case
        when include is null then json_agg(item) filter (where place <= max_rows)
        else app.include_in_day_ratings(json_agg(item) filter (where place <= max_rows), api_key.company_id, include)
      end
    into found_rows, page from (
      select item, row_number() over () as place from (
        select d.id, d.rating, d.comment, d.team_id, d.points_awarded, d.created_at
        from api.day_ratings as d
        where d.company_id = api_key.company_id and d.team_id = list_day_ratings.team_id
          and d.instant >= since and (d.instant, d.id) < (below_instant, below_id)
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
  found_rows bigint;
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
    select count(*), json_agg(item) filter (where place <= max_rows) into found_rows, page from (
      select item, row_number() over () as place from (
        select m.id, m.name, m.email, m.role, m.team_id, m.team_name, m.created_at
        from api.members as m
        where m.company_id = api_key.company_id
          and (m.instant, m.id) < (below_instant, below_id)
        order by m.instant desc, m.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  elsif lead_by = 'team' then
    select count(*), json_agg(item) filter (where place <= max_rows) into found_rows, page from (
      select item, row_number() over () as place from (
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
    select count(*), json_agg(item) filter (where place <= max_rows) into found_rows, page from (
      select item, row_number() over () as place from (
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

  headers := set_config(
    'response.headers',
    format(app.page_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text),
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
  found_rows bigint;
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

  select count(*),
      case
        when include is null then json_agg(item) filter (where place <= max_rows)
        else app.include_in_pulse_responses(json_agg(item) filter (where place <= max_rows), api_key.company_id, include)
      end
    into found_rows, page from (
    select item, row_number() over () as place from (
      select p.id, p."timestamp", p.question, p.response_type, p.value, p.comment
      from api.pulse_responses as p
      where p.company_id = api_key.company_id
        and p.instant >= since and (p.instant, p.id) < (below_instant, below_id)
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
  found_rows bigint;
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
    select count(*),
      case
        when include is null then json_agg(item) filter (where place <= max_rows)
        else app.include_in_rewards(json_agg(item) filter (where place <= max_rows), api_key.company_id, include)
      end
    into found_rows, page from (
      select item, row_number() over () as place from (
        select r.id, r.name, r.description, r.points_cost, r.reward_type, r.stock_count, r.image_url, r.vendor_name, r.is_archived, r.created_at
        from api.rewards as r
        where r.company_id = api_key.company_id and not r.is_archived
          and (r.instant, r.id) < (below_instant, below_id)
        order by r.instant desc, r.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  else
    select count(*),
      case
        when include is null then json_agg(item) filter (where place <= max_rows)
        else app.include_in_rewards(json_agg(item) filter (where place <= max_rows), api_key.company_id, include)
      end
    into found_rows, page from (
      select item, row_number() over () as place from (
        select r.id, r.name, r.description, r.points_cost, r.reward_type, r.stock_count, r.image_url, r.vendor_name, r.is_archived, r.created_at
        from api.rewards as r
        where r.company_id = api_key.company_id
          and (r.instant, r.id) < (below_instant, below_id)
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
  found_rows bigint;
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

  select count(*), json_agg(item) filter (where place <= max_rows) into found_rows, page from (
    select item, row_number() over () as place from (
      select t.id, t.name, t.created_at
      from api.teams as t
      where t.company_id = api_key.company_id
        and (t.instant, t.id) < (below_instant, below_id)
      order by t.instant desc, t.id desc
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
$function$;

CREATE OR REPLACE PROCEDURE app.purge_before (
  IN company_id uuid,
  IN before timestamp with time zone
)
  LANGUAGE plpgsql
  AS $procedure$
declare
  relation text;
  since timestamptz;
  batch record;
  total bigint;
begin
  if before is null then
    raise exception 'before must be a time' using errcode = 'invalid_parameter_value';
  end if;
  foreach relation in array array['kudos', 'day_ratings', 'pulse_responses'] loop
    total := 0;
    since := '-infinity';
    loop
      select * into batch from app.purge_some(company_id, since, before, relation);
      commit;
      total := total + batch.deleted;
      exit when batch.deleted = 0 and since = '-infinity';
      -- What has been deleted stays in the index for as long as a transaction may see it: the next batch begins behind it. At the end once more
      -- from the beginning, for what has come in meanwhile.
      since := coalesce(batch.reached, '-infinity');
    end loop;
    raise notice '%: % rows deleted', relation, total;
  end loop;
end
$procedure$;

COMMENT ON FUNCTION "app"."delete_accounts"(uuid, uuid[]) IS 'Deletes the accounts that members can sign in with, and says how many.';

COMMENT ON FUNCTION "app"."purge_some"(uuid, timestamp with time zone, timestamp with time zone, text) IS 'Deletes up to 2,000 old rows of a table, and says how many and up to when.';

REVOKE ALL ON FUNCTION "app"."delete_accounts"(uuid, uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "app"."purge_some"(uuid, timestamp WITH time zone, timestamp WITH time zone, text) FROM PUBLIC;
