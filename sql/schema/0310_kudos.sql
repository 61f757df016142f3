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

comment on table app.kudos is 'Kudos: one member thanks another for something.';
