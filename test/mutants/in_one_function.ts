// Protections and rules of the database that are in one function only, each removed by replacing a part of its text.

/** What is removed from a function, the text that is replaced, and by what, unless by nothing. */
export type Removal = [what: string, from: RegExp, to?: string];

export const inOne: Record<string, Removal[]> = {
  "app.authenticate": [
    ["a revoked key is let in", /and k\.revoked_at is null/],
    ["an expired key is let in", /and \(k\.expires_at is null or k\.expires_at > now\(\)\)/],
    ["scopes are not checked", /required_scope <> all \(verified\.scopes\)/, "false"],
    ["the company of a key is not set", /bound_to := set_config\('app\.company_id'[^;]*;/],
    ["a company that is moving is written", /serving = 'moving' and/, "false and"],
    ["a company that was left readable is written", /serving = 'readable'/, "false"],
    ["a company that was closed is served", / or serving = 'closed'/],
    ["a use is recorded where a company has moved away from", /if serving = 'open' and/, "if"],
    ["every use is recorded", /last_use > now\(\) - interval '1 minute'/, "false"],
    ["a last use in the future stays", /and last_use < now\(\) \+ interval '1 minute'/],
  ],
  "app.note_refused_use": [
    ["a refusal is noted of a key that works", /k\.revoked_at is not null or k\.expires_at <= now\(\)/, "true"],
    ["a lack of a scope is noted of a dead key", /is_dead and/],
    ["a lack of a scope is noted of a key that has it", /missing_scope <> all \(k\.scopes\) and/],
    ["every refusal is noted", /(?<=is_dead) and app\.may_note\([^)]*\)/],
    ["every wrong import is noted", /u\.forbidden_reason is null or app\.may_note\([^)]*\)/, "true"],
    ["every lack of a scope is noted", /and app\.may_note\(u\.forbidden_at[^)]*\)/],
    ["a refusal is noted where a company has moved away from", /and c\.serving = 'open'/],
  ],
  "app.current_admin": [
    ["everybody is an admin", /\(?m\.role = 'admin'::text\)?/, "true"],
    ["the admin of a company that has moved manages its keys", /AND \(c\.serving = 'open'::text\)/],
    ["a password is enough for an account with a second factor", /AND app\.has_shown_factor\(\)/],
  ],
  "app.wants_second_factor": [
    ["the code is asked for again and again", /\(auth\.jwt\(\) ->> 'aal'\) is distinct from 'aal2'/, "true"],
    ["everybody is asked for somebody's code", /f\.user_id = \(select auth\.uid\(\)\)/, "true"],
    ["a factor that was never verified counts", /and f\.status = 'verified'/],
  ],
  "public.link_member": [["who has a second factor is linked without it", /app\.wants_second_factor\(\)/, "false"]],
  "public.redeem_assistant_code": [["a second factor is asked for again", /, 'aal', 'aal2'/]],
  "app.link_member": [
    ["an unconfirmed address is linked", /account\.email_confirmed_at is null/, "false"],
    ["one of several members is linked", /candidates\.found > 1/, "false"],
    ["a linked member is linked again", /and not exists \([^;]*?m\.id\)/],
  ],
  "app.insert_api_key": [
    ["the key stays in the transaction that made it", /perform set_config\('app\.new_api_key', '', true\);/],
  ],
  "app.change_api_key": [
    ["scopes and hash of a key can change", /new := old;/],
    ["a revoked key is revoked again", /old\.revoked_at is not null/, "false"],
    ["a key is replaced twice", / and old\.replaced_by is null/],
    ["an overlap makes a key live longer", /least\(old\.expires_at, requested\.expires_at\)/, "requested.expires_at"],
  ],
  "app.delete_accounts": [
    ["an account that was never linked outlives its person", /lower\(u\.email\) in \(/, "null in ("],
    ["somebody else's linked account goes with a person", /and not exists \([^()]*u\.id\)/],
    ["an account goes that another company's member has", /lower\(m\.email\) = lower\(u\.email\)/, "false"],
  ],
  "app.note_use": [
    ["a use is recorded while the database is read-only", /current_setting\('default_transaction_read_only'\)\S+ or/],
    ["a quick check is a use", /headers ->> 'x-quick-check' = 'true'/, "false"],
    ["every quick check is noted", /app\.may_note\(u\.checked_at\)/, "true"],
    ["a use within the minute is recorded", /app\.may_note\(u\.last_used_at,[^)]*\)/, "true"],
    ["the day is that of the session's zone", /now\(\) at time zone 'UTC'/, "now()"],
    ["days are kept for long", /today - 29/, "today - 299"],
  ],
  "app.may_note": [
    ["a time in the future counts", /AND \(noted_at < .*?::interval\)\)/],
    ["GET / takes the minute of another endpoint", /\(noted_endpoint = 'GET \/'::text\) AND/],
    ["GET / keeps its minute", /OR \(\(\(noted_endpoint.*IS TRUE\)/],
  ],
  "app.category_name": [
    ["the company's language does not come first", /\(n\.language = company\.default_language\) DESC,/],
    ["pt-br is not pt-BR", /\(lower\(n\.language\) = lower\(company\.default_language\)\) DESC,/],
    ["English does not come before others", /\(n\.language = 'en'::text\) DESC,/],
  ],
  "app.name_categories": [["a category whose name stays is written", /and c\.name <> app\.category_name\([^)]*\)/]],
  "app.forget_cursors": [
    [
      "a mark falls within a transaction",
      /ROW\(forgotten\.deleted_in, forgotten\.id\) < ROW\(excluded\.deleted_in, excluded\.id\)/,
      "forgotten.deleted_in < excluded.deleted_in",
    ],
  ],
  "public.count_activity": [
    ["midnight counts twice", /k\.created_at < period\.ends/, "k.created_at <= period.ends"],
    [
      "the window without since is a year",
      /app\.first_of_window\(\$3, \$4, \$5\)/,
      "coalesce($3, $4 - interval '12 months')",
    ],
  ],
  "public.average_day_ratings": [["an average has zeros at its end", /trim_scale/]],
  "public.list_members": [
    [
      "an address is found in every team",
      /and \(list_members\.team_id is null or v\.team_id = list_members\.team_id\)/,
    ],
  ],
  "public.upsert_rewards": [
    ["a changed reward is not written", /kept is distinct from jsonb_populate_record\([^)]*\)/, "false"],
    ["a reward keeps its vendor", /r\.vendor_name(?=\s+from jsonb_populate_record\()/, "kept.vendor_name"],
  ],
  "public.list_changes": [
    ["another company's forgotten deletions refuse a cursor", /f\.company_id = company/, "true"],
    ["a cursor of another list or company is good", /left\(after, 8\) = origin/, "true"],
    [
      "a cursor from the future is good",
      /after_transaction < pg_snapshot_xmax/,
      "true or after_transaction < pg_snapshot_xmax",
    ],
    ["cursors of moods show transactions", /case when list in \('day-ratings', 'pulse-responses'\) then 0 end/, "null"],
    ["a copy passes over deletions", /if found then/, "if false then"],
    ["numbers of another server are passed over", /if are_foreign/, "if false"],
    ["a cursor from before what is forgotten is good", /\(f\.deleted_in, f\.id\) > \(.*?, after_id\)/, "false"],
    ["the last forgotten cursor is refused", /\(f\.deleted_in, f\.id\) > \((.*), after_id\)/, "f.deleted_in >= $1"],
    ["a copy is refused for what was forgotten before it began", /and f\.deleted_in >= s\.began/],
    ["a copy that begins gets earlier deletions", /greatest\((after_transaction), began - 1\)/, "$1"],
  ],
  "lists.cursor": [["a copy that begins forgets where", /CASE WHEN \(changed_in < .*? THEN/, "CASE WHEN false THEN"]],
  "lists.unmask_cursor": [["an altered cursor of moods is good", /right\(block, 8\) = left\(cursor, 8\)/, "true"]],
  "lists.is_in": [["a page does not name the company", /\(company_id = [^)]*\)\.company_id\)/, "true"]],
  "lists.is_after": [
    ["changes do not name the company", /\(company_id = [^)]*\)\.company\)/, "true"],
    ["what a running transaction has changed is shown", /AND \(changed_in < .*?\)(?=\))/],
  ],
  "lists.changed_and_deleted": [
    ["a row that is there again comes as deleted", /shown is null as deleted/, "true as deleted"],
    ["what is in both indexes comes twice in a page", /where d\.id not in \([^()]*\)/],
    ["a page is not filled when deletions are left out", /limit 2 \* \(\$1\.max_rows \+ 1\)/, "limit $1.max_rows + 1"],
    ["changes have the deletions of other lists", / and d\.relation = \$2/],
    ["a full page is the last one", /(?<=limit \$1\.max_rows) \+ 1\s*\), whole/, "), whole"],
  ],
  "app.forget_deletions": [
    ["deletions are forgotten after 80 days", /interval '90 days'/, "interval '80 days'"],
    ["younger deletions are forgotten behind an old one", /exit when/, "continue when"],
    ["a deletion dated in the future keeps older ones", /and d\.deleted_at <= clock_timestamp\(\)/],
    ["a mark falls", /where \(forgotten\.deleted_in.*/, ";"],
  ],
  "app.record_old_id": [["an id that an update replaces is not deleted", /insert into app\.deletions[\s\S]*?;/]],
  "lists.rarest_member_filter": [["the filter that most members match leads", /(?<=as of_team\s+\)) <=/, " >"]],
  "lists.rarest_kudos_filter": [["the filter that most kudos match leads", /case least\(/, "case greatest("]],
  "public.replace_api_key": [
    ["a replaced key is replaced again", /replaced\.replaced_by is not null or/],
    ["an expired key is replaced", / or replaced\.expires_at <= now\(\)/],
    ["an overlap of any length", /overlap not in \([^)]*\)/, "false"],
  ],
};
