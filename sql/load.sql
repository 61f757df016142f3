-- Loads the files of the current folder into a company (docs/operations.md, Loading data). For psql:
--
--   psql "$DATABASE_URL" --set company_id=… --file …/sql/load.sql
--
-- One transaction: one mistake in one file, and nothing is loaded. A file without rows must still have its header line.

\set ON_ERROR_STOP on
\if :{?company_id}
\else
  do $$ begin raise exception 'company_id is missing: psql … --set company_id=<the id of the company> --file …/load.sql'; end $$;
\endif

begin;
set local statement_timeout = 0;
-- Removes the rows of an earlier attempt. Waits for another load that is running.
do $$ begin perform app.empty_staging(); end $$;

-- Before version 18, psql takes the line \. for the end of the file, even in a quoted cell. sed writes it as \"."; in a
-- quoted CSV cell this means the same: the quotes close before the point and open again after it.
\copy staging.teams (id, name) from program 'sed ''s/^\\\./\\"."/'' teams.csv' with (format csv, header match, encoding 'utf8')
\copy staging.members (id, name, email, role, team_id, created_at) from program 'sed ''s/^\\\./\\"."/'' members.csv' with (format csv, header match, encoding 'utf8')
\copy staging.categories (id, language, name) from program 'sed ''s/^\\\./\\"."/'' categories.csv' with (format csv, header match, encoding 'utf8')
\copy staging.kudos (id, sender_id, receiver_id, category_id, message, created_at) from program 'sed ''s/^\\\./\\"."/'' kudos.csv' with (format csv, header match, encoding 'utf8')
\copy staging.day_ratings (id, rating, comment, team_id, points_awarded, created_at) from program 'sed ''s/^\\\./\\"."/'' day_ratings.csv' with (format csv, header match, encoding 'utf8')
\copy staging.pulse_questions (id, question, response_type) from program 'sed ''s/^\\\./\\"."/'' pulse_questions.csv' with (format csv, header match, encoding 'utf8')
\copy staging.pulse_responses (id, question_id, value, comment, created_at) from program 'sed ''s/^\\\./\\"."/'' pulse_responses.csv' with (format csv, header match, encoding 'utf8')

select * from app.load_staging(:'company_id');

commit;
