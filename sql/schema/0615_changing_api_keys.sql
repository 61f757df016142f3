-- The changes that a key may have (docs/api.md, Authentication): it can be renamed, replaced once, and revoked once,
-- which is final. Without an admin who is signed in it can only be revoked: by an operator. Its scopes, creator, company and hash never change.

-- Any other change in an update is ignored, except that Former member replaces an erased person (0950).
create function app.change_api_key() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  asked constant app.api_keys := new;
  admin_id constant uuid := (select admin.member_id from app.current_admin() as admin);
begin
  if app.stand_for_erased(old.company_id, array[old.created_by, old.revoked_by], array[new.created_by, new.revoked_by]) then
    old.created_by := new.created_by;
    old.revoked_by := new.revoked_by;
    return old;
  end if;
  if old.revoked_at is not null then
    return null;
  end if;
  new := old;
  if asked.revoked_at is not null then
    new.revoked_at := now();
    new.revoked_by := admin_id;
  elsif admin_id is null then
    return null;
  elsif asked.replaced_by is distinct from old.replaced_by and old.replaced_by is null then
    new.replaced_by := asked.replaced_by;
    -- The end of the overlap, or earlier if it was to.
    new.expires_at := least(old.expires_at, asked.expires_at);
  elsif asked.name <> old.name then
    new.name := asked.name;
  else
    return null;
  end if;
  return new;
end
$$;

revoke all on function app.change_api_key from public;
comment on function app.change_api_key is 'Trigger: an update of a key revokes it, replaces it or renames it, and changes nothing else but who stands for the erased.';

create trigger change_api_key before update on app.api_keys
  for each row execute function app.change_api_key();
