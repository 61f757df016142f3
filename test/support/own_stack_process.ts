// A stack in a separate process, whose database can be killed and started again. The stand-in for the Data API then
// gets errors that a test runner in the same process would count as its own. Started by own_stack.ts; it ends when the
// process that started it ends.
import { type Postgres, startPostgres } from "../../scripts/stack/postgres.ts";
import { stackSecrets } from "../../scripts/stack/secrets.ts";
import { startStack } from "../../scripts/stack/stack.ts";

const [folder = "", kind] = process.argv.slice(2);
const throwaway = kind === "throwaway";
const stopping = new AbortController();
process.on("disconnect", () => stopping.abort());
// A terminal sends Ctrl-C to every process. The test runner decides when this one ends.
process.on("SIGINT", () => {});

const stack = await startStack({
  folder,
  ports: { gateway: 0, database: 0, dashboard: 0 },
  throwaway,
  progress: (step) => process.send?.({ step }),
  signal: stopping.signal,
}).catch((error: Error) => {
  console.error(error.message);
  process.exit(1);
});
let database: Postgres | undefined;

process.on("message", async () => {
  const port = Number(new URL(stack.superuser_url).port);
  database = await startPostgres(folder, await stackSecrets(folder), { port, throwaway });
  process.send?.("database");
});
async function end(): Promise<void> {
  await stack.stop();
  await database?.stop();
  process.exit();
}
if (stopping.signal.aborted) await end();
else stopping.signal.addEventListener("abort", () => void end());
process.send?.("stack");
