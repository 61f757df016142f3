// DATABASE_URL=… npm run push [-- --dry-run]: applies the missing migrations at a moment when nobody has to wait for
// them, or lists them (docs/operate/upgrade.md).
import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { type Database, databaseAddress, OperatorError, openDatabase, query } from "./move/database.ts";
import { hasAllMigrations, supabasePush } from "./stack/database.ts";
import { root } from "./stack/process.ts";

const maxTries = 60;
const secondsApart = 5;

const { values: options } = parseArgs({ options: { "dry-run": { type: "boolean", default: false } } });

/** @throws OperatorError when the address is of another project than the one that the CLI is linked to */
async function compareProjects({ hostname, username }: URL): Promise<void> {
  const file = await readFile(`${root}/supabase/.temp/project-ref`, "utf8").catch(() => "");
  const linked = process.env.SUPABASE_PROJECT_ID ?? file.trim();
  // The direct connection has it in the name of the host, the session pooler in that of the user.
  const project = /^db\.([a-z]{20})\.|\.([a-z]{20})$/
    .exec(/\.supabase\.co$/.test(hostname) ? hostname : username)
    ?.slice(1)
    .find(Boolean);
  if (linked && project && linked !== project)
    throw new OperatorError(
      `DATABASE_URL is project ${project}, but this folder is linked to ${linked}: run npx supabase link ${project}`,
    );
}

/** The sessions of this database that hold a lock and for which a condition holds, with the time since `since`. */
async function sessions(database: Database, condition: string, since: string): Promise<string> {
  const found = await query<{ who: string }>(
    database,
    `select distinct format('process %s (%s, %s), for %s', a.pid, a.usename, a.application_name,
       date_trunc('second', clock_timestamp() - a.${since})) as who
     from pg_stat_activity as a
     join pg_locks as l on l.pid = a.pid and l.granted
     left join pg_class as c on c.oid = l.relation
     where a.datname = current_database() and ${condition}`,
  );
  return found.map(({ who }) => who).join("; ");
}

/** Another push, or a transaction that uses tables of the service and is older than five seconds, such as a dump. */
async function inTheWay(database: Database): Promise<string | undefined> {
  const lock = "hashtextextended('npm run push', 0)";
  const [taken] = await query(database, `select where pg_try_advisory_lock(${lock})`);
  if (!taken) {
    const isLock = `l.locktype = 'advisory' and (l.classid::bigint << 32 | l.objid::bigint) = ${lock}`;
    return `Another push is running: ${await sessions(database, isLock, "backend_start")}`;
  }
  const isLong = `c.relnamespace::regnamespace::text in ('app', 'lists', 'staging', 'auth')
    and a.xact_start < now() - interval '5 seconds'`;
  const long = await sessions(database, isLong, "xact_start");
  return long ? `A long transaction uses tables of the service: ${long}` : undefined;
}

/** What prevented the migrations this time, or undefined when all are applied. Throws what will not pass by itself. */
async function obstacle(database: Database, url: string): Promise<string | undefined> {
  if (await hasAllMigrations(url)) {
    console.log("The database has every migration: there is nothing to push");
    return undefined;
  }
  const others = options["dry-run"] ? undefined : await inTheWay(database);
  if (others) return others;
  try {
    console.log((await supabasePush(url, options["dry-run"] ? "--dry-run" : "--yes")).trim());
    return undefined;
  } catch (error) {
    const { message } = error as Error;
    if (/lock timeout|deadlock detected/.test(message)) return "A migration could not get a lock within its time limit";
    const page = "docs/operate/upgrade.md, Build large indexes first";
    throw /statement timeout/.test(message)
      ? new OperatorError(`${message}\nIf it was building an index: ${page}`)
      : error;
  }
}

async function push(): Promise<void> {
  const url = databaseAddress("DATABASE_URL");
  await compareProjects(new URL(url));
  // One connection: it holds the lock that a second push finds taken.
  const database = await openDatabase("DATABASE_URL", {
    max: 1,
    idleTimeoutMillis: 0,
    application_name: "npm run push",
  });
  try {
    let why = await obstacle(database, url);
    for (let tried = 1; why !== undefined && tried < maxTries; tried++) {
      console.log(`${why}. Trying again in ${secondsApart} seconds`);
      await new Promise((resolve) => setTimeout(resolve, secondsApart * 1000));
      why = await obstacle(database, url);
    }
    if (why !== undefined)
      throw new OperatorError(`${why}. Given up: the migrations before it are applied, run this again`);
  } finally {
    await database.end();
  }
}

await push().catch((error: Error) => {
  // The message alone: an error object may hold the address.
  console.error(error.message);
  process.exitCode = 1;
});
