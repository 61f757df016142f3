-- GET /members (docs/api.md, Members).
--
-- There is one static statement per leading filter, because each filter has an index that continues with the order of
-- the page. A second filter is checked for each row. The generic plan is forced, because planning again for every call
-- would halve the speed of small pages. Sequential scans and sorts are off, so that the plan must use the index in the
-- page's order. Reading a whole table, or sorting all matches of a filter, may look cheap when a session makes its
-- plan, but is slow when the table has grown.
--
-- One statement with a branch of `union all` for each filter would be shorter. Tried for activity, it returned the same
-- pages (144 of 144, byte for byte), but took 1.27 times the time for 20 rows, so each filter has its own statement.
--
-- A sort that cannot be avoided, such as that of the names of categories, then has an estimated cost of 1e10. This is
-- above jit_above_cost, and compiling a page of 2 milliseconds took 200 to 700. Therefore jit = off, here and in all
-- functions that a page calls. The cost affects no other decision: only such a sort has it, parallel plans are
-- impossible because of the policies (app.current_company_id is not parallel safe), and force_generic_plan compares no
-- costs.
--
-- Each statement reads one row more than it returns. If that row exists, X-Has-More is true.

create view api.members with (security_invoker = true) as
select
  m.company_id,
  m.created_at as instant,
  m.id,
  m.name,
  m.email,
  m.role,
  m.team_id,
  coalesce(team.name, 'No Team') as team_name,
  to_char(m.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as created_at
from app.members as m
left join lateral (
  select t.name from app.teams as t where t.company_id = m.company_id and t.id = m.team_id offset 0
) as team on true
where not m.is_former;

grant select on api.members to public_api;
comment on view api.members is 'Members (docs/api.md, Members).';

-- The leading filter: the only one that is set, or of two the one that fewer members match. At most a thousand matches
-- of each are counted, which takes less time than a page. The plans have the settings of the caller, but no bitmap
-- scans, which would read all matches before the first is counted.
create function app.rarest_members_filter(company_id uuid, team_id uuid, role text) returns text
language plpgsql stable
set search_path = ''
set enable_bitmapscan = off
set jit = off
as $$
declare
  of_team bigint;
  of_role bigint;
begin
  if num_nonnulls(team_id, role) = 1 then
    return case when team_id is not null then 'team' else 'role' end;
  end if;

  select count(*) into of_team from (
    select from app.members as m
    where m.company_id = rarest_members_filter.company_id and m.team_id = rarest_members_filter.team_id
    limit 1000
  ) as counted;
  select count(*) into of_role from (
    select from app.members as m
    where m.company_id = rarest_members_filter.company_id and m.role = rarest_members_filter.role
    limit 1000
  ) as counted;
  return case least(of_team, of_role) when of_team then 'team' else 'role' end;
end
$$;

revoke all on function app.rarest_members_filter from public;
grant execute on function app.rarest_members_filter to public_api;
comment on function app.rarest_members_filter is 'team or role, whichever fewest members match.';

-- The id of the member with this address. It runs with the rights of its owner, because a policy keeps the index of
-- lower(email) from being used: a function that is not leakproof may not see rows before the policy does. It is no way
-- round the policy: list_members then reads the row of that id as public_api. Only the
-- index of company and address has this order: that of addresses alone would read the members of all companies with it.
create function app.member_with_email(company_id uuid, email text) returns uuid
language sql stable security definer
set search_path = ''
set enable_sort = off
set enable_incremental_sort = off
begin atomic
  select m.id from app.members as m
  where (m.company_id, lower(m.email)) >= (member_with_email.company_id, lower(member_with_email.email))
    and (m.company_id, lower(m.email)) <= (member_with_email.company_id, lower(member_with_email.email))
  order by m.company_id, lower(m.email) limit 1;
end;

revoke all on function app.member_with_email from public;
grant execute on function app.member_with_email to public_api;
comment on function app.member_with_email is 'The id of a company''s member with this email address, whatever its case.';

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

  if email is null and num_nonnulls(team_id, role) > 0 then
    lead_by := app.rarest_members_filter(api_key.company_id, team_id, role);
  end if;

  if email is not null then
    -- One row at most: offset 0 looks it up by its id, whatever filters follow.
    select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
      select item.id, item, row_number() over () as place from (
        select m.id, m.name, m.email, m.role, m.team_id, m.team_name, m.created_at
        from (
          select v.* from api.members as v
          where v.company_id = api_key.company_id and v.id = (select app.member_with_email(api_key.company_id, list_members.email))
          offset 0
        ) as m
        where (m.instant, m.id) < (below_instant, below_id)
          and (list_members.team_id is null or m.team_id = list_members.team_id)
          and (list_members.role is null or m.role = list_members.role)
      ) as item
    ) as numbered;
  elsif lead_by is null then
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
$$;

select app.serve_keys('public.list_members'::regproc);
comment on function public.list_members is
  'Members of the key''s company, newest first, as a JSON array. read:members. PT400, PT401, PT403, PT429.';
