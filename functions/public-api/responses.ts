/** Bytes with their own buffer: in the TypeScript of the platform's Deno `Uint8Array` takes no type argument, in newer versions it needs one. */
export type Bytes = ReturnType<TextEncoder["encode"]>;

/** The answer to the caller, before the headers that every response has are added. */
export type Answer = {
  status: number;
  headers?: Record<string, string>;
  body: BodyInit | null;
};

/** What the log line says about the outcome of a request. */
export type Logged = {
  rows?: number;
  key_id?: string;
  company_id?: string;
  waited_milliseconds?: number;
  error?: string;
};

type Details = { headers?: Record<string, string>; logged?: Logged };

/** A refusal or a failure: the caller gets `message`; `logged` goes to the log line only (`docs/api.md`, Errors). */
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

/** The one 401 for every invalid key; only the log says why (`docs/api.md`, Errors). */
export function unauthorized(why: string): ApiError {
  return new ApiError(401, "Unauthorized: Invalid or missing API Key", {
    headers: { "WWW-Authenticate": "Bearer" },
    logged: { error: why },
  });
}

/** The 429 of a request that waited too long (`docs/api.md`, Limits). */
export function tooManyRequests(why: string, owner: Logged = {}): ApiError {
  return new ApiError(429, "Too Many Requests", { headers: { "Retry-After": "1" }, logged: { ...owner, error: why } });
}

/** The outcome when the caller has disconnected. Nobody gets it; it tells the log that this is not a failure. */
export function gone(): ApiError {
  return new ApiError(499, "Client Closed Request", { logged: { error: "the caller went away" } });
}

/** A 400 that lists what is wrong: at most 20 problems, none of which contains `; `. `more` is the number of others (`docs/api.md`, Errors). */
export function badRequest(problems: readonly string[], more = 0): ApiError {
  const shown = problems.slice(0, 20);
  const rest = problems.length - shown.length + more;
  return new ApiError(400, [...shown, ...(rest > 0 ? [`and ${rest} more`] : [])].join("; "));
}

/** A name from the caller for use in a message: as it is, escaped when it has unusual characters, or its length when it is long. */
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

/** Builds the response; a HEAD request gets the headers of the GET (`docs/api.md`, Requests). */
export function toResponse({ status, headers, body }: Answer, requestId: string, isHead: boolean): Response {
  if (isHead && body instanceof ReadableStream) body.cancel().catch(() => {});
  // An empty stream, because for null the server would send Content-Length: 0.
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

/** The JSON body of an error (`docs/api.md`, Errors). */
export function errorAnswer({ status, message, headers }: ApiError): Answer {
  return { ...json(JSON.stringify({ error: message }), headers), status };
}
