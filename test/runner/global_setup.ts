// The stack that the tests share. Watch mode uses the stack of `npm start` if it is running. A run starts its own
// stack, so that it can run beside `npm start`, or uses the stack that it is given (run.ts).
import { readFile } from "node:fs/promises";
import type { TestProject } from "vitest/node";
import { root } from "../../scripts/stack/process.ts";
import { runningStack } from "../../scripts/stack/running.ts";
import { startOwnStack } from "../support/own_stack.ts";
import { joinGivenStack } from "./given_stack.ts";
import { alwaysWrite } from "./writer.ts";

let shared: Promise<() => Promise<void>> | undefined;

async function share(watch: boolean): Promise<() => Promise<void>> {
  if (process.env.GIVEN_STACK) {
    const { folder, stop } = await joinGivenStack(process.env.GIVEN_STACK);
    process.env.STACK_FILE = `${folder}/stack.json`;
    return stop;
  }
  const running = watch ? await runningStack().catch(() => undefined) : undefined;
  // Another program may have the port by now. It would not refuse a request without a key.
  const answers = running && (await fetch(running.api_url)).status === 401;
  const file = process.env.STACK_FILE ?? (answers && `${root}/.stack/stack.json`);
  if (file) {
    console.log(`The tests use the stack of ${file}`);
    process.env.STACK_FILE = file;
    return async () => {};
  }
  const begin = performance.now();
  const stack = await startOwnStack("throwaway", (step) => console.log(`The stack: ${step}`));
  console.log(`The stack is ready after ${((performance.now() - begin) / 1000).toFixed(1)} s`);
  process.env.STACK_FILE = `${stack.folder}/stack.json`;
  return async () => {
    const keepFolder = Boolean(process.exitCode);
    if (keepFolder) console.log(`The logs are in ${stack.folder}`);
    await stack.stop({ keepFolder });
  };
}

/** The stack that the tests share, with somebody who always writes to it. */
async function shareBusy(watch: boolean): Promise<() => Promise<void>> {
  const stop = await share(watch);
  const { superuser_url } = JSON.parse(await readFile(process.env.STACK_FILE ?? "", "utf8"));
  const writing = alwaysWrite(superuser_url);
  return async () => {
    await writing.stop();
    await stop();
  };
}

/** Every project of vitest.config.ts that needs the stack calls this; the first one starts it. */
export async function setup({ config }: TestProject): Promise<void> {
  shared ??= shareBusy(config.watch);
  await shared;
}

export async function teardown(): Promise<void> {
  const stop = await shared?.catch(() => undefined);
  shared = undefined;
  await stop?.();
}
