-- The tables of companies and keys are small: reading them takes milliseconds.
-- squawk-ignore-file ban-drop-not-null, constraint-missing-not-valid
set lock_timeout = '2s';
set statement_timeout = '60s';

DROP TRIGGER "begin_changes" ON "app"."companies";

DROP TRIGGER "end_changes" ON "app"."companies";

ALTER TABLE "app"."companies" ADD COLUMN "fewest_people" integer;

ALTER TABLE "app"."companies" ADD CONSTRAINT "companies_fewest_people_range" CHECK (((fewest_people >= 2) AND (fewest_people <= 100)));
