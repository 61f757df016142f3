import type { Answer, Bytes } from "../answers/responses.ts";
import { bytesOf, milliseconds } from "../limits.ts";
import { clearTimeout, setTimeout } from "../timing.ts";

/**
 * The answer, whose body is sent as its caller reads it if it is a long page: Supabase's Edge Runtime does not say when an
 * answer has left. At its end it calls `onEnd`.
 */
export function watched(answer: Answer, onEnd: () => void): Answer {
  const { body } = answer;
  const sent = body instanceof Uint8Array && body.length > bytesOf.sentAtOnce ? inPieces(body as Bytes) : body;
  if (sent instanceof ReadableStream) return { ...answer, body: watchedPage(sent.getReader(), onEnd) };
  onEnd();
  return answer;
}

function inPieces(bytes: Bytes): ReadableStream<Uint8Array> {
  let sent = 0;
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    if (sent === bytes.length) return controller.close();
    const piece = bytes.subarray(sent, sent + bytesOf.piece);
    sent += piece.length;
    controller.enqueue(piece);
  };
  return new ReadableStream({ pull }, { highWaterMark: 0 });
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
