// Moves a company from one project's database to another's. docs/operate/move-a-company.md explains the states, and what
// remains when the command is killed.
import { setTimeout as pause } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { type Contents, contentsOf, copyRows, withoutTriggers } from "./copy.ts";
import {
  applicationName,
  type Database,
  OperatorError,
  type Queryable,
  query,
  type Transaction,
  transaction,
} from "./database.ts";
import { accounts, carriedTables, condition, type Table } from "./tables.ts";

/** The company's keys at the source after the move: `readable`, they can still read; `closed`, they get a 401. */
export type OldSide = "readable" | "closed";

export interface Move {
  source: Database;
  target: Database;
  /** A uuid. */
  company: string;
  oldSide: OldSide;
  /** Is called with the progress of a table: `done` is from 0 to 1, or null if unknown. */
  progress(done: number | null, text: string): void;
}

/** The rows copied per table; null when an earlier run had copied them, and this run did only the last step. */
export interface Moved {
  tables: { name: string; rows: number }[] | null;
  /** How many people could sign in at the source, and how many of them can at the target. */
  accounts: { there: number; carried: number } | null;
}

/** A row of app.companies: how the company is served (sql/schema/0200_companies.sql). */
interface Company {
  serving: string;
  move_id: string | null;
}

/**
 * Moves the company, or finishes a move that an earlier run began.
 * @throws OperatorError when it cannot be moved; the source then still serves the company, unless the message says otherwise
 */
export async function moveCompany(move: Move): Promise<Moved> {
  const { source, target, company, oldSide } = move;
  return transaction(source, "begin", async (lock) => {
    await onlyRun(lock, company);
    const tables = await sameTables(source, target);
    await mayServe(target);
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

/** Deletes the row in app.arriving_companies. The transaction that does so decides which side serves the company. */
const deleteAwaiting = "delete from app.arriving_companies where company_id = $1 and move_id = $2 returning company_id";

/**
 * Opens the company at the source again and returns true, or returns false if it has arrived at the target. The
 * transaction that copies the company locks the row of deleteAwaiting, so only one of the two can happen, even if the
 * connection of that transaction is lost.
 * @throws when a database does not respond: then the company stays closed for writing, and the next run decides
 */
async function giveUp({ source, target, company }: Move, moveId: string): Promise<boolean> {
  return transaction(target, "begin", async (to) => {
    const [awaited] = await query(to, deleteAwaiting, [company, moveId]);
    if (!awaited) return (await companyIn(to, company))?.move_id !== moveId;
    await source.query("update app.companies set serving = 'open' where id = $1 and move_id = $2", [company, moveId]);
    return true;
  });
}

/** Allows only one run at a time per company. Throws an OperatorError if there is another one. */
async function onlyRun(lock: Transaction, company: string): Promise<void> {
  const [row] = await query<{ held: boolean }>(
    lock,
    "select pg_try_advisory_xact_lock(hashtextextended('move ' || $1, 0)) as held",
    [company],
  );
  if (!row?.held) throw new OperatorError("Another run of this command is moving this company. Nothing was changed");
}

/** The tables to copy. Throws an OperatorError unless they are the same on both sides. */
async function sameTables(source: Database, target: Database): Promise<Table[]> {
  const versions = (on: Database) =>
    query<{ version: string }>(on, "select version from supabase_migrations.schema_migrations order by version");
  const [here, there] = [await versions(source), await versions(target)];
  if (!isDeepStrictEqual(here, there)) {
    const newest = (all: { version: string }[]) => `${all.at(-1)?.version ?? "none"} (${all.length} in all)`;
    throw new OperatorError(
      `The migrations differ: source ${newest(here)}, target ${newest(there)}. Bring both up to date, then try again. Nothing was changed`,
    );
  }
  const tables = await carriedTables(source);
  if (isDeepStrictEqual(tables, await carriedTables(target))) return tables;
  throw new OperatorError(
    "The tables differ, although the migrations do not: compare the two schemas. Nothing was changed",
  );
}

/** Throws an OperatorError when the target's Data API may not name the type of its answers: each request would be a 500. */
async function mayServe(target: Database): Promise<void> {
  const [row] = await query<{ may: boolean }>(
    target,
    "select has_schema_privilege('service_role', 'app', 'usage') as may",
  );
  if (!row?.may)
    throw new OperatorError(
      "The target can't answer requests: run sql/commands/check.sql there, and what it says. Nothing was changed",
    );
}

async function companyIn(on: Queryable, company: string): Promise<Company | undefined> {
  const [found] = await query<Company>(on, "select serving, move_id from app.companies where id = $1", [company]);
  return found;
}

/** Closes the company for writing, unless an earlier run did. `arrived`: that run also copied it to the target. */
async function begin(
  { source, target, company }: Move,
  tables: Table[],
): Promise<{ moveId: string; arrived: boolean }> {
  const [here, there] = [await companyIn(source, company), await companyIn(target, company)];
  if (!here) throw new OperatorError("The source has no such company. Nothing was changed");
  if (there && here.move_id !== null && there.move_id === here.move_id && here.serving !== "open")
    return { moveId: here.move_id, arrived: true };
  if (here.serving === "moving" && here.move_id !== null) {
    const awaiting = "select company_id from app.arriving_companies where company_id = $1 and move_id = $2";
    const [awaited] = await query(target, awaiting, [company, here.move_id]);
    if (!awaited)
      throw new OperatorError("The company is moving to another project than this target. Nothing was changed");
    return { moveId: here.move_id, arrived: false };
  }
  if (here.serving !== "open")
    throw new OperatorError("The company has moved from the source to another project. Nothing was changed");
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
    if (found) throw new OperatorError(`${name} of the target has rows of this company already. Nothing was changed`);
  }
}

/** Copies all tables, in one transaction on each side. */
async function copy(move: Move, tables: Table[], moveId: string): Promise<Moved> {
  const { source, target, company } = move;
  await earlierTransactions(source);
  return transaction(target, "begin", async (to) => {
    const [awaited] = await query(to, deleteAwaiting, [company, moveId]);
    return transaction(source, "begin isolation level repeatable read read only", async (from) => {
      const here = await companyIn(from, company);
      if (!awaited || here?.serving !== "moving" || here.move_id !== moveId)
        throw new OperatorError(
          "Another run of this command has ended this move. Look at both sides, then run it again",
        );
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

/** Copies the rows of one table, and compares both sides. Returns the number of rows. */
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
    // So that foreign keys of later tables are checked with plans that know the size of this one.
    await to.query(`analyze ${table.name}`);
    arrived = await contentsOf(to, table, where);
  });
  if (isDeepStrictEqual(there, arrived)) return there.rows;
  throw new OperatorError(
    `${table.name}: ${there.rows} rows with checksum ${there.checksum} became ${arrived.rows} with ${arrived.checksum}. The source still serves the company`,
  );
}

/**
 * The accounts whose links to members can be copied: accounts with the same id and address at the target that are not
 * linked there yet. Accounts belong to a project, so all other people are invited at the target, and linked at the
 * first sign-in.
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

/** How long to wait for transactions that began before the company was closed for writing, in seconds. */
const patience = 60;

/**
 * Waits until every transaction that began before now has ended: it may have read that the company is open, and still
 * write.
 * @throws OperatorError that names the sessions' pids, if one takes longer than `patience`
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
      throw new OperatorError(
        `A transaction that began before the company was closed for writing has not ended in ${patience} s (pid ${pids}). The source still serves the company`,
      );
    }
    await pause(100);
  }
}
