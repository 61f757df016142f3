// The function as a process that a test can kill. The stack's own runs behind a guard, which would stop it gently.
import { type ChildProcess, spawn } from "node:child_process";
import { startThread } from "../../scripts/bench/http.ts";
import { type DenoVersion, denoCommand, functionSettings, listeningPort } from "../../scripts/stack/edge_function.ts";
import { stack } from "./stack.ts";

export type FunctionProcess = Awaited<ReturnType<typeof startFunction>>;

const running = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** Starts a stand-in for the Data API with many connections, for the database at this address. */
export const startDataApi = (url: string) => startThread(new URL("pooled_data_api.ts", import.meta.url).href, url);

/**
 * Starts a second function beside that of the stack, with the same Data API or with a stand-in, and with replicas.
 */
export async function startFunction(
  supabaseUrl = stack.supabase_url,
  version: DenoVersion = "deno",
  replicas: string[] = [],
) {
  const settings = functionSettings(supabaseUrl, stack.secret_key, ...replicas);
  const { command, args, env } = denoCommand(settings, undefined, version);
  const child = spawn(command, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  running.add(child);
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve(void running.delete(child))));
  let text = "";
  const port = await new Promise<number>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (data) => {
        text += data;
        const port = listeningPort(text);
        if (port) resolve(port);
      });
    void gone.then(() => reject(new Error(`the function ended: ${text}`)));
  });
  return {
    url: `http://127.0.0.1:${port}/public-api`,
    pid: child.pid ?? 0,
    /** What the process has printed. */
    log: () => text,
    /** kill -9; resolves when the process has ended. */
    async kill() {
      child.kill("SIGKILL");
      await gone;
    },
  };
}
