-- The changes of lists (docs/api.md, Keeping a copy): the rows that were added, changed or deleted, oldest
-- change first, each with a cursor. 0207_changes.sql says how changes are numbered.
-- One function serves all lists. Their statements are in app.page_of_changes (0865_lists.sql).

-- The text whose hash is the first part of a cursor, for format(): what it holds for. A restore changes one of the first
-- four: the server, its timeline, the database, or the table of deletions. Immutable, because a session keeps its server
-- and database: the planner calls it once. Reading the control file a second time took a tenth of a small page's time.
create function app.origin_of_cursors() returns text
language sql immutable set search_path = ''
return (
  select format('%s %%s %s %%s %%s %%s', s.system_identifier, d.oid)
  from pg_control_system() as s, pg_database as d where d.datname = current_database()
);

-- In plpgsql and without from, because a session keeps its plan and needs no executor for it.
create function app.cursor_origin(company_id uuid, list text) returns text
language plpgsql stable set search_path = ''
as $$
begin
  return left(encode(sha256(convert_to(format(
    app.origin_of_cursors(), (pg_control_checkpoint()).timeline_id, 'app.deletions'::regclass::oid, company_id, list
  ), 'utf8')), 'hex'), 8);
end
$$;

-- The cursor is of another server, timeline, company or list, or deletions after it have been forgotten.
create function app.refuse_cursor(key_id uuid, company_id uuid) returns void
language plpgsql stable set search_path = ''
as $$
begin
  raise exception using
    errcode = 'PT410',
    message = 'Gone: this cursor is no longer known, begin again with after=start',
    detail = json_build_object('key_id', key_id, 'company_id', company_id);
end
$$;

grant execute on function app.origin_of_cursors, app.cursor_origin, app.refuse_cursor to public_api;
comment on function app.origin_of_cursors is 'What every cursor of this server and database holds for, for format().';
comment on function app.cursor_origin is 'The first 8 characters of every cursor of this company and list.';
comment on function app.refuse_cursor is
  'Raises PT410: the cursor is no longer known. The detail names key and company for the request log.';

-- after is start or a cursor. A cursor has the origin (8 hexadecimal digits), the number of the transaction (16)
-- and the id of the row (32). While a copy still reads what was there when it began, there follows the number at which
-- it began (16): deletions below that number are not for this copy, and may be forgotten.
create function public.list_changes(key_hash text, list text, max_rows integer, after text, include text[] default null)
returns app."application/json"
language plpgsql volatile security definer
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_sort = off
set jit = off
set lock_timeout = '5s'
set statement_timeout = '7s'
as $$
declare
  api_key app.verified_key;
  served record;
  origin text;
  -- No transaction below it is still running: nothing below it can change any more.
  horizon bigint;
  began bigint;
  after_transaction bigint := 0;
  after_id uuid := '00000000-0000-0000-0000-000000000000';
  served_page record;
  headers text;
begin
  if not (
    row_security_active('app.teams'::regclass) and row_security_active('app.members'::regclass)
    and row_security_active('app.categories'::regclass) and row_security_active('app.kudos'::regclass)
    and row_security_active('app.rewards'::regclass) and row_security_active('app.day_ratings'::regclass)
    and row_security_active('app.pulse_questions'::regclass) and row_security_active('app.pulse_responses'::regclass)
    and row_security_active('app.deletions'::regclass) and row_security_active('app.forgotten_deletions'::regclass)
  ) then
    perform app.refuse_without_row_security();
  end if;
  served := app.changing_list(list);
  api_key := app.authenticate(key_hash, served.scope);

  origin := app.cursor_origin(api_key.company_id, list);
  horizon := pg_snapshot_xmin(pg_current_snapshot())::text;
  if after = 'start' then
    began := horizon;
  else
    if left(after, 8) <> origin then
      perform app.refuse_cursor(api_key.key_id, api_key.company_id);
    end if;
    after_transaction := ('x' || substr(after, 9, 16))::bit(64)::bigint;
    after_id := substr(after, 25, 32);
    -- A standby that is late still has rows that were deleted before the copy began at the primary: it reads them now, so
    -- its deletions begin no later than this page ends.
    began := case when length(after) = 56 then 0 else least(horizon, ('x' || substr(after, 57))::bit(64)::bigint) end;
    -- The cursor is newer than the data of this server: its data has gone back in time without a new timeline. A standby
    -- may just be behind.
    if least(after_transaction, began) < 0
      or after_transaction >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint and not pg_is_in_recovery() then
      perform app.refuse_cursor(api_key.key_id, api_key.company_id);
    end if;
  end if;

  served_page := app.page_of_changes(
    list, api_key.company_id, include, max_rows, after_transaction::text::xid8, after_id,
    greatest(after_transaction, began - 1)::text::xid8,
    case when began > after_transaction then 'ffffffff-ffff-ffff-ffff-ffffffffffff' else after_id end,
    horizon::text::xid8, origin, began::text::xid8, encode(int8send(began), 'hex')
  );
  if served_page.are_foreign then
    raise exception 'changes in % have the numbers of another server', served.relation
      using errcode = 'PT501',
      hint = 'Run sql/commands/repair.sql.';
  end if;

  -- Afterwards, because deletions may have been forgotten since this function began.
  if after <> 'start' then
    perform app.refuse_cursor(api_key.key_id, api_key.company_id) from app.forgotten_deletions as f
    where f.company_id = api_key.company_id and f.relation = served.relation
      and (f.deleted_in, f.id) > (after_transaction::text::xid8, after_id) and f.deleted_in >= began::text::xid8;
  end if;

  headers := set_config(
    'response.headers',
    format(app.list_headers(), api_key.key_id, api_key.company_id, least(served_page.found_rows, max_rows),
      (served_page.found_rows > max_rows)::text, served_page.next),
    true
  );
  return coalesce(served_page.page, '[]');
end
$$;

select app.serve_keys('public.list_changes'::regproc);
comment on function public.list_changes is
  'What was added, changed or deleted in a list of the key''s company, oldest change first, as a JSON array. PT401, PT403, '
  'PT410, PT429.';
