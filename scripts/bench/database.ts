import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import postgres from "postgres";
import { createDatabase } from "../stack/database.ts";
import { startPostgres } from "../stack/postgres.ts";
import { root } from "../stack/process.ts";
import { stackSecrets } from "../stack/secrets.ts";

/** A database of 201 companies (companies.sql) on a server of its own. */
export interface Database {
  /** Its address as `postgres`, the owner of the tables. */
  url: string;
  /** One connection as `postgres`. */
  sql: postgres.Sql;
  /** One connection as a superuser. */
  superuser: postgres.Sql;
  stop(): Promise<void>;
}

/** Starts a PostgreSQL, applies the migrations and fills it. `largest` is the number of kudos of the first company. */
export async function startDatabase(folder: string, largest: number): Promise<Database> {
  const secrets = await stackSecrets(folder);
  // Memory as on a machine that one would give such a database. The parts vacuum by themselves, so that no round meets with it.
  const settings = { shared_buffers: "1GB", maintenance_work_mem: "1GB", max_wal_size: "16GB", autovacuum: "off" };
  const server = await startPostgres(folder, secrets, { port: 0, throwaway: true, settings });
  const addresses = { database_url: server.url("postgres"), superuser_url: server.url("supabase_admin") };
  const connections: postgres.Sql[] = [];
  const connect = (url: string): postgres.Sql => {
    const sql = postgres(url, { max: 1, onnotice: () => {} });
    connections.push(sql);
    return sql;
  };
  const stop = async (): Promise<void> => {
    for (const sql of connections) await sql.end();
    await server.stop();
  };
  try {
    const url = await createDatabase(addresses, "bench", globSync(`${root}/supabase/migrations/*.sql`).sort());
    const superuser = connect(Object.assign(new URL(addresses.superuser_url), { pathname: "/bench" }).href);
    const companies = await readFile(new URL("companies.sql", import.meta.url), "utf8");
    await superuser.unsafe(companies.replaceAll(":largest", String(largest))).simple();
    await superuser`vacuum (analyze)`;
    await superuser`checkpoint`;
    return { url, sql: connect(url), superuser, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
