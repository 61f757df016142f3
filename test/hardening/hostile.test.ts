// Hostile input: whatever is sent, the answer has a status of the reference, every error is { "error": <text> }, and no
// answer is slow.
import { METHODS } from "node:http";
import { connect } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newCompany, type TestCompany } from "../support/companies.ts";
import { count, tried } from "../support/counts.ts";
import { send } from "../support/raw.ts";
import { key, startService } from "../support/service.ts";
import { call, functionLog } from "../support/stack.ts";
import { hostile } from "./hostile.ts";

const service = await startService();
let company: TestCompany;
let apiKey: string;
beforeAll(async () => {
  company = await newCompany("Hostile");
  apiKey = (await company.makeKey()).api_key;
});
afterAll(() => company.remove());

/** The milliseconds of CPU time that an answer may take, on a busy machine too: no request here needs much work. */
const bound = 3000;

/** Checks an answer and counts its status. */
function check(
  statuses: Map<number, number>,
  status: number,
  contentType: string | null,
  text: string,
  isHead: boolean,
): void {
  expect([200, 204, 400, 401, 403, 404, 405]).toContain(status);
  statuses.set(status, (statuses.get(status) ?? 0) + 1);
  if (status < 400 || isHead) return;
  expect(contentType).toBe("application/json");
  const error: Record<string, unknown> = JSON.parse(text);
  expect(Object.keys(error)).toEqual(["error"]);
  expect(error.error).toMatch(/^\P{Cc}+$/u);
}

const told = (statuses: Map<number, number>): string =>
  [...statuses]
    .sort(([a], [b]) => a - b)
    .map(([status, times]) => `${times} × ${status}`)
    .join(", ");

// Proves: errors.1, layer.1, risk.3
test("whatever reaches the function is answered in time, an error as { error }, and nothing odd is passed on", async () => {
  const statuses = new Map<number, number>();
  let slowest = 0;
  const property = fc.asyncProperty(hostile(key), async ({ method, target, headers, body }) => {
    service.calls.length = 0;
    const mayHaveBody = body && !/^(get|head)$/i.test(method);
    const request = new Request(`http://host/public-api${target}`, { method, headers, ...(mayHaveBody && { body }) });
    const begin = process.cpuUsage();
    const response = await service.app(request);
    const text = await response.text();
    const { user, system } = process.cpuUsage(begin);
    slowest = Math.max(slowest, (user + system) / 1000);
    check(statuses, response.status, response.headers.get("Content-Type"), text, method === "HEAD");
    // An import first asks about the key.
    expect(service.calls.length).toBeLessThanOrEqual(method === "POST" ? 2 : 1);
    for (const { rpc, args } of service.calls)
      if (rpc === "upsert_rewards") expectCleanRows(JSON.parse(String(args.rewards)));
    expect(Reflect.get({}, "name") ?? null).toBeNull();
  });
  const numRuns = count(4000, 25_000);
  await fc.assert(property, { numRuns });
  expect(slowest).toBeLessThan(bound);
  tried(`hostile input, in process: ${numRuns} requests (${told(statuses)}), the slowest ${Math.round(slowest)} ms`);
  expect([...statuses.keys()].sort()).toEqual([200, 204, 400, 401, 404, 405]);
}, 600_000);

/** Checks the rows that an import sends to the database. */
function expectCleanRows(rows: Record<string, unknown>[]): void {
  expect(rows.length).toBeLessThanOrEqual(500);
  const fields = ["external_id", "name", "description", "points_cost", "reward_type"];
  for (const row of rows) {
    expect(Object.keys(row).filter((name) => !fields.includes(name))).toEqual([]);
    expect(Number.isSafeInteger(row.points_cost) && Number(row.points_cost) >= 0).toBe(true);
    for (const value of Object.values(row)) {
      if (typeof value === "string")
        expect(value.isWellFormed() && !value.includes("\0") && value.length <= 4000).toBe(true);
    }
  }
}

// Proves: layer.1
test("whatever comes over HTTP is answered by the whole stack without a 5xx, and the next request is served", async () => {
  const statuses = new Map<number, number>();
  // The gateway does not forward a method that Node's parser does not know.
  const overHttp = hostile(apiKey).filter(({ method }) => METHODS.includes(method));
  const property = fc.asyncProperty(overHttp, async ({ method, target, headers, body }) => {
    // When the function refuses a body without reading it, Deno closes the connection. A client that is still sending
    // may then miss the answer.
    const isRead = method === "POST" && target === "/rewards" && headers["X-API-Key"] === apiKey;
    const response = await send(method, target, headers, (isRead ? body : body?.subarray(0, 8192)) ?? undefined);
    check(statuses, response.status, response.headers.get("Content-Type"), response.body, method === "HEAD");
  });
  const numRuns = count(300, 3000);
  await fc.assert(property, { numRuns });
  tried(`hostile input, over HTTP: ${numRuns} requests (${told(statuses)})`);
  expect((await call("/members?limit=1", apiKey)).status).toBe(200);
}, 600_000);

/** Sends bytes to the port of the function and waits until it closes the connection. */
function sendBytes(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    const socket = connect(port, "127.0.0.1", () => socket.end(bytes, "latin1"));
    socket.setEncoding("latin1");
    socket.on("data", (data) => {
      text += data;
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(text));
  });
}

// Proves: layer.1
test("bytes that are no HTTP, or two requests in one, end no function and give no answer that is not ours or a bare 400", async () => {
  const port = Number(/Listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(functionLog())?.[1]);
  const noise = fc.string({ unit: fc.nat({ max: 255 }).map((byte) => String.fromCharCode(byte)), maxLength: 60 });
  const line = fc.oneof(
    noise,
    fc.constantFrom(
      "Host: x",
      "Host: x\r\nHost: y",
      "Content-Length: -1",
      "Content-Length: 5\r\nContent-Length: 6",
      "Transfer-Encoding: chunked\r\nContent-Length: 3",
    ),
    fc.constantFrom(
      "X-A: b\r\n c",
      "X-API-Key: a\r\nX-API-Key: b",
      "X: \u0000",
      ": empty",
      "Expect: 100-continue",
      "Connection: close",
      "Upgrade: h2c",
    ),
  );
  const request = fc
    .tuple(
      fc.constantFrom(
        "GET /members HTTP/1.1",
        "POST /rewards HTTP/1.1",
        "GET http://x/ HTTP/1.1",
        "GET * HTTP/1.1",
        "GET / HTTP/9.9",
        "PRI * HTTP/2.0",
      ),
      fc.array(line, { maxLength: 5 }),
      noise,
    )
    .map(([first, lines, rest]) => [first, ...lines, "", rest].join("\r\n"));
  const property = fc.asyncProperty(fc.oneof(noise, request), async (bytes) => {
    const answers = (await sendBytes(port, bytes)).split(/(?=HTTP\/1\.[01] \d{3})/).filter((answer) => answer !== "");
    for (const answer of answers) {
      const status = Number(answer.slice(9, 12));
      expect(status === 505 || status < 500, answer).toBe(true);
      if (/x-request-id/i.test(answer) && status >= 400) expect(answer).toMatch(/\{"error":".+"\}$/s);
    }
  });
  const numRuns = count(200, 2000);
  await fc.assert(property, { numRuns });
  tried(`hostile input, raw bytes: ${numRuns} connections`);
  expect((await call("/members?limit=1", apiKey)).status).toBe(200);
}, 600_000);
