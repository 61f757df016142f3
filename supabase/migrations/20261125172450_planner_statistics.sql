-- By hand: `npm run migration` does not see options of columns.
set lock_timeout = '2s';
set statement_timeout = '60s';

alter table app.members alter column company_id set (n_distinct = 10);
alter table app.day_ratings alter column company_id set (n_distinct = 10);
alter table app.pulse_responses alter column company_id set (n_distinct = 10);
alter table app.teams alter column changed_in set (n_distinct = -1);
alter table app.members alter column changed_in set (n_distinct = -1);
alter table app.categories alter column changed_in set (n_distinct = -1);
alter table app.kudos alter column changed_in set (n_distinct = -1);
alter table app.rewards alter column changed_in set (n_distinct = -1);
alter table app.day_ratings alter column changed_in set (n_distinct = -1);
alter table app.pulse_responses alter column changed_in set (n_distinct = -1);
-- The planner uses the new values only after this.
analyze app.teams, app.members, app.categories, app.kudos, app.rewards, app.day_ratings, app.pulse_responses;
