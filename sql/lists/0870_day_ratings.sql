-- GET /day-ratings

create type lists.day_rating as (
  id uuid, rating smallint, comment text, team_id uuid, points_awarded integer, created_at text
);
create type lists.day_rating_with as (
  id uuid, rating smallint, comment text, team_id uuid, points_awarded integer, created_at text, team_name text
);

create view lists.day_ratings with (security_invoker = true) as
select
  d.company_id, d.created_at as instant, d.changed_in, d.id, d.team_id,
  row(d.id, d.rating, d.comment, d.team_id, d.points_awarded, app.iso_8601(d.created_at))::lists.day_rating as shown
from app.day_ratings as d;

create view lists.day_ratings_with with (security_invoker = true) as
select
  v.company_id, v.instant, v.changed_in, v.id, v.team_id, row((v.shown).*, team.name)::lists.day_rating_with as shown
from lists.day_ratings as v
left join lateral (
  select t.name from app.teams as t where t.company_id = v.company_id and t.id = v.team_id offset 0
) as team on true;

create function public.list_day_ratings(
  key_hash text, max_rows integer, since timestamptz default '-infinity', until timestamptz default 'infinity',
  team_id uuid default null, starting_after uuid default null, include text[] default null,
  after_time timestamptz default null
)
returns app."application/json"
language plpgsql volatile security definer set search_path = ''
as $$
declare
  page constant lists.page := lists.begin('day-ratings', key_hash, max_rows, starting_after, after_time, until);
  rows lists.day_rating[];
  rows_with lists.day_rating_with[];
begin
  if include is null then
    if team_id is null then
      rows := array(select v.shown from lists.day_ratings as v
        where lists.is_in(page, v.company_id, v.instant, v.id) and v.instant >= since
        order by v.instant desc, v.id desc limit max_rows + 1);
    else
      rows := array(select v.shown from lists.day_ratings as v
        where lists.is_in(page, v.company_id, v.instant, v.id)
          and v.instant >= since and v.team_id = list_day_ratings.team_id
        order by v.instant desc, v.id desc limit max_rows + 1);
    end if;
    return lists.answer(page, rows, rows[max_rows].created_at || '_' || rows[max_rows].id);
  end if;
  if team_id is null then
    rows_with := array(select v.shown from lists.day_ratings_with as v
      where lists.is_in(page, v.company_id, v.instant, v.id) and v.instant >= since
      order by v.instant desc, v.id desc limit max_rows + 1);
  else
    rows_with := array(select v.shown from lists.day_ratings_with as v
      where lists.is_in(page, v.company_id, v.instant, v.id)
        and v.instant >= since and v.team_id = list_day_ratings.team_id
      order by v.instant desc, v.id desc limit max_rows + 1);
  end if;
  return lists.answer(page, rows_with, rows_with[max_rows].created_at || '_' || rows_with[max_rows].id);
end
$$;

grant select on lists.day_ratings, lists.day_ratings_with to public_api;
select app.serve_keys('public.list_day_ratings'::regproc, true);
comment on function public.list_day_ratings is 'Day ratings, newest first. read:analytics. PT400, PT401, PT403, PT429.';
