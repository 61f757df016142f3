// A stack that may lose its database and get it back, in a process of its own: the stand-in for the Data API meets errors there that
// a test runner would take for its own. Started by own_stack.ts; ends when whoever started it goes away.

import { type Postgres, startPostgres } from "../../scripts/stack/postgres.ts";
import { stackSecrets } from "../../scripts/stack/secrets.ts";
import { startStack } from "../../scripts/stack/stack.ts";

const [folder = ""] = process.argv.slice(2);
// It has to survive a crash of the server, so it waits for the disk.
const options = { folder, ports: { gateway: 0, database: 0, dashboard: 0 }, throwaway: false, progress: () => {} };
const stack = await startStack(options);
let database: Postgres | undefined;

process.on("message", async () => {
  const port = Number(new URL(stack.superuser_url).port);
  database = await startPostgres(folder, await stackSecrets(folder), { port, throwaway: false });
  process.send?.("database");
});
process.on("disconnect", async () => {
  await stack.stop();
  await database?.stop();
  process.exit();
});
process.send?.("stack");
