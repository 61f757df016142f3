import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type Child, root, spawnGuarded, waitFor } from "./process.ts";

/** The Edge Function under Deno, listening on 127.0.0.1. */
export interface EdgeFunction extends Child {
  port: number;
}

const folder = `${root}/functions/public-api`;

/** The environment variables that the function may read; on the hosted service there are more. */
const variables = ["SUPABASE_URL", "SUPABASE_SECRET_KEYS", "SUPABASE_SERVICE_ROLE_KEY"];

/** What the platform gives an instance. */
const heapMegabytes = 256;

/** A script under Deno, listening on any free port of 127.0.0.1: with what it is started. */
export interface DenoCommand {
  command: string;
  args: string[];
  env: NodeJS.ProcessEnv;
}

/** The Deno versions that npm installed: that of the platform's edge runtime, and the newest. */
export type DenoVersion = "deno" | "deno-latest";

/** The addresses that the function may connect to: its own, and its project's. */
function allowedHosts({ SUPABASE_URL }: Record<string, string>): string {
  return SUPABASE_URL === undefined ? "127.0.0.1" : `127.0.0.1:0,${new URL(SUPABASE_URL).host}`;
}

/**
 * How the function runs: with the platform's Deno and memory, and with no other rights than to talk to its project and to read its
 * three settings. Its packages are those that npm installed (functions/public-api/deno.json pins the same versions), so nothing is
 * fetched.
 * @param script another script to be run in just the same way; `-` is one from standard input, which serves nothing
 */
export function denoCommand(
  settings: Record<string, string>,
  script = `${folder}/index.ts`,
  version: DenoVersion = "deno",
): DenoCommand {
  const { imports } = JSON.parse(readFileSync(`${folder}/deno.json`, "utf8")) as { imports: Record<string, string> };
  const importMap = JSON.stringify({ imports: { ...imports, served: pathToFileURL(script).href } });
  return {
    // Not the link in .bin, which only one of the two can have.
    command: `${root}/node_modules/${version}/deno${process.platform === "win32" ? ".exe" : ""}`,
    args: [
      ...["run", "--no-prompt", "--cached-only", "--node-modules-dir=manual", `--config=${folder}/deno.json`],
      `--import-map=data:application/json,${encodeURIComponent(importMap)}`,
      `--v8-flags=--max-old-space-size=${heapMegabytes}`,
      ...[`--allow-net=${allowedHosts(settings)}`, `--allow-env=${variables.join()}`],
      script === "-" ? script : fileURLToPath(new URL("serve.ts", import.meta.url)),
    ],
    env: { ...process.env, ...settings, DENO_NO_PACKAGE_JSON: "1", DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1" },
  };
}

/** The settings that the hosted service gives the function. */
export function functionSettings(supabaseUrl: string, secretKey: string): Record<string, string> {
  return { SUPABASE_URL: supabaseUrl, SUPABASE_SECRET_KEYS: JSON.stringify({ default: secretKey }) };
}

/** The port that a log of Deno names, once it listens. */
export function listeningPort(log: string): number | undefined {
  const [, port] = /Listening on http:\/\/127\.0\.0\.1:(\d+)\//.exec(log) ?? [];
  return port ? Number(port) : undefined;
}

/** Starts the function. It logs to `stackFolder`/function.log. */
export async function startEdgeFunction(
  stackFolder: string,
  supabaseUrl: string,
  secretKey: string,
): Promise<EdgeFunction> {
  const logFile = `${stackFolder}/function.log`;
  const settings = functionSettings(supabaseUrl, secretKey);
  const child = spawnGuarded({ ...denoCommand(settings), signal: "SIGTERM", logFile });
  const port = await waitFor("The function", child, logFile, async () =>
    listeningPort(await readFile(logFile, "utf8")),
  );
  return { ...child, port };
}
