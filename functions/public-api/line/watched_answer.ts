import type { Answer } from "../answers/responses.ts";
import { milliseconds } from "../limits.ts";
import { clearTimeout, setTimeout } from "../timing.ts";

/** The answer, whose body passes through JavaScript if it is large, or `isAlways`. At its end it calls `onEnd`. */
export function watched(answer: Answer, isAlways: boolean, onEnd: () => void): Answer {
  const isPage = answer.isLarge !== undefined;
  const body = (isAlways ? isPage : answer.isLarge) && new Response(answer.body).body;
  if (body) return { ...answer, body: watchedPage(body.getReader(), onEnd) };
  onEnd();
  return answer;
}

/** A page, broken off when nothing comes for as long as a call may take, or when nobody has read for 30 seconds. */
function watchedPage(reader: ReadableStreamDefaultReader<Uint8Array>, onEnd: () => void): ReadableStream<Uint8Array> {
  let timer: ReturnType<typeof setTimeout>;
  // The next read throws it. Deno 2.1.4 ends when it cancels a stream that has an error already, and a stream that was
  // closed would look whole.
  let late: DOMException | undefined;
  const end = (error?: unknown) => {
    clearTimeout(timer);
    if (error) reader.cancel(error).catch(() => {});
    onEnd();
  };
  const waitAtMost = (time: number, words: string) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      late = new DOMException(words, "TimeoutError");
      end(late);
    }, time);
  };
  const start = () => waitAtMost(milliseconds.unread, "nobody reads the page");
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    if (late) throw late;
    waitAtMost(milliseconds.call, "the page stopped in the middle");
    const { done, value } = await reader.read().catch((error) => {
      end(error);
      throw error;
    });
    // What cancelled the read made it end as if the page were whole.
    if (late) throw late;
    if (!done) {
      controller.enqueue(value);
      return start();
    }
    controller.close();
    end();
  };
  return new ReadableStream({ start, pull, cancel: (reason) => end(reason ?? "cancelled") }, { highWaterMark: 0 });
}
