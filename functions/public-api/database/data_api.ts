import {
  ApiError,
  type Bytes,
  badRequest,
  type Logged,
  textOf,
  tooManyRequests,
  unauthorized,
  wrongTimeZone,
} from "../answers/responses.ts";
import { clearTimeout, setTimeout } from "../timing.ts";

/** The result of a database function: the headers that it set, its JSON as the reader returned it, log fields. */
export type Reply<Body> = { headers: Headers; body: Body; logged: Logged };
export type Reader<Body> = (response: Response) => Body | Promise<Body>;

/** The arguments of a database function: the hash of the key, and those of the endpoint. */
export type Arguments = { key_hash: string } & Record<string, unknown>;

/** A request for which the database is called, with the scope that it needs. */
export type Caller = {
  readonly scope: string | null;
  /** Method and path, such as `GET /activity`. */
  readonly endpoint: string;
  /** The headers with what the database notes as a use of the key (`app.note_use`). */
  readonly noted: Readonly<Record<string, string>>;
};

/** Calls the database function `rpc` for a request. */
export type CallDatabase = <Body>(
  rpc: string,
  args: Arguments,
  caller: Caller,
  read: Reader<Body>,
) => Promise<Reply<Body>>;

/** The error of a call that the database cannot serve now, but may soon: it is busy with the company, or was away. */
export class Busy extends ApiError {
  constructor({ status, message, ...details }: ApiError) {
    super(status, message, details);
  }
}

/** Reads the whole body. Throws if it breaks off. */
export const asText: Reader<string> = (response) => response.text();

/** A page: all its bytes, or a stream of them. */
export type Page = Bytes | ReadableStream<Uint8Array>;

/** How many bytes a page has; without Content-Length it may have any number. 1,000 ordinary rows have 400 kB. */
export const sizeOf = (headers: Headers): number => Number(headers.get("Content-Length") ?? Number.POSITIVE_INFINITY);

/**
 * Up to how many bytes a page is read as a whole: then one that breaks off or stops in the middle is a 500, as no stream
 * can be. JSON that is forwarded takes as long as if it were not read; CSV takes a third less time than as a stream.
 */
const wholeUpTo = { json: 64 * 1024, csv: 512 * 1024 };

/**
 * Whether a page passes through JavaScript as a stream, which can be broken off when nobody reads it. Others are forwarded
 * untouched, which takes half of the time, but twice the memory while nobody reads.
 */
export const isLarge = (headers: Headers): boolean => sizeOf(headers) > wholeUpTo.csv;

/** A page: all its bytes if it is small, or a stream, whose bytes never enter JavaScript when the answer has this body. */
export const asPage =
  (format: keyof typeof wholeUpTo): Reader<Page> =>
  async (response) =>
    sizeOf(response.headers) > wholeUpTo[format]
      ? (response.body ?? new ReadableStream())
      : new Uint8Array(await response.arrayBuffer());

/** Cancels the body of a reply that nobody waits for. */
export function discard({ body }: Reply<unknown>): void {
  if (body instanceof ReadableStream) body.cancel().catch(() => {});
}

/** The address of the project, that of the API for callers, the secret key, and the read replicas that serve lists. */
export type Settings = {
  readonly supabaseUrl: string;
  readonly baseUrl: string;
  readonly secretKey: string;
  readonly readUrls: readonly string[];
  readonly signIn?: SignInSettings;
};

/** The addresses for assistants that sign in: the API, the dashboard, and what people give to assistants for `/mcp`. */
export type SignInSettings = { readonly baseUrl: string; readonly dashboardUrl: string; readonly mcpUrl: string };

/**
 * What is not sent again when it may have been done: an import would then count its rewards as unchanged, a code would be
 * used up and its key lost. Their callers repeat them.
 */
const sentOnce = ["upsert_rewards", "redeem_assistant_code"];

/** How long a database function may take to respond, in milliseconds, including the body if all of it is read. */
export const deadline = 8000;

/**
 * Reads the addresses of the project, of the API and of read replicas, and the secret key, from the environment.
 * Throws an Error that names the setting and does not show its value.
 */
export function readSettings(env: (name: string) => string | undefined): Settings {
  const supabaseUrl = address(env("SUPABASE_URL") ?? "", "SUPABASE_URL must be the address of the project");
  const baseUrl = env("PUBLIC_API_URL") || `${supabaseUrl}/functions/v1/public-api`;
  const dashboardUrl = env("PUBLIC_API_DASHBOARD_URL") ?? "";
  const mcpUrl = env("PUBLIC_API_MCP_URL") || `${baseUrl}/mcp`;
  // They are sent in headers, to people.
  const shown = { PUBLIC_API_URL: baseUrl, PUBLIC_API_DASHBOARD_URL: dashboardUrl, PUBLIC_API_MCP_URL: mcpUrl };
  const wrong = Object.entries(shown).find(([, url]) => !/^(https?:\/\/[^/?#\s<>"]+(\/[\w.~-]+)*)?$/.test(url));
  if (wrong) throw new Error(`${wrong[0]} must be an address without a query and without a slash at the end`);
  const replicas = (env("PUBLIC_API_READ_URL") || undefined)?.split(",") ?? [];
  const noReplicas = "PUBLIC_API_READ_URL must be the addresses of read replicas, separated by commas";
  const readUrls = replicas.map((url) => address(url, noReplicas));
  const secretKey = currentSecretKey(env("SUPABASE_SECRET_KEYS")) ?? env("SUPABASE_SERVICE_ROLE_KEY");
  // It is sent in a header. The error of fetch for a value that no header may have would show the secret.
  if (!secretKey || !/^[!-~]+$/.test(secretKey))
    throw new Error("SUPABASE_SECRET_KEYS or SUPABASE_SERVICE_ROLE_KEY must hold a secret key");
  const signIn = dashboardUrl && { signIn: { baseUrl, dashboardUrl, mcpUrl } };
  return { supabaseUrl, baseUrl, secretKey, readUrls, ...signIn };
}

/** The address without a slash at the end. Throws an Error that says what is `wrong` if it is none. */
function address(url: string, wrong: string): string {
  if (!/^https?:\/\/[^/\s]+\/?$/.test(url)) throw new Error(wrong);
  return url.replace(/\/$/, "");
}

/** The project's key named `default`, or the first key: while keys are being rotated, none may have that name. */
function currentSecretKey(json: string | undefined): string | undefined {
  if (!json) return undefined;
  try {
    const keys: Record<string, unknown> = JSON.parse(json);
    const key = keys.default ?? Object.values(keys)[0];
    if (typeof key === "string") return key;
  } catch {
    // The message of JSON.parse would show a part of the secret.
  }
  throw new Error('SUPABASE_SECRET_KEYS must be a JSON object such as {"default":"…"}');
}

/**
 * Connects to the project's Data API, by fetch: a client library would parse and serialize pages that are forwarded as is.
 * The calls throw an ApiError: 400 (`starting_after` is not in the list), 401 (key unknown, revoked or expired), 403
 * (scope missing), 410 (the cursor is no longer known), 429 (too many requests of the company at once), and 500 for any
 * other failure (`docs/api.md`, Errors). The error is a Busy if the call should be made again. A call may take this many
 * `milliseconds`.
 */
export function connect({ supabaseUrl, secretKey }: Settings, milliseconds = deadline): CallDatabase {
  const headers = {
    apikey: secretKey,
    "Content-Type": "application/json",
    Accept: "application/json",
    // Compressed, an answer would have no length, which says what it may cost.
    "Accept-Encoding": "identity",
    // A legacy key is a JWT and must be in both headers. A new secret key is not a JWT and is refused as a bearer token.
    ...(!secretKey.startsWith("sb_secret_") && { Authorization: `Bearer ${secretKey}` }),
  };

  return async (rpc, args, caller, read) => {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(new DOMException("too late", "TimeoutError")), milliseconds);
    const body = JSON.stringify(args);
    const send = () =>
      fetch(`${supabaseUrl}/rest/v1/rpc/${rpc}`, {
        method: "POST",
        headers: { ...headers, ...caller.noted },
        body,
        redirect: "manual",
        signal: abort.signal,
      });
    try {
      // The other side may have closed a connection that was kept open, also while the request was sent: once more.
      const isFinal = () => abort.signal.aborted || sentOnce.includes(rpc);
      const response = await send().catch((error) => (isFinal() ? Promise.reject(error) : send()));
      const isJson = response.headers.get("Content-Type")?.startsWith("application/json");
      if (response.status === 200 && isJson) {
        return { headers: response.headers, body: await read(response), logged: ownerAndRows(response.headers) };
      }
      throw await refusal(rpc, "time_zone" in args, caller.scope, response);
    } catch (error) {
      if (error instanceof ApiError) throw error;
      // Without the error's message, which may contain the address or a header.
      throw failure(rpc, `gave no complete answer (${error instanceof Error ? error.name : typeof error})`);
    } finally {
      clearTimeout(timer);
    }
  };
}

/** The key's id, its company and the number of rows: the database sends them only for the log. */
function ownerAndRows(headers: Headers): Logged {
  const [keyId, companyId, rows] = ["X-Key-Id", "X-Company-Id", "X-Row-Count"].map((name) => headers.get(name));
  return {
    ...(keyId && { key_id: keyId }),
    ...(companyId && { company_id: companyId }),
    ...(rows && { rows: Number(rows) }),
  };
}

/** What the log says when the database lacks something that a migration brings. */
const isOlder = "the database is older than this function, push the migrations (docs/operate/upgrade.md)";

/** The answer of `verify_api_key`. */
type VerifiedKey = {
  company_name: string;
  key_name: string;
  scopes: string[];
  expires_at: string | null;
  company_id: string;
  requests_at_once: number;
};

/** Reads the answer of `verify_api_key`. Throws a 500 when fields are missing, as in that of an older database. */
export function readVerifiedKey(body: string): VerifiedKey {
  const key: VerifiedKey = { ...JSON.parse(body) };
  if (key.company_id && key.expires_at !== undefined && key.requests_at_once) return key;
  throw failure("verify_api_key", `answered without fields that are needed: ${isOlder}`);
}

/** The error for the caller when the database did not return the expected response. */
async function refusal(rpc: string, hasTimeZone: boolean, scope: string | null, response: Response): Promise<ApiError> {
  const { code, details } = await readError(response);
  const owner = ownerOfKey(details);
  // A status is ours only with its code: a gateway has the same.
  const isOurs = code === `PT${response.status}`;
  switch (isOurs && response.status) {
    case 400:
      return new ApiError(400, "starting_after must be the id of a row of this list", { logged: owner });
    case 401:
      return unauthorized("key refused", owner);
    case 403:
      return new ApiError(403, `Forbidden: this key is missing the "${scope}" scope`, { logged: owner });
    case 410:
      return new ApiError(410, "Gone: this cursor is no longer known, begin again with after=start", { logged: owner });
    case 429:
      return new Busy(tooManyRequests("refused by the database", owner));
  }
  // The database may know fewer time zones than the function.
  if (response.status === 400 && code === "22023" && hasTimeZone) return badRequest([`time_zone ${wrongTimeZone}`]);
  const error = failure(rpc, `answered ${response.status} with ${code || "no code"}${remedy(code)}`);
  return isAway(rpc, response.status, code) ? new Busy(error) : error;
}

/** What to do when the Data API knows no such function, the function needs another one, or a right is missing. */
function remedy(code: string | undefined): string {
  if (code === "42501")
    return ": a right is missing, run check.sql (docs/operate/backup-and-restore.md, Check the database)";
  return code === "PGRST202" || code === "42883" ? `: ${isOlder}` : "";
}

/**
 * Whether there is no database now: without a code, the answer is of something before it, which may have lost its own.
 * Of a connection that broke PostgREST says 400 with an empty code, and PGRST003 that no connection was free.
 */
function isAway(rpc: string, status: number, code: string | undefined): boolean {
  if (!code) return !sentOnce.includes(rpc);
  return status === 503 || code === "PGRST003";
}

function failure(rpc: string, what: string): ApiError {
  return new ApiError(500, "Internal Server Error", { logged: { error: `${rpc} ${what}` } });
}

/** The code and details of a PostgREST error body, or neither if it is another body. Reads only the first few KiB. */
async function readError(response: Response): Promise<{ code?: string; details?: string }> {
  try {
    const { code, details } = JSON.parse((await textOf(response.body, 4096)).text);
    // Of another program any text may be there.
    return /^([0-9A-Z]{3,8})?$/.test(code) ? { code, details } : {};
  } catch {
    return {};
  }
}

/** The key's id and company for the log, from the `details` of an error, which hold them as JSON text. */
function ownerOfKey(details: string | undefined): Logged {
  try {
    const { key_id, company_id } = JSON.parse(details ?? "");
    return [key_id, company_id].every((id) => /^[0-9a-f-]{36}$/.test(id)) ? { key_id, company_id } : {};
  } catch {
    return {};
  }
}
