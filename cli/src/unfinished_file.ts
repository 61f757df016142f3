// An unfinished file. Its name says that it is incomplete, only one process at a time writes it, and a checkpoint
// beside it lets a later process continue it. When it is complete and on disk, it replaces the target file.
import { existsSync } from "node:fs";
import { type FileHandle, open, readFile, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { gzipSync } from "node:zlib";
import { lockFile } from "./lock.ts";
import { exitCodes, Problem } from "./problem.ts";

/** A file to which a list is written, page by page. `Note` is what the writer needs to continue. */
export interface Target<Note> {
  /** The path of the file until it is complete. */
  readonly path: string;
  /** The last note of an earlier process; null when the file is new. */
  readonly stopped: Note | null;
  /** Discards everything that was written before. */
  restart(): Promise<void>;
  append(text: string): Promise<void>;
  /** Syncs the file to disk, then writes the note. */
  checkpoint(note: Note): Promise<void>;
  /** Renames the file to the target. */
  finish(): Promise<void>;
  /**
   * Stops without renaming, so that the file can be continued. `end` makes it well-formed. Returns the path of the
   * file, or null if it was empty and has been removed.
   */
  leave(end: string): Promise<string | null>;
}

/** The progress of an unfinished file. */
interface Checkpoint<Note> {
  /** The job: another job does not continue this file. */
  job: string;
  at: string;
  bytes: number;
  note: Note;
}

/** In milliseconds. An older unfinished file is not continued, because its first rows would be outdated. */
const longestBreak = 12 * 60 * 60 * 1000;

/** The name of the file until it is complete. */
export function incomplete(out: string): string {
  return out.replace(/\.\w+(\.gz)?$/i, ".incomplete$&");
}

/** The bytes of a text. Compressed parts are independent of each other, and may follow each other in one file. */
export const encode = (text: string, compress: boolean): Buffer => (compress ? gzipSync(text) : Buffer.from(text));

/** Replaces a file atomically. */
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
 * Begins a file, or continues the unfinished file of the same job.
 * @param job everything that determines the file's content
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
      // On a full disk this fails too. That does no harm: to continue, the job cuts the file at the last checkpoint.
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

/** Writes all bytes: a single call of write may write fewer, for example on a disk that is nearly full. */
async function writeWhole(file: FileHandle, content: Buffer, position: number): Promise<number> {
  for (let written = 0; written < content.length; ) {
    const { bytesWritten } = await file.write(content, written, content.length - written, position + written);
    written += bytesWritten;
  }
  return content.length;
}

/** Syncs a folder, so that a new name in it survives a power failure. Windows has no such call for folders. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** A Problem for an error of the file system; undefined for any other error. */
export function asProblem(error: unknown): Problem | undefined {
  if (error instanceof Problem) return error;
  const { code, syscall, path, message } = error as NodeJS.ErrnoException;
  if (!code || !syscall) return undefined;
  return code === "ENOENT" && path ? new Problem(`There is no ${path}`, exitCodes.usage) : new Problem(message);
}
