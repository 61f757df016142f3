-- Loads the files of the current folder into a company (docs/operate/load-data.md). For psql:
--
--   psql "$DATABASE_URL" --set company_id=… --set company="its name" --file …/sql/commands/load.sql
--
-- Without the name it shows that of the company, and asks for it. --set dry_run=on counts what the files would change, and
-- changes nothing. --set also_elsewhere=on takes files whose rows are mostly those of another company.
-- One transaction: one mistake in one file, and nothing is loaded. A file without rows must still have its header line.

\set ON_ERROR_STOP on \set QUIET on
set statement_timeout = 0;
\if :{?company_id}
\else
  do $$ begin raise exception 'company_id is missing: psql … --set company_id=<the id of the company> --file …/load.sql'; end $$;
\endif
\if :{?dry_run} \else \set dry_run off \endif
\if :{?also_elsewhere} \else \set also_elsewhere off \endif
\if :{?company}
\else
  select coalesce((select name from app.companies where id = :'company_id'), 'none of this project') as "company" \gset its_
  \echo The company is :its_company
  \prompt 'Type its name to load the files: ' company
\endif

-- A load that waited for another one sees what that one wrote.
begin isolation level read committed;
-- When psql is killed, the server gives up the load.
set local client_connection_check_interval = '1s';
-- Removes the rows of an earlier attempt. Waits for another load that is running.
select app.begin_load(:'company_id', :'company') \gset

-- PostgreSQL would say something else of a NUL byte, and name another line.
\set problem `for file in teams members categories kudos day_ratings pulse_questions pulse_responses; do line=$(tr -cd '\000\n' < $file.csv | tr '\000' x | grep -n x | head -n 1 | cut -d : -f 1); if [ -n "$line" ]; then echo "$file.csv line $line: a NUL byte is no text"; fi; done`
select :'problem' <> '' as has_problem, set_config('load.problem', :'problem', true) \gset
\if :has_problem
  do $$ begin raise exception '%', current_setting('load.problem'); end $$;
\endif

-- Before version 18, psql takes the line \. for the end of the file, even in a quoted cell. sed writes it as \"."; in a
-- quoted CSV cell this means the same: the quotes close before the point and open again after it.
\copy staging.teams (id, name) from program 'sed ''s/^\\\./\\"."/'' teams.csv' with (format csv, header match, encoding 'utf8')
\copy staging.members (id, name, email, role, team_id, created_at) from program 'sed ''s/^\\\./\\"."/'' members.csv' with (format csv, header match, encoding 'utf8')
\copy staging.categories (id, language, name) from program 'sed ''s/^\\\./\\"."/'' categories.csv' with (format csv, header match, encoding 'utf8')
-- The last two columns of kudos may be absent.
\set has_teams `head -n 1 kudos.csv | grep -q _team_then_id && echo on || echo off`
\if :has_teams
\copy staging.kudos (id, sender_id, receiver_id, category_id, message, created_at, sender_team_then_id, receiver_team_then_id) from program 'sed ''s/^\\\./\\"."/'' kudos.csv' with (format csv, header match, encoding 'utf8')
\else
\copy staging.kudos (id, sender_id, receiver_id, category_id, message, created_at) from program 'sed ''s/^\\\./\\"."/'' kudos.csv' with (format csv, header match, encoding 'utf8')
\endif
\copy staging.day_ratings (id, rating, comment, team_id, points_awarded, created_at) from program 'sed ''s/^\\\./\\"."/'' day_ratings.csv' with (format csv, header match, encoding 'utf8')
\copy staging.pulse_questions (id, question, response_type) from program 'sed ''s/^\\\./\\"."/'' pulse_questions.csv' with (format csv, header match, encoding 'utf8')
\copy staging.pulse_responses (id, question_id, value, comment, created_at) from program 'sed ''s/^\\\./\\"."/'' pulse_responses.csv' with (format csv, header match, encoding 'utf8')

\if :{?since}
  \ir follow/compare.sql
\endif

select * from app.load_staging(:'company_id', :'also_elsewhere');

\if :dry_run
  rollback;
  \echo Nothing was loaded: this was a dry run
\else
  commit;
\endif
