import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import { type Listening, listen } from "./ports.ts";

/** The services behind the gateway; null until they are ready. */
export interface Upstreams {
  lite: ((request: Request) => Promise<Response>) | null;
  functionPort: number | null;
}

/** The single entry point of a stack: /rest/v1, /auth/v1 and /functions/v1/public-api on 127.0.0.1. */
export interface Gateway extends Listening {
  upstreams: Upstreams;
}

const functionPath = /^\/functions\/v1(\/public-api(?:[/?].*)?)$/s;
const litePath = /^\/(?:rest|auth)\/v1(?:[/?]|$)/;

/** Headers that concern one connection and are not forwarded. */
const hopByHop = new Set(["connection", "keep-alive", "proxy-connection", "te", "trailer", "upgrade", "expect"]);

/** Raw header pairs (name, value, name, value, …) without the headers of the connection. */
function endToEnd(rawHeaders: string[]): string[] {
  return rawHeaders.filter((_, index) => !hopByHop.has((rawHeaders[index - (index % 2)] ?? "").toLowerCase()));
}

function answer(response: ServerResponse, status: number, message: string): void {
  if (response.headersSent) response.destroy();
  else response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ message }));
}

/**
 * Forwards a request to the function and its response back, as streams of unchanged bytes. A body that is cut off on
 * one side is cut off on the other. It is sent only when the function begins to read it (`Expect: 100-continue`): a
 * function that refuses a request closes the connection, and an answer is lost when a body is written to it at that
 * moment. Other proxies (http-proxy-3, httpxy) lose it.
 */
export function forward(incoming: IncomingMessage, response: ServerResponse, port: number, path: string): void {
  const { "content-length": length = "0", "transfer-encoding": encoding } = incoming.headers;
  const hasBody = length !== "0" || encoding !== undefined;
  const outgoing = request({
    host: "127.0.0.1",
    port,
    path,
    method: incoming.method,
    headers: [...endToEnd(incoming.rawHeaders), ...(hasBody ? ["Expect", "100-continue"] : [])],
    // A new connection for each request: the function could close an idle connection at the moment of its next use.
    agent: false,
  });
  // What the function leaves of a body is read all the same, so that the caller gets the answer, and can send the next
  // request on this connection.
  const discardBody = () => incoming.unpipe(outgoing).resume();
  outgoing.on("continue", () => incoming.pipe(outgoing));
  outgoing.on("response", (upstream) => {
    discardBody();
    response.writeHead(upstream.statusCode ?? 502, upstream.statusMessage, endToEnd(upstream.rawHeaders));
    response.flushHeaders();
    pipeline(upstream, response).catch(() => response.destroy());
  });
  // An error after the response has begun is ignored: the function may refuse a body that is still being sent.
  outgoing.on("error", () => {
    if (response.headersSent) return;
    discardBody();
    answer(response, 502, "The function did not answer");
  });
  response.on("close", () => outgoing.destroy());
  if (hasBody) outgoing.flushHeaders();
  else outgoing.end();
}

/** Serves a request with Lite, which uses the Fetch API's Request and Response. */
async function serve(
  incoming: IncomingMessage,
  response: ServerResponse,
  lite: (request: Request) => Promise<Response>,
): Promise<void> {
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  const headers = new Headers();
  const raw = endToEnd(incoming.rawHeaders);
  for (let index = 0; index < raw.length; index += 2) headers.append(raw[index] ?? "", raw[index + 1] ?? "");
  const { method = "GET" } = incoming;
  const body = method === "GET" || method === "HEAD" ? null : (Readable.toWeb(incoming) as BodyInit);
  const init = { method, headers, body, signal: gone.signal, duplex: "half" } as RequestInit;
  const reply = await lite(new Request(`http://${incoming.headers.host}${incoming.url}`, init));
  response.writeHead(reply.status, [...reply.headers].flat());
  if (reply.body) await pipeline(Readable.fromWeb(reply.body as ReadableStream), response);
  else response.end();
}

/**
 * Opens the gateway. Until its upstreams are set it answers 503.
 * @param log is called with each failure of Lite that a client got as a 500
 */
export async function startGateway(port: number, log: (line: string) => void): Promise<Gateway> {
  const upstreams: Upstreams = { lite: null, functionPort: null };
  const server = createServer((incoming, response) => {
    const path = incoming.url ?? "";
    const [, ownPath] = functionPath.exec(path) ?? [];
    const { lite, functionPort } = upstreams;
    if (ownPath !== undefined && functionPort !== null) forward(incoming, response, functionPort, ownPath);
    else if (litePath.test(path) && lite !== null) {
      serve(incoming, response, lite).catch((error: Error) => {
        log(`${incoming.method} ${path.split("?")[0]}: ${error.stack}`);
        answer(response, 500, "The stand-in for the Data API failed");
      });
    } else if (ownPath !== undefined || litePath.test(path)) answer(response, 503, "The stack is starting");
    else answer(response, 404, "no Route matched with those values");
  });
  return { ...(await listen(server, port)), upstreams };
}
