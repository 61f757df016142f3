import { readFile, rm } from "node:fs/promises";
import { bin, spawnGuarded } from "../../scripts/stack/process.ts";
import { readJson } from "../../scripts/stack/secrets.ts";

/** The fields of vitest's JSON report that are used here. */
interface Report {
  testResults: { name: string; status: string; assertionResults: { fullName: string; status: string }[] }[];
}

/**
 * Runs vitest with the stack whose stack.json is in `folder`, where the report and the log are written too.
 * @returns the tests that failed, as `path › name`, or the path of a file that could not be loaded; and vitest's output
 * @throws the signal's reason when it is aborted
 */
export async function vitest(
  folder: string,
  args: string[],
  signal: AbortSignal,
): Promise<{ failed: string[]; output: string }> {
  signal.throwIfAborted();
  const [reportFile, logFile] = [`${folder}/vitest.json`, `${folder}/vitest.log`];
  await rm(reportFile, { force: true });
  const child = spawnGuarded({
    command: process.execPath,
    args: [bin("vitest"), "run", "--reporter=default", "--reporter=json", `--outputFile.json=${reportFile}`, ...args],
    env: { ...process.env, STACK_FILE: `${folder}/stack.json`, NO_COLOR: "1" },
    signal: "SIGTERM",
    logFile,
  });
  signal.addEventListener("abort", () => void child.stop());
  const code = await child.exited;
  signal.throwIfAborted();
  const output = await readFile(logFile, "utf8");
  const files = (await readJson<Report>(reportFile))?.testResults ?? [];
  const failed = files.flatMap(({ name, status, assertionResults }) => {
    const file = name.replace(/^.*\/(?=test\/)/, "");
    const tests = assertionResults.filter((test) => test.status === "failed");
    return status === "passed" ? [] : tests.length === 0 ? [file] : tests.map((test) => `${file} › ${test.fullName}`);
  });
  if ((code === 0) !== (failed.length === 0)) throw new Error(`vitest ended with ${code}:\n${output}`);
  return { failed, output };
}
