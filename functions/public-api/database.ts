import { z } from "zod";
import { ApiError, unauthorized } from "./responses.ts";

/** A call of one database function: answers 200 with a JSON body that is still unread, or throws an ApiError. */
export type CallDatabase = (rpc: string, args: object, scope: string | null) => Promise<Response>;

export type Settings = { readonly supabaseUrl: string; readonly secretKey: string };

/** What one database function may take, headers and body together, in milliseconds. */
const deadline = 8000;

/**
 * Reads the address and the secret key of the project from the environment.
 * Throws an Error that names the setting and never shows its value.
 */
export function readSettings(env: (name: string) => string | undefined): Settings {
  const supabaseUrl = env("SUPABASE_URL") ?? "";
  if (!/^https?:\/\/[^/]+\/?$/.test(supabaseUrl)) throw new Error("SUPABASE_URL must be the address of the project");
  const secretKey = newestSecretKey(env("SUPABASE_SECRET_KEYS")) ?? env("SUPABASE_SERVICE_ROLE_KEY");
  if (!secretKey) throw new Error("SUPABASE_SECRET_KEYS or SUPABASE_SERVICE_ROLE_KEY must hold a secret key");
  return { supabaseUrl: supabaseUrl.replace(/\/$/, ""), secretKey };
}

/** The project's key named `default`; while keys are being rotated there may be none of that name. */
function newestSecretKey(json: string | undefined): string | undefined {
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
 * The calls throw 401 (key unknown, revoked or expired), 403 (scope missing) and, for everything else but a 200, 500
 * (`docs/api.md`, Errors). A body that breaks off, or is not there at the deadline, breaks the returned stream.
 */
export function connect({ supabaseUrl, secretKey }: Settings): CallDatabase {
  const headers = new Headers({ apikey: secretKey, "Content-Type": "application/json", Accept: "application/json" });
  // A legacy key is a JWT, which has to stand in both headers; a new secret key is none and is refused as a bearer token.
  if (!secretKey.startsWith("sb_secret_")) headers.set("Authorization", `Bearer ${secretKey}`);

  return async (rpc, args, scope) => {
    let response: Response;
    try {
      response = await fetch(`${supabaseUrl}/rest/v1/rpc/${rpc}`, {
        method: "POST",
        headers,
        body: JSON.stringify(args),
        redirect: "manual",
        signal: AbortSignal.timeout(deadline),
      });
    } catch (error) {
      // Not its message: that may show the address or a header.
      throw failure(rpc, `gave no answer (${error instanceof Error ? error.name : typeof error})`);
    }
    if (response.status === 200 && response.headers.get("Content-Type")?.startsWith("application/json"))
      return response;

    const { code, details } = await readError(response);
    if (response.status === 401 && code === "PT401") throw unauthorized("key refused");
    if (response.status === 403 && code === "PT403") {
      throw new ApiError(403, `Forbidden: this key is missing the "${scope}" scope`, { logged: ownerOfKey(details) });
    }
    throw failure(rpc, `answered ${response.status} with ${code ?? "no code"}`);
  };
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
function ownerOfKey(details: string | null | undefined): { key_id?: string; company_id?: string } {
  try {
    return keyOwner.parse(JSON.parse(details ?? ""));
  } catch {
    return {};
  }
}
