import type { Logged } from "../answers/errors.ts";
import { asText, type CallDatabase } from "../database/data_api.ts";
import { shares } from "../limits.ts";
import type { Caller } from "../request/caller.ts";
import { fairQueue } from "./fair_queue.ts";
import { type Visit, Wait } from "./visit.ts";

type Noted = Pick<Visit, "keyHash" | "caller">;

/**
 * Notes that a key is still used which was revoked or has expired, that it lacks the scope, or what is wrong with its
 * import, so that admins see it; their own quick check is no use. In a call of its own, after the refusal and without its
 * caller waiting; at most once a minute for each key, `GET /` apart, because a check says less than a use; the companies
 * in turn, and not at all if a company has too much to note or the call fails: a later refusal notes it. The database
 * checks whose key it is.
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
  return ({ keyHash, caller }: Noted, status: number, { company_id: company, reason }: Logged): void => {
    const isWrongImport = caller.scope === "write:rewards" && [400, 408, 415].includes(status);
    // Without a scope nothing lacks one.
    const isRefused = status === 401 || isWrongImport || (status === 403 && caller.scope !== null);
    if (!isRefused || company === undefined || caller.noted["X-Quick-Check"]) return;
    const minute = Math.floor(Date.now() / 60_000);
    if (minute !== lastMinute) notedOf.clear();
    lastMinute = minute;
    const noted = notedOf.get(company) ?? new Set();
    const use = `${keyHash} ${caller.noted["X-Endpoint"] === "GET /"}`;
    if (noted.has(use) || noted.size >= shares.notes.ofOneCompany) return;
    notedOf.set(company, noted.add(use));
    const why = { ...(status === 403 && { missing_scope: caller.scope }), ...(isWrongImport && { reason }) };
    write({ key_hash: keyHash, ...why }, company, caller).catch(() => {});
  };
}
