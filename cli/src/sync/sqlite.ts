// node:sqlite, which Node has from version 22.13 on; the other commands work without it.
import { open } from "node:fs/promises";
import { resolve } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { CliError, exitCodes } from "../errors.ts";
import { placeOf } from "../whole_file.ts";

/**
 * Opens a database in a file. Only the owner may read a new file.
 * @throws CliError on an older Node, or when something else is there
 */
export async function openSqlite(path: string): Promise<DatabaseSync> {
  const { DatabaseSync } = await load();
  // SQLite would wait for a FIFO in the place of a file of its own, forever.
  for (const end of ["", "-journal", "-wal", "-shm"]) await placeOf(path + end);
  await open(path, "a", 0o600).then((file) => file.close());
  // The whole path, because SQLite takes a name such as file:company.sqlite for an address. Foreign keys are checked only if
  // asked for, as in other programs: a table of the user's must not keep a deleted row in the copy.
  const database = new DatabaseSync(resolve(path), { enableForeignKeyConstraints: false });
  // Deleted rows are overwritten: no data of an erased person must be left in free pages. The timeout is in milliseconds: a
  // program that reads the file holds up the writer for a moment.
  // Without `legacy_alter_table`, no table can be renamed while any view or trigger of the file is broken.
  database.exec("pragma secure_delete = on; pragma busy_timeout = 30000; pragma legacy_alter_table = on");
  return database;
}

/** Imports node:sqlite without its warning that it is experimental, which a nightly job would mail each time. */
async function load(): Promise<typeof import("node:sqlite")> {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return await import("node:sqlite");
  } catch {
    const message = `sync needs Node 22.13 or later, this is ${process.versions.node}`;
    throw new CliError(message, exitCodes.usage);
  } finally {
    process.emitWarning = emitWarning;
  }
}

const isFromSqlite = (error: unknown): error is Error & { errcode: number } =>
  (error as NodeJS.ErrnoException).code === "ERR_SQLITE_ERROR";

/** A CliError for an error of SQLite, with the file's name; any other error as it is. */
export function namingFile(error: unknown, file: string): unknown {
  if (isForeign(error)) return new CliError(`${file} is not an SQLite file. Choose another file`, exitCodes.usage);
  const advice = isOfDisk(error) ? ". Check that its folder has room" : "";
  return isFromSqlite(error) ? new CliError(`${file}: ${error.message}${advice}`) : error;
}

/** Whether something that stands in the file refuses a statement (SQLITE_ERROR, SQLITE_CONSTRAINT): not the disk, nor a lock. */
export const isRefusal = (error: unknown): error is Error =>
  isFromSqlite(error) && [1, 19].includes(error.errcode & 0xff);

/** Whether another process holds a lock (SQLITE_BUSY). */
export const isBusy = (error: unknown): boolean => isFromSqlite(error) && (error.errcode & 0xff) === 5;

/** Whether the disk fails, or has no room (SQLITE_IOERR, SQLITE_FULL, SQLITE_CANTOPEN). */
export const isOfDisk = (error: unknown): boolean => isFromSqlite(error) && [10, 13, 14].includes(error.errcode & 0xff);

/** Whether a file is no SQLite database (SQLITE_NOTADB). */
export const isForeign = (error: unknown): boolean => isFromSqlite(error) && error.errcode === 26;
