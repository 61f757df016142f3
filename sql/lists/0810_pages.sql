-- What the lists share (docs/api.md, Lists). A view says how a row looks: its ids, the instant by which pages are
-- ordered, the number of its last change, and the documented columns as one composite value, shown. A list says which
-- rows a page has, in one static statement for each index that leads to them. Pages, changes and deletions use the same
-- views.
--
-- security_invoker: a view reads with the rights and policies of who selects from it. Not granted: any view to anon,
-- authenticated or service_role. People and teams of a row are looked up row by row, left join lateral (… offset 0),
-- which PostgreSQL cannot turn into joins over whole tables: so a page takes the same time at any size of the tables.

-- A page has the rows of a company below the pair of instant and id.
create type lists.page as (key_id uuid, company_id uuid, instant timestamptz, id uuid, max_rows integer);

-- Begins each list. The page begins with the newest row, or after the row starting_after. One row comparison, (instant,
-- id) < (…), can be a condition of the index. It must be the only upper bound: beside instant <= until the scan would
-- begin at the row comparison, and read all rows down to until. So until becomes a pair too, the microsecond after it
-- and the lowest id.
create function lists.begin(
  list text, key_hash text, max_rows integer, starting_after uuid, after_time timestamptz,
  until timestamptz default 'infinity'
)
returns lists.page
language plpgsql volatile set search_path = ''
as $$
declare
  api_key constant app.verified_key := app.admit(key_hash, lists.scope(list));
  below_instant timestamptz := until + interval '1 microsecond';
  below_id uuid := '00000000-0000-0000-0000-000000000000';
begin
  if starting_after is not null then
    if after_time is null then
      execute format('select t.created_at from %s as t where t.company_id = $1 and t.id = $2', lists.relation(list))
      into after_time using api_key.company_id, starting_after;
      -- The same for a row of another company.
      if after_time is null then
        raise exception using errcode = 'PT400', message = 'starting_after must be the id of a row of this list',
          detail = json_build_object('key_id', api_key.key_id, 'company_id', api_key.company_id);
      end if;
    end if;
    if (after_time, starting_after) < (below_instant, below_id) then
      below_instant := after_time;
      below_id := starting_after;
    end if;
  end if;
  return row(api_key.key_id, api_key.company_id, below_instant, below_id, max_rows);
end
$$;

-- Inlined: its comparisons are conditions of the index.
create function lists.is_in(page lists.page, company_id uuid, instant timestamptz, id uuid) returns boolean
language sql stable
return company_id = page.company_id and (instant, id) < (page.instant, page.id);

-- Ends each list: its rows, with one more if there are more. A variable copies them three times: /activity has none.
create function lists.answer(page lists.page, rows anyarray, last text) returns json
language sql volatile
as $$
  select case when app.end_page(page.key_id, page.company_id, cardinality(rows), page.max_rows, last) <> ''
    then array_to_json(rows[:page.max_rows]) end
$$;

-- Columns that only include returns are null in a view unless lists.includes them: a setting of the transaction.
create function lists.includes(name text) returns boolean
language sql stable
return strpos(current_setting('lists.include', true), ',' || name || ',') > 0;

-- Takes the columns that include does not name out of the text of a page, neighbors at once. This text is never within
-- a value, because quotes are escaped there. Not called if there is nothing to take out: a call copies the page.
create function lists.only(include text[], all_included text[], page json) returns json
language plpgsql immutable set search_path = ''
as $$
declare
  kept text := page;
  run text := '';
  name text;
begin
  foreach name in array all_included || null::text loop
    if name <> all (include) then
      run := run || format(',"%s":null', name);
    elsif run <> '' then
      kept := replace(kept, run, '');
      run := '';
    end if;
  end loop;
  return kept;
end
$$;

-- Of several filters the one leads that fewest rows match. At most a thousand are counted: less time than a page.
create function lists.rarest_member_filter(company uuid, team uuid, named_role text) returns text
language plpgsql stable set search_path = '' set enable_bitmapscan = off
as $$
begin
  return case when (
    select count(*) from (select from app.members where company_id = company and team_id = team limit 1000) as t
  ) <= (
    select count(*) from (select from app.members where company_id = company and role = named_role limit 1000) as r
  ) then 'team' else 'role' end;
end
$$;

create function lists.rarest_kudos_filter(page lists.page, since timestamptz, sender uuid, receiver uuid, category uuid)
returns text
language plpgsql stable set search_path = '' set enable_bitmapscan = off
as $$
begin
  return (
    select f.name from (values
      ('sender', sender, (select count(*) from (select from app.kudos as k where k.company_id = page.company_id
        and k.sender_id = sender and k.created_at between since and page.instant limit 1000) as counted)),
      ('receiver', receiver, (select count(*) from (select from app.kudos as k where k.company_id = page.company_id
        and k.receiver_id = receiver and k.created_at between since and page.instant limit 1000) as counted)),
      ('category', category, (select count(*) from (select from app.kudos as k where k.company_id = page.company_id
        and k.category_id = category and k.created_at between since and page.instant limit 1000) as counted))
    ) as f (name, id, kudos)
    where f.id is not null order by f.kudos limit 1
  );
end
$$;

grant execute on all functions in schema lists to public_api;
comment on function lists.begin is 'The page that a request asks for. PT400, PT401, PT403, PT429, PT500.';
comment on function lists.is_in is 'Whether a row is in a page or below it.';
comment on function lists.answer is 'The rows of a page as JSON. Sets the response headers.';
comment on function lists.includes is 'Whether include names a column.';
comment on function lists.rarest_kudos_filter is 'sender, receiver or category: which fewest kudos match.';
