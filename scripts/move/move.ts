// Moves a company from one project's database to another's (docs/moving-a-company.md, which has the states and what a kill leaves behind).

import { setTimeout as pause } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { Problem } from "../../cli/src/problem.ts";
import { type Contents, contentsOf, copyRows, withoutTriggers } from "./copy.ts";
import { applicationName, type Database, type Queryable, query, type Transaction, transaction } from "./database.ts";
import { accounts, carriedTables, condition, type Table } from "./tables.ts";

/** What remains at the source: keys that can read, or keys that get 401. */
export type OldSide = "readable" | "closed";

export interface Move {
  source: Database;
  target: Database;
  /** A uuid. */
  company: string;
  oldSide: OldSide;
  /** Told how far a table is. */
  progress(done: number | null, text: string): void;
}

/** The copied rows per table; null when an earlier run had copied them, and this one only did the last step. */
export interface Moved {
  tables: { name: string; rows: number }[] | null;
  /** How many people could sign in at the source, and how many of them can at the target. */
  accounts: { there: number; carried: number } | null;
}

/** How the company is served: sql/schema/0200_companies.sql. */
interface Company {
  serving: string;
  move_id: string | null;
}

/**
 * Moves the company, or finishes what an earlier run has begun.
 * @throws Problem when it cannot be moved; the source then still serves the company, unless the message says otherwise
 */
export async function moveCompany(move: Move): Promise<Moved> {
  const { source, target, company, oldSide } = move;
  return transaction(source, "begin", async (lock) => {
    await onlyRun(lock, company);
    const tables = await sameTables(source, target);
    const { moveId, arrived } = await begin(move, tables);
    let moved: Moved = { tables: null, accounts: null };
    try {
      if (!arrived) moved = await copy(move, tables, moveId);
    } catch (error) {
      if (await giveUp(move, moveId)) throw error;
    }
    await source.query("update app.companies set serving = $1 where id = $2 and move_id = $3", [
      oldSide,
      company,
      moveId,
    ]);
    return moved;
  });
}

/** The row in app.arriving_companies: the transaction that deletes it decides which side serves the company. */
const deleteAwaiting = "delete from app.arriving_companies where company_id = $1 and move_id = $2 returning company_id";

/**
 * Opens the company again where it is, unless it has arrived: says so with false. Whoever brings it holds the row that awaits it, so that
 * both cannot happen, whatever became of the connection that brought it.
 * @throws when a database does not answer: then the company stays closed for writing, and the next run finds out
 */
async function giveUp({ source, target, company }: Move, moveId: string): Promise<boolean> {
  return transaction(target, "begin", async (to) => {
    const [awaited] = await query(to, deleteAwaiting, [company, moveId]);
    if (!awaited) return (await companyIn(to, company))?.move_id !== moveId;
    await source.query("update app.companies set serving = 'open' where id = $1 and move_id = $2", [company, moveId]);
    return true;
  });
}

/** Only one run at a time for a company. */
async function onlyRun(lock: Transaction, company: string): Promise<void> {
  const [row] = await query<{ held: boolean }>(
    lock,
    "select pg_try_advisory_xact_lock(hashtextextended('move ' || $1, 0)) as held",
    [company],
  );
  if (!row?.held) throw new Problem("Another run of this command is moving this company. Nothing was changed");
}

/** The tables to copy, which must be the same on both sides. */
async function sameTables(source: Database, target: Database): Promise<Table[]> {
  const versions = (on: Database) =>
    query<{ version: string }>(on, "select version from supabase_migrations.schema_migrations order by version");
  const [here, there] = [await versions(source), await versions(target)];
  if (!isDeepStrictEqual(here, there)) {
    const newest = (all: { version: string }[]) => `${all.at(-1)?.version ?? "none"} (${all.length} in all)`;
    throw new Problem(
      `The migrations differ: source ${newest(here)}, target ${newest(there)}. Bring both up to date, then try again. Nothing was changed`,
    );
  }
  const tables = await carriedTables(source);
  if (isDeepStrictEqual(tables, await carriedTables(target))) return tables;
  throw new Problem("The tables differ, although the migrations do not: compare the two schemas. Nothing was changed");
}

async function companyIn(on: Queryable, company: string): Promise<Company | undefined> {
  const [found] = await query<Company>(on, "select serving, move_id from app.companies where id = $1", [company]);
  return found;
}

/** Closes the company for writing, unless an earlier run has. Says whether that run has also brought it to the target. */
async function begin(
  { source, target, company }: Move,
  tables: Table[],
): Promise<{ moveId: string; arrived: boolean }> {
  const [here, there] = [await companyIn(source, company), await companyIn(target, company)];
  if (!here) throw new Problem("The source has no such company. Nothing was changed");
  if (there && here.move_id !== null && there.move_id === here.move_id && here.serving !== "open")
    return { moveId: here.move_id, arrived: true };
  if (here.serving === "moving" && here.move_id !== null) {
    const awaiting = "select company_id from app.arriving_companies where company_id = $1 and move_id = $2";
    const [awaited] = await query(target, awaiting, [company, here.move_id]);
    if (!awaited) throw new Problem("The company is moving to another project than this target. Nothing was changed");
    return { moveId: here.move_id, arrived: false };
  }
  if (here.serving !== "open")
    throw new Problem("The company has moved from the source to another project. Nothing was changed");
  await refuseLeftovers(target, tables, company);

  const moveId = crypto.randomUUID();
  await target.query(
    `insert into app.arriving_companies (company_id, move_id) values ($1, $2)
    on conflict (company_id) do update set move_id = excluded.move_id`,
    [company, moveId],
  );
  const closing = "update app.companies set serving = 'moving', move_id = $2 where id = $1 and serving = 'open'";
  await source.query(closing, [company, moveId]);
  return { moveId, arrived: false };
}

async function refuseLeftovers(target: Database, tables: Table[], company: string): Promise<void> {
  for (const { name, company: column } of tables) {
    const [found] = await query(target, `select ${column} from ${name} where ${column} = $1 limit 1`, [company]);
    if (found) throw new Problem(`${name} of the target has rows of this company already. Nothing was changed`);
  }
}

/** Copies everything, in one transaction on each side. */
async function copy(move: Move, tables: Table[], moveId: string): Promise<Moved> {
  const { source, target, company } = move;
  await earlierTransactions(source);
  return transaction(target, "begin", async (to) => {
    const [awaited] = await query(to, deleteAwaiting, [company, moveId]);
    return transaction(source, "begin isolation level repeatable read read only", async (from) => {
      const here = await companyIn(from, company);
      if (!awaited || here?.serving !== "moving" || here.move_id !== moveId)
        throw new Problem("Another run of this command has ended this move. Look at both sides, then run it again");
      const users = await usersOfBoth(from, to, company);
      const carried: { name: string; rows: number }[] = [];
      for (const table of tables) {
        const rows = await carry(move, from, to, table, condition(table, company, users.carried));
        carried.push({ name: table.name, rows });
      }
      await to.query("update app.companies set serving = 'open' where id = $1", [company]);
      return { tables: carried, accounts: { there: users.there, carried: users.carried.length } };
    });
  });
}

/** Copies one table's rows, and compares both sides. Returns the number of rows. */
async function carry(
  { progress }: Move,
  from: Transaction,
  to: Transaction,
  table: Table,
  where: string,
): Promise<number> {
  progress(null, `${table.name}: counting`);
  const there = await contentsOf(from, table, where);
  let arrived: Contents = { rows: 0, checksum: "" };
  await withoutTriggers(to, table, where, async () => {
    await copyRows(from, to, table, where, (rows) =>
      progress(rows / there.rows, `${table.name}: ${rows} of ${there.rows} rows`),
    );
    // The tables that refer to this one are checked with plans that know how many rows have come in.
    await to.query(`analyze ${table.name}`);
    arrived = await contentsOf(to, table, where);
  });
  if (isDeepStrictEqual(there, arrived)) return there.rows;
  throw new Problem(
    `${table.name}: ${there.rows} rows with checksum ${there.checksum} became ${arrived.rows} with ${arrived.checksum}. It is served by the source as before`,
  );
}

/**
 * The accounts whose links can be copied: those with the same id and address at the target that are not linked there yet. Accounts belong
 * to the project; everybody else is invited there, and linked at the first sign-in.
 */
async function usersOfBoth(
  from: Transaction,
  to: Transaction,
  company: string,
): Promise<{ there: number; carried: string[] }> {
  const there = await query<{ id: string; email: string | null }>(
    from,
    `select u.id, lower(u.email) as email from app.member_accounts as a join auth.users as u on u.id = a.user_id
    where a.company_id = $1`,
    [company],
  );
  const both = await query<{ id: string }>(
    to,
    `select u.id from auth.users as u
    join json_to_recordset($1) as there (id uuid, email text) on there.id = u.id and there.email = lower(u.email)
    where not exists (select from ${accounts} as a where a.user_id = u.id)`,
    [JSON.stringify(there)],
  );
  return { there: there.length, carried: both.map(({ id }) => id) };
}

/** How long transactions that began before the company was closed for writing may take to end, in seconds. */
const patience = 60;

/**
 * Waits for every transaction that began before now: one of them may have found the company open, and may still write.
 * @throws Problem that names the sessions
 */
async function earlierTransactions(source: Database): Promise<void> {
  const underWay = () =>
    query<{ transaction: string; pid: number }>(
      source,
      `select l.virtualtransaction as transaction, l.pid
      from pg_locks as l join pg_stat_activity as a on a.pid = l.pid
      where l.locktype = 'virtualxid' and l.granted and a.datname = current_database() and a.usesysid is not null
        and a.application_name <> $1`,
      [applicationName],
    );
  const earlier = new Set((await underWay()).map(({ transaction }) => transaction));
  for (let waited = 0; ; waited++) {
    const left = (await underWay()).filter(({ transaction }) => earlier.has(transaction));
    if (left.length === 0) return;
    if (waited === patience * 10) {
      const pids = left.map(({ pid }) => pid).join(", ");
      throw new Problem(
        `A transaction that began before the company was closed for writing has not ended in ${patience} s (pid ${pids}). It is served by the source as before`,
      );
    }
    await pause(100);
  }
}
