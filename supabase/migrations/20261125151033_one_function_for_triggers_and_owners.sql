set lock_timeout = '2s';
set statement_timeout = '60s';

set local check_function_bodies = off;

grant create on schema public to public_api;

CREATE OR REPLACE FUNCTION app.keep_changes(relation regclass)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  execute format(
    $triggers$
      create trigger number_insert before insert on %1$s
        for each row when (new.changed_in <> pg_current_xact_id()) execute function app.number_change();
      create trigger number_update before update on %1$s
        for each row when (old *<> new) execute function app.number_change();
      create trigger record_deletions after delete on %1$s
        referencing old table as deleted for each statement execute function app.record_deletions();
      create trigger record_truncate after truncate on %1$s
        for each statement execute function app.record_deletions();
      create trigger record_old_id after update on %1$s
        for each row when (old.company_id <> new.company_id or old.id <> new.id) execute function app.record_old_id();
    $triggers$,
    relation
  );
end
$function$;

CREATE OR REPLACE FUNCTION app.kept_tables()
 RETURNS TABLE(relation regclass)
 LANGUAGE sql
 STABLE
 SET search_path TO ''
BEGIN ATOMIC
 SELECT (a.attrelid)::regclass AS attrelid
    FROM (pg_attribute a
      JOIN pg_class c ON ((c.oid = a.attrelid)))
   WHERE ((c.relnamespace = ('app'::regnamespace)::oid) AND (c.relkind = 'r'::"char") AND (a.attname = 'changed_in'::name) AND (NOT a.attisdropped));
END;

CREATE OR REPLACE FUNCTION app.forget_cursors(company_id uuid DEFAULT NULL::uuid, relation text DEFAULT NULL::text)
 RETURNS void
 LANGUAGE sql
 SET search_path TO ''
BEGIN ATOMIC
 INSERT INTO app.forgotten_deletions AS forgotten (company_id, relation, deleted_in, id)  SELECT c.id,
             kept.relation,
             pg_current_xact_id() AS pg_current_xact_id,
             'ffffffff-ffff-ffff-ffff-ffffffffffff'
            FROM app.companies c,
             app.kept_tables() kept(relation)
           WHERE ((c.id = COALESCE(forget_cursors.company_id, c.id)) AND ((kept.relation)::oid = (COALESCE((('app.'::text || forget_cursors.relation))::regclass, kept.relation))::oid))
           ORDER BY c.id, kept.relation ON CONFLICT ON CONSTRAINT forgotten_deletions_pkey DO UPDATE SET deleted_in = excluded.deleted_in, id = excluded.id
   WHERE (forgotten.deleted_in < excluded.deleted_in);
END;

CREATE OR REPLACE FUNCTION app.serve_keys(served regprocedure)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  grant create on schema public to public_api;
  execute format('alter function %s owner to public_api', served);
  revoke create on schema public from public_api;
  execute format('revoke all on function %s from public, anon, authenticated', served);
  execute format('grant execute on function %s to service_role', served);
end
$function$;

COMMENT ON FUNCTION "app"."keep_changes"(regclass) IS 'Creates the triggers that number the changes of a table and record its deletions.';

COMMENT ON FUNCTION "app"."kept_tables"() IS 'The tables of the lists, whose changes are numbered.';

COMMENT ON FUNCTION "app"."serve_keys"(regprocedure) IS 'Makes a function one that serves API keys: public_api owns it, and only service_role may call it. For the schema and sql/repair.sql.';

REVOKE ALL ON FUNCTION "app"."keep_changes"(regclass) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."keep_changes"(regclass) TO "postgres";

REVOKE ALL ON FUNCTION "app"."kept_tables"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."kept_tables"() TO "postgres";

REVOKE ALL ON FUNCTION "app"."serve_keys"(regprocedure) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."serve_keys"(regprocedure) TO "postgres";

revoke create on schema public from public_api;
