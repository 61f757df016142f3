-- GET /teams

create type lists.team as (id uuid, name text, created_at text);

create view lists.teams with (security_invoker = true) as
select
  t.company_id, t.created_at as instant, t.changed_in, t.id,
  row(t.id, t.name, app.iso_8601(t.created_at))::lists.team as shown
from app.teams as t;

create function public.list_teams(
  key_hash text, max_rows integer, starting_after uuid default null, after_time timestamptz default null
)
returns app."application/json"
language plpgsql volatile security definer set search_path = ''
as $$
declare
  page constant lists.page := lists.begin('teams', key_hash, max_rows, starting_after, after_time);
  rows lists.team[];
begin
  rows := array(select v.shown from lists.teams as v
    where lists.is_in(page, v.company_id, v.instant, v.id)
    order by v.instant desc, v.id desc limit max_rows + 1);
  return lists.answer(page, rows, rows[max_rows].created_at || '_' || rows[max_rows].id);
end
$$;

grant select on lists.teams to public_api;
select app.serve_keys('public.list_teams'::regproc, true);
comment on function public.list_teams is 'Teams, newest first. read:members. PT400, PT401, PT403, PT429.';
