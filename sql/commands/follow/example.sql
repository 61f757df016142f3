-- The seven queries of follow.sql for an example of a schema: copy the file, and write yours. Each has the columns of
-- docs/operate/load-data.md, Files. psql puts in :'since', before which nothing is read, and what you set: here :account.
-- The UUID of a row follows from its table and number, so it is the same every night.

\set ON_ERROR_STOP on \set QUIET on
set statement_timeout = 0;

copy (
  select md5('department ' || d.id)::uuid as id, d.title as name from departments as d where d.account_id = :account
) to stdout with (format csv, header) \g teams.csv
-- Deleted people are left out, so they are gone. Inactive ones stay, without rights and team.
copy (
  select md5('user ' || u.id)::uuid as id, concat_ws(' ', u.first_name, u.last_name) as name, u.mail as email,
    case when not u.active then 'inactive' when u.kind = 'boss' then 'admin' else 'employee' end as role,
    case when u.active then md5('department ' || u.department_id)::uuid end as team_id,
    to_json(u.joined_at) #>> '{}' as created_at
  from users as u where u.account_id = :account and u.deleted_at is null
) to stdout with (format csv, header) \g members.csv
copy (
  select md5('value ' || v.id)::uuid as id, 'en' as language, v.title as name from company_values as v
  where v.account_id = :account
) to stdout with (format csv, header) \g categories.csv
copy (
  select md5('thanks ' || t.id)::uuid as id, md5('user ' || a.id)::uuid as sender_id, md5('user ' || b.id)::uuid as receiver_id,
    md5('value ' || t.value_id)::uuid as category_id, t.body as message, to_json(t.sent_at) #>> '{}' as created_at
  from thanks as t join users as a on a.id = t.from_user join users as b on b.id = t.to_user
  where a.account_id = :account and a.deleted_at is null and b.deleted_at is null and t.deleted_at is null
    and t.sent_at >= :'since'
) to stdout with (format csv, header) \g kudos.csv
copy (
  select md5('mood ' || m.id)::uuid as id, m.score as rating, m.note as comment,
    md5('department ' || m.department_id)::uuid as team_id, null as points_awarded, to_json(m.at) #>> '{}' as created_at
  from moods as m join departments as d on d.id = m.department_id where d.account_id = :account and m.at >= :'since'
) to stdout with (format csv, header) \g day_ratings.csv
copy (
  select md5('poll ' || p.id)::uuid as id, p.text as question, 'text' as response_type from polls as p
  where p.account_id = :account
) to stdout with (format csv, header) \g pulse_questions.csv
copy (
  select md5('answer ' || a.id)::uuid as id, md5('poll ' || a.poll_id)::uuid as question_id, to_json(a.answer) as value,
    '' as comment, to_json(a.at) #>> '{}' as created_at
  from answers as a join polls as p on p.id = a.poll_id where p.account_id = :account and a.at >= :'since'
) to stdout with (format csv, header) \g pulse_responses.csv
