-- By hand: `npm run migration` does not see options of columns.
set lock_timeout = '5s';
set statement_timeout = '60s';

alter table app.members alter column company_id set (n_distinct = 10);
alter table app.day_ratings alter column company_id set (n_distinct = 10);
alter table app.pulse_responses alter column company_id set (n_distinct = 10);
-- The planner uses the new value only after this.
analyze app.members, app.day_ratings, app.pulse_responses;
