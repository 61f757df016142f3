-- The companies of a benchmark's database, one row each with how much they hold: the first as large as it is asked to be, two
-- more giants, and many small ones. Everything else is made from these numbers, by generate.ts.

create schema bench;

-- The id of the nth thing of a kind in a company.
create function bench.id(company integer, kind text, n bigint) returns uuid
language sql immutable parallel safe
return md5(format('%s %s %s', company, kind, n))::uuid;

-- The hash of a company's API key; nobody knows a key that has it.
create function bench.key_hash(company integer) returns text
language sql immutable parallel safe
return encode(sha256(format('bench %s', company)::bytea), 'hex');

create table bench.companies as
with sized as (
  select
    company,
    -- From a tenth of the largest down to a hundred.
    case company
      when 1 then :largest
      when 2 then greatest(:largest / 10, 1000)
      when 3 then greatest(:largest / 20, 1000)
      else 20000 / company
    end as kudos
  from generate_series(1, 201) as company
)
select
  company,
  kudos,
  -- The first ones can fill a page of a thousand rows of every list.
  case when company <= 8 then least(greatest(kudos / 10, 1200), 100000) else greatest(kudos / 50, 20) end as members,
  case company when 1 then 50 else 5 end as teams,
  greatest(kudos / 10, case when company = 1 then 5000 when company <= 8 then 1200 else 50 end) as moods,
  case when company = 1 then greatest(kudos / 500, 2000) when company <= 8 then 2000 else 100 end as rewards
from sized;
