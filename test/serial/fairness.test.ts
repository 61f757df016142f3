// Nothing that one company does affects another one, however many keys it has (docs/api.md, Limits).
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import type postgres from "postgres";
import { afterAll, expect, test } from "vitest";
import { mostMemory } from "../../scripts/bench/http.ts";
import { companyOfFile } from "../support/companies.ts";
import { startFunction } from "../support/function_process.ts";
import { madeUpKey } from "../support/made_up_key.ts";
import { besideNeighbour } from "../support/neighbour.ts";
import { sql } from "../support/stack.ts";

const instances = await Promise.all(Array.from({ length: 5 }, () => startFunction()));
const urls = instances.map(({ url }) => url);
const { company: flooding } = await companyOfFile("Flood");
const { company: other, key: keyOfOther } = await companyOfFile("Other");
const { key: keyOfThird } = await companyOfFile("Third");
/** Keys of the company that floods. Its catalogue has 500 rewards. */
const keys: string[] = [];
for (let count = 0; count < 40; count++) keys.push((await flooding.makeKey()).api_key);
const ofMany = (turn: number) => keys[turn % keys.length] ?? "";
/** The key of one of two companies that flood. */
const ofTwo = (turn: number) => (turn % 2 ? keyOfOther : ofMany(turn));

const catalogue = (size: number, description = "") =>
  JSON.stringify(
    Array.from({ length: size }, (_, n) => ({ external_id: `${n}`, name: "Mug", points_cost: n, description })),
  );
const counting = JSON.stringify({
  ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
  params: { name: "count_activity", arguments: { by: ["month", "receiver_team"] } },
});
expect(await send("/rewards", ofMany(0), { body: catalogue(500) })).toBe(200);
/** The companies that count, each with a year of 100,000 kudos. The newest 1,000 have messages of 10,000 characters. */
const counted = [flooding.id, other.id];
await withoutTriggers(async (sql) => {
  await sql`insert into app.categories (company_id) select unnest(${counted}::uuid[])`;
  await sql`
    insert into app.kudos (company_id, sender_id, receiver_id, category_id, message, created_at)
    select c.company_id, m.id, m.id, c.id,
           case when n > 1000 then 'Thanks' else repeat(md5(n::text), 312) end, now() - n * interval '5 minutes'
    from app.categories as c join app.members as m using (company_id), generate_series(1, 100000) as n
    where c.company_id = any (${counted}::uuid[])`;
});
afterAll(async () => {
  await Promise.all(instances.map((instance) => instance.kill()));
  await withoutTriggers((sql) => sql`delete from app.kudos where company_id = any (${counted}::uuid[])`);
});

/** Writes as many rows as triggers and foreign keys would take long to check. */
async function withoutTriggers(write: (sql: postgres.TransactionSql) => Promise<unknown>): Promise<void> {
  await sql.begin(async (sql) => {
    await sql`set local session_replication_role = replica`;
    await write(sql);
  });
}

/** Sends a GET, or a POST if there is a body. Returns the status, or 0 when the caller has hung up before. */
async function send(path: string, key: string, init: RequestInit = {}, url = urls[0]): Promise<number> {
  const types = { Accept: "application/json, text/event-stream", "Content-Type": "application/json" };
  const headers = { "X-API-Key": key, ...types };
  try {
    const response = await fetch(`${url}${path}`, { ...init, method: init.body ? "POST" : "GET", headers });
    await response.arrayBuffer();
    return response.status;
  } catch (error) {
    if (init.signal?.aborted) return 0;
    throw error;
  }
}

type Counts = Record<number, number>;

/** Sends requests as many callers, for a second and until `isOver`. Returns how many answers of each status there were. */
async function flood(callers: number, sendOne: (turn: number) => Promise<number>, isOver: (counts: Counts) => boolean) {
  const counts: Counts = {};
  const end = performance.now() + 1000;
  let turn = 0;
  const call = async () => {
    while (performance.now() < end || !isOver(counts)) {
      const status = await sendOne(turn++);
      counts[status] = (counts[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: callers }, call));
  return counts;
}

type Flood = { key: (turn: number) => string; path: string; due?: number; body?: string; hangsUp?: number };
const floods: [what: string, flood: Flood][] = [
  ["pages with forty keys", { key: ofMany, path: "/rewards?limit=1000" }],
  ["exports", { key: ofMany, path: "/rewards?limit=1000&format=csv" }],
  ["key checks with forty keys", { key: ofMany, path: "" }],
  ["heavy pages of two companies", { key: ofTwo, path: "/activity?limit=1000" }],
  ["totals of two companies", { key: ofTwo, path: "/activity/counts?by=month,receiver_team" }],
  ["tools of two companies", { key: ofTwo, path: "/mcp", body: counting }],
  // All write the same rewards, so that one waits for the locks of another and keeps its place and its connection.
  ["imports with forty keys", { key: ofMany, path: "/rewards", body: catalogue(20) }],
  ["made-up keys, each another one", { key: madeUpKey, path: "/members", due: 401 }],
  // They hang until the database gives up, which takes longer than a request waits for its turn.
  ["pages behind a lock", { key: ofMany, path: "/activity", due: 429 }],
  ["made-up keys that hang up", { key: madeUpKey, path: "/members", due: 0, hangsUp: 30 }],
];

/** Each flood against one instance, and in turn against five and against two. */
const cases = floods.flatMap(([what, more], place) =>
  [1, place % 2 ? 2 : 5].map((count): [string, number, Flood] => [what, count, more]),
);

// Proves: requests.65
test.each(cases)("a flood of %s leaves the neighbour its answers, with %i instances", async (_what, count, one) => {
  const { due = 200, ...more } = one;
  const sendOne = (turn: number) => {
    const signal = more.hangsUp ? AbortSignal.timeout(more.hangsUp) : null;
    return send(more.path, more.key(turn), { body: more.body ?? null, signal }, urls[turn % count]);
  };
  const isLocked = due === 429;
  const isAnswered = (counts: Counts) => (counts[due] ?? 0) > 0;
  const run = () => flood(30, sendOne, isAnswered);
  const behindLock = () =>
    sql.begin(async (holder) => {
      await holder`lock table app.kudos in access exclusive mode`;
      return await run();
    });
  const flooded = await besideNeighbour(isLocked ? behindLock : run, urls.slice(0, count));
  // Some of those that hang up get their answer before.
  const allowed = [due, 429, ...(more.hangsUp ? [401] : []), ...(isLocked ? [500] : [])];
  expect(Object.keys(flooded).filter((status) => !allowed.includes(Number(status)))).toEqual([]);
});

/** Sends a request over a connection of its own, with this much of a body that never ends. Nobody reads the answer. */
function open(path: string, key: string, body?: Buffer, headers: Record<string, string | number> = {}) {
  const method = body ? "POST" : "GET";
  const sent = request(`${urls[0]}${path}`, { method, agent: false, headers: { "X-API-Key": key, ...headers } });
  sent.on("error", () => {});
  if (body) sent.write(body);
  else sent.end();
  const status = once(sent, "response").then(([response]: IncomingMessage[]) => response?.statusCode ?? 0);
  return { status: status.catch(() => 0), close: () => sent.destroy() };
}

// Proves: requests.70
test.each([
  ["with their length", { "Content-Length": 8 * 1024 * 1024 }],
  ["without their length", { "Transfer-Encoding": "chunked" }],
])("bodies of two companies that never end, %s, leave a third one its imports and tools", async (_how, headers) => {
  const body = Buffer.alloc(1024 * 1024, " ");
  const uploads = Array.from({ length: 80 }, (_, turn) => open("/rewards", ofTwo(turn), body, headers));
  // Those for which there is no room.
  await expect.poll(async () => await Promise.race(uploads.map(({ status }) => status))).toBe(429);
  await besideNeighbour(
    async () => {
      for (let count = 0; count < 10; count++) {
        expect(await send("/rewards?limit=1000", ofMany(count))).toBe(200);
        expect(await send("/rewards", keyOfThird, { body: catalogue(20) })).toBe(200);
        expect(await send("/mcp", keyOfThird, { body: counting })).toBe(200);
      }
    },
    urls.slice(0, 1),
  );
  for (const { close } of uploads) close();
});

// Proves: requests.65
test("answers of 6 MB that nobody reads leave others theirs and take little memory, and end with their callers", async () => {
  // Six bytes a character: more than the 4 MB that the system may take of an answer.
  expect(await send("/rewards", keyOfThird, { body: catalogue(500, "\u0001".repeat(2000)) })).toBe(200);
  const opened = Array.from({ length: 60 }, () => open("/rewards?limit=1000", keyOfThird));
  const statuses = await besideNeighbour(() => Promise.all(opened.map(({ status }) => status)), urls.slice(0, 1));
  expect([...new Set(statuses)].sort()).toEqual([200, 429]);
  for (const { close } of opened) close();
  await expect.poll(() => send("/rewards?limit=1", keyOfThird)).toBe(200);
  // The memory of an instance on the platform, after all floods of this file.
  if (process.platform === "linux") expect(mostMemory(instances[0]?.pid ?? 0)).toBeLessThan(256);
});
