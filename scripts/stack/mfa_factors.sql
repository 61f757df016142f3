-- The second factors of accounts, as in a hosted project: the stand-in for Auth has no such table. The owner of schema auth
-- runs this file after the other tables of Auth.
create type auth.factor_type as enum ('totp', 'webauthn', 'phone');
create type auth.factor_status as enum ('unverified', 'verified');
create table auth.mfa_factors (
  id uuid primary key,
  user_id uuid not null references auth.users (id) on delete cascade,
  friendly_name text,
  factor_type auth.factor_type not null,
  status auth.factor_status not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  secret text
);
alter table auth.mfa_factors enable row level security;
