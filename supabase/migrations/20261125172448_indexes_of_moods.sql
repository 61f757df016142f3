-- Apart from the columns, because an added column blocks reading until its transaction ends. This blocks writing while
-- it builds the index: db push runs each file in a transaction, which cannot build one concurrently.
-- squawk-ignore-file require-concurrent-index-creation
set lock_timeout = '2s';
set statement_timeout = '60s';

CREATE INDEX day_ratings_changed ON app.day_ratings USING btree (company_id, changed_in, id);

CREATE INDEX pulse_responses_changed ON app.pulse_responses USING btree (company_id, changed_in, id);
