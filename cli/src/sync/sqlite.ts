// node:sqlite, which Node has from version 22.13 on; the other commands work without it.
import { open } from "node:fs/promises";
import type { DatabaseSync } from "node:sqlite";
import { exitCodes, Problem } from "../problem.ts";

/**
 * Opens a database in a file. Only the owner may read a new file.
 * @throws Problem on an older Node
 */
export async function openDatabase(path: string): Promise<DatabaseSync> {
  const { DatabaseSync } = await load();
  await open(path, "a", 0o600).then((file) => file.close());
  const database = new DatabaseSync(path);
  // Deleted rows are overwritten: no data of an erased person must be left in free pages. The timeout is in milliseconds: a
  // program that reads the file holds up the writer for a moment.
  database.exec("pragma secure_delete = on; pragma busy_timeout = 30000");
  return database;
}

/** Imports node:sqlite without its warning that it is experimental, which a nightly job would mail each time. */
async function load(): Promise<typeof import("node:sqlite")> {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return await import("node:sqlite");
  } catch {
    const message = `sync needs Node 22.13 or newer, this is ${process.versions.node}`;
    throw new Problem(message, exitCodes.usage);
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** A Problem for an error of SQLite, with the file's name; any other error as it is. */
export function namingFile(error: unknown, file: string): unknown {
  const isFromSqlite = (error as NodeJS.ErrnoException).code === "ERR_SQLITE_ERROR";
  return isFromSqlite ? new Problem(`${file}: ${(error as Error).message}`) : error;
}
