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
