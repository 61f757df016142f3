-- Pulse surveys: questions and their anonymous answers. An answer has neither a person nor a team.

create table app.pulse_questions (
  company_id uuid not null references app.companies (id) on delete cascade,
  id uuid not null default gen_random_uuid(),
  question text not null,
  response_type text,
  created_at timestamptz not null default now(),
  primary key (company_id, id),
  constraint pulse_questions_question_length check (char_length(question) between 1 and 2000),
  constraint pulse_questions_response_type_length check (char_length(response_type) between 1 and 50)
);

create table app.pulse_responses (
  company_id uuid not null references app.companies (id) on delete cascade,
  id uuid not null default gen_random_uuid(),
  -- Null when the answer's question no longer exists. The API then returns null for question and response_type.
  question_id uuid,
  value jsonb,
  comment text not null default '',
  created_at timestamptz not null default now(),
  changed_in xid8 not null default pg_current_xact_id(),
  primary key (company_id, id),
  foreign key (company_id, question_id) references app.pulse_questions (company_id, id),
  constraint pulse_responses_comment_length check (char_length(comment) <= 10000)
)
-- As for kudos.
with (autovacuum_vacuum_scale_factor = 0.02);

-- For the foreign key, which looks up the answers of a question that is deleted.
create index pulse_responses_question on app.pulse_responses (company_id, question_id);

-- So that a page keeps the questions that it has found, as a page of members keeps teams (0220_members.sql).
alter table app.pulse_responses alter column company_id set (n_distinct = 10);

-- Trigger: a change of a question counts as a change of its answers, because there is no list of questions that a copy
-- could join. It locks the question: it waits for transactions that are adding answers, because it does not see their
-- rows before they commit. With the old snapshot of repeatable read it would not see them afterwards either.
create function app.mark_answers() returns trigger
language plpgsql set search_path = ''
as $$
begin
  if current_setting('transaction_isolation') in ('repeatable read', 'serializable') then
    raise exception 'a question must be changed at isolation level read committed' using errcode = 'invalid_transaction_state';
  end if;
  perform from app.pulse_questions as q where q.company_id = new.company_id and q.id = new.id for update;
  update app.pulse_responses as p set changed_in = pg_current_xact_id()
  where p.company_id = new.company_id and p.question_id = new.id;
  return null;
end
$$;

create trigger mark_answers after update on app.pulse_questions
  for each row when ((old.question, old.response_type) is distinct from (new.question, new.response_type))
  execute function app.mark_answers();

comment on table app.pulse_questions is 'Questions of pulse surveys.';
comment on column app.pulse_questions.response_type is
  'What kind of value answers it, such as scale, boolean, text, choice; null when unknown.';
comment on table app.pulse_responses is 'Anonymous answers to pulse surveys. No person, no team.';
comment on column app.pulse_responses.value is 'Any JSON value; passed through as it is.';
