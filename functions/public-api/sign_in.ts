import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import type { BodyLimit } from "./bodies.ts";
import type { SignInSettings } from "./database.ts";
import { type Answer, ApiError, exposedHeaders, type Outcome, preflight } from "./responses.ts";

/**
 * The paths with which assistants let people sign in, with their methods (`docs/api.md`, Assistants). They are relative
 * to the base address, because the platform owns the root.
 */
const methods: Readonly<Record<string, "GET" | "POST">> = {
  "/mcp/.well-known/oauth-protected-resource": "GET",
  "/mcp/.well-known/openid-configuration": "GET",
  "/mcp/.well-known/oauth-authorization-server": "GET",
  "/oauth/jwks": "GET",
  "/oauth/register": "POST",
  "/oauth/token": "POST",
};

const bodyLimit: BodyLimit = [8192, "body must be at most 8 KiB"];

/** What a caller without a key needs: its body, and a call of a database function, which returns its JSON. */
type Service = {
  receive: (limit: BodyLimit) => Promise<string>;
  ask: (rpc: string, args: object) => Promise<string>;
};

/** Answers a request of a caller that has no key yet; undefined when the path is another one. */
export async function signIn(
  settings: SignInSettings | undefined,
  method: string,
  path: string,
  { receive, ask }: Service,
): Promise<Outcome | undefined> {
  const allowed = methods[path];
  if (!allowed || !settings) return undefined;
  if (method === "OPTIONS") return { answer: preflight(`${allowed}, OPTIONS`, true), logged: {} };
  if (allowed !== (method === "HEAD" ? "GET" : method))
    throw new ApiError(405, `Method Not Allowed: ${path} accepts ${allowed}`, { headers: { Allow: allowed } });
  const text = allowed === "POST" ? await receive(bodyLimit) : "";
  // Loaded when it is asked for: no other request waits for it.
  const { serveOAuth } = await import("./oauth.ts");
  let logged: Outcome["logged"] = {};
  const answer = await serveOAuth(settings, path, text, async (code, bound_to) => {
    // As with a key, the database only sees the hash.
    const code_hash = bytesToHex(sha256(new TextEncoder().encode(code)));
    const key = JSON.parse(await ask("redeem_assistant_code", { code_hash, bound_to }));
    if (key) logged = { key_id: key.id };
    return key;
  });
  return { answer, logged };
}

/** The answer; if it is a 401 of `/mcp`, with headers that say where to sign in. */
export function challenged(
  answer: Answer,
  settings: SignInSettings | undefined,
  path: string,
  request: Request,
): Answer {
  if (answer.status !== 401 || !settings || !/^\/mcp\/?$/.test(path)) return answer;
  const wrong = request.headers.has("Authorization") ? ' error="invalid_token",' : "";
  const headers = {
    "WWW-Authenticate": `Bearer${wrong} resource_metadata="${settings.mcpUrl}/.well-known/oauth-protected-resource"`,
    "Access-Control-Expose-Headers": `${exposedHeaders}, WWW-Authenticate`,
  };
  return { ...answer, headers: { ...answer.headers, ...headers } };
}
