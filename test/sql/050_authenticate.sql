-- app.authenticate: which keys pass, for which scopes, what a refusal contains, and what is set and recorded for a key
-- that passes; and what the keys and admins of a company can still do here that is moving to another project or has moved
-- (docs/operate/move-a-company.md).
begin;
\ir helpers.psql
select plan(72);

select pg_temp.new_company(company) from unnest(array['Acorn', 'Birch']) as company;
create temporary table keys as
select name, pg_temp.make_key('Acorn user', name, scopes, expires_at) as id, scopes
from (values
  ('members', array['read:members'], null::timestamptz), ('import', '{write:rewards}', null), ('revoked', '{read:members}', null),
  ('over', '{read:members}', now() - interval '1 day'), ('over now', '{read:members}', now()),
  ('over soon', '{read:members}', now() + interval '1 microsecond')
) as made (name, scopes, expires_at);
update app.api_keys set revoked_at = now() where id = (select id from keys where name = 'revoked');
grant select on keys to service_role;

create function pg_temp.hash_of(key text) returns text language sql stable security definer
return (select encode(k.key_hash, 'hex') from app.api_keys as k where k.name = key and k.company_id in (pg_temp.id('Acorn'), pg_temp.id('Birch')));

-- The code, message and detail of a call's error in one text, or `passes`.
create function pg_temp.outcome(call text, hash text) returns text language plpgsql as $$
declare
  detail text;
begin
  execute 'select ' || call using hash;
  return 'passes';
exception
  when others then
    get stacked diagnostics detail = pg_exception_detail;
    return concat_ws(' | ', sqlstate || ' ' || sqlerrm, nullif(detail, ''));
end
$$;

-- Moved

-- What a call with this key brings in this state of Acorn: `passes`, or the error.
create function pg_temp.moved(state text, call text, hash text) returns text language sql
begin atomic
  update app.companies set serving = state, move_id = pg_temp.id('move') where id = pg_temp.id('Acorn');
  select split_part(pg_temp.outcome('public.' || call, hash), ' | ', 1);
end;
select is(pg_temp.moved(state, call, pg_temp.hash_of(key)), outcome, name)
from (values
  ('moving', 'list_rewards($1, 10)', 'Acorn key', 'passes', 'While a company moves, its keys read'),
  ('moving', $$ upsert_rewards($1, '[]') $$, 'Acorn key', 'PT429 the company is moving to another project',
    'While a company moves, an import is refused for now'),
  ('closed', 'list_rewards($1, 10)', 'Acorn key', 'PT401 Unauthorized: Invalid or missing API Key',
    'The keys of a company that was closed are refused with PT401'),
  ('closed', $$ upsert_rewards($1, '[]') $$, 'Birch key', 'passes', 'Another company goes on as before'),
  ('readable', 'list_rewards($1, 10)', 'Acorn key', 'passes', 'The keys of a company that was left readable read'),
  ('readable', $$ upsert_rewards($1, '[]') $$, 'Acorn key', 'PT403 Forbidden: this key is missing the "write:rewards" scope',
    'The keys of a company that was left readable have lost the scope to write')
) as tries (state, call, key, outcome, name);
select is(
  public.verify_api_key(pg_temp.key('Acorn')) ->> 'scopes', '["read:members","read:activity","read:rewards","read:analytics"]',
  'GET / lists the scopes of these keys without write:rewards'
);
select is_empty(
  $$ select from app.api_keys as k join app.api_key_uses as u on u.key_id = k.id
     where k.company_id = pg_temp.id('Acorn') and (u.last_used_at is not null or (k.revoked_at is not null) <> (k.name = 'revoked')) $$,
  'None of these calls has recorded a use, or a revoke'
);
-- Its admins, where it was left readable
select pg_temp.hire(company, 'Sam', 'sam@both.example', 'admin') from unnest(array['Acorn', 'Birch']) as company;
select pg_temp.sign_up('Sam', 'sam@both.example');
select is(pg_temp.done_by(person, 'select public.' || call), outcome, name)
from (values
  ('Acorn user', 'list_api_keys()', '[]', 'The admin of a company that has moved sees no key here, where revoking it would have no effect'),
  ('Sam', $$ link_member() ->> 'company_name' $$, 'Birch', 'A person who is listed by a company that has moved and by another one is linked to the other one')
) as tries (person, call, outcome, name);
update app.companies set serving = 'open', move_id = null where id = pg_temp.id('Acorn');
select pg_temp.sign_in('Acorn user'), set_config('app.company_id', '', true);

-- Refused. All keys that are refused with 401 get the same answer. The detail names a known key, for the log.

select is(
  pg_temp.outcome(format('app.authenticate($1, %L)', scope), hash),
  concat_ws(' | ',
    case status when 401 then 'PT401 Unauthorized: Invalid or missing API Key' else format('PT403 Forbidden: this key is missing the "%s" scope', scope) end,
    (select json_build_object('key_id', id, 'company_id', pg_temp.id('Acorn')) from keys where pg_temp.hash_of(keys.name) = hash)),
  refused.name
)
from (values
  (401, repeat('0', 64), 'read:members', 'An unknown key is refused with PT401'),
  -- Proves: keys.38
  (401, pg_temp.hash_of('over now'), 'read:members', 'A key is refused with PT401 from the instant of its expiry on'),
  (401, pg_temp.hash_of('revoked'), 'write:rewards',
    'A revoked key is refused with PT401 in the instant of its revoke, also without the scope: the answer says nothing about scopes'),
  (403, pg_temp.hash_of('members'), 'write:rewards', 'A key without the scope is refused with PT403, which names the scope, and for the log key and company'),
  -- Proves: authentication.13
  (403, pg_temp.hash_of('import'), 'read:rewards', 'Writing rewards does not include reading them')
) as refused (status, hash, scope, name);
select is(app.current_company_id(), null, 'After a refusal no company is set');
select is_empty(
  'select key_id from app.api_key_uses where key_id in (select id from keys) and last_used_at is not null',
  -- Proves: keys.36
  'A refusal records no use, of a key without the scope, a revoked or an expired one'
);

-- Passed

select results_eq(
  $$
    select key, verified.company_id, verified.scopes, app.current_company_id()
    from (values ('members', 'read:members'), ('members', null), ('over soon', 'read:members'), ('Birch key', 'read:members')) as calls (key, scope)
    cross join lateral app.authenticate(pg_temp.hash_of(key), scope) as verified
    left join keys on keys.name = key
    where verified.key_name = key and verified.key_id is not distinct from coalesce(keys.id, verified.key_id)
  $$,
  $$ values
    ('members', pg_temp.id('Acorn'), array['read:members'], pg_temp.id('Acorn')),
    ('members', pg_temp.id('Acorn'), array['read:members'], pg_temp.id('Acorn')),
    ('over soon', pg_temp.id('Acorn'), array['read:members'], pg_temp.id('Acorn')),
    ('Birch key', pg_temp.id('Birch'), app.scopes(), pg_temp.id('Birch')) $$,
  'A key passes for its scope, for none, and until the instant of its expiry; it is named, and its company is that of the transaction'
);
select is(
  (select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()), 2::bigint,
  'However often a transaction authenticates, and with however many keys, it takes one slot of each company'
);
-- What happens when they are taken is tested in test/serial/locks.test.ts.
select is(
  public.verify_api_key(pg_temp.hash_of('members')) ->> 'requests_at_once', '4', 'Who verifies a key is told that a company may have four requests under way'
);

-- Scopes: every function with every kind of key

create temporary table calls (call text, scope text);
-- The scope that the specification's table of endpoints requires.
insert into calls values
  ('list_members($1, 100)', 'read:members'),
  ('list_teams($1, 100)', 'read:members'),
  ('list_activity($1, 100)', 'read:activity'),
  ('list_categories($1, 100)', 'read:activity'),
  ('list_rewards($1, 100)', 'read:rewards'),
  ('list_day_ratings($1, 100)', 'read:analytics'),
  ('list_pulse_responses($1, 100)', 'read:analytics');
insert into calls
select format('list_changes($1, %L, 100, ''start'')', replace(substring(call from 'list_(\w+)'), '_', '-')), scope from calls
union all values
  ('count_activity($1, ''{month}'')', 'read:activity'),
  ('average_day_ratings($1, ''{month}'')', 'read:analytics'),
  ('upsert_rewards($1, ''[{"external_id": "mug", "name": "Mug", "points_cost": 1}]'')', 'write:rewards'),
  ('verify_api_key($1, ''read:rewards'')', 'read:rewards'),
  ('verify_api_key($1)', null);
-- For each scope: a key with all the others.
insert into keys
select scope, pg_temp.make_key('Acorn user', scope, array_remove(app.scopes(), scope)), array_remove(app.scopes(), scope) from unnest(app.scopes()) as scope;
grant select on calls to service_role;

-- Acting as the project's secret key.
set local role service_role;
select is_empty(
  $$
    select call, name, outcome
    from calls, keys, lateral (select left(pg_temp.outcome('public.' || call, pg_temp.hash_of(name)), 6) as outcome) as tried
    where name ~ ':' and outcome <> case name when scope then 'PT403 ' else 'passes' end
  $$,
  'Every function passes each key that has its scope, and refuses one that has all others with PT403'
);
select is_empty(
  $$
    select call, hash from calls, (values (null), (''), (repeat('0', 64)), (pg_temp.hash_of('revoked')), (pg_temp.hash_of('over'))) as bad (hash)
    where pg_temp.outcome('public.' || call, hash) !~ '^PT401'
  $$,
  -- Proves: actor.5
  'Every function refuses no key, and an empty, unknown, revoked or expired one with PT401'
);
reset role;

-- Uses: when a key was last used, and what is recorded beside it. The Edge Function tells it in headers of its call.

create function pg_temp.says(headers text) returns void language sql
return set_config('request.headers', headers, true);
-- What is recorded of the key `members` after a use: whether it counts, endpoint and program, the days, and who checked.
create function pg_temp.use_after(
  headers text, days integer[], used_before interval, endpoint_before text default null, checked_before interval default null, scope text default null
) returns text language plpgsql as $$
declare
  members uuid := (select id from keys where name = 'members');
begin
  update app.api_key_uses set last_used_at = now() - used_before, last_endpoint = endpoint_before, last_client = endpoint_before,
    used_on = array(select (now() at time zone 'UTC')::date + day from unnest(days) as day),
    checked_at = now() - checked_before, checked_client = 'before'
  where key_id = members;
  perform pg_temp.says(headers);
  perform public.verify_api_key(pg_temp.hash_of('members'), scope);
  return replace(
    (select concat_ws(' ', u.last_used_at = now(), u.last_endpoint, u.last_client,
       array(select day - (now() at time zone 'UTC')::date from unnest(u.used_on) as day), case u.checked_at when now() then u.checked_client end)
     from app.api_key_uses as u where u.key_id = members), ',', ' ');
end
$$;
select is(pg_temp.use_after(headers, days, used_before, scope => 'read:members'), use, name)
from (values
  ('{"x-endpoint": "GET /activity", "x-client": "curl/8.5.0", "apikey": "secret"}', '{-3,-1}'::integer[], interval '1 day',
    't GET /activity curl/8.5.0 {-3 -1 0}', 'A use records the endpoint, the program and the day'),
  ('{"x-endpoint": "GET /activity"}', '{0}', '61 seconds', 't GET /activity {0}',
    -- Proves: keys.32
    'A use more than a minute after the last one is recorded; it adds no day that is there, and no program stays of the first'),
  -- Proves: keys.32
  ('{"x-endpoint": "GET /activity"}', '{-1}', '59 seconds', 'f {-1}', 'Within a minute of the last one nothing is recorded'),
  ('{}', '{}', null, 't {0}', 'The first use of a key is recorded'),
  ('{}', '{}', '-1 hour', 't {0}', 'A last use in the future, of a clock that was wrong, is corrected by the next one'),
  ('{}', '{-40,-30,-29,2}', '1 day', 't {-29 0}', 'Days that are not among the last 30, or are in the future, are forgotten'),
  ('{"x-endpoint": "GET /", "x-quick-check": "true"}', '{-1}', '1 day', 'f {-1}', 'An admin''s quick check is no use')
) as uses (headers, days, used_before, use, name);

-- By UTC, whatever the zone of the session: in one of these two it is another day.
set local timezone = 'Pacific/Kiritimati';
select is(pg_temp.use_after('{}', '{}', '1 day'), 't {0}', 'A use records the day in UTC, also where it is tomorrow');
set local timezone = 'Etc/GMT+12';
select is(pg_temp.use_after('{}', '{}', '1 day'), 't {0}', 'also where it is yesterday');
reset timezone;
-- The platform makes transactions read-only by default when a disk is nearly full; the Data API begins a POST as read write
-- whatever the default is.
set local default_transaction_read_only = on;
-- Proves: keys.34
select is(pg_temp.use_after('{}', '{}', '1 hour'), 'f {}', 'No use is recorded while the default is read-only, and the key passes');
set local default_transaction_read_only = off;

-- Within a minute, each note has a place of its own, and any endpoint takes that of GET /.
select is(pg_temp.use_after(headers, '{0}', used_before, before, checked_before, scope), notes, name)
from (values
  ('GET /', interval '30 seconds', null::interval, 'read:members', '{"x-endpoint": "GET /members", "x-client": "node"}', 't GET /members node {0}',
    'An endpoint takes the minute from GET /'),
  ('GET /', '30 seconds', null, null, '{"x-endpoint": "POST /mcp", "x-client": "node"}', 't POST /mcp node {0}', 'also one that needs no scope'),
  ('GET /members', '30 seconds', null, null, '{"x-endpoint": "GET /", "x-client": "node"}', 'f GET /members GET /members {0}',
    'GET / takes the minute from no other endpoint'),
  ('GET /', '30 seconds', null, null, '{"x-endpoint": "GET /", "x-client": "node"}', 'f GET / GET / {0}', 'nor from itself'),
  ('GET /', '1 hour', null, null, '{"x-endpoint": "GET /", "x-client": "node"}', 't GET / node {0}', 'and is recorded after a minute'),
  ('GET /members', '30 seconds', '30 seconds', 'read:members', '{"x-endpoint": "GET /teams", "x-client": "node"}', 'f GET /members GET /members {0}',
    'Two other endpoints share a minute'),
  ('GET /members', '30 seconds', '1 hour', null, '{"x-endpoint": "GET /", "x-client": "Firefox", "x-quick-check": "true"}',
    'f GET /members GET /members {0} Firefox', 'A quick check is noted as one, also within the minute of a use'),
  ('GET /members', '1 hour', '30 seconds', null, '{"x-endpoint": "GET /", "x-client": "Firefox", "x-quick-check": "true"}',
    'f GET /members GET /members {0}', 'at most once a minute'),
  ('GET /members', '1 hour', '-1 hour', null, '{"x-endpoint": "GET /", "x-client": "Firefox", "x-quick-check": "true"}',
    'f GET /members GET /members {0} Firefox', 'and corrects one in the future')
) as noted (before, used_before, checked_before, scope, headers, notes, name);

-- Refused uses: of dead keys, and of good keys that lack a scope.

-- What the note of a refused use returns, and the key and what is noted now. `ago` is when the last one was noted.
create function pg_temp.refused_use(
  hash text, missing text default null, ago interval default null, endpoint_before text default null, endpoint text default 'GET /teams'
) returns text language plpgsql as $$
declare
  noted boolean;
begin
  update app.api_key_uses set refused_at = now() - ago, refused_endpoint = endpoint_before, refused_client = null,
    forbidden_at = now() - ago, forbidden_endpoint = endpoint_before;
  perform pg_temp.says(json_build_object('x-endpoint', endpoint, 'x-client', 'node')::text);
  set local role service_role;
  noted := public.note_refused_use(hash, missing)::text;
  reset role;
  return noted || coalesce(
    (select string_agg(concat_ws(' ', '', k.name, case now()
       when u.refused_at then concat_ws(' ', u.refused_endpoint, u.refused_client)
       else concat_ws(' ', u.forbidden_endpoint, 'lacks', u.forbidden_scope, u.forbidden_client) end), ',' order by k.name)
     from app.api_key_uses as u join app.api_keys as k on k.id = u.key_id where now() in (u.refused_at, u.forbidden_at)), ''
  );
end
$$;
select is(pg_temp.refused_use(pg_temp.hash_of(key), missing, ago), noted, name)
from (values
  ('members', 'read:rewards', null::interval, 'true members GET /teams lacks read:rewards node',
    'The refused use of a key that lacks a scope is recorded, with endpoint, scope and program'),
  ('members', 'read:rewards', '61 seconds', 'true members GET /teams lacks read:rewards node', 'and again a minute after the last one'),
  ('members', 'read:rewards', '59 seconds', 'false', 'Within a minute it is not'),
  ('members', 'read:members', null, 'false', 'Nothing is recorded for a scope that the key has'),
  ('revoked', 'read:rewards', null, 'false', 'Nothing is recorded of a dead key that lacks a scope'),
  ('revoked', null, null, 'true revoked GET /teams node', 'The refused use of a revoked key is recorded, with endpoint and program'),
  ('over', null, '61 seconds', 'true over GET /teams node', 'That of an expired key too, a minute after the last one'),
  ('over', null, '59 seconds', 'false', 'Within a minute of the last one it is not'),
  ('over', null, '-1 hour', 'true over GET /teams node', 'One in the future, of a clock that was wrong, is corrected'),
  ('members', null, null, 'false', 'Nothing is recorded of a key that works')
) as refused (key, missing, ago, noted, name);
select is(pg_temp.refused_use(repeat('0', 64)), 'false', 'Nothing is recorded of an unknown key');
select is(
  pg_temp.refused_use(pg_temp.hash_of('members'), 'read:rewards') || (
    select concat_ws(' ', '', k ->> 'name', k ->> 'forbidden_at' = app.iso_8601(now()), k ->> 'forbidden_endpoint', k ->> 'forbidden_scope', k ->> 'forbidden_client',
      k ->> 'checked_at' = app.iso_8601(now()), k ->> 'checked_client')
    from json_array_elements(pg_temp.done_by('Acorn user', 'select public.list_api_keys()')::json) as k where k ->> 'name' = 'members'
  ),
  'true members GET /teams lacks read:rewards node members t GET /teams read:rewards node t Firefox', 'Admins see it, and quick checks'
);

-- A refused import of a good key, until the next import.

create function pg_temp.wrong_import(key text, why text, ago interval, reason_before text) returns text language plpgsql as $$
begin
  update app.api_key_uses set forbidden_at = now() - ago, forbidden_endpoint = 'POST /rewards', forbidden_reason = reason_before;
  perform pg_temp.says('{"x-endpoint": "POST /rewards", "x-client": "node"}');
  set local role service_role;
  perform public.note_refused_use(pg_temp.hash_of(key), reason => why);
  reset role;
  return (select concat_ws(' ', u.forbidden_at = now(), u.forbidden_scope, u.forbidden_reason) from app.api_key_uses as u join keys on keys.id = u.key_id where keys.name = key);
end
$$;
select is(pg_temp.wrong_import(key, why, ago, before), noted, name)
from (values
  ('import', 'name must be text', null::interval, null, 't name must be text', 'What was wrong with an import is recorded'),
  ('import', 'name must be text', '59 seconds', 'row must be an object', 'f row must be an object', 'Within a minute it is not'),
  ('import', 'name must be text', '59 seconds', null, 't name must be text', 'but after an import that took away the reason'),
  ('revoked', 'name must be text', null, null, '', 'Nothing is recorded of a dead key')
) as wrong (key, why, ago, before, noted, name);
create function pg_temp.reason_after(endpoint text) returns text language plpgsql as $$
begin
  perform pg_temp.wrong_import('members', 'name must be text', null, null);
  perform pg_temp.use_after(json_build_object('x-endpoint', endpoint)::text, '{}', '61 seconds');
  return (select u.forbidden_reason from app.api_key_uses as u join keys on keys.id = u.key_id where keys.name = 'members');
end
$$;
select is(pg_temp.reason_after('GET /rewards'), 'name must be text', 'It stays while the key reads');
select is(pg_temp.reason_after('POST /rewards'), null, 'and until the next import');

-- The days of a key: how many notes of answers and of refusals, as admins see them. Of the days that have any: how many days ago,
-- answers, refusals.
create function pg_temp.days_of(key text, counted integer default null) returns text language plpgsql as $$
begin
  if counted is not null then
    update app.api_key_uses as u set counted_on = (now() at time zone 'UTC')::date - counted,
      answers = array_fill(2, array[30]), refusals = array_fill(0, array[30])
    from keys where keys.id = u.key_id and keys.name = key;
  end if;
  perform pg_temp.refused_use(pg_temp.hash_of(key), 'read:rewards');
  perform pg_temp.use_after('{"x-endpoint": "GET /"}', '{}', null);
  perform pg_temp.use_after('{"x-endpoint": "GET /teams"}', '{}', '30 seconds', 'GET /');
  perform pg_temp.use_after('{"x-endpoint": "GET /teams"}', '{}', '30 seconds', 'GET /teams');
  return (
    select string_agg(concat_ws(' ', 30 - day, k -> 'answers' ->> (day - 1)::integer, k -> 'refusals' ->> (day - 1)::integer), ', ' order by day)
    from json_array_elements(pg_temp.done_by('Acorn user', 'select public.list_api_keys()')::json) as k, generate_series(1, 30) as day
    where k ->> 'name' = key and (k -> 'answers' ->> (day - 1)::integer <> '0' or k -> 'refusals' ->> (day - 1)::integer <> '0')
  );
end
$$;
update app.api_key_uses set answers = default, refusals = default, counted_on = null;
select is(pg_temp.days_of('members', days), counts, name)
from (values
  (null::integer, '0 1 1',
    -- Proves: lifecycle.11
    'A note of an answer counts on its day, and one of a refusal apart; what takes the minute of GET / counts once'),
  (0, '29 2 0, ' || (select string_agg(format('%s 2 0', 29 - n), ', ' order by n) from generate_series(1, 28) as n) || ', 0 3 1', 'Others of the day are added'),
  (27, '29 2 0, 28 2 0, 27 2 0, 0 1 1', 'Days without a note have none, and older ones are forgotten in the same write'),
  (-1, '29 2 0, ' || (select string_agg(format('%s 2 0', 29 - n), ', ' order by n) from generate_series(1, 28) as n) || ', 0 3 1',
    'A last day in the future, of a clock that was wrong, is today')
) as counted (days, counts, name);
update app.api_key_uses set answers = array_fill(2, array[30]), counted_on = (now() at time zone 'UTC')::date - 28
where key_id = (select id from keys where name = 'revoked');
select is(
  (select k ->> 'answers' from json_array_elements(pg_temp.done_by('Acorn user', 'select public.list_api_keys()')::json) as k where k ->> 'name' = 'revoked'),
  '[2,2' || repeat(',0', 28) || ']', 'A key that is called no more shows the days up to today'
);

select is(pg_temp.refused_use(pg_temp.hash_of('revoked'), null, '30 seconds', before, endpoint), noted, name)
from (values
  ('GET /', 'GET /teams', 'true revoked GET /teams node', 'A refused endpoint takes the minute from GET /'),
  ('GET /teams', 'GET /', 'false', 'A refused GET / takes the minute from no other endpoint'),
  ('GET /', 'GET /', 'false', 'nor from itself')
) as refused (before, endpoint, noted, name);
set local default_transaction_read_only = on;
select is(pg_temp.refused_use(pg_temp.hash_of('revoked')), 'false', 'Nothing is recorded while the default is read-only');
set local default_transaction_read_only = off;
update app.companies set serving = 'closed', move_id = gen_random_uuid() where id = pg_temp.id('Acorn');
select is(pg_temp.refused_use(pg_temp.hash_of('revoked')), 'false', 'Nothing is recorded where the company is not served');
update app.companies set serving = 'open', move_id = null where id = pg_temp.id('Acorn');

set local default_transaction_read_only = on;
select is_empty(
  $$ select call from calls where call ~ '^list_' and pg_temp.outcome('public.' || call, pg_temp.key('Acorn')) <> 'passes' $$,
  -- Proves: keys.34
  'Every list is answered while the default is read-only'
);
set local transaction_read_only = on;
select lives_ok($$ select public.verify_api_key(pg_temp.hash_of('import')) $$, 'A key passes in a transaction that is read-only by default');
set local default_transaction_read_only = off;
select throws_ok(
  $$ select public.verify_api_key(pg_temp.hash_of('import')) $$, '25006', null,
  'A transaction that alone is read-only, as a GET''s, is refused: the use of the key has to be recorded'
);
rollback;
