// What a program does to sign in (docs/api.md, Assistants), with the admin's agreement as the dashboard's page sends it.
import { createHash, randomBytes } from "node:crypto";
import type { SupabaseClient } from "@supabase/supabase-js";
import { dataOf } from "./companies.ts";
import { stack } from "./stack.ts";

export const resource = `${stack.dashboard_url}/mcp`;
export const claude = "https://claude.ai/api/mcp/auth_callback";
export const inNinetyDays = new Date(Date.now() + 90 * 24 * 3600 * 1000).toISOString();

export const newVerifier = (): string => randomBytes(32).toString("base64url");
export const challengeOf = (verifier: string): string => createHash("sha256").update(verifier).digest("base64url");

/** Sends a body to `register` or `token`. */
export const post = (path: string, body: string | URLSearchParams): Promise<Response> =>
  fetch(`${stack.api_url}/oauth/${path}`, { method: "POST", body });

export async function register(redirect_uris: unknown, client_name = "Claude") {
  const response = await post("register", JSON.stringify({ client_name, redirect_uris }));
  return { status: response.status, body: await response.json() };
}

/** Agrees to what a program asks at this address, as the dashboard's page does. Returns where the browser is sent. */
export async function agree(admin: SupabaseClient, { searchParams }: URL, scopes = ["read:members"]): Promise<URL> {
  const { client_id, redirect_uri = "", code_challenge, state = "" } = Object.fromEntries(searchParams);
  const bound_to = [client_id, redirect_uri, code_challenge].join("\n");
  const args = { name: "Claude", scopes, expires_at: inNinetyDays, bound_to };
  const { code }: { code: string } = dataOf(await admin.rpc("let_assistant_read", args));
  return new URL(`${redirect_uri}?${new URLSearchParams({ code, iss: resource, state })}`);
}

/** What a program sends for its key, once the admin has agreed to what it asked for. */
export async function agreed(
  admin: SupabaseClient,
  { scopes = ["read:members"], redirect_uri = claude, code_verifier = newVerifier() } = {},
) {
  const { client_id } = (await register([redirect_uri])).body;
  const asked = new URLSearchParams({ client_id, redirect_uri, code_challenge: challengeOf(code_verifier) });
  const { searchParams } = await agree(admin, new URL(`${resource}?${asked}`), scopes);
  const code = searchParams.get("code") ?? "";
  return { grant_type: "authorization_code", code, client_id, redirect_uri, code_verifier, resource };
}

export async function exchange(form: Record<string, string>) {
  const response = await post("token", new URLSearchParams(form));
  return { status: response.status, body: await response.json(), headers: response.headers };
}
