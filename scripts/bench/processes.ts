import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { type DenoCommand, listeningPort } from "../stack/edge_function.ts";
import { type Child, waitFor } from "../stack/process.ts";

/** A script of this folder that runs in a process of its own. `first` is the first message it sent, `ask` fetches another. */
export interface Script<First> {
  first: First;
  ask(): Promise<unknown>;
  stop(): Promise<void>;
}

/**
 * Starts a script of this folder and waits for its first message. The script ends when it is disconnected, hence also with this process.
 * @throws Error when it ends before it has sent one
 */
export async function startScript<First>(name: string, args: string[] = []): Promise<Script<First>> {
  const child = fork(fileURLToPath(new URL(name, import.meta.url)), args);
  const exited = once(child, "exit");
  const message = async (): Promise<unknown> => {
    const ended = exited.then(() => Promise.reject(new Error(`${name} ended`)));
    const [sent] = await Promise.race([once(child, "message"), ended]);
    return sent;
  };
  const first = (await message()) as First;
  return {
    first,
    ask() {
      const answer = message();
      child.send("");
      return answer;
    },
    async stop() {
      child.disconnect();
      await exited;
    },
  };
}

/** A running Deno: its own process, with no guard between. */
export interface Deno extends Child {
  pid: number;
  port: number;
}

/** Starts a server under Deno, its output in a file as on a stack, and waits until it listens. */
export async function startDeno({ command, args, env }: DenoCommand, logFile: string): Promise<Deno> {
  const log = openSync(logFile, "w");
  const started = spawn(command, args, { env, stdio: ["ignore", log, log] });
  closeSync(log);
  const exited = once(started, "exit").then(([code]) => Number(code ?? 1));
  const child: Child = {
    exited,
    async stop() {
      started.kill();
      await exited;
    },
  };
  const port = await waitFor(logFile, child, logFile, async () => listeningPort(await readFile(logFile, "utf8")));
  return { ...child, pid: started.pid ?? 0, port };
}
