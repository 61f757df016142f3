import { Busy, discard, type Reply } from "./database.ts";
import { type Cost, FairQueue, patience, type Visit } from "./fair_queue.ts";
import { ApiError, type Logged } from "./responses.ts";

/** How many database calls run at once, of all companies. PostgREST has 10 or more connections in total. */
const together = 8;

/**
 * The lane of all keys that this instance has not seen verified, and how many of its calls run at once. A new instance
 * knows nobody, so that at first all companies are in it. Therefore they leave it as soon as possible.
 */
const unverified = { name: "", most: 2 };

/**
 * A call that reads or writes more `rows` keeps the database busy for longer. While other companies call too (`recently`,
 * in milliseconds), it is heavy for this `share` of the time that it will probably take, so that a second one begins when the
 * first one has run for a while. An import keeps the function busy too, and a question reads more rows than it answers: they
 * are heavy until they end.
 */
const heavy = { rows: 100, recently: 1000, share: 0.45 };

/** How many bytes the bodies of all uploads may have at once, and how many uploads one company may have. */
const bodies = { bytes: 48 * 1024 * 1024, ofOneCompany: 4 };

/** How many keys an instance remembers at most. */
const mostKeys = 5000;

/**
 * In milliseconds: the time between two refusals of a key (`apart`), and the longest delay of one (`held`). So a client
 * that tries many keys at once gets the refusals one after the other, and cannot keep the lane of unverified keys full.
 */
const refusals = { apart: 20, held: 4000 };

/** Calls the database. */
type Ask<Body> = () => Promise<Reply<Body>>;

/**
 * The line before the database (`docs/api.md`, Limits). Requests wait here without a connection, each company in a lane
 * of its own. Which company a key belongs to is remembered from the answers of the database, and decides only who waits
 * where: the database verifies the key of every request.
 */
export class WaitingLine {
  /** Key hash → the ids of key and company. */
  readonly #owners = new Map<string, Logged>();
  readonly #calls = new FairQueue(together, (lane) => (lane === unverified.name ? unverified.most : together));
  readonly #bodies = new FairQueue(bodies.bytes, () => bodies.ofOneCompany);
  #nextRefusal = 0;
  /** Of the heavy call that ended last. Until one has ended, such a call is heavy until it ends. */
  #millisecondsARow?: number;
  /** The company that called last, and when a call of another one was before it. */
  #latest = { lane: "", since: Number.NEGATIVE_INFINITY };

  /**
   * Calls the database, for so many rows, when it is the request's turn. A call that the database cannot serve now waits
   * at the end of its lane and is made again. Before a heavy call, a key that is not known here is verified by a call of
   * its own. Throws what `ask` and `verify` throw, a 429 ApiError when there was no turn in time, and a 499 when the
   * caller disconnects.
   */
  async call<Body>(visit: Visit, rows: number, ask: Ask<Body>, verify?: Ask<unknown>): Promise<Reply<Body>> {
    for (let busy: Busy | undefined; ; ) {
      try {
        return await this.#callOnce(visit, rows, ask, verify);
      } catch (error) {
        if (!(error instanceof Busy)) throw isLate(error) ? (busy ?? error) : error;
        if (visit.waited >= patience) throw error;
        busy = error;
      }
    }
  }

  async #callOnce<Body>(visit: Visit, rows: number, ask: Ask<Body>, verify?: Ask<unknown>): Promise<Reply<Body>> {
    const lane = this.#laneOf(visit);
    const leave = await this.#calls.enter(lane, visit, this.#cost(lane, rows, visit));
    if (this.#laneOf(visit) !== lane) {
      // Meanwhile the key has been verified, or refused, for another request.
      leave();
      return await this.#callOnce(visit, rows, ask, verify);
    }
    if (lane !== unverified.name || rows <= heavy.rows || !verify) return await this.#run(visit, rows, ask, leave);
    await this.#run(visit, 1, verify, leave);
    return await this.#callOnce(visit, rows, ask);
  }

  async #run<Body>(visit: Visit, rows: number, ask: Ask<Body>, leave: () => void): Promise<Reply<Body>> {
    const began = performance.now();
    const answer = ask().then(
      (reply) => {
        this.#remember(visit.keyHash, reply.logged);
        const { rows: served = rows } = reply.logged;
        if (served > heavy.rows && !visit.isLong) this.#millisecondsARow = (performance.now() - began) / served;
        return reply;
      },
      (error) => this.#learn(visit, error),
    );
    // PostgREST goes on with a call whose caller has disconnected. So the call keeps its place until it has ended.
    const reply = visit.orGone(answer.finally(leave), discard);
    return await reply.catch(async (error) => {
      if (error instanceof ApiError && error.status === 401) await this.#holdBack();
      throw error;
    });
  }

  /** Learns from a refusal of the database, before the place is given to another request. */
  #learn(visit: Visit, error: unknown): never {
    if (error instanceof ApiError) {
      this.#remember(visit.keyHash, error.logged);
      if (error.status === 401) this.#owners.delete(visit.keyHash);
      if (error instanceof Busy) this.#calls.refused(this.#laneOf(visit), error.requestsAtOnce);
    }
    throw error;
  }

  /** Runs `serve` when there is room for a body of so many bytes. Throws as `call` does. */
  async upload<Result>(visit: Visit, bytes: number, serve: () => Promise<Result>): Promise<Result> {
    const leave = await this.#bodies.enter(this.#laneOf(visit), visit, { size: bytes });
    return await serve().finally(leave);
  }

  #laneOf(visit: Visit): string {
    visit.owner = this.#owners.get(visit.keyHash) ?? {};
    return visit.owner.company_id ?? unverified.name;
  }

  #cost(lane: string, rows: number, { isLong }: Visit): Cost {
    const now = performance.now();
    if (lane !== unverified.name && lane !== this.#latest.lane) this.#latest = { lane, since: now };
    if (rows <= heavy.rows || now - this.#latest.since > heavy.recently) return { size: 1 };
    const ofARow = this.#millisecondsARow;
    return { size: 1, heavy: isLong || ofARow === undefined || heavy.share * rows * ofARow };
  }

  #remember(keyHash: string, { key_id, company_id }: Logged): void {
    if (!key_id || !company_id || this.#owners.has(keyHash)) return;
    this.#owners.set(keyHash, { key_id, company_id });
    if (this.#owners.size > mostKeys) this.#forgetSome();
  }

  /** Forgets the older half of the keys of the company with the most keys: no company can make this instance forget another one. */
  #forgetSome(): void {
    const keysOf = Map.groupBy(this.#owners, ([, { company_id }]) => company_id);
    const most = [...keysOf.values()].reduce((one, other) => (other.length > one.length ? other : one));
    for (const [keyHash] of most.slice(0, Math.ceil(most.length / 2))) this.#owners.delete(keyHash);
  }

  /** Delays the refusal of a key until those before it have been sent; without any there is no delay. */
  async #holdBack(): Promise<void> {
    const now = performance.now();
    const turn = Math.min(Math.max(now, this.#nextRefusal), now + refusals.held);
    this.#nextRefusal = turn + refusals.apart;
    if (turn > now) await new Promise((resolve) => setTimeout(resolve, turn - now));
  }
}

function isLate(error: unknown): boolean {
  return error instanceof ApiError && error.status === 429;
}
