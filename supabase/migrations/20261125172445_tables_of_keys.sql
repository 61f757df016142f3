-- The tables of companies and keys are small: reading them takes milliseconds.
-- squawk-ignore-file ban-drop-not-null, constraint-missing-not-valid
set lock_timeout = '2s';
set statement_timeout = '60s';

ALTER TABLE "app"."api_keys" DROP CONSTRAINT "api_keys_revoked_by_whom";

ALTER TABLE "app"."api_key_events" ADD COLUMN "reason" text;

ALTER TABLE "app"."api_key_uses" ADD COLUMN "last_endpoint" text;

ALTER TABLE "app"."api_key_uses" ADD COLUMN "last_client" text;

ALTER TABLE "app"."api_key_uses" ADD COLUMN "used_on" date[] NOT NULL DEFAULT '{}'::date[];

ALTER TABLE "app"."api_key_uses" ADD COLUMN "refused_at" timestamp with time zone;

ALTER TABLE "app"."api_key_uses" ADD COLUMN "refused_endpoint" text;

ALTER TABLE "app"."api_key_uses" ADD COLUMN "refused_client" text;

ALTER TABLE "app"."api_key_events" ALTER COLUMN "member_id" DROP NOT NULL;

ALTER TABLE "app"."api_key_events" ALTER COLUMN "member_name" DROP NOT NULL;

ALTER TABLE "app"."api_key_events" ADD CONSTRAINT "api_key_events_by_whom" CHECK ((((member_id IS NULL) = (member_name IS NULL)) AND ((member_id IS NULL) = (reason IS NOT NULL)) AND ((member_id IS NOT NULL) OR (action = 'revoked'::text))));

ALTER TABLE "app"."api_keys" ADD CONSTRAINT "api_keys_revoked_by_whom" CHECK (((revoked_at IS NOT NULL) OR (revoked_by IS NULL)));
