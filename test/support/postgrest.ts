// Calls of functions as PostgREST makes them, without a Data API between.
import postgres from "postgres";
import {
  applying,
  beginning,
  calling,
  type DatabaseFunction,
  functionsQuery,
} from "../../scripts/stack/data_api/statements.ts";
import { stack } from "./stack.ts";

/** For whom a call is made: the role of the token, and its other claims. */
export type As = { readonly role: "service_role" | "authenticated"; readonly claims?: object };

/** The type with which PostgREST sends the arguments. */
const json = 114;

/** The functions that PostgREST finds in a database, by their names. */
export async function readFunctions(sql: postgres.Sql): Promise<Map<string, DatabaseFunction>> {
  const found = await sql.unsafe<DatabaseFunction[]>(functionsQuery);
  return new Map(found.map((one) => [one.name, one]));
}

/** A connection to a database of the stack's server as PostgREST has them: of a role that may only become another. */
export async function connectAsPostgrest(database: string): Promise<postgres.Sql> {
  const connection = postgres(stack.superuser_url, { database, max: 1, onnotice: () => {} });
  await connection`set session authorization authenticator`;
  return connection;
}

/** Calls a function in a transaction of its own, which `end` ends, and returns the body of the answer. */
export async function callFunction(
  connection: postgres.Sql,
  one: DatabaseFunction,
  args: Record<string, unknown>,
  { role, claims }: As,
  end: "commit" | "rollback",
): Promise<unknown> {
  const request = {
    search_path: '"public", "extensions"',
    role,
    "request.jwt.claims": JSON.stringify({ role, ...claims }),
    "request.method": "POST",
    "request.path": `/rpc/${one.name}`,
    "request.headers": JSON.stringify({ "x-endpoint": "GET /x", accept: "application/json" }),
    "request.cookies": "{}",
  };
  const names = new Set(Object.keys(args));
  await connection.unsafe(beginning(one));
  try {
    await connection.unsafe(...applying(one, request));
    const values = names.size > 0 ? [connection.typed(args as never, json)] : [];
    const [row] = await connection.unsafe(calling(one, names), values);
    await connection.unsafe(end);
    return row?.body;
  } catch (error) {
    await connection`rollback`;
    throw error;
  }
}
