import { type Logged, unexpected } from "./errors.ts";

/** The log line of a request, never with a key, a hash, a parameter or data. */
export function logLine(
  served: { request_id: string; method: string; path: string; status: number; milliseconds: number },
  logged: Logged,
): string {
  return JSON.stringify({
    time: new Date().toISOString(),
    ...served,
    method: loggable(served.method),
    path: loggable(served.path),
    milliseconds: tenths(served.milliseconds),
    ...{ rows: null, key_id: null, company_id: null, waited_milliseconds: 0, ...logged },
  });
}

/** The log line of a rejection that nothing has handled. Of no request, as far as anybody knows. */
export function unhandled(reason: unknown): string {
  return JSON.stringify({ time: new Date().toISOString(), error: `unhandled: ${unexpected(reason).logged.error}` });
}

/** A time of the log. */
export const tenths = (milliseconds: number): number => Math.round(milliseconds * 10) / 10;

/** A path or method, without what a caller may have put there by mistake, such as a key or an email address. */
function loggable(text: string): string {
  return text.slice(0, 200).replace(/[^/]*[^/A-Za-z_-][^/]*|[^/]{25,}/g, "…");
}
