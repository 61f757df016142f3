// The function as a separate process, with a Data API that misbehaves: what the caller receives over the network. How
// the code treats each answer is tested in test/function/database.test.ts.
import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type FunctionProcess, startFunction } from "../support/function_process.ts";
import { answersVerifying, key, startServer } from "../support/service.ts";

let behave: (response: ServerResponse) => void;
let running: FunctionProcess;
beforeAll(async () => {
  const upstream = await startServer((request, response) => {
    request.resume();
    if (!answersVerifying(request, response)) behave(response);
  });
  running = await startFunction(upstream);
});
afterAll(() => running.kill());

const list = { "Content-Type": "application/json", "X-Has-More": "false", "X-Row-Count": "2" };

/**
 * What a caller receives who reads to the end: the status, and the body or null if it broke off. Deno may close the
 * connection before it has sent the status: then it is the 200 that it was about to send.
 */
const received = async (path: string): Promise<[status: number, body: string | null]> => {
  const response = await fetch(running.url + path, { headers: { "X-API-Key": key } }).catch(() => null);
  return [response?.status ?? 200, (await response?.text().catch(() => null)) ?? null];
};

// At the beginning of each test the upstream works, and the function answers without a restart.
beforeEach(async () => {
  behave = (response) => void response.writeHead(200, list).end('[{"id":1},{"id":2}]');
  expect(await received("/members")).toEqual([200, '[{"id":1},{"id":2}]']);
});

// Proves: requests.58, layer.3
test.each<[where: string, csv: [number, string | null], headers: object, body: string]>([
  ["behind a complete row, chunked", [200, null], {}, '[{"id":1}'],
  ["where it would be complete JSON, chunked", [200, null], {}, "[]"],
  // A CSV is made of a whole page. A JSON page is forwarded as it comes.
  ["before its length", [500, '{"error":"Internal Server Error"}'], { "Content-Length": "1000" }, '[{"id":1}]'],
])("a body that breaks off %s never becomes a well-formed answer", async (_where, csv, headers, body) => {
  behave = (response) =>
    void response.writeHead(200, { ...list, ...headers }).write(body, () => void response.destroy());
  expect(await received("/members")).toEqual([200, null]);
  expect(await received("/members?format=csv")).toEqual(csv);
});
