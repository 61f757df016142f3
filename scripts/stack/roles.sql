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
create role authenticator login noinherit;
grant anon, authenticated, service_role to authenticator, postgres;

-- Owns schema auth. Lite is PostgREST and Auth in one process with one connection, so here this role also serves
-- requests: it can switch to the three roles above, but does not inherit their rights.
create role supabase_auth_admin login noinherit;
grant anon, authenticated, service_role to supabase_auth_admin with inherit false, set true;
