import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import postgres from "postgres";
import { createDatabase } from "../stack/database.ts";
import { migrationFiles } from "../stack/difference.ts";
import { startPostgres } from "../stack/postgres.ts";
import { stackSecrets } from "../stack/secrets.ts";

/** A database of 201 companies (companies.sql) on a server of its own. */
export interface Database {
  /** Its address as `postgres`, the owner of the tables. */
  url: string;
  /** One connection as a superuser. */
  superuser: postgres.Sql;
  stop(): Promise<void>;
}

const run = promisify(execFile);

/**
 * Starts a PostgreSQL, applies the migrations and fills it. `largest` is the number of kudos of the first company.
 * @throws Error that says where to get pgbench when there is none, before the minute that filling takes
 */
export async function startDatabase(folder: string, largest: number): Promise<Database> {
  await run("pgbench", ["--version"]).catch(() => {
    throw new Error(
      "pgbench is missing. It comes with PostgreSQL: apt-get install postgresql, brew install postgresql.",
    );
  });
  const secrets = await stackSecrets(folder);
  // Memory as on a machine that one would give such a database. The parts vacuum by themselves, so that no round meets with it.
  const settings = { shared_buffers: "1GB", maintenance_work_mem: "1GB", max_wal_size: "16GB", autovacuum: "off" };
  const server = await startPostgres(folder, secrets, { port: 0, throwaway: true, settings });
  const addresses = { database_url: server.url("postgres"), superuser_url: server.url("supabase_admin") };
  try {
    const url = await createDatabase(addresses, "bench", migrationFiles);
    const superuser = postgres(addresses.superuser_url, { database: "bench", max: 1, onnotice: () => {} });
    const companies = await readFile(new URL("companies.sql", import.meta.url), "utf8");
    await superuser.unsafe(companies.replaceAll(":largest", String(largest))).simple();
    await superuser`vacuum (analyze)`;
    await superuser`checkpoint`;
    return { url, superuser, stop: () => superuser.end().then(server.stop) };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/**
 * Runs a script of pgbench for a second, over and over, prepared.
 * @returns how many times a second it ran to its end
 * @throws Error with what pgbench printed when a statement fails
 */
export async function pgbench(databaseUrl: string, script: string, connections: number): Promise<number> {
  const address = new URL(databaseUrl);
  // In the environment, where no list of processes shows it.
  const env = { ...process.env, PGPASSWORD: address.password };
  address.password = "";
  const args = ["-n", "-M", "prepared", "-c", String(connections), "-j", "2", "-T", "1", "-f", "-", address.href];
  const running = run("pgbench", args, { env });
  running.child.stdin?.end(script);
  return Number(/^tps = ([\d.]+)/m.exec((await running).stdout)?.[1]);
}
