import { execFile } from "node:child_process";
import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import type { Sql } from "postgres";
import postgres from "postgres";
import { createDatabase, withDatabase } from "../stack/database.ts";
import { startPostgres } from "../stack/postgres.ts";
import { root } from "../stack/process.ts";
import { stackSecrets } from "../stack/secrets.ts";
import { generate } from "./generate.ts";

/** A database of 201 companies (generate.ts). */
export interface Database {
  /** How many kudos its first company has. */
  largest: number;
  /** Its address as `postgres`, the owner of the tables. */
  url: string;
  /** One connection as `postgres`, held to one processor, the same for both databases. */
  sql: Sql;
  /** The same as a superuser. */
  superuser: Sql;
}

/** Two databases on one server that differ in the size of the first company. */
export interface Databases {
  small: Database;
  large: Database;
  stop(): Promise<void>;
}

const fewest = 10_000;

/**
 * Without these, glibc may give the end of the heap back after each page and ask for it again in the next: whether it does depends on
 * how the heap happens to lie, from one connection to the next, and costs a small page up to a tenth. That is not what is measured.
 */
const keepsMemory = { MALLOC_TRIM_THRESHOLD_: String(64 * 1024 ** 2), MALLOC_MMAP_THRESHOLD_: String(32 * 1024 ** 2) };

/**
 * Holds the server's process of a connection to the last processor that this process may use, where the system can. Two connections that take
 * turns keep to a processor each otherwise, and on a machine that others use too one of them may be slower by half for a while.
 * @returns whether it is held
 */
async function holdToOneProcessor(sql: Sql): Promise<boolean> {
  const status = await readFile("/proc/self/status", "utf8").catch(() => "");
  const [, processor] = /^Cpus_allowed_list:.*?(\d+)$/m.exec(status) ?? [];
  if (processor === undefined) return false;
  const [{ pid } = { pid: 0 }] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
  return promisify(execFile)("taskset", ["-cp", processor, String(pid)]).then(
    () => true,
    () => false,
  );
}

/** Starts a PostgreSQL of its own, applies the migrations and fills it. `largest` is the number of kudos of the large database's first company. */
export async function startDatabases(
  folder: string,
  largest: number,
  progress: (step: string) => void,
): Promise<Databases> {
  const secrets = await stackSecrets(folder);
  const options = { port: 0, throwaway: true, environment: keepsMemory };
  // Memory as on a machine that one would give such a database; the server reads it when it starts.
  const first = await startPostgres(folder, secrets, options);
  for (const setting of ["shared_buffers = '1GB'", "max_wal_size = '16GB'", "autovacuum = off"]) {
    await withDatabase(first.url("supabase_admin"), (sql) => sql.unsafe(`alter system set ${setting}`));
  }
  await first.stop();
  const server = await startPostgres(folder, secrets, options);
  const addresses = { database_url: server.url("postgres"), superuser_url: server.url("supabase_admin") };
  const connections: Sql[] = [];
  const connect = (url: string): Sql => {
    const sql = postgres(url, { max: 1, onnotice: () => {} });
    connections.push(sql);
    return sql;
  };
  const stop = async (): Promise<void> => {
    for (const sql of connections) await sql.end();
    await server.stop();
  };
  const make = async (name: string, largest: number): Promise<Database> => {
    const url = await createDatabase(addresses, name, globSync(`${root}/supabase/migrations/*.sql`).sort());
    const superuser = connect(Object.assign(new URL(addresses.superuser_url), { pathname: `/${name}` }).href);
    await generate(superuser, largest, (step) => progress(`${name} database: ${step}`));
    await superuser`reset session_replication_role`;
    await superuser`grant usage on schema bench to postgres`;
    const sql = connect(url);
    if (!(await holdToOneProcessor(sql)))
      progress(`${name} database: its connection could not be held to one processor`);
    return { largest, url, sql, superuser };
  };
  try {
    return { small: await make("small", fewest), large: await make("large", largest), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
