-- Constraints: keys that contain the company, and values at their limits and beyond. What goes with a company that is
-- deleted is in test/operating/retention.test.ts.
begin;
\ir helpers.psql
select plan(7);

select pg_temp.new_company_with_rows(company) from unnest(array['Acorn', 'Birch']) as company;

-- Keys

select bag_eq(
  $$
    select conrelid::regclass || ' ' || pg_get_constraintdef(oid) from pg_constraint
    where connamespace = 'app'::regnamespace and contype in ('u', 'f') and convalidated and not condeferrable
  $$,
  $$
    select format('app.%s FOREIGN KEY (company_id, %s) REFERENCES app.%s(company_id, id)%s', relation, field, referenced, on_delete)
    from (values
      ('members', 'team_id', 'teams', ''),
      ('member_accounts', 'member_id', 'members', ' ON DELETE CASCADE'),
      ('category_names', 'category_id', 'categories', ' ON DELETE CASCADE'),
      ('kudos', 'sender_id', 'members', ''),
      ('kudos', 'receiver_id', 'members', ''),
      ('kudos', 'category_id', 'categories', ''),
      ('day_ratings', 'team_id', 'teams', ''),
      ('pulse_responses', 'question_id', 'pulse_questions', ''),
      ('api_keys', 'created_by', 'members', ''),
      ('api_keys', 'revoked_by', 'members', ''),
      ('api_key_uses', 'key_id', 'api_keys', ' ON DELETE CASCADE'),
      ('assistant_codes', 'member_id', 'members', ' ON DELETE CASCADE')
    ) as meant (relation, field, referenced, on_delete)
    union all
    select format('app.%s FOREIGN KEY (company_id) REFERENCES app.companies(id) ON DELETE CASCADE', relation)
    from unnest(array['teams', 'members', 'categories', 'kudos', 'rewards', 'day_ratings', 'pulse_questions', 'pulse_responses', 'api_keys',
      'erasures', 'forgotten_deletions', 'assistant_codes']) as relation
    union all values
      ('app.member_accounts FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE'),
      ('app.member_accounts UNIQUE (company_id, member_id)'),
      ('app.rewards UNIQUE (company_id, external_id)'),
      ('app.api_keys UNIQUE (key_hash)'),
      ('app.assistant_codes UNIQUE (code_hash)')
  $$,
  'No row refers to one of another company, or to one that is gone: each foreign key has the company, and each is in force at once'
);
select bag_eq(
  $$
    select i.indexrelid::regclass::text from pg_index as i
    join pg_class as c on c.oid = i.indrelid
    left join pg_attribute as a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
    where c.relnamespace = 'app'::regnamespace and a.attname is distinct from 'company_id'
  $$,
  $$ values ('app.companies_pkey'), ('app.cursor_key_pkey'), ('app.member_accounts_pkey'), ('app.api_keys_key_hash_key'), ('app.assistant_codes_code_hash_key'), ('app.members_email') $$,
  'Every index begins with company_id, except of the key of cursors, of keys that are unique in the whole service, and the look-up of an address in all companies'
);
select is_empty(
  $$
    select c.conrelid::regclass, c.conname from pg_constraint as c
    where c.connamespace = 'app'::regnamespace and c.contype = 'f'
      and not exists (
        select from pg_index as i
        where i.indrelid = c.conrelid and i.indpred is null and (i.indkey::smallint[])[0:cardinality(c.conkey) - 1] = c.conkey
      )
  $$,
  'Every foreign key has an index that begins with its columns, so that deleting what it refers to reads no whole table'
);
select bag_eq(
  $$
    select relname || '.' || attname from pg_attribute as a join pg_class as c on c.oid = a.attrelid
    where relnamespace = 'app'::regnamespace and relkind = 'r' and attnum > 0 and not attisdropped and not attnotnull
  $$,
  $$
    select format('%s.%s', relation, field)
    from (values
      ('companies', '{move_id,retention,fewest_people}'::text[]), ('members', '{team_id}'), ('kudos', '{sender_team_then_id,receiver_team_then_id}'),
      ('rewards', '{external_id,description,stock_count,image_url,vendor_name}'), ('day_ratings', '{comment,team_id,points_awarded}'),
      ('pulse_questions', '{response_type}'), ('pulse_responses', '{question_id,value}'), ('api_key_uses', '{last_used_at,last_endpoint,last_client,refused_at,refused_endpoint,refused_client,
        forbidden_at,forbidden_endpoint,forbidden_scope,forbidden_client,forbidden_reason,checked_at,checked_client,counted_on}'),
      ('api_keys', '{expires_at,revoked_at,revoked_by,replaced_by,assistant,assistant_address}'),
      ('api_key_events', '{member_id,member_name,reason,former_name,replaced_by,expires_at}')
    ) as nullable (relation, fields), unnest(fields) as field
  $$,
  -- Proves: member.2, kudos.2
  'These columns may be null, as the specification says, and no other'
);

select throws_ok(
  $$ insert into app.members (company_id, name, email) values (pg_temp.id('Acorn'), 'Other Ada', 'aDA@ACORN.example') $$, '23505', null,
  'An address is one member''s of a company, whatever its case'
);

-- Values

-- A trigger decides most of a new key. It is off, so that the constraints are tested.
alter table app.api_keys disable trigger user;
-- Valid rows, and the values at a limit and beyond it.
create temporary table valid_rows (relation text, fields jsonb);
insert into valid_rows values
  ('app.companies', '{"id": "00000000-0000-4000-8000-00000000000c", "name": "C", "default_language": "en", "created_at": "2026-01-01Z", '
    '"serving": "closed", "move_id": "00000000-0000-4000-8000-00000000000d"}'),
  ('app.teams', '{"name": "T"}'),
  ('app.members', '{"name": "M", "email": "m@c.example", "role": "employee", "is_former": false}'),
  ('app.category_names', '{"language": "fr", "name": "N"}'),
  ('app.kudos', '{"message": "M"}'),
  ('app.rewards', '{"name": "R", "points_cost": 1, "reward_type": "perk", "is_archived": false}'),
  ('app.day_ratings', '{"rating": 3}'),
  ('app.pulse_questions', '{"question": "Q"}'),
  ('app.pulse_responses', '{"comment": ""}'),
  ('app.erasures', jsonb_build_object('member_mark', sha256('M'), 'erased_at', now(), 'messages_blanked', true)),
  ('app.categories', '{"name": ""}'),
  ('app.assistant_codes', jsonb_build_object('code_hash', sha256('C'), 'assistant', 'A', 'scopes', array['read:members'],
    'key_expires_at', now(), 'bound_to', 'B', 'expires_at', now())),
  ('app.api_keys', jsonb_build_object('name', 'K', 'scopes', array['read:members'], 'key_hash', sha256('K'), 'hint', 'h', 'created_by', pg_temp.id('Ada of Acorn'))),
  ('app.api_key_events', '{"action": "created", "key_name": "K", "hint": "h", "scopes": ["read:members"], "member_name": "M"}');
update valid_rows set fields = jsonb_build_object(
    'company_id', pg_temp.id('Acorn'), 'id', gen_random_uuid(), 'created_at', now(), 'sender_id', pg_temp.id('Ada of Acorn'),
    'receiver_id', pg_temp.id('row'), 'changed_in', '3', 'category_id', pg_temp.id('row'), 'key_id', gen_random_uuid(),
    'member_id', pg_temp.id('Ada of Acorn')
  ) || fields || case relation when 'app.api_key_events' then '{"id": 0}' else '{}'::jsonb end;

create temporary table decisive_values (constraint_name text, relation text, field text, accepted jsonb, refused jsonb);
-- Texts have a maximum number of characters, whatever their bytes, and times are in the years 1 to 9999, in every
-- table.
insert into decisive_values
select format('%s_%s_length', relation, field), 'app.' || relation, field,
  case when minimum = 0 then jsonb_build_array('', repeat('ä', maximum)) else jsonb_build_array('x', repeat('ä', maximum)) end
    || case when may_be_null then jsonb_build_array(null) else '[]' end,
  jsonb_build_array(repeat('x', maximum + 1)) || case when minimum = 1 then jsonb_build_array('') else '[]' end
from (values
  ('companies', 'name', 1, 255, false), ('teams', 'name', 1, 255, false), ('members', 'name', 1, 255, false), ('members', 'role', 1, 50, false),
  ('category_names', 'name', 1, 255, false), ('kudos', 'message', 0, 10000, false), ('rewards', 'external_id', 1, 255, true),
  ('rewards', 'name', 1, 255, false), ('rewards', 'description', 0, 2000, true), ('rewards', 'reward_type', 1, 50, false),
  ('day_ratings', 'comment', 0, 10000, true), ('pulse_questions', 'question', 1, 2000, false), ('pulse_questions', 'response_type', 1, 50, true),
  ('pulse_responses', 'comment', 0, 10000, false), ('api_keys', 'name', 1, 100, false)
) as texts (relation, field, minimum, maximum, may_be_null)
union all
select relation || '_created_at_range', 'app.' || relation, 'created_at', '["0001-01-01Z", "9999-12-31 23:59:59.999999Z"]',
  '["0001-12-31 23:59:59.999999Z BC", "10000-01-01Z", "infinity", "-infinity"]'
from pg_temp.lists();
insert into decisive_values values
  ('companies_default_language_form', 'app.companies', 'default_language',
    '["de", "gsw", "pt-BR", "zh-Hant-TW", "de-1996"]', '["", "d", "DE", "deutsch", "de-", "de_DE", "de-x", "de\nen"]'),
  ('companies_serving_known', 'app.companies', 'serving', '["open", "moving", "readable", "closed"]', '["", "OPEN", "gone"]'),
  ('companies_serving_moved', 'app.companies', 'move_id', '["00000000-0000-4000-8000-00000000000d"]', '[null]'),
  ('companies_retention_length', 'app.companies', 'retention', '[null, "1 day", "2 years"]', '["0", "23 hours", "-1 day"]'),
  ('companies_fewest_people_range', 'app.companies', 'fewest_people', '[null, 2, 100]', '[-5, 0, 1, 101]'),
  ('members_email_form', 'app.members', 'email', json_build_array('a@b', repeat('a', 318) || '@b'),
    json_build_array('', 'a', '@', 'a@', '@b', 'a@b@c', 'a b@c', 'a@b c', e'a@b\n', repeat('a', 319) || '@b')),
  ('category_names_language_form', 'app.category_names', 'language', '["de", "pt-BR"]', '["", "DE", "de-", "de_DE"]'),
  ('assistant_codes_bound_to_length', 'app.assistant_codes', 'bound_to', jsonb_build_array(repeat('b', 3000)),
    jsonb_build_array(repeat('b', 3001))),
  ('erasures_member_mark_length', 'app.erasures', 'member_mark', json_build_array(sha256('x')), json_build_array('', '\x00')),
  ('rewards_points_cost_range', 'app.rewards', 'points_cost', '[0, 9007199254740991]', '[-1, 9007199254740992]'),
  ('rewards_stock_count_range', 'app.rewards', 'stock_count', '[null, 0, 2147483647]', '[-1]'),
  ('day_ratings_rating_range', 'app.day_ratings', 'rating', '[1, 5]', '[0, 6]'),
  ('day_ratings_points_awarded_range', 'app.day_ratings', 'points_awarded', '[null, 0]', '[-1]'),
  ('api_keys_scopes_known', 'app.api_keys', 'scopes', json_build_array(app.scopes(), array['write:rewards']),
    '[[], ["read:members", "read:everything"], ["read:members", null]]'),
  -- A whole key instead of its hash.
  ('api_keys_key_hash_length', 'app.api_keys', 'key_hash', json_build_array(sha256('x')), json_build_array(convert_to('sk_live_' || repeat('x', 38), 'UTF8'))),
  ('api_keys_revoked_by_whom', 'app.api_keys', 'revoked_by', '[null]', jsonb_build_array(pg_temp.id('Ada of Acorn'))),
  ('api_key_events_by_whom', 'app.api_key_events', 'member_id', jsonb_build_array(pg_temp.id('Ada of Acorn')), '[null]'),
  ('api_key_events_by_whom', 'app.api_key_events', 'reason', '[null]', '["found in a chat"]'),
  ('api_key_events_action_known', 'app.api_key_events', 'action', '["created", "replaced", "renamed", "revoked"]', '["", "Created", "deleted"]');

-- The outcome for a row: `inserted`, or the constraint that refuses it. The row is not kept.
create function pg_temp.outcome(relation text, fields jsonb) returns text language plpgsql as $$
declare
  refusing text;
begin
  execute format('insert into %1$s overriding system value select * from jsonb_populate_record(null::%1$s, $1)', relation) using fields;
  raise exception using errcode = 'P0000';
exception
  when sqlstate 'P0000' then return 'inserted';
  when others then
    get stacked diagnostics refusing = constraint_name;
    return coalesce(nullif(refusing, ''), sqlerrm);
end
$$;

select is_empty(
  $$
    select d.constraint_name, left(tried.value::text, 40), tried.expected, outcome
    from decisive_values as d
    join valid_rows as v using (relation)
    cross join lateral (
      select value, 'inserted' as expected from jsonb_array_elements(d.accepted) as value
      union all
      select value, d.constraint_name from jsonb_array_elements(d.refused) as value
    ) as tried
    cross join lateral pg_temp.outcome(d.relation, v.fields || jsonb_build_object(d.field, tried.value)) as outcome
    where outcome <> expected
  $$,
  -- Proves: rating.2
  'What the check constraints allow is accepted, up to their limits, and all else refused, each by its constraint'
);
select is_empty(
  $$
    select conrelid::regclass, conname from pg_constraint
    where connamespace = 'app'::regnamespace and contype = 'c' and not (convalidated and conname in (select constraint_name from decisive_values))
  $$,
  'Every check constraint is in force for all rows, and among those that were tried'
);
rollback;
