// A stack for tests only: the one that most of them share, and separate ones whose database a test kills.
import { fork } from "node:child_process";
import { on, once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import postgres from "postgres";
import { type Postgres, startPostgres } from "../../scripts/stack/postgres.ts";
import { stackSecrets } from "../../scripts/stack/secrets.ts";
import type { StackFile } from "../../scripts/stack/stack.ts";

export type OwnStack = Awaited<ReturnType<typeof startOwnStack>>;

/** Sends a signal to these processes. One may have ended in the meantime. */
export function signalAll(pids: number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
}

/** The process ids of a database server: its own, and those of its processes but for this connection's. */
export async function serverProcesses(dataFolder: string, sql: postgres.Sql): Promise<number[]> {
  const [postmaster = ""] = (await readFile(`${dataFolder}/postmaster.pid`, "utf8")).split("\n");
  const processes = await sql<{ pid: number }[]>`select pid from pg_stat_activity where pid <> pg_backend_pid()`;
  return [Number(postmaster), ...processes.map(({ pid }) => pid)];
}

/** kill -9 of a database server and all its processes, and the end of this connection to it. */
export async function killServer(dataFolder: string, sql: postgres.Sql): Promise<void> {
  signalAll(await serverProcesses(dataFolder, sql), "SIGKILL");
  await sql.end({ timeout: 1 }).catch(() => {});
}

/**
 * Starts a stack in a temporary folder, on free ports. A `durable` one survives a crash of its database server.
 * @throws Error with the stack's error output when it does not start; the folder with its logs remains
 */
export async function startOwnStack(kind: "durable" | "throwaway", progress: (step: string) => void = () => {}) {
  const folder = await mkdtemp(`${tmpdir()}/public-data-api-`);
  const child = fork(`${import.meta.dirname}/own_stack_process.ts`, [folder, kind], {
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  const errors = text(child.stderr as Readable);
  const gone = once(child, "exit");
  let ready = false;
  for await (const [step] of on(child, "message", { close: ["exit"] })) {
    ready = step === "ready";
    if (ready) break;
    progress(step);
  }
  if (!ready) throw new Error(`The stack in ${folder} ended: ${(await errors).trim()}`);
  let database: Postgres | undefined;
  const file: StackFile = JSON.parse(await readFile(`${folder}/stack.json`, "utf8"));
  /** A connection as superuser. */
  const connect = () => postgres(file.superuser_url, { max: 1, onnotice: () => {} });

  return {
    ...file,
    folder,
    connect,
    /** kill -9 of the database server and all its processes. */
    killDatabase: () => killServer(`${folder}/postgres`, connect()),
    /** Starts the database again on the same port, with these settings. Resolves when it has recovered. */
    async startDatabase(settings: Record<string, string> = {}): Promise<void> {
      const port = Number(new URL(file.superuser_url).port);
      const options = { port, throwaway: kind === "throwaway", settings };
      database = await startPostgres(folder, await stackSecrets(folder), options);
    },
    /** Stops the stack and deletes its folder with the logs, unless the folder is to be kept. */
    async stop({ keepFolder } = { keepFolder: false }): Promise<void> {
      if (child.connected) child.disconnect();
      await gone;
      await database?.stop();
      if (!keepFolder) await rm(folder, { recursive: true, force: true });
    },
  };
}
