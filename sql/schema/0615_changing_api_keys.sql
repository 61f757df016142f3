-- Which changes of a key are allowed (docs/api.md, Authentication): an admin can rename it, replace it once, and revoke
-- it once, which is final. An operator can only revoke it. Its scopes, company and hash never change.

-- Any other change in an update is ignored, except that Former member replaces an erased person (1010).
create function app.change_api_key() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  requested constant app.api_keys := new;
  admin_id constant uuid := (select admin.member_id from app.current_admin() as admin);
begin
  if app.only_replaces_erased(old.company_id, array[old.created_by, old.revoked_by], array[new.created_by, new.revoked_by]) then
    old.created_by := new.created_by;
    old.revoked_by := new.revoked_by;
    return old;
  end if;
  if old.revoked_at is not null then
    return null;
  end if;
  new := old;
  if requested.revoked_at is not null then
    new.revoked_at := now();
    new.revoked_by := admin_id;
  elsif admin_id is null then
    return null;
  elsif requested.replaced_by is distinct from old.replaced_by and old.replaced_by is null then
    new.replaced_by := requested.replaced_by;
    -- The end of the overlap, unless the key expires before.
    new.expires_at := least(old.expires_at, requested.expires_at);
  elsif requested.name <> old.name then
    new.name := requested.name;
  else
    return null;
  end if;
  return new;
end
$$;

create trigger change_api_key before update on app.api_keys
  for each row execute function app.change_api_key();
