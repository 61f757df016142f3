-- Signing in to the dashboard through Supabase Auth, and linking the account to a member (docs/operate/dashboard.md).

-- Links the account of the signed-in person to their member row, by the confirmed email address, without case. The link
-- is permanent. Security definer, because it searches all companies; in app, because no such function should be in an
-- exposed schema.
create function app.link_member() returns text
language plpgsql volatile security definer set search_path = ''
as $$
declare
  status text;
  account record;
  candidates record;
begin
  select case when c.serving = 'open' then 'linked' else 'moved' end into status
  from app.member_accounts as a
  join app.companies as c on c.id = a.company_id
  where a.user_id = (select auth.uid());
  if found then
    return status;
  end if;

  select u.id, u.email, u.email_confirmed_at into account from auth.users as u where u.id = (select auth.uid());
  if not found then
    raise exception using errcode = 'PT401', message = 'this account no longer exists';
  elsif account.email_confirmed_at is null then
    return 'email_not_confirmed';
  end if;

  select count(*) as found, (array_agg(m.company_id))[1] as company_id, (array_agg(m.id))[1] as member_id into candidates
  from app.members as m
  join app.companies as c on c.id = m.company_id and c.serving = 'open'
  where lower(m.email) = lower(account.email)
    and not exists (select from app.member_accounts as a where a.company_id = m.company_id and a.member_id = m.id);
  if candidates.found > 1 then
    return 'several_members';
  elsif candidates.found = 1 then
    insert into app.member_accounts (user_id, company_id, member_id)
    values (account.id, candidates.company_id, candidates.member_id)
    on conflict do nothing;
  end if;
  -- Two first calls at once: the other one may have linked this sign-in meanwhile, or this member.
  return case
    when exists (select from app.member_accounts as a where a.user_id = account.id) then 'linked' else 'no_member'
  end;
end
$$;

-- What the signed-in person is told: their own row, for any role, and for who is no admin the admins to ask. Security
-- definer: authenticated reads no member row but through it.
create function app.signed_in_member(out company_name text, out name text, out role text, out admins json)
returns setof record
language sql stable rows 1 security definer set search_path = ''
begin atomic
  select c.name, m.name, m.role, (
    select json_agg(json_build_object('name', admin.name, 'email', admin.email) order by admin.name, admin.id)
    from app.members as admin
    where m.role <> 'admin' and admin.company_id = m.company_id and admin.role = 'admin' and not admin.is_former
  )
  from app.member_accounts as a
  join app.members as m on m.company_id = a.company_id and m.id = a.member_id
  join app.companies as c on c.id = m.company_id
  where a.user_id = (select auth.uid());
end;

create function public.link_member() returns json
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  status constant text := case when app.wants_second_factor() then 'second_factor_wanted' else app.link_member() end;
  member record;
begin
  select * into member from app.signed_in_member() where status <> 'second_factor_wanted';
  return json_build_object(
    'status', status,
    'company_name', member.company_name,
    'name', member.name,
    'role', case status when 'linked' then member.role end,
    'admins', case status when 'linked' then member.admins end
  );
end
$$;

grant execute on function app.link_member, app.signed_in_member, public.link_member to authenticated;
comment on function public.link_member is
  'To be called after sign-in: { status, company_name, name, role, admins }, status linked, moved (no role then), '
  'email_not_confirmed, no_member, several_members or second_factor_wanted (nothing is linked or told then); admins as '
  'signed_in_member. PT401 when the account is gone.';
