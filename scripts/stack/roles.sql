-- The roles of a hosted Supabase project, made once in a new cluster by its superuser supabase_admin. Passwords are set apart.

-- What migrations run as. On the hosted service it is no superuser either: whatever needs more must fail here too.
create role postgres login createrole createdb replication bypassrls;

-- What a request runs as: without a session, with one, with the secret key.
create role anon nologin noinherit;
create role authenticated nologin noinherit;
create role service_role nologin noinherit bypassrls;
create role authenticator login noinherit;
grant anon, authenticated, service_role to authenticator, postgres;

-- Owns schema auth. Lite is PostgREST and Auth in one process with one connection, so here the same role serves requests: it may
-- become the three above, and has none of their rights otherwise.
create role supabase_auth_admin login noinherit;
grant anon, authenticated, service_role to supabase_auth_admin with inherit false, set true;
