// A streaming standby of the stack's database server, made from a copy of its files.
import { appendFile, cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname } from "node:path";
import { setTimeout } from "node:timers/promises";
import postgres from "postgres";
import { freePort } from "../../scripts/stack/ports.ts";
import { programs } from "../../scripts/stack/postgres.ts";
import { type Child, spawnGuarded, waitFor } from "../../scripts/stack/process.ts";
import { serverUser } from "../../scripts/stack/server_user.ts";
import { killServer, serverProcesses, signalAll } from "./own_stack.ts";
import { sql, stack } from "./stack.ts";

/** What a copy of the files of a running server leaves out; the last it removes and writes again at any time. */
const leftOut = /\/(postmaster\.(pid|opts)|pg_wal\/.*|pg_replslot\/.*|pgsql_tmp.*|pg_internal\.init.*)$/;

/** Copies the files of the primary while it runs, for a standby that streams from it. Returns the folder. */
async function copyPrimary(folder: string): Promise<string> {
  const data = `${folder}/postgres`;
  const user = await serverUser();
  await user.own(folder);
  await mkdir(data, { mode: 0o700 });
  await user.own(data);

  const backup = postgres(stack.superuser_url, { max: 1, onnotice: () => {} });
  await backup`select pg_backup_start('standby', true)`;
  const from = `${dirname(process.env.STACK_FILE ?? "")}/postgres`;
  await cp(from, data, { recursive: true, filter: (path) => !leftOut.test(path) });
  const [stopped] = await backup`select labelfile from pg_backup_stop(false)`;
  await backup.end();
  await writeFile(`${data}/backup_label`, stopped?.labelfile);
  await writeFile(`${data}/standby.signal`, "");
  const { hostname, port, username, password } = new URL(stack.superuser_url);
  const source = `host=${hostname} port=${port} user=${username} password=${password}`;
  await appendFile(`${data}/postgresql.auto.conf`, `primary_conninfo = '${source}'\n`);
  return data;
}

export async function startStandby() {
  const folder = await mkdtemp(`${tmpdir()}/standby-`);
  const data = await copyPrimary(folder);
  const port = await freePort(0);
  const url = Object.assign(new URL(stack.superuser_url), { port: String(port) }).href;
  const standby = postgres(url, { max: 2, onnotice: () => {}, backoff: () => 0 });
  const settings = [
    "unix_socket_directories=",
    "fsync=off",
    "hot_standby_feedback=on",
    "wal_retrieve_retry_interval=100",
    "max_prepared_transactions=1",
  ];
  const [command, ...args] = (await serverUser()).wrap([
    (await programs()).postgres,
    ...["-D", data, "-p", String(port), ...settings.flatMap((setting) => ["-c", setting])],
  ]);
  let server: Child;
  /** Also starts it again after a kill. */
  const start = async (): Promise<void> => {
    const logFile = `${folder}/postgres.log`;
    server = spawnGuarded({ command, args, env: process.env, signal: "SIGINT", logFile });
    await waitFor("The standby", server, logFile, () => standby`select`.catch(() => undefined));
  };
  await start();

  return {
    url,
    /** As superuser. */
    sql: standby,
    start,
    /** Resolves when it has applied all that the primary has committed. */
    async caughtUp(): Promise<void> {
      // The server does not wait for the disk, but sends only what is on it.
      await sql.begin(
        (tx) => tx`select set_config('synchronous_commit', 'on', true), pg_logical_emit_message(true, '', '')`,
      );
      const [now] = await sql`select pg_current_wal_flush_lsn() as lsn`;
      const applied = () => standby`select pg_last_wal_replay_lsn() >= ${now?.lsn}::pg_lsn as is`;
      while (!(await applied())[0]?.is) await setTimeout(10);
    },
    /** Stops the server and all its processes: connections stay open, but nothing answers. Returns what lets them go on. */
    async hang(): Promise<() => void> {
      // First the server itself, which then starts no further process.
      const [server = 0] = await serverProcesses(data, standby);
      signalAll([server], "SIGSTOP");
      const stopped = await serverProcesses(data, standby);
      signalAll(stopped, "SIGSTOP");
      return () => signalAll(stopped, "SIGCONT");
    },
    /** kill -9 of the server and all its processes. */
    async kill(): Promise<void> {
      await killServer(data, postgres(url, { max: 1 }));
      await server.exited;
    },
    async stop(): Promise<void> {
      await standby.end({ timeout: 0 });
      await server.stop();
      await rm(folder, { recursive: true });
    },
  };
}
