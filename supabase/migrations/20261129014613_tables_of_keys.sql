-- The tables of companies and keys are small: reading them takes milliseconds.
-- squawk-ignore-file ban-drop-not-null, constraint-missing-not-valid
set lock_timeout = '2s';
set statement_timeout = '60s';

ALTER TABLE "app"."api_keys" ADD COLUMN "assistant_address" text;

ALTER TABLE "app"."api_key_uses" ADD COLUMN "answers" integer[] NOT NULL DEFAULT '{}'::integer[];

ALTER TABLE "app"."api_key_uses" ADD COLUMN "refusals" integer[] NOT NULL DEFAULT '{}'::integer[];

ALTER TABLE "app"."api_key_uses" ADD COLUMN "counted_on" date;

ALTER TABLE "app"."api_key_uses" ADD COLUMN "forbidden_reason" text;
