/** A point in time to the nanosecond: whole seconds since 1970 and nanoseconds after them (0 to 999,999,999). */
export type Instant = { seconds: number; nanoseconds: number };

const dateTime =
  /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(?:Z|([+ -])(\d\d)(?::?(\d\d))?)?)?$/;

/**
 * Parses a date-time, or a date: its first instant for `since`, its last for `until` (`docs/api.md`, Lists). Without a
 * zone it is UTC. Undefined if invalid.
 */
export function parseInstant(text: string, bound: "since" | "until"): Instant | undefined {
  const match = dateTime.exec(text);
  if (!match) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const [fraction = "", sign, zoneHour = "0", zoneMinute = "0"] = match.slice(7);

  const midnight = new Date(0);
  midnight.setUTCFullYear(year, month - 1, day);
  // Date changes a day that does not exist in its month to a day of the next month.
  const isRealDate = year > 0 && midnight.getUTCMonth() === month - 1;
  const isRealTime = hour < 24 && minute < 60 && second < 60 && Number(zoneHour) < 24 && Number(zoneMinute) < 60;
  if (!isRealDate || !isRealTime) return undefined;

  const start = midnight.getTime() / 1000;
  if (match[4] === undefined && bound === "until") return { seconds: start + 86_399, nanoseconds: 999_999_999 };
  // A plus sign that was not percent-encoded arrives as a space.
  const east = (Number(zoneHour) * 3600 + Number(zoneMinute) * 60) * (sign === "-" ? -1 : 1);
  return {
    seconds: start + hour * 3600 + minute * 60 + second - east,
    nanoseconds: Number(fraction.padEnd(9, "0")),
  };
}

/** Whether `a` is later than `b`. */
export function isAfter(a: Instant, b: Instant): boolean {
  return a.seconds === b.seconds ? a.nanoseconds > b.nanoseconds : a.seconds > b.seconds;
}

/**
 * ISO 8601 in UTC with microseconds, the precision of PostgreSQL. An offset can move the year out of 1 to 9999;
 * PostgreSQL accepts that.
 */
export function timestamp({ seconds, nanoseconds }: Instant, round: (value: number) => number): string {
  const microseconds = round(nanoseconds / 1000);
  const date = new Date((seconds + Math.floor(microseconds / 1_000_000)) * 1000);
  const year = date.getUTCFullYear();
  const digits = (value: number, count: number) => String(value).padStart(count, "0");
  const monthToSecond = date.toISOString().slice(-20, -5);
  const era = year > 0 ? "" : " BC";
  return `${digits(year > 0 ? year : 1 - year, 4)}${monthToSecond}.${digits(microseconds % 1_000_000, 6)}Z${era}`;
}
