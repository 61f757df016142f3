import { deadline } from "./database.ts";
import type { Answer } from "./responses.ts";

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
  let unread: ReturnType<typeof setTimeout>;
  const end = (error?: unknown) => {
    clearTimeout(unread);
    if (error) reader.cancel(error).catch(() => {});
    onEnd();
  };
  const untilRead = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const late = new DOMException("nobody reads the page", "TimeoutError");
    unread = setTimeout(() => {
      controller.error(late);
      end(late);
    }, unreadMilliseconds);
  };
  return new ReadableStream<Uint8Array>(
    {
      start: untilRead,
      async pull(controller) {
        clearTimeout(unread);
        const silence = Promise.withResolvers<never>();
        const silent = new DOMException("the page stopped in the middle", "TimeoutError");
        const timer = setTimeout(() => silence.reject(silent), deadline);
        try {
          const { done, value } = await Promise.race([reader.read(), silence.promise]);
          if (!done) {
            controller.enqueue(value);
            return untilRead(controller);
          }
          end();
          controller.close();
        } catch (error) {
          end(error);
          throw error;
        } finally {
          clearTimeout(timer);
        }
      },
      cancel: (reason) => end(reason ?? "cancelled"),
    },
    { highWaterMark: 0 },
  );
}
