-- How a key is revoked (docs/api.md, Authentication): once, and for good.

-- The only change that a key knows: active to revoked, once, now, by the admin who is signed in.
create function app.revoke_once() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if old.revoked_at is not null then
    return null;
  end if;
  new := old;
  new.revoked_at := now();
  select admin.member_id into new.revoked_by from app.current_admin() as admin;
  return new;
end
$$;

revoke all on function app.revoke_once from public;
comment on function app.revoke_once is 'Trigger: an update of a key revokes it; of a revoked key, changes nothing.';

create trigger revoke_once before update on app.api_keys
  for each row execute function app.revoke_once();
