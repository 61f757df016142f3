import type { Logged } from "../answers/errors.ts";
import { shares } from "../limits.ts";
import { Counts } from "./counts.ts";

/** Whose keys these are, as the database has said. When there are too many, the oldest of a company is forgotten. */
export class KnownKeys {
  /** Key hash → the ids of key and company, the oldest first. */
  readonly #owners = new Map<string, Logged>();
  readonly #counts = new Counts();

  get(keyHash: string): Logged | undefined {
    return this.#owners.get(keyHash);
  }

  /** Remembers whose key it is, if the owner is named. Returns whether it is known now. */
  add(keyHash: string, { key_id, company_id }: Logged): boolean {
    if (!key_id || !company_id || this.#owners.has(keyHash)) return this.#owners.has(keyHash);
    this.#owners.set(keyHash, { key_id, company_id });
    this.#counts.add(company_id, 1);
    const tooMany = this.#counts.tooMuch(shares.keys, company_id);
    const oldest = tooMany && this.#owners.entries().find(([, owner]) => owner.company_id === tooMany);
    if (oldest) this.delete(oldest[0]);
    return true;
  }

  delete(keyHash: string): void {
    const company = this.#owners.get(keyHash)?.company_id;
    if (company) this.#counts.add(company, -1);
    this.#owners.delete(keyHash);
  }
}
