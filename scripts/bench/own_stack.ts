// A stack for one run, in a process of its own, so that what loads it does not share its thread. Started by startScript with the
// folder to use; sends what stack.json holds.
import { startStack } from "../stack/stack.ts";

const [folder = ""] = process.argv.slice(2);
const ports = { gateway: 0, database: 0, dashboard: 0 };
const { ended, stop, ...file } = await startStack({ folder, ports, throwaway: true, progress: () => {} });
void ended.then(() => process.exit(1));
process.on("disconnect", async () => {
  await stop();
  process.exit();
});
process.send?.(file);
