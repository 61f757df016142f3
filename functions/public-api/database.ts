import { z } from "zod";
import { ApiError, type Bytes, gone, type Logged, tooManyRequests, unauthorized } from "./responses.ts";

/** What a database function answered: the headers it set, its JSON in the form that the reader made of it, and whose key it was. */
export type Reply<Body> = { headers: Headers; body: Body; logged: Logged };
export type Reader<Body> = (response: Response) => Body | Promise<Body>;

/** Calls the database function `rpc` on behalf of an endpoint that needs `scope`, until `signal` says that the caller has gone. */
type CallDatabase = <Body>(
  rpc: string,
  args: object,
  scope: string | null,
  read: Reader<Body>,
  signal: AbortSignal,
) => Promise<Reply<Body>>;

/** The whole body. One that breaks off is an error. */
export const asText: Reader<string> = (response) => response.text();

/** A body, or its beginning and where the rest comes from. */
export type Page = { start: Bytes; rest?: ReadableStreamDefaultReader<Uint8Array> };

/** Up to so many bytes a page is read as a whole. 1,000 ordinary rows have 400 kB; there may be 40 MB of them, and an instance has 256. */
const wholePage = 1024 * 1024;

/** A body that is to be turned into something else. One that is read as a whole and breaks off is an error. */
export const asPage: Reader<Page> = async (response) => {
  // Read in one go it does not pass through JavaScript's streams. What was compressed on its way has no length.
  const length = response.headers.get("Content-Length");
  if (length !== null && Number(length) <= wholePage) return { start: new Uint8Array(await response.arrayBuffer()) };
  const rest = response.body?.getReader();
  if (!rest) return { start: new Uint8Array() };
  const chunks: Uint8Array[] = [];
  for (let length = 0; length <= wholePage; ) {
    const { done, value } = await rest.read();
    if (done) return { start: joined(chunks) };
    chunks.push(value);
    length += value.length;
  }
  return { start: joined(chunks), rest };
};

/** The bytes of all of them, one after the other. */
export function joined(parts: readonly Uint8Array[]): Bytes {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/**
 * The body as it comes in. If it breaks off, so does what it is passed on to. Handed to a Response untouched it never passes through
 * JavaScript, which doubles the speed; hence the deadline ends with the headers, which PostgREST sends when the body is complete.
 */
export const asStream: Reader<ReadableStream<Uint8Array> | null> = (response) => response.body;

export type Settings = { readonly supabaseUrl: string; readonly secretKey: string };

/** How long a database function may take to answer, in milliseconds; where the whole body is read, that is included. */
const deadline = 8000;

/**
 * Reads the address and the secret key of the project from the environment.
 * Throws an Error that names the setting and never shows its value.
 */
export function readSettings(env: (name: string) => string | undefined): Settings {
  const supabaseUrl = env("SUPABASE_URL") ?? "";
  if (!/^https?:\/\/[^/]+\/?$/.test(supabaseUrl)) throw new Error("SUPABASE_URL must be the address of the project");
  const secretKey = currentSecretKey(env("SUPABASE_SECRET_KEYS")) ?? env("SUPABASE_SERVICE_ROLE_KEY");
  if (!secretKey) throw new Error("SUPABASE_SECRET_KEYS or SUPABASE_SERVICE_ROLE_KEY must hold a secret key");
  return { supabaseUrl: supabaseUrl.replace(/\/$/, ""), secretKey };
}

/** The project's key named `default`; while keys are being rotated there may be none of that name. */
function currentSecretKey(json: string | undefined): string | undefined {
  if (!json) return undefined;
  try {
    const keys: Record<string, unknown> = JSON.parse(json);
    const key = keys.default ?? Object.values(keys)[0];
    if (typeof key === "string") return key;
  } catch {
    // The message of JSON.parse would show a piece of the secret.
  }
  throw new Error('SUPABASE_SECRET_KEYS must be a JSON object such as {"default":"…"}');
}

/**
 * Connects to the project's Data API. A bare fetch: a client library would parse and print every page that only passes through.
 * The calls throw an ApiError: 401 (key unknown, revoked or expired), 403 (scope missing), 429 (too many of the company at once, to be
 * tried again), and 500 for everything else but a 200 (`docs/api.md`, Errors).
 */
export function connect({ supabaseUrl, secretKey }: Settings): CallDatabase {
  const headers = new Headers({ apikey: secretKey, "Content-Type": "application/json", Accept: "application/json" });
  // A legacy key is a JWT, which has to stand in both headers; a new secret key is none and is refused as a bearer token.
  if (!secretKey.startsWith("sb_secret_")) headers.set("Authorization", `Bearer ${secretKey}`);

  return async (rpc, args, scope, read, signal) => {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(new DOMException("too late", "TimeoutError")), deadline);
    const stop = () => abort.abort(gone());
    signal.addEventListener("abort", stop);
    const body = JSON.stringify(args);
    const ask = () =>
      fetch(`${supabaseUrl}/rest/v1/rpc/${rpc}`, {
        method: "POST",
        headers,
        body,
        redirect: "manual",
        signal: abort.signal,
      });
    try {
      // A connection that was kept may have been closed from the other side, as while a body was on its way. Every call may be made
      // twice: an import that was written is written again as it is.
      const response = await ask().catch((error) => (abort.signal.aborted ? Promise.reject(error) : ask()));
      const isJson = response.headers.get("Content-Type")?.startsWith("application/json");
      if (response.status === 200 && isJson) {
        return { headers: response.headers, body: await read(response), logged: ownerAndRows(response.headers) };
      }
      throw await refusal(rpc, scope, response);
    } catch (error) {
      if (error instanceof ApiError) throw error;
      if (signal.aborted) throw gone();
      // Not its message: that may show the address or a header.
      throw failure(rpc, `gave no complete answer (${error instanceof Error ? error.name : typeof error})`);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
    }
  };
}

/** Whose key it was and how many rows a page has: what the database says for the log, and nobody else. */
function ownerAndRows(headers: Headers): Logged {
  const [keyId, companyId, rows] = ["X-Key-Id", "X-Company-Id", "X-Row-Count"].map((name) => headers.get(name));
  return {
    ...(keyId && { key_id: keyId }),
    ...(companyId && { company_id: companyId }),
    ...(rows && { rows: Number(rows) }),
  };
}

/** What an answer that is not the one asked for means to the caller. */
async function refusal(rpc: string, scope: string | null, response: Response): Promise<ApiError> {
  const { code, details } = await readError(response);
  if (response.status === 401 && code === "PT401") return unauthorized("key refused");
  if (response.status === 403 && code === "PT403") {
    return new ApiError(403, `Forbidden: this key is missing the "${scope}" scope`, { logged: ownerOfKey(details) });
  }
  if (response.status === 429 && code === "PT429")
    return tooManyRequests("refused by the database", ownerOfKey(details));
  if (response.status === 400 && code === "PT400") {
    const message = "starting_after must be the id of a row of this list";
    return new ApiError(400, message, { logged: ownerOfKey(details) });
  }
  return failure(rpc, `answered ${response.status} with ${code ?? "no code"}`);
}

function failure(rpc: string, what: string): ApiError {
  return new ApiError(500, "Internal Server Error", { logged: { error: `${rpc} ${what}` } });
}

const errorBody = z.object({ code: z.string().regex(/^[0-9A-Z]{3,8}$/), details: z.string().nullish() }).partial();
const keyOwner = z.object({ key_id: z.guid(), company_id: z.guid() });

/** The code and details of PostgREST's error bodies; neither, when it is something else. No more than a few KiB are read. */
async function readError(response: Response): Promise<z.infer<typeof errorBody>> {
  const reader = response.body?.getReader();
  try {
    const decoder = new TextDecoder();
    let text = "";
    while (text.length < 4096) {
      const chunk = await reader?.read();
      if (!chunk || chunk.done) break;
      text += decoder.decode(chunk.value, { stream: true });
    }
    return errorBody.parse(JSON.parse(text));
  } catch {
    return {};
  } finally {
    reader?.cancel().catch(() => {});
  }
}

/** The owner of a key that lacks a scope, for the log: the `details` of a PT403 hold it as JSON text. */
function ownerOfKey(details: string | null | undefined): Logged {
  try {
    return keyOwner.parse(JSON.parse(details ?? ""));
  } catch {
    return {};
  }
}
