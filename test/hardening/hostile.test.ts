// Hostile input: whatever is sent, the answer has a status of the reference, every error is { "error": <text> }, and no
// answer is slow.
import { METHODS } from "node:http";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newCompany, type TestCompany } from "../support/companies.ts";
import { count, tried } from "../support/counts.ts";
import { send } from "../support/raw.ts";
import { key, startService } from "../support/service.ts";
import { call } from "../support/stack.ts";
import { hostile } from "./hostile.ts";

const service = await startService();
let company: TestCompany;
let apiKey: string;
beforeAll(async () => {
  company = await newCompany("Hostile");
  apiKey = (await company.makeKey()).api_key;
});
afterAll(() => company.remove());

/** Checks an answer and counts its status. */
function check(statuses: Map<number, number>, { status, headers }: { status: number; headers: Headers }, body: string) {
  expect([200, 204, 400, 401, 403, 404, 405]).toContain(status);
  statuses.set(status, (statuses.get(status) ?? 0) + 1);
  // HEAD has no body.
  if (status < 400 || body === "") return;
  expect(headers.get("Content-Type")).toBe("application/json");
  expect(JSON.parse(body)).toEqual({ error: expect.stringMatching(/^\P{Cc}+$/u) });
}

const counted = (statuses: Map<number, number>): string =>
  [...statuses.entries().map(([status, times]) => `${times} × ${status}`)].join(", ");

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
    check(statuses, response, text);
    if (method !== "HEAD" && response.status !== 204) expect(text).not.toBe("");
    // An import first verifies the key.
    expect(service.calls.length).toBeLessThanOrEqual(method === "POST" ? 2 : 1);
    for (const { rpc, args } of service.calls)
      if (rpc === "upsert_rewards") expectCleanRows(JSON.parse(String(args.rewards)));
    expect(Reflect.get({}, "name") ?? null).toBeNull();
  });
  const numRuns = count(2000, 25_000);
  await fc.assert(property, { numRuns });
  // On a busy machine too: no request here needs much work.
  expect(slowest, "milliseconds of processor time").toBeLessThan(3000);
  tried(`hostile input, in process: ${numRuns} requests (${counted(statuses)}), the slowest ${Math.round(slowest)} ms`);
  expect([...statuses.keys()].sort()).toEqual([200, 204, 400, 401, 404, 405]);
});

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
    check(statuses, response, response.body);
  });
  const numRuns = count(300, 3000);
  await fc.assert(property, { numRuns });
  tried(`hostile input, over HTTP: ${numRuns} requests (${counted(statuses)})`);
  expect((await call("/members?limit=1", apiKey)).status).toBe(200);
});
