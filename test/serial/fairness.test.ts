// A flood of requests from one company does not affect another one, however many keys it has (docs/api.md, Limits). The
// function runs on PostgreSQL with a pool of ten connections here, because the local Data API has only one. The tests
// count answers; npm run bench measures times.
import { request } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Server, startThread } from "../../scripts/bench/http.ts";
import { newCompany, type TestCompany } from "../support/companies.ts";
import { type FunctionProcess, startFunction } from "../support/function_process.ts";
import { madeUpKey } from "../support/made_up_key.ts";
import { second, sql, stack } from "../support/stack.ts";

let dataApi: Server;
let instances: [FunctionProcess, FunctionProcess];
let flooding: TestCompany;
let neighbour: TestCompany;
/** Keys of the company that floods. Its catalogue has 500 rewards. */
let keys: string[];
let keyOfNeighbour: string;
beforeAll(async () => {
  dataApi = await startThread("pooled_data_api.ts", stack.superuser_url);
  instances = await Promise.all([startFunction(dataApi.url), startFunction(dataApi.url)]);
  [flooding, neighbour] = [await newCompany("Flood"), await newCompany("Neighbour")];
  keys = [];
  for (let count = 0; count < 40; count++) keys.push((await flooding.makeKey()).api_key);
  keyOfNeighbour = (await neighbour.makeKey()).api_key;
  expect(await send("/rewards", keys[0] ?? "", { body: catalogue(500) })).toBe(200);
});
afterAll(async () => {
  await Promise.all(instances.map((instance) => instance.kill()));
  await dataApi.stop();
  await Promise.all([flooding.remove(), neighbour.remove()]);
});

function catalogue(size: number): string {
  return JSON.stringify(Array.from({ length: size }, (_, n) => ({ external_id: `${n}`, name: "Mug", points_cost: n })));
}

/** Sends a GET to an instance, or a POST if there is a body. Returns the status, or 0 when the caller has hung up before. */
async function send(path: string, key: string, { body, signal, instance = 0 }: Sent = {}): Promise<number> {
  const init = { method: body ? "POST" : "GET", headers: { "X-API-Key": key }, signal, body };
  try {
    const response = await fetch(`${instances[instance]?.url}${path}`, init as RequestInit);
    await response.arrayBuffer();
    return response.status;
  } catch (error) {
    if (signal?.aborted) return 0;
    throw error;
  }
}
interface Sent {
  body?: string | undefined;
  signal?: AbortSignal;
  instance?: number;
}
const sendAsNeighbour = () => send("/members?limit=20", second.key);

type Counts = Record<number, number>;
const sum = (counts: Counts) => Object.values(counts).reduce((total, count) => total + count, 0);

/** Sends requests as a hundred callers until `isOver`, and counts the answers. */
async function flood(sendOne: (turn: number) => Promise<number>, counts: Counts, isOver: () => boolean): Promise<void> {
  let turn = 0;
  const callers = Array.from({ length: 100 }, async () => {
    while (!isOver()) {
      const status = await sendOne(turn++);
      if (!isOver()) counts[status] = (counts[status] ?? 0) + 1;
    }
  });
  await Promise.all(callers);
}

/** As many answers as the flood may get while the neighbour gets fifty: without the queue it gets hundreds for one. */
const tooMany = 50 * 30;

const ofMany = (turn: number) => keys[turn % keys.length] ?? "";
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
  let isOver = false;
  // The neighbour's key is one that the instance has seen.
  expect(await sendAsNeighbour()).toBe(200);
  const sendOne = (turn: number) => send(path, key(turn), { body, instance: turn % count });
  const flooding = flood(sendOne, flooded, () => isOver);
  await expect.poll(() => sum(flooded)).toBeGreaterThan(0);
  while (sum(neighbours) < 50 && sum(flooded) < tooMany) {
    const status = await sendAsNeighbour();
    neighbours[status] = (neighbours[status] ?? 0) + 1;
  }
  isOver = true;
  await flooding;
  expect(neighbours).toEqual({ 200: 50 });
  expect(Object.keys(flooded).filter((status) => ![due, 429].includes(Number(status)))).toEqual([]);
  expect(flooded[due]).toBeGreaterThan(0);
});

// Proves: requests.65
test("made-up keys that hang up leave a neighbour its answers, and a good key that is new gets in", async () => {
  let isOver = false;
  const sendOne = (turn: number) => send("/members", madeUpKey(turn), { signal: AbortSignal.timeout(30) });
  expect(await sendAsNeighbour()).toBe(200);
  const flooded = flood(sendOne, {}, () => isOver);
  const statuses = [];
  for (let count = 0; count < 5; count++) {
    statuses.push(await sendAsNeighbour());
    statuses.push(await send("/rewards?limit=1", (await neighbour.makeKey()).api_key));
  }
  isOver = true;
  await flooded;
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
    for (let count = 0; count < 50; count++) expect(await sendAsNeighbour()).toBe(200);
    // They still wait for the lock, and only a few of them have reached the database.
    expect([1, 2, 3, 4]).toContain(await waiting());
    over.abort();
    await Promise.all(hanging);
  } finally {
    over.abort();
    await holder`rollback`;
    holder.release();
  }
});
