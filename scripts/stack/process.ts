import { execFile, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const guard = fileURLToPath(new URL("./guard.ts", import.meta.url));

/** The repository's folder, without a slash at the end. */
export const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/[\\/]$/, "");

/**
 * The path of the script behind a command of an npm package, to be run with Node. On Windows the entries of
 * node_modules/.bin are batch files.
 */
export function bin(command: string, npmPackage = command): string {
  const folder = `${root}/node_modules/${npmPackage}`;
  const { bin: all }: { bin: string | Record<string, string> } = JSON.parse(
    readFileSync(`${folder}/package.json`, "utf8"),
  );
  return `${folder}/${typeof all === "string" ? all : all[command]}`;
}

/** A running process. `exited` resolves with its exit code; `stop` ends it and resolves when it has ended. */
export interface Child {
  exited: Promise<number>;
  stop(): Promise<void>;
}

/** A command for {@link spawnGuarded}. `signal` is sent to end it. `logFile` is emptied, then gets its output. */
export interface Command {
  command: string;
  args: string[];
  env: NodeJS.ProcessEnv;
  signal: NodeJS.Signals;
  logFile: string;
}

/**
 * Starts a process that never outlives this one (guard.ts). It is in a process group of its own, because a terminal
 * sends Ctrl-C to the whole group, and the parts of a stack must end in order.
 */
export function spawnGuarded({ command, args, env, signal, logFile }: Command): Child {
  const log = openSync(logFile, "w", 0o600);
  const child = spawn(process.execPath, [guard, signal, command, ...args], {
    cwd: root,
    env,
    detached: true,
    stdio: ["ignore", log, log, "ipc"],
  });
  closeSync(log);
  const exited = new Promise<number>((resolve) => child.once("exit", (code) => resolve(code ?? 1)));
  return {
    exited,
    async stop() {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}

/**
 * Runs a command until it ends, or until `signal` aborts it, and returns its output.
 * @throws Error with the command's output when it fails
 */
export async function runCommand(
  command: string,
  args: string[],
  options: { env?: NodeJS.ProcessEnv; signal?: AbortSignal | undefined } = {},
): Promise<string> {
  try {
    const { stdout, stderr } = await run(command, args, { cwd: root, maxBuffer: 64 << 20, ...options });
    return stdout + stderr;
  } catch (error) {
    const { stdout = "", stderr = "", message } = error as { stdout?: string; stderr?: string; message: string };
    throw new Error(`${stdout}${stderr}`.trim() || message);
  }
}

/** An address without its password, and the environment that brings it: `ps` shows arguments to every user. */
export function withoutPassword(url: string): { address: string; env: NodeJS.ProcessEnv } {
  const address = new URL(url);
  const password = decodeURIComponent(address.password) || address.searchParams.get("password");
  address.password = "";
  address.searchParams.delete("password");
  return { address: address.href, env: { ...process.env, ...(password && { PGPASSWORD: password }) } };
}

/** Runs a command of the Supabase CLI for a database, without telemetry and without a check for a newer version. */
export async function runSupabase(
  args: string[],
  { url, signal }: { url: string; signal?: AbortSignal | undefined },
): Promise<string> {
  const { address, env } = withoutPassword(url);
  const quiet = { DO_NOT_TRACK: "1", SUPABASE_TELEMETRY_DISABLED: "1", SUPABASE_NO_UPDATE_NOTIFIER: "1" };
  const all = [bin("supabase"), ...args, `--remote=${address}`, "--workdir", root];
  return runCommand(process.execPath, all, { env: { ...env, ...quiet }, signal });
}

/**
 * Calls `ready` ten times a second until it returns a value.
 * @throws Error with the end of the log when the process ends first, or after a minute
 */
export async function waitFor<T>(
  what: string,
  child: Child,
  logFile: string,
  ready: () => Promise<T | undefined>,
): Promise<T> {
  let ended = false;
  void child.exited.then(() => {
    ended = true;
  });
  const deadline = Date.now() + 60_000;
  while (!ended && Date.now() < deadline) {
    const answer = await ready();
    if (answer !== undefined) return answer;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const log = (await readFile(logFile, "utf8")).trim().split("\n").slice(-20).join("\n");
  throw new Error(`${what} ${ended ? "ended" : "was not ready"} while starting. The end of ${logFile}:\n${log}`);
}
