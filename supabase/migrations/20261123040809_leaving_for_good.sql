set lock_timeout = '5s';
set statement_timeout = '60s';

SET local check_function_bodies = off;

ALTER TABLE "app"."api_keys"
  DROP CONSTRAINT "api_keys_revoked_by_whom";

CREATE TABLE "app"."deleted_companies" (
  "company_id" uuid                     NOT NULL,
  "deleted_at" timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT "deleted_companies_pkey" PRIMARY KEY (company_id)
);

ALTER TABLE "app"."deleted_companies"
  ENABLE ROW LEVEL SECURITY;

ALTER TABLE "app"."api_key_events"
  ADD COLUMN "reason" text;

ALTER TABLE "app"."companies"
  ADD COLUMN "retention" interval;

-- Null for what an operator did. Only the dashboard reads these columns, by list_api_key_events.
ALTER TABLE "app"."api_key_events"
-- squawk-ignore ban-drop-not-null
  ALTER COLUMN "member_id" DROP NOT NULL;

ALTER TABLE "app"."api_key_events"
-- squawk-ignore ban-drop-not-null
  ALTER COLUMN "member_name" DROP NOT NULL;

CREATE OR REPLACE FUNCTION app.delete_company (
  company_id uuid,
  OUT        members bigint,
  OUT        kudos bigint,
  OUT        keys bigint,
  OUT        accounts bigint
)
  RETURNS record
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  lock table staging.members in share mode;
  perform from app.companies as c where c.id = delete_company.company_id for update;
  if not found then
    raise exception 'company_id must be the id of a company, % is none', company_id using errcode = 'invalid_parameter_value';
  end if;
  select
    (select count(*) from app.members as m where m.company_id = delete_company.company_id and not m.is_former),
    (select count(*) from app.kudos as k where k.company_id = delete_company.company_id),
    (select count(*) from app.api_keys as k where k.company_id = delete_company.company_id)
  into members, kudos, keys;
  accounts := app.delete_accounts(
    company_id, array(select m.id from app.members as m where m.company_id = delete_company.company_id and not m.is_former)
  );
  delete from app.companies as c where c.id = delete_company.company_id;
  -- Their trigger lets go of the history of a company that is no more.
  delete from app.api_key_events as e where e.company_id = delete_company.company_id;
  insert into app.deleted_companies as d (company_id) values (delete_company.company_id)
  on conflict on constraint deleted_companies_pkey do update set deleted_at = now();
end
$function$;

CREATE OR REPLACE FUNCTION app.erase_member (
  company_id     uuid,
  member_id      uuid,
  blank_messages boolean,
  OUT            kudos bigint,
  OUT            keys bigint,
  OUT            events bigint,
  OUT            accounts bigint
)
  RETURNS record
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  former uuid;
  blanked boolean;
begin
  -- A load that is under way ends first, and the next one knows that this person is gone.
  lock table staging.members in share mode;
  perform app.require_settled_company(company_id);
  if exists (select from app.companies as c where c.id = erase_member.company_id and c.move_id is not null) then
    raise notice 'This company has moved from one project to another: erase this person in both, while both have its rows';
  end if;
  if blank_messages is null then
    raise exception 'blank_messages must be true or false' using errcode = 'invalid_parameter_value';
  end if;

  perform from app.members as m
  where m.company_id = erase_member.company_id and m.id = erase_member.member_id and not m.is_former
  for update;
  if not found then
    select e.messages_blanked into blanked
    from app.erasures as e
    where e.company_id = erase_member.company_id and e.member_mark = app.erasure_mark(erase_member.company_id, erase_member.member_id);
    if not found then
      raise exception 'member_id must be the id of a member of the company' using errcode = 'invalid_parameter_value';
    elsif blank_messages and not blanked then
      raise exception 'this person was erased with their messages kept: nobody can tell any more which they are' using errcode = 'invalid_parameter_value';
    end if;
    select 0, 0, 0, 0 into kudos, keys, events, accounts;
    return;
  end if;

  former := app.former_member(company_id);
  insert into app.erasures (company_id, member_mark, messages_blanked)
  values (erase_member.company_id, app.erasure_mark(erase_member.company_id, erase_member.member_id), blank_messages);

  update app.kudos as k set
    sender_id = case when k.sender_id = erase_member.member_id then former else k.sender_id end,
    receiver_id = case when k.receiver_id = erase_member.member_id then former else k.receiver_id end,
    message = case when blank_messages then '' else k.message end
  where k.company_id = erase_member.company_id and erase_member.member_id in (k.sender_id, k.receiver_id);
  get diagnostics kudos = row_count;

  update app.api_keys as k set
    created_by = case when k.created_by = erase_member.member_id then former else k.created_by end,
    revoked_by = case when k.revoked_by = erase_member.member_id then former else k.revoked_by end
  where k.company_id = erase_member.company_id and erase_member.member_id in (k.created_by, k.revoked_by);
  get diagnostics keys = row_count;

  update app.api_key_events as e set member_id = former, member_name = 'Former member'
  where e.company_id = erase_member.company_id and e.member_id = erase_member.member_id;
  get diagnostics events = row_count;

  accounts := app.delete_accounts(company_id, array[member_id]);
  delete from app.members as m where m.company_id = erase_member.company_id and m.id = erase_member.member_id;
end
$function$;

CREATE OR REPLACE FUNCTION app.record_api_key_event()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- Erasing a person is recorded in app.erasures, and names nobody.
  if tg_op = 'UPDATE' and (new.name, new.revoked_at, new.replaced_by) is not distinct from (old.name, old.revoked_at, old.replaced_by) then
    return null;
  end if;

  insert into app.api_key_events
    (company_id, action, key_id, key_name, hint, scopes, expires_at, member_id, member_name, former_name, replaced_by, reason)
  select
    new.company_id,
    case
      when tg_op = 'INSERT' then 'created'
      when new.revoked_at is not null then 'revoked'
      when new.name <> old.name then 'renamed'
      else 'replaced'
    end,
    new.id, new.name, new.hint, new.scopes, new.expires_at, m.id, m.name,
    case when tg_op = 'UPDATE' and new.name <> old.name then old.name end,
    case when tg_op = 'UPDATE' and new.replaced_by is distinct from old.replaced_by then new.replaced_by end,
    case when m.id is null then coalesce(nullif(current_setting('app.revoke_reason', true), ''), 'not given') end
  from (select) as change
  left join app.current_admin() as admin on true
  left join app.members as m on m.company_id = new.company_id and m.id = admin.member_id;

  if tg_op = 'INSERT' then
    insert into app.api_key_uses (company_id, key_id) values (new.company_id, new.id);
  end if;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION app.require_open_company (
  company_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  perform app.require_settled_company(company_id);
  if not exists (select from app.companies as c where c.id = require_open_company.company_id and c.serving = 'open') then
    raise exception 'company_id must be the id of a company that is served here, % has moved to another project', company_id
      using errcode = 'invalid_parameter_value';
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION app.require_settled_company (
  company_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  serving text;
begin
  select c.serving into serving from app.companies as c where c.id = require_settled_company.company_id for share;
  if not found then
    raise exception 'company_id must be the id of a company, % is none', company_id using errcode = 'invalid_parameter_value';
  elsif serving = 'moving' then
    raise exception 'company_id must be the id of a company that is not on its way to another project, % is moving', company_id
      using errcode = 'invalid_parameter_value';
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION app.revoke_key (
  key    text,
  reason text,
  OUT    company_id uuid,
  OUT    key_id uuid,
  OUT    name text,
  OUT    revoked_at timestamp with time zone
)
  RETURNS record
  LANGUAGE plpgsql
  SET search_path TO ''
  SET lock_timeout TO '5s'
  AS $function$
declare
  ids uuid[];
begin
  if key ~ '^sk_live_[0-9A-Za-z]{38}$' then
    raise exception 'key must be its id or its last four characters, never the key itself: statements are logged'
      using errcode = 'invalid_parameter_value';
  end if;
  if reason is null or char_length(btrim(reason)) not between 1 and 200 then
    raise exception 'reason must be a text of 1 to 200 characters: the admins of the company read it' using errcode = 'invalid_parameter_value';
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

  select k.company_id, k.id, k.name, k.revoked_at into company_id, key_id, name, revoked_at from app.api_keys as k where k.id = ids[1];
end
$function$;

CREATE OR REPLACE FUNCTION public.list_api_key_events (
  key_id   uuid    DEFAULT NULL::uuid,
  skip     integer DEFAULT 0,
  max_rows integer DEFAULT NULL::integer
)
  RETURNS json
  LANGUAGE sql
  STABLE
  SET search_path TO ''
BEGIN ATOMIC
 SELECT COALESCE(json_agg(row_to_json(listed.*)), '[]'::json)
  AS "coalesce"
    FROM ( SELECT app.iso_8601(e.created_at) AS created_at,
             e.action,
             e.member_name AS member,
             e.key_id,
             e.key_name,
             e.hint,
             e.scopes,
             app.iso_8601(e.expires_at) AS expires_at,
             e.former_name,
             e.replaced_by,
             e.reason
            FROM app.api_key_events e
           WHERE ((list_api_key_events.key_id IS NULL) OR ((list_api_key_events.key_id = e.key_id) OR (list_api_key_events.key_id = e.replaced_by)))
           ORDER BY e.created_at DESC, e.id DESC
          OFFSET list_api_key_events.skip
          LIMIT list_api_key_events.max_rows) listed;
END;

CREATE OR REPLACE PROCEDURE app.purge_before (
  IN company_id uuid,
  IN before timestamp with time zone
)
  LANGUAGE plpgsql
  AS $procedure$
declare
  relation text;
  deleted bigint;
  failure text;
begin
  if before is null then
    raise exception 'before must be a time' using errcode = 'invalid_parameter_value';
  end if;
  foreach relation in array array['kudos', 'day_ratings', 'pulse_responses'] loop
    call app.purge_table(company_id, before, relation, deleted, failure);
    if failure is not null then
      raise exception '%: %', relation, failure;
    end if;
    raise notice '%: % rows deleted', relation, deleted;
  end loop;
end
$procedure$;

CREATE OR REPLACE PROCEDURE app.purge_expired()
  LANGUAGE plpgsql
  AS $procedure$
declare
  company record;
  relation text;
  is_old boolean;
  deleted bigint;
  failure text;
  total bigint := 0;
  purged integer := 0;
  failed integer := 0;
begin
  for company in
    select c.id, now() - c.retention as before from app.companies as c
    where c.retention is not null and c.serving = 'open'
  loop
    foreach relation in array array['kudos', 'day_ratings', 'pulse_responses'] loop
      execute format('select exists (select from app.%I as t where t.company_id = $1 and t.created_at < $2)', relation)
        into is_old using company.id, company.before;
      continue when not is_old;
      failure := null;
      call app.purge_table(company.id, company.before, relation, deleted, failure);
      total := total + deleted;
      if failure is null then
        purged := purged + 1;
        raise notice '%: %: % rows deleted', company.id, relation, deleted;
      else
        failed := failed + 1;
        raise warning '%: %: % rows deleted, then: %', company.id, relation, deleted, failure;
      end if;
    end loop;
  end loop;
  raise notice '% rows deleted', total;
  if failed > 0 then
    raise exception '% of % purges failed: the warnings above say which', failed, failed + purged;
  end if;
end
$procedure$;

CREATE OR REPLACE PROCEDURE app.purge_table (
  IN    company_id uuid,
  IN    before timestamp with time zone,
  IN    relation text,
  INOUT deleted bigint,
  INOUT failure text
)
  LANGUAGE plpgsql
  AS $procedure$
declare
  since timestamptz := '-infinity';
  batch record;
begin
  deleted := 0;
  loop
    begin
      select * into batch from app.purge_some(company_id, since, before, relation);
    exception
      when others then
        failure := sqlerrm;
    end;
    commit;
    exit when failure is not null;
    deleted := deleted + batch.deleted;
    exit when batch.deleted = 0 and since = '-infinity';
    -- What has been deleted stays in the index for as long as a transaction may see it: the next batch begins behind it. At the end once more
    -- from the beginning, for what has come in meanwhile.
    since := coalesce(batch.reached, '-infinity');
  end loop;
end
$procedure$;

-- The tables of companies, keys and their history are small: reading them takes milliseconds.
ALTER TABLE "app"."api_key_events"
-- squawk-ignore constraint-missing-not-valid
  ADD CONSTRAINT "api_key_events_by_whom" CHECK ((((member_id IS NULL) = (member_name IS NULL)) AND ((member_id IS NULL) = (reason IS NOT NULL)) AND ((member_id IS
    NOT NULL) OR (action = 'revoked'::text))));

ALTER TABLE "app"."api_keys"
-- squawk-ignore constraint-missing-not-valid
  ADD CONSTRAINT "api_keys_revoked_by_whom" CHECK (((revoked_at IS NOT NULL) OR (revoked_by IS NULL)));

ALTER TABLE "app"."companies"
-- squawk-ignore constraint-missing-not-valid
  ADD CONSTRAINT "companies_retention_length" CHECK ((retention >= '1 day'::interval));

COMMENT ON COLUMN "app"."companies"."retention" IS 'How long kudos, day ratings and pulse answers are kept, such as 2 years; null: for ever.';

COMMENT ON FUNCTION "app"."require_settled_company"(uuid) IS 'Raises unless the company is there and not moving, and keeps it so until the end of the transaction.';

COMMENT ON FUNCTION "app"."revoke_key"(text, text) IS 'Revokes the key with this id or these last four characters, for good, as the operator. The reason is for the admins of the company.';

COMMENT ON PROCEDURE "app"."purge_expired"() IS 'Deletes what is older than the retention of its company, in every company that is served here.';

COMMENT ON PROCEDURE "app"."purge_table"(uuid, timestamp with time zone, text, bigint, text) IS 'Deletes the old rows of a table, 2,000 a commit, and says how many, and why it stopped.';

COMMENT ON TABLE "app"."deleted_companies" IS 'Companies that were deleted here, and when.';

REVOKE ALL ON FUNCTION "app"."require_settled_company"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "app"."revoke_key"(text, text) FROM PUBLIC;

REVOKE ALL ON PROCEDURE "app"."purge_expired"() FROM PUBLIC;

REVOKE ALL ON PROCEDURE "app"."purge_table"(uuid, timestamp WITH time zone, text, bigint, text) FROM PUBLIC;
