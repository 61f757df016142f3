-- GET /pulse-responses (docs/api.md, Pulse responses).

create function public.list_pulse_responses(
  key_hash text,
  max_rows integer,
  since timestamptz default '-infinity',
  until timestamptz default 'infinity'
)
returns json
language plpgsql volatile security definer
set search_path = ''
set plan_cache_mode = force_generic_plan
set lock_timeout = '5s'
set statement_timeout = '7s'
as $$
declare
  api_key record;
  page_rows json[];
begin
  perform app.require_row_security('app.pulse_responses', 'app.pulse_questions');
  select * into api_key from app.authenticate(key_hash, 'read:analytics');

  select array_agg(row_to_json(page)) into page_rows from (
    select p.id, app.iso_8601(p."timestamp") as "timestamp", p.question, p.response_type, p.value, p.comment
    from api.pulse_responses as p
    where p.company_id = api_key.company_id
      and p."timestamp" >= since and p."timestamp" <= until
    order by p."timestamp" desc, p.id desc
    limit max_rows + 1
  ) as page;

  return app.respond_with_page(api_key.key_id, api_key.company_id, page_rows, max_rows);
end
$$;

comment on function public.list_pulse_responses(text, integer, timestamptz, timestamptz) is
  'Pulse answers of the key''s company, newest first, as a JSON array. read:analytics. PT401, PT403.';
