-- POST /rewards (docs/api.md, Import): creates or updates rewards, matched on external_id, all or nothing.
--
-- rewards is a JSON array of rows that the Edge Function has checked: external_id, name, points_cost, and of the other
-- fields those that the caller sent. It is text, because text reaches PostgreSQL unchanged through every Data API.
--
-- One statement writes the rows, sorted: so imports that send the same ids in different orders lock them in the same
-- order and cannot deadlock. A row that changes nothing gets no new version, but it is locked, so that of two imports
-- of the same rows one waits for the other.
--
-- A dry run writes the rows in the same way, counts, and takes everything back: what it says is what the import would do.

create function public.upsert_rewards(key_hash text, rewards text, dry_run boolean default false) returns app."application/json"
language plpgsql volatile security definer set search_path = ''
as $$
declare
  api_key app.verified_key;
  sent constant jsonb := rewards::jsonb;
  -- The rows by external_id. An update keeps the fields that were not sent.
  by_id jsonb;
  created integer;
  updated integer;
begin
  api_key := app.admit(key_hash, 'write:rewards');
  -- The platform makes read-only the default when a disk is nearly full. PostgREST begins this transaction as read write
  -- all the same, so that the rows would be written.
  if current_setting('default_transaction_read_only')::boolean then
    raise exception using errcode = 'read_only_sql_transaction', message = 'the database is read-only';
  end if;

  select jsonb_object_agg(reward.fields ->> 'external_id', reward.fields)
  into by_id
  from jsonb_array_elements(sent) as reward (fields);

  begin
    with written as (
      insert into app.rewards as kept
        (company_id, external_id, name, description, points_cost, reward_type, is_archived, stock_count, image_url, vendor_name)
      select
        api_key.company_id, r.external_id, r.name, r.description, r.points_cost, coalesce(r.reward_type, 'perk'),
        coalesce(r.is_archived, false), r.stock_count, r.image_url, r.vendor_name
      from jsonb_populate_recordset(null::app.rewards, sent) as r
      order by r.external_id collate "C"
      on conflict (company_id, external_id) do update
      set (name, description, points_cost, reward_type, is_archived, stock_count, image_url, vendor_name) = (
        select r.name, r.description, r.points_cost, r.reward_type, r.is_archived, r.stock_count, r.image_url, r.vendor_name
        from jsonb_populate_record(kept, by_id -> excluded.external_id) as r
      )
      where (kept.name, kept.points_cost) is distinct from (excluded.name, excluded.points_cost)
        or (kept.description is distinct from excluded.description and by_id -> excluded.external_id ? 'description')
        or (kept.reward_type is distinct from excluded.reward_type and by_id -> excluded.external_id ? 'reward_type')
        or (kept.is_archived is distinct from excluded.is_archived and by_id -> excluded.external_id ? 'is_archived')
        or (kept.stock_count is distinct from excluded.stock_count and by_id -> excluded.external_id ? 'stock_count')
        or (kept.image_url is distinct from excluded.image_url and by_id -> excluded.external_id ? 'image_url')
        or (kept.vendor_name is distinct from excluded.vendor_name and by_id -> excluded.external_id ? 'vendor_name')
      -- Only a row that was there before has been locked, by the number in xmax.
      returning kept.xmax = 0 as is_new
    )
    select count(*) filter (where is_new), count(*) filter (where not is_new) into created, updated from written;
    if dry_run then
      raise exception using errcode = 'DRYRN';
    end if;
  exception when sqlstate 'DRYRN' then
    -- Nothing is left but the counts.
  end;

  return app.respond(api_key.key_id, api_key.company_id, format(
    '{"imported":%s,"created":%s,"updated":%s,"unchanged":%s}',
    case when dry_run then 0 else jsonb_array_length(sent) end, created, updated, jsonb_array_length(sent) - created - updated
  )::json);
end
$$;

select app.serve_keys('public.upsert_rewards'::regproc);
comment on function public.upsert_rewards is
  'Creates or updates rewards by external_id. write:rewards. PT401, PT403, PT429; 25006 if the database is read-only.';
