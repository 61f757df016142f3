// npm test: vitest with the given arguments. One is ours: `--stack <file>` runs the tests on the stack whose addresses
// are in that JSON file (given_stack.ts).
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { bin } from "../../scripts/stack/process.ts";

const [program = "", , ...args] = process.argv;
const at = args.indexOf("--stack");
if (at >= 0) process.env.GIVEN_STACK = resolve(args.splice(at, 2)[1] ?? "");
process.argv = [program, bin("vitest"), "run", "--no-color", ...args];
await import(pathToFileURL(bin("vitest")).href);
