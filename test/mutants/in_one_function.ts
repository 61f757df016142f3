// Protections of the database that are in one function only, each removed by replacing a part of its text. What is only
// right or wrong, such as the order of a list, each pgTAP file states itself.

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
  ],
  "public.list_changes": [
    ["another company's forgotten deletions refuse a cursor", /f\.company_id = company/, "true"],
    ["a cursor of another list or company is good", /left\(after, 8\) = origin/, "true"],
    ["cursors of moods show transactions", /case when list in \('day-ratings', 'pulse-responses'\) then 0 end/, "null"],
  ],
  "lists.unmask_cursor": [["an altered cursor of moods is good", /right\(block, 8\) = left\(cursor, 8\)/, "true"]],
  "lists.is_in": [["a page does not name the company", /\(company_id = [^)]*\)\.company_id\)/, "true"]],
  "lists.is_after": [
    ["changes do not name the company", /\(company_id = [^)]*\)\.company\)/, "true"],
    ["what a running transaction has changed is shown", /AND \(changed_in < .*?\)(?=\))/],
  ],
  "public.replace_api_key": [
    ["a replaced key is replaced again", /replaced\.replaced_by is not null or/],
    ["an expired key is replaced", / or replaced\.expires_at <= now\(\)/],
    ["an overlap of any length", /overlap not in \([^)]*\)/, "false"],
  ],
};
