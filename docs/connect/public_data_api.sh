# Reads complete lists of the public data API (programs.md).
set -eu

# Asks for one page; $more becomes true or false.
ask() {
  status=$(printf 'X-API-Key: %s\n' "$PUBLIC_API_KEY" |
    curl -sS --retry 5 -H @- -D head.part -o rows.part -w '%{http_code}' "${PUBLIC_API_URL%/}/$1")
  more=$(tr -d '\r' < head.part | grep -i '^x-has-more:' | tail -n 1 | cut -d ' ' -f 2)
  case $status$more in 200true | 200false) ;; *) { echo "No list of ${1%%\?*} (HTTP $status):" && cat rows.part; } >&2; exit 1 ;; esac
}

# Where the next page begins.
place() {
  tr -d '\r' < head.part | sed -n 's/^[Ll][Ii][Nn][Kk]:.*starting_after=\([^&>]*\).*/\1/p'
}

# Writes the list $1, with the filters $2, to the file $3. Some columns are only sent on request: the ids that join the lists.
whole() {
  case $1 in
    activity) include='&include=sender_id,receiver_id,category_id' ;;
    rewards) include='&include=external_id' ;;
    day-ratings) include='&include=team_name' ;;
    pulse-responses) include='&include=question_id' ;;
    *) include= ;;
  esac
  ask "$1?format=csv&limit=1000$2$include"
  cat rows.part > "$3.part"
  while [ "$more" != false ]; do
    ask "$1?format=csv&limit=1000$2$include&starting_after=$(place)"
    tail -n +2 rows.part >> "$3.part"
  done
  rm head.part rows.part
  mv "$3.part" "$3"
}

for list in ${LISTS:-members teams activity categories rewards day-ratings pulse-responses}; do whole "$list" "" "$list.csv"; done
