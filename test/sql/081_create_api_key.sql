-- public.create_api_key: who may create keys, what a key consists of, and what the caller cannot choose. Format, checksum
-- and hash of keys are tested on a thousand of them (test/sql/api_key_vectors.test.ts), who may call it and which
-- columns an admin may write in 020_who_may_do_what.sql.
begin;
\ir helpers.psql
select plan(15);

select pg_temp.meet();

-- Create

create temporary table made as select pg_temp.done_by('Ada', 'select public.create_api_key(''Warehouse'')')::json as key;
select is(got, wanted, parts.name)
from made join app.api_keys as stored on stored.id::text = key ->> 'id', lateral (values
  ((select array_agg(field) from json_object_keys(key) as field), array['id', 'name', 'api_key', 'hint', 'scopes', 'created_at', 'expires_at'],
    -- Proves: keys.7
    'A new key is answered with id, name, the key itself, hint, scopes, created_at and expires_at'),
  -- Proves: authentication.8, keys.20, risk.6
  (stored.scopes, '{read:members,read:activity}', 'A key gets the scopes read:members and read:activity by default'),
  -- Proves: keys.37
  (array[key ->> 'created_at', key ->> 'expires_at'], array[app.iso_8601(now()), null], 'A key is created now and does not expire by default'),
  (array[stored.company_id, stored.created_by, stored.id]::text[], array[pg_temp.id('Acorn')::text, pg_temp.id('Ada of Acorn')::text, key ->> 'id'],
    -- Proves: keys.17, keys.28
    'A key belongs to its creator''s company and names its creator'),
  -- Proves: keys.9
  (array[current_setting('app.new_api_key')], array[''], 'After its creation a key stands in no setting of the transaction')
) as parts (got, wanted, name);
select is(pg_temp.done_by('Ada', format('select public.create_api_key(%s', call)), answer, name)
from (values
  ($$ 'All', array['write:rewards', 'read:analytics', 'read:rewards', 'read:activity', 'read:members']) ->> 'scopes' $$,
    array_to_json(app.scopes())::text, 'Scopes are kept in the order in which they are always shown'),
  ($$ repeat('ä', 100), array['read:rewards'], '2999-12-31 23:00:00.5-01') ->> 'expires_at' $$, '3000-01-01T00:00:00.500000Z',
    -- Proves: keys.37
    'A key may have an expiry, and its name 100 characters')
) as calls (call, answer, name);

-- Bad arguments

select is(array(select call from unnest(calls) as call where pg_temp.done_by('Ada', 'select public.' || call) <> 'PT400 ' || words), '{}', name)
from (values
  (array(select format('create_api_key(%L)', name) from unnest(array[null, '', e' \u200b', repeat('x', 101)]) as name),
    'name must be a text of 1 to 100 characters | name',
    -- Proves: keys.19
    'A name that is missing, empty, nothing but white space or too long is refused with PT400, which names the field'),
  (array[format('create_api_key(%L)', e'Power\u200bBI'), format('rename_api_key(%L, %L)', gen_random_uuid(), e'Power\tBI')],
    'name must be a text without control characters, direction marks and invisible characters | name',
    'A name with a control character, a direction mark or an invisible character is refused, for a new key and for a new name'),
  (array(select format('create_api_key(''Key'', %L)', scopes) from unnest(array[null, '{}', '{read:members,read:members}', '{read:everything}',
      '{read:members,read:everything}', '{read:members,NULL}', '{Read:Members}', '{""}', '{{read:members}}', '{{read:members},{read:activity}}']) as scopes),
    'scopes must be one or more of read:members, read:activity, read:rewards, read:analytics, write:rewards, each once | scopes',
    -- Proves: keys.19
    'Scopes that are missing, empty, unknown, null, nested or there twice are refused with PT400, which lists the scopes'),
  (array(select format('create_api_key(''Key'', expires_at => %L)', expiry)
      from unnest(array[now()::text, '2020-01-01Z', '-infinity', 'infinity', '10000-01-01Z']) as expiry),
    'expires_at must be in the future, before the year 10000 | expires_at',
    -- Proves: keys.19
    'An expiry that has passed or lies past the year 9999 is refused with PT400')
) as refused (calls, words, name);
-- What nobody can choose

-- As postgres, while Ada is signed in.
select pg_temp.sign_in('Ada');
insert into app.api_keys (company_id, id, name, scopes, key_hash, hint, created_by, created_at, revoked_at, revoked_by)
values (pg_temp.id('Birch'), pg_temp.id('chosen'), 'Chosen', '{read:members}', sha256('chosen'), 'chosen', pg_temp.id('Ben of Birch'),
  '2020-01-01Z', '2020-01-01Z', pg_temp.id('Ben of Birch'));
select results_eq(
  $$
    select company_id, id = pg_temp.id('chosen'), key_hash = sha256('chosen'), hint = 'chosen', created_by, created_at, revoked_at, revoked_by
    from app.api_keys where name = 'Chosen'
  $$,
  $$ values (pg_temp.id('Acorn'), false, false, false, pg_temp.id('Ada of Acorn'), now(), null::timestamptz, null::uuid) $$,
  -- Proves: keys.10
  'The trigger decides everything but name, scopes and expiry, whoever inserts'
);
select set_config('request.jwt.claims', '', true);
select throws_ok(
  $$ insert into app.api_keys (company_id, name, scopes, key_hash, hint, created_by)
     values (pg_temp.id('Acorn'), 'Nobody''s', '{read:members}', sha256('x'), 'x', pg_temp.id('Ada of Acorn')) $$,
  '23502', null,
  'Without an admin who is signed in no key can be made, not by postgres either'
);

-- The key itself is stored nowhere

-- Every table with a row that contains this text, as characters or as bytes.
create function pg_temp.tables_with(secret text) returns setof regclass language plpgsql as $$
declare
  relation regclass;
begin
  for relation in select c.oid from pg_class as c where c.relkind = 'r' and c.relnamespace::regnamespace::text in ('app', 'staging', 'auth') loop
    return query execute format('select %L::regclass from %1$s as t where t::text ~ %L limit 1', relation, concat_ws('|', secret, encode(secret::bytea, 'hex')));
  end loop;
end
$$;
select set_eq(
  $$ select pg_temp.tables_with('Warehouse') $$, $$ values ('app.api_keys'::regclass), ('app.api_key_events') $$,
  'The search below finds what is there: the name of a key stands with the key and in the history'
);
select is_empty(
  -- Proves: key.2, authentication.2, keys.9, keys.11, keys.13, risk.2
  $$ select pg_temp.tables_with(substr(key ->> 'api_key', 9, 32)) from made $$, 'Neither a key nor its random part stands in any column of any table'
);
rollback;
