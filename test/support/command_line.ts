import { execFile, type SpawnOptionsWithoutStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { afterAll } from "vitest";
import { root } from "../../scripts/stack/process.ts";
import { stack } from "./stack.ts";

export type Run = { code: number; stdout: string; stderr: string };

export const environment = (key: string | undefined, url = stack.api_url): NodeJS.ProcessEnv => ({
  ...process.env,
  PUBLIC_API_URL: url,
  PUBLIC_API_KEY: key,
  // A proxy of this machine does not come between.
  NO_PROXY: "127.0.0.1",
});

export function runProgram(program: string, args: string[], cwd: string, env: NodeJS.ProcessEnv): Promise<Run> {
  return new Promise((resolve) => {
    execFile(program, args, { cwd, env, maxBuffer: 64 << 20 }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });
}

/** public-data-api as it starts from its source. */
export const main = `${root}/cli/src/main.ts`;

/** Runs public-data-api from its source in this folder. */
export const run = (args: string[], folder: string, env: NodeJS.ProcessEnv): Promise<Run> =>
  runProgram(process.execPath, [main, ...args], folder, env);

/** As {@link run}, on a terminal. `typed` is typed when it asks. */
export function runOnTerminal(args: string[], folder: string, env: NodeJS.ProcessEnv, typed = ""): Promise<Run> {
  const script = `import os, pty, sys
pid, terminal = pty.fork()
if pid == 0: os.execv(sys.argv[2], sys.argv[2:])
shown = b""
while True:
  try: part = os.read(terminal, 4096)
  except OSError: break
  if not part: break
  if b"[y/N]" in part: os.write(terminal, sys.argv[1].encode())
  shown += part
print(shown.decode(), end="")
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))`;
  return runProgram("python3", ["-I", "-c", script, typed, process.execPath, main, ...args], folder, env);
}

/** Starts a program. `output` is what it has printed so far; `ended` resolves with its exit code and all of it. */
export function startProgram(program: string, args: string[], options: SpawnOptionsWithoutStdio) {
  const child = spawn(program, args, options);
  const run = { child, output: "" };
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text) => (run.output += text));
  const ended = once(child, "close").then(([code]) => ({ code: code as number | null, output: run.output }));
  const kill = (signal: NodeJS.Signals = "SIGKILL") => {
    child.kill(signal);
    return ended;
  };
  return Object.assign(run, { ended, kill });
}

/** A folder for the files of a test file, deleted after its tests. */
export function workFolder(): string {
  const folder = mkdtempSync(`${tmpdir()}/command-line-`);
  afterAll(() => rmSync(folder, { recursive: true }));
  return folder;
}
