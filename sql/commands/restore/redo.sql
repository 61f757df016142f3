-- Repeats, after a restore to an older time, what save.sql has saved (docs/operate/backup-and-restore.md): deletes the
-- deleted companies, erases the erased people, closes the companies that have moved, revokes the revoked keys, hides teams of
-- ratings where the fewest people were set after the backup, and deletes what is older than the retention of its company.
-- Reads the files from the current folder. Run it before requests come in; it is safe to run it again. For psql.
\set ON_ERROR_STOP on \set QUIET on
set statement_timeout = 0;

begin;
create temporary table saved_erasures (
  company_id uuid, member_mark bytea, erased_at timestamptz, messages_blanked boolean
) on commit drop;
create temporary table saved_deletions (company_id uuid, deleted_at timestamptz) on commit drop;
create temporary table saved_companies (
  id uuid, serving text, move_id uuid, retention interval, fewest_people integer
) on commit drop;
create temporary table saved_keys (company_id uuid, id uuid, is_active boolean) on commit drop;
\copy saved_erasures from 'erasures.csv' with (format csv, header match)
\copy saved_deletions from 'deleted_companies.csv' with (format csv, header match)
\copy saved_companies from 'companies.csv' with (format csv, header match)
\copy saved_keys from 'api_keys.csv' with (format csv, header match)

do $$
declare
  done integer;
begin
  perform app.delete_company(c.id) from app.companies as c join saved_deletions as s on s.company_id = c.id;
  get diagnostics done = row_count;
  insert into app.deleted_companies (company_id, deleted_at) select s.company_id, s.deleted_at from saved_deletions as s
  on conflict (company_id) do update set deleted_at = excluded.deleted_at;
  raise notice '% companies deleted', done;

  -- A company that is moving in the backup had moved or stayed since. Where it had moved before the backup, it stays closed.
  update app.companies as c set serving = s.serving, move_id = s.move_id
  from saved_companies as s
  where s.id = c.id and c.serving in ('open', 'moving') and s.serving <> 'moving' and c.serving <> s.serving;
  get diagnostics done = row_count;
  raise notice '% companies closed or opened', done;

  update app.companies as c set retention = s.retention
  from saved_companies as s where s.id = c.id and c.retention is distinct from s.retention;
  get diagnostics done = row_count;
  raise notice '% companies keep their data for another time', done;

  perform app.erase_member(m.company_id, m.id, s.messages_blanked)
  from saved_erasures as s
  join app.members as m on m.company_id = s.company_id and app.erasure_mark(m.company_id, m.id) = s.member_mark;
  get diagnostics done = row_count;
  -- Who was added and erased after the backup: a later load must not add them again.
  insert into app.erasures (company_id, member_mark, messages_blanked)
  select s.company_id, s.member_mark, s.messages_blanked
  from saved_erasures as s join app.companies as c on c.id = s.company_id
  on conflict do nothing;
  update app.erasures as e set erased_at = s.erased_at
  from saved_erasures as s where s.company_id = e.company_id and s.member_mark = e.member_mark and s.erased_at <> e.erased_at;
  raise notice '% people erased', done;

  perform app.revoke_key(k.id::text, 'Was revoked or had expired before an older backup was restored')
  from app.api_keys as k
  join saved_companies as c on c.id = k.company_id
  left join saved_keys as s on s.company_id = k.company_id and s.id = k.id
  where k.revoked_at is null and coalesce(k.expires_at > now(), true) and not coalesce(s.is_active, false);
  get diagnostics done = row_count;
  raise notice '% keys revoked', done;

  update app.companies as c set serving = 'moving', move_id = s.move_id
  from saved_companies as s where s.id = c.id and s.serving = 'moving' and c.serving = 'open';
end
$$;
-- Commands to call when this has ended: a procedure that commits can't run in it.
select coalesce(string_agg(format('call app.set_fewest_people(%L, %s);', c.id, s.fewest_people), ' '), '') as hide_teams
from app.companies as c join saved_companies as s using (id)
where s.fewest_people is distinct from c.fewest_people and s.fewest_people is not null and c.serving = 'open' \gset
commit;

:hide_teams
call app.purge_expired();
