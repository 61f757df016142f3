import { type ApiError, gone, type Logged, tooManyRequests } from "./responses.ts";

/** How long a request waits at most, in milliseconds, for all its places together (`docs/api.md`, Limits). */
const patience = 2000;

/** One request: its key, the owner as far as it is known, the milliseconds that it waited, why the database refused it last. */
export class Visit {
  owner: Logged = {};
  waited = 0;
  refusal?: ApiError;
  readonly keyHash: string;
  readonly #signal: AbortSignal;

  /** `signal`: the caller has disconnected. */
  constructor(keyHash: string, signal: AbortSignal) {
    this.keyHash = keyHash;
    this.#signal = signal;
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

  /** Waits for its turn. Throws its refusal or a 429 ApiError when it has waited for `patience`, else as `untilAborted`. */
  async wait(turn: Promise<void>): Promise<void> {
    const since = performance.now();
    const late = Promise.withResolvers<never>();
    const giveUp = () => late.reject(this.refusal ?? tooManyRequests("no turn in time", this.owner));
    const timer = setTimeout(giveUp, patience - this.waited);
    try {
      await this.untilAborted(Promise.race([turn, late.promise]));
    } finally {
      clearTimeout(timer);
      this.waited += performance.now() - since;
    }
  }
}

/** The requests of one company: how much of its share they take, and those that wait. */
type Lane = { taken: number; readonly waiting: Set<Ticket> };
/** A request that waits: what it costs of all the room, what of its lane's share, and how much that may be. */
type Ticket = { readonly cost: number; readonly share: number; readonly most: number; readonly letIn: () => void };

/**
 * A queue with a lane for each company, before something that has only so much room. Who leaves makes room for the first
 * of another lane: the lanes take turns (round robin), so a company with many requests waits for itself.
 */
export class FairQueue {
  #room: number;
  /** In the order of their turns: the lane that was served last is at the end. Lanes without requests are removed. */
  readonly #lanes = new Map<string, Lane>();

  constructor(room: number) {
    this.#room = room;
  }

  /**
   * Waits until not all room is taken, and less than `most` by the lane. The last one that is let in may cost more than is
   * left: if it had to wait until all of it fits, cheaper ones would pass it for ever. Returns the function that leaves.
   * Throws as `visit.wait`.
   */
  async enter(name: string, visit: Visit, cost: number, most: number, share = cost): Promise<() => void> {
    const lane = this.#lanes.get(name) ?? { taken: 0, waiting: new Set() };
    this.#lanes.set(name, lane);
    const { promise, resolve } = Promise.withResolvers<void>();
    const ticket = { cost, share, most, letIn: resolve };
    lane.waiting.add(ticket);
    this.#admit();
    if (lane.waiting.has(ticket)) await visit.wait(promise).finally(() => lane.waiting.delete(ticket));
    return () => {
      lane.taken -= share;
      this.#room += cost;
      this.#admit();
    };
  }

  /** Lets in whoever waits and has room now, one of each lane in turn. */
  #admit(): void {
    for (const [name, lane] of this.#lanes) {
      const [next] = lane.waiting;
      if (!next && lane.taken === 0) this.#lanes.delete(name);
      if (!next || this.#room <= 0 || lane.taken >= next.most) continue;
      // Moved to the end, where this loop comes to it again: it ends when no lane can be served.
      this.#lanes.delete(name);
      this.#lanes.set(name, lane);
      lane.waiting.delete(next);
      lane.taken += next.share;
      this.#room -= next.cost;
      next.letIn();
    }
  }
}
