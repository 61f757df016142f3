// A file that is written piece by piece, and is at its place only when it is complete and on disk. Until then it has a name
// of its own that says so, and an older file stays.
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { lstat, open, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { gzipSync } from "node:zlib";
import { CliError, exitCodes } from "./errors.ts";

/** A name for the file until it is complete, which no other process uses. */
const incomplete = (out: string): string =>
  out.replace(/(\.\w+(\.gz)?)?$/i, `.incomplete-${randomBytes(4).toString("hex")}$&`);

/** The bytes of a text. Compressed parts are independent of each other, and may follow each other in one file. */
export const encode = (text: string, compress: boolean): Buffer => (compress ? gzipSync(text) : Buffer.from(text));

/**
 * The file to replace: where a link leads to, and who may read it. A new file only its owner may read.
 * @throws CliError when there is no such folder, or when something else is there, such as a folder or a broken link
 */
export async function placeOf(out: string): Promise<{ path: string; mode: number }> {
  const folder = dirname(out);
  if (!existsSync(folder)) throw new CliError(`There is no folder ${folder}`, exitCodes.usage);
  const found = await lstat(out).catch(() => null);
  if (found === null) return { path: out, mode: 0o600 };
  const path = await realpath(out).catch(() => null);
  if (path === null) throw new CliError(`${out} is a link to a file that doesn't exist`, exitCodes.usage);
  const target = await stat(path);
  if (!target.isFile()) throw new CliError(`${out} is not a file. Choose another name, or remove it`, exitCodes.usage);
  return { path: found.isSymbolicLink() ? path : out, mode: target.mode & 0o777 };
}

/**
 * Writes a file. Until it is complete, only its owner may read it; when writing fails, nothing is left of it.
 * @param write writes the content, piece by piece
 * @throws CliError when no file can be there
 */
export async function writeWhole<T>(
  out: string,
  compress: boolean,
  write: (append: (text: string) => Promise<void>) => Promise<T>,
): Promise<T> {
  const { path: target, mode } = await placeOf(out);
  const path = incomplete(target);
  const file = await open(path, "wx+", 0o600);
  try {
    const result = await write((text) => file.appendFile(encode(text, compress)));
    await file.chmod(mode);
    await file.sync();
    await file.close();
    await rename(path, target);
    await syncFolder(dirname(target));
    return result;
  } catch (error) {
    await file.close();
    await rm(path, { force: true });
    throw error;
  }
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
