const format = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });
const dayFormat = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium" });
const weekdayFormat = new Intl.DateTimeFormat("en-GB", {
  weekday: "short",
  day: "numeric",
  month: "short",
  year: "numeric",
});
const timeFormat = new Intl.DateTimeFormat("en-GB", { timeStyle: "short" });
const zoneFormat = new Intl.DateTimeFormat("en-GB", { timeZoneName: "short" });

/** `21 Nov 2026, 10:15` in the viewer's own time zone. */
export const localTime = (iso: string): string => format.format(new Date(iso));

/** `21 Nov 2026` in the viewer's own time zone. */
export const localDay = (iso: string): string => dayFormat.format(new Date(iso));

/** `Sat, 21 Nov 2026` in the viewer's own time zone. */
export const localWeekday = (iso: string): string => weekdayFormat.format(new Date(iso));

/** `10:15` in the viewer's own time zone. */
const localClock = (iso: string): string => timeFormat.format(new Date(iso));

/** `30 Jun 2027, 24:00 CEST`: an end, in the viewer's own time zone. Midnight is 24:00 of the day before. */
export function localEnd(iso: string): string {
  const end = new Date(iso);
  const zone = zoneFormat.formatToParts(end).find(({ type }) => type === "timeZoneName")?.value;
  const time = timeFormat.format(end);
  const endsDay = time === "00:00" && end.getSeconds() === 0;
  const day = endsDay ? new Date(end.getTime() - 1) : end;
  return `${dayFormat.format(day)}, ${endsDay ? "24:00" : time} ${zone}`;
}

const formats = { moment: localTime, day: localDay, clock: localClock, end: localEnd };

/** A date-time in the viewer's time zone. Its tooltip shows it in UTC, the time zone of the API. */
export function When({ at, as = "moment" }: { at: string; as?: keyof typeof formats }) {
  return (
    <time dateTime={at} title={`${at.slice(0, 19).replace("T", " ")} UTC`}>
      {formats[as](at)}
    </time>
  );
}
