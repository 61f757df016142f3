-- Day ratings: how a day was, from 1 to 5. Anonymous: a rating belongs to a team at most, and no column could name a
-- person.

create table app.day_ratings (
  company_id uuid not null references app.companies (id) on delete cascade,
  id uuid not null default gen_random_uuid(),
  rating smallint not null,
  comment text,
  team_id uuid,
  points_awarded integer,
  created_at timestamptz not null default now(),
  changed_in xid8 not null default pg_current_xact_id(),
  primary key (company_id, id),
  foreign key (company_id, team_id) references app.teams (company_id, id),
  constraint day_ratings_rating_range check (rating between 1 and 5),
  constraint day_ratings_comment_length check (char_length(comment) <= 10000),
  constraint day_ratings_points_awarded_range check (points_awarded >= 0)
)
-- As for kudos.
with (autovacuum_vacuum_scale_factor = 0.02);

-- For pages, newest first: of one team.
create index day_ratings_team_newest on app.day_ratings (company_id, team_id, created_at desc, id desc);

-- So that a page with team_name keeps the teams that it has found, as a page of members does (0220_members.sql).
alter table app.day_ratings alter column company_id set (n_distinct = 10);

-- Not granted: any write; anything to authenticated: an admin sees no more mood data than a key with read:analytics.

comment on table app.day_ratings is 'How a day was, from 1 to 5. Keyed to a team, never to a person.';
