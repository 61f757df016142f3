// Copies the rows of a table from one database to another. It streams PostgreSQL's COPY, so that large tables need no
// more memory.
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as pause } from "node:timers/promises";
import { from as copyFrom, to as copyTo } from "pg-copy-streams";
import { OperatorError, type Queryable, query, type Transaction } from "./database.ts";
import { isLocked, type Table } from "./tables.ts";

/** The number of rows, and a checksum of all their cells that does not depend on the order. */
export interface Contents {
  rows: number;
  checksum: string;
}

export async function contentsOf(on: Queryable, table: Table, where: string): Promise<Contents> {
  const [found] = await query<{ rows: string; checksum: string }>(
    on,
    `select count(*) as rows, coalesce(sum(hashtextextended(carried::text, 0)), 0) as checksum
    from (select ${table.columns.join(", ")} from ${table.name} where ${where}) as carried`,
  );
  return { rows: Number(found?.rows), checksum: found?.checksum ?? "" };
}

/** @param copied is called with the number of rows copied so far */
export async function copyRows(
  source: Transaction,
  target: Transaction,
  table: Table,
  where: string,
  copied: (rows: number) => void,
): Promise<void> {
  const columns = table.columns.join(", ");
  let rows = 0;
  // In the text format each row has exactly one line feed, at its end.
  const count = new Transform({
    transform(chunk: Buffer, _, done) {
      for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) rows++;
      copied(rows);
      done(null, chunk);
    },
  });
  await pipeline(
    source.query(copyTo(`copy (select ${columns} from ${table.name} where ${where}) to stdout`)),
    count,
    target.query(copyFrom(`copy ${table.name} (${columns}) from stdin`)),
  );
}

/** In milliseconds: how long to wait for a lock (others wait behind us), and how long to pause after that. */
const patience = 500;
const tries = 120;

/** Blocks all other writes to the table until the end of the transaction. Reads are not blocked. */
async function lockTable(target: Transaction, name: string): Promise<void> {
  await target.query(`savepoint before_lock; set local lock_timeout = ${patience}`);
  for (let attempt = 1; ; attempt++) {
    try {
      await target.query(`lock table ${name} in share row exclusive mode`);
      await target.query("set local lock_timeout = 0; release savepoint before_lock");
      return;
    } catch (error) {
      if ((error as { code?: string }).code !== "55P03") throw error;
      if (attempt === tries) throw new OperatorError(`${name} of the target could not be locked, ${tries} times`);
      await target.query(`rollback to before_lock; set local lock_timeout = ${patience}`);
      await pause(patience);
    }
  }
}

/**
 * Runs `act` with the table's triggers disabled, so that rows can be copied unchanged; the triggers would, for example,
 * replace a key by a new one. They are disabled for all sessions, so the table is locked, with the lock that `alter
 * table … disable trigger` takes. Afterwards the sequence of an identity column continues after the copied rows.
 */
export async function withoutTriggers(
  target: Transaction,
  table: Table,
  where: string,
  act: () => Promise<void>,
): Promise<void> {
  const { name, triggers, counter } = table;
  if (isLocked(table)) await lockTable(target, name);
  for (const trigger of triggers) await target.query(`alter table ${name} disable trigger ${trigger}`);
  await act();
  for (const trigger of triggers) await target.query(`alter table ${name} enable trigger ${trigger}`);
  if (!counter) return;
  await target.query(`
    select setval('${counter.sequence}', highest)
    from (select max(${counter.column}) as highest from ${name} where ${where}) as copied, ${counter.sequence} as sequence
    where highest >= sequence.last_value`);
}
