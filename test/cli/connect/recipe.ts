// The recipes of docs/connect, read from their pages, and a folder to run them in.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { promisify } from "node:util";
import { afterAll } from "vitest";
import { root } from "../../../scripts/stack/process.ts";
import { stack } from "../../support/stack.ts";

const run = promisify(execFile);

/** The code blocks of a page in one language, in order. */
export function blocks(page: string, language: string): string[] {
  const markdown = readFileSync(`${root}/docs/connect/${page}`, "utf8");
  return [...markdown.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, name, text = ""]) =>
    name === language ? [text] : [],
  );
}

/** A folder that is deleted after the tests of the file. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(`${tmpdir()}/connect-`);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * Runs a recipe in a folder, with the address and the key in its environment.
 * @param more further variables; they take precedence
 * @throws Error with the recipe's output when it fails
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
