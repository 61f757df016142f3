import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import { type Listening, listen } from "./ports.ts";

/** Serves a request to a service; `path` is the part of its path that the service gets. */
export type Serve = (incoming: IncomingMessage, response: ServerResponse, path: string) => void;

/** The services behind the gateway, those that are ready. */
export type Upstreams = Partial<Record<"functions" | "rest" | "auth", Serve>>;

/** The single entry point of a stack: /rest/v1, /auth/v1 and /functions/v1/public-api on 127.0.0.1. */
export interface Gateway extends Listening {
  upstreams: Upstreams;
}

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
export function forward(
  incoming: IncomingMessage,
  response: ServerResponse,
  port: number,
  path: string,
  rawHeaders = incoming.rawHeaders,
): void {
  const { "content-length": length = "0", "transfer-encoding": encoding } = incoming.headers;
  const hasBody = length !== "0" || encoding !== undefined;
  const outgoing = request({
    host: "127.0.0.1",
    port,
    path,
    method: incoming.method,
    headers: [...endToEnd(rawHeaders), ...(hasBody ? ["Expect", "100-continue"] : [])],
    // A new connection for each request: the function could close an idle connection at the moment of its next use.
    agent: false,
  });
  // What the function leaves of a body is read all the same, so that the caller gets the answer, and can send the next
  // request on this connection.
  const discardBody = () => incoming.unpipe(outgoing).resume();
  outgoing.on("continue", () => incoming.pipe(outgoing));
  outgoing.on("response", (upstream) => {
    discardBody();
    const own = Object.entries(response.getHeaders()).flat() as string[];
    const headers = [...endToEnd(upstream.rawHeaders), ...own];
    response.writeHead(upstream.statusCode ?? 502, upstream.statusMessage, headers);
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

/**
 * Forwards requests to the Data API as the hosted service's gateway does: the token of the key's role takes the place of
 * the key, unless the request brings the token of a session.
 */
export const toDataApi =
  (port: number, tokens: ReadonlyMap<string, string>): Serve =>
  (incoming, response, path) => {
    const { apikey = "", authorization } = incoming.headers;
    const token = tokens.get(String(apikey));
    const isKey = authorization === undefined || authorization === `Bearer ${apikey}`;
    const raw = incoming.rawHeaders;
    const others = raw.filter((_, index) => raw[index - (index % 2)]?.toLowerCase() !== "authorization");
    if (token) {
      const headers = isKey ? [...others, "Authorization", `Bearer ${token}`] : raw;
      forward(incoming, response, port, path || "/", headers);
      // An older key is a token itself.
    } else if (/^ey[\w-]+\.[\w-]+\.[\w-]+$/.test(String(apikey))) forward(incoming, response, port, path || "/");
    else answer(response, 401, "Invalid API key");
  };

/** The CORS headers of the hosted service, which allows pages of any origin. Returns whether they are the whole answer. */
function allowPages(incoming: IncomingMessage, response: ServerResponse): boolean {
  response.setHeader("Access-Control-Allow-Origin", "*");
  if (incoming.method !== "OPTIONS" || !incoming.headers["access-control-request-method"]) return false;
  const asked = incoming.headers["access-control-request-headers"] ?? "";
  const methods = "GET, POST, PATCH, PUT, DELETE, OPTIONS, HEAD";
  const allowed = { "Access-Control-Allow-Methods": methods, "Access-Control-Allow-Headers": asked };
  response.writeHead(204, allowed).end();
  return true;
}

/** Serves a request with the Fetch API's Request and Response. */
async function serveFetch(
  incoming: IncomingMessage,
  response: ServerResponse,
  fetched: (request: Request) => Promise<Response>,
): Promise<void> {
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  const headers = new Headers();
  const raw = endToEnd(incoming.rawHeaders);
  for (let index = 0; index < raw.length; index += 2) headers.append(raw[index] ?? "", raw[index + 1] ?? "");
  const { method = "GET" } = incoming;
  const body = method === "GET" || method === "HEAD" ? null : (Readable.toWeb(incoming) as BodyInit);
  const init = { method, headers, body, signal: gone.signal, duplex: "half" } as RequestInit;
  const reply = await fetched(new Request(`http://${incoming.headers.host}${incoming.url}`, init));
  reply.headers.delete("Access-Control-Allow-Origin");
  response.writeHead(reply.status, [...reply.headers, ...Object.entries(response.getHeaders())].flat() as string[]);
  if (reply.body) await pipeline(Readable.fromWeb(reply.body as ReadableStream), response);
  else response.end();
}

/**
 * Serves requests with Lite, in this process.
 * @param log is called with each failure that a client got as a 500
 */
export const toLite =
  (lite: (request: Request) => Promise<Response>, log: (line: string) => void): Serve =>
  (incoming, response) => {
    serveFetch(incoming, response, lite).catch((error: Error) => {
      log(`${incoming.method} ${incoming.url?.split("?")[0]}: ${error.stack}`);
      answer(response, 500, "The stand-in for Auth failed");
    });
  };

/** The paths of the services, and the part of each that its service gets. */
const paths = /^\/(functions(?=\/v1\/public-api(?:[/?]|$))|rest|auth)\/v1((?:[/?].*)?)$/s;

/** Opens the gateway. A service that is not ready answers 503. */
export async function startGateway(port: number): Promise<Gateway> {
  const upstreams: Upstreams = {};
  const server = createServer((incoming, response) => {
    const [, service, path = ""] = paths.exec(incoming.url ?? "") ?? [];
    const serve = upstreams[service as keyof Upstreams];
    if (service === undefined) answer(response, 404, "no Route matched with those values");
    else if (service !== "functions" && allowPages(incoming, response)) return;
    else if (serve) serve(incoming, response, path);
    else answer(response, 503, "The stack is starting");
  });
  return { ...(await listen(server, port)), upstreams };
}
