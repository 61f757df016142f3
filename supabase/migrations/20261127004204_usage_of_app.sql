-- By hand, first: before functions return app."application/json". For these the Data API sends, as service_role,
-- select app."application/json"(value), which needs this right: without it, version 1.3.0 answered every request with 500.
-- A project that has 1.3.0 gets this migration after its newest one: npm run push passes --include-all.
set lock_timeout = '2s';
set statement_timeout = '60s';

grant usage on schema app to service_role;
