import { ApiError, badRequest, gone, tooManyRequests } from "../answers/responses.ts";
import { notJson, wrongByte } from "../request/json_text.ts";
import { FairQueue, type Visit } from "./fair_queue.ts";

/** The most bytes of a body, and the text of the 400 for a larger one. */
export type BodyLimit = readonly [bytes: number, tooLarge: string];

/** How many bytes of bodies an instance holds at most, in all and of one company. */
const maxBytes = { inAll: 40 * 1024 * 1024, ofOneCompany: 16 * 1024 * 1024 };

/** The milliseconds until a body is complete, and its pieces beyond one per 1500 bytes. */
const limits = { milliseconds: 10_000, pieces: 512 };

/** Throws a 415 for a body that is compressed: nothing unpacks it, and as JSON it would only be invalid. */
function refuseEncoded(headers: Headers): void {
  const encoding = headers.get("Content-Encoding");
  if (encoding === null || encoding.toLowerCase() === "identity") return;
  const words = "Unsupported Media Type: the header Content-Encoding must be left out, send the body as it is";
  throw new ApiError(415, words);
}

/** A body that arrives, or waits until it is taken: its bytes that count, and what takes its room away. */
type Body = { bytes: number; readonly lose: () => void };

/**
 * The bodies that an instance holds. What has arrived counts. When there is no more room, the company that holds most
 * loses its newest body, so no company takes the room of the others.
 */
export class Bodies {
  #inAll = 0;
  /** The bodies of each company, the oldest first, and their bytes. */
  readonly #shares = new Map<string, { bytes: number; readonly bodies: Set<Body> }>();
  readonly #queue = new FairQueue(
    Number.POSITIVE_INFINITY,
    (company) => (this.#shares.get(company)?.bytes ?? 0) < maxBytes.ofOneCompany,
  );

  /**
   * Receives a body when its company has room, and serves it; callers without a key count as one company. `take` is its
   * text as UTF-8, without a byte-order mark, and ends its room. Throws what `serve` throws, a 400, 408 or 415 ApiError
   * for a body that breaks a limit, and a 429 when there was no room in time, or is no more.
   */
  async hold<Result>(
    visit: Visit,
    { headers, body: stream }: Request,
    limit: BodyLimit,
    serve: (take: () => string) => Promise<Result>,
  ): Promise<Result> {
    refuseEncoded(headers);
    if (!stream) return await serve(() => "");
    const company = visit.owner.company_id ?? "";
    const leave = await this.#queue.enter(company, visit);
    const share = this.#shares.get(company) ?? { bytes: 0, bodies: new Set() };
    this.#shares.set(company, share);
    const lost = Promise.withResolvers<never>();
    const release = () => {
      if (!share.bodies.delete(body)) return;
      share.bytes -= body.bytes;
      this.#inAll -= body.bytes;
      if (share.bodies.size === 0) this.#shares.delete(company);
      this.#queue.admit();
    };
    const noRoom = tooManyRequests("no room for its body", visit.owner);
    const lose = () => {
      release();
      lost.reject(noRoom);
    };
    const body: Body = { bytes: 0, lose };
    share.bodies.add(body);
    const arrived = (bytes: number) => {
      body.bytes += bytes;
      share.bytes += bytes;
      this.#inAll += bytes;
      this.#makeRoom();
    };
    try {
      const pieces = await receive(stream, limit, lost.promise, arrived);
      const take = () => {
        if (!share.bodies.has(body)) throw noRoom;
        release();
        return textOf(pieces.splice(0));
      };
      return await Promise.race([lost.promise, serve(take)]);
    } finally {
      release();
      leave();
    }
  }

  /** Takes room away while there is too little: of the company that holds most, its newest body. */
  #makeRoom(): void {
    const shares = [...this.#shares.values()];
    while (shares.length > 0) {
      const largest = shares.reduce((a, b) => (b.bytes > a.bytes ? b : a));
      if (this.#inAll <= maxBytes.inAll && largest.bytes <= maxBytes.ofOneCompany) return;
      [...largest.bodies].at(-1)?.lose();
    }
  }
}

/** The pieces of a body. Stops at the limits, and when `lost` is rejected. `arrived` is called with the bytes of each. */
async function receive(
  stream: ReadableStream<Uint8Array>,
  [most, tooLarge]: BodyLimit,
  lost: Promise<never>,
  arrived: (bytes: number) => void,
): Promise<Uint8Array[]> {
  const reader = stream.getReader();
  // Not a race of promises for each piece: `lost` would keep every one of them, each in a buffer of 64 KiB.
  let stopped: unknown;
  const stop = (error: unknown) => {
    stopped ??= error;
    reader.cancel().catch(() => {});
  };
  lost.catch(stop);
  const timer = setTimeout(() => stop(new ApiError(408, "Request Timeout")), limits.milliseconds);
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => Promise.reject(stopped ?? gone()));
      if (stopped) throw stopped;
      if (done) return pieces;
      bytes += value.length;
      if (bytes > most) throw badRequest([tooLarge]);
      // A copy: each piece comes in a buffer of 64 KiB.
      pieces.push(value.slice());
      // Each piece takes as much time as several KiB: a body in pieces of one byte would take minutes.
      if (pieces.length > limits.pieces + bytes / 1500) throw badRequest(["body must come in fewer and larger pieces"]);
      arrived(value.length);
    }
  } catch (error) {
    // The caller may still be sending the rest.
    reader.cancel().catch(() => {});
    if (error instanceof ApiError) error.headers.Connection = "close";
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function textOf(pieces: readonly Uint8Array[]): string {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    return pieces.map((piece) => decoder.decode(piece, { stream: true })).join("") + decoder.decode();
  } catch {
    throw notJson(wrongByte(pieces));
  }
}
