-- The roles of a hosted Supabase project. The superuser supabase_admin creates them once in a new cluster. Passwords
-- are set separately (database.ts).

-- Runs the migrations. As on the hosted service it is not a superuser: a migration that needs more rights must fail
-- here too.
create role postgres login createrole createdb replication bypassrls;
grant pg_monitor to postgres;

-- The roles of requests: anon without a session, authenticated with a session, service_role with the secret key.
create role anon nologin noinherit;
create role authenticated nologin noinherit;
create role service_role nologin noinherit bypassrls;
-- Signs in for the Data API, and becomes one of the three. Its time limit is the platform's.
create role authenticator login noinherit;
alter role authenticator set statement_timeout = '8s';
grant anon, authenticated, service_role to authenticator, postgres;

-- Owns schema auth, and signs in for Auth.
create role supabase_auth_admin login noinherit;
