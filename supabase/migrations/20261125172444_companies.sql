-- The tables of companies and keys are small: reading them takes milliseconds.
-- squawk-ignore-file ban-drop-not-null, constraint-missing-not-valid
set lock_timeout = '2s';
set statement_timeout = '60s';

ALTER TABLE "app"."companies" ADD COLUMN "retention" interval;

ALTER TABLE "app"."companies" ADD CONSTRAINT "companies_retention_length" CHECK ((retention >= '1 day'::interval));
