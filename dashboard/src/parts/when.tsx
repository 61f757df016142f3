import { Tooltip } from "@mantine/core";

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

const saying = (options: Intl.DateTimeFormatOptions) => {
  const format = new Intl.DateTimeFormat(locale, options);
  return (iso: string): string => format.format(new Date(iso));
};

/** A date-time in words, in the viewer's own time zone. */
export const inWords = {
  moment: saying({ dateStyle: "medium", timeStyle: "short" }),
  day: saying({ dateStyle: "medium" }),
  weekday: saying({ weekday: "short", day: "numeric", month: "short", year: "numeric" }),
  clock: saying({ timeStyle: "short" }),
  /** A day, `2026-11-21`: it is the same day in every time zone. */
  utcDay: saying({ dateStyle: "medium", timeZone: "UTC" }),
  /** `end of 30 Jun 2027`: a day's first moment ends the day before. */
  shortEnd(iso: string): string {
    const [end, before] = [new Date(iso), new Date(Date.parse(iso) - 1)];
    return before.getDate() === end.getDate() ? this.moment(iso) : `end of ${this.day(before.toISOString())}`;
  },
  /** `end of 30 Jun 2027 (New York time)` */
  end(iso: string): string {
    return `${this.shortEnd(iso)} (${zone})`;
  },
};

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

/** A date-time in the viewer's time zone. */
export function When({ at, as = "moment" }: { at: string; as?: keyof typeof inWords }) {
  return <time dateTime={at}>{inWords[as](at)}</time>;
}

/** How long ago something was. Its tooltip, which the keyboard reaches too, has the moment, and in UTC as in the API. */
export function Ago({ at }: { at: string }) {
  return (
    <Tooltip
      label={`${inWords.moment(at)} (${at.slice(0, 19).replace("T", " ")} UTC)`}
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
