// The functions of the database, called directly on separate connections, whose transactions a test begins and ends.
import postgres from "postgres";
import { expect } from "vitest";
import { hashOf, sql, stack } from "./stack.ts";

/** The isolation levels of transactions. What writes must be right in each: operators and their programs choose. */
export const isolationLevels = ["read committed", "repeatable read", "serializable"] as const;
export type IsolationLevel = (typeof isolationLevels)[number];

/** Each case of a test in each isolation level, which comes first. */
export const atEachLevel = <const Case extends readonly unknown[]>(cases: readonly Case[]) =>
  isolationLevels.flatMap((level) => cases.map((one) => [level, ...one] as const));

/** What a writer does: the same again, as long as PostgreSQL asks for it, or a lock was not to be had. */
export const again = <T>(write: () => Promise<T>): Promise<T> =>
  write().catch((error) => {
    if (["40001", "55P03"].includes(error.code)) return again(write);
    throw error;
  });

/** Writes as {@link sql} does, in a transaction of this isolation level. */
export const sqlAt =
  (level: IsolationLevel) =>
  (text: TemplateStringsArray, ...values: postgres.ParameterOrFragment<never>[]) =>
    again(() => sql.begin(`isolation level ${level}`, (tx) => tx(text, ...values)));

/** Begins a transaction with this statement, whose locks others wait for until `release`. */
export async function hold(
  sql: postgres.Sql,
  statement: string,
  values: string[] = [],
  level: IsolationLevel = "read committed",
) {
  const tx = await sql.reserve();
  await tx.unsafe(`begin isolation level ${level}`);
  await tx.unsafe(statement, values);
  const [me] = await tx`select pg_backend_pid() as pid`;
  const waiting = () => sql`select pid from pg_stat_activity where ${me?.pid} = any (pg_blocking_pids(pid))`;
  return {
    tx,
    /** Resolves when another session waits. */
    reached: () => expect.poll(async () => (await waiting()).length, { interval: 10 }).toBeGreaterThan(0),
    endWaiting: () => sql`select pg_terminate_backend(pid, 5000) from (${waiting()}) as waiting`,
    async release(how = "rollback") {
      await tx.unsafe(how);
      tx.release();
    },
  };
}

/** A connection whose transactions have this isolation level. */
export const connectAt = (level: IsolationLevel): postgres.Sql =>
  postgres(stack.superuser_url, {
    ...{ max: 1, onnotice: () => {} },
    connection: { default_transaction_isolation: level },
  });

/** A connection that signs in as the Data API does for the secret key. */
export async function serviceRole(): Promise<postgres.Sql> {
  const db = connectAt("read committed");
  await db`set session authorization authenticator`;
  await db`set role service_role`;
  return db;
}

/** Calls an import directly in PostgreSQL. */
export async function upsert(db: postgres.Sql | postgres.TransactionSql, key: string, rows: object[]): Promise<number> {
  const [row] = await again(
    () => db<{ answer: { imported: number } }[]>`
      select public.upsert_rewards(${hashOf(key)}, ${JSON.stringify(rows)}) as answer`,
  );
  return row?.answer.imported ?? 0;
}
