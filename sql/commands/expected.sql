-- What check.sql expects of a database, written by npm run migration: each object, and its aspects.
select $expected$
constraint api_key_events_action_known on app.api_key_events|form=check (action)
constraint api_key_events_by_whom on app.api_key_events|form=check (member_id, member_name, reason, action)
constraint api_key_events_pkey on app.api_key_events|form=primary key (company_id, id)|state=valid
constraint api_key_uses_company_id_key_id_fkey on app.api_key_uses|form=foreign key (company_id, key_id) references app.api_keys (company_id, id) on delete cascade
constraint api_key_uses_pkey on app.api_key_uses|form=primary key (company_id, key_id)|state=valid
constraint api_keys_company_id_created_by_fkey on app.api_keys|form=foreign key (company_id, created_by) references app.members (company_id, id)
constraint api_keys_company_id_fkey on app.api_keys|form=foreign key (company_id) references app.companies (id) on delete cascade
constraint api_keys_company_id_revoked_by_fkey on app.api_keys|form=foreign key (company_id, revoked_by) references app.members (company_id, id)
constraint api_keys_key_hash_key on app.api_keys|form=unique (key_hash)|state=valid
constraint api_keys_key_hash_length on app.api_keys|form=check (key_hash)
constraint api_keys_name_length on app.api_keys|form=check (name)
constraint api_keys_pkey on app.api_keys|form=primary key (company_id, id)|state=valid
constraint api_keys_revoked_by_whom on app.api_keys|form=check (revoked_at, revoked_by)
constraint api_keys_scopes_known on app.api_keys|form=check (scopes)
constraint arriving_companies_pkey on app.arriving_companies|form=primary key (company_id)|state=valid
constraint assistant_codes_bound_to_length on app.assistant_codes|form=check (bound_to)
constraint assistant_codes_code_hash_key on app.assistant_codes|form=unique (code_hash)|state=valid
constraint assistant_codes_company_id_fkey on app.assistant_codes|form=foreign key (company_id) references app.companies (id) on delete cascade
constraint assistant_codes_company_id_member_id_fkey on app.assistant_codes|form=foreign key (company_id, member_id) references app.members (company_id, id) on delete cascade
constraint assistant_codes_pkey on app.assistant_codes|form=primary key (company_id, code_hash)|state=valid
constraint categories_company_id_fkey on app.categories|form=foreign key (company_id) references app.companies (id) on delete cascade
constraint categories_created_at_range on app.categories|form=check (created_at)
constraint categories_pkey on app.categories|form=primary key (company_id, id)|state=valid
constraint categories_pkey on staging.categories|form=primary key ("position")|state=valid
constraint category_names_company_id_category_id_fkey on app.category_names|form=foreign key (company_id, category_id) references app.categories (company_id, id) on delete cascade
constraint category_names_language_form on app.category_names|form=check (language)
constraint category_names_name_length on app.category_names|form=check (name)
constraint category_names_pkey on app.category_names|form=primary key (company_id, category_id, language)|state=valid
constraint companies_default_language_form on app.companies|form=check (default_language)
constraint companies_name_length on app.companies|form=check (name)
constraint companies_pkey on app.companies|form=primary key (id)|state=valid
constraint companies_retention_length on app.companies|form=check (retention)
constraint companies_serving_known on app.companies|form=check (serving)
constraint companies_serving_moved on app.companies|form=check (serving, move_id)
constraint day_ratings_comment_length on app.day_ratings|form=check (comment)
constraint day_ratings_company_id_fkey on app.day_ratings|form=foreign key (company_id) references app.companies (id) on delete cascade
constraint day_ratings_company_id_team_id_fkey on app.day_ratings|form=foreign key (company_id, team_id) references app.teams (company_id, id)
constraint day_ratings_created_at_range on app.day_ratings|form=check (created_at)
constraint day_ratings_pkey on app.day_ratings|form=primary key (company_id, id)|state=valid
constraint day_ratings_pkey on staging.day_ratings|form=primary key ("position")|state=valid
constraint day_ratings_points_awarded_range on app.day_ratings|form=check (points_awarded)
constraint day_ratings_rating_range on app.day_ratings|form=check (rating)
constraint deleted_companies_pkey on app.deleted_companies|form=primary key (company_id)|state=valid
constraint deletions_pkey on app.deletions|form=primary key (company_id, relation, id)|state=valid
constraint erasures_company_id_fkey on app.erasures|form=foreign key (company_id) references app.companies (id) on delete cascade
constraint erasures_member_mark_length on app.erasures|form=check (member_mark)
constraint erasures_pkey on app.erasures|form=primary key (company_id, member_mark)|state=valid
constraint forgotten_deletions_company_id_fkey on app.forgotten_deletions|form=foreign key (company_id) references app.companies (id) on delete cascade
constraint forgotten_deletions_pkey on app.forgotten_deletions|form=primary key (company_id, relation)|state=valid
constraint kudos_company_id_category_id_fkey on app.kudos|form=foreign key (company_id, category_id) references app.categories (company_id, id)
constraint kudos_company_id_fkey on app.kudos|form=foreign key (company_id) references app.companies (id) on delete cascade
constraint kudos_company_id_receiver_id_fkey on app.kudos|form=foreign key (company_id, receiver_id) references app.members (company_id, id)
constraint kudos_company_id_sender_id_fkey on app.kudos|form=foreign key (company_id, sender_id) references app.members (company_id, id)
constraint kudos_created_at_range on app.kudos|form=check (created_at)
constraint kudos_message_length on app.kudos|form=check (message)
constraint kudos_pkey on app.kudos|form=primary key (company_id, id)|state=valid
constraint kudos_pkey on staging.kudos|form=primary key ("position")|state=valid
constraint member_accounts_company_id_member_id_fkey on app.member_accounts|form=foreign key (company_id, member_id) references app.members (company_id, id) on delete cascade
constraint member_accounts_company_id_member_id_key on app.member_accounts|form=unique (company_id, member_id)|state=valid
constraint member_accounts_pkey on app.member_accounts|form=primary key (user_id)|state=valid
constraint member_accounts_user_id_fkey on app.member_accounts|form=foreign key (user_id) references auth.users (id) on delete cascade
constraint members_company_id_fkey on app.members|form=foreign key (company_id) references app.companies (id) on delete cascade
constraint members_company_id_team_id_fkey on app.members|form=foreign key (company_id, team_id) references app.teams (company_id, id)
constraint members_created_at_range on app.members|form=check (created_at)
constraint members_email_form on app.members|form=check (is_former, email)
constraint members_name_length on app.members|form=check (name)
constraint members_pkey on app.members|form=primary key (company_id, id)|state=valid
constraint members_pkey on staging.members|form=primary key ("position")|state=valid
constraint members_role_length on app.members|form=check (role)
constraint pulse_questions_company_id_fkey on app.pulse_questions|form=foreign key (company_id) references app.companies (id) on delete cascade
constraint pulse_questions_pkey on app.pulse_questions|form=primary key (company_id, id)|state=valid
constraint pulse_questions_pkey on staging.pulse_questions|form=primary key ("position")|state=valid
constraint pulse_questions_question_length on app.pulse_questions|form=check (question)
constraint pulse_questions_response_type_length on app.pulse_questions|form=check (response_type)
constraint pulse_responses_comment_length on app.pulse_responses|form=check (comment)
constraint pulse_responses_company_id_fkey on app.pulse_responses|form=foreign key (company_id) references app.companies (id) on delete cascade
constraint pulse_responses_company_id_question_id_fkey on app.pulse_responses|form=foreign key (company_id, question_id) references app.pulse_questions (company_id, id)
constraint pulse_responses_created_at_range on app.pulse_responses|form=check (created_at)
constraint pulse_responses_pkey on app.pulse_responses|form=primary key (company_id, id)|state=valid
constraint pulse_responses_pkey on staging.pulse_responses|form=primary key ("position")|state=valid
constraint rewards_company_id_fkey on app.rewards|form=foreign key (company_id) references app.companies (id) on delete cascade
constraint rewards_created_at_range on app.rewards|form=check (created_at)
constraint rewards_description_length on app.rewards|form=check (description)
constraint rewards_external_id_key on app.rewards|form=unique (company_id, external_id)|state=valid
constraint rewards_external_id_length on app.rewards|form=check (external_id)
constraint rewards_name_length on app.rewards|form=check (name)
constraint rewards_pkey on app.rewards|form=primary key (company_id, id)|state=valid
constraint rewards_points_cost_range on app.rewards|form=check (points_cost)
constraint rewards_reward_type_length on app.rewards|form=check (reward_type)
constraint rewards_stock_count_range on app.rewards|form=check (stock_count)
constraint teams_company_id_fkey on app.teams|form=foreign key (company_id) references app.companies (id) on delete cascade
constraint teams_created_at_range on app.teams|form=check (created_at)
constraint teams_name_length on app.teams|form=check (name)
constraint teams_pkey on app.teams|form=primary key (company_id, id)|state=valid
constraint teams_pkey on staging.teams|form=primary key ("position")|state=valid
domain app."application/json"|owner=postgres
function app.admins_to_ask()|form=security definer, stable, returns json, search_path=""|granted to authenticated=EXECUTE|owner=postgres
function app.api_key_checksum(text)|form=security invoker, immutable, returns text, search_path=""|owner=postgres
function app.authenticate(text,text)|form=security definer, volatile, returns app.verified_key, search_path="", enable_seqscan=off, jit=off|granted to public_api=EXECUTE|owner=postgres
function app.begin_changes()|form=security invoker, volatile, returns trigger, search_path=""|owner=postgres
function app.begin_load(uuid,text)|form=security invoker, volatile, returns void, search_path=""|owner=postgres
function app.category_name(uuid,uuid)|form=security invoker, stable, returns text, search_path=""|owner=postgres
function app.cell_checks()|form=security invoker, immutable, returns setof record, search_path=""|owner=postgres
function app.change_api_key()|form=security definer, volatile, returns trigger, search_path=""|owner=postgres
function app.changing_list(text)|form=security invoker, stable, returns record, search_path=""|granted to public_api=EXECUTE|owner=postgres
function app.check_api_key_name(text)|form=security invoker, immutable, returns void, search_path=""|granted to authenticated=EXECUTE|owner=postgres
function app.current_admin()|form=security definer, stable, returns setof record, search_path=""|granted to authenticated=EXECUTE|owner=postgres
function app.current_company_id()|form=security invoker, stable, returns uuid, search_path=""|granted to public_api=EXECUTE|owner=postgres
function app.current_member()|form=security definer, stable, returns setof record, search_path=""|granted to authenticated=EXECUTE|owner=postgres
function app.cursor_origin(uuid,text)|form=security invoker, stable, returns text, search_path=""|granted to public_api=EXECUTE|owner=postgres
function app.delete_accounts(uuid,_uuid)|form=security invoker, volatile, returns int8, search_path=""|owner=postgres
function app.delete_company(uuid)|form=security invoker, volatile, returns record, search_path=""|owner=postgres
function app.empty_staging()|form=security invoker, volatile, returns void, search_path=""|owner=postgres
function app.end_changes()|form=security invoker, volatile, returns trigger, search_path=""|owner=postgres
function app.erase_member(uuid,uuid,bool)|form=security invoker, volatile, returns record, search_path=""|owner=postgres
function app.erasure_mark(uuid,uuid)|form=security invoker, immutable, returns bytea, search_path=""|owner=postgres
function app.first_of_window(timestamptz,timestamptz,text)|form=security invoker, stable, returns timestamptz, search_path=""|granted to public_api=EXECUTE|owner=postgres
function app.forget_cursors(uuid,text)|form=security invoker, volatile, returns void, search_path=""|owner=postgres
function app.forget_deletions(uuid,regclass)|form=security invoker, volatile, returns void, search_path="", enable_seqscan=off, enable_bitmapscan=off, enable_sort=off|owner=postgres
function app.former_member(uuid)|form=security invoker, volatile, returns uuid, search_path=""|owner=postgres
function app.from_replica(json)|form=security invoker, stable, returns json, search_path="", jit=off|granted to public_api=EXECUTE|owner=postgres
function app.has_shown_factor()|form=security invoker, stable, returns bool, search_path=""|owner=postgres
function app.insert_api_key(text,_text,timestamptz)|form=security invoker, volatile, returns json, search_path=""|granted to authenticated=EXECUTE|owner=postgres
function app.is_erased(uuid,uuid)|form=security invoker, stable, returns bool, search_path=""|owner=postgres
function app.is_time_up(float8)|form=security invoker, volatile, returns bool, search_path=""|owner=postgres
function app.is_unlocked(text)|form=security invoker, volatile, returns bool, search_path=""|owner=postgres
function app.iso_8601(timestamptz)|form=security invoker, stable, returns text, search_path=""|granted to authenticated=EXECUTE|granted to public_api=EXECUTE|owner=postgres
function app.keep_changes(regclass)|form=security invoker, volatile, returns void, search_path=""|owner=postgres
function app.kept_tables()|form=security invoker, stable, returns setof regclass, search_path=""|owner=postgres
function app.leave_out_erased(uuid)|form=security invoker, volatile, returns record, search_path=""|owner=postgres
function app.link_member()|form=security definer, volatile, returns text, search_path=""|granted to authenticated=EXECUTE|owner=postgres
function app.list_headers()|form=security invoker, immutable, returns text, search_path=""|granted to public_api=EXECUTE|owner=postgres
function app.load_staging(uuid,bool)|form=security invoker, volatile, returns setof record, search_path="", jit=off|owner=postgres
function app.loaded_columns()|form=security invoker, immutable, returns setof record, search_path=""|owner=postgres
function app.loaded_files()|form=security invoker, immutable, returns setof record, search_path=""|owner=postgres
function app.make_api_key()|form=security definer, volatile, returns trigger, search_path=""|owner=postgres
function app.mark_answers()|form=security invoker, volatile, returns trigger, search_path=""|owner=postgres
function app.max_replica_lag()|form=security invoker, stable, returns interval, search_path=""|granted to public_api=EXECUTE|owner=postgres
function app.may_note(timestamptz,text,text)|form=security invoker, stable, returns bool, search_path=""|owner=postgres
function app.member_with_email(uuid,text)|form=security definer, stable, returns uuid, search_path="", enable_sort=off, enable_incremental_sort=off|granted to public_api=EXECUTE|owner=postgres
function app.most_groups()|form=security invoker, immutable, returns int4, search_path=""|granted to public_api=EXECUTE|owner=postgres
function app.name_categories(uuid,_uuid)|form=security invoker, volatile, returns void, search_path=""|owner=postgres
function app.name_categories_again()|form=security invoker, volatile, returns trigger, search_path=""|owner=postgres
function app.name_category()|form=security invoker, volatile, returns trigger, search_path=""|owner=postgres
function app.new_api_key()|form=security invoker, volatile, returns text, search_path=""|owner=postgres
function app.note_refused_use(text,text)|form=security definer, volatile, returns bool, search_path="", enable_seqscan=off, jit=off|granted to public_api=EXECUTE|owner=postgres
function app.note_use(uuid,uuid)|form=security invoker, volatile, returns void, search_path="", enable_seqscan=off|owner=postgres
function app.number_change()|form=security invoker, volatile, returns trigger, search_path=""|owner=postgres
function app.only_replaces_erased(uuid,_uuid,_uuid)|form=security invoker, stable, returns bool, search_path=""|owner=postgres
function app.origin_of_cursors()|form=security invoker, immutable, returns text, search_path=""|granted to public_api=EXECUTE|owner=postgres
function app.overdue(text)|form=security invoker, stable, returns setof app.overdue_rows, search_path="", enable_seqscan=off, enable_bitmapscan=off, enable_sort=off|owner=postgres
function app.page_headers()|form=security invoker, immutable, returns text, search_path=""|granted to public_api=EXECUTE|owner=postgres
function app.page_of_changes(text,uuid,_text,int4,xid8,uuid,xid8,uuid,xid8,text,xid8,text)|form=security invoker, volatile, returns record, search_path="", jit=off|granted to public_api=EXECUTE|owner=postgres
function app.periods(text,timestamptz,timestamptz,text)|form=security invoker, stable, returns setof record, search_path=""|granted to public_api=EXECUTE|owner=postgres
function app.plain(text)|form=security invoker, stable, returns text, search_path=""|granted to public_api=EXECUTE|owner=postgres
function app.prepare_file(uuid,text)|form=security invoker, volatile, returns void, search_path=""|owner=postgres
function app.purge_some(uuid,timestamptz,timestamptz,text)|form=security invoker, volatile, returns record, search_path="", enable_seqscan=off, enable_bitmapscan=off, enable_sort=off, lock_timeout=2s|owner=postgres
function app.rarest_kudos_filter(uuid,timestamptz,timestamptz,uuid,uuid,uuid)|form=security invoker, stable, returns text, search_path="", enable_bitmapscan=off, jit=off|granted to public_api=EXECUTE|owner=postgres
function app.rarest_members_filter(uuid,uuid,text)|form=security invoker, stable, returns text, search_path="", enable_bitmapscan=off, jit=off|granted to public_api=EXECUTE|owner=postgres
function app.record_api_key_event()|form=security definer, volatile, returns trigger, search_path=""|owner=postgres
function app.record_deletions()|form=security invoker, volatile, returns trigger, search_path=""|owner=postgres
function app.record_old_id()|form=security invoker, volatile, returns trigger, search_path=""|owner=postgres
function app.refuse_change()|form=security invoker, volatile, returns trigger, search_path=""|owner=postgres
function app.refuse_cursor(uuid,uuid)|form=security invoker, stable, returns void, search_path=""|granted to public_api=EXECUTE|owner=postgres
function app.refuse_starting_after(uuid,uuid)|form=security invoker, stable, returns void, search_path=""|granted to public_api=EXECUTE|owner=postgres
function app.refuse_without_row_security()|form=security invoker, stable, returns void, search_path=""|granted to public_api=EXECUTE|owner=postgres
function app.renew_statistics()|form=security invoker, volatile, returns void, search_path=""|owner=postgres
function app.repeated_cells_query(text)|form=security invoker, immutable, returns text, search_path=""|owner=postgres
function app.requests_at_once()|form=security invoker, stable, returns int4, search_path=""|granted to public_api=EXECUTE|owner=postgres
function app.require_open_company(uuid)|form=security invoker, volatile, returns void, search_path=""|owner=postgres
function app.require_settled_company(uuid)|form=security invoker, volatile, returns void, search_path=""|owner=postgres
function app.respond(uuid,uuid,json)|form=security invoker, volatile, returns json, search_path=""|granted to public_api=EXECUTE|owner=postgres
function app.revoke_key(text,text)|form=security invoker, volatile, returns record, search_path="", lock_timeout=5s|owner=postgres
function app.rows_of_others(uuid)|form=security invoker, volatile, returns setof record, search_path=""|owner=postgres
function app.scopes()|form=security invoker, immutable, returns _text, search_path=""|granted to authenticated=EXECUTE|owner=postgres
function app.serve_keys(regprocedure)|form=security invoker, volatile, returns void, search_path=""|owner=postgres
function app.staging_problems(uuid)|form=security invoker, stable, returns setof record, search_path=""|owner=postgres
function app.take_turn_of_total(app.verified_key)|form=security invoker, volatile, returns void, search_path=""|granted to public_api=EXECUTE|owner=postgres
function app.totals_at_once()|form=security invoker, stable, returns int4, search_path=""|granted to public_api=EXECUTE|owner=postgres
function app.unknown_ids_query(text)|form=security invoker, immutable, returns text, search_path=""|owner=postgres
function app.wants_second_factor()|form=security definer, stable, returns bool, search_path="", row_security=off|granted to authenticated=EXECUTE|owner=postgres
function app.write_file(uuid,text)|form=security invoker, volatile, returns record, search_path="", enable_hashjoin=off, enable_mergejoin=off, enable_seqscan=off, enable_material=off|owner=postgres
function app.write_query(text)|form=security invoker, immutable, returns text, search_path=""|owner=postgres
function app.wrong_cells_query(text)|form=security invoker, immutable, returns text, search_path=""|owner=postgres
function public.average_day_ratings(text,_text,timestamptz,timestamptz,text,uuid)|form=security definer, volatile, returns app."application/json", search_path="", enable_seqscan=off, jit=off, work_mem=32MB, lock_timeout=5s, statement_timeout=7s|granted to service_role=EXECUTE|owner=public_api
function public.count_activity(text,_text,timestamptz,timestamptz,text,uuid,uuid,uuid)|form=security definer, volatile, returns app."application/json", search_path="", enable_seqscan=off, jit=off, work_mem=32MB, lock_timeout=5s, statement_timeout=7s|granted to service_role=EXECUTE|owner=public_api
function public.create_api_key(text,_text,timestamptz)|form=security invoker, volatile, returns json, search_path=""|granted to authenticated=EXECUTE|owner=postgres
function public.let_assistant_read(text,_text,timestamptz,text)|form=security definer, volatile, returns json, search_path=""|granted to authenticated=EXECUTE|owner=postgres
function public.link_member()|form=security invoker, volatile, returns json, search_path=""|granted to authenticated=EXECUTE|owner=postgres
function public.list_activity(text,int4,timestamptz,timestamptz,uuid,uuid,uuid,uuid,_text,timestamptz)|form=security definer, volatile, returns app."application/json", search_path="", plan_cache_mode=force_generic_plan, enable_seqscan=off, enable_sort=off, jit=off, lock_timeout=5s, statement_timeout=7s|granted to service_role=EXECUTE|owner=public_api
function public.list_api_key_events(uuid,int4,int4)|form=security invoker, stable, returns json, search_path=""|granted to authenticated=EXECUTE|owner=postgres
function public.list_api_keys()|form=security invoker, stable, returns json, search_path=""|granted to authenticated=EXECUTE|owner=postgres
function public.list_categories(text,int4,uuid,timestamptz)|form=security definer, volatile, returns app."application/json", search_path="", plan_cache_mode=force_generic_plan, enable_seqscan=off, enable_sort=off, jit=off, lock_timeout=5s, statement_timeout=7s|granted to service_role=EXECUTE|owner=public_api
function public.list_changes(text,text,int4,text,_text)|form=security definer, volatile, returns app."application/json", search_path="", plan_cache_mode=force_generic_plan, enable_seqscan=off, enable_sort=off, jit=off, lock_timeout=5s, statement_timeout=7s|granted to service_role=EXECUTE|owner=public_api
function public.list_day_ratings(text,int4,timestamptz,timestamptz,uuid,uuid,_text,timestamptz)|form=security definer, volatile, returns app."application/json", search_path="", plan_cache_mode=force_generic_plan, enable_seqscan=off, enable_sort=off, jit=off, lock_timeout=5s, statement_timeout=7s|granted to service_role=EXECUTE|owner=public_api
function public.list_members(text,int4,uuid,text,uuid,text,text,timestamptz)|form=security definer, volatile, returns app."application/json", search_path="", plan_cache_mode=force_generic_plan, enable_seqscan=off, enable_sort=off, jit=off, lock_timeout=5s, statement_timeout=7s|granted to service_role=EXECUTE|owner=public_api
function public.list_pulse_responses(text,int4,timestamptz,timestamptz,uuid,_text,timestamptz)|form=security definer, volatile, returns app."application/json", search_path="", plan_cache_mode=force_generic_plan, enable_seqscan=off, enable_sort=off, jit=off, lock_timeout=5s, statement_timeout=7s|granted to service_role=EXECUTE|owner=public_api
function public.list_rewards(text,int4,bool,uuid,_text,text,timestamptz)|form=security definer, volatile, returns app."application/json", search_path="", plan_cache_mode=force_generic_plan, enable_seqscan=off, enable_sort=off, jit=off, lock_timeout=5s, statement_timeout=7s|granted to service_role=EXECUTE|owner=public_api
function public.list_teams(text,int4,uuid,timestamptz)|form=security definer, volatile, returns app."application/json", search_path="", plan_cache_mode=force_generic_plan, enable_seqscan=off, enable_sort=off, jit=off, lock_timeout=5s, statement_timeout=7s|granted to service_role=EXECUTE|owner=public_api
function public.note_refused_use(text,text)|form=security definer, volatile, returns app."application/json", search_path="", jit=off, lock_timeout=5s, statement_timeout=7s|granted to service_role=EXECUTE|owner=public_api
function public.read_page(text,text,int4,uuid,text,uuid,text,text,timestamptz,timestamptz,timestamptz,uuid,uuid,uuid,_text,bool,text,text,text)|form=security definer, stable, returns app."application/json", search_path="", jit=off, statement_timeout=2s|granted to service_role=EXECUTE|owner=public_api
function public.redeem_assistant_code(text,text)|form=security definer, volatile, returns json, search_path="", lock_timeout=5s|granted to service_role=EXECUTE|owner=postgres
function public.rename_api_key(uuid,text)|form=security invoker, volatile, returns json, search_path="", lock_timeout=5s|granted to authenticated=EXECUTE|owner=postgres
function public.replace_api_key(uuid,interval,timestamptz)|form=security invoker, volatile, returns json, search_path="", lock_timeout=5s|granted to authenticated=EXECUTE|owner=postgres
function public.revoke_api_key(uuid)|form=security invoker, volatile, returns json, search_path="", lock_timeout=5s|granted to authenticated=EXECUTE|owner=postgres
function public.upsert_rewards(text,text,bool)|form=security definer, volatile, returns app."application/json", search_path="", jit=off, lock_timeout=5s, statement_timeout=7s|granted to service_role=EXECUTE|owner=public_api
function public.verify_api_key(text,text)|form=security definer, volatile, returns app."application/json", search_path="", jit=off, lock_timeout=5s, statement_timeout=7s|granted to service_role=EXECUTE|owner=public_api
index app.api_key_events_newest|form=on app.api_key_events using btree (company_id, created_at desc, id desc)|state=valid
index app.api_keys_created_by|form=on app.api_keys using btree (company_id, created_by)|state=valid
index app.api_keys_newest|form=on app.api_keys using btree (company_id, created_at desc, id desc)|state=valid
index app.api_keys_revoked_by|form=on app.api_keys using btree (company_id, revoked_by)|state=valid
index app.assistant_codes_member_id|form=on app.assistant_codes using btree (company_id, member_id)|state=valid
index app.categories_changed|form=on app.categories using btree (company_id, changed_in, id)|state=valid
index app.categories_newest|form=on app.categories using btree (company_id, created_at desc, id desc)|state=valid
index app.day_ratings_changed|form=on app.day_ratings using btree (company_id, changed_in, id)|state=valid
index app.day_ratings_newest|form=on app.day_ratings using btree (company_id, created_at desc, id desc)|state=valid
index app.day_ratings_team_newest|form=on app.day_ratings using btree (company_id, team_id, created_at desc, id desc)|state=valid
index app.deletions_in_order|form=on app.deletions using btree (company_id, relation, deleted_in, id)|state=valid
index app.kudos_category_newest|form=on app.kudos using btree (company_id, category_id, created_at desc, id desc)|state=valid
index app.kudos_changed|form=on app.kudos using btree (company_id, changed_in, id)|state=valid
index app.kudos_newest|form=on app.kudos using btree (company_id, created_at desc, id desc)|state=valid
index app.kudos_receiver_newest|form=on app.kudos using btree (company_id, receiver_id, created_at desc, id desc)|state=valid
index app.kudos_sender_newest|form=on app.kudos using btree (company_id, sender_id, created_at desc, id desc)|state=valid
index app.members_changed|form=on app.members using btree (company_id, changed_in, id)|state=valid
index app.members_email|form=on app.members using btree ((an expression))|state=valid
index app.members_email_key|form=unique on app.members using btree (company_id, (an expression))|state=valid
index app.members_former|form=unique on app.members using btree (company_id) where …|state=valid
index app.members_newest|form=on app.members using btree (company_id, created_at desc, id desc)|state=valid
index app.members_role_newest|form=on app.members using btree (company_id, role, created_at desc, id desc)|state=valid
index app.members_team_newest|form=on app.members using btree (company_id, team_id, created_at desc, id desc)|state=valid
index app.pulse_responses_changed|form=on app.pulse_responses using btree (company_id, changed_in, id)|state=valid
index app.pulse_responses_newest|form=on app.pulse_responses using btree (company_id, created_at desc, id desc)|state=valid
index app.pulse_responses_question|form=on app.pulse_responses using btree (company_id, question_id)|state=valid
index app.rewards_changed|form=on app.rewards using btree (company_id, changed_in, id)|state=valid
index app.rewards_current_newest|form=on app.rewards using btree (company_id, created_at desc, id desc) where …|state=valid
index app.rewards_newest|form=on app.rewards using btree (company_id, created_at desc, id desc)|state=valid
index app.teams_changed|form=on app.teams using btree (company_id, changed_in, id)|state=valid
index app.teams_newest|form=on app.teams using btree (company_id, created_at desc, id desc)|state=valid
policy admin_insert on app.api_keys|form=permissive for insert to authenticated with check by app.current_admin(), company_id
policy admin_read on app.api_key_events|form=permissive for select to authenticated using by app.current_admin(), company_id
policy admin_read on app.api_key_uses|form=permissive for select to authenticated using by app.current_admin(), company_id
policy admin_read on app.api_keys|form=permissive for select to authenticated using by app.current_admin(), company_id
policy admin_read on app.members|form=permissive for select to authenticated using by app.current_admin(), company_id
policy admin_update on app.api_keys|form=permissive for update to authenticated using with check by app.current_admin(), company_id
policy api_insert on app.rewards|form=permissive for insert to public_api with check by app.current_company_id(), company_id
policy api_read on app.categories|form=permissive for select to public_api using by app.current_company_id(), company_id
policy api_read on app.companies|form=permissive for select to public_api using by app.current_company_id(), id
policy api_read on app.day_ratings|form=permissive for select to public_api using by app.current_company_id(), company_id
policy api_read on app.deletions|form=permissive for select to public_api using by app.current_company_id(), company_id
policy api_read on app.forgotten_deletions|form=permissive for select to public_api using by app.current_company_id(), company_id
policy api_read on app.kudos|form=permissive for select to public_api using by app.current_company_id(), company_id
policy api_read on app.members|form=permissive for select to public_api using by app.current_company_id(), company_id
policy api_read on app.pulse_questions|form=permissive for select to public_api using by app.current_company_id(), company_id
policy api_read on app.pulse_responses|form=permissive for select to public_api using by app.current_company_id(), company_id
policy api_read on app.rewards|form=permissive for select to public_api using by app.current_company_id(), company_id
policy api_read on app.teams|form=permissive for select to public_api using by app.current_company_id(), company_id
policy api_update on app.rewards|form=permissive for update to public_api using with check by app.current_company_id(), company_id
procedure app.forget_all_deletions(int8)|form=security invoker, volatile, returns record|owner=postgres
procedure app.purge_before(uuid,timestamptz)|form=security invoker, volatile, returns void|owner=postgres
procedure app.purge_expired()|form=security invoker, volatile, returns void|owner=postgres
procedure app.purge_table(uuid,timestamptz,text,int8,float8,int8,text,text)|form=security invoker, volatile, returns record|owner=postgres
schema api|granted to public_api=USAGE|owner=postgres
schema app|granted to authenticated=USAGE|granted to public_api=USAGE|granted to service_role=USAGE|owner=postgres
schema staging|owner=postgres
sequence app.api_key_events_id_seq|owner=postgres
sequence staging.categories_position_seq|owner=postgres
sequence staging.day_ratings_position_seq|owner=postgres
sequence staging.kudos_position_seq|owner=postgres
sequence staging.members_position_seq|owner=postgres
sequence staging.pulse_questions_position_seq|owner=postgres
sequence staging.pulse_responses_position_seq|owner=postgres
sequence staging.teams_position_seq|owner=postgres
table app.api_key_events|granted to authenticated=SELECT|owner=postgres
table app.api_key_uses|granted to authenticated=SELECT|owner=postgres
table app.api_keys|columns granted to authenticated=INSERT (name), INSERT (scopes), INSERT (expires_at), SELECT (company_id), SELECT (id), SELECT (name), SELECT (scopes), SELECT (hint), SELECT (created_at), SELECT (created_by), SELECT (expires_at), SELECT (revoked_at), SELECT (revoked_by), SELECT (replaced_by), SELECT (assistant), UPDATE (name), UPDATE (expires_at), UPDATE (revoked_at), UPDATE (replaced_by)|owner=postgres
table app.arriving_companies|owner=postgres
table app.assistant_codes|owner=postgres
table app.categories|granted to public_api=SELECT|owner=postgres
table app.category_names|owner=postgres
table app.companies|columns granted to public_api=SELECT (id), SELECT (name)|owner=postgres
table app.day_ratings|granted to public_api=SELECT|owner=postgres
table app.deleted_companies|owner=postgres
table app.deletions|granted to public_api=SELECT|owner=postgres
table app.erasures|owner=postgres
table app.forgotten_deletions|granted to public_api=SELECT|owner=postgres
table app.kudos|granted to public_api=SELECT|owner=postgres
table app.member_accounts|owner=postgres
table app.members|columns granted to authenticated=SELECT (company_id), SELECT (id), SELECT (name)|granted to public_api=SELECT|owner=postgres
table app.pulse_questions|granted to public_api=SELECT|owner=postgres
table app.pulse_responses|granted to public_api=SELECT|owner=postgres
table app.rewards|columns granted to public_api=INSERT (company_id), INSERT (external_id), INSERT (name), INSERT (description), INSERT (points_cost), INSERT (reward_type), INSERT (stock_count), INSERT (image_url), INSERT (vendor_name), INSERT (is_archived), UPDATE (name), UPDATE (description), UPDATE (points_cost), UPDATE (reward_type), UPDATE (stock_count), UPDATE (image_url), UPDATE (vendor_name), UPDATE (is_archived)|granted to public_api=SELECT|owner=postgres
table app.teams|granted to public_api=SELECT|owner=postgres
table staging.categories|owner=postgres
table staging.day_ratings|owner=postgres
table staging.kudos|owner=postgres
table staging.members|owner=postgres
table staging.pulse_questions|owner=postgres
table staging.pulse_responses|owner=postgres
table staging.teams|owner=postgres
trigger begin_changes on app.companies|form=after insert for each row execute function app.begin_changes()
trigger change_api_key on app.api_keys|form=before update for each row execute function app.change_api_key()
trigger end_changes on app.companies|form=after delete for each row execute function app.end_changes()
trigger make_api_key on app.api_keys|form=before insert for each row execute function app.make_api_key()
trigger mark_answers on app.pulse_questions|form=after update for each row when … execute function app.mark_answers()
trigger name_categories on app.companies|form=after update of default_language for each row when … execute function app.name_categories_again()
trigger name_category on app.category_names|form=after insert or delete or update for each row execute function app.name_category()
trigger name_no_category on app.category_names|form=after truncate for each statement execute function app.name_category()
trigger number_insert on app.categories|form=before insert for each row when … execute function app.number_change()
trigger number_insert on app.day_ratings|form=before insert for each row when … execute function app.number_change()
trigger number_insert on app.kudos|form=before insert for each row when … execute function app.number_change()
trigger number_insert on app.members|form=before insert for each row when … execute function app.number_change()
trigger number_insert on app.pulse_responses|form=before insert for each row when … execute function app.number_change()
trigger number_insert on app.rewards|form=before insert for each row when … execute function app.number_change()
trigger number_insert on app.teams|form=before insert for each row when … execute function app.number_change()
trigger number_update on app.categories|form=before update for each row when … execute function app.number_change()
trigger number_update on app.day_ratings|form=before update for each row when … execute function app.number_change()
trigger number_update on app.kudos|form=before update for each row when … execute function app.number_change()
trigger number_update on app.members|form=before update for each row when … execute function app.number_change()
trigger number_update on app.pulse_responses|form=before update for each row when … execute function app.number_change()
trigger number_update on app.rewards|form=before update for each row when … execute function app.number_change()
trigger number_update on app.teams|form=before update for each row when … execute function app.number_change()
trigger record_api_key_event on app.api_keys|form=after insert or update for each row execute function app.record_api_key_event()
trigger record_deletions on app.categories|form=after delete old table deleted for each statement execute function app.record_deletions()
trigger record_deletions on app.day_ratings|form=after delete old table deleted for each statement execute function app.record_deletions()
trigger record_deletions on app.kudos|form=after delete old table deleted for each statement execute function app.record_deletions()
trigger record_deletions on app.members|form=after delete old table deleted for each statement execute function app.record_deletions()
trigger record_deletions on app.pulse_responses|form=after delete old table deleted for each statement execute function app.record_deletions()
trigger record_deletions on app.rewards|form=after delete old table deleted for each statement execute function app.record_deletions()
trigger record_deletions on app.teams|form=after delete old table deleted for each statement execute function app.record_deletions()
trigger record_old_id on app.categories|form=after update for each row when … execute function app.record_old_id()
trigger record_old_id on app.day_ratings|form=after update for each row when … execute function app.record_old_id()
trigger record_old_id on app.kudos|form=after update for each row when … execute function app.record_old_id()
trigger record_old_id on app.members|form=after update for each row when … execute function app.record_old_id()
trigger record_old_id on app.pulse_responses|form=after update for each row when … execute function app.record_old_id()
trigger record_old_id on app.rewards|form=after update for each row when … execute function app.record_old_id()
trigger record_old_id on app.teams|form=after update for each row when … execute function app.record_old_id()
trigger record_truncate on app.categories|form=after truncate for each statement execute function app.record_deletions()
trigger record_truncate on app.day_ratings|form=after truncate for each statement execute function app.record_deletions()
trigger record_truncate on app.kudos|form=after truncate for each statement execute function app.record_deletions()
trigger record_truncate on app.members|form=after truncate for each statement execute function app.record_deletions()
trigger record_truncate on app.pulse_responses|form=after truncate for each statement execute function app.record_deletions()
trigger record_truncate on app.rewards|form=after truncate for each statement execute function app.record_deletions()
trigger record_truncate on app.teams|form=after truncate for each statement execute function app.record_deletions()
trigger refuse_change on app.api_key_events|form=before delete or update for each row execute function app.refuse_change()
trigger refuse_truncate on app.api_key_events|form=before truncate for each statement execute function app.refuse_change()
type app.overdue_rows|owner=postgres
type app.verified_key|granted to public_api=USAGE|owner=postgres
view api.activity|granted to public_api=SELECT|owner=postgres
view api.categories|granted to public_api=SELECT|owner=postgres
view api.day_ratings|granted to public_api=SELECT|owner=postgres
view api.members|granted to public_api=SELECT|owner=postgres
view api.pulse_responses|granted to public_api=SELECT|owner=postgres
view api.rewards|granted to public_api=SELECT|owner=postgres
view api.teams|granted to public_api=SELECT|owner=postgres
$expected$ as expected \gset
