import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { Worker } from "node:worker_threads";
import { type DenoCommand, denoCommand, functionSettings, listeningPort } from "../stack/edge_function.ts";
import { root } from "../stack/process.ts";

/** A running server. */
export interface Server {
  url: string;
  stop(): Promise<unknown>;
}

/** Starts a server, of this folder or at an address, as a thread, and waits until it has sent the port on which it listens. */
export async function startThread(script: string, workerData?: unknown): Promise<Server> {
  const worker = new Worker(new URL(script, import.meta.url), { workerData });
  const [port] = await once(worker, "message");
  return { url: `http://127.0.0.1:${port}`, stop: () => worker.terminate() };
}

// Also when a measurement fails, no server outlives this process.
const children: ChildProcess[] = [];
process.once("exit", () => {
  for (const child of children) child.kill();
});

/** Starts a server under Deno, and waits until it listens. The file gets its log, as in a stack. */
export async function startDeno(
  { command, args, env }: DenoCommand,
  logFile: string,
): Promise<Server & { pid: number }> {
  const log = openSync(logFile, "w");
  const child = spawn(command, args, { env, stdio: ["ignore", log, "pipe"] });
  closeSync(log);
  children.push(child);
  const exited = once(child, "exit");
  const stop = () => {
    child.kill();
    return exited;
  };
  // Deno prints its port to standard error. If it prints none, the other lines tell why.
  let printed = "";
  for await (const line of createInterface({ input: child.stderr as Readable })) {
    const port = listeningPort(line);
    if (port !== undefined) return { url: `http://127.0.0.1:${port}`, pid: child.pid ?? 0, stop };
    printed += `${line}\n`;
  }
  throw new Error(`Deno ended before it listened:\n${printed}`);
}

/** The processor time that a server's process has taken so far, in milliseconds. Linux only. */
export function processorTime({ pid }: { pid: number }): number {
  // The fields after the name, which is in brackets: the 12th and the 13th count hundredths of a second.
  const [, fields = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
  const [user, system] = fields.split(" ").slice(11, 13).map(Number);
  return 10 * ((user ?? Number.NaN) + (system ?? Number.NaN));
}

/** The most megabytes of memory that a server's process has had so far. Linux only. */
export const mostMemory = (pid: number): number =>
  Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;

/** The command for the function, with this Data API. */
export const functionCommand = (dataApi: Server): DenoCommand =>
  denoCommand(functionSettings(dataApi.url, "sb_secret_bench"));

/** The command for bare_server.ts, with this upstream or without one. */
export function bareCommand(upstream?: Server): DenoCommand {
  const command = denoCommand({}, `${root}/scripts/bench/bare_server.ts`);
  if (upstream) command.args.push(upstream.url);
  return command;
}
