/** The fields of a log line about the outcome of a request. */
export type Logged = {
  /** The tool that an assistant has called, and the status of its endpoint. */
  tool?: string;
  status?: number;
  rows?: number;
  key_id?: string;
  company_id?: string;
  waited_milliseconds?: number;
  /** Of a list, where there are read replicas: which server it is from, why not a replica, and the replica's lag. */
  served_by?: "primary" | "replica";
  replica_error?: string;
  replica_lag_milliseconds?: number;
  error?: string;
  /** Of a 4xx: the parameter or field, and the rule that it broke. */
  reason?: string;
};

type Details = { headers?: Record<string, string>; logged?: Logged; reason?: string | undefined };

/** An error response: `message` is for the caller, `logged` for the log. No `Error`: stack traces take 5 µs each. */
export class ApiError {
  readonly status: number;
  readonly message: string;
  readonly headers: Record<string, string>;
  readonly logged: Logged;

  constructor(status: number, message: string, { headers = {}, logged = {}, reason }: Details = {}) {
    this.status = status;
    this.message = message;
    this.headers = headers;
    this.logged = status < 500 ? { reason: reason ?? logged.error ?? message, ...logged } : logged;
  }
}

/** The error for a path that is unknown. */
export const notFound = (path: string): ApiError =>
  new ApiError(404, `Not Found: ${path}`, { reason: "the path is unknown" });

/** The same 401 for every invalid key; only the log says why, and whose key it was (`docs/api.md`, Errors). */
export function unauthorized(why: string, owner: Logged = {}): ApiError {
  return new ApiError(401, "Unauthorized: Invalid or missing API Key", {
    headers: { "WWW-Authenticate": "Bearer" },
    logged: { ...owner, error: why },
  });
}

/** The 429 of a request that waited too long (`docs/api.md`, Limits). */
export function tooManyRequests(why: string, owner: Logged = {}): ApiError {
  return new ApiError(429, "Too Many Requests", { headers: { "Retry-After": "1" }, logged: { ...owner, error: why } });
}

/** The caller has disconnected. Nobody receives this error; in the log it shows that the service has not failed. */
export function gone(owner: Logged = {}): ApiError {
  return new ApiError(499, "Client Closed Request", { logged: { ...owner, error: "the caller went away" } });
}

/** The 500 for an error that nobody foresaw. Its message is not logged, because it may contain data. */
export function unexpected(error: unknown): ApiError {
  const { name, stack } = error instanceof Error || error instanceof DOMException ? error : new Error();
  const place = /[\w-]+\.ts:\d+:\d+/.exec(stack ?? "")?.[0] ?? "an unknown place";
  return new ApiError(500, "Internal Server Error", { logged: { error: `${name} at ${place}` } });
}

/** A 400 with at most 20 problems (`docs/api.md`, Errors), of which none may contain `; `. `reason` is for the log. */
export function badRequest(problems: readonly string[], reason = problems[0]): ApiError {
  const shown = problems.slice(0, 20);
  const rest = problems.length - shown.length;
  return new ApiError(400, [...shown, ...(rest > 0 ? [`and ${rest} more`] : [])].join("; "), { reason });
}

/** A name from the caller for a message: unchanged, escaped if it has unusual characters, or only its length. */
export function shownName(name: string): string {
  if (/^[A-Za-z_][\w.-]{0,63}$/.test(name)) return name;
  let length = 0;
  for (const _ of name) length++;
  if (length > 64) return `a name of ${length} characters`;
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(name).replace(/[;\p{C}\p{Zl}\p{Zp}]/gu, (odd) => odd.replace(/./gs, escaped));
}
