import { ApiError, type Logged } from "../answers/errors.ts";
import type { Bytes } from "../answers/responses.ts";
import { bytesOf, milliseconds } from "../limits.ts";
import type { Caller } from "../request/caller.ts";
import type { Settings } from "../settings.ts";
import { clearTimeout, setTimeout } from "../timing.ts";
import { failure, isOlder, refusal, sentOnce } from "./refusals.ts";

/** The result of a database function: the headers that it set, its JSON as the reader returned it, log fields. */
export type Reply<Body> = { headers: Headers; body: Body; logged: Logged };
export type Reader<Body> = (response: Response) => Body | Promise<Body>;

/** Reads the whole body. Throws if it breaks off. */
export const asText: Reader<string> = (response) => response.text();

/** A page: all its bytes, or a stream of them. */
export type Page = Bytes | ReadableStream<Uint8Array>;

/** How many bytes a page has; without Content-Length it may have any number. */
export const sizeOf = (headers: Headers): number => Number(headers.get("Content-Length") ?? Number.POSITIVE_INFINITY);

/** A page: all its bytes, or a stream if it is large. */
export const asPage: Reader<Page> = async (response) =>
  sizeOf(response.headers) > bytesOf.wholePage
    ? (response.body ?? new ReadableStream())
    : new Uint8Array(await response.arrayBuffer());

/** Cancels the body of a reply that nobody waits for. */
export function discard({ body }: Reply<unknown>): void {
  if (body instanceof ReadableStream) body.cancel().catch(() => {});
}

/** Calls the database function `rpc` for a caller. The arguments are the hash of the key, and those of the endpoint. */
export type CallDatabase = <Body>(
  rpc: string,
  args: Readonly<Record<string, unknown>>,
  caller: Caller,
  read: Reader<Body>,
) => Promise<Reply<Body>>;

/**
 * Connects to the project's Data API, by fetch: a client library would parse and serialize pages that are forwarded as is.
 * The calls throw an ApiError as `refusal` makes it, and a 500 for any other failure. The error is a Busy if the call
 * should be made again. A call may take so many milliseconds, including the body if all of it is read.
 */
export function connect({ supabaseUrl, secretKey }: Settings, deadline = milliseconds.call): CallDatabase {
  const headers = {
    apikey: secretKey,
    "Content-Type": "application/json",
    Accept: "application/json",
    // Compressed, an answer would have no length, which says what it may cost.
    "Accept-Encoding": "identity",
    // A legacy key is a JWT and must be in both headers. A new secret key is not a JWT and is refused as a bearer token.
    ...(!secretKey.startsWith("sb_secret_") && { Authorization: `Bearer ${secretKey}` }),
  };

  return async function callDatabase(rpc, args, caller, read) {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(new DOMException("too late", "TimeoutError")), deadline);
    const url = `${supabaseUrl}/rest/v1/rpc/${rpc}`;
    const all = { ...headers, ...caller.noted };
    const body = JSON.stringify(args);
    const call = { method: "POST", headers: all, body, redirect: "manual", signal: abort.signal } as const;
    try {
      const response = await fetch(url, call).catch((error) => {
        if (abort.signal.aborted || sentOnce.includes(rpc)) throw error;
        // The other side may have closed a connection that was kept open, also while the request was sent: once more.
        return fetch(url, call);
      });
      const isJson = response.headers.get("Content-Type")?.startsWith("application/json");
      if (response.status === 200 && isJson)
        return { headers: response.headers, body: await read(response), logged: ownerAndRows(response.headers) };
      throw await refusal(rpc, args, caller.scope, response);
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
