import { type Connection, Refused, request } from "./connection.ts";
import { CliError, exitCodes } from "./errors.ts";

/** What the API returns for a key (docs/api.md, Authentication). */
export interface Key {
  version: string;
  /** Since version 1.2.0. */
  company_id?: string;
  company_name: string;
  key_name: string;
  scopes: string[];
  /** When the key expires, in ISO 8601; null if it does not expire. */
  expires_at?: string | null;
}

/** Whether a version comes before another one, both as in 1.3.0. */
export function isOlder(version: string, other: string): boolean {
  return version.localeCompare(other, "en", { numeric: true }) < 0;
}

/**
 * The id of the key's company.
 * @param needed the version of the API that has what the command asks for
 * @throws CliError when the API is older
 */
export function companyIdOf({ company_id, version }: Key, command: string, needed: string): string {
  if (company_id !== undefined && !isOlder(version, needed)) return company_id;
  throw new CliError(`${command} needs version ${needed} of the API or later, this is ${version}`, exitCodes.usage);
}

/**
 * Checks the key. Every command calls this first, so that it finds a wrong address or key before it writes anything.
 * @throws CliError when another server than this API responds
 */
export async function describeKey(connection: Connection): Promise<Key> {
  const notThisApi = (what: string) =>
    new CliError(
      `${connection.url} is not the base address of the API (${what}): check PUBLIC_API_URL`,
      exitCodes.usage,
    );
  const { content } = await request(connection, "", (body) => body).catch((error) => {
    throw error instanceof Refused && [400, 404, 405].includes(error.status) ? notThisApi(error.message) : error;
  });
  try {
    const key: Key = JSON.parse(content);
    const { version, company_id = "", company_name, key_name, scopes, expires_at } = key;
    const texts = [version, company_id, company_name, key_name, expires_at ?? "", ...scopes];
    if (Array.isArray(scopes) && texts.every((text) => typeof text === "string")) return key;
  } catch {
    // The response is not JSON, so it is not from this API.
  }
  throw notThisApi("something else answers there");
}
