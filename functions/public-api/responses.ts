/** Bytes with a buffer of their own: in the TypeScript of the platform's Deno `Uint8Array` takes no argument, in newer ones it must. */
export type Bytes = ReturnType<TextEncoder["encode"]>;

/** What goes back to the caller, before the headers that every response has. */
export type Answer = {
  status: number;
  headers?: Record<string, string>;
  body: BodyInit | null;
};

/** What the log line of a request says of its outcome. */
export type Logged = {
  rows?: number;
  key_id?: string;
  company_id?: string;
  waited_milliseconds?: number;
  error?: string;
};

type Details = { headers?: Record<string, string>; logged?: Logged };

/** A refusal or a failure: `message` is what the caller reads, `logged` goes to the request's log line only (`docs/api.md`, Errors). */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly logged: Logged;

  constructor(status: number, message: string, { headers = {}, logged = {} }: Details = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
    this.logged = logged;
  }
}

/** The one 401 for every key that is no good; only the log says why (`docs/api.md`, Errors). */
export function unauthorized(why: string): ApiError {
  return new ApiError(401, "Unauthorized: Invalid or missing API Key", {
    headers: { "WWW-Authenticate": "Bearer" },
    logged: { error: why },
  });
}

/** The 429 of a request whose turn did not come in time (`docs/api.md`, Limits). */
export function tooManyRequests(why: string, owner: Logged = {}): ApiError {
  return new ApiError(429, "Too Many Requests", { headers: { "Retry-After": "1" }, logged: { ...owner, error: why } });
}

/** What becomes of a request whose caller has gone away. Nobody gets it; in the log it is told from a failure. */
export function gone(): ApiError {
  return new ApiError(499, "Client Closed Request", { logged: { error: "the caller went away" } });
}

/** A 400 that lists what is wrong: at most 20 problems, none of which holds `; `. `more` have been counted besides (`docs/api.md`, Errors). */
export function badRequest(problems: readonly string[], more = 0): ApiError {
  const shown = problems.slice(0, 20);
  const rest = problems.length - shown.length + more;
  return new ApiError(400, [...shown, ...(rest > 0 ? [`and ${rest} more`] : [])].join("; "));
}

/** A name that the caller made up, fit to stand in a message: as it is, escaped when it is odd, by its length when it is long. */
export function shownName(name: string): string {
  if (/^[A-Za-z_][\w.-]{0,63}$/.test(name)) return name;
  let length = 0;
  for (const _ of name) length++;
  if (length > 64) return `a name of ${length} characters`;
  return JSON.stringify(name).replace(/[;\p{C}\p{Zl}\p{Zp}]/gu, escapeUnits);
}

function escapeUnits(text: string): string {
  return text.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Puts together the response that leaves the function; a HEAD request gets the headers of the GET (`docs/api.md`, Requests). */
export function toResponse({ status, headers, body }: Answer, requestId: string, isHead: boolean): Response {
  if (isHead && body instanceof ReadableStream) body.cancel().catch(() => {});
  // An empty stream and not null, for which the server would say Content-Length: 0.
  const sent = isHead ? new ReadableStream({ start: (controller) => controller.close() }) : body;
  return new Response(sent, {
    status,
    headers: {
      "X-Request-Id": requestId,
      "Cache-Control": "private, no-store",
      "X-Content-Type-Options": "nosniff",
      "Access-Control-Allow-Origin": "*",
      "Access-Control-Expose-Headers": "X-Request-Id, X-Has-More, Content-Disposition",
      ...headers,
    },
  });
}

/** The answer to a CORS preflight (`docs/api.md`, Requests). */
export function preflight(allowed: string): Answer {
  return {
    status: 204,
    headers: {
      "Access-Control-Allow-Methods": allowed,
      "Access-Control-Allow-Headers": "Authorization, X-API-Key, Content-Type",
    },
    body: null,
  };
}

/** A JSON body, as text or as the stream that comes from the database. */
export function json(body: string | ReadableStream | null, headers: Record<string, string> = {}): Answer {
  return { status: 200, headers: { "Content-Type": "application/json", ...headers }, body };
}

/** The JSON object that every error has as its body (`docs/api.md`, Errors). */
export function errorAnswer({ status, message, headers }: ApiError): Answer {
  return { ...json(JSON.stringify({ error: message }), headers), status };
}
