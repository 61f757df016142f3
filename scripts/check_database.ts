// DATABASE_URL=… npm run check-database: what in a database differs from what the migrations make, and what
// sql/commands/check.sql finds (docs/operate/backup-and-restore.md, Check the database). It changes nothing.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { parseArgs } from "node:util";
import pg from "pg";
import { type Finding, findings } from "./check_database/findings.ts";
import { OperatorError, openDatabase, type Queryable, query } from "./move/database.ts";
import { createDatabase, hasAllMigrations } from "./stack/database.ts";
import { changesBetween, migrationFiles } from "./stack/difference.ts";
import { startPostgres } from "./stack/postgres.ts";
import { root } from "./stack/process.ts";
import { stackSecrets } from "./stack/secrets.ts";

/** What the engine of `npm run migration` does not compare: the roles that requests run as, and who may become them. */
const ofRoles = `
  select 'role ' || rolname as what, concat_ws(', ', case when rolsuper then 'superuser' end,
    case when rolbypassrls then 'bypassrls' end, case when rolcanlogin then 'login' end) as says
  from pg_roles where rolname in ('public_api', 'anon', 'authenticated', 'service_role', 'authenticator')
  union all
  select format('role %s as %s', member::regrole, roleid::regrole), 'a member' from pg_auth_members
  where roleid = to_regrole('public_api') or member::regrole::text in ('public_api', 'anon', 'authenticated')`;

const version = (on: Queryable) =>
  query<{ major: number }>(on, "select current_setting('server_version_num')::integer / 10000 as major").then(
    ([row]) => row?.major,
  );

async function rolesThatDiffer(on: Queryable, wanted: Queryable): Promise<Finding[]> {
  const read = async (from: Queryable) =>
    new Map((await query<{ what: string; says: string }>(from, ofRoles)).map(({ what, says }) => [what, says]));
  const [here, there] = [await read(on), await read(wanted)];
  return [...new Set([...here.keys(), ...there.keys()])]
    .filter((what) => here.get(what) !== there.get(what))
    .map((what) => ({ what, problem: `is ${here.get(what) || "not there"}, not ${there.get(what) || "not there"}` }));
}

/** What sql/commands/check.sql finds: the rights and rows that the difference does not tell. */
async function checked(on: Queryable): Promise<Finding[]> {
  const text = await readFile(`${root}/sql/commands/check.sql`, "utf8");
  const select = text.slice(text.indexOf("\nwith\n"));
  const rows = await query<{ what: string; problem: string; remedy: string }>(on, select);
  return rows.map(({ what, problem, remedy }) => ({ what, problem: `${problem}: ${remedy}` }));
}

/** @throws OperatorError when the database cannot be compared */
async function check(): Promise<Finding[]> {
  const url = process.env.DATABASE_URL ?? "";
  // One connection, read only: begun before anything else is asked.
  const database = await openDatabase("DATABASE_URL", {
    max: 1,
    idleTimeoutMillis: 0,
    application_name: "check-database",
  });
  const folder = await mkdtemp(`${tmpdir()}/check-database-`);
  try {
    await database.query("set default_transaction_read_only = on");
    if (!(await hasAllMigrations(url)))
      throw new OperatorError(
        "The database has not exactly the migrations of this folder: push the migrations (npm run push)",
      );
    const server = await startPostgres(folder, await stackSecrets(folder), { port: 0, throwaway: true });
    try {
      const addresses = { database_url: server.url("postgres"), superuser_url: server.url("supabase_admin") };
      const wanted = new pg.Pool({
        connectionString: await createDatabase(addresses, "wanted", migrationFiles),
        max: 1,
      });
      // end() does not wait until the connection is closed, and the server stops.
      wanted.on("error", () => {});
      try {
        const [theirs, ours] = [await version(database), await version(wanted)];
        if (theirs !== ours)
          throw new OperatorError(
            `The database is PostgreSQL ${theirs}, and only ${ours} can be compared: run sql/commands/check.sql`,
          );
        const differences = findings(await changesBetween(database, wanted));
        return [...differences, ...(await rolesThatDiffer(database, wanted)), ...(await checked(database))];
      } finally {
        await wanted.end();
      }
    } finally {
      await server.stop();
    }
  } finally {
    await database.end();
    await rm(folder, { recursive: true, force: true });
  }
}

try {
  parseArgs({ options: {} });
  const found = await check();
  for (const { what, problem } of found) console.log(`${what} ${problem}`);
  console.log(found.length > 0 ? `${found.length} differ` : "Nothing differs from the migrations");
  process.exitCode = found.length > 0 ? 1 : 0;
} catch (error) {
  // The message alone: an error object may hold the address.
  console.error((error as Error).message);
  process.exitCode = 2;
}
