import type { DatabaseSync } from "node:sqlite";
import { CliError } from "../errors.ts";
import { isBusy, isForeign, namingFile, openSqlite } from "./sqlite.ts";

/**
 * Locks a copy, so that no second sync writes it, by a transaction on an SQLite file of its own, which stays. The system
 * ends the lock with its process, however that ends and wherever the next one runs.
 * @param file the name of the copy, for messages
 * @returns the database whose closing releases the lock
 * @throws CliError when another process has the lock
 */
export async function lockCopy(path: string, file: string): Promise<DatabaseSync> {
  const lock = `${path}.lock`;
  const database = await openSqlite(lock);
  try {
    database.exec("pragma busy_timeout = 0; begin exclusive; pragma user_version = 1; commit; begin exclusive");
    return database;
  } catch (error) {
    database.close();
    if (isBusy(error)) throw new CliError(`Another sync is writing ${file}. Wait until it has ended`);
    if (isForeign(error)) throw new CliError(`${lock} is of an older version. If no sync is running, delete it`);
    throw namingFile(error, lock);
  }
}
