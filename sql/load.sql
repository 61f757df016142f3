-- Loads the files of the current folder into a company (docs/operations.md, How data gets in). For psql:
--
--   psql "$DATABASE_URL" --set company_id=… --file …/sql/load.sql
--
-- One transaction: with one mistake in one file, nothing has happened. A file that there is nothing for holds its header line alone.

\set ON_ERROR_STOP on
begin;

-- What an earlier attempt has left goes, and a load that is under way elsewhere is waited for.
truncate
  staging.teams, staging.members, staging.categories, staging.kudos,
  staging.day_ratings, staging.pulse_questions, staging.pulse_responses;

\copy staging.teams (id, name) from 'teams.csv' with (format csv, header match, encoding 'utf8')
\copy staging.members (id, name, email, role, team_id, created_at) from 'members.csv' with (format csv, header match, encoding 'utf8')
\copy staging.categories (id, language, name) from 'categories.csv' with (format csv, header match, encoding 'utf8')
\copy staging.kudos (id, sender_id, receiver_id, category_id, message, created_at) from 'kudos.csv' with (format csv, header match, encoding 'utf8')
\copy staging.day_ratings (id, rating, comment, team_id, points_awarded, created_at) from 'day_ratings.csv' with (format csv, header match, encoding 'utf8')
\copy staging.pulse_questions (id, question, response_type) from 'pulse_questions.csv' with (format csv, header match, encoding 'utf8')
\copy staging.pulse_responses (id, question_id, value, comment, created_at) from 'pulse_responses.csv' with (format csv, header match, encoding 'utf8')

select * from app.load_staging(:'company_id');

commit;
