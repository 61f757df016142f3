-- GET / (docs/api.md, Authentication). The Edge Function also calls it before every 400, so that a caller without a
-- valid key, or without the scope, learns nothing about parameters; and when an instance of it sees a key for the first time.

create function public.verify_api_key(key_hash text, required_scope text default null) returns app."application/json"
language plpgsql volatile security definer set search_path = ''
as $$
declare
  api_key constant app.verified_key := app.admit(key_hash, required_scope);
  company_name text;
begin
  select c.name into company_name from app.companies as c where c.id = api_key.company_id;
  return app.respond(
    api_key.key_id,
    api_key.company_id,
    json_build_object(
      'company_name', company_name,
      'key_name', api_key.key_name,
      'scopes', api_key.scopes,
      'expires_at', app.iso_8601(api_key.expires_at),
      'company_id', api_key.company_id,
      'requests_at_once', app.requests_at_once()
    )
  );
end
$$;

select app.serve_keys('public.verify_api_key'::regproc);
comment on function public.verify_api_key is 'Checks a key and, when it is given, a scope. PT401, PT403.';

create function public.note_refused_use(key_hash text, missing_scope text default null, reason text default null)
returns app."application/json"
language sql volatile security definer set search_path = ''
as 'select to_json(app.note_refused_use(key_hash, missing_scope, reason))';

select app.serve_keys('public.note_refused_use'::regproc);
comment on function public.note_refused_use is
  'For the Edge Function, after a 401, a 403, or a refused import: app.note_refused_use. Returns true or false.';
