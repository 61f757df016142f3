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
  to_char(d.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as created_at,
  (select t.name from app.teams as t where t.company_id = d.company_id and t.id = d.team_id) as team_name
from app.day_ratings as d;

grant select on api.day_ratings to public_api;
comment on view api.day_ratings is 'Day ratings (docs/api.md, Day ratings).';

create function public.list_day_ratings(
  key_hash text,
  max_rows integer,
  since timestamptz default '-infinity',
  until timestamptz default 'infinity',
  team_id uuid default null,
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
  if not (row_security_active('app.day_ratings'::regclass) and row_security_active('app.teams'::regclass)) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'read:analytics');

  if starting_after is not null then
    select d.created_at into after_instant from app.day_ratings as d where d.company_id = api_key.company_id and d.id = starting_after;
    if not found then
      perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
    end if;
    if (after_instant, starting_after) < (below_instant, below_id) then
      below_instant := after_instant;
      below_id := starting_after;
    end if;
  end if;

  -- The name of the team has statements of its own: only preparing to look it up takes a fifteenth of a page of 20 rows.
  if include is null and team_id is null then
    select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
      select item.id, item, row_number() over () as place from (
        select d.id, d.rating, d.comment, d.team_id, d.points_awarded, d.created_at
        from api.day_ratings as d
        where d.company_id = api_key.company_id
          and d.instant >= since and (d.instant, d.id) < (below_instant, below_id)
        order by d.instant desc, d.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  elsif include is null then
    select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
      select item.id, item, row_number() over () as place from (
        select d.id, d.rating, d.comment, d.team_id, d.points_awarded, d.created_at
        from api.day_ratings as d
        where d.company_id = api_key.company_id and d.team_id = list_day_ratings.team_id
          and d.instant >= since and (d.instant, d.id) < (below_instant, below_id)
        order by d.instant desc, d.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  elsif team_id is null then
    select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
      select item.id, item, row_number() over () as place from (
        select d.id, d.rating, d.comment, d.team_id, d.points_awarded, d.created_at, team.name as team_name
        from api.day_ratings as d
        left join lateral (
          select t.name from app.teams as t where t.company_id = d.company_id and t.id = d.team_id offset 0
        ) as team on true
        where d.company_id = api_key.company_id
          and d.instant >= since and (d.instant, d.id) < (below_instant, below_id)
        order by d.instant desc, d.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  else
    select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
      select item.id, item, row_number() over () as place from (
        select d.id, d.rating, d.comment, d.team_id, d.points_awarded, d.created_at, team.name as team_name
        from api.day_ratings as d
        left join lateral (
          select t.name from app.teams as t where t.company_id = d.company_id and t.id = d.team_id offset 0
        ) as team on true
        where d.company_id = api_key.company_id and d.team_id = list_day_ratings.team_id
          and d.instant >= since and (d.instant, d.id) < (below_instant, below_id)
        order by d.instant desc, d.id desc
        limit max_rows + 1
      ) as item
    ) as numbered;
  end if;

  found_rows := coalesce(cardinality(ids), 0);
  headers := set_config(
    'response.headers',
    format(app.list_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text, ids[max_rows]),
    true
  );
  return coalesce(page, '[]');
end
$$;

select app.serve_keys('public.list_day_ratings'::regproc);
comment on function public.list_day_ratings is
  'Day ratings of the key''s company, newest first, as a JSON array. read:analytics. PT400, PT401, PT403, PT429.';
