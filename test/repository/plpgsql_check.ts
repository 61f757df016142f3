// Runs plpgsql_check on every function. It checks each branch, also those that no test reaches. The embedded server
// does not have this extension; PostgreSQL from Debian does. Run it with: node test/repository/plpgsql_check.ts <folder
// of PostgreSQL's programs>, for example /usr/lib/postgresql/16/bin.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { createDatabase, prepareCluster, withDatabase } from "../../scripts/stack/database.ts";
import { migrationFiles } from "../../scripts/stack/difference.ts";
import { freePort } from "../../scripts/stack/ports.ts";
import { runCommand, spawnGuarded, waitFor } from "../../scripts/stack/process.ts";
import { stackSecrets } from "../../scripts/stack/secrets.ts";
import { serverUser } from "../../scripts/stack/server_user.ts";

const [bin] = process.argv.slice(2);
if (!bin) throw new Error("Usage: node test/repository/plpgsql_check.ts <folder of PostgreSQL's programs>");

const folder = await mkdtemp(`${tmpdir()}/plpgsql-check-`);
const user = await serverUser();
await user.own(folder);
const data = `${folder}/postgres`;
const initdb = user.wrap([`${bin}/initdb`, "-D", data, "--username=supabase_admin", "--encoding=UTF8", "--locale=C"]);
await runCommand(initdb[0], initdb.slice(1));
const port = await freePort(0);
const flags = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "fsync=off"].flatMap((flag) => ["-c", flag]);
const [command, ...args] = user.wrap([`${bin}/postgres`, "-D", data, "-p", String(port), ...flags]);
const logFile = `${folder}/postgres.log`;
const server = spawnGuarded({ command, args, env: process.env, signal: "SIGINT", logFile });

/** plpgsql_check cannot know the columns of a row that dynamic SQL returns. */
const accepted =
  /^app\.write_file\(uuid,text\):\d+: (warning: cannot determinate a result of dynamic SQL|error: record "sent" is not assigned yet)$/;

try {
  const url = (role: string): string => `postgres://${role}@127.0.0.1:${port}/postgres`;
  await waitFor("PostgreSQL", server, logFile, () =>
    withDatabase(url("supabase_admin"), (sql) => sql`select`).catch(() => undefined),
  );
  await prepareCluster(url, await stackSecrets(folder));
  const stack = { database_url: url("postgres"), superuser_url: url("supabase_admin") };
  const database = await createDatabase(stack, "checked", migrationFiles);
  const checked = Object.assign(new URL(database), { username: "supabase_admin" }).href;
  const { findings, functions } = await withDatabase(checked, async (sql) => {
    await sql`create extension plpgsql_check`;
    const ours = sql`
      pg_proc as p join pg_language as l on l.oid = p.prolang
      where l.lanname = 'plpgsql' and p.pronamespace in (select oid from pg_namespace where nspname in ('app', 'api', 'public', 'staging'))
      and not exists (select from pg_depend as d where d.objid = p.oid and d.deptype = 'e')`;
    const functions = await sql`select p.oid from ${ours}`;
    // A trigger function is checked with each table that uses it.
    const findings = await sql<{ line: string }[]>`
      select concat(p.oid::regprocedure, ':', f.lineno, ': ', f.level, ': ', f.message) as line
      from (select p.oid, coalesce(t.tgrelid, 0) as relation from (select p.* from ${ours}) as p left join pg_trigger as t on t.tgfoid = p.oid) as p,
        lateral plpgsql_check_function_tb(p.oid, p.relation, extra_warnings => false) as f
      order by p.oid::regprocedure::text, f.lineno`;
    return { findings, functions: functions.length };
  });
  const problems = findings.filter(({ line }) => !accepted.test(line));
  for (const { line } of problems) console.log(line);
  console.log(`${functions} functions checked, ${problems.length} problems`);
  process.exitCode = functions > 0 && problems.length === 0 ? 0 : 1;
} finally {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}
