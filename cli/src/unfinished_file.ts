// A file that is being written: under a name that says so, by one process at a time, and with a note of how far it is, so that what
// broke off can go on. The file wanted is replaced at the end, when the new one is complete and on disk.
import { existsSync } from "node:fs";
import { type FileHandle, open, readFile, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { gzipSync } from "node:zlib";
import { lockFile } from "./lock.ts";
import { exitCodes, Problem } from "./problem.ts";

/** Where a list is written to, a page at a time. `Note` is what the writer has to know when it goes on after a break. */
export interface Target<Note> {
  /** Where it is written as long as rows are missing. */
  readonly path: string;
  /** What an earlier process noted last; null at the beginning. */
  readonly stopped: Note | null;
  /** Forgets what came before. */
  restart(): Promise<void>;
  append(text: string): Promise<void>;
  /** Puts on disk what was appended, and notes how far the writer is. */
  checkpoint(note: Note): Promise<void>;
  /** Gives the file the name wanted. */
  finish(): Promise<void>;
  /** Ends without that: what came before stays, well-formed by this end, for the next time. Says where it is, if it is anything. */
  leave(end: string): Promise<string | null>;
}

/** How far an unfinished file is. */
interface Checkpoint<Note> {
  /** What is being written: another job does not go on with it. */
  job: string;
  at: string;
  bytes: number;
  note: Note;
}

/** What broke off longer ago is begun anew: the file would be complete, but of another day. In milliseconds. */
const longestBreak = 12 * 60 * 60 * 1000;

/** What the file is called as long as rows are missing. */
export function incomplete(out: string): string {
  return out.replace(/\.\w+(\.gz)?$/i, ".incomplete$&");
}

/** The bytes of a text; compressed, each stands for itself, and they may follow one another in one file. */
export const encode = (text: string, compress: boolean): Buffer => (compress ? gzipSync(text) : Buffer.from(text));

/** Replaces a file: whoever reads it finds the old one or the new one, whole. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const next = `${path}.new`;
  try {
    const file = await open(next, "w");
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(next, path);
  } catch (error) {
    await rm(next, { force: true });
    throw error;
  }
}

/**
 * Begins a file, or goes on where the same job broke off.
 * @param job all that decides what the file holds
 * @throws Problem when there is no such folder, or another process writes the file
 */
export async function openUnfinished<Note>(out: string, job: string, compress: boolean): Promise<Target<Note>> {
  const path = incomplete(out);
  const folder = dirname(out);
  if (!existsSync(folder)) throw new Problem(`There is no folder ${folder}`, exitCodes.usage);
  const checkpointFile = `${path}.checkpoint`;
  const unlock = await lockFile(`${path}.lock`, out);
  let file: FileHandle;
  let stopped: Checkpoint<Note> | null;
  try {
    file = await open(path, "a+").then(async (appending) => {
      await appending.close();
      return await open(path, "r+");
    });
    stopped = usable(await readCheckpoint<Note>(checkpointFile), job, (await file.stat()).size);
    await file.truncate(stopped?.bytes ?? 0);
  } catch (error) {
    await unlock();
    throw error;
  }
  let bytes = stopped?.bytes ?? 0;
  const append = async (text: string) => {
    bytes += await writeWhole(file, encode(text, compress), bytes);
  };
  return {
    path,
    get stopped() {
      return stopped?.note ?? null;
    },
    async restart() {
      [stopped, bytes] = [null, 0];
      await file.truncate(0);
    },
    append,
    async checkpoint(note) {
      await file.datasync();
      const checkpoint: Checkpoint<Note> = { job, at: new Date().toISOString(), bytes, note };
      await replaceFile(checkpointFile, JSON.stringify(checkpoint));
    },
    async finish() {
      await file.sync();
      await file.close();
      await rename(path, out);
      await rm(checkpointFile, { force: true });
      await syncFolder(folder);
      await unlock();
    },
    async leave(end) {
      const isEmpty = bytes === 0;
      // On a full disk not even that; it is cut off again when the job goes on.
      if (!isEmpty) await append(end).catch(() => {});
      await file.close();
      if (isEmpty) for (const left of [path, checkpointFile]) await rm(left, { force: true });
      await unlock();
      return isEmpty ? null : path;
    },
  };
}

async function readCheckpoint<Note>(path: string): Promise<Checkpoint<Note> | null> {
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch {
    return null;
  }
}

function usable<Note>(checkpoint: Checkpoint<Note> | null, job: string, size: number): Checkpoint<Note> | null {
  const isUsable =
    checkpoint?.job === job && checkpoint.bytes <= size && Date.now() - Date.parse(checkpoint.at) < longestBreak;
  return isUsable ? checkpoint : null;
}

/** Writes all of it: a single write may take less than it was given, as on a disk that is nearly full. */
async function writeWhole(file: FileHandle, content: Buffer, position: number): Promise<number> {
  for (let written = 0; written < content.length; ) {
    const { bytesWritten } = await file.write(content, written, content.length - written, position + written);
    written += bytesWritten;
  }
  return content.length;
}

/** So that the new name outlives a power cut too. Windows has no such call for folders. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes a line for the user of what the file system says. */
export function asProblem(error: unknown): Problem | undefined {
  if (error instanceof Problem) return error;
  const { code, syscall, path, message } = error as NodeJS.ErrnoException;
  if (!code || !syscall) return undefined;
  return code === "ENOENT" && path ? new Problem(`There is no ${path}`, exitCodes.usage) : new Problem(message);
}
