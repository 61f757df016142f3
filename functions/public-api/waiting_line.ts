import { Busy, discard, type Reply, readVerifiedKey } from "./database.ts";
import { FairQueue, type Visit } from "./fair_queue.ts";
import { ApiError, type Logged } from "./responses.ts";

/** What calls cost at once at most, of all and of new keys (PostgREST has 10 or more connections); how many keys are known. */
const most = { together: 8, newKeys: 2, keys: 5000 };

/** What a call costs: 1, for more than 100 rows that it may read or write 2, for more than 1,000 rows 4. */
const costOf = (rows: number) => (rows > 1000 ? 4 : 1 + Number(rows > 100));

/** How many bytes of bodies are let in at once (the last one may have 8 MiB more), and how many bodies of one company. */
const bodies = { bytes: 40 * 1024 * 1024, ofOneCompany: 4 };

/** The milliseconds between two refusals of keys, and the longest delay of one: so who tries many keys mostly waits outside. */
const refusals = { apart: 20, held: 4000 };

const sleep = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
/** The time for which a call pauses that the database refused, and its place stays empty. Random: not all try again together. */
const pause = () => sleep(25 + 75 * Math.random());

type Ask<Body> = () => Promise<Reply<Body>>;

/**
 * The line before the database (`docs/api.md`, Limits). Requests wait here without a connection, each company in a lane
 * of its own. Which company a key belongs to is remembered from the answers of the database, and decides only who waits
 * where: the database verifies the key of every request.
 */
export class WaitingLine {
  /** Key hash → the ids of key and company. */
  readonly #owners = new Map<string, Logged>();
  /** Key hash → the call that verifies it now. */
  readonly #verifying = new Map<string, Promise<unknown>>();
  readonly #calls = new FairQueue(most.together);
  readonly #bodies = new FairQueue(bodies.bytes);
  /** What the calls of one company cost at most: as many as the database lets run. It says so when a key is verified. */
  #ofOneCompany = most.together;
  #nextRefusal = 0;

  /**
   * Calls the database, for so many rows, when it is the request's turn. A key that is new here is verified before. A call
   * that the database cannot serve now is made again, from the end of its lane. Throws what `ask` and `verify` throw, a
   * 429 ApiError when there was no turn in time, and a 499 when the caller disconnects.
   */
  async call<Body>(visit: Visit, rows: number, ask: Ask<Body>, verify: Ask<string>): Promise<Reply<Body>> {
    for (;;) {
      try {
        if (visit.refusal) await visit.wait(pause());
        if (this.#laneOf(visit) === "") await this.#verify(visit, verify);
        const leave = await this.#calls.enter(this.#laneOf(visit), visit, costOf(rows), this.#ofOneCompany);
        // PostgREST goes on with a call whose caller has disconnected: the call keeps its place until it has ended.
        return await visit.untilAborted(this.#learn(visit.keyHash, ask, leave), discard);
      } catch (error) {
        if (!(error instanceof Busy) || error === visit.refusal) throw error;
        visit.refusal = error;
      }
    }
  }

  /** Runs `serve` when there is room for a body of so many bytes. Throws as `call` does. */
  async upload<Result>(visit: Visit, bytes: number, serve: () => Promise<Result>): Promise<Result> {
    const leave = await this.#bodies.enter(this.#laneOf(visit), visit, bytes, bodies.ofOneCompany, 1);
    return await serve().finally(leave);
  }

  /** The company of the key, or the empty text, which is the lane of all keys that are new here. */
  #laneOf(visit: Visit): string {
    visit.owner = this.#owners.get(visit.keyHash) ?? {};
    return visit.owner.company_id ?? "";
  }

  /** Finds out whose key it is, in one call for all requests that have this key now. */
  async #verify(visit: Visit, verify: Ask<string>): Promise<void> {
    const { keyHash } = visit;
    const leave = await this.#calls.enter("", visit, 1, most.newKeys);
    if (this.#owners.has(keyHash)) return leave();
    const begun = this.#verifying.get(keyHash);
    if (begun) leave();
    const ask = async () => {
      const reply = await verify().finally(() => this.#verifying.delete(keyHash));
      this.#ofOneCompany = readVerifiedKey(reply.body).requests_at_once;
      return reply;
    };
    const verifying =
      begun ?? this.#learn(keyHash, ask, leave).catch((error) => this.#owners.has(keyHash) || Promise.reject(error));
    this.#verifying.set(keyHash, verifying);
    await visit.untilAborted(verifying);
  }

  /** Calls the database, learns from the answer whose key it is, and leaves. */
  async #learn<Body>(keyHash: string, ask: Ask<Body>, leave: () => void): Promise<Reply<Body>> {
    const wasKnown = this.#owners.has(keyHash);
    try {
      const reply = await ask();
      this.#remember(keyHash, reply.logged);
      if (!this.#owners.has(keyHash)) throw new Error("the database did not say whose key it is");
      leave();
      return reply;
    } catch (error) {
      if (error instanceof ApiError && error.status !== 401) this.#remember(keyHash, error.logged);
      // Where the refusal says whose new key it is, that company has to wait, and not the other new keys.
      if (error instanceof Busy && this.#owners.has(keyHash) === wasKnown) pause().then(leave);
      else leave();
      if (error instanceof ApiError && error.status === 401) await this.#refuse(keyHash);
      throw error;
    }
  }

  /** No company makes the instance forget another one: of each its oldest keys are forgotten, and half of all at least. */
  #remember(keyHash: string, { key_id, company_id }: Logged): void {
    if (!key_id || !company_id || this.#owners.has(keyHash)) return;
    if (this.#owners.size >= most.keys) {
      const keysOf = Map.groupBy(this.#owners, ([, owner]) => owner.company_id);
      const kept = Math.floor(most.keys / 2 / keysOf.size);
      for (const keys of keysOf.values())
        for (const [old] of keys.slice(0, -kept || keys.length)) this.#owners.delete(old);
    }
    this.#owners.set(keyHash, { key_id, company_id });
  }

  /** Forgets a key, and delays its refusal until those before it have been sent; without any there is no delay. */
  async #refuse(keyHash: string): Promise<void> {
    this.#owners.delete(keyHash);
    const now = performance.now();
    const turn = Math.min(Math.max(now, this.#nextRefusal), now + refusals.held);
    this.#nextRefusal = turn + refusals.apart;
    if (turn > now) await sleep(turn - now);
  }
}
