/** Whole seconds since 1970, and nanoseconds after them. `day`: it is the start or the end of a bare date, in UTC. */
export type Instant = { seconds: number; nanoseconds: number; day?: "start" | "end" };

const hour = "[01]\\d|2[0-3]";
const sixty = "[0-5]\\d";
const dateTime = new RegExp(
  `^(\\d{4}-\\d\\d-\\d\\d)(?:T((?:${hour}):${sixty})(?::(${sixty})(?:\\.(\\d{1,9}))?)?(?:Z|([+ -])(${hour})(?::?(${sixty}))?)?)?$`,
);

/** Parses a date-time, or a date: its first instant for `since`, its last for `until`; UTC. Undefined if invalid. */
export function parseInstant(text: string, bound: "since" | "until"): Instant | undefined {
  const [, day, time, second = "00", fraction = "", sign, zoneHour, zoneMinute] = dateTime.exec(text) ?? [];
  const date = new Date(`${day}T${time ?? "00:00"}:${second}Z`);
  // Date changes a day that does not exist in its month to a day of the next month.
  if (!day || day < "0001" || date.toJSON()?.startsWith(day) !== true) return undefined;

  const seconds = date.getTime() / 1000;
  if (time === undefined) {
    if (bound === "since") return { seconds, nanoseconds: 0, day: "start" };
    return { seconds: seconds + 86_399, nanoseconds: 999_999_999, day: "end" };
  }
  // A plus sign that was not percent-encoded arrives as a space.
  const east = (Number(zoneHour ?? 0) * 3600 + Number(zoneMinute ?? 0) * 60) * (sign === "-" ? -1 : 1);
  return { seconds: seconds - east, nanoseconds: Number(fraction.padEnd(9, "0")) };
}

/** The start or end of a bare date in a time zone, if there is one; any other instant unchanged. */
export function inZone(instant: Instant, timeZone: string | undefined): Instant {
  const { seconds, day } = instant;
  if (!timeZone) return instant;
  if (day === "start") return { ...instant, seconds: startOfDay(seconds, timeZone) };
  return day === "end" ? { ...instant, seconds: startOfDay(seconds + 1, timeZone) - 1 } : instant;
}

/** The first instant of a day in a time zone: of two midnights the first; where clocks skip midnight, that moment. */
function startOfDay(midnight: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "longOffset" });
  /** How many seconds clocks are ahead of UTC. */
  const ahead = (seconds: number) => {
    const [, sign, ...parts] = /GMT([+-])(\d+):(\d+):?(\d*)/.exec(format.format(seconds * 1000)) ?? [];
    const [hours = 0, minutes = 0, rest = 0] = parts.map(Number);
    return (hours * 3600 + minutes * 60 + rest) * (sign === "-" ? -1 : 1);
  };
  const [before, after] = [ahead(midnight - 86_400), ahead(midnight + 86_400)];
  const isBefore = ahead(midnight - before) === before;
  return !isBefore && ahead(midnight - after) === after ? midnight - after : midnight - before;
}

/** Whether `a` is later than `b`. */
export function isAfter(a: Instant, b: Instant): boolean {
  return a.seconds === b.seconds ? a.nanoseconds > b.nanoseconds : a.seconds > b.seconds;
}

/** ISO 8601 in UTC with microseconds, as PostgreSQL has it, which takes years that an offset moved out of 1 to 9999. */
export function timestamp({ seconds, nanoseconds }: Instant, round: (value: number) => number): string {
  const microseconds = round(nanoseconds / 1000);
  const date = new Date((seconds + Math.floor(microseconds / 1_000_000)) * 1000);
  const year = date.getUTCFullYear();
  const digits = (value: number, count: number) => String(value).padStart(count, "0");
  const monthToSecond = date.toISOString().slice(-20, -5);
  const era = year > 0 ? "" : " BC";
  return `${digits(year > 0 ? year : 1 - year, 4)}${monthToSecond}.${digits(microseconds % 1_000_000, 6)}Z${era}`;
}
