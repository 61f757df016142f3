-- GET /members

create type lists.member as (
  id uuid, name text, email text, role text, team_id uuid, team_name text, created_at text
);

create view lists.members with (security_invoker = true) as
select
  m.company_id, m.created_at as instant, m.changed_in, m.id, m.team_id, m.role,
  lower(extensions.unaccent(m.name)) as plain_name,
  row(
    m.id, m.name, m.email, m.role, m.team_id, coalesce(team.name, 'No Team'), app.iso_8601(m.created_at)
  )::lists.member as shown
from app.members as m
left join lateral (
  select t.name from app.teams as t where t.company_id = m.company_id and t.id = m.team_id offset 0
) as team on true
where not m.is_former;

-- As plain_name. Both are parsed when they are created: public_api may not use schema extensions.
create function lists.plain(text text) returns text
language sql stable set search_path = ''
begin atomic
  select lower(extensions.unaccent(text));
end;

-- It runs with the rights of its owner, because a policy keeps the index of lower(email) from being used: a function
-- that is not leakproof may not see rows before the policy does. It is no way round the policy: list_members then reads
-- the row of that id as public_api. Only the index of company and address has this order.
create function lists.member_with_email(company_id uuid, email text) returns uuid
language sql stable security definer set search_path = '' set enable_incremental_sort = off
begin atomic
  select m.id from app.members as m
  where (m.company_id, lower(m.email)) >= (member_with_email.company_id, lower(member_with_email.email))
    and (m.company_id, lower(m.email)) <= (member_with_email.company_id, lower(member_with_email.email))
  order by m.company_id, lower(m.email) limit 1;
end;

-- Without a team, name reads the list until the page is full: that takes a turn of the totals.
create function public.list_members(
  key_hash text, max_rows integer, team_id uuid default null, role text default null, starting_after uuid default null,
  email text default null, name text default null, after_time timestamptz default null
)
returns app."application/json"
language plpgsql volatile security definer set search_path = ''
as $$
declare
  page constant lists.page := lists.begin('members', key_hash, max_rows, starting_after, after_time);
  lead_by constant text := case when email is not null then 'email'
    when num_nonnulls(team_id, role) = 2 then lists.rarest_member_filter(page.company_id, team_id, role)
    when team_id is not null then 'team' when role is not null then 'role' end;
  rows lists.member[];
begin
  if name is not null and email is null and team_id is null then
    perform app.take_turn_of_total(page.key_id, page.company_id);
  end if;
  if lead_by is null then
    rows := array(select v.shown from lists.members as v
      where lists.is_in(page, v.company_id, v.instant, v.id)
        and (list_members.name is null or strpos(v.plain_name, (select lists.plain(list_members.name))) > 0)
      order by v.instant desc, v.id desc limit max_rows + 1);
  elsif lead_by = 'team' then
    rows := array(select v.shown from lists.members as v
      where lists.is_in(page, v.company_id, v.instant, v.id)
        and v.team_id = list_members.team_id and (list_members.role is null or v.role = list_members.role)
        and (list_members.name is null or strpos(v.plain_name, (select lists.plain(list_members.name))) > 0)
      order by v.instant desc, v.id desc limit max_rows + 1);
  elsif lead_by = 'role' then
    rows := array(select v.shown from lists.members as v
      where lists.is_in(page, v.company_id, v.instant, v.id)
        and v.role = list_members.role and (list_members.team_id is null or v.team_id = list_members.team_id)
        and (list_members.name is null or strpos(v.plain_name, (select lists.plain(list_members.name))) > 0)
      order by v.instant desc, v.id desc limit max_rows + 1);
  else
    rows := array(select v.shown from (
        select o.* from lists.members as o
        where o.company_id = page.company_id
          and o.id = (select lists.member_with_email(page.company_id, list_members.email))
        offset 0
      ) as v
      where lists.is_in(page, v.company_id, v.instant, v.id)
        and (list_members.team_id is null or v.team_id = list_members.team_id)
        and (list_members.role is null or v.role = list_members.role)
        and (list_members.name is null or strpos(v.plain_name, (select lists.plain(list_members.name))) > 0));
  end if;
  return lists.answer(page, rows, rows[max_rows].created_at || '_' || rows[max_rows].id);
end
$$;

grant execute on function lists.plain, lists.member_with_email to public_api;
comment on function lists.plain is 'A text in lower case and without accents.';
comment on function lists.member_with_email is 'The id of a company''s member with this address, whatever its case.';

grant select on lists.members to public_api;
select app.serve_keys('public.list_members'::regproc, true);
comment on function public.list_members is 'Members, newest first. read:members. PT400, PT401, PT403, PT429.';
