import type { Answer } from "../answers/responses.ts";
import { deadline } from "../database/data_api.ts";

/** How many milliseconds a caller may take nothing of an answer. */
const unreadMilliseconds = 30_000;

/**
 * The answer, whose body passes through JavaScript if it is large, and always if nothing else tells when it has ended.
 * `onEnd` is called then.
 */
export function watched(answer: Answer, isAlways: boolean, onEnd: () => void): Answer {
  const isPage = answer.isLarge !== undefined;
  const body = (isAlways ? isPage : answer.isLarge) && new Response(answer.body).body;
  if (body) return { ...answer, body: limited(body, onEnd) };
  onEnd();
  return answer;
}

/**
 * The stream, broken off when nothing comes for as long as a call may take, or when nobody has read from it for 30
 * seconds. `onEnd` is called when it has ended, in whatever way.
 */
function limited(body: ReadableStream<Uint8Array>, onEnd: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let timer: ReturnType<typeof setTimeout>;
  // The next read throws it. Deno 2.1.4 ends when it cancels a stream that has an error already, and a stream that was
  // closed would look whole.
  let late: DOMException | undefined;
  const end = (error?: unknown) => {
    clearTimeout(timer);
    if (error) reader.cancel(error).catch(() => {});
    onEnd();
  };
  const waitAtMost = (milliseconds: number, words: string) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      late = new DOMException(words, "TimeoutError");
      end(late);
    }, milliseconds);
  };
  return new ReadableStream<Uint8Array>(
    {
      start: () => waitAtMost(unreadMilliseconds, "nobody reads the page"),
      async pull(controller) {
        if (late) throw late;
        waitAtMost(deadline, "the page stopped in the middle");
        try {
          const { done, value } = await reader.read();
          // What cancelled the read made it end as if the page were whole.
          if (late) throw late;
          if (done) {
            controller.close();
            return end();
          }
          controller.enqueue(value);
          waitAtMost(unreadMilliseconds, "nobody reads the page");
        } catch (error) {
          end(error);
          throw error;
        }
      },
      cancel: (reason) => end(reason ?? "cancelled"),
    },
    { highWaterMark: 0 },
  );
}
