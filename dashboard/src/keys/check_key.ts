import { quickCheck } from "../../../functions/public-api/request/caller.ts";
import { Problem, unreachable } from "../problems.ts";
import { baseAddress } from "../settings.ts";
import { deadline } from "../supabase.ts";

/** What the base address returns for a key (`docs/api.md`, Versioning). */
export type KeyCheck = {
  company_name: string;
  key_name: string;
  scopes: string[];
};

/** Takes the key out of a pasted text, which may have spaces, line breaks and the name of the header. */
export function pastedKey(pasted: string): string {
  return pasted.replace(/^\s*(?:Authorization:\s*)?(?:Bearer\s|X-API-Key:)/i, "").replace(/\s/g, "");
}

/** The format of every key (`docs/api.md`, Authentication). */
const wellFormed = /^sk_live_[0-9A-Za-z]{38}$/;

/** Requests the base address with the key, which is sent only in a header. Throws a Problem. */
export async function checkKey(apiKey: string): Promise<KeyCheck> {
  if (!wellFormed.test(apiKey)) {
    throw new Problem("refused", "This is not a whole key: a key is sk_live_ followed by 38 letters and digits.");
  }
  const headers = { "X-API-Key": apiKey, "X-Client-Info": quickCheck };
  const request = { headers, cache: "no-store", signal: AbortSignal.timeout(deadline) } as const;
  const response = await fetch(baseAddress, request).catch(() => {
    throw unreachable();
  });
  if (response.status === 401) {
    throw new Problem("refused", "This key does not work: it is mistyped, revoked or expired.");
  }
  const check: KeyCheck | null = response.status === 200 ? await response.json().catch(() => null) : null;
  if (check === null) throw new Problem("failed", "The API did not answer as it should. Try again in a moment.");
  return check;
}
