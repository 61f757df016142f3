import { type ApiError, gone, type Logged, tooManyRequests } from "./responses.ts";

/** How long a request waits at most, in milliseconds, for all its places together (`docs/api.md`, Limits). */
export const patience = 2000;

/**
 * One request: the hash of its key, its owner as far as it is known, how long it has waited, in milliseconds, and whether
 * its call takes longer than its rows say.
 */
export class Visit {
  owner: Logged = {};
  waited = 0;
  readonly keyHash: string;
  readonly isLong: boolean;
  readonly #signal: AbortSignal;

  /** `signal`: the caller has disconnected. */
  constructor(keyHash: string, signal: AbortSignal, isLong = false) {
    this.keyHash = keyHash;
    this.isLong = isLong;
    this.#signal = signal;
  }

  /**
   * The result, or a 499 ApiError as soon as the caller disconnects. What makes the result goes on all the same, and
   * `discard` is called with it.
   */
  orGone<Result>(result: Promise<Result>, discard: (result: Result) => void): Promise<Result> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        reject(gone(this.owner));
        result.then(discard, () => {});
      };
      this.#signal.addEventListener("abort", leave);
      result.then(resolve, reject).finally(() => this.#signal.removeEventListener("abort", leave));
    });
  }

  /**
   * Begins to wait. Calls `giveUp` with a 429 ApiError when the request has waited for `patience`, and with a 499 when
   * the caller disconnects, unless the wait has been ended by the function that is returned.
   */
  wait(giveUp: (error: ApiError) => void): () => void {
    const since = performance.now();
    const end = () => {
      clearTimeout(timer);
      this.#signal.removeEventListener("abort", leave);
      this.waited += performance.now() - since;
    };
    const leave = () => {
      end();
      giveUp(gone(this.owner));
    };
    const timer = setTimeout(() => {
      end();
      giveUp(tooManyRequests("no turn in time", this.owner));
    }, patience - this.waited);
    this.#signal.addEventListener("abort", leave);
    return end;
  }
}

/** How much room a request takes, and whether it is heavy: always, or for so many milliseconds. */
export type Cost = { readonly size: number; readonly heavy?: boolean | number };
type Ticket = { readonly size: number; readonly weight: number; readonly letIn: () => void };

/**
 * The requests of one company: how many are inside, and the sum of their weights. `places` is how many may be inside now,
 * `most` how many at any time.
 */
type Lane = {
  inside: number;
  weight: number;
  places: number;
  most: number;
  readonly waiting: Set<Ticket>;
  growth?: Timer;
};
type Timer = ReturnType<typeof setTimeout>;

/**
 * A queue with a lane for each company, for something of which there is only so much. Who leaves makes room for the
 * first of another lane: the lanes take turns (round robin), so a company with many requests waits for itself.
 */
export class FairQueue {
  #room: number;
  readonly #mostOf: (name: string) => number;
  /** In the order of their turns: the lane that was served last is at the end. Lanes without requests are removed. */
  readonly #lanes = new Map<string, Lane>();

  /** `room`: the sum of the sizes of all that may be inside. `mostOf`: how many of a lane may be inside. */
  constructor(room: number, mostOf: (name: string) => number) {
    this.#room = room;
    this.#mostOf = mostOf;
  }

  /**
   * Waits until there is room. A heavy request takes all places of its lane but one, as long as it is heavy, and finds
   * room in an empty lane. Returns the function that leaves. Throws the ApiErrors of `visit.wait`.
   */
  async enter(name: string, visit: Visit, { size, heavy = false }: Cost): Promise<() => void> {
    const lane = this.#lane(name);
    let weight = heavy === false ? 1 : Math.max(1, lane.most - 1);
    if (lane.waiting.size === 0 && this.#hasRoom(lane, { size, weight })) this.#letIn(lane, { size, weight });
    else {
      await new Promise<void>((resolve, reject) => {
        const endWait = visit.wait((error) => {
          lane.waiting.delete(ticket);
          this.#removeIfEmpty(name, lane);
          reject(error);
        });
        const letIn = () => {
          endWait();
          resolve();
        };
        const ticket: Ticket = { size, weight, letIn };
        lane.waiting.add(ticket);
      });
    }
    const lighten = () => {
      lane.weight -= weight - 1;
      weight = 1;
      this.#admit();
    };
    const timer = typeof heavy === "number" ? setTimeout(lighten, heavy) : undefined;
    return () => {
      clearTimeout(timer);
      this.#room += size;
      lane.inside--;
      lane.weight -= weight;
      this.#removeIfEmpty(name, lane);
      this.#admit();
    };
  }

  /**
   * To be called before a request leaves that had a place, but not what the place is for: the lane has as many places as
   * the others of it use now, and gets one more every now and then, up to `most`.
   */
  refused(name: string, most?: number): void {
    const lane = this.#lane(name);
    lane.most = most ?? lane.most;
    lane.places = Math.min(lane.places, Math.max(lane.inside - 1, 0), lane.most);
    this.#growLater(name, lane);
  }

  #growLater(name: string, lane: Lane): void {
    if (lane.growth !== undefined || lane.places >= lane.most) return;
    // Random, so that several instances do not all try at the same moment.
    const milliseconds = 25 + 75 * Math.random();
    lane.growth = setTimeout(() => {
      delete lane.growth;
      lane.places++;
      this.#admit();
      this.#growLater(name, lane);
      this.#removeIfEmpty(name, lane);
    }, milliseconds);
  }

  #lane(name: string): Lane {
    let lane = this.#lanes.get(name);
    if (!lane) {
      const most = this.#mostOf(name);
      lane = { inside: 0, weight: 0, places: most, most, waiting: new Set() };
      this.#lanes.set(name, lane);
    }
    return lane;
  }

  #removeIfEmpty(name: string, lane: Lane): void {
    if (lane.inside === 0 && lane.waiting.size === 0 && lane.growth === undefined) this.#lanes.delete(name);
  }

  #hasRoom(lane: Lane, { size, weight }: Omit<Ticket, "letIn">): boolean {
    if (lane.inside >= lane.places || size > this.#room) return false;
    return lane.inside === 0 || lane.weight + weight <= lane.places;
  }

  #letIn(lane: Lane, { size, weight }: Omit<Ticket, "letIn">): void {
    lane.inside++;
    lane.weight += weight;
    this.#room -= size;
  }

  /** Lets in whoever waits and has room now, one of each lane in turn. */
  #admit(): void {
    // A lane that is served moves to the end, where this loop comes to it again: it ends when no lane can be served.
    for (const [name, lane] of this.#lanes) {
      if (this.#room <= 0) return;
      const [next] = lane.waiting;
      if (!next || !this.#hasRoom(lane, next)) continue;
      this.#lanes.delete(name);
      this.#lanes.set(name, lane);
      lane.waiting.delete(next);
      this.#letIn(lane, next);
      next.letIn();
    }
  }
}
