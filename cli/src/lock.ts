import { readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { Problem } from "./problem.ts";

/**
 * Keeps a second process from what this one writes. A lock whose process has gone, killed for example, counts no more.
 * @param what what is locked, for the message
 * @returns what gives it free again
 * @throws Problem saying which process has it
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
        `Another export is writing ${what} (process ${holder.trim()}). If that is not so, delete ${path}`,
      );
    }
    await takeAway(path, holder);
  }
}

/** Whether the process that a lock names still runs; nobody can tell that of another machine's. */
async function holds(holder: string, path: string): Promise<boolean> {
  const [pid, host] = holder.trim().split(" ");
  if (host !== hostname()) return true;
  // Our own id: in a container that was started again, process ids begin anew.
  if (Number(pid) === process.pid) return (await stat(path)).mtimeMs >= performance.timeOrigin;
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch (error) {
    // EPERM: it is there, but somebody else's.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Removes a dead lock. Two may try at once, so it is taken aside first, where only one of them has it. */
async function takeAway(path: string, holder: string): Promise<void> {
  const aside = `${path}.${process.pid}`;
  try {
    await rename(path, aside);
  } catch {
    return;
  }
  // The other one was faster, and this is its new lock.
  if ((await readFile(aside, "utf8")) !== holder) await rename(aside, path);
  else await rm(aside);
}
