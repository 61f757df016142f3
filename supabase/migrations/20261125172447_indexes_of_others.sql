-- Apart from the columns, because an added column blocks reading until its transaction ends. This blocks writing while
-- it builds the index: db push runs each file in a transaction, which cannot build one concurrently.
-- squawk-ignore-file require-concurrent-index-creation
set lock_timeout = '2s';
set statement_timeout = '60s';

CREATE INDEX categories_changed ON app.categories USING btree (company_id, changed_in, id);

CREATE INDEX deletions_in_order ON app.deletions USING btree (company_id, relation, deleted_in, id);

CREATE INDEX members_changed ON app.members USING btree (company_id, changed_in, id);

CREATE INDEX rewards_changed ON app.rewards USING btree (company_id, changed_in, id);

CREATE INDEX teams_changed ON app.teams USING btree (company_id, changed_in, id);
