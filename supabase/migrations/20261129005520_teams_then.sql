set lock_timeout = '2s';
set statement_timeout = '60s';

set local check_function_bodies = off;

DROP VIEW "lists"."activity_with";

DROP VIEW "lists"."activity_with_ids";

DROP VIEW "lists"."activity";

ALTER TABLE "app"."kudos" ADD COLUMN "sender_team_then_id" uuid;

ALTER TABLE "app"."kudos" ADD COLUMN "receiver_team_then_id" uuid;

ALTER TABLE "staging"."kudos" ADD COLUMN "sender_team_then_id" text;

ALTER TABLE "staging"."kudos" ADD COLUMN "receiver_team_then_id" text;

ALTER TYPE "lists"."kudos_with" ADD ATTRIBUTE "sender_team_then_id" uuid CASCADE;

ALTER TYPE "lists"."kudos_with" ADD ATTRIBUTE "sender_team_then_name" text CASCADE;

ALTER TYPE "lists"."kudos_with" ADD ATTRIBUTE "receiver_team_then_id" uuid CASCADE;

ALTER TYPE "lists"."kudos_with" ADD ATTRIBUTE "receiver_team_then_name" text CASCADE;

CREATE OR REPLACE FUNCTION app.forget_teams()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if new.sender_id <> old.sender_id and new.sender_team_then_id = old.sender_team_then_id then
    new.sender_team_then_id := null;
  end if;
  if new.receiver_id <> old.receiver_id and new.receiver_team_then_id = old.receiver_team_then_id then
    new.receiver_team_then_id := null;
  end if;
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION app.loaded_columns()
 RETURNS TABLE(file text, place integer, field text, kind text, unique_by text, minimum integer, maximum integer, when_empty text, names text, target_column text)
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
BEGIN ATOMIC
 VALUES ('teams'::text,1,'id'::text,'uuid'::text,'key'::text,NULL::integer,NULL::integer,NULL::text,NULL::text,'id'::text), ('teams'::text,2,'name'::text,'label'::text,NULL::text,1,255,NULL::text,NULL::text,'name'::text), ('members'::text,1,'id'::text,'uuid'::text,'key'::text,NULL::integer,NULL::integer,NULL::text,NULL::text,'id'::text), ('members'::text,2,'name'::text,'label'::text,NULL::text,1,255,NULL::text,NULL::text,'name'::text), ('members'::text,3,'email'::text,'email'::text,'email'::text,1,320,NULL::text,NULL::text,'email'::text), ('members'::text,4,'role'::text,'label'::text,NULL::text,1,50,NULL::text,NULL::text,'role'::text), ('members'::text,5,'team_id'::text,'uuid'::text,NULL::text,NULL::integer,NULL::integer,'null'::text,'teams'::text,'team_id'::text), ('members'::text,6,'created_at'::text,'date_time'::text,NULL::text,NULL::integer,NULL::integer,NULL::text,NULL::text,'created_at'::text), ('categories'::text,1,'id'::text,'uuid'::text,'key'::text,NULL::integer,NULL::integer,NULL::text,NULL::text,'category_id'::text), ('categories'::text,2,'language'::text,'language'::text,'key'::text,NULL::integer,NULL::integer,NULL::text,NULL::text,'language'::text), ('categories'::text,3,'name'::text,'label'::text,NULL::text,1,255,NULL::text,NULL::text,'name'::text), ('kudos'::text,1,'id'::text,'uuid'::text,'key'::text,NULL::integer,NULL::integer,NULL::text,NULL::text,'id'::text), ('kudos'::text,2,'sender_id'::text,'uuid'::text,NULL::text,NULL::integer,NULL::integer,NULL::text,'members'::text,'sender_id'::text), ('kudos'::text,3,'receiver_id'::text,'uuid'::text,NULL::text,NULL::integer,NULL::integer,NULL::text,'members'::text,'receiver_id'::text), ('kudos'::text,4,'category_id'::text,'uuid'::text,NULL::text,NULL::integer,NULL::integer,NULL::text,'categories'::text,'category_id'::text), ('kudos'::text,5,'message'::text,'text'::text,NULL::text,1,10000,NULL::text,NULL::text,'message'::text), ('kudos'::text,6,'created_at'::text,'date_time'::text,NULL::text,NULL::integer,NULL::integer,NULL::text,NULL::text,'created_at'::text), ('kudos'::text,7,'sender_team_then_id'::text,'uuid'::text,NULL::text,NULL::integer,NULL::integer,'kept'::text,NULL::text,'sender_team_then_id'::text), ('kudos'::text,8,'receiver_team_then_id'::text,'uuid'::text,NULL::text,NULL::integer,NULL::integer,'kept'::text,NULL::text,'receiver_team_then_id'::text), ('day_ratings'::text,1,'id'::text,'uuid'::text,'key'::text,NULL::integer,NULL::integer,NULL::text,NULL::text,'id'::text), ('day_ratings'::text,2,'rating'::text,'whole_number'::text,NULL::text,1,5,NULL::text,NULL::text,'rating'::text), ('day_ratings'::text,3,'comment'::text,'text'::text,NULL::text,1,10000,'null'::text,NULL::text,'comment'::text), ('day_ratings'::text,4,'team_id'::text,'uuid'::text,NULL::text,NULL::integer,NULL::integer,'null'::text,'teams'::text,'team_id'::text), ('day_ratings'::text,5,'points_awarded'::text,'whole_number'::text,NULL::text,0,2147483647,'null'::text,NULL::text,'points_awarded'::text), ('day_ratings'::text,6,'created_at'::text,'date_time'::text,NULL::text,NULL::integer,NULL::integer,NULL::text,NULL::text,'created_at'::text), ('pulse_questions'::text,1,'id'::text,'uuid'::text,'key'::text,NULL::integer,NULL::integer,NULL::text,NULL::text,'id'::text), ('pulse_questions'::text,2,'question'::text,'text'::text,NULL::text,1,2000,NULL::text,NULL::text,'question'::text), ('pulse_questions'::text,3,'response_type'::text,'label'::text,NULL::text,1,50,'null'::text,NULL::text,'response_type'::text), ('pulse_responses'::text,1,'id'::text,'uuid'::text,'key'::text,NULL::integer,NULL::integer,NULL::text,NULL::text,'id'::text), ('pulse_responses'::text,2,'question_id'::text,'uuid'::text,NULL::text,NULL::integer,NULL::integer,'null'::text,'pulse_questions'::text,'question_id'::text), ('pulse_responses'::text,3,'value'::text,'json'::text,NULL::text,1,10000,'null'::text,NULL::text,'value'::text), ('pulse_responses'::text,4,'comment'::text,'text'::text,NULL::text,1,10000,''''''::text,NULL::text,'comment'::text), ('pulse_responses'::text,5,'created_at'::text,'date_time'::text,NULL::text,NULL::integer,NULL::integer,NULL::text,NULL::text,'created_at'::text);
END;

CREATE OR REPLACE FUNCTION app.note_teams()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  select
    coalesce(new.sender_team_then_id, (
      select coalesce(m.team_id, '00000000-0000-0000-0000-000000000000') from app.members as m
      where m.company_id = new.company_id and m.id = new.sender_id and not m.is_former
    )),
    coalesce(new.receiver_team_then_id, (
      select coalesce(m.team_id, '00000000-0000-0000-0000-000000000000') from app.members as m
      where m.company_id = new.company_id and m.id = new.receiver_id and not m.is_former
    ))
  into new.sender_team_then_id, new.receiver_team_then_id;
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION app.write_query(file text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN (SELECT format('
      with written as (
        merge into app.%1$I as t
        using (
          select %3$s from staging.%2$I as s where s.position between $2 and $3 order by %4$s
        ) as s
        on t.company_id = $1 and %5$s
        when matched and row(%6$s) is distinct from row(%7$s) then update set %8$s
        when not matched then insert (company_id, %9$s) values ($1, %10$s)
        returning merge_action() as action
      )
      select count(*) filter (where action = ''INSERT'') as inserted, count(*) filter (where action = ''UPDATE'') as updated
      from written
    '::text, f.target, f.file, string_agg((CASE WHEN (c.when_empty IS NULL) THEN format('s.%I::%s'::text, c.field, c.type) ELSE format('coalesce(nullif(s.%I, '''')::%s, %s)'::text, c.field, c.type, replace(c.when_empty, 'kept'::text, 'null'::text)) END || format(' as %I'::text, c.target_column)), ', '::text ORDER BY c.place), string_agg(format('s.%I::%s'::text, c.field, c.type), ', '::text ORDER BY (c.kind = 'date_time'::text) DESC, c.place) FILTER (WHERE ((c.kind = 'date_time'::text) OR c.is_key)), string_agg(format('t.%1$I = s.%1$I'::text, c.target_column), ' and '::text ORDER BY c.place) FILTER (WHERE c.is_key), string_agg((format('t.%I'::text, c.target_column) || c.compared_as), ', '::text ORDER BY c.place) FILTER (WHERE (NOT c.is_key)), string_agg((format(c.replaced_by, c.target_column) || c.compared_as), ', '::text ORDER BY c.place) FILTER (WHERE (NOT c.is_key)), string_agg(format(('%1$I = '::text || c.replaced_by), c.target_column), ', '::text ORDER BY c.place) FILTER (WHERE (NOT c.is_key)), string_agg(format('%I'::text, c.target_column), ', '::text ORDER BY c.place), string_agg(format('s.%I'::text, c.target_column), ', '::text ORDER BY c.place)) AS format FROM (app.loaded_files() f(place, file, target, one) JOIN (SELECT loaded.file, loaded.place, loaded.field, loaded.kind, loaded.unique_by, loaded.minimum, loaded.maximum, loaded.when_empty, loaded.names, loaded.target_column, CASE loaded.kind WHEN 'uuid'::text THEN 'uuid'::text WHEN 'whole_number'::text THEN 'integer'::text WHEN 'json'::text THEN 'jsonb'::text WHEN 'date_time'::text THEN 'timestamptz'::text ELSE 'text'::text END AS type, (NOT (loaded.unique_by IS DISTINCT FROM 'key'::text)) AS is_key, CASE loaded.kind WHEN 'json'::text THEN '::text'::text ELSE ''::text END AS compared_as, CASE loaded.when_empty WHEN 'kept'::text THEN 'coalesce(s.%1$I, t.%1$I)'::text ELSE 's.%1$I'::text END AS replaced_by FROM app.loaded_columns() loaded(file, place, field, kind, unique_by, minimum, maximum, when_empty, names, target_column)) c ON ((c.file = f.file))) WHERE (f.file = write_query.file) GROUP BY f.file, f.target);

CREATE OR REPLACE FUNCTION lists.included_in_activity(with_teams boolean)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE
RETURN (ARRAY['sender_id'::text, 'receiver_id'::text, 'category_id'::text] || CASE WHEN with_teams THEN ARRAY['sender_team_id'::text, 'sender_team_name'::text, 'receiver_team_id'::text, 'receiver_team_name'::text, 'sender_team_then_id'::text, 'sender_team_then_name'::text, 'receiver_team_then_id'::text, 'receiver_team_then_name'::text] ELSE NULL::text[] END);

CREATE OR REPLACE FUNCTION public.count_activity(key_hash text, by text[], since timestamp with time zone DEFAULT NULL::timestamp with time zone, until timestamp with time zone DEFAULT NULL::timestamp with time zone, time_zone text DEFAULT 'UTC'::text, category_id uuid DEFAULT NULL::uuid, sender_id uuid DEFAULT NULL::uuid, receiver_id uuid DEFAULT NULL::uuid, sender_team_id uuid DEFAULT NULL::uuid, receiver_team_id uuid DEFAULT NULL::uuid, include text[] DEFAULT NULL::text[], max_rows integer DEFAULT NULL::integer)
 RETURNS app."application/json"
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET work_mem TO '32MB'
 SET lock_timeout TO '5s'
 SET statement_timeout TO '7s'
 SET jit TO 'off'
 SET enable_seqscan TO 'off'
AS $function$
declare
  api_key app.verified_key;
  last timestamptz := coalesce(until, now());
  step text;
  selected text;
  groups text;
  teams text;
  ids text;
  names text;
  people text;
  numbers text;
  most constant integer := coalesce(max_rows, app.most_groups());
  rows json[];
  headers text;
begin
  api_key := app.admit(key_hash, 'read:activity');
  perform app.take_turn_of_total(api_key.key_id, api_key.company_id);

  -- A statement for each by would be hundreds. So it is put together, from these texts and nothing that was sent: the
  -- columns of the answer, what kudos are grouped by, where that is found, the ids that order the groups, and where
  -- names are found. Teams are found in one table of all members (offset 0): the planner cannot know how many kudos a
  -- period has, and might look them up one by one.
  select
    min(wanted.name) filter (where part.name is null),
    string_agg(coalesce(part.columns, format('first_day as %I', wanted.name)) || ', ', '' order by place),
    string_agg(part.grouped || ', ', '' order by place),
    string_agg(part.team, ' ' order by place),
    string_agg(part.id, ', ' order by place),
    string_agg(part.named, ' ' order by place)
  into step, selected, groups, teams, ids, names
  from unnest(by) with ordinality as wanted (name, place)
  left join (
    select 'category' as name, 'category_id' as id, 'k.category_id' as grouped, null as team,
      'join app.categories as category on category.company_id = $1 and category.id = category_id' as named,
      'category_id, category.name as category' as columns
    union all
    select replace(name, 'person', person), replace(id, 'person', person), replace(grouped, 'person', person),
      replace(team, 'person', person), replace(named, 'person', person), replace(columns, 'person', person)
    from unnest(array['sender', 'receiver']) as person
    cross join (values
      ('person', 'person_id', 'k.person_id', null,
        'join app.members as person on person.company_id = $1 and person.id = person_id',
        'person_id, person.name as person_name'),
      ('person_team', 'person_team_id', 'person.team_id as person_team_id',
        'join (select m.id, m.team_id from app.members as m where m.company_id = $1 offset 0) as person '
          'on person.id = k.person_id',
        'left join app.teams as person_team on person_team.company_id = $1 and person_team.id = person_team_id',
        'person_team_id, coalesce(person_team.name, ''No Team'') as person_team_name'),
      -- Those without a team and the unknown ones are two groups.
      ('person_team_then', 'person_team_then_id, person_is_unknown',
        'nullif(k.person_team_then_id, ''00000000-0000-0000-0000-000000000000'') as person_team_then_id, '
          'k.person_team_then_id is null as person_is_unknown',
        null,
        'left join app.teams as person_then on person_then.company_id = $1 and person_then.id = person_team_then_id',
        'person_team_then_id, case when person_is_unknown or person_team_then_id is not null then person_then.name '
          'else ''No Team'' end as person_team_then_name')
    ) as of_person (name, id, grouped, team, named, columns)
  ) as part on part.name = wanted.name;

  -- Different people are counted in arrays, of the groups that are shown: count(distinct) beside the kudos sorts all of
  -- them, and takes a quarter more time.
  select
    string_agg(format(', array_agg(k.%s_id) as %1$ss', person), '' order by person desc),
    string_agg(
      format(', (select count(*) from (select distinct unnest(%ss)) as ids) as %1$ss', person), '' order by person desc
    )
  into people, numbers
  from unnest(array['sender', 'receiver']) as person
  where person || 's' = any (include);

  execute format(
    $statement$
      select array(select to_json(item) from (
        select %1$s kudos %2$s
        from (
          select period.first_day, counted.*
          from (
            select * from app.periods($2, app.first_of_window($3, $4, $5), $4, $5) order by first_day desc
          ) as period
          cross join lateral (
            select %3$s count(*) as kudos %4$s
            from app.kudos as k %5$s
            where k.company_id = $1 and k.created_at >= period.begins and k.created_at < period.ends
              and ($6 is null or k.category_id = $6)
              and ($7 is null or k.sender_id = $7) and ($8 is null or k.receiver_id = $8)
              and ($9 is null or k.sender_id in (
                select m.id from app.members as m where m.company_id = $1 and m.team_id = $9
              ))
              and ($10 is null or k.receiver_id in (
                select m.id from app.members as m where m.company_id = $1 and m.team_id = $10
              ))
            %6$s
            having count(*) > 0
          ) as counted
          order by first_day desc, kudos desc %8$s
          limit $11 + 1
        ) as counted
        %7$s
        order by first_day desc, kudos desc %8$s
      ) as item)
    $statement$,
    selected, numbers, groups, people, teams, 'group by ' || ids, names, ', ' || ids
  )
  into rows
  using api_key.company_id, step, since, last, time_zone, category_id, sender_id, receiver_id, sender_team_id,
    receiver_team_id, most;

  headers := app.end_page(api_key.key_id, api_key.company_id, cardinality(rows), most, '');
  return case when max_rows is null and cardinality(rows) > most then '[]' else array_to_json(rows[:most]) end;
end
$function$;

CREATE VIEW "lists"."activity" WITH (security_invoker=true) AS  SELECT k.company_id,
    k.created_at AS instant,
    k.changed_in,
    k.id,
    k.sender_id,
    k.receiver_id,
    k.category_id,
    sender.team_id AS sender_team_id,
    receiver.team_id AS receiver_team_id,
    k.sender_team_then_id,
    k.receiver_team_then_id,
    ROW(k.id, to_char((k.created_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'::text), sender.name, sender.email, receiver.name, receiver.email, k.message, (( SELECT jsonb_object_agg(c.id, c.name) AS jsonb_object_agg
           FROM app.categories c
          WHERE (c.company_id = ( SELECT app.current_company_id() AS current_company_id))) ->> (k.category_id)::text))::lists.kudos AS shown
   FROM ((app.kudos k
     LEFT JOIN LATERAL ( SELECT m.name,
            m.email,
            m.team_id
           FROM app.members m
          WHERE ((m.company_id = k.company_id) AND (m.id = k.sender_id))
         OFFSET 0) sender ON (true))
     LEFT JOIN LATERAL ( SELECT m.name,
            m.email,
            m.team_id
           FROM app.members m
          WHERE ((m.company_id = k.company_id) AND (m.id = k.receiver_id))
         OFFSET 0) receiver ON (true));;

CREATE VIEW "lists"."activity_with_ids" WITH (security_invoker=true) AS  SELECT company_id,
    instant,
    changed_in,
    id,
    sender_id,
    receiver_id,
    category_id,
    sender_team_id,
    receiver_team_id,
    sender_team_then_id,
    receiver_team_then_id,
    ROW((shown).id, (shown)."timestamp", (shown).sender_name, (shown).sender_email, (shown).receiver_name, (shown).receiver_email, (shown).message, (shown).category,
        CASE
            WHEN ( SELECT lists.includes('sender_id'::text) AS includes) THEN sender_id
            ELSE NULL::uuid
        END,
        CASE
            WHEN ( SELECT lists.includes('receiver_id'::text) AS includes) THEN receiver_id
            ELSE NULL::uuid
        END,
        CASE
            WHEN ( SELECT lists.includes('category_id'::text) AS includes) THEN category_id
            ELSE NULL::uuid
        END)::lists.kudos_with_ids AS shown
   FROM lists.activity v;;

CREATE VIEW "lists"."activity_with" WITH (security_invoker=true) AS  SELECT v.company_id,
    v.instant,
    v.changed_in,
    v.id,
    v.sender_id,
    v.receiver_id,
    v.category_id,
    ROW((v.shown).id, (v.shown)."timestamp", (v.shown).sender_name, (v.shown).sender_email, (v.shown).receiver_name, (v.shown).receiver_email, (v.shown).message, (v.shown).category, (v.shown).sender_id, (v.shown).receiver_id, (v.shown).category_id,
        CASE
            WHEN ( SELECT lists.includes('sender_team_id'::text) AS includes) THEN v.sender_team_id
            ELSE NULL::uuid
        END,
        CASE
            WHEN ( SELECT lists.includes('sender_team_name'::text) AS includes) THEN (teams.names ->> (v.sender_team_id)::text)
            ELSE NULL::text
        END,
        CASE
            WHEN ( SELECT lists.includes('receiver_team_id'::text) AS includes) THEN v.receiver_team_id
            ELSE NULL::uuid
        END,
        CASE
            WHEN ( SELECT lists.includes('receiver_team_name'::text) AS includes) THEN (teams.names ->> (v.receiver_team_id)::text)
            ELSE NULL::text
        END,
        CASE
            WHEN ( SELECT lists.includes('sender_team_then_id'::text) AS includes) THEN NULLIF(v.sender_team_then_id, '00000000-0000-0000-0000-000000000000'::uuid)
            ELSE NULL::uuid
        END,
        CASE
            WHEN ( SELECT lists.includes('sender_team_then_name'::text) AS includes) THEN (teams.names ->> (v.sender_team_then_id)::text)
            ELSE NULL::text
        END,
        CASE
            WHEN ( SELECT lists.includes('receiver_team_then_id'::text) AS includes) THEN NULLIF(v.receiver_team_then_id, '00000000-0000-0000-0000-000000000000'::uuid)
            ELSE NULL::uuid
        END,
        CASE
            WHEN ( SELECT lists.includes('receiver_team_then_name'::text) AS includes) THEN (teams.names ->> (v.receiver_team_then_id)::text)
            ELSE NULL::text
        END)::lists.kudos_with AS shown
   FROM (lists.activity_with_ids v
     CROSS JOIN ( SELECT (COALESCE(jsonb_object_agg(t.id, t.name), '{}'::jsonb) || '{"00000000-0000-0000-0000-000000000000": "No Team"}'::jsonb) AS names
           FROM app.teams t
          WHERE (t.company_id = ( SELECT app.current_company_id() AS current_company_id))) teams);;

CREATE TRIGGER forget_teams BEFORE UPDATE OF sender_id, receiver_id ON app.kudos FOR EACH ROW WHEN (((new.sender_id <> old.sender_id) OR (new.receiver_id <> old.receiver_id))) EXECUTE FUNCTION app.forget_teams();

CREATE TRIGGER note_teams BEFORE INSERT ON app.kudos FOR EACH ROW WHEN (((new.created_at >= (now() - '48:00:00'::interval)) AND (num_nulls(new.sender_team_then_id, new.receiver_team_then_id) > 0) AND (current_setting('app.as_stored'::text, true) IS DISTINCT FROM 'on'::text))) EXECUTE FUNCTION app.note_teams();

COMMENT ON FUNCTION "app"."forget_teams"() IS 'Trigger: another person has no known team in a kudos.';

COMMENT ON FUNCTION "app"."note_teams"() IS 'Trigger: adds the teams of a new kudos.';

REVOKE ALL ON FUNCTION "app"."forget_teams"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."forget_teams"() TO "postgres";

REVOKE ALL ON FUNCTION "app"."note_teams"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "app"."note_teams"() TO "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "lists"."activity" TO "postgres";

GRANT SELECT ON TABLE "lists"."activity" TO "public_api";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "lists"."activity_with" TO "postgres";

GRANT SELECT ON TABLE "lists"."activity_with" TO "public_api";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "lists"."activity_with_ids" TO "postgres";

GRANT SELECT ON TABLE "lists"."activity_with_ids" TO "public_api";
