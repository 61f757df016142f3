// The function as a process that a test can kill. The stack's own runs behind a guard, which would stop it gently.
import type { ChildProcess } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { vi } from "vitest";
import { startDataApi as startStackDataApi, tokensOfKeys } from "../../scripts/stack/data_api.ts";
import { type DenoVersion, denoCommand, functionSettings, listeningPort } from "../../scripts/stack/edge_function.ts";
import { startGateway, toDataApi } from "../../scripts/stack/gateway.ts";
import { randomPassword } from "../../scripts/stack/secrets.ts";
import { startProgram } from "./command_line.ts";
import { stack } from "./stack.ts";

export type FunctionProcess = Awaited<ReturnType<typeof startFunction>>;

const running = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** Starts a Data API and its gateway, for a database at this address. One that is `deaf`, as with a standby, keeps the schema. */
export async function startDataApi(databaseUrl: string, isDeaf = false) {
  const folder = await mkdtemp(`${tmpdir()}/data-api-`);
  const jwt_secret = randomPassword();
  const settings = { PGRST_DB_CHANNEL_ENABLED: String(!isDeaf) };
  const dataApi = await startStackDataApi(`${folder}/data_api.log`, databaseUrl, jwt_secret, { settings });
  const gateway = await startGateway(0);
  gateway.upstreams.rest = toDataApi(dataApi.port, await tokensOfKeys({ ...stack, jwt_secret }));
  return {
    url: `http://127.0.0.1:${gateway.port}`,
    jwt_secret,
    async stop() {
      await Promise.all([gateway.stop(), dataApi.stop()]);
      await rm(folder, { recursive: true });
    },
  };
}

/** Starts a second function beside that of the stack, with the same Data API or with a stand-in, and with replicas. */
export async function startFunction(
  supabaseUrl = stack.supabase_url,
  version: DenoVersion = "deno",
  replicas: string[] = [],
) {
  const settings = functionSettings(supabaseUrl, stack.secret_key, ...replicas);
  const { command, args, env } = denoCommand(settings, undefined, version);
  const run = startProgram(command, args, { env });
  running.add(run.child);
  void run.ended.then(() => running.delete(run.child));
  const hasStarted = () => listeningPort(run.output) !== undefined || run.child.exitCode !== null;
  await vi.waitUntil(hasStarted, { timeout: 300_000, interval: 10 });
  const port = listeningPort(run.output);
  if (!port) throw new Error(`the function ended: ${run.output}`);
  return {
    url: `http://127.0.0.1:${port}/public-api`,
    pid: run.child.pid ?? 0,
    /** What the process has printed. */
    log: () => run.output,
    /** kill -9; resolves when the process has ended. */
    async kill() {
      await run.kill();
    },
  };
}
