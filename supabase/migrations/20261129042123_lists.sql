-- The tables of companies and keys are small: reading them takes milliseconds.
-- squawk-ignore-file ban-drop-not-null, constraint-missing-not-valid
set lock_timeout = '2s';
set statement_timeout = '60s';

set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION lists.begin(list text, key_hash text, max_rows integer, starting_after uuid, after_time timestamp with time zone, until timestamp with time zone DEFAULT 'infinity'::timestamp with time zone)
 RETURNS lists.page
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  api_key constant app.verified_key := app.admit(key_hash, lists.scope(list));
  below_instant timestamptz := until + interval '1 microsecond';
  below_id uuid := '00000000-0000-0000-0000-000000000000';
begin
  if starting_after is not null then
    if after_time is null then
      execute format('select t.created_at from %s as t where t.company_id = $1 and t.id = $2', lists.relation(list))
      into after_time using api_key.company_id, starting_after;
      -- The same for a row of another company.
      if after_time is null then
        raise exception using errcode = 'PT400', message = 'starting_after must be the id of a row of this list',
          detail = json_build_object('key_id', api_key.key_id, 'company_id', api_key.company_id);
      end if;
    end if;
    if (after_time, starting_after) < (below_instant, below_id) then
      below_instant := after_time;
      below_id := starting_after;
    end if;
  end if;
  return row(api_key.key_id, api_key.company_id, below_instant, below_id, max_rows);
end
$function$;

CREATE OR REPLACE FUNCTION lists."only"(include text[], all_included text[], page json)
 RETURNS json
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  kept text := page;
  run text := '';
  name text;
begin
  foreach name in array all_included || null::text loop
    if name <> all (include) then
      run := run || format(',"%s":null', name);
    elsif run <> '' then
      kept := replace(kept, run, '');
      run := '';
    end if;
  end loop;
  return kept;
end
$function$;

CREATE OR REPLACE FUNCTION lists.rarest_kudos_filter(page lists.page, since timestamp with time zone, sender uuid, receiver uuid, category uuid)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET enable_bitmapscan TO 'off'
AS $function$
begin
  return (
    select f.name from (values
      ('sender', sender, (select count(*) from (select from app.kudos as k where k.company_id = page.company_id
        and k.sender_id = sender and k.created_at between since and page.instant limit 1000) as counted)),
      ('receiver', receiver, (select count(*) from (select from app.kudos as k where k.company_id = page.company_id
        and k.receiver_id = receiver and k.created_at between since and page.instant limit 1000) as counted)),
      ('category', category, (select count(*) from (select from app.kudos as k where k.company_id = page.company_id
        and k.category_id = category and k.created_at between since and page.instant limit 1000) as counted))
    ) as f (name, id, kudos)
    where f.id is not null order by f.kudos limit 1
  );
end
$function$;

CREATE OR REPLACE FUNCTION lists.relation(list text)
 RETURNS regclass
 LANGUAGE sql
 IMMUTABLE
RETURN CASE list WHEN 'members'::text THEN 'app.members'::regclass WHEN 'teams'::text THEN 'app.teams'::regclass WHEN 'activity'::text THEN 'app.kudos'::regclass WHEN 'categories'::text THEN 'app.categories'::regclass WHEN 'rewards'::text THEN 'app.rewards'::regclass WHEN 'day-ratings'::text THEN 'app.day_ratings'::regclass WHEN 'pulse-responses'::text THEN 'app.pulse_responses'::regclass ELSE NULL::regclass END;

CREATE OR REPLACE FUNCTION lists.scope(list text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
RETURN CASE WHEN (list = ANY (ARRAY['members'::text, 'teams'::text])) THEN 'read:members'::text WHEN (list = ANY (ARRAY['activity'::text, 'categories'::text])) THEN 'read:activity'::text WHEN (list = 'rewards'::text) THEN 'read:rewards'::text WHEN (list = ANY (ARRAY['day-ratings'::text, 'pulse-responses'::text])) THEN 'read:analytics'::text ELSE 'none'::text END;

COMMENT ON FUNCTION "lists"."relation"(text) IS 'The table whose rows a list has.';

COMMENT ON FUNCTION "lists"."scope"(text) IS 'The scope of a list, such as day-ratings.';

REVOKE ALL ON FUNCTION "lists"."relation"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "lists"."relation"(text) TO "postgres", "public_api";

REVOKE ALL ON FUNCTION "lists"."scope"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "lists"."scope"(text) TO "postgres", "public_api";
