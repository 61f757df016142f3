// A proxy in front of the API that answers some requests itself, as a busy platform or a bad connection would.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { Agent } from "undici";
import type { Connection } from "../../cli/src/connection.ts";
import { checkedFetch } from "../support/contract.ts";
import { stack } from "../support/stack.ts";

/** Answers a request itself; `ask` forwards the request and returns the body of the answer. */
export type Mood = (response: ServerResponse, ask: () => Promise<Buffer>) => unknown;

export interface MoodyProxy {
  url: string;
  /** The paths and bodies of the requests. */
  requests: { path: string; body: string }[];
  /** The moods for the next requests, one each. After them every request is forwarded. */
  moods: (Mood | undefined)[];
  close(): void;
}

export const status =
  (code: number, headers: Record<string, string> = {}): Mood =>
  (response) =>
    void response.writeHead(code, headers).end('{"error":"Not now"}');

/** Sends this body as a page of a list. */
export const page =
  (body: string, hasMore?: string): Mood =>
  (response) =>
    void response.writeHead(200, hasMore === undefined ? {} : { "X-Has-More": hasMore }).end(body);

/** Sends half of the body and then closes the connection. */
export const half: Mood = async (response, ask) => {
  const body = await ask();
  response.writeHead(200, { "Content-Length": body.length, "X-Has-More": "false" });
  response.write(body.subarray(0, body.length / 2), () => response.destroy());
};

/** Sends all but the last line break, as if the body were complete. */
export const cut: Mood = async (response, ask) => {
  const body = await ask();
  response.writeHead(200, { "X-Has-More": "false" }).end(body.subarray(0, -2));
};

export const dead: Mood = (response) => void response.destroy();

/** The headers of a request that carry the key. */
const keysOf = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    ["x-api-key", "authorization"].flatMap((name) => (headers[name] ? [[name, String(headers[name])]] : [])),
  );

export async function startMoodyProxy(): Promise<MoodyProxy> {
  const proxy: MoodyProxy = { url: "", requests: [], moods: [], close: () => void server.close() };
  const server = createServer(async (incoming: IncomingMessage, response) => {
    const sent = await buffer(incoming);
    proxy.requests.push({ path: incoming.url ?? "", body: sent.toString() });
    const mood = proxy.moods.shift();
    const ask = () =>
      checkedFetch(stack.api_url, incoming.url ?? "", {
        method: incoming.method ?? "GET",
        headers: keysOf(incoming),
        ...(sent.length > 0 && { body: sent }),
      });
    if (mood) return mood(response, async () => Buffer.from(await (await ask()).arrayBuffer()));
    const answer = await ask();
    const kept = ["X-Has-More", "X-Request-Id"].map((name) => [name, answer.headers.get(name)]);
    response.writeHead(answer.status, Object.fromEntries(kept.filter(([, value]) => value !== null)));
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  // Only the client may close an idle connection. The server could close it just when the client uses it again.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  proxy.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return proxy;
}

/** A connection whose pauses take no time. `said` and `pauses` collect what it prints and how long it would wait. */
export function patient(url: string, key: string): Connection & { said: string[]; pauses: number[] } {
  const [said, pauses]: [string[], number[]] = [[], []];
  return {
    url,
    key,
    dispatcher: new Agent(),
    proxySetting: null,
    deadline: 60_000,
    stop: new AbortController().signal,
    hasAnswered: true,
    said,
    pauses,
    say: (line) => void said.push(line),
    pause: async (milliseconds) => void pauses.push(milliseconds),
  };
}
