// Protections and rules of the database that are in one function only, each removed by replacing a part of its text.

/** What is removed, the function, and the text of it that is replaced. */
export const inOne: [name: string, routine: string, from: RegExp, to: string][] = [
  ["a revoked key is let in", "app.authenticate", /and k\.revoked_at is null/, ""],
  ["an expired key is let in", "app.authenticate", /and \(k\.expires_at is null or k\.expires_at > now\(\)\)/, ""],
  ["scopes are not checked", "app.authenticate", /required_scope <> all \(verified\.scopes\)/, "false"],
  ["the company of a key is not set", "app.authenticate", /bound_to := set_config\('app\.company_id'[^;]*;/, ""],
  ["everybody is an admin", "app.current_admin", /\(?m\.role = 'admin'::text\)?/, "true"],
  ["an unconfirmed address is linked", "app.link_member", /account\.email_confirmed_at is null/, "false"],
  ["one of several members is linked", "app.link_member", /candidates\.found > 1/, "false"],
  ["a linked member is linked again", "app.link_member", /and not exists \([^;]*?m\.id\)/, ""],
  [
    "the key stays in the transaction that made it",
    "app.insert_api_key",
    /perform set_config\('app\.new_api_key', '', true\);/,
    "",
  ],
  ["scopes and hash of a key can change", "app.change_api_key", /new := old;/, ""],
  ["a revoked key is revoked again", "app.change_api_key", /old\.revoked_at is not null/, "false"],
  ["a key is replaced twice", "app.change_api_key", / and old\.replaced_by is null/, ""],
  [
    "an overlap makes a key live longer",
    "app.change_api_key",
    /least\(old\.expires_at, requested\.expires_at\)/,
    "requested.expires_at",
  ],
  [
    "an account that was never linked outlives its person",
    "app.delete_accounts",
    /lower\(u\.email\) in \(/,
    "null in (",
  ],
  ["somebody else's linked account goes with a person", "app.delete_accounts", /and not exists \([^()]*u\.id\)/, ""],
  [
    "an account goes although another company's member has its address",
    "app.delete_accounts",
    /and not exists \(\s+select from app\.members(?:[^()]|\([^()]*(?:\([^()]*\))?[^()]*\))*\)/,
    "",
  ],
  // Companies that have moved.
  [
    "the admin of a company that has moved manages its keys",
    "app.current_admin",
    /AND \(c\.serving = 'open'::text\)/,
    "",
  ],
  ["a company that is moving is written", "app.authenticate", /serving = 'moving' and/, "false and"],
  ["a company that was left readable is written", "app.authenticate", /serving = 'readable'/, "false"],
  ["a company that was closed is served", "app.authenticate", / or serving = 'closed'/, ""],
  ["a use is recorded where a company has moved away from", "app.authenticate", /if serving = 'open' and/, "if"],
  // Last use.
  ["every use is recorded", "app.authenticate", /last_use > now\(\) - interval '1 minute'/, "false"],
  ["a last use in the future stays", "app.authenticate", /and last_use < now\(\) \+ interval '1 minute'/, ""],
  [
    "a use is recorded while the database is read-only",
    "app.note_use",
    /current_setting\('default_transaction_read_only'\)::boolean or/,
    "",
  ],
  // Changes.
  ["a cursor of another list or company is good", "public.list_changes", /left\(changed_after, 8\) <> origin/, "false"],
  ["a cursor from the future is good", "public.list_changes", /after_transaction < 0 or/, "after_transaction < 0 and"],
  [
    "what a running transaction has changed is shown",
    "public.list_changes",
    /horizon::text::xid8, origin/,
    "'9000000000000000000'::xid8, origin",
  ],
  ["numbers of another server are passed over", "public.list_changes", /if are_foreign/, "if false"],
  [
    "a cursor from before what is forgotten is good",
    "public.list_changes",
    /\(f\.deleted_in, f\.id\) > \(after_transaction::text::xid8, after_id\)/,
    "false",
  ],
  [
    "the cursor of the last that is forgotten is refused",
    "public.list_changes",
    /\(f\.deleted_in, f\.id\) > \(after_transaction::text::xid8, after_id\)/,
    "f.deleted_in >= after_transaction::text::xid8",
  ],
  [
    "a copy is refused for what was forgotten before it began",
    "public.list_changes",
    /and f\.deleted_in >= began::text::xid8/,
    "",
  ],
  [
    "a copy that begins is told of earlier deletions",
    "public.list_changes",
    /greatest\(after_transaction, began - 1\)::text::xid8/,
    "after_transaction::text::xid8",
  ],
  [
    "a row that is there again comes as deleted",
    "app.changes_query",
    /change\.deleted and not exists \([^)]*\)/,
    "change.deleted",
  ],
  ["changes have the deletions of other lists", "app.changes_query", /and d\.relation = 'app\.%1\$I'::regclass/, ""],
  ["deletions are forgotten after 80 days", "app.forget_deletions", /interval '90 days'/, "interval '80 days'"],
  // Replacing keys.
  ["a replaced key is replaced again", "public.replace_api_key", /replaced\.replaced_by is not null or/, ""],
  ["an expired key is replaced", "public.replace_api_key", / or replaced\.expires_at <= now\(\)/, ""],
  ["an overlap of any length", "public.replace_api_key", /overlap not in \([^)]*\)/, "false"],
];
