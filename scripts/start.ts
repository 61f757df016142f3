// npm start: runs the whole service on this machine, with demo data, until Ctrl-C.
import { access, constants, rm } from "node:fs/promises";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { lockFolder, lockHolder } from "./stack/lock.ts";
import { root } from "./stack/process.ts";
import { type Stack, startStack } from "./stack/stack.ts";

const usage = `Usage: npm start [-- --fresh] [-- --folder <path>] [-- --postgrest <path>]
  --fresh              delete all data, keys and passwords first
  --folder <path>      keep them there instead of in .stack
  --postgrest <path>   the program of PostgREST, in place of what stands in for it`;

const ports = { gateway: 54321, database: 54322, dashboard: 54323 };

/** Reads the options. An unknown option ends the process with the usage, so that a mistyped --fresh starts nothing. */
function readOptions(): { fresh: boolean; folder: string; postgrest: string | undefined } {
  const text = { type: "string" } as const;
  try {
    const { values } = parseArgs({ options: { fresh: { type: "boolean" }, folder: text, postgrest: text } });
    const { fresh = false, folder = `${root}/.stack`, postgrest } = values;
    return { fresh, folder: resolve(folder), postgrest: postgrest && resolve(postgrest) };
  } catch (error) {
    console.error(`${(error as Error).message}\n${usage}`);
    process.exit(2);
  }
}

/** The text for the developer: the addresses, the keys, and a command to paste. */
function describe(stack: Stack, seconds: string): string {
  const companies = stack.companies.map(
    ({ name, api_key, admin_email, admin_password }) =>
      `${name}\n  API key   ${api_key}\n  Admin     ${admin_email}\n  Password  ${admin_password}\n`,
  );
  return `
Ready after ${seconds} s.

API         ${stack.api_url}
Data, Auth  ${stack.supabase_url} (Data API: ${stack.data_api})
Dashboard   ${stack.dashboard_url}
Reference   ${stack.dashboard_url}/reference

${companies.join("\n")}
Try it in another terminal:

  export API=${stack.api_url}
  export KEY=${stack.companies[0]?.api_key}
  curl "$API/members?format=csv&limit=5" -H "X-API-Key: $KEY"

Ctrl-C stops everything and keeps the data; npm start -- --fresh deletes it first.`;
}

const { fresh, folder, postgrest } = readOptions();
const stopping = new AbortController();
const stopped = new Promise((resolve) => stopping.signal.addEventListener("abort", resolve));
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => stopping.abort());
// A SIGTERM to npm ends npm and its shell, which does not pass it on.
const parent = process.ppid;
if (process.env.npm_lifecycle_event) setInterval(() => process.ppid === parent || stopping.abort(), 500).unref();

const begin = performance.now();
const elapsed = () => ((performance.now() - begin) / 1000).toFixed(1);
let unlock = async () => {};
try {
  if (/[#?]/.test(root))
    throw new Error(`Move this folder to a path without # and ?, with which Vite can't build the page: ${root}`);
  if (postgrest !== undefined)
    await access(postgrest, constants.X_OK).catch(() => {
      throw new Error(`--postgrest must be the path of a program, and this is none: ${postgrest}`);
    });
  if (fresh && (await lockHolder(folder)) === null) await rm(folder, { recursive: true, force: true });
  unlock = await lockFolder(folder);
  const progress = (step: string) => console.log(`${elapsed().padStart(5)} s  ${step}`);
  const stack = await startStack({ folder, ports, throwaway: false, progress, postgrest, signal: stopping.signal });
  if (!stack.supabase_url.endsWith(`:${ports.gateway}`)) {
    console.log(`\nPort ${ports.gateway} is taken, so it is another one this time: ${stack.supabase_url}`);
  }
  console.log(describe(stack, elapsed()));

  const broken = await Promise.race([stopped, stack.ended]);
  console.log(
    stopping.signal.aborted ? "\nStopping …" : `\n${broken} ended by itself; its log is in ${folder}. Stopping …`,
  );
  if (!stopping.signal.aborted) process.exitCode = 1;
  await stack.stop();
} catch (error) {
  if (!stopping.signal.aborted) {
    console.error(`\n${(error as Error).message}`);
    process.exitCode = 1;
  }
} finally {
  await unlock();
}
