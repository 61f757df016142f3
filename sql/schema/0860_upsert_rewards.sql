-- POST /rewards (docs/api.md, Import): creates or updates rewards, matched on external_id, all or nothing.
--
-- rewards is a JSON array of rows that the Edge Function has checked: external_id, name, points_cost, and description
-- and reward_type if the caller sent them. It is text, because text reaches PostgreSQL unchanged through every Data
-- API.
--
-- One statement writes the rows, sorted: so imports that send the same ids in different orders lock them in the same
-- order and cannot deadlock. A row that changes nothing gets no new version, but it is locked, so that of two imports
-- of the same rows one waits for the other.

create function public.upsert_rewards(key_hash text, rewards text) returns json
language plpgsql volatile security definer
set search_path = ''
set jit = off
set lock_timeout = '5s'
set statement_timeout = '7s'
as $$
declare
  api_key app.verified_key;
  sent constant jsonb := rewards::jsonb;
  -- The external_ids of the rows that were sent without an optional field, as the keys of an object. An update of such a row keeps the field.
  without_description jsonb;
  without_reward_type jsonb;
begin
  if not row_security_active('app.rewards'::regclass) then
    perform app.refuse_without_row_security();
  end if;
  api_key := app.authenticate(key_hash, 'write:rewards');
  -- The platform makes read-only the default when a disk is nearly full. PostgREST begins this transaction as read write
  -- all the same, so that the rows would be written.
  if current_setting('default_transaction_read_only')::boolean then
    raise exception using errcode = 'read_only_sql_transaction', message = 'the database is read-only';
  end if;

  select
    coalesce(jsonb_object_agg(reward.fields ->> 'external_id', true) filter (where not reward.fields ? 'description'), '{}'),
    coalesce(jsonb_object_agg(reward.fields ->> 'external_id', true) filter (where not reward.fields ? 'reward_type'), '{}')
  into without_description, without_reward_type
  from jsonb_array_elements(sent) as reward (fields);

  insert into app.rewards as reward (company_id, external_id, name, description, points_cost, reward_type)
  select
    api_key.company_id,
    sent_reward.external_id,
    sent_reward.name,
    sent_reward.description,
    sent_reward.points_cost,
    coalesce(sent_reward.reward_type, 'perk')
  from jsonb_to_recordset(sent)
    as sent_reward (external_id text, name text, description text, points_cost bigint, reward_type text)
  order by sent_reward.external_id collate "C"
  on conflict (company_id, external_id) do update set
    name = excluded.name,
    points_cost = excluded.points_cost,
    description = case when without_description ? excluded.external_id then reward.description else excluded.description end,
    reward_type = case when without_reward_type ? excluded.external_id then reward.reward_type else excluded.reward_type end
  where (reward.name, reward.points_cost) is distinct from (excluded.name, excluded.points_cost)
    or (reward.description is distinct from excluded.description and not without_description ? excluded.external_id)
    or (reward.reward_type is distinct from excluded.reward_type and not without_reward_type ? excluded.external_id);

  return app.respond(api_key.key_id, api_key.company_id, format('{"imported":%s}', jsonb_array_length(sent))::json);
end
$$;

-- Owned by public_api, so that the policies bind it; to be called with the project's secret key only.
grant create on schema public to public_api;
alter function public.upsert_rewards owner to public_api;
revoke create on schema public from public_api;
revoke all on function public.upsert_rewards from public, anon, authenticated;
grant execute on function public.upsert_rewards to service_role;
comment on function public.upsert_rewards is
  'Creates or updates rewards of the key''s company by external_id: { imported }. write:rewards. PT401, PT403, PT429; 25006 while the database is read-only.';
