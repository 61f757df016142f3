import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

const missing =
  "pgbench is missing. It comes with PostgreSQL: apt-get install postgresql (Debian, Ubuntu), brew install postgresql (macOS).";

/** @throws Error that says where to get pgbench when there is none */
export async function requirePgbench(): Promise<void> {
  await run("pgbench", ["--version"]).catch(() => Promise.reject(new Error(missing)));
}

/**
 * Runs a script of pgbench for a second, over and over, prepared. `settings` are the sessions' own, such as `-c jit=off`.
 * @returns how many times a second it ran to its end
 * @throws Error with what pgbench printed when a statement fails
 */
export async function pgbench(
  databaseUrl: string,
  script: string,
  connections: number,
  settings = "",
): Promise<number> {
  const { hostname, port, username, password, pathname } = new URL(databaseUrl);
  // In the environment, where no list of processes shows the password.
  const address = {
    PGHOST: hostname,
    PGPORT: port,
    PGUSER: username,
    PGPASSWORD: password,
    PGDATABASE: pathname.slice(1),
    PGOPTIONS: settings,
  };
  const args = ["-n", "-M", "prepared", "-c", String(connections), "-j", "2", "-T", "1", "-f", "-"];
  const running = run("pgbench", args, { env: { ...process.env, ...address } });
  running.child.stdin?.end(script);
  const { stdout } = await running;
  return Number(/^tps = ([\d.]+)/m.exec(stdout)?.[1]);
}
