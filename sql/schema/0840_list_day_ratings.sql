-- GET /day-ratings (docs/api.md, Day ratings). Statements and plans as in list_members.

create view api.day_ratings with (security_invoker = true) as
select
  d.company_id,
  d.created_at as instant,
  d.id,
  d.rating,
  d.comment,
  d.team_id,
  d.points_awarded,
  to_char(d.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as created_at
from app.day_ratings as d;

grant select on api.day_ratings to public_api;
comment on view api.day_ratings is 'Day ratings (docs/api.md, Day ratings).';

create function public.list_day_ratings(
  key_hash text,
  max_rows integer,
  since timestamptz default '-infinity',
  until timestamptz default 'infinity',
  team_id uuid default null
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
  if not row_security_active('app.day_ratings'::regclass) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:analytics');

  if team_id is null then
    select count(*), json_agg(item) filter (where place <= max_rows) into found_rows, page from (
      select item, row_number() over () as place from (
        select d.id, d.rating, d.comment, d.team_id, d.points_awarded, d.created_at
        from api.day_ratings as d
        where d.company_id = api_key.company_id
          and d.instant >= since and d.instant <= until
        order by d.instant desc, d.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  else
    select count(*), json_agg(item) filter (where place <= max_rows) into found_rows, page from (
      select item, row_number() over () as place from (
        select d.id, d.rating, d.comment, d.team_id, d.points_awarded, d.created_at
        from api.day_ratings as d
        where d.company_id = api_key.company_id and d.team_id = list_day_ratings.team_id
          and d.instant >= since and d.instant <= until
        order by d.instant desc, d.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  end if;

  headers := set_config(
    'response.headers',
    format(app.page_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text),
    true
  );
  return coalesce(page, '[]');
end
$$;

-- Owned by public_api, so that the policies bind it; to be called with the project's secret key only.
grant create on schema public to public_api;
alter function public.list_day_ratings owner to public_api;
revoke create on schema public from public_api;
revoke all on function public.list_day_ratings from public, anon, authenticated;
grant execute on function public.list_day_ratings to service_role;
comment on function public.list_day_ratings is
  'Day ratings of the key''s company, newest first, as a JSON array. read:analytics. PT401, PT403.';
