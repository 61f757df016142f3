import { jsonIn } from "./request/json_text.ts";

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

/** Reads the settings from the environment. Throws an Error that names a wrong one, and does not show its value. */
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
  // The message of JSON.parse would show a part of the secret.
  const keys: Record<string, unknown> = Object(jsonIn(json));
  const key = keys.default ?? Object.values(keys)[0];
  if (typeof key === "string") return key;
  throw new Error('SUPABASE_SECRET_KEYS must be a JSON object such as {"default":"…"}');
}
