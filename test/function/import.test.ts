// How the body of an import is read, and what the database gets. What is refused is in test/support/bad_imports.ts.
import { Readable } from "node:stream";
import { expect, test, vi } from "vitest";
import { keyHash, problem, refusal, refusedKey, startService, type Upstream, value } from "../support/service.ts";

const service = await startService();
const row = { external_id: "a", name: "Coffee", points_cost: 5 };
const calls = () => service.calls.map(({ rpc }) => rpc);

/** A body that comes in pieces, each when it is read, and mocks of its being read and of its being given up. */
function streamed(next: UnderlyingSourcePullCallback<Uint8Array>) {
  const [pull, cancel] = [vi.fn(next), vi.fn()];
  return { body: new ReadableStream<Uint8Array>({ pull, cancel }, { highWaterMark: 0 }), pull, cancel };
}

/** The rows that are sent to the database, as text. */
async function imported(body: BodyInit, init: RequestInit = {}): Promise<string> {
  service.answer("upsert_rewards", value({ imported: 1 }));
  const response = await service.import(body, init);
  expect(await response.json()).toEqual({ imported: 1 });
  expect(response.headers.get("Connection"), "the body has been read").toBeNull();
  expect(service.calls.map(({ rpc, args }) => [rpc, args.key_hash])).toEqual([
    ["verify_api_key", keyHash],
    ["upsert_rewards", keyHash],
  ]);
  return String(service.calls[1]?.args.rewards);
}

// An import is one call, so nothing is written in halves.
// Proves: endpoints.11, import.3, import.12, rows.26, rows.33, rows.40, layer.11
test.each<[string, string, RequestInit?]>([
  ["a reward", JSON.stringify(row)],
  ["an array", JSON.stringify([row])],
  ["an object with rewards", JSON.stringify({ rewards: [row] })],
  ["any Content-Type", JSON.stringify(row), { headers: { "Content-Type": "text/plain" } }],
  ["Content-Encoding: identity", JSON.stringify(row), { headers: { "Content-Encoding": "identity" } }],
  ["white space around it", `\r\n\t ${JSON.stringify(row)} \n`],
  ["a byte-order mark before it", `\ufeff${JSON.stringify(row)}`],
])("a body may be or have: %s", async (_form, body, init) => {
  expect(JSON.parse(await imported(body, init))).toEqual([row]);
});

// Proves: import.10, rows.9
test.each([
  ["-0", 0],
  ["0.4999999999999999", 0],
  ["0.5", 1],
  ["1.5", 2],
  ["2.5", 3],
  ["1e3", 1000],
  ["9007199254740991", 9007199254740991],
  ["4503599627370495.5", 4503599627370496],
])("points_cost %s is rounded to %d", async (sent, stored) => {
  expect(await imported(`{"external_id":"a","name":"b","points_cost":${sent}}`)).toContain(`"points_cost":${stored}}`);
});

test.each<[string, string]>([
  ["of 20,000 commas, colons and brackets", `{${Array.from({ length: 9_999 }, (_, n) => `"k${n}":1`).join()},"":1}`],
  ["with such characters in texts", JSON.stringify({ 'a,:[{\\"': ',:[{"'.repeat(20_000) })],
])("the problems of a body %s are named", async (_what, body) => {
  const response = await service.import(body);
  expect(response.headers.get("Connection"), "it has been read").toBeNull();
  expect(await problem(response)).toEqual([400, expect.stringContaining("must be left out")]);
});

test("a body may have 8 MiB, and may come byte by byte", async () => {
  const bytes = new TextEncoder().encode(JSON.stringify({ ...row, name: "日本" }).padEnd(8 * 1024 * 1024 - 4));
  expect(bytes).toHaveLength(8 * 1024 * 1024);
  expect(JSON.parse(await imported(bytes))).toEqual([{ ...row, name: "日本" }]);
  service.calls.length = 0;
  const small = bytes.subarray(0, 100);
  const pieces = Readable.toWeb(Readable.from(Array.from(small, (byte) => Uint8Array.of(byte))));
  expect(JSON.parse(await imported(pieces as BodyInit))).toEqual([{ ...row, name: "日本" }]);
});

// Proves: rows.31, rows.32, risk.4
test.each([
  ["in thousands of tiny pieces", 1, 513, "body must come in fewer and larger pieces"],
  ["of more than 8 MiB", 1024 * 1024, 9, "body must be at most 8 MiB and 500 rewards"],
])("a body without end %s is not read on", async (_, size, pieces, message) => {
  const { body, pull, cancel } = streamed((controller) => controller.enqueue(new Uint8Array(size).fill(0x20)));
  expect(await problem(await service.import(body))).toEqual([400, message]);
  expect(pull).toHaveBeenCalledTimes(pieces);
  expect(cancel).toHaveBeenCalledOnce();
});

// Proves: requests.6, requests.8
test.each<[string, number, (init: RequestInit) => Promise<Response>, Upstream?]>([
  ["there is no key", 401, (init) => service.sendBare("/rewards", init)],
  ["the key is malformed", 401, (init) => service.send("/rewards", { ...init, headers: { "X-API-Key": "x" } })],
  ["the key is refused", 401, (init) => service.send("/rewards", init), refusedKey],
  ["the key lacks the scope", 403, (init) => service.send("/rewards", init), refusal(403, "PT403")],
  ["the database is down", 500, (init) => service.send("/rewards", init), refusal(500, "57014")],
  ["a parameter is wrong", 400, (init) => service.send("/rewards?limit=1", init)],
])("a body is not read when %s", async (_why, status, send, answer) => {
  if (answer) service.answer("verify_api_key", answer);
  const { body, pull } = streamed(() => {});
  const response = await send({ method: "POST", body, duplex: "half" } as RequestInit);
  expect([response.status, response.headers.get("Connection")]).toEqual([status, "close"]);
  expect(pull).not.toHaveBeenCalled();
  expect(calls()).not.toContain("upsert_rewards");
});

test("a body that breaks off writes nothing", async () => {
  const { body } = streamed((controller) => controller.error(new Error("the caller is gone")));
  expect((await service.import(body)).status).toBe(499);
  expect(JSON.parse(service.lines.at(-1) ?? "").error).toBe("the caller went away");
  expect(calls()).toEqual(["verify_api_key"]);
});
