import { readFile } from "node:fs/promises";
import { bin, type Child, root, spawnGuarded, waitFor } from "./process.ts";

/** The Edge Function under Deno, listening on 127.0.0.1. */
export interface EdgeFunction extends Child {
  port: number;
}

const folder = `${root}/functions/public-api`;

/** Everything that the function may read of its environment; on the hosted service there is more. */
const variables = ["SUPABASE_URL", "SUPABASE_SECRET_KEYS", "SUPABASE_SERVICE_ROLE_KEY"];

/**
 * Starts the function with no other rights than to talk to this machine and to read its three settings. Its packages are those
 * that npm installed (functions/public-api/deno.json pins the same versions), so nothing is fetched. It logs to `folder`/function.log.
 */
export async function startEdgeFunction(
  stackFolder: string,
  supabaseUrl: string,
  secretKey: string,
): Promise<EdgeFunction> {
  const logFile = `${stackFolder}/function.log`;
  const child = spawnGuarded({
    command: bin("deno"),
    args: [
      ...["run", "--no-prompt", "--cached-only", "--node-modules-dir=manual", `--config=${folder}/deno.json`],
      ...["--allow-net=127.0.0.1", `--allow-env=${variables.join()}`, `${folder}/index.ts`],
    ],
    env: {
      ...process.env,
      SUPABASE_URL: supabaseUrl,
      SUPABASE_SECRET_KEYS: JSON.stringify({ default: secretKey }),
      DENO_SERVE_ADDRESS: "tcp:127.0.0.1:0",
      DENO_NO_PACKAGE_JSON: "1",
      DENO_NO_UPDATE_CHECK: "1",
      NO_COLOR: "1",
    },
    signal: "SIGTERM",
    logFile,
  });
  const port = await waitFor("The function", child, logFile, async () => {
    const [, port] = /Listening on http:\/\/127\.0\.0\.1:(\d+)\//.exec(await readFile(logFile, "utf8")) ?? [];
    return port ? Number(port) : undefined;
  });
  return { ...child, port };
}
