// A flood of requests from one company does not affect another one, however many keys it has (docs/api.md, Limits). The
// function runs on PostgreSQL with a pool of ten connections here, because the local Data API has only one. The tests
// count answers; npm run bench measures times.
import { request } from "node:http";
import { afterAll, expect, test } from "vitest";
import { startThread } from "../../scripts/bench/http.ts";
import { newCompany } from "../support/companies.ts";
import { startFunction } from "../support/function_process.ts";
import { madeUpKey } from "../support/made_up_key.ts";
import { second, sql, stack } from "../support/stack.ts";

const dataApi = await startThread("pooled_data_api.ts", stack.superuser_url);
const instances = await Promise.all([startFunction(dataApi.url), startFunction(dataApi.url)]);
const [flooding, neighbour] = [await newCompany("Flood"), await newCompany("Neighbour")];
/** Keys of the company that floods. Its catalogue has 500 rewards. */
const keys: string[] = [];
for (let count = 0; count < 40; count++) keys.push((await flooding.makeKey()).api_key);
const keyOfNeighbour = (await neighbour.makeKey()).api_key;
expect(await send("/rewards", ofMany(0), { body: catalogue(500) })).toBe(200);
afterAll(async () => {
  await Promise.all(instances.map((instance) => instance.kill()));
  await dataApi.stop();
  await Promise.all([flooding.remove(), neighbour.remove()]);
});

function ofMany(turn: number): string {
  return keys[turn % keys.length] ?? "";
}

function catalogue(size: number): string {
  return JSON.stringify(Array.from({ length: size }, (_, n) => ({ external_id: `${n}`, name: "Mug", points_cost: n })));
}

/** Sends a GET to an instance, or a POST if there is a body. Returns the status, or 0 when the caller has hung up before. */
async function send(path: string, key: string, init: RequestInit = {}, instance = 0): Promise<number> {
  const method = init.body ? "POST" : "GET";
  try {
    const response = await fetch(`${instances[instance]?.url}${path}`, {
      ...init,
      method,
      headers: { "X-API-Key": key },
    });
    await response.arrayBuffer();
    return response.status;
  } catch (error) {
    if (init.signal?.aborted) return 0;
    throw error;
  }
}
const sendAsNeighbour = () => send("/members?limit=20", second.key);

type Counts = Record<number, number>;
const sum = (counts: Counts) => Object.values(counts).reduce((total, count) => total + count, 0);

/** Sends requests as a hundred callers, and counts the answers. Returns what stops it. */
function flood(sendOne: (turn: number) => Promise<number>, counts: Counts = {}): () => Promise<unknown> {
  let turn = 0;
  let isOver = false;
  const callers = Array.from({ length: 100 }, async () => {
    while (!isOver) {
      const status = await sendOne(turn++);
      if (!isOver) counts[status] = (counts[status] ?? 0) + 1;
    }
  });
  return () => {
    isOver = true;
    return Promise.all(callers);
  };
}

/** As many answers as the flood may get while the neighbour gets fifty: without the queue it gets hundreds for one. */
const tooMany = 50 * 30;

const page = "/rewards?limit=1000";

// Proves: requests.65
test.each<[what: string, instances: number, key: (turn: number) => string, path: string, due: number, body?: string]>([
  ["pages with forty keys", 1, ofMany, page, 200],
  ["pages with forty keys from two instances", 2, ofMany, page, 200],
  ["key checks with forty keys", 1, ofMany, "", 200],
  // All write the same rewards, so that one waits for the locks of another and keeps its place and its connection.
  ["imports with forty keys from two instances", 2, ofMany, "/rewards", 200, catalogue(20)],
  ["made-up keys, each another one", 1, madeUpKey, "/members", 401],
])("a flood of %s leaves the neighbour its answers", async (_what, count, key, path, due, body) => {
  const flooded: Counts = {};
  const neighbours: Counts = {};
  // The neighbour's key is one that the instance has seen.
  expect(await sendAsNeighbour()).toBe(200);
  const sendOne = (turn: number) => send(path, key(turn), { body: body ?? null }, turn % count);
  const stop = flood(sendOne, flooded);
  await expect.poll(() => sum(flooded)).toBeGreaterThan(0);
  while (sum(neighbours) < 50 && sum(flooded) < tooMany) {
    const status = await sendAsNeighbour();
    neighbours[status] = (neighbours[status] ?? 0) + 1;
  }
  await stop();
  expect(neighbours).toEqual({ 200: 50 });
  expect(Object.keys(flooded).filter((status) => ![due, 429].includes(Number(status)))).toEqual([]);
  expect(flooded[due]).toBeGreaterThan(0);
});

// Proves: requests.65
test("made-up keys that hang up leave a neighbour its answers, and a good key that is new gets in", async () => {
  const sendOne = (turn: number) => send("/members", madeUpKey(turn), { signal: AbortSignal.timeout(30) });
  expect(await sendAsNeighbour()).toBe(200);
  const stop = flood(sendOne);
  const statuses = [];
  for (let count = 0; count < 5; count++) {
    statuses.push(await sendAsNeighbour());
    statuses.push(await send("/rewards?limit=1", (await neighbour.makeKey()).api_key));
  }
  await stop();
  expect(statuses).toEqual(Array(10).fill(200));
});

// Proves: requests.65
test("uploads of forty keys that never end leave their own company its lists, and the neighbour its imports", async () => {
  const uploads = [...keys, ...keys].map((key) => {
    const headers = { "X-API-Key": key, "Content-Length": 8 * 1024 * 1024 };
    const upload = request(`${instances[0].url}/rewards`, { method: "POST", agent: false, headers });
    upload.on("error", () => {}).write(Buffer.alloc(1024 * 1024, " "));
    return upload;
  });
  const refused = uploads.map(
    (upload) => new Promise<number>((resolve) => upload.on("response", ({ statusCode = 0 }) => resolve(statusCode))),
  );
  // All but the four that have a place.
  await expect.poll(async () => await Promise.race(refused)).toBe(429);
  for (let count = 0; count < 10; count++) {
    expect(await send(page, ofMany(count))).toBe(200);
    expect(await send("/rewards", keyOfNeighbour, { body: catalogue(20) })).toBe(200);
  }
  for (const upload of uploads) upload.destroy();
});

// Proves: requests.65
test("calls that hang behind a lock leave the neighbour its answers", async () => {
  const holder = await sql.reserve();
  const over = new AbortController();
  await holder`begin`;
  await holder`lock table app.kudos in access exclusive mode`;
  try {
    const hanging = Array.from({ length: 40 }, () => send("/activity", ofMany(0), { signal: over.signal }));
    const waiting = async () =>
      (await sql`select from pg_locks where not granted and relation = 'app.kudos'::regclass`).length;
    await expect.poll(waiting).toBeGreaterThan(0);
    const seen: number[] = [];
    for (let count = 0; count < 50; count++) {
      expect(await sendAsNeighbour()).toBe(200);
      seen.push(await waiting());
    }
    expect(seen.filter((count) => count > 0).length, "they hang meanwhile").toBeGreaterThan(5);
    expect(Math.max(...seen), "only a few of them reach the database").toBeLessThan(5);
    over.abort();
    await Promise.all(hanging);
  } finally {
    over.abort();
    await holder`rollback`;
    holder.release();
  }
});
