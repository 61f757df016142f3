-- Apart from the columns, because an added column blocks reading until its transaction ends. This blocks writing while
-- it builds the index: db push runs each file in a transaction, which cannot build one concurrently.
-- squawk-ignore-file require-concurrent-index-creation
set lock_timeout = '2s';
set statement_timeout = '60s';

CREATE INDEX kudos_changed ON app.kudos USING btree (company_id, changed_in, id);
