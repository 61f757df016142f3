// A stack for tests only: the one that most of them share, and separate ones whose database a test kills.
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import postgres from "postgres";
import type { StackFile } from "../../scripts/stack/stack.ts";

export interface OwnStack extends StackFile {
  folder: string;
  functionLog(): Promise<string>;
  /** kill -9 of the database server and all its processes. */
  killDatabase(): Promise<void>;
  /** Starts the database again on the same port. Resolves when it has recovered. */
  startDatabase(): Promise<void>;
  /** A connection as superuser. */
  connect(): postgres.Sql;
  /** Stops the stack and deletes its folder with the logs, unless the folder is to be kept. */
  stop(options?: { keepFolder: boolean }): Promise<void>;
}

/** kill -9 of a database server and all its processes, and the end of this connection to it. */
export async function killServer(dataFolder: string, sql: postgres.Sql): Promise<void> {
  const [postmaster = ""] = (await readFile(`${dataFolder}/postmaster.pid`, "utf8")).split("\n");
  const processes = await sql<{ pid: number }[]>`select pid from pg_stat_activity where pid <> pg_backend_pid()`;
  for (const pid of [Number(postmaster), ...processes.map(({ pid }) => pid)]) {
    try {
      process.kill(pid, "SIGKILL");
    } catch (error) {
      // A connection in the list may have ended in the meantime.
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
  await sql.end({ timeout: 1 }).catch(() => {});
}

/**
 * Starts a stack in a temporary folder, on free ports.
 * @param kind `durable` survives a crash of its database server; `throwaway` does not wait for the disk
 * @param progress called with each step
 * @throws Error with the stack's error output when it does not start; the folder with its logs remains
 */
export async function startOwnStack(
  kind: "durable" | "throwaway",
  progress: (step: string) => void = () => {},
): Promise<OwnStack> {
  const folder = await mkdtemp(`${tmpdir()}/public-data-api-`);
  const child = fork(`${import.meta.dirname}/own_stack_process.ts`, [folder, kind], {
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  const errors = text(child.stderr ?? Readable.from([]));
  child.on("message", (message) => {
    if (typeof message === "object" && "step" in message) progress(String(message.step));
  });
  const gone = once(child, "exit");
  /** Resolves when the process has sent this message. */
  const received = (expected: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const listen = (message: unknown): void => {
        if (message !== expected) return;
        child.off("message", listen);
        resolve();
      };
      child.on("message", listen);
      void gone.then(async () => reject(new Error(`The stack in ${folder} ended: ${(await errors).trim()}`)));
    });
  await received("stack");
  const file: StackFile = JSON.parse(await readFile(`${folder}/stack.json`, "utf8"));
  const connect = () => postgres(file.superuser_url, { max: 1, onnotice: () => {} });

  return {
    ...file,
    folder,
    connect,
    functionLog: () => readFile(`${folder}/function.log`, "utf8"),
    killDatabase: () => killServer(`${folder}/postgres`, connect()),
    async startDatabase() {
      const started = received("database");
      child.send("start");
      await started;
    },
    async stop({ keepFolder } = { keepFolder: false }) {
      if (child.connected) child.disconnect();
      await gone;
      if (!keepFolder) await rm(folder, { recursive: true, force: true });
    },
  };
}
