set lock_timeout = '2s';
set statement_timeout = '60s';

ALTER TABLE "app"."day_ratings" SET (autovacuum_vacuum_scale_factor=0.02);

ALTER TABLE "app"."deletions" SET (autovacuum_vacuum_scale_factor=0.02);

ALTER TABLE "app"."kudos" SET (autovacuum_vacuum_scale_factor=0.02);

ALTER TABLE "app"."pulse_responses" SET (autovacuum_vacuum_scale_factor=0.02);
