import { readFile } from "node:fs/promises";
import { bin, type Child, root, spawnGuarded, waitFor } from "./process.ts";

/** The Edge Function under Deno, listening on 127.0.0.1. */
export interface EdgeFunction extends Child {
  port: number;
}

const folder = `${root}/functions/public-api`;

/** Everything that the function may read of its environment; on the hosted service there is more. */
const variables = ["SUPABASE_URL", "SUPABASE_SECRET_KEYS", "SUPABASE_SERVICE_ROLE_KEY"];

/** A script under Deno, listening on any free port of 127.0.0.1: with what it is started. */
export interface DenoCommand {
  command: string;
  args: string[];
  env: NodeJS.ProcessEnv;
}

/**
 * How the function runs: with no other rights than to talk to this machine and to read its three settings. Its packages are those
 * that npm installed (functions/public-api/deno.json pins the same versions), so nothing is fetched.
 * @param script another script to be run in just the same way
 */
export function denoCommand(settings: Record<string, string>, script = `${folder}/index.ts`): DenoCommand {
  return {
    command: bin("deno"),
    args: [
      ...["run", "--no-prompt", "--cached-only", "--node-modules-dir=manual", `--config=${folder}/deno.json`],
      ...["--allow-net=127.0.0.1", `--allow-env=${variables.join()}`, script],
    ],
    env: {
      ...process.env,
      ...settings,
      DENO_SERVE_ADDRESS: "tcp:127.0.0.1:0",
      DENO_NO_PACKAGE_JSON: "1",
      DENO_NO_UPDATE_CHECK: "1",
      NO_COLOR: "1",
    },
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
