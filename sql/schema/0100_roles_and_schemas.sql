-- Roles and schemas. Schema public has only what the Data API may call (public.list_members and its siblings).
--
-- The role public_api owns the functions that serve API keys. They are security definer, so they always run as this
-- role. It has no bypassrls, so the policies apply to it. The Data API's role for the secret key, service_role,
-- bypasses policies. Therefore it may not read any table: it may only call these functions.

do $$
begin
  -- Roles belong to the whole cluster, not to one database: a restore into a second database finds it there already.
  if not exists (select from pg_catalog.pg_roles where rolname = 'public_api') then
    create role public_api nologin noinherit nobypassrls;
  end if;
end
$$;

-- `alter function … owner to public_api` requires this of a role that is not a superuser.
grant public_api to postgres with inherit true, set true;

create schema app;
create schema lists;

-- For names without their accents (lists.plain).
create extension if not exists unaccent with schema extensions;

grant usage on schema app to public_api, authenticated;
grant usage on schema lists to public_api;
-- For app."application/json" alone (0710_serving.sql): the Data API names it in its statement, as service_role.
grant usage on schema app to service_role;
-- Not granted: anything else in app or lists to service_role; anything at all to anon; lists to authenticated (the dashboard
-- needs no mood data, no kudos).

comment on schema app is 'Tables and internal functions. Never exposed by the Data API.';
comment on schema lists is 'The public shape of the data: security_invoker views, and what pages of lists share.';
comment on role public_api is 'Owns the functions that serve API keys. Bound by row-level security, cannot sign in.';
