// Signing in of assistants, by OAuth 2.1 with PKCE (`docs/api.md`, Assistants). The access token is an API key, to which an
// admin agrees on the dashboard (sql/schema/0920_assistants.sql). A registration is stored nowhere. app.ts loads this
// file when one of its paths is first asked for.
import { hexToBytes } from "@noble/hashes/utils.js";
import { ApiError, notFound } from "../answers/errors.ts";
import { json, type Outcome, preflight } from "../answers/responses.ts";
import { bodyLimits } from "../limits.ts";
import type { Wait } from "../line/visit.ts";
import type { WaitingLine } from "../line/waiting_line.ts";
import { jsonIn } from "../request/json_text.ts";
import { hashOf } from "../request/key.ts";
import type { SignInSettings } from "../settings.ts";
import { scopes } from "../table/scopes.ts";
import { base64Url, clientIdOf, maxClientId, receiverOf, shownClientName } from "./programs.ts";

/** A refusal with a code of RFC 6749 and a description for people. */
const refused = (error: string, error_description: string): Outcome => ({
  answer: { ...json(JSON.stringify({ error, error_description })), status: 400 },
  logged: { reason: error_description },
});

const readScopes = scopes.map(({ name }) => name).filter((name) => name.startsWith("read:"));

type NewKey = { id: string; api_key: string; scopes: readonly string[]; expires_at: string };

/** What anybody may read, by its path relative to the base address, because the platform owns the root. */
function documents({ baseUrl, mcpUrl, dashboardUrl }: SignInSettings): Readonly<Record<string, object | undefined>> {
  const server = {
    issuer: mcpUrl,
    authorization_endpoint: `${dashboardUrl}/connect-assistant`,
    token_endpoint: `${baseUrl}/oauth/token`,
    registration_endpoint: `${baseUrl}/oauth/register`,
    jwks_uri: `${baseUrl}/oauth/jwks`,
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none"],
    scopes_supported: readScopes,
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["RS256"],
  };
  return {
    "/mcp/.well-known/oauth-protected-resource": {
      resource: mcpUrl,
      authorization_servers: [mcpUrl],
      scopes_supported: readScopes,
      bearer_methods_supported: ["header"],
      resource_name: "Public data API",
    },
    "/mcp/.well-known/oauth-authorization-server": server,
    // For those who read OpenID's only.
    "/mcp/.well-known/openid-configuration": server,
    "/oauth/jwks": { keys: [] },
  };
}

/** Answers a request for one of these paths, whose callers have no key yet. Throws a 404 for another one. */
export async function serveSignIn(
  settings: SignInSettings,
  path: string,
  request: Request,
  wait: Wait,
  line: WaitingLine,
): Promise<Outcome> {
  const { method } = request;
  const document = documents(settings)[path];
  if (!document && path !== "/oauth/register" && path !== "/oauth/token") throw notFound(path);
  const allowed = document ? "GET" : "POST";
  if (method === "OPTIONS") return preflight(`${allowed}, OPTIONS`, true);
  if (allowed !== (method === "HEAD" ? "GET" : method))
    throw new ApiError(405, `Method Not Allowed: ${path} accepts ${allowed}`, { headers: { Allow: allowed } });
  if (document) return { answer: json(JSON.stringify(document)), logged: {} };
  const text = await line.bodies.hold(wait, request, bodyLimits.signIn, async (take) => take());
  if (path === "/oauth/register") return register(text);
  const redeem = (args: Record<string, unknown>) => line.callWithoutKey(wait, "redeem_assistant_code", args);
  return await exchange(settings, new URLSearchParams(text), redeem);
}

/** RFC 7591, without keeping anything. */
function register(text: string): Outcome {
  const body = jsonIn(text);
  if (!(body instanceof Object)) return refused("invalid_request", "body must be a JSON object");
  const { client_name, redirect_uris }: { client_name?: unknown; redirect_uris?: unknown } = body;
  const sent = Array.isArray(redirect_uris) ? redirect_uris : [];
  // VS Code and its forks register several addresses at once, of which one is then used.
  const uris = sent.filter((uri): uri is string => typeof uri === "string" && receiverOf(uri) !== null);
  const rule = "redirect_uris must have 1 to 10 addresses of known assistants or of this computer";
  if (uris.length < 1 || uris.length > 10) return refused("invalid_redirect_uri", rule);
  const name = shownClientName(client_name);
  const client_id = clientIdOf(name, uris);
  if (client_id.length > maxClientId) return refused("invalid_redirect_uri", "redirect_uris are too long together");
  const registered = {
    client_id,
    client_id_issued_at: Math.floor(Date.now() / 1000),
    client_name: name,
    redirect_uris: uris,
    grant_types: ["authorization_code"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
    scope: readScopes.join(" "),
  };
  return { answer: { ...json(JSON.stringify(registered)), status: 201 }, logged: {} };
}

const fields = ["grant_type", "resource", "code_verifier", "code", "client_id", "redirect_uri"];

/** The token endpoint: makes the key that an admin has agreed to. */
async function exchange(
  { mcpUrl }: SignInSettings,
  form: URLSearchParams,
  redeem: (args: Record<string, unknown>) => Promise<string>,
): Promise<Outcome> {
  const twice = fields.find((name) => form.getAll(name).length > 1);
  if (twice) return refused("invalid_request", `${twice} must be sent once`);
  const { grant_type, resource, code_verifier = "", code = "", client_id, redirect_uri } = Object.fromEntries(form);
  if (grant_type !== "authorization_code")
    return refused("unsupported_grant_type", "grant_type must be authorization_code");
  if (resource && resource.replace(/\/$/, "") !== mcpUrl)
    return refused("invalid_target", `resource must be ${mcpUrl}`);
  if (!/^[\w.~-]{43,128}$/.test(code_verifier))
    return refused("invalid_request", "code_verifier must be 43 to 128 characters");
  const challenge = base64Url(hexToBytes(hashOf(code_verifier)));
  const bound_to = [client_id, redirect_uri, challenge].join("\n");
  const isCode = /^[0-9a-f]{64}$/.test(code);
  const key: NewKey | null = isCode ? JSON.parse(await redeem({ code_hash: hashOf(code), bound_to })) : null;
  if (key === null)
    return refused("invalid_grant", "code is unknown, used, expired, or for another program: sign in again");
  const expires_in = Math.floor((Date.parse(key.expires_at) - Date.now()) / 1000);
  const token = { access_token: key.api_key, token_type: "Bearer", expires_in, scope: key.scopes.join(" ") };
  return { answer: json(JSON.stringify(token), { Pragma: "no-cache" }), logged: { key_id: key.id } };
}
