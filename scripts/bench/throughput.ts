import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import postgres from "postgres";

const run = promisify(execFile);

/** Runs statements over and over, each as likely as the others, and says how many were answered a second. */
export interface Throughput {
  /** What it measures with. */
  tool: string;
  of(url: string, statements: readonly string[], seconds: number): Promise<number>;
}

const connections = 4;

/** pgbench, with a script for each statement. Connection and password are in its environment, where no list of processes shows them. */
function withPgbench(folder: string): Throughput["of"] {
  let files = 0;
  return async (url, statements, seconds) => {
    const { hostname, port, username, password, pathname } = new URL(url);
    files += 1;
    const own = `${folder}/pgbench-${files}`;
    await mkdir(own);
    const scripts = await Promise.all(
      statements.map(async (statement, place) => {
        const path = `${own}/${place}.sql`;
        await writeFile(path, `${statement};\n`);
        return ["-f", path];
      }),
    );
    const args = [
      "-n",
      "-M",
      "prepared",
      "-c",
      String(connections),
      "-j",
      "2",
      "-T",
      String(seconds),
      ...scripts.flat(),
    ];
    const { stdout } = await run("pgbench", args, {
      env: {
        ...process.env,
        PGHOST: hostname,
        PGPORT: port,
        PGUSER: username,
        PGPASSWORD: password,
        PGDATABASE: pathname.slice(1),
      },
    });
    return Number(/^tps = ([\d.]+)/m.exec(stdout)?.[1]);
  };
}

const withNode: Throughput["of"] = async (url, statements, seconds) => {
  const sql = postgres(url, { max: connections, onnotice: () => {} });
  try {
    let answered = 0;
    const end = performance.now() + seconds * 1000;
    const connection = async (): Promise<void> => {
      while (performance.now() < end) {
        await sql.unsafe(statements[Math.floor(Math.random() * statements.length)] ?? "", [], { prepare: true });
        answered += 1;
      }
    };
    await Promise.all(Array.from({ length: connections }, connection));
    return answered / seconds;
  } finally {
    await sql.end();
  }
};

/** pgbench where there is one, else this process. */
export async function throughput(folder: string): Promise<Throughput> {
  const hasPgbench = await run("pgbench", ["--version"]).then(
    () => true,
    () => false,
  );
  return hasPgbench ? { tool: "pgbench", of: withPgbench(folder) } : { tool: "node", of: withNode };
}
