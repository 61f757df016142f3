// The functions of the database, called directly on separate connections, so that calls run at the same time. The
// stand-in for the Data API would run them one after the other.
import postgres from "postgres";
import { hashOf, stack } from "./stack.ts";

/** A connection that signs in as the Data API does for the secret key. */
export async function serviceRole(): Promise<postgres.Sql> {
  const db = postgres(stack.superuser_url, { max: 1, onnotice: () => {} });
  await db`set session authorization authenticator`;
  await db`set role service_role`;
  return db;
}

/** Calls an import directly in PostgreSQL. */
export async function upsert(db: postgres.Sql | postgres.TransactionSql, key: string, rows: object[]): Promise<number> {
  const [row] = await db<{ answer: { imported: number } }[]>`
    select public.upsert_rewards(${hashOf(key)}, ${JSON.stringify(rows)}) as answer`;
  return row?.answer.imported ?? 0;
}
