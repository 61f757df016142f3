import { ApiError } from "../answers/errors.ts";
import { failed, type Outcome } from "../answers/responses.ts";
import type { CallDatabase, Reader, Reply } from "../database/data_api.ts";
import { asText, discard, readVerifiedKey, sizeOf } from "../database/data_api.ts";
import { Busy } from "../database/refusals.ts";
import { bytesOf, milliseconds, shares } from "../limits.ts";
import { performance, setTimeout } from "../timing.ts";
import { Bodies } from "./bodies.ts";
import { fairQueue } from "./fair_queue.ts";
import { KnownKeys } from "./known_keys.ts";
import { OpenAnswers } from "./open_answers.ts";
import type { Visit, Wait } from "./visit.ts";

/** A call with a request's key; other arguments are made at its turn. Totals, and pages after heavy ones, are slow. */
type Call<Body> = {
  rpc: string;
  args: (visit: Visit) => object;
  read: Reader<Body>;
  isPage?: boolean;
  isTotal?: boolean;
};

const verify = { rpc: "verify_api_key", args: ({ caller }: Visit) => ({ required_scope: caller.scope }), read: asText };

const sleep = (time: number) => new Promise<void>((resolve) => setTimeout(resolve, time));
/** The time for which a call pauses that the database refused, and its place stays empty. Random: not all try again together. */
const pause = () => sleep(25 + 75 * Math.random());

/**
 * The line before the database (`docs/api.md`, Limits). Requests wait here without a connection, each company in a lane
 * of its own. Which company a key belongs to is remembered from the answers of the database, and decides only who waits
 * where: the database verifies the key of every request.
 */
export class WaitingLine {
  readonly bodies = new Bodies();
  readonly #callDatabase: CallDatabase;
  readonly #known = new KnownKeys();
  /** Key hash → the call that verifies it now. */
  readonly #verifying = new Map<string, Promise<unknown>>();
  readonly #admit = (): void => {
    this.#slow.admit();
    this.#others.admit();
  };
  readonly answers = new OpenAnswers();
  /** Slow calls wait apart: so no companies with such calls fill the places of all others. */
  readonly #slow = fairQueue(shares.slowCalls, (lane) => this.#mayAnswer(lane), this.#admit);
  readonly #others = fairQueue(shares.calls, (lane) => this.#mayCall(lane), this.#admit);
  /** Company → until when its pages are slow. */
  readonly #heavyUntil = new Map<string, number>();
  /** How many calls of one company the database lets run. It says so when a key is verified. */
  #ofOneCompany = shares.calls.inAll;
  #nextRefusal = 0;

  constructor(callDatabase: CallDatabase) {
    this.#callDatabase = callDatabase;
  }

  /**
   * Calls the database when it is the request's turn. A key that is new here is verified before. A call that the database
   * cannot serve now is made again, from the end of its lane. Throws what the database throws, a 429 ApiError when there
   * was no turn in time, and a 499 when the caller disconnects. The answer of a page is open until the visit has ended.
   */
  async call<Body>(visit: Visit, call: Call<Body>): Promise<Reply<Body>> {
    for (;;) {
      try {
        if (visit.refusal) await visit.until(pause());
        if (this.#laneOf(visit) === "") await this.#verify(visit);
        const lane = this.#laneOf(visit);
        const leave = await this.#queueOf(visit, call, lane).enter(lane, visit);
        // PostgREST goes on with a call whose caller has disconnected: the call keeps its place until it has ended.
        return await visit.untilAborted(this.#learn(visit, this.#ask(visit, call), leave), discard);
      } catch (error) {
        if (!(error instanceof Busy) || error === visit.refusal) throw error;
        visit.refusal = error;
      }
    }
  }

  /** Runs `rest` once the key and its scope are verified. The log line gets its id and company even if `rest` fails. */
  async afterVerifying(visit: Visit, rest: (key: string) => Promise<Outcome>): Promise<Outcome> {
    const verified = await this.call(visit, verify);
    const { answer, logged } = await rest(verified.body).catch(failed);
    return { answer, logged: { ...verified.logged, ...logged } };
  }

  /** Calls the database for a caller that has no key yet, who waits with the keys that are new here. Throws as `call`. */
  async callWithoutKey(wait: Wait, rpc: string, args: Record<string, unknown>): Promise<string> {
    const leave = await this.#others.enter("", wait);
    const nobody = { scope: null, noted: {} };
    const { body } = await wait.untilAborted(this.#callDatabase(rpc, args, nobody, asText).finally(leave));
    // No such code: refused as a key is, so that who tries many codes leaves new keys their places.
    if (body === "null") await this.#refuse("");
    return body;
  }

  #queueOf(visit: Visit, { isTotal, isPage }: Call<unknown>, lane: string) {
    const isHeavy = isPage && (this.#heavyUntil.get(lane) ?? 0) > performance.now();
    if (!isTotal && !isHeavy) return this.#others;
    visit.patience = milliseconds.slowTurn;
    return this.#slow;
  }

  #mayCall(lane: string): boolean {
    const most = lane === "" ? shares.calls.ofNewKeys : this.#ofOneCompany - this.#slow.inside(lane);
    return this.#others.inside(lane) < most && this.#mayAnswer(lane);
  }

  #mayAnswer(lane: string): boolean {
    return this.answers.hasRoom(lane, this.#slow.inside(lane) + this.#others.inside(lane));
  }

  /** The company of the key, or the empty text, which is the lane of all keys that are new here. */
  #laneOf(visit: Visit): string {
    visit.owner = this.#known.get(visit.keyHash) ?? {};
    return visit.owner.company_id ?? "";
  }

  async #ask<Body>(visit: Visit, { rpc, args, read, isPage }: Call<Body>): Promise<Reply<Body>> {
    const reply = await this.#callDatabase(rpc, { key_hash: visit.keyHash, ...args(visit) }, visit.caller, read);
    if (!isPage) return reply;
    // As the database says: this instance may have forgotten the key meanwhile.
    const { company_id: company = "" } = reply.logged;
    const bytes = sizeOf(reply.headers);
    this.answers.open(company, bytes, visit.ended).then(this.#admit);
    // Of an unknown size it may be any.
    const isHeavy = bytes > bytesOf.heavyPage && Number.isFinite(bytes);
    if (isHeavy) this.#heavyUntil.set(company, performance.now() + milliseconds.heavy);
    return reply;
  }

  /** Finds out whose key it is, in one call for all requests that have this key now. */
  async #verify(visit: Visit): Promise<void> {
    const { keyHash } = visit;
    const leave = await this.#others.enter("", visit);
    if (this.#known.get(keyHash)) return leave();
    const begun = this.#verifying.get(keyHash);
    if (begun) leave();
    const ask = async () => {
      const reply = await this.#ask(visit, verify).finally(() => this.#verifying.delete(keyHash));
      this.#ofOneCompany = readVerifiedKey(reply.body).requests_at_once;
      return reply;
    };
    const verified =
      begun ?? this.#learn(visit, ask(), leave).catch((error) => this.#known.get(keyHash) ?? Promise.reject(error));
    this.#verifying.set(keyHash, verified);
    await visit.untilAborted(verified);
  }

  /** Learns from the database's answer whose key it is, and leaves. */
  async #learn<Body>({ keyHash }: Visit, asked: Promise<Reply<Body>>, leave: () => void): Promise<Reply<Body>> {
    const isNew = this.#known.get(keyHash) === undefined;
    try {
      const reply = await asked;
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
    const turn = Math.min(Math.max(now, this.#nextRefusal), now + milliseconds.refusal);
    this.#nextRefusal = turn + milliseconds.betweenRefusals;
    if (turn > now) await sleep(turn - now);
  }
}
