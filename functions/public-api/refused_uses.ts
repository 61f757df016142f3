import { asText, type CallDatabase, type Caller } from "./database.ts";

/** How many notes are written at once, and how many in a minute: a note must take nothing from requests. */
const most = { atOnce: 2, inAMinute: 200 };

/**
 * Notes that a key which was revoked or has expired is still used, so that admins see it. In a call of its own, after
 * the refusal and without its caller waiting; at most once a minute for each key, and not at all when there is too much to
 * note or the call fails: a later refusal notes it. The database says which keys these are, and notes no other.
 */
export class RefusedUses {
  readonly #callDatabase: CallDatabase;
  readonly #noted = new Set<string>();
  #minute = 0;
  #running = 0;

  constructor(callDatabase: CallDatabase) {
    this.#callDatabase = callDatabase;
  }

  /** Notes that the key with this hash has been refused. Returns at once, and never throws. */
  note(keyHash: string, caller: Caller): void {
    const minute = Math.floor(Date.now() / 60_000);
    if (minute !== this.#minute) this.#noted.clear();
    this.#minute = minute;
    if (caller.isQuickCheck || this.#noted.has(keyHash)) return;
    if (this.#running >= most.atOnce || this.#noted.size >= most.inAMinute) return;
    this.#noted.add(keyHash);
    this.#running++;
    this.#callDatabase("note_refused_use", { key_hash: keyHash }, caller, asText)
      .catch(() => {})
      .finally(() => this.#running--);
  }
}
