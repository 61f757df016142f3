-- The history of keys: who created, replaced, renamed or revoked which key, when, and with which scopes. Rows are only
-- added.
create table app.api_key_events (
  company_id uuid not null,
  id bigint not null generated always as identity,
  created_at timestamptz not null default now(),
  action text not null,
  key_id uuid not null,
  key_name text not null,
  hint text not null,
  scopes text[] not null,
  expires_at timestamptz,
  -- Null: an operator (app.revoke_key).
  member_id uuid,
  -- The member's name at that time: it does not change when the member is renamed.
  member_name text,
  -- Only for renamed: the name before. key_name is the name after.
  former_name text,
  -- Only for replaced: the id of the new key.
  replaced_by uuid,
  -- Why an operator revoked the key.
  reason text,
  primary key (company_id, id),
  constraint api_key_events_action_known check (action in ('created', 'replaced', 'renamed', 'revoked')),
  constraint api_key_events_by_whom check (
    (member_id is null) = (member_name is null) and (member_id is null) = (reason is not null)
    and (member_id is not null or action = 'revoked')
  )
);

create index api_key_events_newest on app.api_key_events (company_id, created_at desc, id desc);

create policy admin_read on app.api_key_events for select to authenticated
  using (company_id = (select admin.company_id from app.current_admin() as admin));

grant select on app.api_key_events to authenticated;
-- Not granted: any write. The trigger on app.api_keys adds the rows, and the trigger below refuses changes by any role.

-- Refuses to change or delete rows of the history, even for the owner of the table. Two exceptions (1010): Former
-- member replaces an erased person, and the history of a company may be deleted once the company is deleted.
create function app.refuse_change() returns trigger
language plpgsql set search_path = ''
as $$
begin
  if tg_op = 'UPDATE' and to_jsonb(new) - array['member_id', 'member_name'] = to_jsonb(old) - array['member_id', 'member_name']
    and new.member_name = 'Former member'
    and app.only_replaces_erased(old.company_id, array[old.member_id], array[new.member_id]) then
    return new;
  end if;
  if tg_op = 'DELETE' and not exists (select from app.companies as c where c.id = old.company_id) then
    return old;
  end if;
  raise exception '% only grows: % is refused', tg_relid::regclass, lower(tg_op) using errcode = 'insufficient_privilege';
end
$$;

create trigger refuse_change before update or delete on app.api_key_events
  for each row execute function app.refuse_change();
create trigger refuse_truncate before truncate on app.api_key_events
  for each statement execute function app.refuse_change();

create function app.record_api_key_event() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  -- Erasing a person is recorded in app.erasures, and names nobody.
  if tg_op = 'UPDATE'
    and (new.name, new.revoked_at, new.replaced_by) is not distinct from (old.name, old.revoked_at, old.replaced_by) then
    return null;
  end if;

  insert into app.api_key_events
    (company_id, action, key_id, key_name, hint, scopes, expires_at, member_id, member_name, former_name, replaced_by, reason)
  select
    new.company_id,
    case
      when tg_op = 'INSERT' then 'created'
      when new.revoked_at is not null then 'revoked'
      when new.name <> old.name then 'renamed'
      else 'replaced'
    end,
    new.id, new.name, new.hint, new.scopes, new.expires_at, m.id, m.name,
    case when tg_op = 'UPDATE' and new.name <> old.name then old.name end,
    case when tg_op = 'UPDATE' and new.replaced_by is distinct from old.replaced_by then new.replaced_by end,
    case when m.id is null then coalesce(nullif(current_setting('app.revoke_reason', true), ''), 'not given') end
  from (select) as change
  left join app.current_admin() as admin on true
  left join app.members as m on m.company_id = new.company_id and m.id = admin.member_id;

  if tg_op = 'INSERT' then
    insert into app.api_key_uses (company_id, key_id) values (new.company_id, new.id);
  end if;
  return null;
end
$$;

comment on function app.record_api_key_event is
  'Trigger: records every change of a key in app.api_key_events, and adds the row for the uses of a new key.';

create trigger record_api_key_event after insert or update on app.api_keys
  for each row execute function app.record_api_key_event();
