const format = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });

/** `21 Nov 2026, 10:15` in the viewer's own time zone. */
export const localTime = (iso: string): string => format.format(new Date(iso));

/** A date-time in the viewer's zone; pointing at it shows it in UTC, as the API writes it. */
export function When({ at }: { at: string }) {
  return (
    <time dateTime={at} title={`${at.slice(0, 19).replace("T", " ")} UTC`}>
      {localTime(at)}
    </time>
  );
}
