import type { CallDatabase } from "../database/data_api.ts";
import { asText } from "../database/data_api.ts";
import { shares } from "../limits.ts";
import type { Caller } from "../request/caller.ts";
import { fairQueue } from "./fair_queue.ts";
import { type Visit, Wait } from "./visit.ts";

/**
 * Notes that a key is still used which was revoked or has expired, or that lacks the scope, so that admins see it. In a
 * call of its own, after the refusal and without its caller waiting; at most once a minute for each key, `GET /` apart,
 * because a check says less than a use; the companies in turn, and not at all when a company has too much to note or the
 * call fails: a later refusal notes it. The database says which keys these are, and notes no other.
 */
export function refusedUses(callDatabase: CallDatabase) {
  const queue = fairQueue(shares.notes, () => true);
  /** Company → the hashes of its keys that were noted in this minute, and whether at `GET /`. */
  const notedOf = new Map<string, Set<string>>();
  let lastMinute = 0;

  const write = async (args: Record<string, unknown>, company: string, caller: Caller) => {
    const leave = await queue.enter(company, new Wait());
    await callDatabase("note_refused_use", args, caller, asText).finally(leave);
  };

  /** Notes an answer, if it refused a key of a company. Returns at once, and never throws. */
  return (
    { keyHash, caller }: Pick<Visit, "keyHash" | "caller">,
    status: number,
    company: string | undefined,
  ): void => {
    // Without a scope nothing lacks one.
    const isRefused = status === 401 || (status === 403 && caller.scope !== null);
    if (!isRefused || company === undefined) return;
    const minute = Math.floor(Date.now() / 60_000);
    if (minute !== lastMinute) notedOf.clear();
    lastMinute = minute;
    const noted = notedOf.get(company) ?? new Set();
    const use = `${keyHash} ${caller.noted["X-Endpoint"] === "GET /"}`;
    if (noted.has(use) || noted.size >= shares.notes.ofOneCompany) return;
    notedOf.set(company, noted.add(use));
    const missing = status === 403 ? { missing_scope: caller.scope } : {};
    write({ key_hash: keyHash, ...missing }, company, caller).catch(() => {});
  };
}
