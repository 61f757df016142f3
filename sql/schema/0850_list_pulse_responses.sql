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
set enable_seqscan = off
set enable_sort = off
set jit = off
set lock_timeout = '5s'
set statement_timeout = '7s'
as $$
declare
  api_key app.verified_key;
  found_rows bigint;
  page json;
  headers text;
begin
  if not (row_security_active('app.pulse_responses'::regclass) and row_security_active('app.pulse_questions'::regclass)) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:analytics');

  select count(*), json_agg(item) filter (where place <= max_rows) into found_rows, page from (
    select item, row_number() over () as place from (
      select p.id, p."timestamp", p.question, p.response_type, p.value, p.comment
      from api.pulse_responses as p
      where p.company_id = api_key.company_id
        and p.instant >= since and p.instant <= until
      order by p.instant desc, p.id desc
      limit max_rows + 1
    ) as item
  ) as numbered;

  headers := set_config(
    'response.headers',
    format(app.page_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text),
    true
  );
  return coalesce(page, '[]');
end
$$;

comment on function public.list_pulse_responses(text, integer, timestamptz, timestamptz) is
  'Pulse answers of the key''s company, newest first, as a JSON array. read:analytics. PT401, PT403.';
