// Connections to the two databases, and transactions on them.
import pg from "pg";

/** Why a company cannot be moved. Only its message is shown: it contains no address. */
export class OperatorError extends Error {}

/** A database or a transaction: both can run a query. */
export type Database = pg.Pool;
export type Transaction = pg.PoolClient;
export type Queryable = Database | Transaction;

/**
 * The address of a database in an environment variable. It is never shown, because it contains a password.
 * @throws OperatorError when it does not parse: what follows an unescaped / ? or # of the password is never taken for a host
 */
export function databaseAddress(setting: string): string {
  const text = process.env[setting] ?? "";
  try {
    const { protocol, username, password, hash } = new URL(text);
    decodeURIComponent(password);
    if (/^postgres(ql)?:$/.test(protocol) && username !== "" && hash === "") return text;
  } catch {}
  throw new OperatorError(
    `${setting} must be the address of a database, postgres://user:password@host:port/name, with any / ? # @ % of the ` +
      "password written as %2F %3F %23 %40 %25",
  );
}

/**
 * Connects to the database whose address is in an environment variable.
 * @throws OperatorError that names the setting
 */
export async function openDatabase(setting: string, options: pg.PoolConfig = { max: 3 }): Promise<Database> {
  const connectionString = databaseAddress(setting);
  const pool = new pg.Pool({ connectionString, connectionTimeoutMillis: 10_000, keepAlive: true, ...options });
  // Ignores the error of an idle connection that breaks: the next query reports it.
  pool.on("error", () => {});
  try {
    await pool.query("select");
    return pool;
  } catch (error) {
    await pool.end();
    const { code = "", message } = error as NodeJS.ErrnoException;
    // A code of the network as it is: its message may have a part of a password that was taken for a host or port.
    const reason = /^E[A-Z_]+$/.test(code) ? code : message;
    const advice = /^(E|28|3D)/.test(code) || code === "" ? ". Check the address, and its password or PGPASSWORD" : "";
    throw new OperatorError(`${setting}: no connection (${reason})${advice}`);
  }
}

/** The rows of a query. Values are passed separately from the text: `$1`, `$2`. */
export async function query<Row extends object>(on: Queryable, text: string, values: unknown[] = []): Promise<Row[]> {
  return (await on.query<Row>(text, values)).rows;
}

/**
 * Runs a transaction on its own connection. If it fails, the connection is closed, which rolls it back in any state.
 * @param begin such as `begin isolation level repeatable read`
 */
export async function transaction<T>(database: Database, begin: string, act: (tx: Transaction) => Promise<T>) {
  const client = await database.connect();
  // Ignores the error of a broken connection here: the current or the next query reports it.
  client.on("error", () => {});
  try {
    await client.query(begin);
    await prepare(client);
    const result = await act(client);
    const { command } = await client.query("commit");
    if (command !== "COMMIT") throw new Error("the transaction had failed already");
    client.release();
    return result;
  } catch (error) {
    client.release(true);
    throw error;
  }
}

/** The application name of this command's transactions. earlierTransactions (move.ts) uses it to skip them. */
export const applicationName = "move-company";

/**
 * Sets a transaction's parameters: the same row has the same text on both sides, row-level security fails instead of
 * hiding rows, ratings keep their teams (sql/schema/0505_hidden_teams.sql), and no time limit ends a long copy.
 */
async function prepare(client: Transaction): Promise<void> {
  await client.query(`
    select set_config(name, value, true) from (values
      ('search_path', ''), ('datestyle', 'ISO, YMD'), ('intervalstyle', 'postgres'), ('timezone', 'UTC'), ('bytea_output', 'hex'),
      ('extra_float_digits', '1'), ('row_security', 'off'), ('lock_timeout', '0'), ('statement_timeout', '0'),
      ('idle_in_transaction_session_timeout', '0'), ('application_name', '${applicationName}'), ('app.as_stored', 'on')
    ) as setting (name, value)`);
}
