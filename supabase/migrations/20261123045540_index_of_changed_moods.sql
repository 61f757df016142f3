-- Apart from the columns, because an added column blocks reading until its transaction ends. These block writing while
-- they are built: db push runs each file in a transaction, which cannot build them concurrently. So the biggest tables
-- have a file each.
-- squawk-ignore-file require-concurrent-index-creation
set lock_timeout = '5s';
set statement_timeout = '60s';

CREATE INDEX day_ratings_changed ON app.day_ratings USING btree (company_id, changed_in, id);

CREATE INDEX pulse_responses_changed ON app.pulse_responses USING btree (company_id, changed_in, id);
