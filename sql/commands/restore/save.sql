-- What a restore to an older time would undo: who was erased, which companies were deleted or moved away, how long they
-- keep data, their fewest people of a team, which keys were revoked (docs/operate/backup-and-restore.md). Writes four files
-- into the current folder, which name nobody. For psql.

\set ON_ERROR_STOP on \set QUIET on
set statement_timeout = 0;

begin isolation level repeatable read read only;
\copy (select company_id, member_mark, erased_at, messages_blanked from app.erasures) to 'erasures.csv' with (format csv, header)
\copy (select company_id, deleted_at from app.deleted_companies where company_id not in (select id from app.companies)) to 'deleted_companies.csv' with (format csv, header)
\copy (select id, serving, move_id, retention, fewest_people from app.companies) to 'companies.csv' with (format csv, header)
\copy (select company_id, id, revoked_at is null and coalesce(expires_at > now(), true) as is_active from app.api_keys) to 'api_keys.csv' with (format csv, header)
commit;
