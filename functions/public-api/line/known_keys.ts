import type { Logged } from "../answers/errors.ts";
import { shares } from "../limits.ts";

/**
 * Whose keys these are, as the database has said. When there are too many, the oldest of the company with the most is
 * forgotten, so no company makes the instance forget another one.
 */
export class KnownKeys {
  /** Key hash → the ids of key and company. */
  readonly #owners = new Map<string, Logged>();
  /** Company → the hashes of its keys, the oldest first. */
  readonly #companies = new Map<string, Set<string>>();

  get(keyHash: string): Logged | undefined {
    return this.#owners.get(keyHash);
  }

  /** Remembers whose key it is, if the owner is named. Returns whether it is known now. */
  add(keyHash: string, { key_id, company_id }: Logged): boolean {
    if (!key_id || !company_id || this.#owners.has(keyHash)) return this.#owners.has(keyHash);
    const keys = this.#companies.get(company_id) ?? new Set();
    this.#companies.set(company_id, keys.add(keyHash));
    this.#owners.set(keyHash, { key_id, company_id });
    if (keys.size > shares.keys.ofOneCompany) this.#forgetOldest(keys);
    else if (this.#owners.size > shares.keys.inAll) this.#forgetOldest(this.#largest());
    return true;
  }

  delete(keyHash: string): void {
    const company = this.#owners.get(keyHash)?.company_id ?? "";
    this.#owners.delete(keyHash);
    const keys = this.#companies.get(company);
    keys?.delete(keyHash);
    if (keys?.size === 0) this.#companies.delete(company);
  }

  #forgetOldest([oldest = ""]: Iterable<string>): void {
    this.delete(oldest);
  }

  /** The keys of the company with the most, of several that which is known for longest. */
  #largest(): Set<string> {
    let largest = new Set<string>();
    for (const keys of this.#companies.values()) if (keys.size > largest.size) largest = keys;
    return largest;
  }
}
