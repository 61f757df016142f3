-- GET /day-ratings (docs/api.md, Day ratings). Statements and plans as in list_members.

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
set lock_timeout = '5s'
set statement_timeout = '7s'
as $$
declare
  api_key record;
  page_rows json[];
begin
  perform app.require_row_security('app.day_ratings');
  select * into api_key from app.authenticate(key_hash, 'read:analytics');

  if team_id is not null then
    select array_agg(row_to_json(page)) into page_rows from (
      select d.id, d.rating, d.comment, d.team_id, d.points_awarded, app.iso_8601(d.created_at) as created_at
      from api.day_ratings as d
      where d.company_id = api_key.company_id and d.team_id = list_day_ratings.team_id
        and d.created_at >= since and d.created_at <= until
      order by d.created_at desc, d.id desc
      limit max_rows + 1
    ) as page;
  else
    select array_agg(row_to_json(page)) into page_rows from (
      select d.id, d.rating, d.comment, d.team_id, d.points_awarded, app.iso_8601(d.created_at) as created_at
      from api.day_ratings as d
      where d.company_id = api_key.company_id
        and d.created_at >= since and d.created_at <= until
      order by d.created_at desc, d.id desc
      limit max_rows + 1
    ) as page;
  end if;

  return app.respond_with_page(api_key.key_id, api_key.company_id, page_rows, max_rows);
end
$$;

comment on function public.list_day_ratings(text, integer, timestamptz, timestamptz, uuid) is
  'Day ratings of the key''s company, newest first, as a JSON array. read:analytics. PT401, PT403.';
