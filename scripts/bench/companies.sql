-- The benchmark's companies: one with :largest kudos, a small one with 10,000, and 199 more with 6,667 down to 100.
-- Kudos n of k is at n / k of a year, so that the companies' kudos are interleaved in time, as in a real service.

create schema bench;
grant usage on schema bench to postgres;

-- The id of the nth thing of a kind in a company.
create function bench.id(company integer, kind text, n bigint) returns uuid
language sql immutable parallel safe
return md5(format('%s %s %s', company, kind, n))::uuid;

-- The API key of a company, and its hash.
create function bench.key(company integer) returns text
language sql immutable
return format('sk_live_%s', lpad(company::text, 32, '0'))
  || app.api_key_checksum(format('sk_live_%s', lpad(company::text, 32, '0')));
create function bench.key_hash(company integer) returns text
language sql immutable
return encode(sha256(bench.key(company)::bytea), 'hex');

create function bench.words(first bigint, length bigint) returns text
language sql immutable parallel safe
return substr(repeat('Thank you for staying late when the release would not build, for the quiet hour that you gave '
  'the new colleagues, and for the coffee. ', 4), first::integer, length::integer);

create function bench.at(n bigint, number bigint) returns timestamptz
language sql immutable parallel safe
return timestamptz '2025-11-21Z' + interval '365 days' * (n::float8 / number);

create table bench.companies as
select
  company,
  bench.id(company, 'company', 0) as id,
  kudos,
  -- The first eight companies have enough rows for a page of 1000 of every list.
  case when company <= 8 then least(greatest(kudos / 10, 1200), 100000) else greatest(kudos / 50, 20) end as members,
  case when company <= 2 then 50 else 5 end as teams,
  greatest(kudos / 10, case when company <= 8 then 1200 else 50 end) as moods,
  case when company = 1 then greatest(kudos / 500, 2000) when company <= 8 then 2000 else 100 end as rewards
from (
  select company, case company when 1 then :largest when 2 then 10000 else 20000 / company end as kudos
  from generate_series(1, 201) as company
) as sized;

-- Without triggers and foreign keys, which only a superuser may switch off. The data is right without them.
set session_replication_role = replica;
set work_mem = '256MB';
select setseed(0.5);

insert into app.companies (id, name) select id, 'Company ' || company from bench.companies;
insert into app.teams (company_id, id, name)
select id, bench.id(company, 'team', n), 'Team ' || n from bench.companies, generate_series(1, teams) as n;
insert into app.members (company_id, id, name, email, role, team_id, created_at)
select id, bench.id(company, 'member', n), 'Member Number ' || n, 'member.' || n || '@company.example',
  case when n % 10 = 0 then 'lead' else 'employee' end,
  bench.id(company, 'team', 1 + n % teams),
  bench.at(n, members)
from bench.companies, generate_series(1, members) as n;
insert into app.categories (company_id, id, name)
select id, bench.id(company, 'category', n), 'Category ' || n || ' en' from bench.companies, generate_series(1, 9) as n;
insert into app.category_names (company_id, category_id, language, name)
select id, bench.id(company, 'category', n), language, 'Category ' || n || ' ' || language
from bench.companies, generate_series(1, 9) as n, unnest(array['de', 'en', 'fr']) as language;
insert into app.pulse_questions (company_id, id, question, response_type)
select id, bench.id(company, 'question', n), 'How was question ' || n || '?', 'scale'
from bench.companies, generate_series(0, 9) as n;
insert into app.rewards (company_id, external_id, name, description, points_cost, reward_type, stock_count, image_url,
  vendor_name, is_archived, created_at)
select id, 'item ' || n, 'Reward ' || n, bench.words(1, 20 + n % 110), n, 'voucher', n,
  'https://images.example.com/rewards/' || n || '.png', 'Vendor ' || n % 7, n % 10 = 0, bench.at(n, rewards)
from bench.companies, generate_series(1, rewards) as n;
insert into app.api_keys (company_id, id, name, scopes, key_hash, hint, created_by)
select id, bench.id(company, 'key', 0), 'Bench', app.scopes(), decode(bench.key_hash(company), 'hex'), '…',
  bench.id(company, 'member', 1)
from bench.companies;
insert into app.api_key_uses (company_id, key_id) select company_id, id from app.api_keys;

insert into app.kudos (company_id, id, sender_id, receiver_id, category_id, message, created_at)
select id, gen_random_uuid(),
  bench.id(company, 'member', ceil(members ^ random())::bigint),
  bench.id(company, 'member', ceil(members ^ random())::bigint),
  bench.id(company, 'category', 1 + n % 9),
  bench.words(1 + n % 100, 40 + (random() ^ 2 * 300)::bigint),
  bench.at(n, kudos)
from bench.companies, generate_series(1, kudos) as n order by n::float8 / kudos;
insert into app.day_ratings (company_id, rating, comment, team_id, points_awarded, created_at)
select id, 1 + n % 5, case when n % 3 = 0 then bench.words(1, 30 + n % 80) end,
  bench.id(company, 'team', 1 + n % teams),
  5, bench.at(n, moods)
from bench.companies, generate_series(1, moods) as n order by n::float8 / moods;
insert into app.pulse_responses (company_id, question_id, value, comment, created_at)
select id, bench.id(company, 'question', n % 10), to_jsonb(n % 11), bench.words(1, n % 120), bench.at(n, moods)
from bench.companies, generate_series(1, moods) as n order by n::float8 / moods;

reset all;
