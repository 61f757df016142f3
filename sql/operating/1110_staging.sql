-- Staging: an operator copies a company's files into these tables; app.load_staging then checks the rows and loads them
-- (docs/operate/load-data.md). There is one table per file. Every column is text, so that any file can be
-- copied, and every mistake in it can be reported. The tables are empty between loads, so they are unlogged: their rows
-- need not survive a crash, and are written once instead of twice.

create schema staging;
-- Not granted: anything in this schema to anybody. Only postgres loads data.

comment on schema staging is 'The rows of files that are being loaded. Only postgres uses it.';

-- position numbers the rows in the order of the file. app.staging_problems computes the line from it.
create unlogged table staging.teams (
  position bigint primary key generated always as identity,
  id text,
  name text
);

create unlogged table staging.members (
  position bigint primary key generated always as identity,
  id text,
  name text,
  email text,
  role text,
  team_id text,
  created_at text
);

create unlogged table staging.categories (
  position bigint primary key generated always as identity,
  id text,
  language text,
  name text
);

create unlogged table staging.kudos (
  position bigint primary key generated always as identity,
  id text,
  sender_id text,
  receiver_id text,
  category_id text,
  message text,
  created_at text
);

create unlogged table staging.day_ratings (
  position bigint primary key generated always as identity,
  id text,
  rating text,
  comment text,
  team_id text,
  points_awarded text,
  created_at text
);

create unlogged table staging.pulse_questions (
  position bigint primary key generated always as identity,
  id text,
  question text,
  response_type text
);

create unlogged table staging.pulse_responses (
  position bigint primary key generated always as identity,
  id text,
  question_id text,
  value text,
  comment text,
  created_at text
);

alter table staging.teams enable row level security;
alter table staging.members enable row level security;
alter table staging.categories enable row level security;
alter table staging.kudos enable row level security;
alter table staging.day_ratings enable row level security;
alter table staging.pulse_questions enable row level security;
alter table staging.pulse_responses enable row level security;
-- No policies: these rows do not belong to a company yet.

comment on table staging.teams is 'The rows of teams.csv.';
comment on table staging.members is 'The rows of members.csv.';
comment on table staging.categories is 'The rows of categories.csv: one row per category and language.';
comment on table staging.kudos is 'The rows of kudos.csv.';
comment on table staging.day_ratings is 'The rows of day_ratings.csv.';
comment on table staging.pulse_questions is 'The rows of pulse_questions.csv.';
comment on table staging.pulse_responses is 'The rows of pulse_responses.csv.';

-- Empties staging. Waits for a load that is running. PostgreSQL keeps the planner's statistics of a table that is emptied,
-- and these have names and addresses in them (pg_stats). Giving a column its type once more removes its statistics.
create function app.empty_staging() returns void
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  told record;
begin
  truncate
    staging.teams, staging.members, staging.categories, staging.kudos,
    staging.day_ratings, staging.pulse_questions, staging.pulse_responses;
  for told in
    select s.tablename, s.attname
    from pg_catalog.pg_stats as s
    where s.schemaname = 'staging' and s.attname <> 'position'
  loop
    execute format('alter table staging.%I alter column %I type text', told.tablename, told.attname);
  end loop;
end
$$;

revoke all on function app.empty_staging from public;
comment on function app.empty_staging() is
  'Removes all rows from staging, and what the planner''s statistics know of them. Waits for a load that is running.';
