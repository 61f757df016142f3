import type { Answer } from "../answers/responses.ts";
import { milliseconds } from "../limits.ts";
import { clearTimeout, setTimeout } from "../timing.ts";

/**
 * The answer, whose body passes through JavaScript if it is large, and always if nothing else tells when it has ended.
 * `onEnd` is called then.
 */
export function watched(answer: Answer, isAlways: boolean, onEnd: () => void): Answer {
  const isPage = answer.isLarge !== undefined;
  const body = (isAlways ? isPage : answer.isLarge) && new Response(answer.body).body;
  if (body) return { ...answer, body: new ReadableStream(new WatchedPage(body, onEnd), { highWaterMark: 0 }) };
  onEnd();
  return answer;
}

/**
 * A page, broken off when nothing comes for as long as a call may take, or when nobody has read from it for 30 seconds.
 * `onEnd` is called when it has ended, in whatever way.
 */
class WatchedPage implements UnderlyingDefaultSource<Uint8Array> {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #onEnd: () => void;
  #timer?: ReturnType<typeof setTimeout>;
  // The next read throws it. Deno 2.1.4 ends when it cancels a stream that has an error already, and a stream that was
  // closed would look whole.
  #late?: DOMException;

  constructor(body: ReadableStream<Uint8Array>, onEnd: () => void) {
    this.#reader = body.getReader();
    this.#onEnd = onEnd;
  }

  start(): void {
    this.#waitAtMost(milliseconds.unread, "nobody reads the page");
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    if (this.#late) throw this.#late;
    this.#waitAtMost(milliseconds.call, "the page stopped in the middle");
    const { done, value } = await this.#reader.read().catch((error) => {
      this.#end(error);
      throw error;
    });
    // What cancelled the read made it end as if the page were whole.
    if (this.#late) throw this.#late;
    if (done) {
      controller.close();
      return this.#end();
    }
    controller.enqueue(value);
    this.start();
  }

  cancel(reason: unknown): void {
    this.#end(reason ?? "cancelled");
  }

  #end(error?: unknown): void {
    clearTimeout(this.#timer);
    if (error) this.#reader.cancel(error).catch(() => {});
    this.#onEnd();
  }

  #waitAtMost(time: number, words: string): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#late = new DOMException(words, "TimeoutError");
      this.#end(this.#late);
    }, time);
  }
}
