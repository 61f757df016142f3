import { readFile } from "node:fs/promises";
import { bin, spawnGuarded } from "../../scripts/stack/process.ts";

/**
 * Runs vitest with the stack whose stack.json is in `folder`, where the log is written too.
 * @returns the tests that failed, as `path > name`, or the path of a file that could not be loaded; and vitest's output
 * @throws the signal's reason when it is aborted
 */
export async function vitest(
  folder: string,
  args: string[],
  signal: AbortSignal,
): Promise<{ failed: string[]; output: string }> {
  signal.throwIfAborted();
  const logFile = `${folder}/vitest.log`;
  const child = spawnGuarded({
    command: process.execPath,
    args: [bin("vitest"), "run", ...args],
    env: { ...process.env, STACK_FILE: `${folder}/stack.json`, NO_COLOR: "1" },
    signal: "SIGTERM",
    logFile,
  });
  signal.addEventListener("abort", () => void child.stop());
  const code = await child.exited;
  signal.throwIfAborted();
  const output = await readFile(logFile, "utf8");
  const failed = [...output.matchAll(/^ FAIL {2}(?:\|\w+\| )?(.*)$/gm)].map(([, test = ""]) => test);
  if ((code === 0) !== (failed.length === 0)) throw new Error(`vitest ended with ${code}:\n${output}`);
  return { failed, output };
}
