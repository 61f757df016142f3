-- The functions that serve API keys belong to public_api, so that the policies bind them, and only the project's secret key
-- (service_role) may call them. A later create or replace keeps owner and grants.

grant create on schema public to public_api;

alter function public.verify_api_key(text, text) owner to public_api;
alter function public.list_members(text, integer, uuid, text) owner to public_api;
alter function public.list_activity(text, integer, timestamptz, timestamptz, uuid, uuid, uuid) owner to public_api;
alter function public.list_rewards(text, integer, boolean) owner to public_api;
alter function public.list_day_ratings(text, integer, timestamptz, timestamptz, uuid) owner to public_api;
alter function public.list_pulse_responses(text, integer, timestamptz, timestamptz) owner to public_api;
alter function public.upsert_rewards(text, text) owner to public_api;

revoke create on schema public from public_api;

revoke all on function
  public.verify_api_key(text, text),
  public.list_members(text, integer, uuid, text),
  public.list_activity(text, integer, timestamptz, timestamptz, uuid, uuid, uuid),
  public.list_rewards(text, integer, boolean),
  public.list_day_ratings(text, integer, timestamptz, timestamptz, uuid),
  public.list_pulse_responses(text, integer, timestamptz, timestamptz),
  public.upsert_rewards(text, text)
from public, anon, authenticated;

grant execute on function
  public.verify_api_key(text, text),
  public.list_members(text, integer, uuid, text),
  public.list_activity(text, integer, timestamptz, timestamptz, uuid, uuid, uuid),
  public.list_rewards(text, integer, boolean),
  public.list_day_ratings(text, integer, timestamptz, timestamptz, uuid),
  public.list_pulse_responses(text, integer, timestamptz, timestamptz),
  public.upsert_rewards(text, text)
to service_role;
