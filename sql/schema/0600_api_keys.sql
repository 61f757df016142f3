-- API keys, with which other systems use the API. The key itself is never stored, only its SHA-256. A fast hash is
-- enough, because a key has 190 random bits and cannot be guessed.

create function app.scopes() returns text[]
language sql immutable set search_path = ''
return array['read:members', 'read:activity', 'read:rewards', 'read:analytics', 'write:rewards'];

grant execute on function app.scopes to authenticated;
comment on function app.scopes is 'All scopes, in the order in which they are shown (docs/api.md, Authentication).';

create table app.api_keys (
  company_id uuid not null references app.companies (id) on delete cascade,
  id uuid not null default gen_random_uuid(),
  name text not null,
  scopes text[] not null,
  -- Unique in the whole service, because a key is looked up before its company is known.
  key_hash bytea not null,
  hint text not null,
  created_at timestamptz not null default now(),
  created_by uuid not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  -- Null for a revoked key: an operator has revoked it (app.revoke_key).
  revoked_by uuid,
  -- The key that replaces this one. Both work until this one expires. No foreign key, so that in an emergency an
  -- operator can delete a key that has replaced another one.
  replaced_by uuid,
  -- Null for a key that an admin has made: otherwise the assistant that fetched it, after an admin agreed (0920).
  assistant text,
  -- Where its code went: only a known address tells which program it is (functions/public-api/assistants/programs.ts).
  assistant_address text,
  primary key (company_id, id),
  constraint api_keys_key_hash_key unique (key_hash),
  foreign key (company_id, created_by) references app.members (company_id, id),
  foreign key (company_id, revoked_by) references app.members (company_id, id),
  constraint api_keys_name_length check (char_length(name) between 1 and 100),
  constraint api_keys_scopes_known check (cardinality(scopes) > 0 and scopes <@ app.scopes()),
  constraint api_keys_key_hash_length check (octet_length(key_hash) = 32),
  constraint api_keys_revoked_by_whom check (revoked_at is not null or revoked_by is null)
);

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

grant select (company_id, id, name, scopes, hint, created_at, created_by, expires_at, revoked_at, revoked_by, replaced_by,
  assistant, assistant_address) on app.api_keys to authenticated;
grant insert (name, scopes, expires_at) on app.api_keys to authenticated;
grant update (name, expires_at, revoked_at, replaced_by) on app.api_keys to authenticated;
-- app.change_api_key decides which changes of an update are applied.
-- Not granted: key_hash to anybody, so that nobody reads or chooses one; delete, because a revoked key stays listed;
-- anything to public_api: app.authenticate is the only function that reads this table for a request.

comment on table app.api_keys is 'API keys of a company: hash, hint, scopes. Never the key.';
comment on column app.api_keys.key_hash is 'SHA-256 of the whole key.';
comment on column app.api_keys.hint is 'sk_live_… and the last four characters, so that a person can tell keys apart.';

-- What a key is used for. Not in the row of the key, so that a request and a revoke do not wait for each other. Never an
-- address of a caller, and never a parameter of a request.
create table app.api_key_uses (
  company_id uuid not null,
  key_id uuid not null,
  last_used_at timestamptz,
  last_endpoint text,
  last_client text,
  used_on date[] not null default '{}',
  refused_at timestamptz,
  refused_endpoint text,
  refused_client text,
  forbidden_at timestamptz,
  forbidden_endpoint text,
  forbidden_scope text,
  forbidden_client text,
  checked_at timestamptz,
  checked_client text,
  answers integer[] not null default '{}',
  refusals integer[] not null default '{}',
  counted_on date,
  forbidden_reason text,
  primary key (company_id, key_id),
  foreign key (company_id, key_id) references app.api_keys (company_id, id) on delete cascade
);

create policy admin_read on app.api_key_uses for select to authenticated
  using (company_id = (select admin.company_id from app.current_admin() as admin));

grant select on app.api_key_uses to authenticated;
-- Not granted: any write; app.note_use and app.note_refused_use record the uses.

comment on column app.api_key_uses.last_endpoint is 'Method and path, such as GET /activity.';
comment on column app.api_key_uses.last_client is
  'The program, such as python-requests/2.32.3, from its User-Agent; at most 60 characters.';
comment on column app.api_key_uses.used_on is
  'The days of the last 30 on which the key was used, in UTC, oldest first, as of the last use.';
comment on column app.api_key_uses.refused_at is
  'When the key, revoked or expired, was last refused, to the minute; where and which program as for the last use.';
comment on column app.api_key_uses.forbidden_at is
  'When the key, a good one, was last refused: it lacks a scope (403), or an import was wrong; as for refused_at.';
comment on column app.api_key_uses.forbidden_reason is
  'What was wrong with the last import, never a value of it, such as: points_cost must be a number of 0 or more.';
comment on column app.api_key_uses.answers is
  'How many notes of answers were made on each of the 30 days up to counted_on, in UTC, oldest first: at most one a minute. '
  'Empty before the first.';
comment on column app.api_key_uses.refusals is 'The same of refusals, as in refused_at and forbidden_at.';
comment on column app.api_key_uses.counted_on is 'The day of the last counted note: the last of answers and refusals.';
comment on column app.api_key_uses.checked_at is
  'When the key was last tried on the dashboard (a quick check, which is no use), to the minute, and with which program.';
