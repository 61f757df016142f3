-- The tables of companies and keys are small: reading them takes milliseconds.
-- squawk-ignore-file ban-drop-not-null, constraint-missing-not-valid
set lock_timeout = '2s';
set statement_timeout = '60s';

ALTER TABLE "app"."api_keys" ADD COLUMN "assistant" text;

ALTER TABLE "app"."api_key_uses" ADD COLUMN "forbidden_at" timestamp with time zone;

ALTER TABLE "app"."api_key_uses" ADD COLUMN "forbidden_endpoint" text;

ALTER TABLE "app"."api_key_uses" ADD COLUMN "forbidden_scope" text;

ALTER TABLE "app"."api_key_uses" ADD COLUMN "forbidden_client" text;

ALTER TABLE "app"."api_key_uses" ADD COLUMN "checked_at" timestamp with time zone;

ALTER TABLE "app"."api_key_uses" ADD COLUMN "checked_client" text;
