-- Apart from the columns, because an added column blocks reading until its transaction ends. This blocks writing while
-- it builds the index: db push runs each file in a transaction, which cannot build one concurrently.
-- squawk-ignore-file require-concurrent-index-creation
set lock_timeout = '2s';
set statement_timeout = '60s';

CREATE INDEX IF NOT EXISTS assistant_codes_member_id ON app.assistant_codes USING btree (company_id, member_id);
do $do$ begin
  if not (select i.indisvalid and pg_get_indexdef(i.indexrelid) = 'CREATE INDEX assistant_codes_member_id ON app.assistant_codes USING btree (company_id, member_id)'
      from pg_index as i where i.indexrelid = 'app.assistant_codes_member_id'::regclass) then
    raise exception 'app.assistant_codes_member_id is invalid or has another definition: drop it, then build it as docs/operate/upgrade.md says';
  end if;
end $do$;
