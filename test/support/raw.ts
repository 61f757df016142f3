// Requests that are sent exactly as written. fetch corrects paths, refuses some headers and never sends half a body.
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { checkAnswer } from "./contract.ts";
import { stack } from "./stack.ts";

export type RawResponse = Awaited<ReturnType<typeof send>>;

/**
 * Sends a request with exactly this path, relative to the base address, and these headers. A header with several values
 * is sent several times, a stream without Content-Length. The answer must match docs/openapi.json.
 */
export async function send(
  method: string,
  path: string,
  headers: Record<string, string | string[]> = {},
  body?: string | Uint8Array | Readable,
) {
  // Not once for all files of a worker: in the project `newest` each file has a function of its own.
  const { hostname, port, pathname } = new URL(stack.api_url);
  const isStream = body instanceof Readable;
  // For some methods, node:http does not send Content-Length by itself.
  const length = body === undefined || isStream ? {} : { "Content-Length": String(Buffer.byteLength(body)) };
  const all = { ...length, ...headers };
  const outgoing = request({ hostname, port, method, path: `${pathname}${path}`, headers: all, agent: false });
  if (isStream) body.pipe(outgoing);
  else outgoing.end(body);
  const [response] = (await once(outgoing, "response")) as [IncomingMessage];
  // The server may close the connection before it has read the whole body.
  outgoing.on("error", () => {});
  const text = (await buffer(response)).toString();
  const received = Object.entries(response.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  const answer = { status: response.statusCode ?? 0, headers: new Headers(received), body: text };
  checkAnswer(method, path, answer.status, answer.headers, text);
  return answer;
}
