import { join } from "node:path";
import type { ListEndpoint } from "../../../functions/public-api/table/types.ts";
import type { Connection } from "../connection.ts";
import { asCliError, CliError, exitCodes } from "../errors.ts";
import { companyIdOf, describeKey, type Key } from "../key.ts";
import { lists, nameOf, opens } from "../lists.ts";
import type { Progress } from "../progress.ts";
import { CursorGone, changesAfter } from "../sync/changes.ts";
import { Copy, type Counts } from "../sync/copy.ts";
import { writeCsv } from "../sync/csv_files.ts";
import { lockCopy } from "../sync/lock.ts";
import { namingFile, openSqlite } from "../sync/sqlite.ts";
import { placeOf } from "../whole_file.ts";
import { type Command, makeFolder, misused, readArguments, settings } from "./command.ts";

const usage = `Usage: public-data-api sync <file>.sqlite
       public-data-api sync --to <folder>

Makes a copy of all lists that the key may read, and brings it up to date: with everything that was added, changed or deleted since.
An SQLite file has a table for each list, and views such as activity_with_names that show the current names. Run it as often as you
like; if it was interrupted, the next run continues where it stopped. It needs Node 22.13 or later.

  --to <folder>   CSV files too, one for each list, complete at any time; company.sqlite is in the same folder

Examples:
  public-data-api sync company.sqlite
  public-data-api sync --to lists

${settings}`;

/** @throws CliError that says what is wrong */
function readPlace(args: string[]): { file: string; folder: string | null } {
  const options = { to: { type: "string" } } as const;
  const { values, positionals } = readArguments("sync", { args, options, allowPositionals: true });
  const [file = "", ...others] = positionals;
  if (values.to !== undefined && values.to !== "" && file === "")
    return { file: join(values.to, "company.sqlite"), folder: values.to };
  if (values.to !== undefined || others.length > 0 || !/\.(sqlite3?|db)$/i.test(file))
    throw misused("sync", "Name one file that ends in .sqlite, or a folder with --to");
  return { file, folder: null };
}

/** What a sync has changed, and a moment: the copy has all that was committed before it. Empty if unknown. */
type Synced = Counts & { until: string };

/** Brings a list up to date. If the server no longer knows the cursor of the copy, it begins again, once. */
async function syncList(copy: Copy, list: ListEndpoint, connection: Connection, progress: Progress): Promise<Synced> {
  const total: Counts = { added: 0, changed: 0, deleted: 0 };
  let [rows, isAgain] = [0, false];
  for (;;) {
    const changes = await changesAfter(connection, list, copy.cursor(list)).catch((error) => {
      if (!(error instanceof CursorGone) || isAgain) throw error;
      progress.warn(
        `${nameOf(list)}: the server no longer knows the cursor of the copy; fetching the whole list again`,
      );
      isAgain = true;
      copy.restart(list);
    });
    if (!changes) continue;
    add(total, copy.write(list, changes));
    rows += changes.rows.length;
    progress.show(null, `${nameOf(list)}: ${rows} changes`);
    if (!changes.hasMore) return { ...total, until: changes.until };
  }
}

/**
 * Brings all lists of the key up to date, and writes the CSV files if there is a folder for them.
 * @throws CliError at the end with the lists that something of the user's in the file keeps from being written
 */
async function syncAll(
  copy: Copy,
  { scopes }: Key,
  folder: string | null,
  connection: Connection,
  progress: Progress,
): Promise<Synced> {
  const open = lists.filter((list) => {
    const syncedAt = copy.syncedAt(list);
    const asOf = syncedAt ? `; its rows in the copy are as of ${syncedAt}` : "";
    return opens({ scopes }, list, (line) => progress.warn(`${line}${asOf}`));
  });
  const total: Counts = { added: 0, changed: 0, deleted: 0 };
  const whole: ListEndpoint[] = [];
  const untils: string[] = [];
  const foreignViews = new Set<string>();
  for (const list of open) {
    try {
      const { until, ...counts } = await syncList(copy, list, connection, progress);
      add(total, counts);
      untils.push(until);
      for (const view of copy.makeViews()) foreignViews.add(view);
      whole.push(list);
    } catch (error) {
      const obstacle = copy.obstacle(list, error);
      if (obstacle === undefined) throw error;
      progress.warn(obstacle);
    }
  }
  for (const view of foreignViews) progress.warn(`${view} is a view of your own and stays as it is`);
  try {
    if (folder !== null) for (const list of whole) await writeCsv(copy, list, folder);
  } finally {
    copy.removeLeftovers();
  }
  const stale = open.filter((list) => !whole.includes(list)).map(nameOf);
  if (stale.length > 0) throw new CliError(`Not up to date: ${stale.join(", ")}`);
  return { ...total, until: untils.sort()[0] ?? "" };
}

function add(total: Counts, counts: Counts): void {
  for (const name of ["added", "changed", "deleted"] as const) total[name] += counts[name];
}

export const syncCommand: Command = {
  summary: "a copy of all lists, kept up to date: an SQLite file or a folder of CSV files",
  usage,
  async run(args, { progress, outcome, connect }) {
    const { file, folder } = readPlace(args);
    const connection = connect();
    const key = await describeKey(connection);
    // 1.4.0 has added the newest columns of lists.
    const company = { id: companyIdOf(key, "sync", "1.4.0"), name: key.company_name };
    if (folder !== null) await makeFolder(folder);
    const { path } = await placeOf(file);
    const lock = await lockCopy(path, file);
    try {
      const database = await openSqlite(path);
      try {
        const copy = new Copy(database, file, company);
        const { added, changed, deleted, until } = await syncAll(copy, key, folder, connection, progress);
        const complete = until && `; has all changes until ${until}`;
        outcome(`${folder ?? file}: ${added} added, ${changed} changed, ${deleted} deleted${complete}`);
      } finally {
        database.close();
      }
    } catch (error) {
      const named = namingFile(error, file);
      const problem = asCliError(named);
      if (!problem || problem.exitCode === exitCodes.usage) throw named;
      throw new CliError(`${problem.message}\nRun the same command again to continue`, problem.exitCode);
    } finally {
      lock.close();
    }
  },
};
