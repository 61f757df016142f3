// A stack in a separate process: when its database is killed, the stand-in for Auth gets errors that a test runner
// in the same process would count as its own. Started by own_stack.ts; it ends when the process that started it ends.
import { once } from "node:events";
import { startStack } from "../../scripts/stack/stack.ts";

const [folder = "", kind] = process.argv.slice(2);
const stopping = new AbortController();
const { signal } = stopping;
process.on("disconnect", () => stopping.abort());
// A terminal sends Ctrl-C to every process. The test runner decides when this one ends.
process.on("SIGINT", () => {});

const stack = await startStack({
  folder,
  ports: { gateway: 0, database: 0, dashboard: 0 },
  throwaway: kind === "throwaway",
  progress: (step) => process.send?.(step),
  signal,
}).catch((error: Error) => {
  console.error(error.message);
  process.exit(1);
});
if (!signal.aborted) {
  process.send?.("ready");
  await once(signal, "abort");
}
await stack.stop();
process.exit();
