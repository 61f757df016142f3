-- Functions that only the lists of version 1.1 call. A migration may replace a list while a request runs it, and the
-- request fails if they are gone (test/serial/migrations.test.ts). They go with the version after 1.2.0.

-- The name of each category of a company, by the category's id: app.categories has it now.
create policy api_read on app.category_names for select to public_api
  using (company_id = (select app.current_company_id()));
grant select on app.category_names to public_api;
grant select (default_language) on app.companies to public_api;

create function app.category_names_by_id(company_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
set jit = off
as $$
begin
  return (
    select jsonb_object_agg(named.category_id, named.name)
    from (
      select distinct on (n.category_id) n.category_id, n.name
      from app.category_names as n
      join app.companies as company on company.id = n.company_id
      where n.company_id = category_names_by_id.company_id
      order by n.category_id, n.language = company.default_language desc,
        lower(n.language) = lower(company.default_language) desc, n.language = 'en' desc, n.language
    ) as named
  );
end
$$;

revoke all on function app.category_names_by_id from public;
grant execute on function app.category_names_by_id to public_api;
comment on function app.category_names_by_id is
  'The names of a company''s kudos categories, { id: name }, in the language that the company reads.';

-- It appends text to text, so that the fields and numbers of a row stay as they are; jsonb would sort the fields and
-- change numbers.
create function app.append_columns(item json, columns json, include text[]) returns json
language sql immutable set search_path = ''
return (
  select (
    left(item::text, -1) || string_agg(',' || to_json(c.key)::text || ':' || c.value::text, '' order by c.place) || '}'
  )::json
  from json_each(columns) with ordinality as c (key, value, place)
  where c.key = any (include)
);

revoke all on function app.append_columns from public;
grant execute on function app.append_columns to public_api;
comment on function app.append_columns is
  'A row of a page with those of the columns behind it that include names, in the order of the columns.';

-- Appends the columns of include=sender_id,receiver_id,category_id. Stable, so that it has the same snapshot as the
-- page.
create function app.include_in_activity(page json, company_id uuid, include text[]) returns json
language plpgsql stable
set search_path = ''
set jit = off
as $$
begin
  return (
    select json_agg(app.append_columns(item.json, json_build_object(
      'sender_id', kudos.sender_id, 'receiver_id', kudos.receiver_id, 'category_id', kudos.category_id
    ), include) order by item.place)
    from json_array_elements(page) with ordinality as item (json, place)
    cross join lateral (
      select k.sender_id, k.receiver_id, k.category_id from app.kudos as k
      where k.company_id = include_in_activity.company_id and k.id = (item.json ->> 'id')::uuid
      offset 0
    ) as kudos
  );
end
$$;

revoke all on function app.include_in_activity from public;
grant execute on function app.include_in_activity to public_api;
comment on function app.include_in_activity is
  'A page of GET /activity with the columns that include names, in the order of docs/api.md.';


-- Appends the column of include=external_id. Stable, so that it has the same snapshot as the page.
create function app.include_in_rewards(page json, company_id uuid, include text[]) returns json
language plpgsql stable
set search_path = ''
set jit = off
as $$
begin
  return (
    select json_agg(
      app.append_columns(item.json, json_build_object('external_id', reward.external_id), include) order by item.place
    )
    from json_array_elements(page) with ordinality as item (json, place)
    cross join lateral (
      select r.external_id from app.rewards as r
      where r.company_id = include_in_rewards.company_id and r.id = (item.json ->> 'id')::uuid
      offset 0
    ) as reward
  );
end
$$;

revoke all on function app.include_in_rewards from public;
grant execute on function app.include_in_rewards to public_api;
comment on function app.include_in_rewards is
  'A page of GET /rewards with the columns that include names, in the order of docs/api.md.';


-- Appends the column of include=team_name: null for a rating without a team. Stable, so that it has the same snapshot
-- as the page.
create function app.include_in_day_ratings(page json, company_id uuid, include text[]) returns json
language plpgsql stable
set search_path = ''
set jit = off
as $$
begin
  return (
    select json_agg(app.append_columns(item.json, json_build_object('team_name', rating.team_name), include) order by item.place)
    from json_array_elements(page) with ordinality as item (json, place)
    cross join lateral (
      select (
        select t.name from app.teams as t where t.company_id = d.company_id and t.id = d.team_id
      ) as team_name
      from app.day_ratings as d
      where d.company_id = include_in_day_ratings.company_id and d.id = (item.json ->> 'id')::uuid
      offset 0
    ) as rating
  );
end
$$;

revoke all on function app.include_in_day_ratings from public;
grant execute on function app.include_in_day_ratings to public_api;
comment on function app.include_in_day_ratings is
  'A page of GET /day-ratings with the columns that include names, in the order of docs/api.md.';


-- Appends the column of include=question_id. Stable, so that it has the same snapshot as the page.
create function app.include_in_pulse_responses(page json, company_id uuid, include text[]) returns json
language plpgsql stable
set search_path = ''
set jit = off
as $$
begin
  return (
    select json_agg(
      app.append_columns(item.json, json_build_object('question_id', answer.question_id), include) order by item.place
    )
    from json_array_elements(page) with ordinality as item (json, place)
    cross join lateral (
      select p.question_id from app.pulse_responses as p
      where p.company_id = include_in_pulse_responses.company_id and p.id = (item.json ->> 'id')::uuid
      offset 0
    ) as answer
  );
end
$$;

revoke all on function app.include_in_pulse_responses from public;
grant execute on function app.include_in_pulse_responses to public_api;
comment on function app.include_in_pulse_responses is
  'A page of GET /pulse-responses with the columns that include names, in the order of docs/api.md.';

-- The response headers of their pages.
create function app.page_headers() returns text
language sql immutable set search_path = ''
return '[{"X-Key-Id":"%s"},{"X-Company-Id":"%s"},{"X-Row-Count":"%s"},{"X-Has-More":"%s"}]';

revoke all on function app.page_headers from public;
grant execute on function app.page_headers to public_api;
comment on function app.page_headers is
  'The response.headers of a page, for format(): the ids of key and company, the number of its rows, true or false for whether '
  'there are more.';
