set lock_timeout = '5s';
set statement_timeout = '60s';

SET local check_function_bodies = off;

DROP FUNCTION "app"."stand_for_erased"(uuid, uuid[], uuid[]);

CREATE OR REPLACE FUNCTION app.change_api_key()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION app.check_api_key_name (
  name text
)
  RETURNS void
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  -- Characters that show nothing: Unicode's property Default_Ignorable_Code_Point, which regular expressions here do not
  -- know (a test compares), and the blank symbols and letters, for which there is no property.
  invisible constant text :=
    '\u00ad\u034f\u061c\u115f-\u1160\u17b4-\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff'
    '\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff'
    '\u2800\U00013441-\U00013442\U00016fe4\U0001d159';
  white_space constant text := '\s\u0085\u00a0\u1680\u2000-\u200a\u2028-\u2029\u202f\u205f\u3000';
  controls constant text := '\u0001-\u001f\u007f-\u009f\u2028-\u2029\ufff9-\ufffb';
  -- Without what joins letters in Persian, in Indian scripts and in emoji, and chooses the colours of emoji.
  name_without_joiners constant text := regexp_replace(name, '[\u200c\u200d\ufe0e\ufe0f]', '', 'g');
begin
  if name is null or char_length(name) > 100 or name_without_joiners !~ format('[^%s%s]', white_space, invisible) then
    raise exception using errcode = 'PT400', hint = 'name', message = 'name must be a text of 1 to 100 characters';
  end if;
  if name_without_joiners ~ format('[%s%s]', controls, invisible) then
    raise exception using errcode = 'PT400', hint = 'name',
      message = 'name must be a text without control characters, direction marks and invisible characters';
  end if;
end
$function$;

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
  perform app.empty_staging();
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
  -- The trigger allows it, because the company is deleted.
  delete from app.api_key_events as e where e.company_id = delete_company.company_id;
  insert into app.deleted_companies as d (company_id) values (delete_company.company_id)
  on conflict on constraint deleted_companies_pkey do update set deleted_at = now();
  perform app.renew_statistics();
end
$function$;

CREATE OR REPLACE FUNCTION app.empty_staging()
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  told record;
begin
  truncate
    staging.teams, staging.members, staging.categories, staging.kudos,
    staging.day_ratings, staging.pulse_questions, staging.pulse_responses;
  for told in
    select s.tablename, s.attname
    from pg_catalog.pg_stats as s
    where s.schemaname = 'staging' and s.attname <> 'position'
  loop
    execute format('alter table staging.%I alter column %I type text', told.tablename, told.attname);
  end loop;
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
  -- Waits for a load that is running. The next load sees that this person has been erased.
  perform app.empty_staging();
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
      raise exception 'this person was erased with their messages kept: it is no longer known which messages are theirs' using errcode = 'invalid_parameter_value';
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
  perform app.renew_statistics();
end
$function$;

CREATE OR REPLACE FUNCTION app.load_staging (
  company_id uuid
)
  RETURNS TABLE (
    file      text,
    inserted  bigint,
    updated   bigint,
    unchanged bigint,
    left_out  bigint
  )
  LANGUAGE plpgsql
  SET search_path TO ''
  SET jit TO 'off'
  AS $function$
declare
  problems record;
  erased record;
  loaded record;
begin
  -- No row is added between the check and the writing, and two loads do not run at the same time.
  lock table
    staging.teams, staging.members, staging.categories, staging.kudos,
    staging.day_ratings, staging.pulse_questions, staging.pulse_responses
  in access exclusive mode;

  -- The planner does not know yet how many rows there are.
  analyze
    staging.teams, staging.members, staging.categories, staging.kudos,
    staging.day_ratings, staging.pulse_questions, staging.pulse_responses,
    app.teams, app.members, app.categories, app.pulse_questions;

  perform app.require_open_company(company_id);

  raise notice 'checking the files';
  select count(*) as found, string_agg(p.problem, '; ' order by p.place) filter (where p.place <= 20) as first into problems
  from (
    select row_number() over () as place, format('%s line %s: %s', p.file, p.line, p.problem) as problem
    from app.staging_problems(load_staging.company_id) as p
  ) as p;
  if problems.found > 0 then
    raise exception '%', problems.first || case when problems.found > 20 then format('; and %s more', problems.found - 20) else '' end
      using errcode = 'invalid_parameter_value';
  end if;

  select * into erased from app.leave_out_erased(company_id);
  for loaded in select f.file, f.target from app.loaded_files() as f order by f.place loop
    perform app.prepare_file(company_id, loaded.file);
    return query
      select loaded.file, w.inserted, w.updated, w.unchanged, case loaded.file when 'members' then erased.members when 'kudos' then erased.kudos else 0 end
      from app.write_file(load_staging.company_id, loaded.file) as w;
    -- So that the foreign keys of the following files are checked with plans that know the rows of this one.
    execute format('analyze app.%I', loaded.target);
  end loop;

  perform app.empty_staging();
end
$function$;

CREATE OR REPLACE FUNCTION app.only_replaces_erased (
  company_id uuid,
  before     uuid[],
  after      uuid[]
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SET search_path TO ''
BEGIN ATOMIC
 SELECT ((BEFORE IS DISTINCT FROM AFTER) AND (NOT (EXISTS ( SELECT
            FROM UNNEST(only_replaces_erased.before, only_replaces_erased.after) member(BEFORE, AFTER)
           WHERE ((member.before IS DISTINCT FROM member.after) AND (NOT (app.is_erased(only_replaces_erased.company_id, member.before) AND (EXISTS ( SELECT
                    FROM app.members m
                   WHERE ((m.company_id = only_replaces_erased.company_id) AND (m.id = member.after) AND m.is_former))))))))));
END;

CREATE OR REPLACE FUNCTION app.refuse_change()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  if tg_op = 'UPDATE' and to_jsonb(new) - array['member_id', 'member_name'] = to_jsonb(old) - array['member_id', 'member_name']
    and new.member_name = 'Former member' and app.only_replaces_erased(old.company_id, array[old.member_id], array[new.member_id]) then
    return new;
  end if;
  if tg_op = 'DELETE' and not exists (select from app.companies as c where c.id = old.company_id) then
    return old;
  end if;
  raise exception '% only grows: % is refused', tg_relid::regclass, lower(tg_op) using errcode = 'insufficient_privilege';
end
$function$;

CREATE OR REPLACE FUNCTION app.renew_statistics()
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  relation regclass;
begin
  for relation in
    select c.oid
    from pg_catalog.pg_class as c
    where c.relkind = 'r' and has_table_privilege(c.oid, 'maintain')
      and (
        c.relnamespace = 'auth'::regnamespace
        or c.oid = any ('{app.members,app.member_accounts,app.kudos,app.api_keys,app.api_key_events}'::regclass[])
      )
    -- The same order in every session, so that two do not wait for each other.
    order by c.oid
  loop
    execute format('analyze %s', relation);
  end loop;
end
$function$;

COMMENT ON FUNCTION "app"."empty_staging"() IS 'Removes all rows from staging, and what the planner''s statistics know of them. Waits for a load that is running.';

COMMENT ON FUNCTION "app"."only_replaces_erased"(uuid, uuid[], uuid[]) IS 'Whether two lists of members differ, and only by Former member in place of erased people.';

COMMENT ON FUNCTION "app"."renew_statistics"() IS 'Collects the planner''s statistics of the tables about people anew, so that they show nobody who is gone.';

REVOKE ALL ON FUNCTION "app"."empty_staging"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "app"."only_replaces_erased"(uuid, uuid[], uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "app"."renew_statistics"() FROM PUBLIC;
