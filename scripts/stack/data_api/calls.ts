// One call of a function in a transaction of its own, as PostgREST makes it, over a pool of connections.
import { createHash } from "node:crypto";
import pg from "pg";
import { applying, beginning, calling, type DatabaseFunction, type RequestSettings } from "./statements.ts";

/** What a call returns: the body, and what the function has put into response.headers and response.status. */
export type Called = { body: string | null; headers: string | null; status: string | null };

/** The type of the parameter with the arguments. */
const json = 114;

/** Every value stays the text that PostgreSQL sends. pg reads the types of parameters from the same property. */
const asText = Object.assign([] as number[], { getTypeParser: () => (text: string) => text });
const asTextOfJson = Object.assign([json], { getTypeParser: asText.getTypeParser });

/** Prepared once for each connection, as PostgREST prepares them. */
const prepared = (text: string, values: string[], types = asText): pg.QueryConfig => ({
  name: createHash("sha1").update(text).digest("base64url"),
  text,
  values,
  types: types as unknown as pg.CustomTypesConfig,
});

/** Whether an error of a query has ended its connection. */
export const endsConnection = (error: unknown): boolean =>
  !(error instanceof pg.DatabaseError) || ["FATAL", "PANIC"].includes(error.severity ?? "");

/**
 * Calls the function with the arguments of these names, which are in a JSON text.
 * @throws the error of PostgreSQL, or of the connection
 */
export async function call(
  client: pg.PoolClient,
  one: DatabaseFunction,
  request: RequestSettings,
  names: ReadonlySet<string>,
  args: string,
): Promise<Called> {
  await client.query(prepared(beginning(one), []));
  try {
    await client.query(prepared(...applying(one, request)));
    const values = names.size > 0 ? [args] : [];
    const { rows } = await client.query(
      prepared(calling(one, names), values, values.length > 0 ? asTextOfJson : asText),
    );
    await client.query(prepared("COMMIT", []));
    const [{ body = null, response_headers: headers = null, response_status: status = null } = {}] = rows;
    return { body, headers, status };
  } catch (error) {
    if (!endsConnection(error)) await client.query("ROLLBACK");
    throw error;
  }
}
