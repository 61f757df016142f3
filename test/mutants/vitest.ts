import { readFile } from "node:fs/promises";
import { relative } from "node:path";
import { bin, root, spawnGuarded } from "../../scripts/stack/process.ts";
import { readJson } from "../../scripts/stack/secrets.ts";

/** A test that ran; its reference is `path › name`. */
export interface Test {
  reference: string;
  passed: boolean;
}

export interface Run {
  tests: Test[];
  report: string;
}

/** The fields of vitest's JSON report that are used here. */
interface Report {
  testResults: {
    name: string;
    status: string;
    assertionResults: { ancestorTitles: string[]; title: string; status: string }[];
  }[];
}

/**
 * Runs vitest on files, with the stack whose stack.json is in `folder`. A file that could not be loaded becomes a
 * failed test without a name.
 * @param folder where the report and the log are written
 * @param args files, and options of vitest
 */
export async function vitest(folder: string, args: string[], signal: AbortSignal): Promise<Run> {
  const reportFile = `${folder}/vitest.json`;
  const logFile = `${folder}/vitest.log`;
  const child = spawnGuarded({
    command: process.execPath,
    args: [bin("vitest"), "run", "--reporter=default", "--reporter=json", `--outputFile.json=${reportFile}`, ...args],
    env: { ...process.env, STACK_FILE: `${folder}/stack.json`, NO_COLOR: "1" },
    signal: "SIGTERM",
    logFile,
  });
  signal.addEventListener("abort", () => void child.stop());
  await child.exited;

  const report = await readFile(logFile, "utf8");
  const written = await readJson<Report>(reportFile);
  if (!written) throw new Error(`vitest wrote no report:\n${report}`);
  const tests = written.testResults.flatMap(({ name, status, assertionResults }) => {
    const file = relative(root, name);
    const loaded = assertionResults.map((test) => ({
      reference: [file, ...test.ancestorTitles, test.title].join(" › "),
      passed: test.status === "passed",
    }));
    const broken = status !== "passed" && loaded.every(({ passed }) => passed);
    return broken || loaded.length === 0 ? [...loaded, { reference: file, passed: false }] : loaded;
  });
  return { tests, report };
}
