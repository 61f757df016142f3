-- Functions and tables to make the demo data, in their own schema, which the last file drops.
--
-- There are two companies, each with data of one year that ends on 2026-11-20 UTC. The data is the same on every
-- machine: ids and choices come from the md5 of a fixed text, never from random(); times are absolute; the session's
-- time zone and collation are not used. 0200 and 0300 have the texts, 0400 to 0700 make rows from them. The files have
-- no key, hash or password.

create schema demo;

-- An id made from a name: the md5, with the version and variant digits of a random uuid.
create function demo.uuid(key text) returns uuid language sql immutable
return overlay(overlay(md5(key) placing '4' from 13)
  placing translate(substr(md5(key), 17, 1), '0123456789abcdef', '89ab89ab89ab89ab') from 17)::uuid;

-- A number from 0 to n - 1.
create function demo.pick(key text, n bigint) returns bigint language sql immutable
return ('x' || substr(md5(key), 1, 12))::bit(48)::bigint % n;

create function demo.choose(key text, options text[]) returns text language sql immutable
return options[1 + demo.pick(key, cardinality(options))::int];

-- A time on a day of the year (0 to 364), in local office hours: mostly around the middle of the opening hours,
-- sometimes in the evening.
create function demo.moment(key text, day int, opens float8, closes float8, zone text) returns timestamptz language sql immutable
return ((date '2025-11-21' + day)::timestamp
  + interval '1 hour' * (opens + case when demo.pick(key || '/late', 30) = 0 then 3 else 0 end)
  + interval '1 microsecond' * ((demo.pick(key || '/a', ((closes - opens) * 3600000000)::bigint)
    + demo.pick(key || '/b', ((closes - opens) * 3600000000)::bigint)) / 2)
) at time zone zone;

-- The part of an email address before the @: the first and the last word of a name, in ASCII.
create function demo.local_part(name text) returns text language sql immutable
return lower(translate(
  replace(replace(replace(replace(translate(split_part(name, ' ', 1) || '.' || split_part(name, ' ', -1), 'ÄÖÜ', 'äöü'),
    'ä', 'ae'), 'ö', 'oe'), 'ü', 'ue'), 'ß', 'ss'),
  'áàâãåąçćčđďéèêëęěğíìîïıİłŁńňñóòôõøőØÓřŕśşšŚŞŠťţúùûůýÿźżžŹŻŽÁÅÇČĆÉĐ''',
  'aaaaaacccddeeeeeegiiiiiillnnnoooooooorrssssssttuuuuyyzzzzzzaaccced') collate "C");

create table demo.companies (slug text primary key, name text, language text, zone text, created_at timestamptz, holidays date[]);
-- people: 'name|part before the @|first name|role|created_at'; only the name is required. The first person of a team
-- leads it, unless it has two. mood: the ratings from which those of the team are chosen. A row without a name has the
-- people without a team.
create table demo.teams (slug text, name text, mood text, people text[]);
create table demo.categories (slug text, key text, weight int, names jsonb);
create table demo.rewards (
  slug text, name text, description text, points int, type text, external_id text, stock int, vendor text, image text, archived boolean
);
-- Lists of phrases: kudos by category, comments by rating, answers by question, and the texts that replace {project}
-- and so on.
create table demo.phrases (slug text, kind text, key text, texts text[]);
create table demo.questions (slug text, key text, question text, response_type text, answers jsonb);
