import { ApiError, gone, tooManyRequests } from "./responses.ts";

/** How long a request waits for its turn at most, in milliseconds, all its calls together (`docs/api.md`, Limits). */
const patience = 2000;

/**
 * Requests of one key at once: where no other key asks, and where one does or did so in the last second. A neighbour mostly asks again
 * a moment after its answer. The database takes 4 of one company, from all instances together.
 */
const ofOneKey = { alone: 4, besideOthers: 2, afterOthers: 1000 };

/** Calls of the database at once, of all keys together, good ones and made-up ones. PostgREST has 10 connections or more for all instances. */
const together = 8;

/**
 * Milliseconds from one refusal of a key to the next, and for which one is held back at most: whoever tries many keys at once is told so
 * one after the other, and cannot keep the line full.
 */
const refusals = { apart: 20, held: 4000 };

/** One request: how long it has waited so far, in milliseconds, and whether its caller is still there. */
export class Visit {
  waited = 0;
  readonly signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.signal = signal;
  }

  /**
   * Waits until it is called. `lineUp` is given what calls it, and returns what takes it out of the line.
   * Throws the 429 when its patience is over, and stops when the caller goes away.
   */
  async wait(lineUp: (call: () => void) => () => void): Promise<void> {
    const since = performance.now();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = lineUp(resolve);
    const timer = setTimeout(() => reject(tooManyRequests("no turn in time")), patience - this.waited);
    const goAway = () => reject(gone());
    this.signal.addEventListener("abort", goAway);
    try {
      if (this.signal.aborted) throw gone();
      await promise;
    } finally {
      leave();
      clearTimeout(timer);
      this.signal.removeEventListener("abort", goAway);
      this.waited += performance.now() - since;
    }
  }
}

/** Lets so many in at once. The others wait in turn. */
class Gate {
  #inside = 0;
  readonly #waiting = new Set<() => void>();
  readonly #most: () => number;

  constructor(most: () => number) {
    this.#most = most;
  }

  get isEmpty(): boolean {
    return this.#inside === 0 && this.#waiting.size === 0;
  }

  async enter(visit: Visit): Promise<void> {
    if (this.#inside < this.#most()) {
      this.#inside++;
      return;
    }
    let isIn = false;
    try {
      await visit.wait((call) => {
        const letIn = () => {
          isIn = true;
          call();
        };
        this.#waiting.add(letIn);
        return () => this.#waiting.delete(letIn);
      });
    } catch (error) {
      // Called in the moment in which it gave up.
      if (isIn) this.leave();
      throw error;
    }
  }

  leave(): void {
    this.#inside--;
    this.admit();
  }

  /** Lets in whom there is room for, those who came first before the others. */
  admit(): void {
    for (const letIn of this.#waiting) {
      if (this.#inside >= this.#most()) return;
      this.#waiting.delete(letIn);
      this.#inside++;
      letIn();
    }
  }
}

/**
 * The line before the database (`docs/api.md`, Limits): a few requests of one key are under way at once, and so many calls of all keys
 * together that they do not fill PostgREST's pool; the others wait here, holding no connection. It lives in one instance of the
 * function, and keeps nothing of requests that are over but which key asked last: how many of a company run at once is bounded by the
 * database.
 */
export class WaitingLine {
  readonly #keys = new Map<string, Gate>();
  readonly #calls = new Gate(() => together);
  #lastKey: string | undefined;
  /** When the key that asked was last another one than before. */
  #keyChanged = Number.NEGATIVE_INFINITY;
  #nextRefusal = 0;

  /** Serves a request of this key when it is its turn. Throws a 429 ApiError when that has not come in time. */
  async inTurn<Result>(keyHash: string, visit: Visit, serve: () => Promise<Result>): Promise<Result> {
    const key = this.#keys.get(keyHash) ?? new Gate(() => this.#mostOfOneKey());
    this.#keys.set(keyHash, key);
    if (this.#lastKey !== undefined && this.#lastKey !== keyHash) this.#keyChanged = performance.now();
    this.#lastKey = keyHash;
    let isIn = false;
    try {
      await key.enter(visit);
      isIn = true;
      return await serve();
    } finally {
      if (isIn) key.leave();
      if (key.isEmpty) this.#keys.delete(keyHash);
    }
  }

  /** Makes a call of the database when there is room for it, and again after a pause as long as it is refused with 429. */
  async call<Result>(visit: Visit, ask: () => Promise<Result>): Promise<Result> {
    for (let pause = 20; ; pause = Math.min(2 * pause, 160)) {
      try {
        return await this.#callOnce(visit, ask);
      } catch (error) {
        if (error instanceof ApiError && error.status === 401) await this.#holdBack();
        if (!(error instanceof ApiError) || error.status !== 429 || visit.waited >= patience) throw error;
      }
      // Not all at the same moment.
      const milliseconds = pause * (0.5 + Math.random());
      await visit.wait((call) => {
        const timer = setTimeout(call, milliseconds);
        return () => clearTimeout(timer);
      });
    }
  }

  async #callOnce<Result>(visit: Visit, ask: () => Promise<Result>): Promise<Result> {
    await this.#calls.enter(visit);
    try {
      return await ask();
    } finally {
      this.#calls.leave();
    }
  }

  /** Holds a refusal of a key back until those before it have been told, which is at once where there are none. */
  async #holdBack(): Promise<void> {
    const now = performance.now();
    const turn = Math.min(Math.max(now, this.#nextRefusal), now + refusals.held);
    this.#nextRefusal = turn + refusals.apart;
    if (turn > now) await new Promise((resolve) => setTimeout(resolve, turn - now));
  }

  #mostOfOneKey(): number {
    const isAlone = this.#keys.size === 1 && performance.now() - this.#keyChanged > ofOneKey.afterOthers;
    return isAlone ? ofOneKey.alone : ofOneKey.besideOthers;
  }
}
