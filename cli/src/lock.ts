import { lstat, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { Problem } from "./problem.ts";

/** In milliseconds. After this time a lock that names no process is one that could not be written whole. */
const longestWrite = 5000;

/**
 * Locks a file, so that no second process writes it. The lock of a process that has ended, for example by a kill, is
 * ignored, and so is one that could not be written, as on a full disk.
 * @param what the name of what is locked, for the message
 * @returns a function that releases the lock
 * @throws Problem that names the process that has the lock
 */
export async function lockFile(path: string, what: string): Promise<() => Promise<void>> {
  const own = `${process.pid} ${hostname()}\n`;
  for (let waited = 0; ; ) {
    if (await createLock(path, own)) return () => rm(path, { force: true });
    const holder = await readLock(path);
    if (holder === null) continue;
    const isWhole = /^\d+ \S+\n$/.test(holder);
    if (isWhole && (await holds(holder, path))) {
      throw new Problem(
        `Another process is writing ${what} (process ${holder.trim()}). If that process has ended, delete ${path}`,
      );
    }
    if (isWhole || waited >= longestWrite) await takeAway(path, holder);
    else {
      waited += 100;
      await pause(100);
    }
  }
}

/** Writes a lock where there is none. On a full disk nothing is left of it. */
async function createLock(path: string, own: string): Promise<boolean> {
  try {
    await writeFile(path, own, { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    await rm(path, { force: true });
    throw error;
  }
}

/** The text of a lock; null when it is gone. */
async function readLock(path: string): Promise<string | null> {
  const found = await lstat(path).catch(() => null);
  if (found === null) return null;
  if (!found.isFile()) throw new Problem(`${path} is in the way: it is not a file. Delete it`);
  return await readFile(path, "utf8").catch((error) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
}

/** Whether the process of a lock still runs. A process of another machine cannot be checked and counts as running. */
async function holds(holder: string, path: string): Promise<boolean> {
  const [pid, host] = holder.trim().split(" ");
  if (host !== hostname()) return true;
  // A lock with our own process id may be older than this process: ids repeat after a restart of a container.
  if (Number(pid) === process.pid) return (await stat(path)).mtimeMs >= performance.timeOrigin;
  return isAlive(Number(pid));
}

/** Whether a process of this machine runs. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
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
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  // Another process was faster, and the renamed file is its new lock: put it back.
  if ((await readFile(aside, "utf8")) !== holder) await rename(aside, path);
  else await rm(aside);
}
