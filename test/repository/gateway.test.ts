// The gateway in front of a function that misbehaves: a broken response never looks complete to a client. What it forwards
// is as it was sent: the tests of test/api that send raw requests would fail otherwise.
import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { afterAll, expect, test } from "vitest";
import { forward, startGateway } from "../../scripts/stack/gateway.ts";
import { listen } from "../../scripts/stack/ports.ts";
import { stack } from "../support/stack.ts";

let answer: (incoming: IncomingMessage, response: ServerResponse) => void;
const server = createServer((incoming, response) => answer(incoming, response));
const upstream = await listen(server, 0);
const gateway = await startGateway(0);
gateway.upstreams.functions = (incoming, response, path) => forward(incoming, response, upstream.port, path);
const base = `http://127.0.0.1:${gateway.port}/functions/v1/public-api`;
afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

// Proves: requests.58
test.each([
  ["chunked", {}],
  ["of a known length", { "content-length": "100" }],
])("a body %s that breaks off breaks the client's transfer", async (_, headers) => {
  answer = (_incoming, response) => {
    response.writeHead(200, headers).write("half");
    setTimeout(() => response.destroy(), 50);
  };
  const response = await fetch(base);
  expect(response.status).toBe(200);
  await expect(response.text()).rejects.toThrow();
});

test("a client that goes away ends the request behind the gateway", async () => {
  const ended = new Promise((resolve) => {
    answer = (incoming, response) => {
      incoming.socket.on("close", resolve);
      response.write("endless");
    };
  });
  const gone = new AbortController();
  await fetch(base, { signal: gone.signal });
  gone.abort();
  await ended;
});

// The stack's own gateway and function.
test("an upload that the function refuses unread gets its answer, and so does the next request on that connection", async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 12 });
  const upload = async (bytes: number) => {
    const outgoing = request(`${stack.api_url}/rewards`, { method: "POST", agent, headers: { "X-API-Key": "wrong" } });
    const [response]: IncomingMessage[] = await once(outgoing.end(Buffer.alloc(bytes, " ")), "response");
    response?.resume();
    return response?.statusCode;
  };
  for (const [bytes, together] of [
    [6_000_000, 1],
    [30_000, 12],
  ] as const)
    for (let count = 0; count < 10; count++) {
      const statuses = await Promise.all(Array.from({ length: together }, () => upload(bytes)));
      expect(statuses).toEqual(Array(together).fill(401));
    }
  agent.destroy();
});
