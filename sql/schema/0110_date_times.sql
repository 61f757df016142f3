-- The API's format of date-times (docs/api.md, Lists): ISO 8601 in UTC with microseconds and Z. Inlined: a call per row
-- would take a fifth of a page's time.
create function app.iso_8601(instant timestamptz) returns text
language sql stable
return to_char(instant at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');

grant execute on function app.iso_8601 to authenticated, public_api;
comment on function app.iso_8601 is 'A date-time in the format of the API, such as 2026-11-21T10:15:30.123456Z.';
