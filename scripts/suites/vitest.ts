import { readFile } from "node:fs/promises";
import { relative } from "node:path";
import { bin, root, spawnGuarded } from "../stack/process.ts";
import { readJson } from "../stack/secrets.ts";
import type { SuiteResult } from "./suite.ts";

/** What is read of vitest's JSON report. */
interface Report {
  success: boolean;
  testResults: {
    name: string;
    status: string;
    assertionResults: { ancestorTitles: string[]; title: string; status: string }[];
  }[];
}

/**
 * Runs vitest on files with the stack's addresses: STACK_FILE names its stack.json. A skipped test counts as failed, and so does a
 * file that could not be loaded.
 * @param folder where its report and log go
 */
export async function vitest(folder: string, files: string[], signal: AbortSignal): Promise<SuiteResult> {
  const reportFile = `${folder}/vitest.json`;
  const logFile = `${folder}/vitest.log`;
  const child = spawnGuarded({
    command: process.execPath,
    args: [bin("vitest"), "run", "--reporter=default", "--reporter=json", `--outputFile.json=${reportFile}`, ...files],
    env: { ...process.env, STACK_FILE: `${folder}/stack.json` },
    signal: "SIGTERM",
    logFile,
  });
  signal.addEventListener("abort", () => void child.stop());
  await child.exited;

  const log = await readFile(logFile, "utf8");
  const report = await readJson<Report>(reportFile);
  if (!report) throw new Error(`vitest wrote no report:\n${log}`);
  const tests = report.testResults.flatMap(({ name, status, assertionResults }) => {
    const file = relative(root, name);
    const loaded = assertionResults.map((test) => ({
      reference: [file, ...test.ancestorTitles, test.title].join(" › "),
      passed: test.status === "passed",
    }));
    const broken = status !== "passed" && loaded.every(({ passed }) => passed);
    return broken || loaded.length === 0 ? [...loaded, { reference: file, passed: false }] : loaded;
  });
  // For example a rejected promise that no test waited for.
  if (!report.success && tests.every(({ passed }) => passed)) tests.push({ reference: "vitest", passed: false });
  return { tests, report: log };
}
