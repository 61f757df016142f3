import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { afterAll } from "vitest";
import { root } from "../../scripts/stack/process.ts";
import { stack } from "../api/stack.ts";

export interface Run {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs scripts/<name>.ts as its npm script does, with address and key in the environment and the folder as the current one. */
export function run(name: string, folder: string, key: string | undefined, ...args: string[]): Promise<Run> {
  const env = { ...process.env, PUBLIC_API_URL: stack.api_url, PUBLIC_API_KEY: key };
  return new Promise((resolve) => {
    execFile(process.execPath, [`${root}/scripts/${name}.ts`, ...args], { cwd: folder, env }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });
}

/** A folder for the files of a test file, gone at its end. */
export function workFolder(): string {
  const folder = mkdtempSync(`${tmpdir()}/command-line-`);
  afterAll(() => rmSync(folder, { recursive: true }));
  return folder;
}
