-- GET /pulse-responses (docs/api.md, Pulse responses).

create view api.pulse_responses with (security_invoker = true) as
select
  p.company_id,
  p.created_at as instant,
  p.id,
  to_char(p.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "timestamp",
  question.question,
  question.response_type,
  p.value,
  p.comment,
  p.question_id
from app.pulse_responses as p
left join lateral (
  select q.question, q.response_type
  from app.pulse_questions as q
  where q.company_id = p.company_id and q.id = p.question_id
  offset 0
) as question on true;

grant select on api.pulse_responses to public_api;
comment on view api.pulse_responses is 'Pulse answers (docs/api.md, Pulse responses).';

create function public.list_pulse_responses(
  key_hash text,
  max_rows integer,
  since timestamptz default '-infinity',
  until timestamptz default 'infinity',
  starting_after uuid default null,
  include text[] default null
)
returns json
language plpgsql volatile security definer
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_sort = off
set jit = off
set lock_timeout = '5s'
set statement_timeout = '7s'
as $$
declare
  api_key app.verified_key;
  ids uuid[];
  found_rows integer;
  page json;
  headers text;
  -- The page begins below this pair of instant and id (docs/api.md, Lists).
  below_instant timestamptz := until + interval '1 microsecond';
  below_id uuid := uuid '00000000-0000-0000-0000-000000000000';
  after_instant timestamptz;
begin
  if not (row_security_active('app.pulse_responses'::regclass) and row_security_active('app.pulse_questions'::regclass)) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:analytics');

  if starting_after is not null then
    select p.created_at into after_instant from app.pulse_responses as p where p.company_id = api_key.company_id and p.id = starting_after;
    if not found then
      perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
    end if;
    if (after_instant, starting_after) < (below_instant, below_id) then
      below_instant := after_instant;
      below_id := starting_after;
    end if;
  end if;

  select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
    select id, item, row_number() over () as place from (
      select item.id, case when include is null then item else item_with_question_id end as item
      from api.pulse_responses as p
      cross join lateral (select p.id, p."timestamp", p.question, p.response_type, p.value, p.comment) as item
      cross join lateral (select item.*, p.question_id) as item_with_question_id
      where p.company_id = api_key.company_id
        and p.instant >= since and (p.instant, p.id) < (below_instant, below_id)
      order by p.instant desc, p.id desc
      limit max_rows + 1
    ) as ordered
  ) as numbered;

  found_rows := coalesce(cardinality(ids), 0);
  headers := set_config(
    'response.headers',
    format(app.list_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text, ids[max_rows]),
    true
  );
  return coalesce(page, '[]');
end
$$;

select app.serve_keys('public.list_pulse_responses'::regproc);
comment on function public.list_pulse_responses is
  'Pulse answers of the key''s company, newest first, as a JSON array. read:analytics. PT400, PT401, PT403, PT429.';
