// The function as a process that a test can kill. (That of the stack runs behind a guard, which would end it gently.)
import { type ChildProcess, spawn } from "node:child_process";
import { bin, root } from "../../scripts/stack/process.ts";
import { stack } from "../api/stack.ts";

export interface FunctionProcess {
  url: string;
  /** What it has printed. */
  log(): string;
  /** kill -9; resolves when it has gone. */
  kill(): Promise<void>;
}

const running = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** Starts it beside the stack's own, over the same Data API or over what stands in for one. */
export async function startFunction(supabaseUrl = stack.supabase_url): Promise<FunctionProcess> {
  const folder = `${root}/functions/public-api`;
  const rights = ["--allow-net=127.0.0.1", "--allow-env=SUPABASE_URL,SUPABASE_SECRET_KEYS,SUPABASE_SERVICE_ROLE_KEY"];
  const child = spawn(
    bin("deno"),
    [
      "run",
      "--cached-only",
      "--node-modules-dir=manual",
      `--config=${folder}/deno.json`,
      ...rights,
      `${folder}/index.ts`,
    ],
    {
      env: {
        ...process.env,
        SUPABASE_URL: supabaseUrl,
        SUPABASE_SECRET_KEYS: JSON.stringify({ default: stack.secret_key }),
        DENO_SERVE_ADDRESS: "tcp:127.0.0.1:0",
        DENO_NO_PACKAGE_JSON: "1",
        NO_COLOR: "1",
      },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  running.add(child);
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve(void running.delete(child))));
  let text = "";
  const port = await new Promise<string>((resolve, reject) => {
    const read = (data: Buffer): void => {
      text += data;
      const [, port] = /Listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(text) ?? [];
      if (port) resolve(port);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    void gone.then(() => reject(new Error(`the function ended: ${text}`)));
  });
  return {
    url: `http://127.0.0.1:${port}/public-api`,
    log: () => text,
    async kill() {
      child.kill("SIGKILL");
      await gone;
    },
  };
}
