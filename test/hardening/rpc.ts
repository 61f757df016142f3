// The database's functions, called straight on connections of their own: as many at the same time as PostgreSQL has, where the stand-in
// for the Data API would put them in line.
import postgres from "postgres";
import { hashOf, stack } from "../api/stack.ts";

/** A connection that signs in as the Data API does with the secret key. */
export async function serviceRole(): Promise<postgres.Sql> {
  const db = postgres(stack.superuser_url, { max: 1, onnotice: () => {} });
  await db`set session authorization authenticator`;
  await db`set role service_role`;
  return db;
}

/** Sends an import straight to PostgreSQL. */
export async function upsert(db: postgres.Sql | postgres.TransactionSql, key: string, rows: object[]): Promise<number> {
  const [row] = await db<{ answer: { imported: number } }[]>`
    select public.upsert_rewards(${hashOf(key)}, ${JSON.stringify(rows)}) as answer`;
  return row?.answer.imported ?? 0;
}
