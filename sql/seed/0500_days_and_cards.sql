-- The days on which things happen, and the order in which phrases are used.

-- How much happens on each day of the year (0 is 2025-11-21, a Friday): a day that is in this table ten times is chosen
-- ten times as often. There is more on workdays, and less in summer and at the turn of the year. Pulse surveys run from
-- the 10th to the 13th of a month.
create table demo.days as
select d.slug, d.kind, d.day, row_number() over (partition by d.slug, d.kind order by d.day) - 1 as place
from (
  select c.slug, k.kind, n.day, generate_series(1, case
      when k.kind = 'pulse' then case when of.weekday > 5 then 0 else (array[9, 5, 3, 2])[extract(day from of.date)::int - 9] end
      when of.date = any (c.holidays) then 0
      when of.weekday > 5 then case k.kind when 'kudos' then 1 else 0 end
      else (array[8, 11, 10, 10, 12])[of.weekday] * case extract(month from of.date) when 8 then 6 when 12 then 8 when 7 then 8 else 10 end / 10
    end)
  from demo.companies as c
  cross join (values ('kudos'), ('rating'), ('pulse')) as k (kind)
  cross join generate_series(0, 364) as n (day)
  cross join lateral (select date '2025-11-21' + n.day as date, extract(isodow from date '2025-11-21' + n.day)::int as weekday) as of
) as d;
alter table demo.days add primary key (slug, kind, place);
analyze demo.companies, demo.people, demo.days;

-- The times of all events of a kind, each with its own key; rank 1 is the newest. Some events have the same time, also
-- across the end of a page of 100, 500 or 1,000 rows. Such a group has the time of its newest event; moment is the key
-- of that event, and nth counts the events of the group from 0.
create function demo.moments(kind text, amount int, opens float8, closes float8)
returns table (slug text, key text, rank bigint, moment text, nth bigint, sharing bigint, at timestamptz) language sql stable
begin atomic
  with drawn as (
    select c.slug, k.key, demo.moment(k.key, d.day, opens, closes, c.zone) as at
    from demo.companies as c
    cross join lateral (select count(*) as places from demo.days as d where d.slug = c.slug and d.kind = moments.kind) as year
    cross join lateral (select concat_ws('/', c.slug, moments.kind, i) as key from generate_series(1, amount) as i) as k
    join demo.days as d on d.slug = c.slug and d.kind = moments.kind and d.place = demo.pick(k.key || '/day', year.places)
  ), moved as (
    -- An evening in America is the next day in UTC. On the last day of the data such a time moves to the day before.
    select slug, key, at - case when at >= '2026-11-21Z' then interval '24 hours' else interval '0' end as at from drawn
  ), ranked as (
    select *, row_number() over (partition by slug order by at desc, key collate "C") as rank from moved
  ), shared as (
    select *, case
        when rank between 95 and 106 then 95
        when rank between 499 and 502 then 499
        when rank between 996 and 1003 then 996
        else rank
      end as first
    from ranked
  )
  select slug, key, rank, first_value(key) over same, rank - first, count(*) over same, first_value(at) over same
  from shared window same as (partition by slug, first order by rank range between unbounded preceding and unbounded following);
end;

-- The phrases of a list in shuffled order, like cards: each is used once before one is used again.
create table demo.cards as
select p.slug, p.kind, p.key, t.text,
  row_number() over (partition by p.slug, p.kind, p.key order by round, md5(concat_ws('/', p.slug, p.kind, p.key, round, t.i)) collate "C") - 1 as place
from (
  select slug, kind, key, texts from demo.phrases
  union all
  select slug, 'answer', key, array(select jsonb_array_elements(answers)::text) from demo.questions
) as p
cross join lateral unnest(p.texts) with ordinality as t (text, i)
-- No question has 200 answers.
cross join generate_series(1, case kind when 'answer' then 200 else 1000 end / cardinality(p.texts) + 1) as round;
alter table demo.cards add primary key (slug, kind, key, place);

create function demo.card(slug text, kind text, key text, n bigint) returns text language sql stable
return (select c.text from demo.cards as c where c.slug = card.slug and c.kind = card.kind and c.key = card.key and c.place = n % 1000);

-- The text of a list, if the phrase has a place for it.
create function demo.word(phrase text, slug text, kind text, n bigint) returns text language sql stable
return case when phrase like '%{' || kind || '}%' then demo.card(slug, kind, '', n) else '' end;

create function demo.fill(phrase text, slug text, n bigint, name text default '', peer text default '') returns text language sql stable
return replace(replace(replace(replace(replace(replace(phrase,
  '{name}', name), '{peer}', peer), '{n}', (11 + demo.pick(concat_ws('/', slug, n, phrase), 38))::text),
  '{project}', demo.word(phrase, slug, 'project', n)), '{customer}', demo.word(phrase, slug, 'customer', n)),
  '{when}', demo.word(phrase, slug, 'when', n));
