import { chown, readFile } from "node:fs/promises";
import { userInfo } from "node:os";

/** The user that runs the database server. `wrap` makes a command run as it, `own` gives it a folder. */
export interface ServerUser {
  wrap(command: [string, ...string[]]): [string, ...string[]];
  own(folder: string): Promise<void>;
}

/**
 * PostgreSQL refuses to run as root. When started by root, it runs as the system's user `postgres`, or as `nobody` if
 * there is none. It keeps one capability of root, to enter folders that only root may enter: so a checkout under /root
 * works, and no user has to be created.
 * @throws Error when there is neither user
 */
export async function serverUser(): Promise<ServerUser> {
  if (userInfo().uid !== 0) return { wrap: (command) => command, own: async () => {} };

  const users = (await readFile("/etc/passwd", "utf8")).split("\n").map((line) => line.split(":"));
  const entry = users.find(([name]) => name === "postgres") ?? users.find(([name]) => name === "nobody");
  const [, , uid, gid] = entry ?? [];
  if (!uid || !gid)
    throw new Error("PostgreSQL does not run as root, and there is no user postgres or nobody to run it as");

  const capabilities = ["bounding-set", "inh-caps", "ambient-caps"].map((set) => `--${set}=-all,+dac_override`);
  // PostgreSQL looks for its own programs with access(2), which ignores the capability without no_setuid_fixup.
  const rights = ["--clear-groups", "--securebits=+no_setuid_fixup", ...capabilities];
  return {
    wrap: (command) => ["setpriv", `--reuid=${uid}`, `--regid=${gid}`, ...rights, ...command],
    own: (folder) => chown(folder, Number(uid), Number(gid)),
  };
}
