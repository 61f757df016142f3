import { ApiError, gone, tooManyRequests } from "./responses.ts";

/** How long a request waits at most, in milliseconds, for all its calls together (`docs/api.md`, Limits). */
const patience = 2000;

/**
 * How many requests of one key run at once: `alone` if no other key has sent a request for `afterOthers` milliseconds,
 * otherwise `besideOthers`. The time is there because a client mostly sends its next request shortly after a response.
 * The database runs 4 requests of one company, from all instances together.
 */
const ofOneKey = { alone: 4, besideOthers: 2, afterOthers: 1000 };

/** How many database calls run at once, of all keys together. PostgREST has 10 or more connections in total. */
const together = 8;

/**
 * In milliseconds: the time between two refusals of a key (`apart`), and the longest delay of one (`held`). So a client
 * that tries many keys at once gets the refusals one after the other, and cannot keep the line full.
 */
const refusals = { apart: 20, held: 4000 };

/** One request: how long it has waited so far, in milliseconds, and the signal that its caller has disconnected. */
export class Visit {
  waited = 0;
  readonly signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.signal = signal;
  }

  /**
   * Waits until it is called. `lineUp` gets the function that ends the wait, and returns the function that removes the
   * request from the line. Throws a 429 ApiError after `patience`, and a 499 when the caller disconnects.
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

/** Lets a number of requests in at once, `most`. The others wait in the order of their arrival. */
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
      // It was let in at the same moment in which it gave up.
      if (isIn) this.leave();
      throw error;
    }
  }

  leave(): void {
    this.#inside--;
    this.admit();
  }

  /** Lets in as many waiting requests as there is room for, in the order of their arrival. */
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
 * The line before the database (`docs/api.md`, Limits). Only a few requests of one key run at once, and only so many
 * calls of all keys together that they do not fill PostgREST's pool. The others wait here, without a connection. Each
 * instance of the function has its own line, so the database limits the requests of one company. Of requests that are
 * over, the line keeps only which key was last.
 */
export class WaitingLine {
  readonly #keys = new Map<string, Gate>();
  readonly #calls = new Gate(() => together);
  #lastKey: string | undefined;
  /** When a request last came with another key than the request before. */
  #keyChanged = Number.NEGATIVE_INFINITY;
  #nextRefusal = 0;

  /** Serves a request of this key when it is its turn. Throws a 429 ApiError when its turn does not come in time. */
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

  /** Calls the database when there is room. After a 429 it pauses and tries again, until `patience` is over. */
  async call<Result>(visit: Visit, ask: () => Promise<Result>): Promise<Result> {
    for (let pause = 20; ; pause = Math.min(2 * pause, 160)) {
      try {
        return await this.#callOnce(visit, ask);
      } catch (error) {
        if (error instanceof ApiError && error.status === 401) await this.#holdBack();
        if (!(error instanceof ApiError) || error.status !== 429 || visit.waited >= patience) throw error;
      }
      // Random, so that waiting requests do not all try again at the same moment.
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

  /** Delays the refusal of a key until those before it have been sent; without any there is no delay. */
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
