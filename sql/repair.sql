-- After a restore without owners and privileges (docs/operations.md, Restore): makes public_api the owner of the
-- functions that serve API keys again, and lets only service_role call them. These are the functions that are security
-- definer and call app.authenticate. It is safe to run this file again.
--   psql "$DATABASE_URL" --single-transaction --file sql/repair.sql

grant create on schema public to public_api;

do $$
declare
  serving regprocedure;
begin
  for serving in
    select p.oid from pg_catalog.pg_proc as p
    where p.pronamespace = 'public'::regnamespace and p.prosecdef and strpos(p.prosrc, 'app.authenticate(') > 0
  loop
    execute format('alter function %s owner to public_api', serving);
    execute format('revoke all on function %s from public, anon, authenticated', serving);
    execute format('grant execute on function %s to service_role', serving);
  end loop;
end
$$;

revoke create on schema public from public_api;
