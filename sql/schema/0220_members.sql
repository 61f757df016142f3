-- Members: the people of a company, and the accounts with which they sign in.

create table app.members (
  company_id uuid not null references app.companies (id) on delete cascade,
  id uuid not null default gen_random_uuid(),
  name text not null,
  email text not null,
  role text not null default 'employee',
  team_id uuid,
  created_at timestamptz not null default now(),
  is_former boolean not null default false,
  changed_in xid8 not null default pg_current_xact_id(),
  primary key (company_id, id),
  foreign key (company_id, team_id) references app.teams (company_id, id),
  constraint members_name_length check (char_length(name) between 1 and 255),
  constraint members_email_form check (
    case when is_former then email = '' else email ~ '^[^@\s]+@[^@\s]+$' and char_length(email) <= 320 end
  ),
  constraint members_role_length check (char_length(role) between 1 and 50)
);

-- For pages, newest first: of one team, of one role. After the column of the filter comes the order of
-- the page.
create index members_team_newest on app.members (company_id, team_id, created_at desc, id desc);
create index members_role_newest on app.members (company_id, role, created_at desc, id desc);
-- An email address is unique in a company, without case. The second index is for app.link_member, which searches all
-- companies.
create unique index members_email_key on app.members (company_id, lower(email));
create index members_email on app.members (lower(email));
create unique index members_former on app.members (company_id) where is_former;

-- The planner assumes that each company has a tenth of the table. With the real, smaller share, and the default estimate
-- for the bound of a page, (instant, id) < (…), it would expect few rows. It would then look up the team of each row in
-- the index, instead of keeping the teams that it has found (Memoize). This takes effect with the next analyze. Measured
-- for a page of 1000: 186 buffers instead of 3045. Pulse answers have the same setting; kudos do not, because too many
-- people send them.
alter table app.members alter column company_id set (n_distinct = 10);

-- Which account (auth.users) belongs to which member. An account belongs to one member of one company in the whole
-- service. Therefore the primary key does not begin with company_id, unlike all others in this schema.
create table app.member_accounts (
  user_id uuid primary key references auth.users (id) on delete cascade,
  company_id uuid not null,
  member_id uuid not null,
  linked_at timestamptz not null default now(),
  unique (company_id, member_id),
  foreign key (company_id, member_id) references app.members (company_id, id) on delete cascade
);

-- Whether the account has a verified second factor that its session has not shown. The owner must be postgres: row
-- security shows the factors to no other role, and `row_security = off` makes the query fail then, instead of letting
-- everybody in. Not `begin atomic`: Supabase could not change its table while a function depends on it.
create function app.wants_second_factor() returns boolean
language plpgsql stable security definer set search_path = '' set row_security = off
as $$
begin
  return (auth.jwt() ->> 'aal') is distinct from 'aal2'
    and exists (select from auth.mfa_factors as f where f.user_id = (select auth.uid()) and f.status = 'verified');
end
$$;

-- True, or an error: so that nobody takes an empty list for the truth.
create function app.has_shown_factor() returns boolean
language plpgsql stable security invoker set search_path = ''
as $$
begin
  if app.wants_second_factor() then
    raise exception using errcode = 'PT403', hint = 'second_factor',
      message = 'this account has a second factor: verify its code, then call again with the token of that session';
  end if;
  return true;
end
$$;

comment on function app.has_shown_factor is 'True, or PT403 if the session has not shown a second factor that its account has.';

-- The signed-in admin. It is read from the member row on every call, not from the token, so that a person who is no
-- longer an admin loses access at once. No row for other people, and none if the company has moved to another project.
-- Security definer, because the policies of authenticated use it.
create function app.current_admin(out company_id uuid, out member_id uuid) returns setof record
language sql stable rows 1 security definer set search_path = ''
begin atomic
  select m.company_id, m.id
  from app.member_accounts as a
  join app.members as m on m.company_id = a.company_id and m.id = a.member_id
  join app.companies as c on c.id = a.company_id
  where a.user_id = (select auth.uid()) and m.role = 'admin' and c.serving = 'open' and app.has_shown_factor();
end;

-- Security definer, because authenticated reads no roles and no accounts.
create function app.current_admins() returns setof uuid
language sql stable security definer set search_path = ''
begin atomic
  select m.id
  from app.current_admin() as me
  join app.members as m on m.company_id = me.company_id and m.role = 'admin'
  join app.member_accounts as a on a.company_id = m.company_id and a.member_id = m.id;
end;

grant execute on function app.wants_second_factor, app.current_admin, app.current_admins to authenticated;
comment on function app.current_admins is
  'The members of the signed-in admin''s company who can sign in as admins; no row for anybody else.';

create policy admin_read on app.members for select to authenticated
  using (company_id = (select admin.company_id from app.current_admin() as admin));

grant select (company_id, id, name) on app.members to authenticated;
-- Not granted: any write; anything on app.member_accounts to anybody (as postgres app.link_member, which alone writes
-- it, and app.current_admin read it).

comment on table app.members is 'The people of a company.';
comment on column app.members.is_former is
  'True for the one row that represents all erased people of a company (1010). No list of members has it.';
comment on column app.members.role is 'Free text of 1 to 50 characters. Members with the role admin may manage API keys.';
