// since and until (docs/api.md, Lists).
import { type BadRequests, get } from "./bad_request.ts";

const noDateTimes = (...values: string[]) =>
  values.flatMap((value, index) => {
    const path = ["/activity", "/day-ratings", "/pulse-responses"][index % 3];
    const name = index % 2 === 0 ? "since" : "until";
    return get(`${path}?${name}=${value}`, `${name} must be an ISO 8601 date-time`);
  });

export const dateTimes: BadRequests = {
  "a date-time must not be empty": noDateTimes("", "%20", "null", "undefined"),

  "words are no date-times, also not those that PostgreSQL knows": noDateTimes(
    "now",
    "now()",
    "today",
    "yesterday",
    "tomorrow",
    "infinity",
    "-infinity",
    "epoch",
    "allballs",
  ),

  "a day that does not exist is refused": noDateTimes(
    "2026-02-30",
    "2026-02-29",
    "2100-02-29",
    "1900-02-29T10:00Z",
    "2026-04-31",
    "2026-13-01",
    "2026-00-10",
    "2026-01-00",
    "2026-01-32T00:00:00Z",
  ),

  "a year must be 0001 to 9999, in four digits": noDateTimes(
    "0000-01-01",
    "10000-01-01",
    "%2B2026-01-01",
    "-0001-01-01",
    "-2026-01-01T00:00Z",
    "26-01-01",
    "2026-01-01%20BC",
  ),

  "a time of day must be 00:00:00 to 23:59:59.999999999: no 24:00, no leap second": noDateTimes(
    "2026-01-01T24:00",
    "2026-01-01T24:00:00Z",
    "2026-12-31T23:59:60Z",
    "2026-01-01T23:60Z",
    "2026-01-01T25:00Z",
    "2026-01-01T10:15:61Z",
    "2026-01-01T-1:00Z",
  ),

  "a fraction has one to nine digits after a dot": noDateTimes(
    "2026-01-01T10:15:30.Z",
    "2026-01-01T10:15:30.1234567890Z",
    "2026-01-01T10:15:30,5Z",
    "2026-01-01T10:15.5Z",
    "2026-01-01T10:15:30.12a",
  ),

  "a zone is Z, ±hh, ±hh:mm or ±hhmm": noDateTimes(
    "2026-01-01T10:15%2B24:00",
    "2026-01-01T10:15%2B02:60",
    "2026-01-01T10:15%2B2",
    "2026-01-01T10:15%2B020",
    "2026-01-01T10:15%2B02:0",
    "2026-01-01T10:15%2B02:00:00",
    "2026-01-01T10:15z",
    "2026-01-01T10:15ZZ",
    "2026-01-01T10:15UTC",
    "2026-01-01T10:15%20UTC",
    "2026-01-01T10:15++02:00",
    "2026-01-01T10:15[Europe/Berlin]",
    "2026-01-01Z",
    "2026-01-01%2B02:00",
    "2026-01-01T10:15%E2%88%9202:00",
  ),

  "other ways to write a date are refused": noDateTimes(
    "2026-1-1",
    "20260101",
    "20260101T101530Z",
    "2026-01",
    "2026",
    "2026-W03-1",
    "2026-015",
    "2026/01/01",
    "01.01.2026",
    "01/31/2026",
    "1767225600",
    "1767225600000",
    "2026-01-01T",
    "2026-01-01T10",
    "2026-01-01T1015",
    "2026-01-01t10:15Z",
    "2026-01-01%2010:15",
    "2026-01-01T10:15:30Z%20",
    "%202026-01-01",
    "2026-01-01%0A",
    "2026-01-01%00",
    "'2026-01-01'",
    "%222026-01-01%22",
    "Thu,%2001%20Jan%202026%2000:00:00%20GMT",
    "%D9%A2026-01-01",
    "2026-01-01T10:15Z;drop%20table",
    "P1D",
    "2026-01-01/2026-01-02",
  ),

  "since after until is refused, by a nanosecond too": [
    "since=2026-01-02&until=2026-01-01",
    "until=2026-01-01&since=2026-01-02",
    "since=2026-01-01T00:00:00.000000001Z&until=2026-01-01T00:00:00Z",
    "since=2026-01-01T10:00Z&until=2026-01-01T11:00%2B02:00",
    "since=2026-01-02T00:00Z&until=2026-01-01",
    "since=9999-12-31T23:59:59.999999999-23:59&until=9999-12-31",
  ].map((query) => get(`/activity?${query}`, "since must not be after until")),
};
