// DATABASE_URL=… npm run push: applies the missing migrations at a moment when nobody has to wait for them
// (docs/operations.md, Upgrading).

import { withDatabase } from "./stack/database.ts";
import { runSupabase } from "./stack/process.ts";

/** How often it tries, and how many seconds lie between two tries: five minutes in all. */
const tries = { most: 60, apart: 5 };

/**
 * Who has had a transaction open for more than five seconds that uses tables of the service, such as a dump. A migration
 * would wait for it, and everybody who comes later would wait behind the migration.
 */
async function inTheWay(url: string): Promise<string[]> {
  const found = await withDatabase(
    url,
    (sql) => sql<{ pid: number; usename: string; application_name: string; open_for: string }[]>`
      select distinct a.pid, a.usename, a.application_name, date_trunc('second', now() - a.xact_start)::text as open_for
      from pg_stat_activity as a
      join pg_locks as l on l.pid = a.pid and l.granted
      join pg_class as c on c.oid = l.relation
      join pg_namespace as n on n.oid = c.relnamespace
      where a.datname = current_database() and n.nspname in ('app', 'api', 'staging', 'auth')
        and a.xact_start < now() - interval '5 seconds'`,
  );
  return found.map((one) => `process ${one.pid} (${one.usename}, ${one.application_name}), open for ${one.open_for}`);
}

/** What prevented the migrations this time, or undefined when all are applied. Throws what will not pass by itself. */
async function obstacle(url: string): Promise<string | undefined> {
  const others = await inTheWay(url);
  if (others.length > 0) return `A long transaction uses tables of the service: ${others.join("; ")}`;
  try {
    console.log((await runSupabase(["db", "push", `--remote=${url}`, "--yes"])).trim());
    return undefined;
  } catch (error) {
    const { message } = error as Error;
    if (/lock timeout|deadlock detected/.test(message)) return "A migration could not get a lock within its time limit";
    throw error;
  }
}

const url = process.env.DATABASE_URL;
if (!url) throw new Error("DATABASE_URL must be the address of the database, for the role postgres");
let why = await obstacle(url);
for (let tried = 1; why !== undefined && tried < tries.most; tried++) {
  console.log(`${why}. Trying again in ${tries.apart} seconds`);
  await new Promise((resolve) => setTimeout(resolve, tries.apart * 1000));
  why = await obstacle(url);
}
if (why !== undefined) {
  console.error(`${why}. Given up: the migrations before it are applied, run this again`);
  process.exitCode = 1;
}
