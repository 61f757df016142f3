-- Letting an assistant read (docs/api.md, Assistants). An admin agrees on the dashboard and gets a code, the browser takes
-- it to the assistant, and the assistant exchanges it for a key. The key is made only then: it is in no address, and a
-- code that nobody exchanges leaves nothing.

create table app.assistant_codes (
  company_id uuid not null references app.companies (id) on delete cascade,
  -- Unique in the whole service, because a code is looked up before its company is known.
  code_hash bytea not null,
  member_id uuid not null,
  assistant text not null,
  scopes text[] not null,
  key_expires_at timestamptz not null,
  bound_to text not null,
  expires_at timestamptz not null default now() + interval '1 minute',
  primary key (company_id, code_hash),
  constraint assistant_codes_code_hash_key unique (code_hash),
  foreign key (company_id, member_id) references app.members (company_id, id) on delete cascade,
  constraint assistant_codes_bound_to_length check (char_length(bound_to) <= 3000)
);

create index assistant_codes_member_id on app.assistant_codes (company_id, member_id);

-- No policies, nothing granted: only the functions below use the table.

comment on table app.assistant_codes is 'What admins have let assistants read, until the assistant fetches its key.';
comment on column app.assistant_codes.code_hash is 'SHA-256 of the code. The code itself is never stored.';
comment on column app.assistant_codes.assistant is 'The name of the assistant as the admin saw it. The key gets it.';
comment on column app.assistant_codes.bound_to is
  'Client ID, redirect address and PKCE challenge, one a line: with others the code is worth nothing.';

create function public.let_assistant_read(name text, scopes text[], expires_at timestamptz, bound_to text) returns json
language plpgsql volatile security definer set search_path = ''
as $$
declare
  readable constant text[] := array_remove(app.scopes(), 'write:rewards');
  code constant text := encode(extensions.gen_random_bytes(32), 'hex');
  admin record;
begin
  select a.company_id, a.member_id into admin from app.current_admin() as a;
  if not found then
    raise exception using errcode = 'PT403', message = 'only an admin may let an assistant read';
  end if;
  perform app.check_api_key_name(name);
  -- Null for no scopes, 2 for an array of arrays.
  if array_ndims(scopes) is distinct from 1 or not scopes <@ readable
    or cardinality(scopes) > (select count(distinct scope) from unnest(scopes) as scope) then
    raise exception using errcode = 'PT400', hint = 'scopes',
      message = 'scopes must be one or more of ' || array_to_string(readable, ', ') || ', each once';
  end if;
  -- 90 days, to the end of the day of the admin's zone, whose clocks may change meanwhile.
  if (expires_at between now() and now() + interval '92 days') is not true then
    raise exception using errcode = 'PT400', hint = 'expires_at', message = 'expires_at must be within the next 92 days';
  end if;
  if coalesce(char_length(bound_to), 0) not between 1 and 3000 then
    raise exception using errcode = 'PT400', hint = 'bound_to', message = 'bound_to must have 1 to 3000 characters';
  end if;
  delete from app.assistant_codes as c where c.company_id = admin.company_id and c.expires_at < now();
  insert into app.assistant_codes (company_id, code_hash, member_id, assistant, scopes, key_expires_at, bound_to)
  values (admin.company_id, sha256(convert_to(code, 'UTF8')), admin.member_id, name, scopes, expires_at, bound_to);
  return json_build_object('code', code);
end
$$;

grant execute on function public.let_assistant_read to authenticated;
comment on function public.let_assistant_read is
  'Lets the program of bound_to fetch a key with these scopes, within a minute: { code }. PT400, PT403.';

create function public.redeem_assistant_code(code_hash text, bound_to text) returns json
language plpgsql volatile security definer set search_path = '' set lock_timeout = '5s'
as $$
declare
  agreed app.assistant_codes;
  account uuid;
begin
  -- Whoever sends a code first uses it up, also a program that it is not for.
  delete from app.assistant_codes as c where c.code_hash = decode(redeem_assistant_code.code_hash, 'hex')
  returning * into agreed;
  if agreed.code_hash is null or agreed.bound_to <> redeem_assistant_code.bound_to
    or least(agreed.expires_at, agreed.key_expires_at) <= now() then
    return null;
  end if;
  select a.user_id into account
  from app.member_accounts as a where a.company_id = agreed.company_id and a.member_id = agreed.member_id;
  -- The triggers of app.api_keys take company, creator and history from the session: this one becomes that of the admin
  -- who agreed, which had shown a second factor if one was wanted.
  perform set_config(
    'request.jwt.claims', json_build_object('sub', account, 'role', 'authenticated', 'aal', 'aal2')::text, true
  );
  -- No longer an admin, or the company has moved.
  if not exists (select from app.current_admin()) then
    return null;
  end if;
  perform set_config('app.assistant', agreed.assistant, true);
  perform set_config('app.assistant_address', split_part(agreed.bound_to, e'\n', -2), true);
  return app.insert_api_key(agreed.assistant, agreed.scopes, agreed.key_expires_at);
end
$$;

grant execute on function public.redeem_assistant_code to service_role;
comment on function public.redeem_assistant_code is
  'Makes the key that an admin has agreed to and returns it as create_api_key does; null for a code that is not valid.';
