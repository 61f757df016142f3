-- Kudos: one member thanks another for something.

create table app.kudos (
  company_id uuid not null references app.companies (id) on delete cascade,
  id uuid not null default gen_random_uuid(),
  sender_id uuid not null,
  receiver_id uuid not null,
  category_id uuid not null,
  message text not null,
  created_at timestamptz not null default now(),
  changed_in xid8 not null default pg_current_xact_id(),
  -- The teams at the time of the kudos. Null: unknown. Only zeros: none. No foreign keys: the id of a deleted team stays.
  sender_team_then_id uuid,
  receiver_team_then_id uuid,
  primary key (company_id, id),
  -- Composite keys: a kudos cannot name another company's member or category.
  foreign key (company_id, sender_id) references app.members (company_id, id),
  foreign key (company_id, receiver_id) references app.members (company_id, id),
  foreign key (company_id, category_id) references app.categories (company_id, id),
  -- Empty when it was blanked because a person was erased.
  constraint kudos_message_length check (char_length(message) <= 10000)
)
-- Vacuumed when 1 row in 50 is dead, not 1 in 5: until then the nightly job reads again what it deleted in earlier nights.
with (autovacuum_vacuum_scale_factor = 0.02);

-- For pages, newest first: of one category, of one sender, of one receiver.
create index kudos_category_newest on app.kudos (company_id, category_id, created_at desc, id desc);
create index kudos_sender_newest on app.kudos (company_id, sender_id, created_at desc, id desc);
create index kudos_receiver_newest on app.kudos (company_id, receiver_id, created_at desc, id desc);

-- Trigger: a kudos of the last 48 hours has its people's teams of now, unless the writer says others. A trigger and not a
-- default, because what is unknown must stay so in rows that are as they were stored elsewhere (a move, a restore).
-- Security definer, because a role that row-level security binds would find no member.
create function app.note_teams() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  select
    coalesce(new.sender_team_then_id, (
      select coalesce(m.team_id, '00000000-0000-0000-0000-000000000000') from app.members as m
      where m.company_id = new.company_id and m.id = new.sender_id and not m.is_former
    )),
    coalesce(new.receiver_team_then_id, (
      select coalesce(m.team_id, '00000000-0000-0000-0000-000000000000') from app.members as m
      where m.company_id = new.company_id and m.id = new.receiver_id and not m.is_former
    ))
  into new.sender_team_then_id, new.receiver_team_then_id;
  return new;
end
$$;

-- Trigger: another person, such as Former member, is not known to have been in the same team. A load knows (app.teams_said):
-- here a team that its file says looks like one that it does not.
create function app.forget_teams() returns trigger
language plpgsql set search_path = ''
as $$
begin
  if current_setting('app.teams_said', true) is distinct from 'true' then
    new.sender_team_then_id := case when new.sender_id = old.sender_id then new.sender_team_then_id
      else nullif(new.sender_team_then_id, old.sender_team_then_id) end;
    new.receiver_team_then_id := case when new.receiver_id = old.receiver_id then new.receiver_team_then_id
      else nullif(new.receiver_team_then_id, old.receiver_team_then_id) end;
  end if;
  return new;
end
$$;

create trigger note_teams before insert on app.kudos
  for each row when (
    new.created_at >= now() - interval '48 hours' and num_nulls(new.sender_team_then_id, new.receiver_team_then_id) > 0
    and current_setting('app.as_stored', true) is distinct from 'on'
  )
  execute function app.note_teams();
create trigger forget_teams before update of sender_id, receiver_id on app.kudos
  for each row when (new.sender_id <> old.sender_id or new.receiver_id <> old.receiver_id)
  execute function app.forget_teams();

comment on function app.note_teams is 'Trigger: adds the teams of a new kudos.';
comment on function app.forget_teams is 'Trigger: another person has no known team in a kudos.';
comment on table app.kudos is 'Kudos: one member thanks another for something.';
