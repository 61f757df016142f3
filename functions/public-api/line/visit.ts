import { type ApiError, gone, type Logged, tooManyRequests } from "../answers/errors.ts";
import { tenths } from "../answers/log.ts";
import type { Outcome } from "../answers/responses.ts";
import { milliseconds } from "../limits.ts";
import type { Caller } from "../request/caller.ts";
import type { Received } from "../request/route.ts";
import { clearTimeout, performance, setTimeout } from "../timing.ts";

/** A request with a key. `ended` is settled when its answer has been taken, or its caller has left. */
export type Visit = Wait & Received & Readonly<{ keyHash: string; caller: Caller; ended: Promise<unknown> }>;

/** Whose a request is, as far as it is known, how long it waited, and why the database refused it last. */
export class Wait {
  owner: Logged = {};
  waited = 0;
  /** How many milliseconds it waits at most, for all its places together (`docs/api.md`, Limits). */
  patience = milliseconds.turn;
  refusal?: ApiError;
  /** The caller has disconnected. Who waits for no caller has none. */
  readonly #signal: AbortSignal | undefined;

  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  /** The result. When the caller disconnects before, throws a 499 ApiError at once, and `discard` gets the result. */
  untilAborted<Result>(result: Promise<Result>, discard?: (result: Result) => void): Promise<Result> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        reject(gone(this.owner));
        result.then(discard, () => {});
      };
      this.#signal?.addEventListener("abort", leave);
      result.then(resolve, reject).finally(() => this.#signal?.removeEventListener("abort", leave));
    });
  }

  /** Waits for its turn. Throws its refusal or a 429 ApiError when its patience ends, else as `untilAborted`. */
  async until(turn: Promise<void>): Promise<void> {
    const since = performance.now();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    turn.then(resolve);
    const giveUp = () => reject(this.refusal ?? tooManyRequests("no turn in time", this.owner));
    const timer = setTimeout(giveUp, Math.max(0, this.patience - this.waited));
    await this.untilAborted(promise).finally(() => {
      clearTimeout(timer);
      this.waited += performance.now() - since;
    });
  }

  /** The outcome of the request, whose log line says whose it was, and how long it waited. */
  logged({ answer, logged }: Outcome): Outcome {
    // A tool of an assistant has waited before its answer came here.
    const waited = this.waited + (logged.waited_milliseconds ?? 0);
    // Where the database failed, it has not said for whom; in a 401 it says so where it knows.
    const owner = answer.status === 401 ? {} : this.owner;
    return { answer, logged: { ...owner, ...logged, waited_milliseconds: tenths(waited) } };
  }
}
