import { readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { Problem } from "./problem.ts";

/**
 * Locks a file, so that no second process writes it. The lock of a process that has ended, for example by a kill, is
 * ignored.
 * @param what the name of what is locked, for the message
 * @returns a function that releases the lock
 * @throws Problem that names the process that has the lock
 */
export async function lockFile(path: string, what: string): Promise<() => Promise<void>> {
  const own = `${process.pid} ${hostname()}\n`;
  for (;;) {
    try {
      await writeFile(path, own, { flag: "wx" });
      return () => rm(path, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const holder = await readFile(path, "utf8").catch(() => null);
    if (holder === null) continue;
    if (await holds(holder, path)) {
      throw new Problem(
        `Another export is writing ${what} (process ${holder.trim()}). If that process has ended, delete ${path}`,
      );
    }
    await takeAway(path, holder);
  }
}

/** Whether the process of a lock still runs. A process of another machine cannot be checked and counts as running. */
async function holds(holder: string, path: string): Promise<boolean> {
  const [pid, host] = holder.trim().split(" ");
  if (host !== hostname()) return true;
  // A lock with our own process id may be older than this process: ids repeat after a restart of a container.
  if (Number(pid) === process.pid) return (await stat(path)).mtimeMs >= performance.timeOrigin;
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch (error) {
    // EPERM: the process exists, but belongs to another user.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/**
 * Removes the lock of an ended process. Two processes may try this at once; only one of them can rename the lock first.
 */
async function takeAway(path: string, holder: string): Promise<void> {
  const aside = `${path}.${process.pid}`;
  try {
    await rename(path, aside);
  } catch {
    return;
  }
  // Another process was faster, and the renamed file is its new lock: put it back.
  if ((await readFile(aside, "utf8")) !== holder) await rename(aside, path);
  else await rm(aside);
}
