import { mkdir, readFile, rm, writeFile } from "node:fs/promises";

/** The process that holds the folder's lock and is still running, or null. */
export async function lockHolder(folder: string): Promise<number | null> {
  const pid = Number(await readFile(`${folder}/pid`, "utf8").catch(() => ""));
  // Our own id is an old lock: process ids repeat after a restart of a container.
  return pid > 0 && pid !== process.pid && isAlive(pid) ? pid : null;
}

/**
 * Locks a folder, so that no second stack uses it: two database servers would destroy the data.
 * @returns a function that releases the lock
 * @throws Error that names the process that has the lock
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const holder = await lockHolder(folder);
  if (holder !== null) {
    throw new Error(
      `A stack is running already in ${folder} (process ${holder}). If that process has ended, delete ${folder}/pid.`,
    );
  }
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await rm(`${folder}/pid`, { force: true });
  await writeFile(`${folder}/pid`, `${process.pid}\n`, { flag: "wx", mode: 0o600 });
  return () => rm(`${folder}/pid`, { force: true });
}

/** Whether a process of this machine runs. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists, but belongs to another user.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
