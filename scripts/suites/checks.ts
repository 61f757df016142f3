import { bin, root, runCommand } from "../stack/process.ts";
import type { SuiteResult } from "./suite.ts";

/** Runs a command that says by its exit code whether all is well. */
async function check(reference: string, command: string, args: string[], env = process.env): Promise<SuiteResult> {
  try {
    await runCommand(bin(command), args, { env });
    return { tests: [{ reference, passed: true }], report: "" };
  } catch (error) {
    return { tests: [{ reference, passed: false }], report: (error as Error).message };
  }
}

/** Biome over the whole repository. */
export const formatAndLint = (): Promise<SuiteResult> =>
  check("biome check", "biome", ["check", "--error-on-warnings", root]);

/** The type checks: everything as Node sees it, the dashboard as a browser does, the function as Deno does. */
export async function types(): Promise<SuiteResult> {
  const folder = `${root}/functions/public-api`;
  const deno = ["check", "--node-modules-dir=manual", `--config=${folder}/deno.json`, `${folder}/index.ts`];
  const results = [
    await check("tsc", "tsc", ["--project", root]),
    await check("tsc dashboard", "tsc", ["--project", `${root}/dashboard`]),
    await check("deno check", "deno", deno, { ...process.env, DENO_NO_PACKAGE_JSON: "1" }),
  ];
  return {
    tests: results.flatMap(({ tests }) => tests),
    report: results
      .map(({ report }) => report)
      .join("\n")
      .trim(),
  };
}
