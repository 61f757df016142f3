// The limits of POST /rewards (docs/api.md, Import and Limits): 500 rewards, 8 MiB, 10 seconds.
import { afterAll, beforeAll, expect, test } from "vitest";
import { newCompany, type TestCompany } from "../support/companies.ts";
import { chunk, openImport, type RawResponse, readAnswer } from "../support/raw.ts";
import { call, expectError, importRewards, sql } from "../support/stack.ts";

const tooBig = "body must be at most 8 MiB and 500 rewards";
const eightMiB = 8 * 1024 * 1024;
const reward = '{"external_id": "big", "name": "Big", "points_cost": 1}';

let company: TestCompany;
let key: string;
/** Sent before the first test and awaited in the last one: it takes ten seconds, in which the other tests can run. */
let slow: Promise<{ answer: RawResponse; seconds: number }>;
beforeAll(async () => {
  company = await newCompany("Limits");
  key = (await company.makeKey()).api_key;
  slow = sendSlowly();
});
afterAll(() => company.remove());

async function sendSlowly(): Promise<{ answer: RawResponse; seconds: number }> {
  const socket = await openImport(key);
  const started = performance.now();
  socket.write(chunk('[{"external_id": "slow", '));
  const answer = await readAnswer(socket);
  return { answer, seconds: (performance.now() - started) / 1000 };
}

const count = async () => (await sql`select from app.rewards where company_id = ${company.id}`).length;

const rows = (length: number) =>
  Array.from({ length }, (_, n) => ({ external_id: `${n}`, name: "Any", points_cost: n }));

// Proves: import.4, limits.3
test("501 rewards are refused in every form, and nothing is written", async () => {
  for (const body of [rows(501), { rewards: rows(501) }]) {
    await expectError(await importRewards(key, body), 400, "body must hold at most 500 rewards");
  }
  expect(await count()).toBe(0);
});

// Proves: import.4, limits.3
test("500 rewards are taken", async () => {
  expect(await (await importRewards(key, rows(500))).json()).toEqual({ imported: 500 });
  expect(await count()).toBe(500);
});

// Proves: rows.31
test("a body of 8 MiB is taken, and one more byte is refused", async () => {
  const before = await count();
  const body = reward + " ".repeat(eightMiB - reward.length);
  await expectError(await call("/rewards", key, { method: "POST", body: `${body} ` }), 400, tooBig);
  expect(await count()).toBe(before);
  const response = await call("/rewards", key, { method: "POST", body });
  expect(await response.json()).toEqual({ imported: 1 });
});

// Proves: rows.31
test("bytes are counted, not characters", async () => {
  const body = `"${"é".repeat(eightMiB / 2)}"`;
  await expectError(await call("/rewards", key, { method: "POST", body }), 400, tooBig);
});

// Proves: rows.32, risk.4
test("a body without Content-Length is counted while it streams: the answer comes before everything is sent", async () => {
  const socket = await openImport(key);
  const answer = readAnswer(socket);
  const piece = 256 * 1024;
  // One byte over the limit and no more: Deno resets a connection from which it has not read everything.
  for (let sent = 0; sent < eightMiB; sent += piece) socket.write(chunk(" ".repeat(piece)));
  socket.write(chunk(" "));
  const { status, body } = await answer;
  expect({ status, body: JSON.parse(body) }).toEqual({ status: 400, body: { error: tooBig } });
});

test("a body that comes in small chunks is put together", async () => {
  const socket = await openImport(key);
  const answer = readAnswer(socket);
  const bytes = '[{"external_id": "käse-🧀", "name": "Käse 🧀", "points_cost": 2}]';
  for (const character of bytes) socket.write(chunk(character));
  socket.write("0\r\n\r\n");
  expect((await answer).body).toBe('{"imported":1}');
  const [stored] = await sql`select name from app.rewards where company_id = ${company.id} and external_id = 'käse-🧀'`;
  expect(stored).toEqual({ name: "Käse 🧀" });
});

// Proves: requests.56, requests.67, risk.4
test("a body that is not complete after 10 seconds is answered with 408, and nothing is written", async () => {
  const { answer, seconds } = await slow;
  expect({ status: answer.status, body: answer.body }).toEqual({ status: 408, body: '{"error":"Request Timeout"}' });
  expect(answer.headers.has("X-Request-Id")).toBe(true);
  expect(seconds).toBeGreaterThan(9.5);
  expect(seconds).toBeLessThan(15);
  expect(await sql`select from app.rewards where company_id = ${company.id} and external_id = 'slow'`).toHaveLength(0);
});
