// The recipes of docs/connect, as their pages show them, and a folder to run one in.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { promisify } from "node:util";
import { afterAll } from "vitest";
import { root } from "../../../scripts/stack/process.ts";
import { stack } from "../../api/stack.ts";

const run = promisify(execFile);

/** The blocks of a page in a language, in order. */
export function blocks(page: string, language: string): string[] {
  const markdown = readFileSync(`${root}/docs/connect/${page}`, "utf8");
  return [...markdown.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, name, text = ""]) =>
    name === language ? [text] : [],
  );
}

/** A folder that is gone when the file's tests are over. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(`${tmpdir()}/connect-`);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * Runs a recipe in a folder, with the address and the key in its environment.
 * @param more what else is in it, or instead
 * @throws Error with what it printed when it fails
 */
export async function runRecipe(
  folder: string,
  key: string,
  command: string,
  args: string[],
  more: NodeJS.ProcessEnv = {},
): Promise<string> {
  const env = { ...process.env, PUBLIC_API_URL: stack.api_url, PUBLIC_API_KEY: key, ...more };
  try {
    return (await run(command, args, { cwd: folder, env, maxBuffer: 64 << 20 })).stdout;
  } catch (error) {
    const { stdout = "", stderr = "", message } = error as { stdout?: string; stderr?: string; message: string };
    throw new Error(`${stdout}${stderr}`.trim() || message);
  }
}
