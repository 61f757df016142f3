-- By hand, first: the functions of the next migration need the key, which is a row.
set lock_timeout = '2s';
set statement_timeout = '60s';

CREATE TABLE "app"."cursor_key" ("is_only" boolean GENERATED ALWAYS AS (true) STORED NOT NULL, "key" bytea NOT NULL DEFAULT extensions.gen_random_bytes(32), CONSTRAINT "cursor_key_pkey" PRIMARY KEY (is_only));

ALTER TABLE "app"."cursor_key" ENABLE ROW LEVEL SECURITY;

COMMENT ON TABLE "app"."cursor_key" IS 'The key with which cursors of day ratings and pulse answers hide transactions.';

INSERT INTO "app"."cursor_key" DEFAULT VALUES;
