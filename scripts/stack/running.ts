import { readFile } from "node:fs/promises";
import { root } from "./process.ts";
import type { StackFile } from "./stack.ts";

/**
 * The stack.json of a running stack: of the one that STACK_FILE names, otherwise of `npm start`.
 * @throws Error with a message of one line when no stack is running
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

/** Runs a command. An error prints its message and sets exit code 1; a wrong argument also the usage, and 2. */
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
