-- sql/schema, and after it sql/loading, as they were with 1.1.0. Never edited: a change is a migration of its own (CONTRIBUTING.md).

-- 0100_roles_and_schemas.sql

-- Roles and schemas.
--
-- app: tables and internal functions, never exposed by the Data API.
-- api: one view per resource, the public shape of the data.
-- public: only what the Data API may call (public.list_members and its siblings).
--
-- The role public_api owns the functions that serve API keys. They are security definer, so they run as this role whoever
-- calls them, and it has no bypassrls: the policies bind it. The Data API's own secret-key role, service_role, bypasses
-- policies and therefore never reads a table: it may only call these functions.

do $$
begin
  -- Roles belong to the whole cluster, not to one database: a restore into a second database finds it there already.
  if not exists (select from pg_catalog.pg_roles where rolname = 'public_api') then
    create role public_api nologin noinherit nobypassrls;
  end if;
end
$$;

-- What `alter function … owner to public_api` asks of a non-superuser.
grant public_api to postgres with inherit true, set true;

create schema app;
create schema api;

grant usage on schema app to public_api, authenticated;
grant usage on schema api to public_api;
-- Not granted: anything in app or api to anon and service_role; api to authenticated (the dashboard needs no mood data, no kudos).

comment on schema app is 'Tables and internal functions. Never exposed by the Data API.';
comment on schema api is 'The public shape of the data: one security_invoker view per resource.';
comment on role public_api is 'Owns the functions that serve API keys. Bound by row-level security, cannot sign in.';

-- 0110_date_times.sql

-- Date-times as the API says them (docs/api.md, Lists): ISO 8601 in UTC with microseconds and Z.
create function app.iso_8601(instant timestamptz) returns text
language sql stable set search_path = ''
return to_char(instant at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');

revoke all on function app.iso_8601 from public;
grant execute on function app.iso_8601 to authenticated, public_api;
comment on function app.iso_8601 is 'A date-time as the API says it, 2026-11-21T10:15:30.123456Z.';

-- 0200_companies.sql

-- Companies: the tenants. Every other table carries company_id, first in its primary key and in every unique and foreign key.

create table app.companies (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  default_language text not null default 'en',
  created_at timestamptz not null default now(),
  -- Whether this project serves the company, or another one does (docs/moving-a-company.md). app.authenticate and app.current_admin go by it.
  serving text not null default 'open',
  move_id uuid,
  constraint companies_name_length check (char_length(name) between 1 and 255),
  constraint companies_default_language_form check (default_language ~ '^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$'),
  constraint companies_serving_known check (serving in ('open', 'moving', 'readable', 'closed')),
  constraint companies_serving_moved check (serving = 'open' or move_id is not null)
);

alter table app.companies enable row level security;

-- The one company that the verified API key of this transaction belongs to; null when no key has been verified.
-- The setting is transaction-local: PostgreSQL leaves '' behind in a pooled session, hence nullif. In plpgsql, because the
-- session keeps its plan: in SQL it would be planned anew for each table of each page.
create function app.current_company_id() returns uuid
language plpgsql stable set search_path = ''
as $$
begin
  return nullif(current_setting('app.company_id', true), '')::uuid;
end
$$;

revoke all on function app.current_company_id from public;
grant execute on function app.current_company_id to public_api;
comment on function app.current_company_id is 'The company of the API key that app.authenticate verified in this transaction, or null. Policies of public_api compare with it.';

create policy api_read on app.companies for select to public_api
  using (id = (select app.current_company_id()));

grant select (id, name, default_language) on app.companies to public_api;
-- Not granted: any write. Operators create companies as postgres (docs/operations.md).

comment on table app.companies is 'The companies whose data the service holds.';
comment on column app.companies.default_language is 'BCP 47 tag, such as en or de: the language of category names in the API.';
comment on column app.companies.serving is
  'open: here. moving: being copied to another project, read only. readable: moved, its keys still read here. closed: moved, its keys answer 401 here.';
comment on column app.companies.move_id is 'The last move of the company, the same at both its ends; null when it has never moved.';

-- 0205_arriving_companies.sql

-- Companies on their way here from another project (docs/moving-a-company.md). The row is there before the company is closed for writing
-- where it is, and goes in the transaction that brings the company, or when the move is given up. So whoever deletes it decides whether
-- the company goes on here or there, and a move that was broken off can only be finished where it was meant to go.

create table app.arriving_companies (
  -- No foreign key: the company is not here yet.
  company_id uuid primary key,
  move_id uuid not null
);

alter table app.arriving_companies enable row level security;
-- No policies, and nothing granted to anybody. Only postgres moves companies.

comment on table app.arriving_companies is 'Companies that are being moved here from another project.';
comment on column app.arriving_companies.move_id is 'As in app.companies where the company comes from.';

-- 0210_teams.sql

-- Teams of a company. Members and day ratings refer to them.

create table app.teams (
  company_id uuid not null references app.companies (id) on delete cascade,
  id uuid not null default gen_random_uuid(),
  name text not null,
  created_at timestamptz not null default now(),
  primary key (company_id, id),
  constraint teams_name_length check (char_length(name) between 1 and 255),
  constraint teams_created_at_range check (created_at >= '0001-01-01Z' and created_at < '10000-01-01Z')
);

alter table app.teams enable row level security;

-- A page, newest first.
create index teams_newest on app.teams (company_id, created_at desc, id desc);

create policy api_read on app.teams for select to public_api
  using (company_id = (select app.current_company_id()));

grant select on app.teams to public_api;
-- Not granted: any write; anything to authenticated.

comment on table app.teams is 'Teams of a company.';

-- 0220_members.sql

-- Members: the people of a company, and which sign-in belongs to which of them.

create table app.members (
  company_id uuid not null references app.companies (id) on delete cascade,
  id uuid not null default gen_random_uuid(),
  name text not null,
  email text not null,
  role text not null default 'employee',
  team_id uuid,
  created_at timestamptz not null default now(),
  is_former boolean not null default false,
  primary key (company_id, id),
  foreign key (company_id, team_id) references app.teams (company_id, id),
  constraint members_name_length check (char_length(name) between 1 and 255),
  constraint members_email_form check (case when is_former then email = '' else email ~ '^[^@\s]+@[^@\s]+$' and char_length(email) <= 320 end),
  constraint members_role_length check (char_length(role) between 1 and 50),
  -- What the API can say in four-digit years and what JavaScript and spreadsheets can read; infinity is neither.
  constraint members_created_at_range check (created_at >= '0001-01-01Z' and created_at < '10000-01-01Z')
);

alter table app.members enable row level security;

-- A page, newest first: of all, of one team, of one role. Each filter has the order of the page behind it.
create index members_newest on app.members (company_id, created_at desc, id desc);
create index members_team_newest on app.members (company_id, team_id, created_at desc, id desc);
create index members_role_newest on app.members (company_id, role, created_at desc, id desc);
-- One person, one address, whatever the case; and what app.link_member looks for across all companies.
create unique index members_email_key on app.members (company_id, lower(email));
create index members_email on app.members (lower(email));
create unique index members_former on app.members (company_id) where is_former;

-- Which sign-in (auth.users) is which member. One sign-in is one member of one company in the whole service, therefore the
-- primary key is the one in this schema that does not begin with company_id.
create table app.member_accounts (
  user_id uuid primary key references auth.users (id) on delete cascade,
  company_id uuid not null,
  member_id uuid not null,
  linked_at timestamptz not null default now(),
  unique (company_id, member_id),
  foreign key (company_id, member_id) references app.members (company_id, id) on delete cascade
);

alter table app.member_accounts enable row level security;

-- The admin who is signed in, read from the member row on every call, never from the token: who stops being an admin stops at
-- once. No row for anybody else, nor where the company has moved away from. Security definer, because it decides what the policies let authenticated see.
create function app.current_admin(out company_id uuid, out member_id uuid) returns setof record
language sql stable rows 1 security definer set search_path = ''
begin atomic
  select m.company_id, m.id
  from app.member_accounts as a
  join app.members as m on m.company_id = a.company_id and m.id = a.member_id
  join app.companies as c on c.id = a.company_id
  where a.user_id = (select auth.uid()) and m.role = 'admin' and c.serving = 'open';
end;

revoke all on function app.current_admin from public;
grant execute on function app.current_admin to authenticated;
comment on function app.current_admin is 'Company and member id of the signed-in admin; no row for anybody else.';

create policy api_read on app.members for select to public_api
  using (company_id = (select app.current_company_id()));
create policy admin_read on app.members for select to authenticated
  using (company_id = (select admin.company_id from app.current_admin() as admin));

grant select on app.members to public_api;
grant select (company_id, id, name) on app.members to authenticated;
-- Not granted: any write; anything on app.member_accounts to anybody (app.link_member and app.current_admin read it as postgres).

comment on table app.members is 'The people of a company.';
comment on column app.members.is_former is 'True of the one row that stands for everybody of a company who has been erased (0950). It is in no list of members.';
comment on column app.members.role is 'Free text of 1 to 50 characters; admin is the one that may manage API keys.';
comment on table app.member_accounts is 'Which sign-in is which member. Written by app.link_member, once and for good.';

-- 0300_categories.sql

-- Kudos categories and their names, one per language.

create table app.categories (
  company_id uuid not null references app.companies (id) on delete cascade,
  id uuid not null default gen_random_uuid(),
  created_at timestamptz not null default now(),
  primary key (company_id, id),
  constraint categories_created_at_range check (created_at >= '0001-01-01Z' and created_at < '10000-01-01Z')
);

create table app.category_names (
  company_id uuid not null,
  category_id uuid not null,
  language text not null,
  name text not null,
  primary key (company_id, category_id, language),
  foreign key (company_id, category_id) references app.categories (company_id, id) on delete cascade,
  constraint category_names_language_form check (language ~ '^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$'),
  constraint category_names_name_length check (char_length(name) between 1 and 255)
);

alter table app.categories enable row level security;
alter table app.category_names enable row level security;

-- A page, newest first.
create index categories_newest on app.categories (company_id, created_at desc, id desc);

create policy api_read on app.categories for select to public_api
  using (company_id = (select app.current_company_id()));
create policy api_read on app.category_names for select to public_api
  using (company_id = (select app.current_company_id()));

grant select on app.categories, app.category_names to public_api;
-- Not granted: any write; anything to authenticated.

comment on table app.categories is 'What kudos are given for.';
comment on table app.category_names is 'The names of a category, one per language.';
comment on column app.category_names.language is 'BCP 47 tag, such as en or de.';

-- 0310_kudos.sql

-- Kudos: one member thanks another for something.

create table app.kudos (
  company_id uuid not null references app.companies (id) on delete cascade,
  id uuid not null default gen_random_uuid(),
  sender_id uuid not null,
  receiver_id uuid not null,
  category_id uuid not null,
  message text not null,
  created_at timestamptz not null default now(),
  primary key (company_id, id),
  -- Composite keys: a kudos cannot name another company's member or category.
  foreign key (company_id, sender_id) references app.members (company_id, id),
  foreign key (company_id, receiver_id) references app.members (company_id, id),
  foreign key (company_id, category_id) references app.categories (company_id, id),
  -- Empty when it was blanked with a person who has been erased.
  constraint kudos_message_length check (char_length(message) <= 10000),
  constraint kudos_created_at_range check (created_at >= '0001-01-01Z' and created_at < '10000-01-01Z')
);

alter table app.kudos enable row level security;

-- A page, newest first: of all, of one category, one sender, one receiver.
create index kudos_newest on app.kudos (company_id, created_at desc, id desc);
create index kudos_category_newest on app.kudos (company_id, category_id, created_at desc, id desc);
create index kudos_sender_newest on app.kudos (company_id, sender_id, created_at desc, id desc);
create index kudos_receiver_newest on app.kudos (company_id, receiver_id, created_at desc, id desc);

create policy api_read on app.kudos for select to public_api
  using (company_id = (select app.current_company_id()));

grant select on app.kudos to public_api;
-- Not granted: any write; anything to authenticated.

comment on table app.kudos is 'Kudos: one member thanks another for something.';

-- 0400_rewards.sql

-- Rewards: the catalogue. The one table that an API key can write, through public.upsert_rewards.

create table app.rewards (
  company_id uuid not null references app.companies (id) on delete cascade,
  id uuid not null default gen_random_uuid(),
  external_id text,
  name text not null,
  description text,
  points_cost bigint not null,
  reward_type text not null default 'perk',
  stock_count integer,
  image_url text,
  vendor_name text,
  is_archived boolean not null default false,
  created_at timestamptz not null default now(),
  primary key (company_id, id),
  -- What an import matches on; rewards made elsewhere have none.
  constraint rewards_external_id_key unique (company_id, external_id),
  constraint rewards_external_id_length check (char_length(external_id) between 1 and 255),
  constraint rewards_name_length check (char_length(name) between 1 and 255),
  constraint rewards_description_length check (char_length(description) <= 2000),
  -- 2^53 - 1: the largest integer that a JSON number carries exactly everywhere.
  constraint rewards_points_cost_range check (points_cost between 0 and 9007199254740991),
  constraint rewards_reward_type_length check (char_length(reward_type) between 1 and 50),
  constraint rewards_stock_count_range check (stock_count >= 0),
  constraint rewards_created_at_range check (created_at >= '0001-01-01Z' and created_at < '10000-01-01Z')
);

alter table app.rewards enable row level security;

-- A page, newest first: of all, and of those that are not archived.
create index rewards_newest on app.rewards (company_id, created_at desc, id desc);
create index rewards_current_newest on app.rewards (company_id, created_at desc, id desc) where not is_archived;

create policy api_read on app.rewards for select to public_api
  using (company_id = (select app.current_company_id()));
create policy api_insert on app.rewards for insert to public_api
  with check (company_id = (select app.current_company_id()));
create policy api_update on app.rewards for update to public_api
  using (company_id = (select app.current_company_id()))
  with check (company_id = (select app.current_company_id()));

grant select on app.rewards to public_api;
grant insert (company_id, external_id, name, description, points_cost, reward_type) on app.rewards to public_api;
grant update (name, description, points_cost, reward_type) on app.rewards to public_api;
-- Not granted: delete; writing is_archived, stock_count, image_url, vendor_name, created_at, which an import leaves alone;
-- anything to authenticated.

comment on table app.rewards is 'The reward catalogue of a company.';
comment on column app.rewards.external_id is 'The id that the system has which sends the catalogue; null for rewards made elsewhere.';
comment on column app.rewards.points_cost is 'In points, 0 to 9007199254740991.';

-- 0500_day_ratings.sql

-- Day ratings: how a day was, from 1 to 5. Anonymous: a rating belongs to a team at most, and no column could name a person.

create table app.day_ratings (
  company_id uuid not null references app.companies (id) on delete cascade,
  id uuid not null default gen_random_uuid(),
  rating smallint not null,
  comment text,
  team_id uuid,
  points_awarded integer,
  created_at timestamptz not null default now(),
  primary key (company_id, id),
  foreign key (company_id, team_id) references app.teams (company_id, id),
  constraint day_ratings_rating_range check (rating between 1 and 5),
  constraint day_ratings_comment_length check (char_length(comment) <= 10000),
  constraint day_ratings_points_awarded_range check (points_awarded >= 0),
  constraint day_ratings_created_at_range check (created_at >= '0001-01-01Z' and created_at < '10000-01-01Z')
);

alter table app.day_ratings enable row level security;

-- A page, newest first: of all, and of one team.
create index day_ratings_newest on app.day_ratings (company_id, created_at desc, id desc);
create index day_ratings_team_newest on app.day_ratings (company_id, team_id, created_at desc, id desc);

create policy api_read on app.day_ratings for select to public_api
  using (company_id = (select app.current_company_id()));

grant select on app.day_ratings to public_api;
-- Not granted: any write; anything to authenticated: an admin sees no more of the moods than a key with read:analytics does.

comment on table app.day_ratings is 'How a day was, from 1 to 5. Keyed to a team, never to a person.';

-- 0510_pulse.sql

-- Pulse surveys: questions and their anonymous answers. An answer has neither a person nor a team.

create table app.pulse_questions (
  company_id uuid not null references app.companies (id) on delete cascade,
  id uuid not null default gen_random_uuid(),
  question text not null,
  response_type text,
  created_at timestamptz not null default now(),
  primary key (company_id, id),
  constraint pulse_questions_question_length check (char_length(question) between 1 and 2000),
  constraint pulse_questions_response_type_length check (char_length(response_type) between 1 and 50)
);

create table app.pulse_responses (
  company_id uuid not null references app.companies (id) on delete cascade,
  id uuid not null default gen_random_uuid(),
  -- Null when the answer belongs to no question that is still known: the API then answers null for question and response_type.
  question_id uuid,
  value jsonb,
  comment text not null default '',
  created_at timestamptz not null default now(),
  primary key (company_id, id),
  foreign key (company_id, question_id) references app.pulse_questions (company_id, id),
  constraint pulse_responses_comment_length check (char_length(comment) <= 10000),
  constraint pulse_responses_created_at_range check (created_at >= '0001-01-01Z' and created_at < '10000-01-01Z')
);

alter table app.pulse_questions enable row level security;
alter table app.pulse_responses enable row level security;

-- A page, newest first; and the side of the foreign key that deleting a question looks up.
create index pulse_responses_newest on app.pulse_responses (company_id, created_at desc, id desc);
create index pulse_responses_question on app.pulse_responses (company_id, question_id);

create policy api_read on app.pulse_questions for select to public_api
  using (company_id = (select app.current_company_id()));
create policy api_read on app.pulse_responses for select to public_api
  using (company_id = (select app.current_company_id()));

grant select on app.pulse_questions, app.pulse_responses to public_api;
-- Not granted: any write; anything to authenticated.

comment on table app.pulse_questions is 'Questions of pulse surveys.';
comment on column app.pulse_questions.response_type is 'What kind of value answers it, such as scale, boolean, text, choice; null when unknown.';
comment on table app.pulse_responses is 'Anonymous answers to pulse surveys. No person, no team.';
comment on column app.pulse_responses.value is 'Any JSON value; passed through as it is.';

-- 0600_api_keys.sql

-- API keys: what opens the API for another system, and what is known of them. The key itself is never stored: whoever reads
-- the whole database finds its SHA-256. A fast hash is right here, because a key is 190 random bits: there is nothing to guess.

-- The scopes, in the order in which they are always shown (docs/api.md, Authentication).
create function app.scopes() returns text[]
language sql immutable set search_path = ''
return array['read:members', 'read:activity', 'read:rewards', 'read:analytics', 'write:rewards'];

revoke all on function app.scopes from public;
grant execute on function app.scopes to authenticated;
comment on function app.scopes is 'All scopes, in the order in which they are shown.';

create table app.api_keys (
  company_id uuid not null references app.companies (id) on delete cascade,
  id uuid not null default gen_random_uuid(),
  name text not null,
  scopes text[] not null,
  -- A key is looked up before its company is known, therefore unique in the whole service.
  key_hash bytea not null,
  hint text not null,
  created_at timestamptz not null default now(),
  created_by uuid not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  revoked_by uuid,
  -- The key that takes its place; until this one expires, both work. No foreign key: in an emergency an operator deletes a key, whatever
  -- it replaced.
  replaced_by uuid,
  primary key (company_id, id),
  constraint api_keys_key_hash_key unique (key_hash),
  foreign key (company_id, created_by) references app.members (company_id, id),
  foreign key (company_id, revoked_by) references app.members (company_id, id),
  constraint api_keys_name_length check (char_length(name) between 1 and 100),
  constraint api_keys_scopes_known check (cardinality(scopes) > 0 and scopes <@ app.scopes()),
  constraint api_keys_key_hash_length check (octet_length(key_hash) = 32),
  constraint api_keys_revoked_by_whom check ((revoked_at is null) = (revoked_by is null))
);

alter table app.api_keys enable row level security;

create index api_keys_newest on app.api_keys (company_id, created_at desc, id desc);
create index api_keys_created_by on app.api_keys (company_id, created_by);
create index api_keys_revoked_by on app.api_keys (company_id, revoked_by);

create policy admin_read on app.api_keys for select to authenticated
  using (company_id = (select admin.company_id from app.current_admin() as admin));
create policy admin_insert on app.api_keys for insert to authenticated
  with check (company_id = (select admin.company_id from app.current_admin() as admin));
create policy admin_update on app.api_keys for update to authenticated
  using (company_id = (select admin.company_id from app.current_admin() as admin))
  with check (company_id = (select admin.company_id from app.current_admin() as admin));

grant select (company_id, id, name, scopes, hint, created_at, created_by, expires_at, revoked_at, revoked_by, replaced_by)
  on app.api_keys to authenticated;
grant insert (name, scopes, expires_at) on app.api_keys to authenticated;
grant update (name, expires_at, revoked_at, replaced_by) on app.api_keys to authenticated;
-- What of an update counts, app.change_api_key decides.
-- Not granted: key_hash to anybody, so that nobody reads or chooses one; delete, because a revoked key stays listed;
-- anything to public_api: app.authenticate is the only function that reads this table for a request.

comment on table app.api_keys is 'API keys of a company: hash, hint, scopes. Never the key.';
comment on column app.api_keys.key_hash is 'SHA-256 of the whole key.';
comment on column app.api_keys.hint is 'sk_live_… and the last four characters, so that a person can tell keys apart.';

-- When a key was last used. Apart from the key row, so that no request waits for a revoke and no revoke for a request.
create table app.api_key_uses (
  company_id uuid not null,
  key_id uuid not null,
  last_used_at timestamptz,
  primary key (company_id, key_id),
  foreign key (company_id, key_id) references app.api_keys (company_id, id) on delete cascade
);

alter table app.api_key_uses enable row level security;

create policy admin_read on app.api_key_uses for select to authenticated
  using (company_id = (select admin.company_id from app.current_admin() as admin));

grant select on app.api_key_uses to authenticated;
-- Not granted: any write; app.authenticate records the uses.

comment on table app.api_key_uses is 'When an API key was last used, to the minute.';

-- 0610_making_api_keys.sql

-- How a key is made (docs/api.md, Authentication): sk_live_, 32 random characters of 0-9A-Za-z, and six characters that check the
-- text before them. The check lets the function refuse junk without asking the database, and lets a secret scanner tell
-- a real key from a placeholder.

-- CRC32 (IEEE) of the ASCII text in base62, six characters, most significant first.
create function app.api_key_checksum(text text) returns text
language plpgsql immutable strict set search_path = ''
as $$
declare
  alphabet constant text := '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  bytes constant bytea := convert_to(text, 'UTF8');
  crc bigint := x'ffffffff'::bigint;
  checksum text := '';
begin
  for position in 0 .. octet_length(bytes) - 1 loop
    crc := crc # get_byte(bytes, position);
    for bit in 1 .. 8 loop
      crc := case when crc & 1 = 1 then (crc >> 1) # x'edb88320'::bigint else crc >> 1 end;
    end loop;
  end loop;
  crc := crc # x'ffffffff'::bigint;

  for digit in 1 .. 6 loop
    checksum := substr(alphabet, (crc % 62)::integer + 1, 1) || checksum;
    crc := crc / 62;
  end loop;
  return checksum;
end
$$;

revoke all on function app.api_key_checksum from public;
comment on function app.api_key_checksum is 'The last six characters of an API key, from the text before them.';

-- 32 characters of 62 are 190 bits. Bytes from 248 on are thrown away: with them the first characters would come up more often.
create function app.new_api_key() returns text
language plpgsql volatile set search_path = ''
as $$
declare
  alphabet constant text := '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  random_bytes bytea;
  body text := '';
begin
  while char_length(body) < 32 loop
    random_bytes := extensions.gen_random_bytes(32);
    for position in 0 .. 31 loop
      if get_byte(random_bytes, position) < 248 then
        body := body || substr(alphabet, get_byte(random_bytes, position) % 62 + 1, 1);
      end if;
    end loop;
  end loop;
  body := 'sk_live_' || left(body, 32);
  return body || app.api_key_checksum(body);
end
$$;

revoke all on function app.new_api_key from public;
comment on function app.new_api_key is 'A new random API key.';

-- Whoever inserts a key says its name, scopes and expiry; everything else is decided here, so that no caller can choose a key, a
-- hash, a company or a creator. The key leaves through a setting of this transaction, which app.insert_api_key empties.
create function app.make_api_key() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  api_key constant text := app.new_api_key();
begin
  select admin.company_id, admin.member_id into new.company_id, new.created_by from app.current_admin() as admin;
  new.id := gen_random_uuid();
  new.scopes := array(select scope from unnest(new.scopes) as scope order by array_position(app.scopes(), scope));
  new.key_hash := sha256(convert_to(api_key, 'UTF8'));
  new.hint := 'sk_live_…' || right(api_key, 4);
  new.created_at := now();
  new.revoked_at := null;
  new.revoked_by := null;
  new.replaced_by := null;
  perform set_config('app.new_api_key', api_key, true);
  return new;
end
$$;

revoke all on function app.make_api_key from public;
comment on function app.make_api_key is 'Trigger: makes the key of a new row and everything that the caller may not choose.';

create trigger make_api_key before insert on app.api_keys
  for each row execute function app.make_api_key();

-- 0615_changing_api_keys.sql

-- What may change of a key (docs/api.md, Authentication): it is renamed, it is replaced once, it is revoked once and for good. Scopes,
-- creator, company and hash are those that it was made with, for life.

-- Whatever else an update says stays as it was; but Former member takes the place of somebody who has been erased (0950).
create function app.change_api_key() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  asked constant app.api_keys := new;
  admin_id constant uuid := (select admin.member_id from app.current_admin() as admin);
begin
  if app.stand_for_erased(old.company_id, array[old.created_by, old.revoked_by], array[new.created_by, new.revoked_by]) then
    old.created_by := new.created_by;
    old.revoked_by := new.revoked_by;
    return old;
  end if;
  if old.revoked_at is not null then
    return null;
  end if;
  new := old;
  if asked.revoked_at is not null then
    new.revoked_at := now();
    new.revoked_by := admin_id;
  elsif admin_id is null then
    return null;
  elsif asked.replaced_by is distinct from old.replaced_by and old.replaced_by is null then
    new.replaced_by := asked.replaced_by;
    -- The end of the overlap, or earlier if it was to.
    new.expires_at := least(old.expires_at, asked.expires_at);
  elsif asked.name <> old.name then
    new.name := asked.name;
  else
    return null;
  end if;
  return new;
end
$$;

revoke all on function app.change_api_key from public;
comment on function app.change_api_key is 'Trigger: an update of a key revokes it, replaces it or renames it, and changes nothing else but who stands for the erased.';

create trigger change_api_key before update on app.api_keys
  for each row execute function app.change_api_key();

-- 0618_history_of_api_keys.sql

-- The history of keys: who created, replaced, renamed or revoked which, when, with what scopes. It only grows.
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
  member_id uuid not null,
  -- As it was then: the history stays readable when the member is renamed.
  member_name text not null,
  -- Of a key that was renamed: what it was called before. key_name is what it is called since.
  former_name text,
  -- Of a key that was replaced: by which.
  replaced_by uuid,
  primary key (company_id, id),
  constraint api_key_events_action_known check (action in ('created', 'replaced', 'renamed', 'revoked'))
);

alter table app.api_key_events enable row level security;

create index api_key_events_newest on app.api_key_events (company_id, created_at desc, id desc);

create policy admin_read on app.api_key_events for select to authenticated
  using (company_id = (select admin.company_id from app.current_admin() as admin));

grant select on app.api_key_events to authenticated;
-- Not granted: any write; the trigger on app.api_keys writes it, and the trigger below refuses every change to everybody.

-- Refuses to change what is history, also to the owner of the table. But Former member takes the place of somebody who has been erased,
-- and the history of a company goes when the company is no more (0950).
create function app.refuse_change() returns trigger
language plpgsql set search_path = ''
as $$
begin
  if tg_op = 'UPDATE' and to_jsonb(new) - array['member_id', 'member_name'] = to_jsonb(old) - array['member_id', 'member_name']
    and new.member_name = 'Former member' and app.stand_for_erased(old.company_id, array[old.member_id], array[new.member_id]) then
    return new;
  end if;
  if tg_op = 'DELETE' and not exists (select from app.companies as c where c.id = old.company_id) then
    return old;
  end if;
  raise exception '% only grows: % is refused', tg_relid::regclass, lower(tg_op) using errcode = 'insufficient_privilege';
end
$$;

revoke all on function app.refuse_change from public;
comment on function app.refuse_change is 'Trigger: refuses update, delete and truncate to everybody, but for what erasing people and deleting companies leave.';

create trigger refuse_change before update or delete on app.api_key_events
  for each row execute function app.refuse_change();
create trigger refuse_truncate before truncate on app.api_key_events
  for each statement execute function app.refuse_change();

comment on table app.api_key_events is 'Who created, replaced, renamed or revoked which API key, when. Only ever grows.';

-- Writes the history, and the row that the last use will stand in.
create function app.record_api_key_event() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  -- Erasing a person is recorded in app.erasures, and names nobody.
  if tg_op = 'UPDATE' and (new.name, new.revoked_at, new.replaced_by) is not distinct from (old.name, old.revoked_at, old.replaced_by) then
    return null;
  end if;

  insert into app.api_key_events
    (company_id, action, key_id, key_name, hint, scopes, expires_at, member_id, member_name, former_name, replaced_by)
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
    case when tg_op = 'UPDATE' and new.replaced_by is distinct from old.replaced_by then new.replaced_by end
  from app.current_admin() as admin
  join app.members as m on m.company_id = new.company_id and m.id = admin.member_id;

  if tg_op = 'INSERT' then
    insert into app.api_key_uses (company_id, key_id) values (new.company_id, new.id);
  end if;
  return null;
end
$$;

revoke all on function app.record_api_key_event from public;
comment on function app.record_api_key_event is 'Trigger: records every change of a key in app.api_key_events.';

create trigger record_api_key_event after insert or update on app.api_keys
  for each row execute function app.record_api_key_event();

-- 0620_authenticate.sql

-- app.authenticate: the one door. Verifies a key by its hash and binds the transaction to the company that owns it.
--
-- It is owned by postgres, the only one who reads the key table, and only public_api may execute it. Call it first and read in
-- a statement of its own after it: policies look at the company that it has set.

create type app.verified_key as (company_id uuid, key_id uuid, key_name text, scopes text[], expires_at timestamptz);

revoke all on type app.verified_key from public;
grant usage on type app.verified_key to public_api;
comment on type app.verified_key is 'What app.authenticate knows of a key once it has verified it.';

-- The one place that holds this number. Operators of larger compute replace it (create or replace function); sessions follow at once,
-- because it is stable: of an immutable function they would keep the value.
create function app.requests_at_once() returns integer
language sql stable set search_path = ''
return 4;

revoke all on function app.requests_at_once from public;
comment on function app.requests_at_once is
  'How many requests of one company run in the database at the same moment, over all its keys. More are refused with PT429. To be replaced by operators.';

-- Notes that a key is used. Never waiting: whoever finds the row locked leaves it to the one who holds it. Not at all while the database is
-- read-only, which the platform makes it by default when a disk is nearly full: a page is worth more than the note. The default is asked and
-- not the transaction: PostgREST begins a POST as read write whatever the default is, and a GET, which is not for us, as read-only.
create function app.note_use(company_id uuid, key_id uuid) returns void
language plpgsql volatile
set search_path = ''
set enable_seqscan = off
as $$
begin
  if current_setting('default_transaction_read_only')::boolean or pg_is_in_recovery() then
    return;
  end if;
  update app.api_key_uses as u set last_used_at = now()
  where (u.company_id, u.key_id) in (
    select free.company_id, free.key_id
    from app.api_key_uses as free
    where free.company_id = note_use.company_id and free.key_id = note_use.key_id
    for update skip locked
  );
end
$$;

revoke all on function app.note_use from public;
comment on function app.note_use is 'Records now as the last use of a key, unless somebody else is doing that or the database is read-only.';

-- Reading a table from end to end is off, as in the lists: a plan made while there were few keys would do it when there are many. For
-- the same reason the last use is looked up from the key and not joined: a join may go through all keys of a company.
--
-- Raises PT401 (unknown, revoked or expired: HTTP 401) or PT403 (the scope is missing: HTTP 403); PostgREST turns these into
-- the HTTP status. PT429 when as many requests of the company are under way as may be (app.requests_at_once), and, while the company is
-- moving to another project, for a scope that writes: to be tried again, here or there.
-- The detail of a PT403 and of too many requests names key and company for the request log.
create function app.authenticate(key_hash text, required_scope text) returns app.verified_key
language plpgsql volatile security definer
set search_path = ''
set enable_seqscan = off
set jit = off
as $$
declare
  verified app.verified_key;
  use_is_noted boolean;
  serving text;
  slot integer := 1;
  bound_to text;
begin
  select k.company_id, k.id, k.name, k.scopes, k.expires_at, coalesce(u.last_used_at > now() - interval '1 minute', false), c.serving
  into verified.company_id, verified.key_id, verified.key_name, verified.scopes, verified.expires_at, use_is_noted, serving
  from app.api_keys as k
  cross join lateral (
    select used.last_used_at from app.api_key_uses as used where used.company_id = k.company_id and used.key_id = k.id offset 0
  ) as u
  cross join lateral (select company.serving from app.companies as company where company.id = k.company_id offset 0) as c
  where k.key_hash = decode(authenticate.key_hash, 'hex')
    and k.revoked_at is null
    and (k.expires_at is null or k.expires_at > now())
    and c.serving <> 'closed';

  if not found then
    raise exception using errcode = 'PT401', message = 'Unauthorized: Invalid or missing API Key';
  end if;

  -- Where a company has moved away from, nothing of it can be written any more.
  if serving = 'readable' then
    verified.scopes := array(select scope from unnest(verified.scopes) with ordinality as s (scope, place) where scope not like 'write:%' order by place);
  end if;

  if required_scope <> all (verified.scopes) then
    raise exception using
      errcode = 'PT403',
      message = format('Forbidden: this key is missing the "%s" scope', required_scope),
      detail = json_build_object('key_id', verified.key_id, 'company_id', verified.company_id);
  end if;

  if serving = 'moving' and required_scope like 'write:%' then
    raise exception using errcode = 'PT429', message = 'the company is moving to another project';
  end if;

  -- One of the company's slots is taken until the end of the transaction, once: a company that it is bound to already has its slot. An
  -- advisory lock writes nothing and is gone however the transaction ends, or the server. Its 64 bits are a hash of the company's id, seeded
  -- with the slot and a number of our own, so that it is neither another company's nor somebody else's lock.
  if current_setting('app.company_id', true) is distinct from verified.company_id::text then
    while not pg_try_advisory_xact_lock(uuid_hash_extended(verified.company_id, 7330216700000000 + slot)) loop
      slot := slot + 1;
      if slot > app.requests_at_once() then
        raise exception using
          errcode = 'PT429',
          message = 'Too Many Requests',
          detail = json_build_object('key_id', verified.key_id, 'company_id', verified.company_id);
      end if;
    end loop;
  end if;

  -- At most once a minute, and not where the company has moved away from.
  if not use_is_noted and serving = 'open' then
    perform app.note_use(verified.company_id, verified.key_id);
  end if;

  -- Assigned and not performed, which would run it as a query.
  bound_to := set_config('app.company_id', verified.company_id::text, true);
  return verified;
end
$$;

revoke all on function app.authenticate from public;
grant execute on function app.authenticate to public_api;
comment on function app.authenticate is
  'Verifies an API key by its SHA-256 in hex and sets the company of this transaction. PT401, PT403, PT429. A null scope asks for none.';

-- 0710_serving.sql

-- What the chapters that follow share: each is one endpoint, with its view, its function, and who may call it.
--
-- A view is the public shape of a resource (docs/api.md), column for column, after company_id, the ids that filters need and the instant
-- that pages are ordered by. Date-times are text, as app.iso_8601 makes it, but not made by it: a call a row would cost a fifth of a page's
-- time. security_invoker: a view reads with the rights and under the policies of whoever selects from it. create or replace without
-- repeating the option would clear it silently; a test looks.
--
-- What a row names (its team, its people) is looked up row by row with left join lateral (… offset 0): offset 0 keeps PostgreSQL from
-- turning the look-ups into joins over whole tables, so that a page costs the same at any size.
--
-- A page begins with the newest row, or below the row that starting_after names: one row comparison (instant, id) < (…), which an index
-- takes as a condition. It has to be the only upper bound: beside instant <= until the scan starts at the row comparison and walks down to
-- until. So until is folded into the pair, as the microsecond after it and the lowest id, and the smaller of the two pairs bounds the page.
--
-- Not granted: any view to anon, authenticated or service_role.

-- Every one of these functions asks row_security_active() about the tables that it reads, and calls this where the answer is no.
-- Ownership is what a restore without owners loses, and the same functions owned by postgres would return every company's rows:
-- then they had better not run at all.
create function app.refuse_without_row_security() returns void
language plpgsql stable set search_path = ''
as $$
begin
  raise exception 'row-level security does not bind %', current_user
    using hint = 'Functions that serve API keys belong to public_api, and every table has row-level security: docs/operations.md, Restore.';
end
$$;

revoke all on function app.refuse_without_row_security from public;
grant execute on function app.refuse_without_row_security to public_api;
comment on function app.refuse_without_row_security is 'Raises: row-level security does not bind the current role.';

-- What PostgREST's response.headers hold for the Edge Function besides a page: key and company for the request log, how many rows the page
-- has, and whether there are more. Written out, because building it from JSON functions took a tenth of a small page's time, and uuids,
-- integers and booleans need no escaping; each list fills it in itself, because the call of a function for that took a fortieth
-- (and assigns what set_config answers, because perform would run it as a query). This function costs nothing: it is immutable, so that
-- the planner calls it once and keeps the text.
create function app.page_headers() returns text
language sql immutable set search_path = ''
return '[{"X-Key-Id":"%s"},{"X-Company-Id":"%s"},{"X-Row-Count":"%s"},{"X-Has-More":"%s"}]';

revoke all on function app.page_headers from public;
grant execute on function app.page_headers to public_api;
comment on function app.page_headers is
  'The response.headers of a page, for format(): the ids of key and company, the number of its rows, true or false for whether there are more.';

-- The answer of the functions that serve no page: its body as it is, with key and company for the request log. Lists of 1.0.0 pass what a
-- page has besides; one that is under way while a migration replaces it still does.
create function app.respond(
  key_id uuid,
  company_id uuid,
  body json,
  page_rows bigint default null,
  has_more boolean default null
)
returns json
language plpgsql volatile set search_path = ''
as $$
declare
  headers text;
begin
  -- Assigned and not performed, which would run it as a query.
  headers := set_config(
    'response.headers',
    case
      when page_rows is null then format('[{"X-Key-Id":"%s"},{"X-Company-Id":"%s"}]', key_id, company_id)
      else format('[{"X-Key-Id":"%s"},{"X-Company-Id":"%s"},{"X-Row-Count":"%s"},{"X-Has-More":"%s"}]', key_id, company_id, page_rows, has_more::text)
    end,
    true
  );
  return body;
end
$$;

revoke all on function app.respond from public;
grant execute on function app.respond to public_api;
comment on function app.respond is
  'The body, with X-Key-Id, X-Company-Id and of a page X-Row-Count and X-Has-More put into the response.';

-- The row that starting_after names is not in this list of the company: it may be another company's, and nothing tells the two apart.
create function app.refuse_starting_after(key_id uuid, company_id uuid) returns void
language plpgsql stable set search_path = ''
as $$
begin
  raise exception using
    errcode = 'PT400',
    message = 'starting_after must be the id of a row of this list',
    detail = json_build_object('key_id', key_id, 'company_id', company_id);
end
$$;

revoke all on function app.refuse_starting_after from public;
grant execute on function app.refuse_starting_after to public_api;
comment on function app.refuse_starting_after is 'Raises PT400: starting_after is not the id of a row of the list. The detail names key and company for the request log.';

-- As text, because json keeps the page's rows as they were written, and jsonb would sort their fields and change their numbers.
create function app.append_columns(item json, columns json, include text[]) returns json
language sql immutable set search_path = ''
return (
  select (left(item::text, -1) || string_agg(',' || to_json(c.key)::text || ':' || c.value::text, '' order by c.place) || '}')::json
  from json_each(columns) with ordinality as c (key, value, place)
  where c.key = any (include)
);

revoke all on function app.append_columns from public;
grant execute on function app.append_columns to public_api;
comment on function app.append_columns is 'A row of a page with those of the columns behind it that include names, in the order of the columns.';

-- 0800_verify_api_key.sql

-- GET / (docs/api.md, Authentication), and the check that comes before every 400: a caller without a valid key, or without the scope,
-- learns nothing about parameters.

create function public.verify_api_key(key_hash text, required_scope text default null) returns json
language plpgsql volatile security definer
set search_path = ''
set jit = off
set lock_timeout = '5s'
set statement_timeout = '7s'
as $$
declare
  api_key app.verified_key;
  company_name text;
begin
  if not row_security_active('app.companies'::regclass) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, required_scope);
  select c.name into company_name from app.companies as c where c.id = api_key.company_id;
  return app.respond(
    api_key.key_id,
    api_key.company_id,
    json_build_object(
      'company_name', company_name,
      'key_name', api_key.key_name,
      'scopes', api_key.scopes,
      'expires_at', app.iso_8601(api_key.expires_at)
    )
  );
end
$$;

-- Owned by public_api, so that the policies bind it; to be called with the project's secret key only.
grant create on schema public to public_api;
alter function public.verify_api_key owner to public_api;
revoke create on schema public from public_api;
revoke all on function public.verify_api_key from public, anon, authenticated;
grant execute on function public.verify_api_key to service_role;
comment on function public.verify_api_key is
  'Checks a key and, when it is given, a scope: { company_name, key_name, scopes, expires_at }. PT401, PT403.';

-- 0810_list_members.sql

-- GET /members (docs/api.md, Members).
--
-- One static statement per leading filter, because each has an index with the order of the page behind it; a second filter
-- is checked on the way. The generic plan is forced: planning anew for every call would halve the speed of small pages. And
-- nothing but the index that has the page's order is left to it: reading a whole table, or sorting all that a filter matches, may
-- look cheap in the session that made the plan, and is not when the table has grown.
--
-- A sort that cannot be avoided, as of the names of categories, is priced at 1e10 then. That is past jit_above_cost, and compiling a page of
-- two milliseconds took 200 to 700: therefore jit = off, here and in whatever a page calls. Nothing else is decided by that price: it is
-- a price of such a sort alone, parallel plans are ruled out by the policies (app.current_company_id is not parallel safe), and
-- force_generic_plan compares no prices.
--
-- Each statement reads one row more than it answers: that there is one is what X-Has-More says.

create view api.members with (security_invoker = true) as
select
  m.company_id,
  m.created_at as instant,
  m.id,
  m.name,
  m.email,
  m.role,
  m.team_id,
  coalesce(team.name, 'No Team') as team_name,
  to_char(m.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as created_at
from app.members as m
left join lateral (
  select t.name from app.teams as t where t.company_id = m.company_id and t.id = m.team_id offset 0
) as team on true
where not m.is_former;

grant select on api.members to public_api;
comment on view api.members is 'Members (docs/api.md, Members).';

-- Which filter leads: the only one, and of two the one that fewer members match, of a thousand of each at most: counting them costs less
-- than a page. It is planned as its caller says, but for bitmaps, which read all that matches before the first is counted.
create function app.rarest_members_filter(company_id uuid, team_id uuid, role text) returns text
language plpgsql stable
set search_path = ''
set enable_bitmapscan = off
set jit = off
as $$
declare
  of_team bigint;
  of_role bigint;
begin
  if num_nonnulls(team_id, role) = 1 then
    return case when team_id is not null then 'team' else 'role' end;
  end if;

  select count(*) into of_team from (
    select from app.members as m
    where m.company_id = rarest_members_filter.company_id and m.team_id = rarest_members_filter.team_id
    limit 1000
  ) as counted;
  select count(*) into of_role from (
    select from app.members as m
    where m.company_id = rarest_members_filter.company_id and m.role = rarest_members_filter.role
    limit 1000
  ) as counted;
  return case least(of_team, of_role) when of_team then 'team' else 'role' end;
end
$$;

revoke all on function app.rarest_members_filter from public;
grant execute on function app.rarest_members_filter to public_api;
comment on function app.rarest_members_filter is 'team or role, whichever fewest members match.';

create function public.list_members(
  key_hash text,
  max_rows integer,
  team_id uuid default null,
  role text default null,
  starting_after uuid default null
)
returns json
language plpgsql volatile security definer
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_sort = off
set jit = off
set lock_timeout = '5s'
set statement_timeout = '7s'
as $$
declare
  api_key app.verified_key;
  found_rows bigint;
  page json;
  headers text;
  -- The page begins below this pair of instant and id (docs/api.md, Lists).
  below_instant timestamptz := 'infinity';
  below_id uuid := '00000000-0000-0000-0000-000000000000';
  lead_by text;
begin
  if not (row_security_active('app.members'::regclass) and row_security_active('app.teams'::regclass)) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:members');

  if starting_after is not null then
    select m.instant, m.id into below_instant, below_id from api.members as m where m.company_id = api_key.company_id and m.id = starting_after;
    if not found then
      perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
    end if;
  end if;

  if num_nonnulls(team_id, role) > 0 then
    lead_by := app.rarest_members_filter(api_key.company_id, team_id, role);
  end if;

  if lead_by is null then
    select count(*), json_agg(item) filter (where place <= max_rows) into found_rows, page from (
      select item, row_number() over () as place from (
        select m.id, m.name, m.email, m.role, m.team_id, m.team_name, m.created_at
        from api.members as m
        where m.company_id = api_key.company_id
          and (m.instant, m.id) < (below_instant, below_id)
        order by m.instant desc, m.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  elsif lead_by = 'team' then
    select count(*), json_agg(item) filter (where place <= max_rows) into found_rows, page from (
      select item, row_number() over () as place from (
        select m.id, m.name, m.email, m.role, m.team_id, m.team_name, m.created_at
        from api.members as m
        where m.company_id = api_key.company_id and m.team_id = list_members.team_id
          and (m.instant, m.id) < (below_instant, below_id)
          and (list_members.role is null or m.role = list_members.role)
        order by m.instant desc, m.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  else
    select count(*), json_agg(item) filter (where place <= max_rows) into found_rows, page from (
      select item, row_number() over () as place from (
        select m.id, m.name, m.email, m.role, m.team_id, m.team_name, m.created_at
        from api.members as m
        where m.company_id = api_key.company_id and m.role = list_members.role
          and (m.instant, m.id) < (below_instant, below_id)
          and (list_members.team_id is null or m.team_id = list_members.team_id)
        order by m.instant desc, m.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  end if;

  headers := set_config(
    'response.headers',
    format(app.page_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text),
    true
  );
  return coalesce(page, '[]');
end
$$;

-- Owned by public_api, so that the policies bind it; to be called with the project's secret key only.
grant create on schema public to public_api;
alter function public.list_members owner to public_api;
revoke create on schema public from public_api;
revoke all on function public.list_members from public, anon, authenticated;
grant execute on function public.list_members to service_role;
comment on function public.list_members is
  'Members of the key''s company, newest first, as a JSON array. read:members. PT400, PT401, PT403, PT429.';

-- 0815_list_teams.sql

-- GET /teams (docs/api.md, Teams). Statement and plan as in list_members.

create view api.teams with (security_invoker = true) as
select
  t.company_id,
  t.created_at as instant,
  t.id,
  t.name,
  to_char(t.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as created_at
from app.teams as t;

grant select on api.teams to public_api;
comment on view api.teams is 'Teams (docs/api.md, Teams).';

create function public.list_teams(key_hash text, max_rows integer, starting_after uuid default null) returns json
language plpgsql volatile security definer
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_sort = off
set jit = off
set lock_timeout = '5s'
set statement_timeout = '7s'
as $$
declare
  api_key app.verified_key;
  found_rows bigint;
  page json;
  headers text;
  -- The page begins below this pair of instant and id (docs/api.md, Lists).
  below_instant timestamptz := 'infinity';
  below_id uuid := '00000000-0000-0000-0000-000000000000';
begin
  if not row_security_active('app.teams'::regclass) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:members');

  if starting_after is not null then
    select t.instant, t.id into below_instant, below_id from api.teams as t where t.company_id = api_key.company_id and t.id = starting_after;
    if not found then
      perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
    end if;
  end if;

  select count(*), json_agg(item) filter (where place <= max_rows) into found_rows, page from (
    select item, row_number() over () as place from (
      select t.id, t.name, t.created_at
      from api.teams as t
      where t.company_id = api_key.company_id
        and (t.instant, t.id) < (below_instant, below_id)
      order by t.instant desc, t.id desc
      limit max_rows + 1
    ) as item
  ) as numbered;

  headers := set_config(
    'response.headers',
    format(app.page_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text),
    true
  );
  return coalesce(page, '[]');
end
$$;

-- Owned by public_api, so that the policies bind it; to be called with the project's secret key only.
grant create on schema public to public_api;
alter function public.list_teams owner to public_api;
revoke create on schema public from public_api;
revoke all on function public.list_teams from public, anon, authenticated;
grant execute on function public.list_teams to service_role;
comment on function public.list_teams is
  'Teams of the key''s company, newest first, as a JSON array. read:members. PT400, PT401, PT403, PT429.';

-- 0820_list_activity.sql

-- GET /activity (docs/api.md, Activity). Statements and plans as in list_members.

-- All but the category's name: public.list_activity looks all of them up once a page.
create view api.activity with (security_invoker = true) as
select
  k.company_id,
  k.category_id,
  k.sender_id,
  k.receiver_id,
  k.created_at as instant,
  k.id,
  to_char(k.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "timestamp",
  sender.name as sender_name,
  sender.email as sender_email,
  receiver.name as receiver_name,
  receiver.email as receiver_email,
  k.message
from app.kudos as k
left join lateral (
  select m.name, m.email from app.members as m where m.company_id = k.company_id and m.id = k.sender_id offset 0
) as sender on true
left join lateral (
  select m.name, m.email from app.members as m where m.company_id = k.company_id and m.id = k.receiver_id offset 0
) as receiver on true;

grant select on api.activity to public_api;
comment on view api.activity is 'Kudos (docs/api.md, Activity), with the id of their category.';

-- The name of each category of a company, by its id: in the company's default language (pt-br is pt-BR, but what is written the same comes
-- first), else in English, else in any: the first language by its tag. A category without any name is not in it. In plpgsql, because a
-- session keeps its plan; stable, so that it sees the moment that the statement sees which asks.
create function app.category_names_by_id(company_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
set jit = off
as $$
begin
  return (
    select jsonb_object_agg(named.category_id, named.name)
    from (
      select distinct on (n.category_id) n.category_id, n.name
      from app.category_names as n
      join app.companies as company on company.id = n.company_id
      where n.company_id = category_names_by_id.company_id
      order by n.category_id, n.language = company.default_language desc,
        lower(n.language) = lower(company.default_language) desc, n.language = 'en' desc, n.language
    ) as named
  );
end
$$;

revoke all on function app.category_names_by_id from public;
grant execute on function app.category_names_by_id to public_api;
comment on function app.category_names_by_id is 'The names of a company''s kudos categories, { id: name }, in the language that the company reads.';

-- Which filter leads: the only one, and of several the one that fewest kudos of the window match, of a thousand of each at most. It
-- is planned as its caller says, but for bitmaps, which read all that matches before the first is counted.
create function app.rarest_kudos_filter(
  company_id uuid,
  since timestamptz,
  until timestamptz,
  sender_id uuid,
  receiver_id uuid,
  category_id uuid
)
returns text
language plpgsql stable
set search_path = ''
set enable_bitmapscan = off
set jit = off
as $$
declare
  of_sender bigint;
  of_receiver bigint;
  of_category bigint;
begin
  if num_nonnulls(sender_id, receiver_id, category_id) = 1 then
    return case when sender_id is not null then 'sender' when receiver_id is not null then 'receiver' else 'category' end;
  end if;

  if sender_id is not null then
    select count(*) into of_sender from (
      select from app.kudos as k
      where k.company_id = rarest_kudos_filter.company_id and k.sender_id = rarest_kudos_filter.sender_id
        and k.created_at >= since and k.created_at <= until
      limit 1000
    ) as counted;
  end if;
  if receiver_id is not null then
    select count(*) into of_receiver from (
      select from app.kudos as k
      where k.company_id = rarest_kudos_filter.company_id and k.receiver_id = rarest_kudos_filter.receiver_id
        and k.created_at >= since and k.created_at <= until
      limit 1000
    ) as counted;
  end if;
  if category_id is not null then
    select count(*) into of_category from (
      select from app.kudos as k
      where k.company_id = rarest_kudos_filter.company_id and k.category_id = rarest_kudos_filter.category_id
        and k.created_at >= since and k.created_at <= until
      limit 1000
    ) as counted;
  end if;
  -- least() passes over those that were not counted.
  return case least(of_sender, of_receiver, of_category)
    when of_sender then 'sender'
    when of_receiver then 'receiver'
    else 'category'
  end;
end
$$;

revoke all on function app.rarest_kudos_filter from public;
grant execute on function app.rarest_kudos_filter to public_api;
comment on function app.rarest_kudos_filter is
  'sender, receiver or category, whichever fewest kudos of the window match.';

-- What include=sender_id,receiver_id,category_id appends. Stable, so that it sees the moment that the page sees.
create function app.include_in_activity(page json, company_id uuid, include text[]) returns json
language plpgsql stable
set search_path = ''
set jit = off
as $$
begin
  return (
    select json_agg(app.append_columns(item.json, json_build_object('sender_id', kudos.sender_id, 'receiver_id', kudos.receiver_id, 'category_id', kudos.category_id), include) order by item.place)
    from json_array_elements(page) with ordinality as item (json, place)
    cross join lateral (
      select k.sender_id, k.receiver_id, k.category_id from app.kudos as k
      where k.company_id = include_in_activity.company_id and k.id = (item.json ->> 'id')::uuid
      offset 0
    ) as kudos
  );
end
$$;

revoke all on function app.include_in_activity from public;
grant execute on function app.include_in_activity to public_api;
comment on function app.include_in_activity is 'A page of GET /activity with the columns that include names, in the order of docs/api.md.';

create function public.list_activity(
  key_hash text,
  max_rows integer,
  since timestamptz default '-infinity',
  until timestamptz default 'infinity',
  category_id uuid default null,
  sender_id uuid default null,
  receiver_id uuid default null,
  starting_after uuid default null,
  include text[] default null
)
returns json
language plpgsql volatile security definer
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_sort = off
set jit = off
set lock_timeout = '5s'
set statement_timeout = '7s'
as $$
declare
  api_key app.verified_key;
  found_rows bigint;
  page json;
  headers text;
  -- The page begins below this pair of instant and id (docs/api.md, Lists).
  below_instant timestamptz := until + interval '1 microsecond';
  below_id uuid := '00000000-0000-0000-0000-000000000000';
  after_instant timestamptz;
  lead_by text;
begin
  if not (
    row_security_active('app.kudos'::regclass) and row_security_active('app.members'::regclass)
    and row_security_active('app.category_names'::regclass) and row_security_active('app.companies'::regclass)
  ) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:activity');

  if starting_after is not null then
    select k.created_at into after_instant from app.kudos as k where k.company_id = api_key.company_id and k.id = starting_after;
    if not found then
      perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
    end if;
    if (after_instant, starting_after) < (below_instant, below_id) then
      below_instant := after_instant;
      below_id := starting_after;
    end if;
  end if;

  if num_nonnulls(sender_id, receiver_id, category_id) > 0 then
    lead_by := app.rarest_kudos_filter(api_key.company_id, since, least(until, below_instant), sender_id, receiver_id, category_id);
  end if;

  -- The names of all categories are looked up once a page, because a company has few and a page has many kudos; and in the page's own
  -- statement, because another would not see the same moment: kudos that came meanwhile would be without the name of theirs.
  if lead_by is null then
    select count(*),
      case
        when include is null then json_agg(item) filter (where place <= max_rows)
        else app.include_in_activity(json_agg(item) filter (where place <= max_rows), api_key.company_id, include)
      end
    into found_rows, page from (
      select item, row_number() over () as place from (
        select k.id, k."timestamp", k.sender_name, k.sender_email, k.receiver_name, k.receiver_email, k.message,
          coalesce((select app.category_names_by_id(api_key.company_id)) ->> k.category_id::text, '') as category
        from api.activity as k
        where k.company_id = api_key.company_id
          and k.instant >= since and (k.instant, k.id) < (below_instant, below_id)
        order by k.instant desc, k.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  elsif lead_by = 'sender' then
    select count(*),
      case
        when include is null then json_agg(item) filter (where place <= max_rows)
        else app.include_in_activity(json_agg(item) filter (where place <= max_rows), api_key.company_id, include)
      end
    into found_rows, page from (
      select item, row_number() over () as place from (
        select k.id, k."timestamp", k.sender_name, k.sender_email, k.receiver_name, k.receiver_email, k.message,
          coalesce((select app.category_names_by_id(api_key.company_id)) ->> k.category_id::text, '') as category
        from api.activity as k
        where k.company_id = api_key.company_id and k.sender_id = list_activity.sender_id
          and k.instant >= since and (k.instant, k.id) < (below_instant, below_id)
          and (list_activity.receiver_id is null or k.receiver_id = list_activity.receiver_id)
          and (list_activity.category_id is null or k.category_id = list_activity.category_id)
        order by k.instant desc, k.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  elsif lead_by = 'receiver' then
    select count(*),
      case
        when include is null then json_agg(item) filter (where place <= max_rows)
        else app.include_in_activity(json_agg(item) filter (where place <= max_rows), api_key.company_id, include)
      end
    into found_rows, page from (
      select item, row_number() over () as place from (
        select k.id, k."timestamp", k.sender_name, k.sender_email, k.receiver_name, k.receiver_email, k.message,
          coalesce((select app.category_names_by_id(api_key.company_id)) ->> k.category_id::text, '') as category
        from api.activity as k
        where k.company_id = api_key.company_id and k.receiver_id = list_activity.receiver_id
          and k.instant >= since and (k.instant, k.id) < (below_instant, below_id)
          and (list_activity.sender_id is null or k.sender_id = list_activity.sender_id)
          and (list_activity.category_id is null or k.category_id = list_activity.category_id)
        order by k.instant desc, k.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  else
    select count(*),
      case
        when include is null then json_agg(item) filter (where place <= max_rows)
        else app.include_in_activity(json_agg(item) filter (where place <= max_rows), api_key.company_id, include)
      end
    into found_rows, page from (
      select item, row_number() over () as place from (
        select k.id, k."timestamp", k.sender_name, k.sender_email, k.receiver_name, k.receiver_email, k.message,
          coalesce((select app.category_names_by_id(api_key.company_id)) ->> k.category_id::text, '') as category
        from api.activity as k
        where k.company_id = api_key.company_id and k.category_id = list_activity.category_id
          and k.instant >= since and (k.instant, k.id) < (below_instant, below_id)
          and (list_activity.sender_id is null or k.sender_id = list_activity.sender_id)
          and (list_activity.receiver_id is null or k.receiver_id = list_activity.receiver_id)
        order by k.instant desc, k.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  end if;

  headers := set_config(
    'response.headers',
    format(app.page_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text),
    true
  );
  return coalesce(page, '[]');
end
$$;

-- Owned by public_api, so that the policies bind it; to be called with the project's secret key only.
grant create on schema public to public_api;
alter function public.list_activity owner to public_api;
revoke create on schema public from public_api;
revoke all on function public.list_activity from public, anon, authenticated;
grant execute on function public.list_activity to service_role;
comment on function public.list_activity is
  'Kudos of the key''s company, newest first, as a JSON array. read:activity. PT400, PT401, PT403, PT429.';

-- 0825_list_categories.sql

-- GET /categories (docs/api.md, Categories). Statement and plan as in list_members.

-- All but the name, which app.category_names_by_id looks up, as for kudos.
create view api.categories with (security_invoker = true) as
select
  c.company_id,
  c.created_at as instant,
  c.id,
  to_char(c.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as created_at
from app.categories as c;

grant select on api.categories to public_api;
comment on view api.categories is 'Categories (docs/api.md, Categories).';

create function public.list_categories(key_hash text, max_rows integer, starting_after uuid default null) returns json
language plpgsql volatile security definer
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_sort = off
set jit = off
set lock_timeout = '5s'
set statement_timeout = '7s'
as $$
declare
  api_key app.verified_key;
  found_rows bigint;
  page json;
  headers text;
  -- The page begins below this pair of instant and id (docs/api.md, Lists).
  below_instant timestamptz := 'infinity';
  below_id uuid := '00000000-0000-0000-0000-000000000000';
begin
  if not (
    row_security_active('app.categories'::regclass) and row_security_active('app.category_names'::regclass)
    and row_security_active('app.companies'::regclass)
  ) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:activity');

  if starting_after is not null then
    select c.instant, c.id into below_instant, below_id from api.categories as c where c.company_id = api_key.company_id and c.id = starting_after;
    if not found then
      perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
    end if;
  end if;

  select count(*), json_agg(item) filter (where place <= max_rows) into found_rows, page from (
    select item, row_number() over () as place from (
      select c.id, coalesce((select app.category_names_by_id(api_key.company_id)) ->> c.id::text, '') as name, c.created_at
      from api.categories as c
      where c.company_id = api_key.company_id
        and (c.instant, c.id) < (below_instant, below_id)
      order by c.instant desc, c.id desc
      limit max_rows + 1
    ) as item
  ) as numbered;

  headers := set_config(
    'response.headers',
    format(app.page_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text),
    true
  );
  return coalesce(page, '[]');
end
$$;

-- Owned by public_api, so that the policies bind it; to be called with the project's secret key only.
grant create on schema public to public_api;
alter function public.list_categories owner to public_api;
revoke create on schema public from public_api;
revoke all on function public.list_categories from public, anon, authenticated;
grant execute on function public.list_categories to service_role;
comment on function public.list_categories is
  'Categories of the key''s company, newest first, as a JSON array. read:activity. PT400, PT401, PT403, PT429.';

-- 0830_list_rewards.sql

-- GET /rewards (docs/api.md, Rewards). Statements and plans as in list_members; without archived rewards there is an index of its own.

create view api.rewards with (security_invoker = true) as
select
  r.company_id,
  r.created_at as instant,
  r.id,
  r.name,
  r.description,
  r.points_cost,
  r.reward_type,
  r.stock_count,
  r.image_url,
  r.vendor_name,
  r.is_archived,
  to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as created_at
from app.rewards as r;

grant select on api.rewards to public_api;
comment on view api.rewards is 'Rewards (docs/api.md, Rewards).';

-- What include=external_id appends. Stable, so that it sees the moment that the page sees.
create function app.include_in_rewards(page json, company_id uuid, include text[]) returns json
language plpgsql stable
set search_path = ''
set jit = off
as $$
begin
  return (
    select json_agg(app.append_columns(item.json, json_build_object('external_id', reward.external_id), include) order by item.place)
    from json_array_elements(page) with ordinality as item (json, place)
    cross join lateral (
      select r.external_id from app.rewards as r
      where r.company_id = include_in_rewards.company_id and r.id = (item.json ->> 'id')::uuid
      offset 0
    ) as reward
  );
end
$$;

revoke all on function app.include_in_rewards from public;
grant execute on function app.include_in_rewards to public_api;
comment on function app.include_in_rewards is 'A page of GET /rewards with the columns that include names, in the order of docs/api.md.';

create function public.list_rewards(
  key_hash text,
  max_rows integer,
  include_archived boolean default false,
  starting_after uuid default null,
  include text[] default null
)
returns json
language plpgsql volatile security definer
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_sort = off
set jit = off
set lock_timeout = '5s'
set statement_timeout = '7s'
as $$
declare
  api_key app.verified_key;
  found_rows bigint;
  page json;
  headers text;
  -- The page begins below this pair of instant and id (docs/api.md, Lists).
  below_instant timestamptz := 'infinity';
  below_id uuid := '00000000-0000-0000-0000-000000000000';
begin
  if not row_security_active('app.rewards'::regclass) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:rewards');

  if starting_after is not null then
    select r.instant, r.id into below_instant, below_id from api.rewards as r where r.company_id = api_key.company_id and r.id = starting_after;
    if not found then
      perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
    end if;
  end if;

  if include_archived is not true then
    select count(*),
      case
        when include is null then json_agg(item) filter (where place <= max_rows)
        else app.include_in_rewards(json_agg(item) filter (where place <= max_rows), api_key.company_id, include)
      end
    into found_rows, page from (
      select item, row_number() over () as place from (
        select r.id, r.name, r.description, r.points_cost, r.reward_type, r.stock_count, r.image_url, r.vendor_name, r.is_archived, r.created_at
        from api.rewards as r
        where r.company_id = api_key.company_id and not r.is_archived
          and (r.instant, r.id) < (below_instant, below_id)
        order by r.instant desc, r.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  else
    select count(*),
      case
        when include is null then json_agg(item) filter (where place <= max_rows)
        else app.include_in_rewards(json_agg(item) filter (where place <= max_rows), api_key.company_id, include)
      end
    into found_rows, page from (
      select item, row_number() over () as place from (
        select r.id, r.name, r.description, r.points_cost, r.reward_type, r.stock_count, r.image_url, r.vendor_name, r.is_archived, r.created_at
        from api.rewards as r
        where r.company_id = api_key.company_id
          and (r.instant, r.id) < (below_instant, below_id)
        order by r.instant desc, r.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  end if;

  headers := set_config(
    'response.headers',
    format(app.page_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text),
    true
  );
  return coalesce(page, '[]');
end
$$;

-- Owned by public_api, so that the policies bind it; to be called with the project's secret key only.
grant create on schema public to public_api;
alter function public.list_rewards owner to public_api;
revoke create on schema public from public_api;
revoke all on function public.list_rewards from public, anon, authenticated;
grant execute on function public.list_rewards to service_role;
comment on function public.list_rewards is
  'Rewards of the key''s company, newest first, as a JSON array. read:rewards. PT400, PT401, PT403, PT429.';

-- 0840_list_day_ratings.sql

-- GET /day-ratings (docs/api.md, Day ratings). Statements and plans as in list_members.

create view api.day_ratings with (security_invoker = true) as
select
  d.company_id,
  d.created_at as instant,
  d.id,
  d.rating,
  d.comment,
  d.team_id,
  d.points_awarded,
  to_char(d.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as created_at
from app.day_ratings as d;

grant select on api.day_ratings to public_api;
comment on view api.day_ratings is 'Day ratings (docs/api.md, Day ratings).';

-- What include=team_name appends: null for a rating without a team. Stable, so that it sees the moment that the page sees.
create function app.include_in_day_ratings(page json, company_id uuid, include text[]) returns json
language plpgsql stable
set search_path = ''
set jit = off
as $$
begin
  return (
    select json_agg(app.append_columns(item.json, json_build_object('team_name', rating.team_name), include) order by item.place)
    from json_array_elements(page) with ordinality as item (json, place)
    cross join lateral (
      select (
        select t.name from app.teams as t where t.company_id = d.company_id and t.id = d.team_id
      ) as team_name
      from app.day_ratings as d
      where d.company_id = include_in_day_ratings.company_id and d.id = (item.json ->> 'id')::uuid
      offset 0
    ) as rating
  );
end
$$;

revoke all on function app.include_in_day_ratings from public;
grant execute on function app.include_in_day_ratings to public_api;
comment on function app.include_in_day_ratings is 'A page of GET /day-ratings with the columns that include names, in the order of docs/api.md.';

create function public.list_day_ratings(
  key_hash text,
  max_rows integer,
  since timestamptz default '-infinity',
  until timestamptz default 'infinity',
  team_id uuid default null,
  starting_after uuid default null,
  include text[] default null
)
returns json
language plpgsql volatile security definer
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_sort = off
set jit = off
set lock_timeout = '5s'
set statement_timeout = '7s'
as $$
declare
  api_key app.verified_key;
  found_rows bigint;
  page json;
  headers text;
  -- The page begins below this pair of instant and id (docs/api.md, Lists).
  below_instant timestamptz := until + interval '1 microsecond';
  below_id uuid := '00000000-0000-0000-0000-000000000000';
  after_instant timestamptz;
begin
  if not (row_security_active('app.day_ratings'::regclass) and row_security_active('app.teams'::regclass)) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:analytics');

  if starting_after is not null then
    select d.created_at into after_instant from app.day_ratings as d where d.company_id = api_key.company_id and d.id = starting_after;
    if not found then
      perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
    end if;
    if (after_instant, starting_after) < (below_instant, below_id) then
      below_instant := after_instant;
      below_id := starting_after;
    end if;
  end if;

  if team_id is null then
    select count(*),
      case
        when include is null then json_agg(item) filter (where place <= max_rows)
        else app.include_in_day_ratings(json_agg(item) filter (where place <= max_rows), api_key.company_id, include)
      end
    into found_rows, page from (
      select item, row_number() over () as place from (
        select d.id, d.rating, d.comment, d.team_id, d.points_awarded, d.created_at
        from api.day_ratings as d
        where d.company_id = api_key.company_id
          and d.instant >= since and (d.instant, d.id) < (below_instant, below_id)
        order by d.instant desc, d.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  else
    select count(*),
      case
        when include is null then json_agg(item) filter (where place <= max_rows)
        else app.include_in_day_ratings(json_agg(item) filter (where place <= max_rows), api_key.company_id, include)
      end
    into found_rows, page from (
      select item, row_number() over () as place from (
        select d.id, d.rating, d.comment, d.team_id, d.points_awarded, d.created_at
        from api.day_ratings as d
        where d.company_id = api_key.company_id and d.team_id = list_day_ratings.team_id
          and d.instant >= since and (d.instant, d.id) < (below_instant, below_id)
        order by d.instant desc, d.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  end if;

  headers := set_config(
    'response.headers',
    format(app.page_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text),
    true
  );
  return coalesce(page, '[]');
end
$$;

-- Owned by public_api, so that the policies bind it; to be called with the project's secret key only.
grant create on schema public to public_api;
alter function public.list_day_ratings owner to public_api;
revoke create on schema public from public_api;
revoke all on function public.list_day_ratings from public, anon, authenticated;
grant execute on function public.list_day_ratings to service_role;
comment on function public.list_day_ratings is
  'Day ratings of the key''s company, newest first, as a JSON array. read:analytics. PT400, PT401, PT403, PT429.';

-- 0850_list_pulse_responses.sql

-- GET /pulse-responses (docs/api.md, Pulse responses).

create view api.pulse_responses with (security_invoker = true) as
select
  p.company_id,
  p.created_at as instant,
  p.id,
  to_char(p.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "timestamp",
  question.question,
  question.response_type,
  p.value,
  p.comment
from app.pulse_responses as p
left join lateral (
  select q.question, q.response_type
  from app.pulse_questions as q
  where q.company_id = p.company_id and q.id = p.question_id
  offset 0
) as question on true;

grant select on api.pulse_responses to public_api;
comment on view api.pulse_responses is 'Pulse answers (docs/api.md, Pulse responses).';

-- What include=question_id appends. Stable, so that it sees the moment that the page sees.
create function app.include_in_pulse_responses(page json, company_id uuid, include text[]) returns json
language plpgsql stable
set search_path = ''
set jit = off
as $$
begin
  return (
    select json_agg(app.append_columns(item.json, json_build_object('question_id', answer.question_id), include) order by item.place)
    from json_array_elements(page) with ordinality as item (json, place)
    cross join lateral (
      select p.question_id from app.pulse_responses as p
      where p.company_id = include_in_pulse_responses.company_id and p.id = (item.json ->> 'id')::uuid
      offset 0
    ) as answer
  );
end
$$;

revoke all on function app.include_in_pulse_responses from public;
grant execute on function app.include_in_pulse_responses to public_api;
comment on function app.include_in_pulse_responses is 'A page of GET /pulse-responses with the columns that include names, in the order of docs/api.md.';

create function public.list_pulse_responses(
  key_hash text,
  max_rows integer,
  since timestamptz default '-infinity',
  until timestamptz default 'infinity',
  starting_after uuid default null,
  include text[] default null
)
returns json
language plpgsql volatile security definer
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_sort = off
set jit = off
set lock_timeout = '5s'
set statement_timeout = '7s'
as $$
declare
  api_key app.verified_key;
  found_rows bigint;
  page json;
  headers text;
  -- The page begins below this pair of instant and id (docs/api.md, Lists).
  below_instant timestamptz := until + interval '1 microsecond';
  below_id uuid := '00000000-0000-0000-0000-000000000000';
  after_instant timestamptz;
begin
  if not (row_security_active('app.pulse_responses'::regclass) and row_security_active('app.pulse_questions'::regclass)) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:analytics');

  if starting_after is not null then
    select p.created_at into after_instant from app.pulse_responses as p where p.company_id = api_key.company_id and p.id = starting_after;
    if not found then
      perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
    end if;
    if (after_instant, starting_after) < (below_instant, below_id) then
      below_instant := after_instant;
      below_id := starting_after;
    end if;
  end if;

  select count(*),
      case
        when include is null then json_agg(item) filter (where place <= max_rows)
        else app.include_in_pulse_responses(json_agg(item) filter (where place <= max_rows), api_key.company_id, include)
      end
    into found_rows, page from (
    select item, row_number() over () as place from (
      select p.id, p."timestamp", p.question, p.response_type, p.value, p.comment
      from api.pulse_responses as p
      where p.company_id = api_key.company_id
        and p.instant >= since and (p.instant, p.id) < (below_instant, below_id)
      order by p.instant desc, p.id desc
      limit max_rows + 1
    ) as item
  ) as numbered;

  headers := set_config(
    'response.headers',
    format(app.page_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text),
    true
  );
  return coalesce(page, '[]');
end
$$;

-- Owned by public_api, so that the policies bind it; to be called with the project's secret key only.
grant create on schema public to public_api;
alter function public.list_pulse_responses owner to public_api;
revoke create on schema public from public_api;
revoke all on function public.list_pulse_responses from public, anon, authenticated;
grant execute on function public.list_pulse_responses to service_role;
comment on function public.list_pulse_responses is
  'Pulse answers of the key''s company, newest first, as a JSON array. read:analytics. PT400, PT401, PT403, PT429.';

-- 0860_upsert_rewards.sql

-- POST /rewards (docs/api.md, Import): creates or updates rewards, matched on external_id, all or nothing.
--
-- rewards is a JSON array of rows that the Edge Function has checked: external_id, name, points_cost, and description and
-- reward_type where the caller sent them. It comes as text, because that reaches PostgreSQL unchanged through every Data API.
--
-- One statement, sorted: imports that send the same ids in different orders lock them in the same order and cannot deadlock.
-- A row that changes nothing gets no new version, but it is locked: that puts two imports of the same rows in serial order.

create function public.upsert_rewards(key_hash text, rewards text) returns json
language plpgsql volatile security definer
set search_path = ''
set jit = off
set lock_timeout = '5s'
set statement_timeout = '7s'
as $$
declare
  api_key app.verified_key;
  sent constant jsonb := rewards::jsonb;
  -- The external_ids whose row came without an optional field, as the keys of an object: asked where a row meets one that exists.
  without_description jsonb;
  without_reward_type jsonb;
begin
  if not row_security_active('app.rewards'::regclass) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'write:rewards');

  select
    coalesce(jsonb_object_agg(reward.fields ->> 'external_id', true) filter (where not reward.fields ? 'description'), '{}'),
    coalesce(jsonb_object_agg(reward.fields ->> 'external_id', true) filter (where not reward.fields ? 'reward_type'), '{}')
  into without_description, without_reward_type
  from jsonb_array_elements(sent) as reward (fields);

  insert into app.rewards as reward (company_id, external_id, name, description, points_cost, reward_type)
  select
    api_key.company_id,
    sent_reward.external_id,
    sent_reward.name,
    sent_reward.description,
    sent_reward.points_cost,
    coalesce(sent_reward.reward_type, 'perk')
  from jsonb_to_recordset(sent)
    as sent_reward (external_id text, name text, description text, points_cost bigint, reward_type text)
  order by sent_reward.external_id collate "C"
  on conflict (company_id, external_id) do update set
    name = excluded.name,
    points_cost = excluded.points_cost,
    description = case when without_description ? excluded.external_id then reward.description else excluded.description end,
    reward_type = case when without_reward_type ? excluded.external_id then reward.reward_type else excluded.reward_type end
  where (reward.name, reward.points_cost) is distinct from (excluded.name, excluded.points_cost)
    or (reward.description is distinct from excluded.description and not without_description ? excluded.external_id)
    or (reward.reward_type is distinct from excluded.reward_type and not without_reward_type ? excluded.external_id);

  return app.respond(api_key.key_id, api_key.company_id, format('{"imported":%s}', jsonb_array_length(sent))::json);
end
$$;

-- Owned by public_api, so that the policies bind it; to be called with the project's secret key only.
grant create on schema public to public_api;
alter function public.upsert_rewards owner to public_api;
revoke create on schema public from public_api;
revoke all on function public.upsert_rewards from public, anon, authenticated;
grant execute on function public.upsert_rewards to service_role;
comment on function public.upsert_rewards is
  'Creates or updates rewards of the key''s company by external_id: { imported }. write:rewards. PT401, PT403.';

-- 0900_signing_in.sql

-- Signing in to the dashboard through Supabase Auth, and becoming the member that one is (docs/operations.md).

-- Links the signed-in person to their member row, by confirmed e-mail address and without case, once and for good.
-- Security definer, because it looks through all companies; in app, because nothing of that kind stands in an exposed schema.
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
  if candidates.found = 0 then
    -- Two first calls at once: the other one may have linked this sign-in since it was looked for above.
    return case when exists (select from app.member_accounts as a where a.user_id = account.id) then 'linked' else 'no_member' end;
  elsif candidates.found > 1 then
    return 'several_members';
  end if;

  insert into app.member_accounts (user_id, company_id, member_id)
  values (account.id, candidates.company_id, candidates.member_id);
  return 'linked';
exception
  -- Two first calls at once: the other one has linked this sign-in, or this member.
  when unique_violation then
    return case when exists (select from app.member_accounts as a where a.user_id = account.id) then 'linked' else 'no_member' end;
end
$$;

revoke all on function app.link_member from public;
grant execute on function app.link_member to authenticated;
comment on function app.link_member is
  'Links the signed-in person to their member row: linked, moved (linked, but the company has moved to another project), email_not_confirmed, no_member or several_members. PT401 when the account is gone.';

-- Who the signed-in person is: their own member row, whatever their role.
create function app.current_member(out company_name text, out name text, out role text) returns setof record
language sql stable rows 1 security definer set search_path = ''
begin atomic
  select c.name, m.name, m.role
  from app.member_accounts as a
  join app.members as m on m.company_id = a.company_id and m.id = a.member_id
  join app.companies as c on c.id = m.company_id
  where a.user_id = (select auth.uid());
end;

revoke all on function app.current_member from public;
grant execute on function app.current_member to authenticated;
comment on function app.current_member is 'Company name, name and role of the signed-in member; no row before link_member.';

create function public.link_member() returns json
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  status constant text := app.link_member();
  member record;
begin
  select * into member from app.current_member();
  return json_build_object('status', status, 'company_name', member.company_name, 'name', member.name, 'role', case status when 'linked' then member.role end);
end
$$;

revoke all on function public.link_member from public, anon, service_role;
grant execute on function public.link_member to authenticated;
comment on function public.link_member is
  'To be called after sign-in: { status, company_name, name, role }, status linked, moved (no role then), email_not_confirmed, no_member or several_members. PT401 when the account is gone.';

-- 0910_managing_api_keys.sql

-- What the dashboard calls to manage keys (docs/api.md, Authentication). Security invoker: the policies and grants of authenticated
-- decide. Errors for the admin leave as PT400, PT403, PT404 and PT409, which PostgREST turns into that HTTP status; the hint of a PT400 names the field.

-- Refuses what is no name of a key, with PT400.
create function app.check_api_key_name(name text) returns void
language plpgsql immutable set search_path = ''
as $$
begin
  -- A character that is to be seen: no white space of Unicode, nor what has no width.
  if name is null or char_length(name) > 100 or name !~ '[^\s\u0085\u00a0\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u2064\u3000\ufeff]' then
    raise exception using errcode = 'PT400', hint = 'name', message = 'name must be a text of 1 to 100 characters';
  end if;
end
$$;

revoke all on function app.check_api_key_name from public;
grant execute on function app.check_api_key_name to authenticated;
comment on function app.check_api_key_name is 'Raises PT400 unless a text can be the name of an API key.';

-- Makes a key, whose name and scopes have been checked.
create function app.insert_api_key(name text, scopes text[], expires_at timestamptz) returns json
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  created record;
  api_key text;
begin
  if expires_at <= now() or expires_at >= '10000-01-01Z' then
    raise exception using errcode = 'PT400', hint = 'expires_at', message = 'expires_at must be in the future, before the year 10000';
  end if;

  insert into app.api_keys as k (name, scopes, expires_at)
  values (insert_api_key.name, insert_api_key.scopes, insert_api_key.expires_at)
  returning k.id, k.name, k.hint, k.scopes, k.created_at, k.expires_at into created;

  api_key := current_setting('app.new_api_key');
  perform set_config('app.new_api_key', '', true);

  return json_build_object(
    'id', created.id,
    'name', created.name,
    'api_key', api_key,
    'hint', created.hint,
    'scopes', created.scopes,
    'created_at', app.iso_8601(created.created_at),
    'expires_at', app.iso_8601(created.expires_at)
  );
end
$$;

revoke all on function app.insert_api_key from public;
grant execute on function app.insert_api_key to authenticated;
comment on function app.insert_api_key is
  'Makes an API key and returns it, this once: { id, name, api_key, hint, scopes, created_at, expires_at }. PT400.';

create function public.create_api_key(
  name text,
  scopes text[] default array['read:members', 'read:activity'],
  expires_at timestamptz default null
)
returns json
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  if not exists (select from app.current_admin()) then
    raise exception using errcode = 'PT403', message = 'only an admin may create API keys';
  end if;
  perform app.check_api_key_name(name);
  -- Null for no scopes, 2 for an array of arrays.
  if array_ndims(scopes) is distinct from 1 or not scopes <@ app.scopes()
    or cardinality(scopes) > (select count(distinct scope) from unnest(scopes) as scope) then
    raise exception using errcode = 'PT400', hint = 'scopes',
      message = 'scopes must be one or more of ' || array_to_string(app.scopes(), ', ') || ', each once';
  end if;
  return app.insert_api_key(name, scopes, expires_at);
end
$$;

revoke all on function public.create_api_key from public, anon, service_role;
grant execute on function public.create_api_key to authenticated;
comment on function public.create_api_key is
  'Makes an API key and returns it, this once: { id, name, api_key, hint, scopes, created_at, expires_at }. PT400, PT403.';

-- A successor with the same name and scopes, whose expiry is chosen anew. The old key works until the overlap is over.
create function public.replace_api_key(key_id uuid, overlap interval default '24 hours', expires_at timestamptz default null) returns json
language plpgsql volatile security invoker
set search_path = ''
set lock_timeout = '5s'
as $$
declare
  replaced record;
  successor json;
begin
  if overlap is null or overlap not in ('0', '1 hour', '24 hours', '7 days') then
    raise exception using errcode = 'PT400', hint = 'overlap', message = 'overlap must be 0, 1 hour, 24 hours or 7 days';
  end if;

  -- Locked: of two admins who replace the same key at once, one is told that it has been done.
  select k.name, k.scopes, k.expires_at, k.revoked_at, k.replaced_by into replaced
  from app.api_keys as k where k.id = key_id for update;
  if not found then
    raise exception using errcode = 'PT404', message = 'no API key of your company has this id';
  end if;
  if replaced.revoked_at is not null or replaced.replaced_by is not null or replaced.expires_at <= now() then
    raise exception using errcode = 'PT409', message = 'a key that is revoked, expired or replaced already cannot be replaced';
  end if;

  successor := app.insert_api_key(replaced.name, replaced.scopes, expires_at);
  update app.api_keys as k
  -- In seconds: a day of the overlap has 24 hours, whatever the clocks do.
  set replaced_by = (successor ->> 'id')::uuid, expires_at = now() + make_interval(secs => extract(epoch from overlap)::double precision)
  where k.id = key_id;
  return successor;
end
$$;

revoke all on function public.replace_api_key from public, anon, service_role;
grant execute on function public.replace_api_key to authenticated;
comment on function public.replace_api_key is
  'Makes a successor of a key and returns it as create_api_key does; the old key expires after the overlap, 0, 1 hour, 24 hours or 7 days. PT400, PT404, PT409.';

create function public.rename_api_key(key_id uuid, name text) returns json
language plpgsql volatile security invoker
set search_path = ''
set lock_timeout = '5s'
as $$
declare
  renamed record;
begin
  perform app.check_api_key_name(name);
  update app.api_keys as k set name = rename_api_key.name where k.id = key_id;

  select k.id, k.name, k.revoked_at into renamed from app.api_keys as k where k.id = key_id;
  if not found then
    raise exception using errcode = 'PT404', message = 'no API key of your company has this id';
  end if;
  if renamed.name <> name then
    raise exception using errcode = 'PT409', message = 'a revoked key cannot be renamed';
  end if;
  return json_build_object('id', renamed.id, 'name', renamed.name);
end
$$;

revoke all on function public.rename_api_key from public, anon, service_role;
grant execute on function public.rename_api_key to authenticated;
comment on function public.rename_api_key is
  'Renames a key of the admin''s company, and nothing else of it: { id, name }. PT400, PT404, PT409.';

create function public.list_api_keys() returns json
language sql stable security invoker set search_path = ''
begin atomic
  select coalesce(json_agg(row_to_json(listed)), '[]')
  from (
    select
      k.id,
      k.name,
      k.hint,
      k.scopes,
      case
        when k.revoked_at is not null then 'revoked'
        when k.expires_at <= now() then 'expired'
        else 'active'
      end as status,
      app.iso_8601(k.created_at) as created_at,
      creator.name as created_by,
      app.iso_8601(k.expires_at) as expires_at,
      app.iso_8601(u.last_used_at) as last_used_at,
      app.iso_8601(k.revoked_at) as revoked_at,
      revoker.name as revoked_by,
      k.replaced_by
    from app.api_keys as k
    join app.members as creator on creator.company_id = k.company_id and creator.id = k.created_by
    left join app.members as revoker on revoker.company_id = k.company_id and revoker.id = k.revoked_by
    left join app.api_key_uses as u on u.company_id = k.company_id and u.key_id = k.id
    order by k.created_at desc, k.id desc
  ) as listed;
end;

revoke all on function public.list_api_keys from public, anon, service_role;
grant execute on function public.list_api_keys to authenticated;
comment on function public.list_api_keys is
  'The API keys of the admin''s company, newest first, as a JSON array without keys and hashes; empty for anybody else.';

create function public.revoke_api_key(key_id uuid) returns json
language plpgsql volatile security invoker
set search_path = ''
set lock_timeout = '5s'
as $$
declare
  revoked record;
begin
  update app.api_keys as k set revoked_at = now() where k.id = key_id;

  select k.id, k.revoked_at, m.name as revoked_by into revoked
  from app.api_keys as k
  join app.members as m on m.company_id = k.company_id and m.id = k.revoked_by
  where k.id = key_id;
  if not found then
    raise exception using errcode = 'PT404', message = 'no API key of your company has this id';
  end if;

  return json_build_object('id', revoked.id, 'revoked_at', app.iso_8601(revoked.revoked_at), 'revoked_by', revoked.revoked_by);
end
$$;

revoke all on function public.revoke_api_key from public, anon, service_role;
grant execute on function public.revoke_api_key to authenticated;
comment on function public.revoke_api_key is
  'Revokes a key of the admin''s company, for good; of a revoked key, changes nothing: { id, revoked_at, revoked_by }. PT404.';

create function public.list_api_key_events() returns json
language sql stable security invoker set search_path = ''
begin atomic
  select coalesce(json_agg(row_to_json(listed)), '[]')
  from (
    select
      app.iso_8601(e.created_at) as created_at,
      e.action,
      e.member_name as member,
      e.key_id,
      e.key_name,
      e.hint,
      e.scopes,
      app.iso_8601(e.expires_at) as expires_at,
      e.former_name,
      e.replaced_by
    from app.api_key_events as e
    order by e.created_at desc, e.id desc
  ) as listed;
end;

revoke all on function public.list_api_key_events from public, anon, service_role;
grant execute on function public.list_api_key_events to authenticated;
comment on function public.list_api_key_events is
  'Who created, replaced, renamed or revoked which API key of the admin''s company, newest first, as a JSON array; empty for anybody else.';

-- 0950_leaving.sql

-- People, old data and companies that leave (docs/operations.md, People who leave). For operators, as postgres.
--
-- In place of everybody who has been erased stands one row of app.members, Former member: what others did with them keeps its two sides,
-- keys that they made go on working, and nobody can tell two erased people apart. The id goes too: it is a name in another system.

-- Who has been erased, without naming them: enough to know an id again that a later file brings, and to show that it was done.
create table app.erasures (
  company_id uuid not null references app.companies (id) on delete cascade,
  member_mark bytea not null,
  erased_at timestamptz not null default now(),
  messages_blanked boolean not null,
  primary key (company_id, member_mark),
  constraint erasures_member_mark_length check (octet_length(member_mark) = 32)
);

alter table app.erasures enable row level security;
-- No policies, nothing granted: only what is below, and loading, asks for it.

comment on table app.erasures is 'Erased people, by a mark that only who knows the id can make.';
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

-- Whether the second list of members is the first one with Former member in the place of people who have been erased, one at least.
create function app.stand_for_erased(company_id uuid, before uuid[], after uuid[]) returns boolean
language sql stable set search_path = ''
begin atomic
  select before is distinct from after and not exists (
    select from unnest(before, after) as member (before, after)
    where member.before is distinct from member.after
      and not (
        app.is_erased(stand_for_erased.company_id, member.before)
        and exists (
          select from app.members as m
          where m.company_id = stand_for_erased.company_id and m.id = member.after and m.is_former
        )
      )
  );
end;

-- The company, locked so that it cannot begin to move away meanwhile: what changes it then would be lost.
create function app.require_open_company(company_id uuid) returns void
language plpgsql volatile set search_path = ''
as $$
declare
  serving text;
begin
  select c.serving into serving from app.companies as c where c.id = require_open_company.company_id for share;
  if not found then
    raise exception 'company_id must be the id of a company, % is none', company_id using errcode = 'invalid_parameter_value';
  elsif serving <> 'open' then
    raise exception 'company_id must be the id of a company that is served here, % is in another project or on its way there', company_id
      using errcode = 'invalid_parameter_value';
  end if;
end
$$;

-- The row that stands for everybody of a company who has been erased; made with the first of them.
create function app.former_member(company_id uuid) returns uuid
language plpgsql volatile set search_path = ''
as $$
begin
  insert into app.members (company_id, name, email, role, is_former) values (former_member.company_id, 'Former member', '', 'former', true)
  on conflict do nothing;
  return (select m.id from app.members as m where m.company_id = former_member.company_id and m.is_former);
end
$$;

-- Ends what a member can sign in with: the account that is linked to them, and one of their address that nobody else could be meant by. With it
-- goes what the journal of Auth says about it, address included.
create function app.delete_accounts(company_id uuid, member_id uuid, email text) returns bigint
language plpgsql volatile set search_path = ''
as $$
declare
  deleted uuid[];
begin
  with gone as (
    delete from auth.users as u
    where u.id in (
        select a.user_id from app.member_accounts as a
        where a.company_id = delete_accounts.company_id and a.member_id = delete_accounts.member_id
      )
      or (
        lower(u.email) = lower(delete_accounts.email)
        and not exists (select from app.member_accounts as a where a.user_id = u.id)
        and not exists (
          select from app.members as m
          where lower(m.email) = lower(delete_accounts.email)
            and (m.company_id, m.id) <> (delete_accounts.company_id, delete_accounts.member_id)
        )
      )
    returning u.id
  )
  select coalesce(array_agg(gone.id), '{}') into deleted from gone;
  delete from auth.audit_log_entries as entry
  where exists (select from unnest(deleted) as account (id) where strpos(entry.payload::text, account.id::text) > 0);
  return cardinality(deleted);
end
$$;

-- Erases a person, all or nothing: see the head of this file. Of somebody who has been erased already it changes nothing.
-- blank_messages: whether the messages of the kudos that they gave and were given go too.
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
  person record;
  former uuid;
  blanked boolean;
begin
  -- A load that is under way ends first, and the next one knows that this person is gone.
  lock table staging.members in share mode;
  perform app.require_open_company(company_id);
  if blank_messages is null then
    raise exception 'blank_messages must be true or false' using errcode = 'invalid_parameter_value';
  end if;

  select m.email into person
  from app.members as m
  where m.company_id = erase_member.company_id and m.id = erase_member.member_id and not m.is_former
  for update;
  if not found then
    select e.messages_blanked into blanked
    from app.erasures as e
    where e.company_id = erase_member.company_id and e.member_mark = app.erasure_mark(erase_member.company_id, erase_member.member_id);
    if not found then
      raise exception 'member_id must be the id of a member of the company' using errcode = 'invalid_parameter_value';
    elsif blank_messages and not blanked then
      raise exception 'this person was erased with their messages kept: nobody can tell any more which they are' using errcode = 'invalid_parameter_value';
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

  accounts := app.delete_accounts(company_id, member_id, person.email);
  delete from app.members as m where m.company_id = erase_member.company_id and m.id = erase_member.member_id;
end
$$;

-- Deletes up to 2,000 rows of a table that are older, and says how many: short enough that nobody waits for it.
create function app.purge_some(company_id uuid, before timestamptz, relation text) returns bigint
language plpgsql volatile set search_path = ''
as $$
declare
  deleted bigint;
begin
  perform app.require_open_company(company_id);
  execute format(
    'delete from app.%1$I as t where t.ctid = any (array(
       select old.ctid from app.%1$I as old where old.company_id = $1 and old.created_at < $2 order by old.created_at limit 2000 for update
     ))',
    relation
  ) using company_id, before;
  get diagnostics deleted = row_count;
  return deleted;
end
$$;

-- Deletes the kudos, day ratings and pulse answers of a company that were created before a time. It commits every 2,000 rows, so that
-- nobody waits for it: it cannot be called within a transaction, and what it has deleted when it is broken off stays deleted.
-- Without a search path of its own, because PostgreSQL lets no procedure commit that has one; it names everything in full.
create procedure app.purge_before(company_id uuid, before timestamptz)
language plpgsql security invoker
as $$
declare
  relation text;
  deleted bigint;
  total bigint;
begin
  if before is null then
    raise exception 'before must be a time' using errcode = 'invalid_parameter_value';
  end if;
  foreach relation in array array['kudos', 'day_ratings', 'pulse_responses'] loop
    total := 0;
    loop
      deleted := app.purge_some(company_id, before, relation);
      total := total + deleted;
      commit;
      exit when deleted = 0;
    end loop;
    raise notice '%: % rows deleted', relation, total;
  end loop;
end
$$;

-- Deletes a company and everything of it: from the commit on its keys are refused. Accounts of its people too, and the history of its keys.
create function app.delete_company(
  company_id uuid, out members bigint, out kudos bigint, out keys bigint, out accounts bigint
)
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  lock table staging.members in share mode;
  perform from app.companies as c where c.id = delete_company.company_id for update;
  if not found then
    raise exception 'company_id must be the id of a company, % is none', company_id using errcode = 'invalid_parameter_value';
  end if;
  select
    (select count(*) from app.members as m where m.company_id = delete_company.company_id and not m.is_former),
    (select count(*) from app.kudos as k where k.company_id = delete_company.company_id),
    (select count(*) from app.api_keys as k where k.company_id = delete_company.company_id)
  into members, kudos, keys;
  select coalesce(sum(app.delete_accounts(m.company_id, m.id, m.email)), 0) into accounts
  from app.members as m
  where m.company_id = delete_company.company_id and not m.is_former;
  delete from app.companies as c where c.id = delete_company.company_id;
  -- Their trigger lets go of the history of a company that is no more.
  delete from app.api_key_events as e where e.company_id = delete_company.company_id;
end
$$;

revoke all on function
  app.erasure_mark, app.is_erased, app.stand_for_erased, app.require_open_company, app.former_member, app.delete_accounts, app.erase_member, app.purge_some,
  app.delete_company
from public;
revoke all on procedure app.purge_before from public;
comment on function app.erasure_mark(uuid, uuid) is 'What app.erasures keeps of a person.';
comment on function app.is_erased(uuid, uuid) is 'Whether this was the id of somebody who has been erased.';
comment on function app.stand_for_erased(uuid, uuid[], uuid[]) is 'Whether nothing but Former member has taken the place of people who have been erased.';
comment on function app.require_open_company(uuid) is 'Raises unless the company is there and served here, and keeps it so until the end of the transaction.';
comment on function app.former_member(uuid) is 'The id of the row that stands for everybody of a company who has been erased.';
comment on function app.delete_accounts(uuid, uuid, text) is 'Deletes the accounts that a member can sign in with, and says how many.';
comment on function app.erase_member(uuid, uuid, boolean) is
  'Erases a person: in how many kudos, keys and entries of the history Former member now stands for them, and how many accounts are gone.';
comment on function app.purge_some(uuid, timestamptz, text) is 'Deletes up to 2,000 old rows of a table and says how many.';
comment on procedure app.purge_before(uuid, timestamptz) is 'Deletes the kudos, day ratings and pulse answers of a company before a time, 2,000 rows a commit.';
comment on function app.delete_company(uuid) is 'Deletes a company and everything of it, and says how many members, kudos, keys and accounts that were.';

-- 10_staging.sql

-- Staging: where an operator puts a company's files before app.load_staging checks them and takes them over (docs/operations.md,
-- How data gets in). One table per file, every column text, so that any file arrives and every mistake in it can be named.
-- Empty between loads, therefore unlogged: what is in it need not survive a crash, and is written once instead of twice.

create schema staging;
-- Not granted: anything in this schema to anybody. Only postgres loads data.

comment on schema staging is 'Files on their way in: docs/operations.md, How data gets in. Only postgres uses it.';

-- position counts the rows in the order of the file; from it app.staging_problems works out the line.
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
-- No policies: rows on their way in are nobody's yet.

comment on table staging.teams is 'The rows of teams.csv.';
comment on table staging.members is 'The rows of members.csv.';
comment on table staging.categories is 'The rows of categories.csv: one row per category and language.';
comment on table staging.kudos is 'The rows of kudos.csv.';
comment on table staging.day_ratings is 'The rows of day_ratings.csv.';
comment on table staging.pulse_questions is 'The rows of pulse_questions.csv.';
comment on table staging.pulse_responses is 'The rows of pulse_responses.csv.';

-- 20_columns.sql

-- The files of a load as tables (docs/operations.md, How data gets in): which there are, what each column holds, and what a cell must be. Checking
-- and loading build their statements from these and from nothing else, so that nothing an operator sends ever becomes SQL.

-- The files in the order in which they are checked and written: what a row names comes before it.
create function app.loaded_files() returns table (place integer, file text, target text, one text)
language sql immutable set search_path = ''
begin atomic
  values
    (1, 'teams', 'teams', 'team'),
    (2, 'members', 'members', 'member'),
    (3, 'categories', 'category_names', 'category'),
    (4, 'kudos', 'kudos', 'kudos'),
    (5, 'day_ratings', 'day_ratings', 'rating'),
    (6, 'pulse_questions', 'pulse_questions', 'question'),
    (7, 'pulse_responses', 'pulse_responses', 'answer');
end;

-- The columns of each file, in the file's order.
--
-- unique_by: together with the others of the same name it occurs once in a file; a row is known by those of the name key.
-- minimum, maximum: of characters, or of the number. when_empty: what an empty cell stores; null where a cell may not be empty.
-- names: the file whose ids it holds. target_column: where it goes.
create function app.loaded_columns() returns table (
  file text, place integer, field text, kind text, unique_by text, minimum integer, maximum integer, when_empty text, names text, target_column text
)
language sql immutable set search_path = ''
begin atomic
  values
    ('teams', 1, 'id', 'uuid', 'key', null::integer, null::integer, null, null, 'id'),
    ('teams', 2, 'name', 'label', null, 1, 255, null, null, 'name'),

    ('members', 1, 'id', 'uuid', 'key', null, null, null, null, 'id'),
    ('members', 2, 'name', 'label', null, 1, 255, null, null, 'name'),
    ('members', 3, 'email', 'email', 'email', 1, 320, null, null, 'email'),
    ('members', 4, 'role', 'label', null, 1, 50, null, null, 'role'),
    ('members', 5, 'team_id', 'uuid', null, null, null, 'null', 'teams', 'team_id'),
    ('members', 6, 'created_at', 'date_time', null, null, null, null, null, 'created_at'),

    ('categories', 1, 'id', 'uuid', 'key', null, null, null, null, 'category_id'),
    ('categories', 2, 'language', 'language', 'key', null, null, null, null, 'language'),
    ('categories', 3, 'name', 'label', null, 1, 255, null, null, 'name'),

    ('kudos', 1, 'id', 'uuid', 'key', null, null, null, null, 'id'),
    ('kudos', 2, 'sender_id', 'uuid', null, null, null, null, 'members', 'sender_id'),
    ('kudos', 3, 'receiver_id', 'uuid', null, null, null, null, 'members', 'receiver_id'),
    ('kudos', 4, 'category_id', 'uuid', null, null, null, null, 'categories', 'category_id'),
    ('kudos', 5, 'message', 'text', null, 1, 10000, null, null, 'message'),
    ('kudos', 6, 'created_at', 'date_time', null, null, null, null, null, 'created_at'),

    ('day_ratings', 1, 'id', 'uuid', 'key', null, null, null, null, 'id'),
    ('day_ratings', 2, 'rating', 'whole_number', null, 1, 5, null, null, 'rating'),
    ('day_ratings', 3, 'comment', 'text', null, 1, 10000, 'null', null, 'comment'),
    ('day_ratings', 4, 'team_id', 'uuid', null, null, null, 'null', 'teams', 'team_id'),
    ('day_ratings', 5, 'points_awarded', 'whole_number', null, 0, 2147483647, 'null', null, 'points_awarded'),
    ('day_ratings', 6, 'created_at', 'date_time', null, null, null, null, null, 'created_at'),

    ('pulse_questions', 1, 'id', 'uuid', 'key', null, null, null, null, 'id'),
    ('pulse_questions', 2, 'question', 'text', null, 1, 2000, null, null, 'question'),
    ('pulse_questions', 3, 'response_type', 'label', null, 1, 50, 'null', null, 'response_type'),

    ('pulse_responses', 1, 'id', 'uuid', 'key', null, null, null, null, 'id'),
    ('pulse_responses', 2, 'question_id', 'uuid', null, null, null, 'null', 'pulse_questions', 'question_id'),
    ('pulse_responses', 3, 'value', 'json', null, 1, 10000, 'null', null, 'value'),
    ('pulse_responses', 4, 'comment', 'text', null, 1, 10000, '''''', null, 'comment'),
    ('pulse_responses', 5, 'created_at', 'date_time', null, null, null, null, null, 'created_at');
end;

-- What a cell of each kind must be: a condition, and the words for a cell that does not fulfil it; %1$s is the cell, %2$s the minimum, %3$s the
-- maximum. They ask for more than a cast does: a cast takes {…} for a uuid and yesterday for a date. Written out in the statement and not
-- called as functions: a call for each cell would cost more than storing the row.
--
-- Labels (names, roles and the like) are grouped and filtered by: a blank that nobody sees would make two of one. Date-times have a zone, or
-- the same file would mean different moments in different sessions.
--
-- json: the length comes first, because JSON that is nested without end would break off the check itself. 60 levels: a page adds two, and the readers
-- of .NET take 64 unless told otherwise, the fewest of those in wide use. 1000 characters: the longest number that Jackson takes, and
-- a number may be a few characters here and thousands when it is written out (1e131071).
create function app.cell_checks() returns table (kind text, condition text, words text)
language sql immutable set search_path = ''
begin atomic
  values
    ('uuid', $$%1$s like '________-____-____-____-____________' and pg_input_is_valid(%1$s, 'uuid')$$, 'must be a uuid'),
    ('text', 'char_length(%1$s) between %2$s and %3$s', 'must be %2$s to %3$s characters'),
    ('label', $$char_length(%1$s) between %2$s and %3$s and %1$s !~ '^\s|\s$|[\u0001-\u001f\u007f]'$$,
      'must be one line of %2$s to %3$s characters without blanks around it'),
    ('email', $$char_length(%1$s) <= %3$s and %1$s ~ '^[^@\s]+@[^@\s]+$'$$, 'must be an e-mail address'),
    ('language', $$%1$s ~ '^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$'$$, 'must be a language tag, such as en or pt-BR'),
    ('whole_number', $$case when %1$s ~ '^(0|[1-9][0-9]{0,9})$' then %1$s::bigint between %2$s and %3$s end$$,
      'must be a whole number from %2$s to %3$s'),
    ('date_time', $$case
        when %1$s ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}T([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|[+-][0-9]{2}(:?[0-9]{2})?)$'
          and pg_input_is_valid(%1$s, 'timestamptz')
        then %1$s::timestamptz >= '0001-01-01Z' and %1$s::timestamptz < '10000-01-01Z'
      end$$,
      'must be an ISO 8601 date-time with a zone, such as 2026-11-20T10:15:30Z'),
    ('json', $$case when char_length(%1$s) <= %3$s then pg_input_is_valid(%1$s, 'jsonb') end$$,
      'must be JSON of at most %3$s characters (such as 4, true or "yes")'),
    ('json', $$case when char_length(%1$s) <= %3$s and pg_input_is_valid(%1$s, 'jsonb')
        then not jsonb_path_exists(%1$s::jsonb, 'strict $.**{60} ? (@.type() == "array" || @.type() == "object")')
        else true
      end$$,
      'must nest at most 60 levels of arrays and objects'),
    ('json', $$case when char_length(%1$s) <= %3$s and pg_input_is_valid(%1$s, 'jsonb')
        then not exists (
          select from jsonb_path_query(%1$s::jsonb, 'strict $.** ? (@.type() == "number")') as number where char_length(number::text) > 1000
        )
        else true
      end$$,
      'must hold numbers of at most 1000 characters each, written out');
end;

-- What a cell of each kind is stored as.
create function app.stored_type(kind text) returns text
language sql immutable set search_path = ''
return case kind
  when 'uuid' then 'uuid'
  when 'whole_number' then 'integer'
  when 'json' then 'jsonb'
  when 'date_time' then 'timestamptz'
  else 'text'
end;

revoke all on function app.loaded_files, app.loaded_columns, app.cell_checks, app.stored_type from public;
comment on function app.loaded_files() is 'The files of a load in order, and the tables that they fill.';
comment on function app.loaded_columns() is 'The columns of the files of a load: what each holds and where it goes.';
comment on function app.cell_checks() is 'What a cell of each kind must be: a condition, and the words for a cell that does not fulfil it.';
comment on function app.stored_type(text) is 'The type that a cell of this kind is stored as.';

-- 30_checking.sql

-- Loading, first step (docs/operations.md, How data gets in): what is wrong with what stands in staging.
--
-- Three queries a file, built from the table of columns, each of (position, problem, same_as): same_as is the position of the row that
-- has the same.

-- How a cell is compared with another one: ids and addresses without case. In the collation C what it costs is small, and ids are ASCII.
create function app.comparable(kind text, cell text) returns text
language sql immutable set search_path = ''
return format(case kind when 'uuid' then 'lower(%s collate "C")' when 'email' then 'lower(%s)' else '%s' end, cell);

-- Cells that are not what their column asks for.
create function app.wrong_cells_query(file text) returns text
language sql immutable set search_path = ''
return (
  select format(
    'select s.position, p.problem, null::bigint from staging.%I as s cross join lateral (values %s) as p (problem) where p.problem is not null',
    wrong_cells_query.file,
    string_agg(
      format(
        '(case when %s(%s) is not true then %L end)',
        case when c.when_empty is not null then format('s.%I <> '''' and ', c.field) end,
        format(k.condition, format('s.%I', c.field), c.minimum, c.maximum),
        c.field || ' ' || format(k.words, null, c.minimum, c.maximum) || case when c.when_empty is not null then ' or empty' else '' end
      ),
      ', '
    )
  )
  from app.loaded_columns() as c
  join app.cell_checks() as k on k.kind = c.kind
  where c.file = wrong_cells_query.file
);

-- Cells that name a row which neither the files nor the company ($1) have, nor had until the person was erased. Those that are no uuid are
-- wrong cells already.
create function app.unknown_ids_query(file text) returns text
language sql immutable set search_path = ''
return (
  select string_agg(
    format(
      $query$
        select u.position, format('%%s must be the id of a %%s, %%s is unknown', %2$L, %4$L, u.id), null::bigint
        from (
          select s.position, lower(s.%2$I collate "C") as id
          from staging.%1$I as s
          where s.%2$I <> '' and not exists (
            select from (
              select lower(sent.id collate "C") as id from staging.%3$I as sent
              union all
              select present.id::text from app.%3$I as present where present.company_id = $1
            ) as known
            where known.id = lower(s.%2$I collate "C")
          )
          offset 0
        ) as u
        where case when %5$s then %6$s end
      $query$,
      c.file, c.field, c.names, f.one, format(k.condition, 'u.id'),
      case c.names when 'members' then 'not app.is_erased($1, u.id::uuid)' else 'true' end
    ),
    ' union all '
  )
  from app.loaded_columns() as c
  join app.loaded_files() as f on f.file = c.names
  join app.cell_checks() as k on k.kind = c.kind
  where c.file = unknown_ids_query.file
);

-- Rows that have what must be unique in the file, and what an earlier row has.
create function app.repeated_cells_query(file text) returns text
language sql immutable set search_path = ''
return (
  select string_agg(
    format(
      $query$
        select s.position, %L, repeated.first
        from (
          select %s, min(s.position) as first from staging.%I as s where (%s) is not null group by %s having count(*) > 1
        ) as repeated (%s, first)
        join staging.%I as s on (%s) = (%s)
        where s.position > repeated.first
      $query$,
      u.fields || ' must be unique in the file', u.cells, u.file, u.sent, u.cells, u.names, u.file, u.cells, u.repeated
    ),
    ' union all '
  )
  from (
    select
      c.file,
      string_agg(c.field, ' and ' order by c.place) as fields,
      string_agg(format('%I', c.field), ', ' order by c.place) as names,
      string_agg(format('repeated.%I', c.field), ', ' order by c.place) as repeated,
      string_agg(format('nullif(s.%I, '''')', c.field), ', ' order by c.place) as sent,
      string_agg(app.comparable(c.kind, format('s.%I', c.field)), ', ' order by c.place) as cells
    from app.loaded_columns() as c
    where c.file = repeated_cells_query.file and c.unique_by is not null
    group by c.file, c.unique_by
  ) as u
);

-- Addresses that a member outside the files has. No other file has anything like it.
create function app.taken_emails_query() returns text
language sql immutable set search_path = ''
return $$
  select s.position, format('email must be unique in the company, member %s has it too', present.id), null::bigint
  from staging.members as s
  join app.members as present on present.company_id = $1 and lower(present.email) = lower(s.email)
  where not exists (select from staging.members as sent where lower(sent.id) = present.id::text)
$$;

-- Everything that is wrong with what stands in staging, in the order of files and lines. A line is counted as an editor counts
-- it: the header is line 1, and a cell may hold line breaks. Lines are only counted in a file with a problem.
create function app.staging_problems(company_id uuid) returns table (file text, line bigint, problem text)
language plpgsql stable set search_path = ''
as $$
declare
  loaded record;
  problems text;
begin
  for loaded in select f.file from app.loaded_files() as f order by f.place loop
    problems := concat_ws(
      ' union all ',
      app.wrong_cells_query(loaded.file),
      app.unknown_ids_query(loaded.file),
      app.repeated_cells_query(loaded.file),
      case loaded.file when 'members' then app.taken_emails_query() end
    );
    return query execute format(
      $query$
        with
        found (position, problem, same_as) as materialized (%1$s),
        lines as (
          select
            s.position,
            2 + coalesce(sum(1 + char_length(s::text) - char_length(replace(s::text, E'\n', ''))) over rows_before, 0) as line
          from staging.%2$I as s
          where exists (select from found)
          window rows_before as (order by s.position rows between unbounded preceding and 1 preceding)
        )
        select %2$L, l.line, f.problem || coalesce(', line ' || first.line || ' has it too', '')
        from found as f
        join lines as l on l.position = f.position
        left join lines as first on first.position = f.same_as
        order by l.line, f.problem
      $query$,
      problems,
      loaded.file
    )
    using staging_problems.company_id;
  end loop;
end
$$;

revoke all on function
  app.comparable, app.wrong_cells_query, app.unknown_ids_query, app.repeated_cells_query, app.taken_emails_query, app.staging_problems
from public;
comment on function app.comparable(text, text) is 'The SQL by which a cell of a kind is compared with another one.';
comment on function app.wrong_cells_query(text) is 'A query of the cells of a file that are not what their column asks for.';
comment on function app.unknown_ids_query(text) is 'A query of the cells of a file that name a row which is not there.';
comment on function app.repeated_cells_query(text) is 'A query of the rows of a file that have what an earlier one has and must not.';
comment on function app.taken_emails_query() is 'A query of the members in staging whose address somebody else in the company has.';
comment on function app.staging_problems(uuid) is 'Everything that is wrong with what stands in staging, were it loaded into this company.';

-- 40_loading.sql

-- Loading, last step: checks what stands in staging and writes it to a company (docs/operations.md, How data gets in).
--
-- All or nothing: one mistake in one line, and nothing is written. Repeatable: a row is known by its key, so the same file sent again
-- changes nothing, and a corrected file changes what differs. Rows that the files do not name are left alone.

-- The statement that writes the rows of a file from position $2 to $3 to the company $1 and counts them. Sorted by time, because what a
-- page of the API returns then lies together on disk. A number in JSON is compared as it is written: 1.0 corrects 1.
create function app.write_query(file text) returns text
language sql immutable set search_path = ''
return (
  select format(
    $query$
      with written as (
        merge into app.%I as t
        using (select %s from staging.%I as s where s.position between $2 and $3 order by %s) as s
        on t.company_id = $1 and %s
        when matched and row(%s) is distinct from row(%s) then update set %s
        when not matched then insert (company_id, %s) values ($1, %s)
        returning merge_action() as action
      )
      select count(*) filter (where action = 'INSERT') as inserted, count(*) filter (where action = 'UPDATE') as updated from written
    $query$,
    f.target,
    string_agg(format(
      case when c.when_empty is null then 's.%1$I::%2$s as %3$I' else 'coalesce(nullif(s.%1$I, '''')::%2$s, %4$s) as %3$I' end,
      c.field, app.stored_type(c.kind), c.target_column, c.when_empty
    ), ', '),
    f.file,
    string_agg(format('s.%I::%s', c.field, app.stored_type(c.kind)), ', ' order by c.kind = 'date_time' desc, c.place)
      filter (where c.kind = 'date_time' or c.unique_by = 'key'),
    string_agg(format('t.%1$I = s.%1$I', c.target_column), ' and ') filter (where c.unique_by = 'key'),
    string_agg(format(case c.kind when 'json' then 't.%I::text' else 't.%I' end, c.target_column), ', ' order by c.place)
      filter (where c.unique_by is distinct from 'key'),
    string_agg(format(case c.kind when 'json' then 's.%I::text' else 's.%I' end, c.target_column), ', ' order by c.place)
      filter (where c.unique_by is distinct from 'key'),
    string_agg(format('%1$I = s.%1$I', c.target_column), ', ') filter (where c.unique_by is distinct from 'key'),
    string_agg(format('%I', c.target_column), ', ' order by c.place),
    string_agg(format('s.%I', c.target_column), ', ' order by c.place)
  )
  from app.loaded_files() as f
  join app.loaded_columns() as c on c.file = f.file
  where f.file = write_query.file
  group by f.file, f.target
);

-- Writes a file, 50,000 rows at a time: the checks of foreign keys that wait for the end of a statement are kept in memory.
-- Each row looks for what is there already by its key; the planner would rather read the whole company once per 50,000 rows, or believe
-- statistics that this very load has outdated.
create function app.write_file(company_id uuid, file text, out inserted bigint, out updated bigint, out unchanged bigint)
language plpgsql volatile security invoker
set search_path = ''
set enable_hashjoin = off
set enable_mergejoin = off
set enable_seqscan = off
as $$
declare
  slice constant bigint := 50000;
  sent record;
  part record;
begin
  inserted := 0;
  updated := 0;
  execute format('select count(*) as rows, min(position) as first, max(position) as last from staging.%I', file) into sent;
  for start in 0 .. coalesce((sent.last - sent.first) / slice, -1) loop
    execute app.write_query(file) into part
      using company_id, sent.first + start * slice, sent.first + (start + 1) * slice - 1;
    inserted := inserted + part.inserted;
    updated := updated + part.updated;
    if sent.rows > slice then
      raise notice '%: % of % rows written', file, least((start + 1) * slice, sent.rows), sent.rows;
    end if;
  end loop;
  unchanged := sent.rows - inserted - updated;
end
$$;

-- Takes those who have been erased out of staging, and the kudos that name them: they do not come back, and what is left of their kudos stays
-- as it is.
create function app.leave_out_erased(company_id uuid, out members bigint, out kudos bigint)
language plpgsql volatile security invoker set search_path = ''
as $$
declare
  erased text[];
begin
  members := 0;
  kudos := 0;
  if not exists (select from app.erasures as e where e.company_id = leave_out_erased.company_id) then
    return;
  end if;
  select coalesce(array_agg(named.id), '{}') into erased
  from (
    select lower(m.id) as id from staging.members as m
    union
    select lower(k.sender_id) from staging.kudos as k
    union
    select lower(k.receiver_id) from staging.kudos as k
  ) as named
  where app.erasure_mark(leave_out_erased.company_id, named.id::uuid) in (
    select e.member_mark from app.erasures as e where e.company_id = leave_out_erased.company_id
  );
  delete from staging.members as m where lower(m.id) = any (erased);
  get diagnostics members = row_count;
  delete from staging.kudos as k where lower(k.sender_id) = any (erased) or lower(k.receiver_id) = any (erased);
  get diagnostics kudos = row_count;
end
$$;

-- What has to be there, or gone, before the rows of a file are written.
create function app.prepare_file(company_id uuid, file text) returns void
language plpgsql volatile security invoker set search_path = ''
as $$
begin
  if file = 'members' then
    -- An address may pass from one member to another within a load: whoever gives one up that another takes lets go of it first.
    update app.members as m set email = m.id || '@moving.invalid'
    from staging.members as leaving, staging.members as taking
    where m.company_id = prepare_file.company_id
      and m.id = leaving.id::uuid
      and lower(m.email) <> lower(leaving.email)
      and lower(m.email) = lower(taking.email);
  elsif file = 'categories' then
    insert into app.categories (company_id, id)
    select distinct prepare_file.company_id, s.id::uuid
    from staging.categories as s
    on conflict do nothing;
    analyze app.categories;
  end if;
end
$$;

-- Security invoker: who may not write these tables may not load either. An error names up to 20 problems.
create function app.load_staging(company_id uuid)
returns table (file text, inserted bigint, updated bigint, unchanged bigint, left_out bigint)
language plpgsql volatile security invoker
set search_path = ''
set jit = off
as $$
declare
  problems record;
  erased record;
  loaded record;
begin
  -- No row arrives between the check and the writing, and two loads do not meet.
  lock table
    staging.teams, staging.members, staging.categories, staging.kudos,
    staging.day_ratings, staging.pulse_questions, staging.pulse_responses
  in access exclusive mode;

  -- The planner does not know yet how many rows there are.
  analyze
    staging.teams, staging.members, staging.categories, staging.kudos,
    staging.day_ratings, staging.pulse_questions, staging.pulse_responses,
    app.teams, app.members, app.categories, app.pulse_questions;

  perform app.require_open_company(company_id);

  raise notice 'checking the files';
  select count(*) as found, string_agg(p.problem, '; ' order by p.place) filter (where p.place <= 20) as first into problems
  from (
    select row_number() over () as place, format('%s line %s: %s', p.file, p.line, p.problem) as problem
    from app.staging_problems(load_staging.company_id) as p
  ) as p;
  if problems.found > 0 then
    raise exception '%', problems.first || case when problems.found > 20 then format('; and %s more', problems.found - 20) else '' end
      using errcode = 'invalid_parameter_value';
  end if;

  select * into erased from app.leave_out_erased(company_id);
  for loaded in select f.file, f.target from app.loaded_files() as f order by f.place loop
    perform app.prepare_file(company_id, loaded.file);
    return query
      select loaded.file, w.inserted, w.updated, w.unchanged, case loaded.file when 'members' then erased.members when 'kudos' then erased.kudos else 0 end
      from app.write_file(load_staging.company_id, loaded.file) as w;
    -- Foreign keys of the files that follow are checked with plans that know how many rows this one has added.
    execute format('analyze app.%I', loaded.target);
  end loop;

  truncate
    staging.teams, staging.members, staging.categories, staging.kudos,
    staging.day_ratings, staging.pulse_questions, staging.pulse_responses;
end
$$;

revoke all on function app.write_query, app.write_file, app.leave_out_erased, app.prepare_file, app.load_staging from public;
comment on function app.write_query(text) is 'The statement that writes rows of a file in staging to a company and counts them.';
comment on function app.write_file(uuid, text) is 'Writes a file in staging to a company, and says how many rows were new, changed, and neither.';
comment on function app.leave_out_erased(uuid) is 'Takes erased people and their kudos out of staging, and says how many rows that were.';
comment on function app.prepare_file(uuid, text) is 'Makes way for the rows of a file in staging.';
comment on function app.load_staging(uuid) is
  'Checks what stands in staging, writes it to this company, all or nothing, and empties staging. What it did, per file.';
