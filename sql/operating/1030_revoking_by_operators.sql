-- Revoking a key in an emergency, when no admin can be reached (docs/operate/incidents.md, A leaked API key). For operators,
-- as postgres. The history and the admins' page say that it was an operator, and why.

create function app.revoke_key(
  key text, reason text, out company_id uuid, out key_id uuid, out name text, out revoked_at timestamptz
)
language plpgsql volatile security invoker set search_path = '' set lock_timeout = '5s'
as $$
declare
  ids uuid[];
begin
  if key ~ '^sk_live_[0-9A-Za-z]{38}$' then
    raise exception 'key must be its id or its last four characters, never the key itself: statements are logged'
      using errcode = 'invalid_parameter_value';
  end if;
  if reason is null or char_length(btrim(reason)) not between 1 and 200 then
    raise exception 'reason must be a text of 1 to 200 characters: the admins of the company read it'
      using errcode = 'invalid_parameter_value';
  end if;
  select array_agg(k.id) into ids from app.api_keys as k
  where k.id::text = lower(revoke_key.key) or k.hint in (revoke_key.key, 'sk_live_…' || revoke_key.key);
  if cardinality(ids) is distinct from 1 then
    raise exception '% keys have this id or these last four characters', coalesce(cardinality(ids), 0)
      using errcode = 'invalid_parameter_value', detail = 'Their ids: ' || coalesce(array_to_string(ids, ', '), 'none');
  end if;
  perform app.require_settled_company(k.company_id) from app.api_keys as k where k.id = ids[1];

  perform set_config('app.revoke_reason', btrim(reason), true);
  update app.api_keys as k set revoked_at = now() where k.id = ids[1];
  perform set_config('app.revoke_reason', '', true);

  select k.company_id, k.id, k.name, k.revoked_at into company_id, key_id, name, revoked_at
  from app.api_keys as k where k.id = ids[1];
end
$$;

comment on function app.revoke_key(text, text) is
  'Revokes the key with this id or these last four characters, for good, as the operator. Its admins read the reason.';
