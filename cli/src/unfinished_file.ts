// An unfinished file. Its name says that it is incomplete, only one process at a time writes it, and a checkpoint
// file next to it lets a later process continue it. When it is complete and on disk, it replaces the target file.
import { constants, existsSync } from "node:fs";
import { type FileHandle, lstat, open, readFile, realpath, rename, rm, stat } from "node:fs/promises";
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
  /**
   * Renames the file to the target. With a note, the checkpoint stays and says that the job is done (`finishedNote`),
   * until `forget` removes it.
   */
  finish(note: Note | null): Promise<void>;
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
  /** The file has been renamed to the target. */
  isDone: boolean;
}

/** In milliseconds. An older unfinished file is not continued, because its first rows would be outdated. */
const longestBreak = 12 * 60 * 60 * 1000;

/** The name of the file until it is complete. */
const incomplete = (out: string): string => out.replace(/\.\w+(\.gz)?$/i, ".incomplete$&");
const checkpointOf = (out: string): string => `${incomplete(out)}.checkpoint`;

/** The bytes of a text. Compressed parts are independent of each other, and may follow each other in one file. */
export const encode = (text: string, compress: boolean): Buffer => (compress ? gzipSync(text) : Buffer.from(text));

/** Replaces a file atomically. Only its owner may read the new one. */
async function replaceFile(path: string, text: string): Promise<void> {
  const next = `${path}.new`;
  try {
    const file = await create(next);
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

/** Creates a file that only its owner may read, in place of one that is there: nothing is written through a link. */
async function create(path: string): Promise<FileHandle> {
  await rm(path, { force: true });
  return await open(path, "wx+", 0o600);
}

/**
 * The file to replace: where a link leads to, and who may read it. A new file only its owner may read.
 * @throws Problem when there is no such folder, or when a folder or a broken link is there
 */
export async function placeOf(out: string): Promise<{ path: string; mode: number }> {
  const folder = dirname(out);
  if (!existsSync(folder)) throw new Problem(`There is no folder ${folder}`, exitCodes.usage);
  const found = await lstat(out).catch(() => null);
  if (found === null) return { path: out, mode: 0o600 };
  const path = await realpath(out).catch(() => null);
  if (path === null) throw new Problem(`${out} is a link to a file that is not there`, exitCodes.usage);
  const target = await stat(path);
  if (!target.isFile()) throw new Problem(`${out} is not a file`, exitCodes.usage);
  return { path: found.isSymbolicLink() ? path : out, mode: target.mode & 0o777 };
}

/**
 * Begins a file, or continues the unfinished file of the same job.
 * @param job everything that determines the file's content
 * @throws Problem when the place is none for a file, or another process writes the file
 */
export async function openUnfinished<Note>(out: string, job: string, compress: boolean): Promise<Target<Note>> {
  const { path: target, mode } = await placeOf(out);
  const path = incomplete(target);
  const checkpointFile = checkpointOf(target);
  const unlock = await lockFile(`${path}.lock`, out);
  let file: FileHandle;
  let stopped: Checkpoint<Note> | null;
  try {
    const found = await readCheckpoint<Note>(checkpointFile, job, path);
    stopped = found?.isDone ? null : found;
    file = stopped ? await open(path, constants.O_RDWR | constants.O_NOFOLLOW) : await create(path);
    await file.truncate(stopped?.bytes ?? 0);
  } catch (error) {
    await unlock();
    throw error;
  }
  let bytes = stopped?.bytes ?? 0;
  const append = async (text: string) => {
    bytes += await writeWhole(file, encode(text, compress), bytes);
  };
  const writeCheckpoint = (note: Note, isDone: boolean) => {
    const checkpoint: Checkpoint<Note> = { job, at: new Date().toISOString(), bytes, note, isDone };
    return replaceFile(checkpointFile, JSON.stringify(checkpoint));
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
      await writeCheckpoint(note, false);
    },
    async finish(note) {
      await file.chmod(mode);
      await file.sync();
      await file.close();
      await rename(path, target);
      await rm(checkpointFile, { force: true });
      // Without this note the list is fetched once more, which does no harm.
      if (note !== null) await writeCheckpoint(note, true).catch(() => {});
      await syncFolder(dirname(target));
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

/** The last note of a job that is done, if its file is still there as it was written; else null. */
export async function finishedNote<Note>(out: string, job: string): Promise<Note | null> {
  const { path } = await placeOf(out);
  const checkpoint = await readCheckpoint<Note>(checkpointOf(path), job, path);
  return checkpoint?.isDone ? checkpoint.note : null;
}

/** Forgets that a job is done. */
export async function forget(out: string): Promise<void> {
  await rm(checkpointOf((await placeOf(out)).path), { force: true });
}

/** The checkpoint of a job if it is not too old, and the file has all the bytes that it had then; else null. */
async function readCheckpoint<Note>(path: string, job: string, file: string): Promise<Checkpoint<Note> | null> {
  try {
    const checkpoint: Checkpoint<Note> = JSON.parse(await readFile(path, "utf8"));
    const { size } = await stat(file);
    const hasBytes = checkpoint.isDone ? checkpoint.bytes === size : checkpoint.bytes <= size;
    const isRecent = Date.now() - Date.parse(checkpoint.at) < longestBreak;
    return checkpoint.job === job && hasBytes && isRecent ? checkpoint : null;
  } catch {
    return null;
  }
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
