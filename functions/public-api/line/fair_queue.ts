import type { Share } from "../limits.ts";
import type { Wait } from "./visit.ts";

/** The requests of one company: how many have a place, and what lets in each of those that wait. */
type Lane = { inside: number; readonly waiting: Set<() => void> };

/**
 * A queue with a lane for each company, before something that has only so many places. Who leaves makes room for the
 * first of another lane: the lanes take turns (round robin), so a company with many requests waits for itself. The lane
 * with the empty name is of nobody: there the oldest and the newest are first in turn, so that neither many that wait nor
 * many that come and go push a newcomer out.
 */
export class FairQueue {
  readonly #share: Share;
  readonly #mayEnter: (lane: string) => boolean;
  readonly #onLeave: () => void;
  #places: number;
  #isNewestFirst = false;
  /** In the order of their turns: the lane that was served last is at the end. Lanes without requests are removed. */
  readonly #lanes = new Map<string, Lane>();

  /** When it changes which lanes may enter, call `admit`. `onLeave` does, of all queues that depend on this one. */
  constructor(share: Share, mayEnter: (lane: string) => boolean, onLeave = () => this.admit()) {
    this.#share = share;
    this.#mayEnter = mayEnter;
    this.#onLeave = onLeave;
    this.#places = share.inAll;
  }

  /** How many of a lane have a place. */
  inside(name: string): number {
    return this.#lanes.get(name)?.inside ?? 0;
  }

  /** Waits for a place. Returns the function that leaves it. Throws as `wait.until`. */
  async enter(name: string, wait: Wait): Promise<() => void> {
    const lane = this.#lanes.get(name) ?? { inside: 0, waiting: new Set() };
    this.#lanes.set(name, lane);
    const { promise, resolve } = Promise.withResolvers<void>();
    lane.waiting.add(resolve);
    this.admit();
    const leave = () => {
      lane.inside--;
      this.#places++;
      this.#onLeave();
    };
    const giveUp = (error: unknown) => {
      // Its turn may come in the moment in which it goes, as when a connection with several requests breaks.
      if (!lane.waiting.delete(resolve)) leave();
      throw error;
    };
    if (lane.waiting.has(resolve)) await wait.until(promise).catch(giveUp);
    return leave;
  }

  /** Lets in whoever waits and has room now, one of each lane in turn. */
  admit(): void {
    for (const [name, lane] of this.#lanes) {
      const [oldest] = lane.waiting;
      const next = name === "" && this.#isNewestFirst ? [...lane.waiting].at(-1) : oldest;
      if (!next && lane.inside === 0) this.#lanes.delete(name);
      const hasRoom = this.#places > 0 && lane.inside < this.#share.ofOneCompany;
      if (!next || !hasRoom || !this.#mayEnter(name)) continue;
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
