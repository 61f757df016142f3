-- How a key is made (docs/api.md, Authentication): sk_live_, 32 random characters of 0-9A-Za-z, and a checksum of six
-- characters over the text before it. With the checksum the Edge Function can refuse a malformed key without calling
-- the database, and a secret scanner can tell a real key from a placeholder.

-- CRC32 (IEEE) of an ASCII text, in base62, six characters, most significant digit first.
create function app.api_key_checksum(text text) returns text
language plpgsql immutable strict set search_path = ''
as $$
declare
  alphabet constant text := '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  bytes constant bytea := convert_to(text, 'UTF8');
  crc bigint := x'ffffffff'::bigint;
  checksum text := '';
begin
  for position in 0 .. octet_length(bytes) - 1 loop
    crc := crc # get_byte(bytes, position);
    for bit in 1 .. 8 loop
      crc := case when crc & 1 = 1 then (crc >> 1) # x'edb88320'::bigint else crc >> 1 end;
    end loop;
  end loop;
  crc := crc # x'ffffffff'::bigint;

  for digit in 1 .. 6 loop
    checksum := substr(alphabet, (crc % 62)::integer + 1, 1) || checksum;
    crc := crc / 62;
  end loop;
  return checksum;
end
$$;

-- 32 characters out of 62 are 190 bits. Bytes from 248 on are discarded: with them the first characters would be more
-- frequent.
create function app.new_api_key() returns text
language plpgsql volatile set search_path = ''
as $$
declare
  alphabet constant text := '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  random_bytes bytea;
  body text := '';
begin
  while char_length(body) < 32 loop
    random_bytes := extensions.gen_random_bytes(32);
    for position in 0 .. 31 loop
      if get_byte(random_bytes, position) < 248 then
        body := body || substr(alphabet, get_byte(random_bytes, position) % 62 + 1, 1);
      end if;
    end loop;
  end loop;
  body := 'sk_live_' || left(body, 32);
  return body || app.api_key_checksum(body);
end
$$;

comment on function app.new_api_key is 'A new random API key.';

-- An insert sets only the name, scopes and expiry. The trigger sets everything else, so that no caller can choose a
-- key, a hash, a company or a creator. It returns the key in a setting of this transaction, which app.insert_api_key
-- reads and empties.
create function app.make_api_key() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  api_key constant text := app.new_api_key();
begin
  select admin.company_id, admin.member_id into new.company_id, new.created_by from app.current_admin() as admin;
  new.id := gen_random_uuid();
  new.scopes := array(select scope from unnest(new.scopes) as scope order by array_position(app.scopes(), scope));
  new.key_hash := sha256(convert_to(api_key, 'UTF8'));
  new.hint := 'sk_live_…' || right(api_key, 4);
  new.created_at := now();
  new.revoked_at := null;
  new.revoked_by := null;
  new.replaced_by := null;
  -- Set by public.redeem_assistant_code alone.
  new.assistant := nullif(current_setting('app.assistant', true), '');
  new.assistant_address := nullif(current_setting('app.assistant_address', true), '');
  perform set_config('app.new_api_key', api_key, true);
  return new;
end
$$;

create trigger make_api_key before insert on app.api_keys
  for each row execute function app.make_api_key();
