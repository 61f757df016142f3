import { Tooltip } from "@mantine/core";
import type { ApiKey } from "../database.ts";

/** The region of a language. Some browsers name one that is no language tag, such as `en-US@posix`. */
function regionOf(language: string): string {
  try {
    return new Intl.Locale(language).maximize().region ?? "GB";
  } catch {
    return "GB";
  }
}

/** English words, with the order of the day and the clock of the browser's region. */
const locale = `en-${regionOf(navigator.language)}`;

const formats = {
  moment: new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" }),
  day: new Intl.DateTimeFormat(locale, { dateStyle: "medium" }),
  utcDay: new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone: "UTC" }),
  weekday: new Intl.DateTimeFormat(locale, { weekday: "short", day: "numeric", month: "short", year: "numeric" }),
  clock: new Intl.DateTimeFormat(locale, { timeStyle: "short" }),
};

/** `21 Nov 2026, 10:15` in the viewer's own time zone. */
const localTime = (iso: string): string => formats.moment.format(new Date(iso));

/** `Sat, 21 Nov 2026` in the viewer's own time zone. */
export const localWeekday = (iso: string): string => formats.weekday.format(new Date(iso));

/** A day, `2026-11-21`, as `21 Nov 2026`: it is the same day in every time zone. */
export const localDay = (day: string): string => formats.utcDay.format(new Date(day));

/** The last days in UTC, as `2026-11-21`, today last. */
export const lastDays = (count: number): string[] =>
  Array.from({ length: count }, (_, place) =>
    new Date(Date.now() - (count - 1 - place) * 24 * 3600 * 1000).toISOString().slice(0, 10),
  );

/** `New York time`, which a line break does not divide. */
export const zone = `${Intl.DateTimeFormat().resolvedOptions().timeZone.split("/").at(-1)} time`.replaceAll(
  /[_ ]/g,
  "\u00a0",
);

/** `end of 30 Jun 2027`: an end, in the viewer's own time zone. A day's first moment ends the day before. */
function shortEnd(iso: string): string {
  const end = new Date(iso);
  const before = new Date(end.getTime() - 1);
  return before.getDate() !== end.getDate() ? `end of ${formats.day.format(before)}` : formats.moment.format(end);
}

/** `end of 30 Jun 2027 (New York time)` */
export const localEnd = (iso: string): string => `${shortEnd(iso)} (${zone})`;

const steps = [
  ["year", 365 * 24 * 3600],
  ["month", 30 * 24 * 3600],
  ["day", 24 * 3600],
  ["hour", 3600],
  ["minute", 60],
] as const;
const relative = new Intl.RelativeTimeFormat(locale);

/** `3 days ago`. What was within the last minute is `just now`, also when the service's clock is ahead. */
export function ago(iso: string): string {
  const seconds = (Date.now() - Date.parse(iso)) / 1000;
  const [unit, length] = steps.find(([, length]) => seconds >= length) ?? [];
  return unit === undefined || length === undefined ? "just now" : relative.format(-Math.floor(seconds / length), unit);
}

const texts = {
  moment: localTime,
  day: (iso: string) => formats.day.format(new Date(iso)),
  clock: (iso: string) => formats.clock.format(new Date(iso)),
  end: localEnd,
  shortEnd,
};

/** A date-time in the viewer's time zone. */
export function When({ at, as = "moment" }: { at: string; as?: keyof typeof texts }) {
  return <time dateTime={at}>{texts[as](at)}</time>;
}

/** How long ago something was. Its tooltip, which the keyboard reaches too, has the moment, and in UTC as in the API. */
export function Ago({ at }: { at: string }) {
  return (
    <Tooltip
      label={`${localTime(at)} (${at.slice(0, 19).replace("T", " ")} UTC)`}
      events={{ hover: true, focus: true, touch: true }}
      interactive
      closeDelay={100}
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: so that the tooltip can be read without a mouse */}
      <time dateTime={at} tabIndex={0}>
        {ago(at)}
      </time>
    </Tooltip>
  );
}

/** The end of a sentence about a key: `has never been used` or `was last used on 21 Nov 2026, 10:15`. */
export function LastUse({ apiKey: { last_used_at } }: { apiKey: ApiKey }) {
  if (last_used_at === null) return <>has never been used</>;
  return (
    <>
      was last used on <When at={last_used_at} />
    </>
  );
}
