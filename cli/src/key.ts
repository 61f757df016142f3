import { type Connection, request } from "./connection.ts";
import { exitCodes, Problem } from "./problem.ts";

/** What the API says of a key (docs/api.md, Authentication). */
export interface Key {
  version: string;
  company_name: string;
  key_name: string;
  scopes: string[];
  /** When the key stops working, if ever. */
  expires_at?: string | null;
}

/**
 * Checks the key: every command does it first, so that a wrong address or key is found before anything begins.
 * @throws Problem when something other than this API answers
 */
export async function describeKey(connection: Connection): Promise<Key> {
  const strange = (what: string) =>
    new Problem(
      `${connection.url} is not the base address of the API (${what}): check PUBLIC_API_URL`,
      exitCodes.usage,
    );
  const { content } = await request(connection, "", (body) => body).catch((error) => {
    throw error instanceof Problem && /^40[045] /.test(error.message) ? strange(error.message) : error;
  });
  try {
    const key: Key = JSON.parse(content);
    if (typeof key.company_name === "string" && Array.isArray(key.scopes)) return key;
  } catch {
    // Somebody else's page.
  }
  throw strange("something else answers there");
}
