// A stack for tests that kill its database. The shared one has to live on.
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import postgres from "postgres";
import type { StackFile } from "../../scripts/stack/stack.ts";

export interface OwnStack extends StackFile {
  /** What its function has logged. */
  functionLog(): Promise<string>;
  /** kill -9 of the server and of every process of it. */
  killDatabase(): Promise<void>;
  /** Starts it again where it was; resolves when it has recovered. */
  startDatabase(): Promise<void>;
  /** A connection as superuser. */
  connect(): postgres.Sql;
  stop(): Promise<void>;
}

export async function startOwnStack(): Promise<OwnStack> {
  const folder = await mkdtemp(`${tmpdir()}/own-stack-`);
  const child = fork(`${import.meta.dirname}/own_stack_process.ts`, [folder], {
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  let problem = "";
  child.stderr?.on("data", (text) => {
    problem += text;
  });
  const gone = once(child, "exit");
  const told = async (): Promise<void> => {
    const first = await Promise.race([once(child, "message"), gone.then(() => null)]);
    if (!first) throw new Error(`the stack ended: ${problem}`);
  };
  await told();
  const file: StackFile = JSON.parse(await readFile(`${folder}/stack.json`, "utf8"));
  const connect = () => postgres(file.superuser_url, { max: 1, onnotice: () => {} });

  return {
    ...file,
    connect,
    functionLog: () => readFile(`${folder}/function.log`, "utf8"),
    async killDatabase() {
      const [postmaster = ""] = (await readFile(`${folder}/postgres/postmaster.pid`, "utf8")).split("\n");
      const sql = connect();
      const processes = await sql<{ pid: number }[]>`select pid from pg_stat_activity where pid <> pg_backend_pid()`;
      for (const pid of [Number(postmaster), ...processes.map(({ pid }) => pid)]) {
        try {
          process.kill(pid, "SIGKILL");
        } catch (error) {
          // A connection may have ended by itself since it was listed.
          if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
        }
      }
      await sql.end({ timeout: 1 }).catch(() => {});
    },
    async startDatabase() {
      child.send("start");
      await told();
    },
    async stop() {
      if (child.connected) child.disconnect();
      await gone;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
