import { ApiError } from "../answers/responses.ts";
import { Busy, discard, type Page, type Reply, readVerifiedKey, sizeOf } from "../database/data_api.ts";
import { FairQueue, type Visit } from "./fair_queue.ts";
import { KnownKeys } from "./known_keys.ts";
import { OpenAnswers } from "./open_answers.ts";

/**
 * How many calls run at once, of slow ones and of all others (PostgREST has 10 or more connections), of new keys, and of one
 * company without its slow ones: beside 200 callers of one company's pages of 1,000 rows the neighbor's 95th percentile was
 * 92 to 103 ms with three, 127 to 334 ms with four, on two cores that everything shares.
 */
const maxCalls = { slow: 2, others: 6, newKeys: 2, othersOfOneCompany: 3 };

/** How many milliseconds a call that keeps the database busy for long waits for its turn at maxCalls. */
const patienceOfSlow = 10_000;

/** The bytes of a page from which the next ones of its company are slow, and for how many milliseconds. */
const heavy = { bytes: 1024 * 1024, lasts: 10_000 };

/** The milliseconds between two refusals of keys, and the longest delay of one: so who tries many keys mostly waits outside. */
const refusals = { apart: 20, held: 20_000 };

const sleep = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
/** The time for which a call pauses that the database refused, and its place stays empty. Random: not all try again together. */
const pause = () => sleep(25 + 75 * Math.random());

type Ask<Body> = () => Promise<Reply<Body>>;
/** Whether a call may keep the database busy for long, for a key of this company. */
type IsSlow = (company: string) => boolean;
/** The call of an import, or one that checks a key. */
export const quick: IsSlow = () => false;

/**
 * The line before the database (`docs/api.md`, Limits). Requests wait here without a connection, each company in a lane
 * of its own. Which company a key belongs to is remembered from the answers of the database, and decides only who waits
 * where: the database verifies the key of every request.
 */
export class WaitingLine {
  readonly #known = new KnownKeys();
  /** Key hash → the call that verifies it now. */
  readonly #verifying = new Map<string, Promise<unknown>>();
  readonly #answers = new OpenAnswers(() => this.#admit());
  /**
   * What may keep the database busy for long waits apart: one of a company, so that its other requests go on; totals, and
   * pages of a company whose last ones were heavy. So no companies with such calls fill the places of all others.
   */
  readonly #slow = new FairQueue(maxCalls.slow, (lane, inside) => inside < 1 && this.#mayAnswer(lane));
  /** Company → until when its pages are slow. */
  readonly #heavyUntil = new Map<string, number>();
  readonly #others = new FairQueue(maxCalls.others, (lane, inside) => {
    const ofCompany = Math.min(maxCalls.othersOfOneCompany, this.#ofOneCompany - this.#slow.inside(lane));
    return inside < (lane === "" ? maxCalls.newKeys : ofCompany) && this.#mayAnswer(lane);
  });
  /** How many calls of one company the database lets run. It says so when a key is verified. */
  #ofOneCompany = maxCalls.others;
  #nextRefusal = 0;

  /**
   * Calls the database when it is the request's turn. A key that is new here is verified before. A call that the database
   * cannot serve now is made again, from the end of its lane. Throws what `ask` and `verify` throw, a 429 ApiError when
   * there was no turn in time, and a 499 when the caller disconnects.
   */
  async call<Body>(visit: Visit, isSlow: IsSlow, ask: Ask<Body>, verify: Ask<string>): Promise<Reply<Body>> {
    for (;;) {
      try {
        if (visit.refusal) await visit.wait(pause());
        if (this.#laneOf(visit) === "") await this.#verify(visit, verify);
        const lane = this.#laneOf(visit);
        const queue = isSlow(lane) ? this.#slow : this.#others;
        if (queue === this.#slow) visit.patience = patienceOfSlow;
        const place = await queue.enter(lane, visit);
        const leave = () => {
          place();
          this.#admit();
        };
        // PostgREST goes on with a call whose caller has disconnected: the call keeps its place until it has ended.
        return await visit.untilAborted(this.#learn(visit.keyHash, ask, leave), discard);
      } catch (error) {
        if (!(error instanceof Busy) || error === visit.refusal) throw error;
        visit.refusal = error;
      }
    }
  }

  /** A request has come over this connection. */
  arrived(connection: string): void {
    this.#answers.arrived(connection);
  }

  /** Calls the database for a page. Its answer counts as open until the visit has ended. Else as `call`. */
  page(visit: Visit, isTotal: boolean, ask: Ask<Page>, verify: Ask<string>): Promise<Reply<Page>> {
    const askAndOpen = async () => {
      const reply = await ask();
      // As the database says: this instance may have forgotten the key meanwhile.
      const { company_id: company = "" } = reply.logged;
      const bytes = sizeOf(reply.headers);
      this.#answers.open(company, bytes, visit.ended, visit.connection);
      // Of an unknown size it may be any.
      if (bytes > heavy.bytes && Number.isFinite(bytes)) this.#heavyUntil.set(company, performance.now() + heavy.lasts);
      return reply;
    };
    return this.call(visit, (company) => isTotal || this.#isHeavy(company), askAndOpen, verify);
  }

  /** Whether the last pages of a company were heavy. */
  #isHeavy(company: string): boolean {
    const until = this.#heavyUntil.get(company);
    if (until === undefined || until > performance.now()) return until !== undefined;
    this.#heavyUntil.delete(company);
    return false;
  }

  /** Calls the database for a caller that has no key yet, who waits with the keys that are new here. Throws as `call`. */
  async callWithoutKey(visit: Visit, ask: Ask<string>): Promise<Reply<string>> {
    const leave = await this.#others.enter("", visit);
    const reply = await visit.untilAborted(ask().finally(leave));
    // No such code: refused as a key is, so that who tries many codes leaves new keys their places.
    if (reply.body === "null") await this.#refuse(visit.keyHash);
    return reply;
  }

  #admit(): void {
    this.#slow.admit();
    this.#others.admit();
  }

  #mayAnswer(lane: string): boolean {
    return this.#answers.hasRoom(lane, this.#slow.inside(lane) + this.#others.inside(lane));
  }

  /** The company of the key, or the empty text, which is the lane of all keys that are new here. */
  #laneOf(visit: Visit): string {
    visit.owner = this.#known.get(visit.keyHash) ?? {};
    return visit.owner.company_id ?? "";
  }

  /** Finds out whose key it is, in one call for all requests that have this key now. */
  async #verify(visit: Visit, verify: Ask<string>): Promise<void> {
    const { keyHash } = visit;
    const leave = await this.#others.enter("", visit);
    if (this.#known.get(keyHash)) return leave();
    const begun = this.#verifying.get(keyHash);
    if (begun) leave();
    const ask = async () => {
      const reply = await verify().finally(() => this.#verifying.delete(keyHash));
      this.#ofOneCompany = readVerifiedKey(reply.body).requests_at_once;
      return reply;
    };
    const verifying =
      begun ?? this.#learn(keyHash, ask, leave).catch((error) => this.#known.get(keyHash) ?? Promise.reject(error));
    this.#verifying.set(keyHash, verifying);
    await visit.untilAborted(verifying);
  }

  /** Calls the database, learns from the answer whose key it is, and leaves. */
  async #learn<Body>(keyHash: string, ask: Ask<Body>, leave: () => void): Promise<Reply<Body>> {
    const isNew = this.#known.get(keyHash) === undefined;
    try {
      const reply = await ask();
      if (!this.#known.add(keyHash, reply.logged)) throw new Error("the database did not say whose key it is");
      leave();
      return reply;
    } catch (error) {
      const isKnown = error instanceof ApiError && error.status !== 401 && this.#known.add(keyHash, error.logged);
      // Where the refusal says whose new key it is, that company has to wait, and not the other new keys.
      if (error instanceof Busy && !(isNew && isKnown)) pause().then(leave);
      else leave();
      if (error instanceof ApiError && error.status === 401) await this.#refuse(keyHash);
      throw error;
    }
  }

  /** Forgets a key, and delays its refusal until those before it have been sent; without any there is no delay. */
  async #refuse(keyHash: string): Promise<void> {
    this.#known.delete(keyHash);
    const now = performance.now();
    const turn = Math.min(Math.max(now, this.#nextRefusal), now + refusals.held);
    this.#nextRefusal = turn + refusals.apart;
    if (turn > now) await sleep(turn - now);
  }
}
