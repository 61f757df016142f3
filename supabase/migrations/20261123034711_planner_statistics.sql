set lock_timeout = '5s';
set statement_timeout = '60s';

ALTER TABLE "app"."members" ALTER COLUMN "company_id" SET (n_distinct = 10);

ALTER TABLE "app"."pulse_responses" ALTER COLUMN "company_id" SET (n_distinct = 10);

-- The planner uses the new value only after this.
ANALYZE "app"."members", "app"."pulse_responses";
