import { ApiError, badRequest, gone, tooManyRequests } from "../answers/errors.ts";
import { type BodyLimit, bodyLimits, milliseconds, shares } from "../limits.ts";
import { notJson, wrongByte } from "../request/json_text.ts";
import { clearTimeout, setTimeout } from "../timing.ts";
import { Counts } from "./counts.ts";
import { fairQueue } from "./fair_queue.ts";
import type { Wait } from "./visit.ts";

const compressed = "Unsupported Media Type: the header Content-Encoding must be left out, send the body as it is";

/** A body that arrives, or waits until it is taken: its bytes that count, and what takes its room away. */
type Body = { readonly company: string; bytes: number; readonly stop: AbortController; readonly lose: () => void };

/** Serves a body. `take` is its text as UTF-8, without a byte-order mark, and ends its room. */
type Serve<Result> = (take: () => string) => Promise<Result>;

/** The bodies of an instance. What has arrived counts. Without room for more, a company loses its newest body. */
export class Bodies {
  readonly #bytes = new Counts();
  /** The oldest first. */
  readonly #bodies = new Set<Body>();
  /** As many as bytes may come: bodies of which little has come are any number. */
  readonly #queue = fairQueue(shares.bodies, (company) => this.#bytes.of(company) < shares.bodies.ofOneCompany);

  /**
   * Receives a body when its company has room, and serves it; callers without a key count as one company. Throws what
   * `serve` throws, a 400, 408 or 415 ApiError for a body that breaks a limit, and a 429 if it has no room.
   */
  async hold<Result>(wait: Wait, request: Request, limit: BodyLimit, serve: Serve<Result>): Promise<Result> {
    // Nothing unpacks it, and as JSON it would only be invalid.
    const encoding = request.headers.get("Content-Encoding") ?? "identity";
    if (encoding.toLowerCase() !== "identity") throw new ApiError(415, compressed);
    if (!request.body) return await serve(() => "");
    const company = wait.owner.company_id ?? "";
    const leave = await this.#queue.enter(company, wait);
    const noRoom = tooManyRequests("no room for its body", wait.owner);
    const stop = new AbortController();
    const body: Body = { company, bytes: 0, stop, lose: () => stop.abort(noRoom) };
    const lost = new Promise<never>((_, reject) => stop.signal.addEventListener("abort", () => reject(noRoom)));
    lost.catch(() => {});
    this.#bodies.add(body);
    try {
      const pieces = await this.#receive(body, request.body, limit);
      const take = () => {
        if (!this.#bodies.has(body)) throw noRoom;
        this.#release(body);
        return textOf(pieces.splice(0), body.bytes);
      };
      return await Promise.race([lost, serve(take)]);
    } finally {
      this.#release(body);
      leave();
    }
  }

  /** The pieces of a body. Stops at the limits, and when the body is lost. */
  async #receive(body: Body, stream: ReadableStream<Uint8Array>, [most, tooLarge]: BodyLimit): Promise<Uint8Array[]> {
    const timer = setTimeout(() => body.stop.abort(new ApiError(408, "Request Timeout")), milliseconds.body);
    const pieces: Uint8Array[] = [];
    const write = (piece: Uint8Array) => {
      const bytes = body.bytes + piece.length;
      if (bytes > most) throw badRequest([tooLarge]);
      // A copy: each piece comes in a buffer of 64 KiB.
      pieces.push(piece.slice());
      const { least, bytesOfEach } = bodyLimits.pieces;
      if (pieces.length > least + bytes / bytesOfEach) throw badRequest(["body must come in fewer and larger pieces"]);
      this.#count(body, piece.length);
    };
    try {
      await stream.pipeTo(new WritableStream({ write }), { signal: body.stop.signal });
      return pieces;
    } catch (thrown) {
      const error = thrown instanceof ApiError ? thrown : gone();
      // The caller may still be sending the rest.
      error.headers.Connection = "close";
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Counts bytes that have arrived. While there is too little room, the newest body of a company is lost. */
  #count(body: Body, bytes: number): void {
    body.bytes += bytes;
    this.#bytes.add(body.company, bytes);
    for (;;) {
      const tooMuch = this.#bytes.tooMuch(shares.bodies, body.company);
      const newest = [...this.#bodies].findLast(({ company }) => company === tooMuch);
      if (!newest) return;
      this.#release(newest);
      newest.lose();
    }
  }

  #release(body: Body): void {
    if (!this.#bodies.delete(body)) return;
    this.#bytes.add(body.company, -body.bytes);
    this.#queue.admit();
  }
}

function textOf(pieces: readonly Uint8Array[], length: number): string {
  const bytes = new Uint8Array(length);
  let place = 0;
  for (const piece of pieces) {
    bytes.set(piece, place);
    place += piece.length;
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw notJson(wrongByte(bytes));
  }
}
