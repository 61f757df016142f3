// kill -9 of a real PostgreSQL under a stack of its own: what comes of requests and imports.
import { randomInt, randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { count, tried } from "../support/counts.ts";
import { type OwnStack, startOwnStack } from "../support/own_stack.ts";

let stack: OwnStack;
let key: string;
beforeAll(async () => {
  stack = await startOwnStack("durable");
  key = stack.companies[0]?.api_key ?? "";
});
afterAll(() => stack.stop());

const send = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${stack.api_url}${path}`, { ...init, headers: { "X-API-Key": key } });
const post = (rows: object[]): Promise<Response> => send("/rewards", { method: "POST", body: JSON.stringify(rows) });
const reward = () => ({ external_id: randomUUID(), name: "In an outage", points_cost: 1 });

/**
 * Waits for the end of the outage by asking the Data API directly. After that, the first request to the function must
 * succeed on every path.
 */
async function expectRecovered(): Promise<void> {
  const headers = { apikey: stack.secret_key, "Content-Type": "application/json" };
  const body = JSON.stringify({ key_hash: "0".repeat(64) });
  const dataApi = () => fetch(`${stack.supabase_url}/rest/v1/rpc/verify_api_key`, { method: "POST", headers, body });
  await expect.poll(async () => (await dataApi()).status, { interval: 20 }).toBe(401);
  for (const path of everything) expect([path, (await send(path)).status]).toEqual([path, 200]);
  expect((await post([reward()])).status).toBe(200);
}

const everything = ["/", "/members", "/activity?format=csv", "/rewards", "/day-ratings?limit=5", "/pulse-responses"];

// Proves: layer.2
test("while the database is down every request is a 500 in time, and the first one after it succeeds", async () => {
  await expectRecovered();
  await stack.killDatabase();
  const sent = [...everything.map((path) => send(path)), post([reward()])];
  for (const answer of await Promise.all(sent)) {
    expect([answer.status, await answer.text()]).toEqual([500, '{"error":"Internal Server Error"}']);
    expect(JSON.stringify([...answer.headers])).not.toMatch(/postgres:|127\.0\.0\.1|select|sb_secret_|ECONN/);
  }
  const lines = (await readFile(`${stack.folder}/function.log`, "utf8")).split("\n");
  expect(lines.filter((line) => /postgres:|sb_secret_|ECONN/.test(line))).toEqual([]);
  await stack.startDatabase();
  await expectRecovered();
});

/** The number of rewards of an import. */
const rows = 200;
const batch = (name: string) =>
  Array.from({ length: rows }, (_, index) => ({ external_id: `${name}-${index}`, name, points_cost: index }));

/** Lets four writers import until the kill, which comes after a few imports. Returns which of them were acknowledged. */
async function importUntilKilled(): Promise<Map<string, boolean>> {
  const acknowledged = new Map<string, boolean>();
  let alive = true;
  const writer = async (): Promise<void> => {
    while (alive) {
      const id = randomUUID();
      acknowledged.set(id, false);
      const response = await post(batch(id)).catch(() => null);
      await response?.arrayBuffer().catch(() => {});
      acknowledged.set(id, response?.status === 200);
    }
  };
  const writing = Promise.all([writer(), writer(), writer(), writer()]);
  await expect.poll(() => acknowledged.size, { interval: 1 }).toBeGreaterThan(randomInt(4, 20));
  await stack.killDatabase();
  alive = false;
  await writing;
  return acknowledged;
}

// Proves: layer.11
test("kill -9 of PostgreSQL during imports: each is there whole or not at all, whole if it was acknowledged, and may be sent again", async () => {
  const rounds = count(3, 21);
  const sql = stack.connect();
  const stored = async (name: string) => (await sql`select from app.rewards where name = ${name}`).length;
  const tally = { acknowledged: 0, whole: 0, absent: 0 };
  for (let round = 0; round < rounds; round++) {
    const imports = await importUntilKilled();
    await stack.startDatabase();
    for (const [id, isAcknowledged] of imports) {
      const found = await stored(id);
      expect(isAcknowledged ? [rows] : [0, rows]).toContain(found);
      tally[isAcknowledged ? "acknowledged" : found > 0 ? "whole" : "absent"]++;
      // As a caller does after a 500, or without knowing.
      await expect.poll(async () => (await post(batch(id))).status).toBe(200);
      expect(await stored(id)).toBe(rows);
    }
  }
  await sql.end();
  const { acknowledged, whole, absent } = tally;
  expect(Math.min(acknowledged, whole + absent)).toBeGreaterThan(0);
  tried(`kill -9, ${rounds} times: ${acknowledged} imports acknowledged, ${whole} others whole, ${absent} absent`);
});
