-- GET /pulse-responses

create type lists.pulse_response as (
  id uuid, "timestamp" text, question text, response_type text, value jsonb, comment text
);
create type lists.pulse_response_with as (
  id uuid, "timestamp" text, question text, response_type text, value jsonb, comment text, question_id uuid
);

create view lists.pulse_responses with (security_invoker = true) as
select
  p.company_id, p.created_at as instant, p.changed_in, p.id, p.question_id,
  row(
    p.id, app.iso_8601(p.created_at), question.question, question.response_type, p.value, p.comment
  )::lists.pulse_response as shown
from app.pulse_responses as p
left join lateral (
  select q.question, q.response_type from app.pulse_questions as q
  where q.company_id = p.company_id and q.id = p.question_id offset 0
) as question on true;

create view lists.pulse_responses_with with (security_invoker = true) as
select
  v.company_id, v.instant, v.changed_in, v.id, row((v.shown).*, v.question_id)::lists.pulse_response_with as shown
from lists.pulse_responses as v;

create function public.list_pulse_responses(
  key_hash text, max_rows integer, since timestamptz default '-infinity', until timestamptz default 'infinity',
  starting_after uuid default null, include text[] default null, after_time timestamptz default null
)
returns app."application/json"
language plpgsql volatile security definer set search_path = ''
as $$
declare
  page constant lists.page := lists.begin('pulse-responses', key_hash, max_rows, starting_after, after_time, until);
  rows lists.pulse_response[];
  rows_with lists.pulse_response_with[];
begin
  if include is null then
    rows := array(select v.shown from lists.pulse_responses as v
      where lists.is_in(page, v.company_id, v.instant, v.id) and v.instant >= since
      order by v.instant desc, v.id desc limit max_rows + 1);
    return lists.answer(page, rows, rows[max_rows]."timestamp" || '_' || rows[max_rows].id);
  end if;
  rows_with := array(select v.shown from lists.pulse_responses_with as v
    where lists.is_in(page, v.company_id, v.instant, v.id) and v.instant >= since
    order by v.instant desc, v.id desc limit max_rows + 1);
  return lists.answer(page, rows_with, rows_with[max_rows]."timestamp" || '_' || rows_with[max_rows].id);
end
$$;

grant select on lists.pulse_responses, lists.pulse_responses_with to public_api;
select app.serve_keys('public.list_pulse_responses'::regproc, true);
comment on function public.list_pulse_responses is
  'Pulse answers, newest first. read:analytics. PT400, PT401, PT403, PT429.';
