-- Apart from the columns, because an added column blocks reading until its transaction ends. These block writing while
-- they are built: db push runs each file in a transaction, which cannot build them concurrently. So the biggest tables
-- have a file each.
-- squawk-ignore-file require-concurrent-index-creation
set lock_timeout = '5s';
set statement_timeout = '60s';

CREATE INDEX kudos_changed ON app.kudos USING btree (company_id, changed_in, id);
