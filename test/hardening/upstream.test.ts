// The function as a separate process, with a Data API that misbehaves: what the caller receives over the network. How
// the code treats each answer is tested in test/function/database.test.ts.
import { once } from "node:events";
import { get, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { endpoints } from "../../functions/public-api/table/endpoints.ts";
import { denoCommand, functionSettings } from "../../scripts/stack/edge_function.ts";
import { startProgram } from "../support/command_line.ts";
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
  // What comes without a length is passed on as it comes.
  ["behind a complete row, chunked", [200, null], {}, '[{"id":1}'],
  ["where it would be complete JSON, chunked", [200, null], {}, "[]"],
  // A small page is read whole before its answer begins.
  ["before its length", [500, '{"error":"Internal Server Error"}'], { "Content-Length": "1000" }, '[{"id":1}]'],
])("a body that breaks off %s never becomes a well-formed answer", async (_where, answer, headers, body) => {
  behave = (response) =>
    void response.writeHead(200, { ...list, ...headers }).write(body, () => void response.destroy());
  for (const path of ["/members", "/members?format=csv"]) expect(await received(path)).toEqual(answer);
});

const kudos = endpoints.flatMap((one) => (one.path === "/activity" && one.kind === "list" ? one.columns : []));
/** A page that passes through JavaScript, and is larger than all buffers on the way. */
const row = JSON.stringify(Object.fromEntries(kudos.map(({ name }) => [name, "x".repeat(120)])));
const large = Buffer.from(`[${Array(20_000).fill(row)}]`);
/** Asks for a page, and returns the answer before its body is read. */
const unread = async (path: string): Promise<IncomingMessage> =>
  (await once(get(running.url + path, { agent: false, headers: { "X-API-Key": key } }), "response"))[0];

// Proves: layer.3
test("large pages that nobody reads for 30 seconds break off, are cut for who reads on, and who hangs up ends nothing", async () => {
  const given: Promise<unknown>[] = [];
  behave = (response) => {
    given.push(once(response, "close"));
    response.writeHead(200, { ...list, "Content-Length": large.length }).end(large);
  };
  const ask = () => Promise.all(["/activity", "/activity?format=csv"].map(unread));
  const [reading, hangingUp] = [await ask(), await ask()];
  await Promise.all(given);
  for (const answer of hangingUp) answer.destroy();
  for (const answer of reading) await expect(text(answer)).rejects.toThrow("aborted");
  behave = (response) => void response.writeHead(200, list).end("[]");
  expect(await received("/members")).toEqual([200, "[]"]);
  expect(running.log()).not.toMatch(/unhandled|Uncaught/);
});

test("a page that stops in the middle breaks off after 8 seconds: a 500, or, if it is large, never whole", async () => {
  const paths = ["/activity", "/activity?format=csv"];
  for (const [length, sent, answer] of [
    [500_000, 1000, [500, '{"error":"Internal Server Error"}']],
    [large.length, 5e6, [200, null]],
  ] as const) {
    behave = (response) =>
      void response.writeHead(200, { ...list, "Content-Length": length }).write(large.subarray(0, sent));
    expect(await Promise.all(paths.map(received))).toEqual([answer, answer]);
  }
});

test("a rejection that nothing handles is a line of the log, and the next request is served", async () => {
  const { command, args, env } = denoCommand(functionSettings("http://127.0.0.1:1", "sb_secret_x"), "-");
  const index = new URL("../../functions/public-api/index.ts", import.meta.url);
  const script = `
    const served = Promise.withResolvers();
    Deno.serve = (handler) => served.resolve(handler);
    await import(${JSON.stringify(index)});
    const handler = await served.promise;
    Promise.reject(Object.assign(new TypeError("a secret"), { stack: "TypeError: a secret at file:///app.ts:1:2" }));
    await new Promise((resolve) => setTimeout(resolve));
    console.log((await handler(new Request("http://host/public-api/members"))).status);`;
  const run = startProgram(command, args, { env });
  run.child.stdin.end(script);
  const { code, output } = await run.ended;
  expect(output).toMatch(/^\{"time":"[^"]+","error":"unhandled: TypeError at app.ts:1:2"\}$/m);
  expect(output).toMatch(/^401$/m);
  expect({ code, secret: output.includes("a secret") }).toEqual({ code: 0, secret: false });
});
