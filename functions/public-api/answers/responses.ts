/** A `Uint8Array` with its own buffer: older TypeScript allows no type argument for it, newer ones require it. */
export type Bytes = ReturnType<TextEncoder["encode"]>;

/** The answer to the caller, without the headers that toResponse adds to every response. */
export type Answer = {
  status: number;
  headers?: Record<string, string>;
  body: BodyInit | null;
  /** Of a page: whether it has more than 1 MiB, or may have. */
  isLarge?: boolean;
};

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

/** The outcome of a request: the answer, and fields for the log, never with a key, a hash, a parameter or data. */
export type Outcome = { answer: Answer; logged: Logged };

type Details = { headers?: Record<string, string>; logged?: Logged; reason?: string | undefined };

/**
 * An error response: the caller gets `message`, the log gets `logged` (`docs/api.md`, Errors), and for a 4xx `reason`: the
 * message, unless that has something from the caller. It is no `Error`: a stack trace takes 5 µs, and nobody reads it.
 */
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

/**
 * The error when the caller has disconnected. Nobody receives it; in the log it shows that the service has not failed.
 */
export function gone(owner: Logged = {}): ApiError {
  return new ApiError(499, "Client Closed Request", { logged: { ...owner, error: "the caller went away" } });
}

/** What is wrong with a time zone, also with one that only the database does not know. */
export const wrongTimeZone = "must be UTC or the IANA name of a time zone, such as Europe/Berlin";

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
  return JSON.stringify(name).replace(/[;\p{C}\p{Zl}\p{Zp}]/gu, escapeUnits);
}

function escapeUnits(text: string): string {
  return text.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** What a web page may read of the headers. */
export const exposedHeaders = "X-Request-Id, X-Has-More, Link, Retry-After, Content-Disposition";

/** Builds the response, with `more` headers; a HEAD request gets the headers of the GET (`docs/api.md`, Requests). */
export function toResponse(
  { status, headers, body }: Answer,
  requestId: string,
  more: Record<string, string>,
  isHead: boolean,
): Response {
  if (isHead && body instanceof ReadableStream) body.cancel().catch(() => {});
  // An empty stream: for null the server would send Content-Length: 0.
  const sent = isHead ? new ReadableStream({ start: (controller) => controller.close() }) : body;
  return new Response(sent, {
    status,
    headers: {
      "X-Request-Id": requestId,
      "Cache-Control": "private, no-store",
      "X-Content-Type-Options": "nosniff",
      "Access-Control-Allow-Origin": "*",
      "Access-Control-Expose-Headers": exposedHeaders,
      ...headers,
      ...more,
    },
  });
}

/** The answer to a CORS preflight (`docs/api.md`, Requests). */
export function preflight(allowed: string, isMcp: boolean): Answer {
  const names = "Authorization, X-API-Key, Content-Type, apikey, X-Client-Info";
  return {
    status: 204,
    headers: {
      "Access-Control-Allow-Methods": allowed,
      "Access-Control-Allow-Headers": isMcp ? `${names}, MCP-Protocol-Version, Mcp-Method, Mcp-Name` : names,
    },
    body: null,
  };
}

/** A 200 with a JSON body, as text or as the database sent it. */
export function json(body: BodyInit, headers: Record<string, string> = {}): Answer {
  return { status: 200, headers: { "Content-Type": "application/json", ...headers }, body };
}

/** The JSON body of an error (`docs/api.md`, Errors). */
export function errorAnswer({ status, message, headers }: ApiError): Answer {
  return { ...json(JSON.stringify({ error: message }), headers), status };
}

/** The text of a body, or, if it has more bytes, its beginning: then the rest is not read. */
export async function textOf(body: BodyInit | null, maxBytes: number): Promise<{ text: string; isWhole: boolean }> {
  const decoder = new TextDecoder();
  let [text, bytes] = ["", 0];
  for await (const piece of new Response(body).body ?? []) {
    bytes += piece.length;
    text += decoder.decode(piece, { stream: true });
    if (bytes > maxBytes) return { text, isWhole: false };
  }
  return { text: text + decoder.decode(), isWhole: true };
}
