import { readFile } from "node:fs/promises";
import { root } from "./process.ts";
import type { StackFile } from "./stack.ts";

/**
 * What a running stack says about itself: the one that STACK_FILE names, else that of `npm start`.
 * @throws Error in one line when none is running
 */
export async function runningStack(): Promise<StackFile> {
  const file = process.env.STACK_FILE ?? `${root}/.stack/stack.json`;
  try {
    const stack: StackFile = JSON.parse(await readFile(file, "utf8"));
    await fetch(stack.api_url);
    return stack;
  } catch {
    throw new Error(`No stack is running (${file}): start one with npm start, and leave it running`);
  }
}

/** Runs a command: what goes wrong is a line for its user and exit code 1, an argument that it does not know the usage and 2. */
export async function runCommandLine(main: () => Promise<void>, usage: string): Promise<void> {
  try {
    await main();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const isUsage = code?.startsWith("ERR_PARSE_ARGS") ?? false;
    console.error(isUsage ? `${message}\n${usage}` : message);
    process.exitCode = isUsage ? 2 : 1;
  }
}
