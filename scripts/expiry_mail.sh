#!/bin/sh
# Emails each admin of a company 14, 3, and 1 days (in UTC) before a key expires that is neither revoked nor replaced
# (docs/operate/dashboard.md, Expiry emails). Needs psql and curl, and in the environment: DATABASE_URL (role postgres,
# without the password), PGPASSWORD, SMTP_URL, MAIL_FROM, DASHBOARD_URL. The messages of psql and curl are not shown: for
# an address that is not well-formed they have parts of it, a password too.
set -u
: "$DATABASE_URL" "$SMTP_URL" "$MAIL_FROM" "$DASHBOARD_URL"

# The database makes the date, because the language of `date` is the machine's.
emails=$(psql "$DATABASE_URL" --no-psqlrc --tuples-only --no-align --field-separator="$(printf '\t')" --command "
  select m.email, to_char(k.expires_at at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI\"Z\"'), k.hint, k.name, c.name,
    case when k.assistant is null then 'Replace it' else 'Connect ' || k.assistant || ' again' end,
    gen_random_uuid(), to_char(now() at time zone 'UTC', 'Dy, DD Mon YYYY HH24:MI:SS \"+0000\"')
  from app.api_keys as k
  join app.companies as c on c.id = k.company_id
  join app.members as m on m.company_id = k.company_id and m.role = 'admin' and not m.is_former
  where k.revoked_at is null and k.replaced_by is null
    and (k.expires_at at time zone 'UTC')::date - (now() at time zone 'UTC')::date in (14, 3, 1)
  order by m.email, k.expires_at" 2>/dev/null) || {
  echo "No expiry email was sent: psql ended with exit code $? (2: no connection with DATABASE_URL)" >&2
  exit 1
}
[ -n "$emails" ] || exit 0

all=0 failed=0
while IFS="$(printf '\t')" read -r to until hint name company remedy id date; do
  all=$((all + 1))
  printf '%s\r\n' "From: <$MAIL_FROM>" "To: <$to>" "Subject: An API key expires soon" "Date: $date" \
    "Message-ID: <$id@${MAIL_FROM##*@}>" "MIME-Version: 1.0" \
    "Content-Type: text/plain; charset=utf-8" "Content-Transfer-Encoding: 8bit" "" \
    "The API key \"$name\" ($hint) of $company works until $until." "$remedy in time: $DASHBOARD_URL/integrations/public-api?view=attention" |
    curl --silent --netrc-optional "$SMTP_URL" --mail-from "$MAIL_FROM" --mail-rcpt "$to" --upload-file - || {
    code=$? failed=$((failed + 1))
  }
done <<END
$emails
END
[ "$failed" -eq 0 ] || {
  echo "$failed of $all expiry emails were not sent: curl ended with exit code $code (7: no connection with SMTP_URL)" >&2
  exit 1
}
