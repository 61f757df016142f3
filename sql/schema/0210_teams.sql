-- Teams of a company. Members and day ratings refer to them.

create table app.teams (
  company_id uuid not null references app.companies (id) on delete cascade,
  id uuid not null default gen_random_uuid(),
  name text not null,
  created_at timestamptz not null default now(),
  changed_in xid8 not null default pg_current_xact_id(),
  primary key (company_id, id),
  constraint teams_name_length check (char_length(name) between 1 and 255)
);

comment on table app.teams is 'Teams of a company.';
