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
    ["a refusal is noted of a key that works", /and \(k\.revoked_at is not null or k\.expires_at <= now\(\)\)/],
    ["every refusal is noted", /free\.refused_at > now\(\) - interval '1 minute'/, "false"],
    ["a refusal is noted where a company has moved away from", /and c\.serving = 'open'/],
  ],
  "app.current_admin": [
    ["everybody is an admin", /\(?m\.role = 'admin'::text\)?/, "true"],
    ["the admin of a company that has moved manages its keys", /AND \(c\.serving = 'open'::text\)/],
  ],
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
    ["a quick check is a use", / or headers ->> 'x-quick-check' = 'true'/],
  ],
  "public.list_changes": [
    ["a cursor of another list or company is good", /left\(after, 8\) <> origin/, "false"],
    [
      "a cursor from the future is good",
      /least\(after_transaction, began\) < 0\s+or/,
      "least(after_transaction, began) < 0 and",
    ],
    ["what a running transaction has changed is shown", /horizon::text(?=::xid8, origin)/, "'9000000000000000000'"],
    ["numbers of another server are passed over", /if served_page\.are_foreign/, "if false"],
    ["a cursor from before what is forgotten is good", /\(f\.deleted_in, f\.id\) > \(.*, after_id\)/, "false"],
    ["the last forgotten cursor is refused", /\(f\.deleted_in, f\.id\) > \((.*), after_id\)/, "f.deleted_in >= $1"],
    ["a copy is refused for what was forgotten before it began", /and f\.deleted_in >= began::text::xid8/],
    ["a copy that begins gets earlier deletions", /greatest\((after_transaction), began - 1\)/, "$1"],
  ],
  "app.page_of_changes": [
    ["a row that is there again comes as deleted", /there is null as deleted/, "true as deleted"],
    ["what is in both indexes comes twice in a page", /where d\.id not in \([^()]*(\([^()]*\)[^()]*)*\)/],
    ["a page is not filled when deletions are left out", /limit 2 \* \(max_rows \+ 1\)/, "limit max_rows + 1"],
    ["a copy that begins forgets where", /case when changed_in < began then/, "case when false then"],
    ["changes have the deletions of other lists", / and d\.relation = 'app\.\w+'::regclass/],
  ],
  "app.forget_deletions": [
    ["deletions are forgotten after 80 days", /interval '90 days'/, "interval '80 days'"],
    ["younger deletions are forgotten behind an old one", /exit when/, "continue when"],
    ["a deletion dated in the future keeps older ones", /and d\.deleted_at <= clock_timestamp\(\)/],
  ],
  "app.record_old_id": [["an id that an update replaces is not deleted", /insert into app\.deletions[\s\S]*?;/]],
  "app.rarest_members_filter": [["the filter that most members match leads", /case least\(/, "case greatest("]],
  "app.rarest_kudos_filter": [["the filter that most kudos match leads", /case least\(/, "case greatest("]],
  "public.replace_api_key": [
    ["a replaced key is replaced again", /replaced\.replaced_by is not null or/],
    ["an expired key is replaced", / or replaced\.expires_at <= now\(\)/],
    ["an overlap of any length", /overlap not in \([^)]*\)/, "false"],
  ],
};
