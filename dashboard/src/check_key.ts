import { Problem, unreachable } from "./problems.ts";
import { baseAddress } from "./settings.ts";
import { deadline } from "./supabase.ts";

/** What the base address says of a key (`docs/api.md`, Versioning). */
export type KeyCheck = {
  version: string;
  company_name: string;
  key_name: string;
  scopes: string[];
  endpoints: { method: string; path: string; aliases: string[]; scope: string | null }[];
};

/** Calls the base address with the key, which goes into a header and nowhere else. */
export async function checkKey(apiKey: string): Promise<KeyCheck> {
  let response: Response;
  try {
    const headers = { "X-API-Key": apiKey };
    response = await fetch(baseAddress, { headers, cache: "no-store", signal: AbortSignal.timeout(deadline) });
  } catch {
    throw unreachable();
  }
  if (response.status === 401) {
    throw new Problem("refused", "This key does not work: it is mistyped, revoked or expired.");
  }
  if (!response.ok) throw new Problem("failed", "The API did not answer as it should. Try again in a moment.");
  return (await response.json()) as KeyCheck;
}
