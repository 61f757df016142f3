-- The state of a hosted Supabase project's database before the first migration, as far as this service needs it. The
-- superuser runs this file in every new database. The tables of schema auth are created after it (database.ts).

create schema extensions authorization postgres;
create extension pgcrypto with schema extensions;
grant usage on schema extensions to anon, authenticated, service_role;

grant usage on schema public to postgres, anon, authenticated, service_role;

-- postgres can read and write the tables of auth, but cannot grant the schema to another role.
create schema auth authorization supabase_auth_admin;
grant usage on schema auth to postgres, anon, authenticated, service_role;
alter default privileges for role supabase_auth_admin in schema auth grant all on tables to postgres;

set role supabase_auth_admin;

-- As on the platform. PostgREST sets the claims of a session as one JSON object.
create function auth.jwt() returns jsonb language sql stable as $$
  select coalesce(nullif(current_setting('request.jwt.claim', true), ''), nullif(current_setting('request.jwt.claims', true), ''))::jsonb
$$;
create function auth.uid() returns uuid language sql stable as $$
  select coalesce(nullif(current_setting('request.jwt.claim.sub', true), ''), auth.jwt() ->> 'sub')::uuid
$$;
create function auth.role() returns text language sql stable as $$
  select coalesce(nullif(current_setting('request.jwt.claim.role', true), ''), auth.jwt() ->> 'role')
$$;
create function auth.email() returns text language sql stable as $$
  select coalesce(nullif(current_setting('request.jwt.claim.email', true), ''), auth.jwt() ->> 'email')
$$;

reset role;

-- As on the platform: after a change of the schema the Data API is told to read it again.
create function extensions.pgrst_watch() returns event_trigger language plpgsql as $$ begin notify pgrst, 'reload schema'; end $$;
create event trigger pgrst_ddl_watch on ddl_command_end execute function extensions.pgrst_watch();
create event trigger pgrst_drop_watch on sql_drop execute function extensions.pgrst_watch();

set role supabase_auth_admin;
