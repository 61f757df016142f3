import type { Share } from "../limits.ts";
import type { Wait } from "./visit.ts";

/** The requests of one company: how many have a place, and what lets in each of those that wait. */
type Lane = { inside: number; readonly waiting: Set<() => void> };

/**
 * A queue with a lane for each company, before something that has only so many places. Who leaves makes room for the
 * first of another lane: the lanes take turns (round robin), so a company with many requests waits for itself. The lane
 * with the empty name is of nobody: there the oldest and the newest are first in turn, so that neither many that wait nor
 * many that come and go push a newcomer out. When it changes which lanes `mayEnter`, call `admit`: `onLeave` does of all
 * queues that depend on this one, if there are others.
 */
export function fairQueue(share: Share, mayEnter: (lane: string) => boolean, onLeave?: () => void) {
  let [places, isNewestFirst] = [share.inAll, false];
  /** In the order of their turns: the lane that was served last is at the end. Lanes without requests are removed. */
  const lanes = new Map<string, Lane>();

  /** How many of a lane have a place. */
  const inside = (name: string): number => lanes.get(name)?.inside ?? 0;

  /** Waits for a place. Returns the function that leaves it. Throws as `wait.until`. */
  async function enter(name: string, wait: Wait): Promise<() => void> {
    const lane = lanes.get(name) ?? { inside: 0, waiting: new Set() };
    lanes.set(name, lane);
    const { promise, resolve } = Promise.withResolvers<void>();
    lane.waiting.add(resolve);
    admit();
    const leave = () => {
      lane.inside--;
      places++;
      (onLeave ?? admit)();
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
  function admit(): void {
    for (const [name, lane] of lanes) {
      const [oldest] = lane.waiting;
      const next = name === "" && isNewestFirst ? [...lane.waiting].at(-1) : oldest;
      if (!next && lane.inside === 0) lanes.delete(name);
      const hasRoom = places > 0 && lane.inside < share.ofOneCompany;
      if (!next || !hasRoom || !mayEnter(name)) continue;
      // Moved to the end, where this loop comes to it again: it ends when no lane can be served.
      lanes.delete(name);
      lanes.set(name, lane);
      isNewestFirst = (name === "") !== isNewestFirst;
      lane.waiting.delete(next);
      lane.inside++;
      places--;
      next();
    }
  }

  return { inside, enter, admit };
}
