// The browser of the dashboard's tests: on Linux, the Chromium of an npm package, unpacked once for all workers. On other
// systems, the Chrome that is installed.
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import sparticuz from "@sparticuz/chromium";

/** Leaves the path of the unpacked program in CHROMIUM. It is in the folder of the stack, and is deleted with it. */
export async function setup(): Promise<void> {
  if (process.platform !== "linux") return;
  const { TMPDIR } = process.env;
  process.env.TMPDIR = `${dirname(process.env.STACK_FILE ?? "")}/browser`;
  mkdirSync(process.env.TMPDIR, { recursive: true });
  process.env.CHROMIUM = await sparticuz.executablePath();
  if (TMPDIR === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = TMPDIR;
}
