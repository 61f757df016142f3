import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type Child, root, spawnGuarded, waitFor } from "./process.ts";

/** The Edge Function under Deno, listening on 127.0.0.1. */
export interface EdgeFunction extends Child {
  port: number;
}

const folder = `${root}/functions/public-api`;

/** The environment variables that the function may read. The hosted service has more of them. */
const variables = [
  ...["SUPABASE_URL", "SUPABASE_SECRET_KEYS", "SUPABASE_SERVICE_ROLE_KEY"],
  ...["PUBLIC_API_URL", "PUBLIC_API_READ_URL", "PUBLIC_API_DASHBOARD_URL", "PUBLIC_API_MCP_URL"],
];

/** The memory of an instance on the hosted platform, which gives V8 all of it as one limit, young objects included. */
const heapMegabytes = 256;

const environment = {
  DENO_NO_PACKAGE_JSON: "1",
  DENO_NO_UPDATE_CHECK: "1",
  NO_COLOR: "1",
  // A shell may have it set for the command line.
  PUBLIC_API_URL: "",
  // Calls of the Data API stay on this machine, and must not go through a proxy.
  NO_PROXY: "127.0.0.1",
};

/** A command that runs a script under Deno, listening on any free port of 127.0.0.1. */
export interface DenoCommand {
  command: string;
  args: string[];
  env: NodeJS.ProcessEnv;
}

/** The Deno versions that npm installed: `deno` is that of the platform's edge runtime, `deno-latest` is the newest. */
export type DenoVersion = "deno" | "deno-latest";

/** The addresses that the function may connect to: its own, that of its project, and those of read replicas. */
function allowedHosts({ SUPABASE_URL, PUBLIC_API_READ_URL }: Record<string, string>): string {
  if (SUPABASE_URL === undefined) return "127.0.0.1";
  const urls = [SUPABASE_URL, ...(PUBLIC_API_READ_URL?.split(",") ?? [])];
  return ["127.0.0.1:0", ...urls.map((url) => new URL(url).host)].join();
}

/**
 * The command that runs the function: with the platform's Deno version and memory, and with no other rights than to
 * connect to its project and to read its settings. Its packages are those that npm installed
 * (functions/public-api/deno.json pins the same versions), so nothing is downloaded.
 * @param script another script to run in the same way; `-` is a script from standard input, which serves nothing
 */
export function denoCommand(
  settings: Record<string, string>,
  script = `${folder}/index.ts`,
  version: DenoVersion = "deno",
): DenoCommand {
  const { imports } = JSON.parse(readFileSync(`${folder}/deno.json`, "utf8")) as { imports: Record<string, string> };
  const importMap = JSON.stringify({ imports: { ...imports, served: pathToFileURL(script).href } });
  return {
    // Not node_modules/.bin/deno, which can link to only one of the two versions.
    command: `${root}/node_modules/${version}/deno${process.platform === "win32" ? ".exe" : ""}`,
    args: [
      ...["run", "--no-prompt", "--cached-only", "--node-modules-dir=manual", `--config=${folder}/deno.json`],
      `--import-map=data:application/json,${encodeURIComponent(importMap)}`,
      `--v8-flags=--max-heap-size=${heapMegabytes}`,
      ...[`--allow-net=${allowedHosts(settings)}`, `--allow-env=${variables.join()}`],
      script === "-" ? script : fileURLToPath(new URL("serve.ts", import.meta.url)),
    ],
    env: { ...process.env, ...environment, ...settings },
  };
}

/** The settings that the hosted service gives the function, and the addresses of read replicas, if there are any. */
export function functionSettings(
  supabaseUrl: string,
  secretKey: string,
  ...replicas: string[]
): Record<string, string> {
  return {
    SUPABASE_URL: supabaseUrl,
    SUPABASE_SECRET_KEYS: JSON.stringify({ default: secretKey }),
    ...(replicas.length > 0 && { PUBLIC_API_READ_URL: replicas.join() }),
  };
}

/** The address that people give to assistants: at the dashboard's host, whose root can be rewritten too. */
export const mcpUrl = (dashboardUrl: string): string => `${dashboardUrl}/mcp`;

/** The port in a log of Deno; undefined until Deno listens. */
export function listeningPort(log: string): number | undefined {
  const [, port] = /Listening on http:\/\/127\.0\.0\.1:(\d+)\//.exec(log) ?? [];
  return port ? Number(port) : undefined;
}

/** Starts the function. Assistants let people sign in on the dashboard. It logs to `stackFolder`/function.log. */
export async function startEdgeFunction(
  stackFolder: string,
  supabaseUrl: string,
  secretKey: string,
  dashboardUrl: string,
): Promise<EdgeFunction> {
  const logFile = `${stackFolder}/function.log`;
  const settings = {
    ...functionSettings(supabaseUrl, secretKey),
    PUBLIC_API_DASHBOARD_URL: dashboardUrl,
    PUBLIC_API_MCP_URL: mcpUrl(dashboardUrl),
  };
  const child = spawnGuarded({ ...denoCommand(settings), signal: "SIGTERM", logFile });
  const port = await waitFor("The function", child, logFile, async () =>
    listeningPort(await readFile(logFile, "utf8")),
  ).catch(async (error) => {
    await child.stop();
    throw error;
  });
  return { ...child, port };
}
