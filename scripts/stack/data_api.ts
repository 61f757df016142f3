import { fileURLToPath } from "node:url";
import { SignJWT } from "jose";
import type { Project } from "./companies.ts";
import { freePort } from "./ports.ts";
import { type Child, spawnGuarded, waitFor } from "./process.ts";
import type { Secrets } from "./secrets.ts";

/** A Data API on a port of 127.0.0.1: PostgREST, or what stands in for it. */
export interface DataApi extends Child {
  port: number;
}

/** PostgREST's settings on the hosted service, with those of this machine. */
const dataApiSettings = (url: string, jwtSecret: string, port: number): Record<string, string> => ({
  PGRST_DB_URI: url,
  PGRST_DB_SCHEMAS: "public",
  PGRST_DB_EXTRA_SEARCH_PATH: "public,extensions",
  PGRST_DB_ANON_ROLE: "anon",
  PGRST_DB_POOL: "10",
  PGRST_JWT_SECRET: jwtSecret,
  PGRST_SERVER_HOST: "127.0.0.1",
  PGRST_SERVER_PORT: String(port),
});

/** What stands in for PostgREST where nobody has its binary. */
const standIn: [command: string, ...args: string[]] = [
  process.execPath,
  fileURLToPath(new URL("data_api/main.ts", import.meta.url)),
];

/** The token of the role of each key of the project, as the hosted service's gateway makes it. */
export async function tokensOfKeys({
  publishable_key,
  secret_key,
  jwt_secret,
}: Pick<Secrets, "publishable_key" | "secret_key" | "jwt_secret">): Promise<Map<string, string>> {
  const secret = new TextEncoder().encode(jwt_secret);
  const token = (role: string) =>
    new SignJWT({ role }).setProtectedHeader({ alg: "HS256" }).setExpirationTime("10y").sign(secret);
  return new Map([
    [publishable_key, await token("anon")],
    [secret_key, await token("service_role")],
  ]);
}

/** What the Data API at an address calls itself, or undefined while it serves nothing yet. */
async function nameOf(url: string, headers: Record<string, string> = {}): Promise<string | undefined> {
  const response = await fetch(url, { headers }).catch(() => undefined);
  await response?.body?.cancel();
  return response && response.status < 500 ? (response.headers.get("Server") ?? "without a name") : undefined;
}

/** What the Data API of a project calls itself. */
export const whichDataApi = ({ supabase_url, publishable_key }: Pick<Project, "supabase_url" | "publishable_key">) =>
  nameOf(`${supabase_url}/rest/v1/`, { apikey: publishable_key });

/**
 * Starts a Data API: PostgREST, or what stands in for it.
 * @param url the address of the database, as `authenticator`
 * @param binary the path of PostgREST's program
 * @param settings in place of those of the hosted service
 */
export async function startDataApi(
  logFile: string,
  url: string,
  jwtSecret: string,
  { binary, settings = {} }: { binary?: string | undefined; settings?: Record<string, string> } = {},
): Promise<DataApi> {
  const port = await freePort(0);
  const [command, ...args] = binary === undefined ? standIn : [binary];
  const env = { ...process.env, ...dataApiSettings(url, jwtSecret, port), ...settings };
  const child = spawnGuarded({ command, args, env, signal: "SIGTERM", logFile });
  try {
    await waitFor("The Data API", child, logFile, () => nameOf(`http://127.0.0.1:${port}/`));
  } catch (error) {
    await child.stop();
    throw error;
  }
  return { ...child, port };
}
