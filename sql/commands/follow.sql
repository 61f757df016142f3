-- Follows a company of your own database (docs/operate/follow-your-database.md): reads it with your seven queries, loads the
-- results, and writes what is gone into gone.sql, which a person reads and runs. For psql, in a folder that only you can read:
--
--   psql "$DATABASE_URL" --set company_id=… --set company="its name" --set queries=queries.sql --file …/follow.sql
--
-- OWN_DATABASE_URL is the address of your database. --set days=400 reads kudos and moods of more than 35 days, and
-- --set many_gone=on lets more than 5 percent of a list be gone. Others, such as --set dry_run=on, are those of load.sql.

\set ON_ERROR_STOP on \set QUIET on
set statement_timeout = 0;
\getenv own OWN_DATABASE_URL
\getenv target DATABASE_URL
select :{?company_id} and :{?company} and :{?queries} and :{?own} and :{?target} as is_complete,
  :{?days} as has_days, :{?many_gone} as has_many_gone \gset
\if :is_complete
\else
  do $$ begin raise exception 'set company_id, company, queries (--set), DATABASE_URL, and OWN_DATABASE_URL'; end $$;
\endif
\if :has_days \else \set days 35 \endif
\if :has_many_gone \else \set many_gone off \endif

-- A query that did not end has no result: that of an earlier night never takes its place.
\! rm -f gone.sql teams.csv members.csv categories.csv kudos.csv day_ratings.csv pulse_questions.csv pulse_responses.csv

-- From a day on that the nightly job leaves alone (docs/operate/erase-and-retain.md, Retention).
select app.require_open_company(:'company_id') \g /dev/null
select to_char(
  (now() - least(make_interval(days => :days), c.retention)) at time zone 'UTC' + interval '1 day', 'YYYY-MM-DD"T00:00:00Z"'
) as since
from app.companies as c where c.id = :'company_id' \gset

\connect :own
begin isolation level repeatable read read only;
set local client_encoding = 'UTF8';
set local statement_timeout = 0;
\i :queries
commit;

\connect :target
\ir load.sql
\if :{?doubtful}
  select set_config('follow.doubtful', 'gone.sql lacks what seems too much to be gone: ' || :'doubtful' || '. Are the queries '
    'complete? If so, add --set many_gone=on; a whole list is never gone', false) \g /dev/null
  do $$ begin raise exception '%', current_setting('follow.doubtful'); end $$;
\endif
