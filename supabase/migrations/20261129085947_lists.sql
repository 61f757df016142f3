-- The tables of companies and keys are small: reading them takes milliseconds.
-- squawk-ignore-file ban-drop-not-null, constraint-missing-not-valid
set lock_timeout = '2s';
set statement_timeout = '60s';

set local check_function_bodies = off;

DROP VIEW "lists"."activity_with";

DROP VIEW "lists"."activity_with_ids";

DROP VIEW "lists"."activity";

CREATE TYPE "lists"."kudos_with_teams" AS ("id" uuid, "timestamp" text, "sender_name" text, "sender_email" text, "receiver_name" text, "receiver_email" text, "message" text, "category" text, "sender_team_id" uuid, "sender_team_name" text, "receiver_team_id" uuid, "receiver_team_name" text, "sender_team_then_id" uuid, "sender_team_then_name" text, "receiver_team_then_id" uuid, "receiver_team_then_name" text);

CREATE OR REPLACE FUNCTION lists.rarest_member_filter(company uuid, team uuid, named_role text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET enable_bitmapscan TO 'off'
AS $function$
begin
  return case when (
    select count(*) from (select from app.members where company_id = company and team_id = team limit 1000) as t
  ) <= (
    select count(*) from (select from app.members where company_id = company and role = named_role limit 1000) as r
  ) then 'team' else 'role' end;
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
    ROW(k.id, app.iso_8601(k.created_at), sender.name, sender.email, receiver.name, receiver.email, k.message, (( SELECT jsonb_object(array_agg((c.id)::text), array_agg(c.name)) AS jsonb_object
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
        END)::lists.kudos_with_ids AS shown,
    shown AS without_ids
   FROM lists.activity v;;

CREATE VIEW "lists"."activity_with" WITH (security_invoker=true) AS  SELECT company_id,
    instant,
    changed_in,
    id,
    sender_id,
    receiver_id,
    category_id,
    ROW((shown).id, (shown)."timestamp", (shown).sender_name, (shown).sender_email, (shown).receiver_name, (shown).receiver_email, (shown).message, (shown).category, (shown).sender_id, (shown).receiver_id, (shown).category_id, (teams).f1, (teams).f2, (teams).f3, (teams).f4, (teams).f5, (teams).f6, (teams).f7, (teams).f8)::lists.kudos_with AS shown,
    ROW((without_ids).id, (without_ids)."timestamp", (without_ids).sender_name, (without_ids).sender_email, (without_ids).receiver_name, (without_ids).receiver_email, (without_ids).message, (without_ids).category, (teams).f1, (teams).f2, (teams).f3, (teams).f4, (teams).f5, (teams).f6, (teams).f7, (teams).f8)::lists.kudos_with_teams AS without_ids
   FROM ( SELECT v_1.company_id,
            v_1.instant,
            v_1.changed_in,
            v_1.id,
            v_1.sender_id,
            v_1.receiver_id,
            v_1.category_id,
            v_1.sender_team_id,
            v_1.receiver_team_id,
            v_1.sender_team_then_id,
            v_1.receiver_team_then_id,
            v_1.shown,
            v_1.without_ids,
            ROW(
                CASE
                    WHEN ( SELECT lists.includes('sender_team_id'::text) AS includes) THEN v_1.sender_team_id
                    ELSE NULL::uuid
                END,
                CASE
                    WHEN ( SELECT lists.includes('sender_team_name'::text) AS includes) THEN (teams.names ->> (v_1.sender_team_id)::text)
                    ELSE NULL::text
                END,
                CASE
                    WHEN ( SELECT lists.includes('receiver_team_id'::text) AS includes) THEN v_1.receiver_team_id
                    ELSE NULL::uuid
                END,
                CASE
                    WHEN ( SELECT lists.includes('receiver_team_name'::text) AS includes) THEN (teams.names ->> (v_1.receiver_team_id)::text)
                    ELSE NULL::text
                END,
                CASE
                    WHEN ( SELECT lists.includes('sender_team_then_id'::text) AS includes) THEN NULLIF(v_1.sender_team_then_id, '00000000-0000-0000-0000-000000000000'::uuid)
                    ELSE NULL::uuid
                END,
                CASE
                    WHEN ( SELECT lists.includes('sender_team_then_name'::text) AS includes) THEN (teams.names ->> (v_1.sender_team_then_id)::text)
                    ELSE NULL::text
                END,
                CASE
                    WHEN ( SELECT lists.includes('receiver_team_then_id'::text) AS includes) THEN NULLIF(v_1.receiver_team_then_id, '00000000-0000-0000-0000-000000000000'::uuid)
                    ELSE NULL::uuid
                END,
                CASE
                    WHEN ( SELECT lists.includes('receiver_team_then_name'::text) AS includes) THEN (teams.names ->> (v_1.receiver_team_then_id)::text)
                    ELSE NULL::text
                END) AS teams
           FROM (lists.activity_with_ids v_1
             CROSS JOIN ( SELECT jsonb_object(array_append(array_agg((t.id)::text), '00000000-0000-0000-0000-000000000000'::text), array_append(array_agg(t.name), 'No Team'::text)) AS names
                   FROM app.teams t
                  WHERE (t.company_id = ( SELECT app.current_company_id() AS current_company_id))) teams)) v;;

GRANT USAGE ON TYPE "lists"."kudos_with_teams" TO "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "lists"."activity" TO "postgres";

GRANT SELECT ON TABLE "lists"."activity" TO "public_api";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "lists"."activity_with" TO "postgres";

GRANT SELECT ON TABLE "lists"."activity_with" TO "public_api";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "lists"."activity_with_ids" TO "postgres";

GRANT SELECT ON TABLE "lists"."activity_with_ids" TO "public_api";
