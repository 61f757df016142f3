-- GET /members (docs/api.md, Members).
--
-- One static statement per leading filter, because each has an index with the order of the page behind it; a second filter
-- is checked on the way. The generic plan is forced: planning anew for every call would halve the speed of small pages.

create function public.list_members(key_hash text, max_rows integer, team_id uuid default null, role text default null) returns json
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
  perform app.require_row_security('app.members', 'app.teams');
  select * into api_key from app.authenticate(key_hash, 'read:members');

  if team_id is not null then
    select array_agg(row_to_json(page)) into page_rows from (
      select m.id, m.name, m.email, m.role, m.team_id, m.team_name, app.iso_8601(m.created_at) as created_at
      from api.members as m
      where m.company_id = api_key.company_id and m.team_id = list_members.team_id
        and (list_members.role is null or m.role = list_members.role)
      order by m.created_at desc, m.id desc
      limit max_rows + 1
    ) as page;
  elsif role is not null then
    select array_agg(row_to_json(page)) into page_rows from (
      select m.id, m.name, m.email, m.role, m.team_id, m.team_name, app.iso_8601(m.created_at) as created_at
      from api.members as m
      where m.company_id = api_key.company_id and m.role = list_members.role
      order by m.created_at desc, m.id desc
      limit max_rows + 1
    ) as page;
  else
    select array_agg(row_to_json(page)) into page_rows from (
      select m.id, m.name, m.email, m.role, m.team_id, m.team_name, app.iso_8601(m.created_at) as created_at
      from api.members as m
      where m.company_id = api_key.company_id
      order by m.created_at desc, m.id desc
      limit max_rows + 1
    ) as page;
  end if;

  return app.respond_with_page(api_key.key_id, api_key.company_id, page_rows, max_rows);
end
$$;

comment on function public.list_members(text, integer, uuid, text) is
  'Members of the key''s company, newest first, as a JSON array. read:members. PT401, PT403.';
