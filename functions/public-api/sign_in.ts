import type { SignInSettings } from "./database.ts";
import type { SignInService } from "./oauth.ts";
import { type Answer, exposedHeaders, type Outcome } from "./responses.ts";

/** Answers a request for a path with which assistants let people sign in; undefined when the path is another one. */
export async function signIn(
  settings: SignInSettings | undefined,
  request: Request,
  path: string,
  service: SignInService,
): Promise<Outcome | undefined> {
  if (!settings || !/^\/(oauth|mcp\/\.well-known)\//.test(path)) return undefined;
  // Loaded when it is asked for: no other request waits for it.
  const { serveOAuth } = await import("./oauth.ts");
  return await serveOAuth(settings, request.method, path, service);
}

/** Of a 401 of `/mcp` the headers that say where to sign in. */
export function challenge(
  { status }: Answer,
  settings: SignInSettings | undefined,
  path: string,
  request: Request,
): Record<string, string> {
  if (status !== 401 || !settings || !/^\/mcp\/?$/.test(path)) return {};
  const wrong = request.headers.has("Authorization") ? ' error="invalid_token",' : "";
  return {
    "WWW-Authenticate": `Bearer${wrong} resource_metadata="${settings.mcpUrl}/.well-known/oauth-protected-resource"`,
    "Access-Control-Expose-Headers": `${exposedHeaders}, WWW-Authenticate`,
  };
}
