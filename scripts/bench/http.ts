import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { Worker } from "node:worker_threads";
import { type DenoCommand, denoCommand, functionSettings, listeningPort } from "../stack/edge_function.ts";
import { root } from "../stack/process.ts";

export const secretKey = "sb_secret_bench";

/** What takes the Data API's place, or a client's, in a thread of its own. */
export interface Thread {
  port: number;
  stop(): Promise<unknown>;
}

/** Starts a script of this folder as a thread and waits until it has sent its port. */
export async function startThread(script: string, data?: unknown): Promise<Thread> {
  const worker = new Worker(new URL(script, import.meta.url), { workerData: data });
  const [port] = (await once(worker, "message")) as [number];
  return { port, stop: () => worker.terminate() };
}

/** A running Deno: its own process, with no guard between. */
export interface Deno {
  url: string;
  stop(): Promise<unknown>;
}

/** Starts a server under Deno and waits until it listens. Its log goes into a file, as on a stack, or nowhere. */
export async function startDeno({ command, args, env }: DenoCommand, logFile?: string): Promise<Deno> {
  const log = logFile === undefined ? "ignore" : openSync(logFile, "w");
  const started = spawn(command, args, { env, stdio: ["ignore", log, "pipe"] });
  if (log !== "ignore") closeSync(log);
  const exited = once(started, "exit");
  const stop = () => {
    started.kill();
    return exited;
  };
  // What else it says there is a failure's story.
  let said = "";
  for await (const line of createInterface({ input: started.stderr as Readable })) {
    const port = listeningPort(line);
    if (port !== undefined) return { url: `http://127.0.0.1:${port}`, stop };
    said += `${line}\n`;
  }
  throw new Error(`Deno ended before it listened:\n${said}`);
}

/** How the function is started before a Data API, or another script in its place. */
export const functionCommand = (dataApi: Thread, script?: string): DenoCommand =>
  denoCommand(functionSettings(`http://127.0.0.1:${dataApi.port}`, secretKey), script);

/** A server that answers everything at once, or passes everything on to an upstream, and does nothing else. */
export function bareCommand(upstream?: Thread): DenoCommand {
  const command = denoCommand({}, `${root}/scripts/bench/bare_server.ts`);
  if (upstream) command.args.push(`http://127.0.0.1:${upstream.port}`);
  return command;
}
