-- Erasing people and deleting companies (docs/operate/erase-and-retain.md, Erase a person). For operators, as postgres.
--
-- One row of app.members per company, Former member, replaces all of its erased people. So kudos keep a sender and a
-- receiver, keys that an erased person made still work, and nobody can tell two erased people apart. The id is deleted
-- too: another system may know it.

-- Marks of erased people, without their names or ids. With a mark an id in a later file can be recognized, and the
-- erasure can be proved.
create table app.erasures (
  company_id uuid not null references app.companies (id) on delete cascade,
  member_mark bytea not null,
  erased_at timestamptz not null default now(),
  messages_blanked boolean not null,
  primary key (company_id, member_mark),
  constraint erasures_member_mark_length check (octet_length(member_mark) = 32)
);

-- No policies, nothing granted: only the functions below and loading read it.

comment on table app.erasures is 'Erased people, each as a hash that only somebody who knows the id can compute.';
comment on column app.erasures.member_mark is 'SHA-256 of the ids of company and member.';

create function app.erasure_mark(company_id uuid, member_id uuid) returns bytea
language sql immutable set search_path = ''
return sha256(uuid_send(company_id) || uuid_send(member_id));

create function app.is_erased(company_id uuid, member_id uuid) returns boolean
language sql stable set search_path = ''
begin atomic
  select exists (
    select from app.erasures as e
    where e.company_id = is_erased.company_id and e.member_mark = app.erasure_mark(is_erased.company_id, is_erased.member_id)
  );
end;

create function app.only_replaces_erased(company_id uuid, before uuid[], after uuid[]) returns boolean
language sql stable set search_path = ''
begin atomic
  select before is distinct from after and not exists (
    select from unnest(before, after) as member (before, after)
    where member.before is distinct from member.after
      and not (
        app.is_erased(only_replaces_erased.company_id, member.before)
        and exists (
          select from app.members as m
          where m.company_id = only_replaces_erased.company_id and m.id = member.after and m.is_former
        )
      )
  );
end;

-- Raises unless the company is there and is not on its way to another project, and locks its row, so that a move waits for
-- this transaction before it copies: changes during a move would be lost. Not for share: app.name_categories then writes
-- the row, and writers that all share it would wait for each other.
create function app.require_settled_company(company_id uuid) returns void
language plpgsql volatile set search_path = ''
as $$
declare
  serving text;
begin
  select c.serving into serving from app.companies as c where c.id = require_settled_company.company_id for key share;
  if not found then
    raise exception 'company_id must be the id of a company, % is none', company_id using errcode = 'invalid_parameter_value';
  elsif serving = 'moving' then
    raise exception 'company_id must be the id of a company that is not on its way to another project, % is moving', company_id
      using errcode = 'invalid_parameter_value';
  end if;
end
$$;

create function app.require_open_company(company_id uuid) returns void
language plpgsql volatile set search_path = ''
as $$
begin
  perform app.require_settled_company(company_id);
  if not exists (select from app.companies as c where c.id = require_open_company.company_id and c.serving = 'open') then
    raise exception 'company_id must be the id of a company that is served here, % has moved to another project', company_id
      using errcode = 'invalid_parameter_value';
  end if;
end
$$;

create function app.former_member(company_id uuid) returns uuid
language plpgsql volatile set search_path = ''
as $$
begin
  insert into app.members (company_id, name, email, role, is_former)
  values (former_member.company_id, 'Former member', '', 'former', true)
  on conflict do nothing;
  return (select m.id from app.members as m where m.company_id = former_member.company_id and m.is_former);
end
$$;

-- Deletes the accounts of members: those linked to them, and unlinked ones with their email address, unless another
-- member has the same address. Also deletes the entries about these accounts in Auth's audit log, which contain the
-- address. One call takes all members, because each call scans whole tables of Auth.
create function app.delete_accounts(company_id uuid, member_ids uuid[]) returns bigint
language plpgsql volatile set search_path = ''
as $$
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
$$;

-- Collects the planner's statistics anew, from the rows that this transaction leaves. Otherwise they would go on showing
-- names, addresses, messages and ids of people who are gone (pg_stats), until autovacuum next collects them. PostgreSQL
-- keeps the statistics of a table that has no rows. Of the tables of Auth it takes those that postgres may maintain.
create function app.renew_statistics() returns void
language plpgsql volatile set search_path = ''
as $$
declare
  relation regclass;
begin
  for relation in
    select c.oid
    from pg_catalog.pg_class as c
    where c.relkind = 'r' and has_table_privilege(c.oid, 'maintain')
      and (
        c.relnamespace = 'auth'::regnamespace
        or c.oid = any ('{app.members,app.member_accounts,app.kudos,app.api_keys,app.api_key_events}'::regclass[])
      )
    -- The same order in every session, so that two do not wait for each other.
    order by c.oid
  loop
    execute format('analyze %s', relation);
  end loop;
end
$$;

-- Erases a person, all or nothing (see the head of this file). It changes nothing if the person has been erased
-- already. If the company has moved and the old project keeps its rows, the person has to be erased in both projects.
-- blank_messages: whether to blank the messages of the kudos that the person sent and received.
create function app.erase_member(
  company_id uuid,
  member_id uuid,
  blank_messages boolean,
  out kudos bigint,
  out keys bigint,
  out events bigint,
  out accounts bigint
)
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  former uuid;
  blanked boolean;
begin
  -- Waits for a load that is running. The next load sees that this person has been erased.
  perform app.empty_staging();
  perform app.require_settled_company(company_id);
  if exists (select from app.companies as c where c.id = erase_member.company_id and c.move_id is not null) then
    raise notice 'This company has moved from one project to another: erase this person in both, while both have its rows';
  end if;
  if blank_messages is null then
    raise exception 'blank_messages must be true or false' using errcode = 'invalid_parameter_value';
  end if;

  perform from app.members as m
  where m.company_id = erase_member.company_id and m.id = erase_member.member_id and not m.is_former
  for update;
  if not found then
    select e.messages_blanked into blanked
    from app.erasures as e
    where e.company_id = erase_member.company_id
      and e.member_mark = app.erasure_mark(erase_member.company_id, erase_member.member_id);
    if not found then
      raise exception 'member_id must be the id of a member of the company' using errcode = 'invalid_parameter_value';
    elsif blank_messages and not blanked then
      raise exception 'this person was erased with their messages kept: it is no longer known which messages are theirs'
        using errcode = 'invalid_parameter_value';
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
  perform app.renew_statistics();
end
$$;

-- The ids of deleted companies, so that a restore of an older backup does not bring them back (sql/commands/restore/redo.sql).
create table app.deleted_companies (
  -- No foreign key: the company is no longer here.
  company_id uuid primary key,
  deleted_at timestamptz not null default now()
);

-- No policies, nothing granted.

comment on table app.deleted_companies is 'Companies that were deleted here, and when.';

create function app.delete_company(
  company_id uuid, out members bigint, out kudos bigint, out keys bigint, out accounts bigint
)
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  perform app.empty_staging();
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
  -- The trigger allows it, because the company is deleted.
  delete from app.api_key_events as e where e.company_id = delete_company.company_id;
  insert into app.deleted_companies as d (company_id) values (delete_company.company_id)
  on conflict on constraint deleted_companies_pkey do update set deleted_at = now();
  perform app.renew_statistics();
end
$$;

comment on function app.erasure_mark(uuid, uuid) is 'The mark of an erased person: SHA-256 of the ids of company and member.';
comment on function app.is_erased(uuid, uuid) is 'Whether this is the id of a person who has been erased.';
comment on function app.only_replaces_erased(uuid, uuid[], uuid[]) is
  'Whether two lists of members differ, and only by Former member in place of erased people.';
comment on function app.require_settled_company(uuid) is
  'Raises an error unless the company exists and is not moving. Locks its row, so that this stays so until the end of the '
  'transaction.';
comment on function app.require_open_company(uuid) is
  'Raises an error unless the company exists and is served here. Locks its row, so that this stays so until the end of the '
  'transaction.';
comment on function app.former_member(uuid) is
  'The id of the row that represents all erased people of a company; adds it if needed.';
comment on function app.delete_accounts(uuid, uuid[]) is 'Deletes the accounts of members, and returns how many.';
comment on function app.renew_statistics() is
  'Collects the planner''s statistics of the tables about people anew, so that they show nobody who is gone.';
comment on function app.erase_member(uuid, uuid, boolean) is
  'Erases a person. Returns in how many kudos, keys and history entries Former member has replaced them, and how many accounts '
  'were deleted.';
comment on function app.delete_company(uuid) is
  'Deletes a company with all its data, the accounts of its people, and the history of its keys, then refused. '
  'Returns how many members, kudos, keys and accounts it had.';
