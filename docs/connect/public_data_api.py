"""Reads complete lists of the public data API (programs.md)."""

import csv
import io
import os
import time
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPRedirectHandler, Request, build_opener


class Stay(HTTPRedirectHandler):
    """Followed, a redirect would carry the key to another host."""

    def redirect_request(self, *_):
        return None


opener = build_opener(Stay)
# A cell may be longer than the 131,072 characters that csv allows.
csv.field_size_limit(2**31 - 1)
base = os.environ["PUBLIC_API_URL"].rstrip("/")
# Python's error about a line break in a header would print the key.
key = "".join(os.environ["PUBLIC_API_KEY"].split())

# The columns that are only sent on request: the ids that join the lists.
INCLUDE = {
    "/activity": {"include": "sender_id,receiver_id,category_id"},
    "/rewards": {"include": "external_id"},
    "/day-ratings": {"include": "team_name"},
    "/pulse-responses": {"include": "question_id"},
}


def ask(path, parameters):
    """The rows of one request, its columns, and whether there are more. Retries while the API is busy: six requests at most."""
    query = urlencode({**INCLUDE.get(path, {}), **parameters, "format": "csv", "limit": 1000})
    request = Request(base + path + "?" + query, headers={"X-API-Key": key})
    for attempt in range(6):
        try:
            with opener.open(request, timeout=60) as response:
                reader = csv.DictReader(io.StringIO(response.read().decode(), newline=""))
                return list(reader), reader.fieldnames, response.headers["X-Has-More"] != "false"
        except HTTPError as error:
            if attempt == 5 or (error.code != 429 and error.code < 500):
                raise SystemExit(f"{error.code}: {error.read().decode()}")
            wait = error.headers.get("Retry-After", "")
            time.sleep(min(int(wait) if wait.isdigit() else 2**attempt, 120))


def whole(path, **filters):
    """Every row of a list, newest first, and its columns."""
    rows, columns, more = ask(path, filters)
    while more:
        last = rows[-1]
        time_of_last = last.get("timestamp") or last["created_at"]
        page, _, more = ask(path, {**filters, "starting_after": f"{time_of_last}_{last['id']}"})
        rows += page
    return rows, columns


def save(name, rows, columns):
    """Writes a CSV file; an older one is there until the new one is complete."""
    with open(name + ".part", "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerows(rows)
    os.replace(name + ".part", name)


if __name__ == "__main__":
    for path in ["members", "teams", "activity", "categories", "rewards", "day-ratings", "pulse-responses"]:
        save(path + ".csv", *whole("/" + path))
