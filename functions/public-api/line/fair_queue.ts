import { type ApiError, gone, type Logged, tooManyRequests } from "../answers/responses.ts";
import { clearTimeout, performance, setTimeout } from "../timing.ts";

/** One request: its key, the owner as far as it is known, how long it waited, why the database refused it last. */
export class Visit {
  owner: Logged = {};
  waited = 0;
  /** How many milliseconds it waits at most, for all its places together (`docs/api.md`, Limits). */
  patience = 2000;
  refusal?: ApiError;
  readonly keyHash: string;
  readonly #signal: AbortSignal;
  readonly ended: Promise<unknown>;
  readonly connection: string;

  /**
   * `signal`: the caller has disconnected. `ended` is settled when the answer has left, or the caller. `connection` names
   * that of the caller, if it is known.
   */
  constructor(keyHash: string, signal: AbortSignal, ended: Promise<unknown>, connection = "") {
    this.keyHash = keyHash;
    this.#signal = signal;
    this.ended = ended;
    this.connection = connection;
  }

  /** The result. When the caller disconnects before, throws a 499 ApiError at once, and `discard` gets the result. */
  untilAborted<Result>(result: Promise<Result>, discard?: (result: Result) => void): Promise<Result> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        reject(gone(this.owner));
        result.then(discard, () => {});
      };
      this.#signal.addEventListener("abort", leave);
      result.then(resolve, reject).finally(() => this.#signal.removeEventListener("abort", leave));
    });
  }

  /** Waits for its turn. Throws its refusal or a 429 ApiError when its patience ends, else as `untilAborted`. */
  async wait(turn: Promise<void>): Promise<void> {
    const since = performance.now();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    turn.then(resolve);
    const giveUp = () => reject(this.refusal ?? tooManyRequests("no turn in time", this.owner));
    const timer = setTimeout(giveUp, Math.max(0, this.patience - this.waited));
    try {
      await this.untilAborted(promise);
    } finally {
      clearTimeout(timer);
      this.waited += performance.now() - since;
    }
  }
}

/** The requests of one company: how many have a place, and what lets in each of those that wait. */
type Lane = { inside: number; readonly waiting: Set<() => void> };

/**
 * A queue with a lane for each company, before something that has only so many places. Who leaves makes room for the
 * first of another lane: the lanes take turns (round robin), so a company with many requests waits for itself. The lane
 * with the empty name is of nobody: there the oldest and the newest are first in turn, so that neither many that wait nor
 * many that come and go push a newcomer out.
 */
export class FairQueue {
  #places: number;
  #isNewestFirst = false;
  readonly #mayEnter: (lane: string, inside: number) => boolean;
  /** In the order of their turns: the lane that was served last is at the end. Lanes without requests are removed. */
  readonly #lanes = new Map<string, Lane>();

  /** `mayEnter`: whether a lane may have one more place than the `inside` that it has. When that changes, call `admit`. */
  constructor(places: number, mayEnter: (lane: string, inside: number) => boolean) {
    this.#places = places;
    this.#mayEnter = mayEnter;
  }

  /** How many of a lane have a place. */
  inside(name: string): number {
    return this.#lanes.get(name)?.inside ?? 0;
  }

  /** Waits for a place. Returns the function that leaves it. Throws as `visit.wait`. */
  async enter(name: string, visit: Visit): Promise<() => void> {
    const lane = this.#lanes.get(name) ?? { inside: 0, waiting: new Set() };
    this.#lanes.set(name, lane);
    const { promise, resolve } = Promise.withResolvers<void>();
    lane.waiting.add(resolve);
    this.admit();
    const leave = () => {
      lane.inside--;
      this.#places++;
      this.admit();
    };
    const giveUp = (error: unknown) => {
      // Its turn may come in the moment in which it goes, as when a connection with several requests breaks.
      if (!lane.waiting.delete(resolve)) leave();
      throw error;
    };
    if (lane.waiting.has(resolve)) await visit.wait(promise).catch(giveUp);
    return leave;
  }

  /** Lets in whoever waits and has room now, one of each lane in turn. */
  admit(): void {
    for (const [name, lane] of this.#lanes) {
      const [oldest] = lane.waiting;
      const next = name === "" && this.#isNewestFirst ? [...lane.waiting].at(-1) : oldest;
      if (!next && lane.inside === 0) this.#lanes.delete(name);
      if (!next || this.#places <= 0 || !this.#mayEnter(name, lane.inside)) continue;
      // Moved to the end, where this loop comes to it again: it ends when no lane can be served.
      this.#lanes.delete(name);
      this.#lanes.set(name, lane);
      if (name === "") this.#isNewestFirst = !this.#isNewestFirst;
      lane.waiting.delete(next);
      lane.inside++;
      this.#places--;
      next();
    }
  }
}
