import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import postgres from "postgres";
import { createDatabase } from "../stack/database.ts";
import { migrationFiles } from "../stack/difference.ts";
import { startPostgres } from "../stack/postgres.ts";
import { withoutPassword } from "../stack/process.ts";
import { stackSecrets } from "../stack/secrets.ts";

const run = promisify(execFile);

/** A database of 201 companies (companies.sql) on a server of its own. */
export interface Database {
  /** Its address as `postgres`, the owner of the tables. */
  url: string;
  /** One connection as a superuser. */
  superuser: postgres.Sql;
  stop(): Promise<void>;
}

/** Starts a PostgreSQL, applies the migrations and fills it. `largest` is the number of kudos of the first company. */
export async function startDatabase(folder: string, largest: number): Promise<Database> {
  // Without pgbench this fails at once, and not after the minute that filling takes.
  await run("pgbench", ["--version"]).catch(() => {
    throw new Error(
      "pgbench is missing. It comes with PostgreSQL: apt-get install postgresql, brew install postgresql",
    );
  });
  // Parts vacuum by themselves: autovacuum would disturb a round. A parallel worker's time is not its backend's.
  const alone = { autovacuum: "off", max_parallel_workers_per_gather: "0" };
  const settings = { shared_buffers: "1GB", maintenance_work_mem: "1GB", max_wal_size: "16GB", ...alone };
  const server = await startPostgres(folder, await stackSecrets(folder), { port: 0, throwaway: true, settings });
  const addresses = { database_url: server.url("postgres"), superuser_url: server.url("supabase_admin") };
  const url = await createDatabase(addresses, "bench", migrationFiles);
  const superuser = postgres(addresses.superuser_url, { database: "bench", max: 1, onnotice: () => {} });
  const companies = await readFile(new URL("companies.sql", import.meta.url), "utf8");
  await superuser.unsafe(companies.replaceAll(":largest", String(largest))).simple();
  await superuser`vacuum (analyze)`;
  await superuser`checkpoint`;
  return { url, superuser, stop: () => superuser.end().then(server.stop) };
}

/**
 * Runs a statement on this connection of a superuser. Linux only.
 * @returns the processor time that its backend took for it, in microseconds
 */
export async function processorTime(sql: postgres.Sql, statement: string): Promise<number> {
  const used = async () => {
    const [row] = await sql<{ ns: string }[]>`select split_part(pg_read_file('/proc/self/schedstat'), ' ', 1) as ns`;
    return Number(row?.ns) / 1000;
  };
  const before = await used();
  await sql.unsafe(statement);
  return (await used()) - before;
}

/**
 * Runs a script of pgbench for a second, over and over, with prepared statements.
 * @returns how many times a second it ran to its end
 * @throws Error with what pgbench printed when a statement fails
 */
export async function pgbench(url: string, script: string, connections: number): Promise<number> {
  const { address, env } = withoutPassword(url);
  const options = ["-n", "-M", "prepared", "-c", String(connections), "-j", "2", "-T", "1", "-f", "-"];
  const running = run("pgbench", [...options, address], { env });
  running.child.stdin?.end(script);
  const { stdout } = await running;
  return Number(/^tps = ([\d.]+)/m.exec(stdout)?.[1]);
}
