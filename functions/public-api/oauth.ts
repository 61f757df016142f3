// Signing in of assistants, by OAuth 2.1 with PKCE (`docs/api.md`, Assistants). The access token is an API key, to which an
// admin agrees on the dashboard (sql/schema/0920_assistants.sql). A registration is stored nowhere. sign_in.ts loads this
// file when one of its paths is first asked for.
import { base64Url, clientIdOf, receiverOf, shownClientName } from "./assistants.ts";
import type { SignInSettings } from "./database.ts";
import { type Answer, json } from "./responses.ts";
import { scopes } from "./scopes.ts";

/** A refusal with a code of RFC 6749 and a description for people. */
const refused = (error: string, error_description: string): Answer => ({
  ...json(JSON.stringify({ error, error_description })),
  status: 400,
});

const readScopes = scopes.map(({ name }) => name).filter((name) => name.startsWith("read:"));

export type NewKey = { id: string; api_key: string; scopes: readonly string[]; expires_at: string };
/** Makes the key that an admin has agreed to; null when the code is not valid. */
type Redeem = (code: string, boundTo: string) => Promise<NewKey | null>;

/** Answers a request for a path of sign_in.ts. */
export async function serveOAuth(
  settings: SignInSettings,
  path: string,
  text: string,
  redeem: Redeem,
): Promise<Answer> {
  const { mcpUrl } = settings;
  switch (path) {
    case "/mcp/.well-known/oauth-protected-resource":
      return json(
        JSON.stringify({
          resource: mcpUrl,
          authorization_servers: [mcpUrl],
          scopes_supported: readScopes,
          bearer_methods_supported: ["header"],
          resource_name: "Public data API",
        }),
      );
    case "/mcp/.well-known/oauth-authorization-server":
    case "/mcp/.well-known/openid-configuration":
      return json(JSON.stringify(authorizationServer(settings)));
    case "/oauth/jwks":
      return json('{"keys":[]}');
    case "/oauth/register":
      return register(text);
    default:
      return await exchange(mcpUrl, new URLSearchParams(text), redeem);
  }
}

/** The description of the authorization server, also for those who read OpenID's only. */
function authorizationServer({ baseUrl, mcpUrl, dashboardUrl }: SignInSettings): object {
  return {
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
}

/** RFC 7591, without keeping anything. */
function register(text: string): Answer {
  let body: { client_name?: unknown; redirect_uris?: unknown } | null = null;
  try {
    body = JSON.parse(text);
  } catch {
    // Refused below.
  }
  if (!(body instanceof Object)) return refused("invalid_request", "body must be a JSON object");
  const { client_name, redirect_uris } = body;
  const sent = Array.isArray(redirect_uris) ? redirect_uris : [];
  // VS Code registers four addresses at once, of which it then uses one.
  const uris = sent.filter((uri): uri is string => typeof uri === "string" && receiverOf(uri) !== null);
  if (uris.length < 1 || uris.length > 5)
    return refused(
      "invalid_redirect_uri",
      "redirect_uris must have 1 to 5 addresses of known assistants or of this computer",
    );
  const name = shownClientName(client_name);
  const registered = {
    client_id: clientIdOf(name, uris),
    client_id_issued_at: Math.floor(Date.now() / 1000),
    client_name: name,
    redirect_uris: uris,
    grant_types: ["authorization_code"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
    scope: readScopes.join(" "),
  };
  return { ...json(JSON.stringify(registered)), status: 201 };
}

const fields = ["grant_type", "resource", "code_verifier", "code", "client_id", "redirect_uri"] as const;

/** The token endpoint. */
async function exchange(resource: string, form: URLSearchParams, redeem: Redeem): Promise<Answer> {
  const twice = fields.find((name) => form.getAll(name).length > 1);
  if (twice) return refused("invalid_request", `${twice} must be sent once`);
  const one = (name: (typeof fields)[number]) => form.get(name) ?? "";
  if (one("grant_type") !== "authorization_code")
    return refused("unsupported_grant_type", "grant_type must be authorization_code");
  const meant = one("resource");
  if (meant !== "" && meant.replace(/\/$/, "") !== resource)
    return refused("invalid_target", `resource must be ${resource}`);
  const verifier = one("code_verifier");
  if (!/^[\w.~-]{43,128}$/.test(verifier))
    return refused("invalid_request", "code_verifier must be 43 to 128 characters");
  const challenge = base64Url(
    new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))),
  );
  const code = one("code");
  const boundTo = [one("client_id"), one("redirect_uri"), challenge].join("\n");
  const key = /^[0-9a-f]{64}$/.test(code) ? await redeem(code, boundTo) : null;
  if (key === null)
    return refused("invalid_grant", "code is unknown, used, expired, or for another program: sign in again");
  const expires_in = Math.floor((Date.parse(key.expires_at) - Date.now()) / 1000);
  const token = { access_token: key.api_key, token_type: "Bearer", expires_in, scope: key.scopes.join(" ") };
  return json(JSON.stringify(token), { Pragma: "no-cache" });
}
