// A flood of requests from one company does not affect another one, however many keys it has (docs/api.md, Limits). The
// function runs on PostgreSQL with a pool of ten connections here, because the local Data API has only one. The tests
// count answers; npm run bench measures times.
import { Agent, request } from "node:http";
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
const agent = new Agent({ keepAlive: true });
beforeAll(async () => {
  dataApi = await startThread("pooled_data_api.ts", stack.superuser_url);
  instances = await Promise.all([startFunction(dataApi.url), startFunction(dataApi.url)]);
  [flooding, neighbour] = [await newCompany("Flood"), await newCompany("Neighbour")];
  keys = [];
  for (let count = 0; count < 40; count++) keys.push((await flooding.makeKey()).api_key);
  keyOfNeighbour = (await neighbour.makeKey()).api_key;
  expect(await ask("/rewards", keys[0] ?? "", instances[0], { body: catalogue(500) })).toBe(200);
});
afterAll(async () => {
  agent.destroy();
  await Promise.all(instances.map((instance) => instance.kill()));
  await dataApi.stop();
  await Promise.all([flooding.remove(), neighbour.remove()]);
});

function catalogue(size: number): string {
  return JSON.stringify(Array.from({ length: size }, (_, n) => ({ external_id: `${n}`, name: "Mug", points_cost: n })));
}

/** Sends a GET, or a POST if there is a body. Without an answer, because `hangUp` closes the connection, it is 0. */
function ask(
  path: string,
  key: string,
  { url }: FunctionProcess,
  { body, hangUp }: { body?: string; hangUp?: AbortSignal } = {},
): Promise<number> {
  const options = { agent, method: body ? "POST" : "GET", headers: { "X-API-Key": key }, signal: hangUp };
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => (hangUp?.aborted ? resolve(0) : reject(error));
    request(`${url}${path}`, options, (response) => {
      response.resume().on("error", fail);
      response.on("end", () => resolve(response.statusCode ?? 0));
    })
      .on("error", fail)
      .end(body);
  });
}

type Counts = Record<number, number>;
const sum = (counts: Counts) => Object.values(counts).reduce((total, count) => total + count, 0);

/** Keeps asking as a hundred callers until `isOver`, and counts the answers. */
async function flood(send: (turn: number) => Promise<number>, counts: Counts, isOver: () => boolean): Promise<void> {
  let turn = 0;
  const callers = Array.from({ length: 100 }, async () => {
    while (!isOver()) {
      const status = await send(turn++);
      if (!isOver()) counts[status] = (counts[status] ?? 0) + 1;
    }
  });
  await Promise.all(callers);
}

/** As many answers as the flood may get while the neighbour gets fifty: without the queue it gets hundreds for one. */
const tooMany = 50 * 30;

const madeUp = (turn: number) => madeUpKey(turn);
const ofOne = () => keys[0] ?? "";
const ofMany = (turn: number) => keys[turn % keys.length] ?? "";
const page = "/rewards?limit=1000";

// Proves: requests.65
test.each<[what: string, count: number, key: (turn: number) => string, path: string, due: number[], body?: string]>([
  ["pages with one key", 1, ofOne, page, [200, 429]],
  ["pages with forty keys", 1, ofMany, page, [200, 429]],
  ["pages with forty keys from two instances", 2, ofMany, page, [200, 429]],
  ["key checks with forty keys", 1, ofMany, "", [200, 429]],
  // All write the same rewards, so that one waits for the locks of another and keeps its place and its connection.
  ["imports with one key", 1, ofOne, "/rewards", [200, 429], catalogue(20)],
  ["imports with forty keys from two instances", 2, ofMany, "/rewards", [200, 429], catalogue(20)],
  ["made-up keys, each another one", 1, madeUp, "/members", [401, 429]],
])("a flood of %s leaves the neighbour its answers", async (_what, count, key, path, due, body) => {
  const of: Counts = {};
  const neighbours: Counts = {};
  let isOver = false;
  const send = (turn: number) => ask(path, key(turn), instances[turn % count] as FunctionProcess, body ? { body } : {});
  // The neighbour's key is one that the instance has seen.
  expect(await ask("/members?limit=20", second.key, instances[0])).toBe(200);
  const flooded = flood(send, of, () => isOver);
  await expect.poll(() => sum(of)).toBeGreaterThan(0);
  while (sum(neighbours) < 50 && sum(of) < tooMany) {
    const status = await ask("/members?limit=20", second.key, instances[0]);
    neighbours[status] = (neighbours[status] ?? 0) + 1;
  }
  isOver = true;
  await flooded;
  expect(neighbours).toEqual({ 200: 50 });
  expect(Object.keys(of).filter((status) => !due.includes(Number(status)))).toEqual([]);
  expect(of[due[0] ?? 0]).toBeGreaterThan(0);
});

// Proves: requests.65
test("made-up keys that hang up leave a neighbour its answers, and a good key that is new gets in", async () => {
  let isOver = false;
  const send = (turn: number) => ask("/members", madeUpKey(turn), instances[0], { hangUp: AbortSignal.timeout(30) });
  expect(await ask("/members?limit=20", second.key, instances[0])).toBe(200);
  const flooded = flood(send, {}, () => isOver);
  const statuses = [];
  for (let count = 0; count < 8; count++) {
    statuses.push(await ask("/members?limit=20", second.key, instances[0]));
    statuses.push(await ask("/rewards?limit=1", (await neighbour.makeKey()).api_key, instances[0]));
  }
  isOver = true;
  await flooded;
  expect(statuses).toEqual(Array(16).fill(200));
});

// Proves: requests.65
test("uploads of forty keys that never end leave everybody their lists, and the neighbour its imports", async () => {
  const uploads = keys.flatMap((key) =>
    [1, 2].map(() => {
      const headers = { "X-API-Key": key, "Content-Length": 8 * 1024 * 1024 };
      const upload = request(`${instances[0].url}/rewards`, { method: "POST", agent: false, headers });
      upload.on("error", () => {}).write(Buffer.alloc(1024 * 1024, " "));
      return upload;
    }),
  );
  const refused = uploads.map(
    (upload) => new Promise<number>((resolve) => upload.on("response", ({ statusCode = 0 }) => resolve(statusCode))),
  );
  // All but the four that have a place.
  await expect.poll(async () => await Promise.race(refused)).toBe(429);
  for (let count = 0; count < 10; count++) {
    expect(await ask(page, ofMany(count), instances[0])).toBe(200);
    expect(await ask("/rewards", keyOfNeighbour, instances[0], { body: catalogue(20) })).toBe(200);
  }
  for (const upload of uploads) upload.destroy();
});

// Proves: requests.65
test("calls that hang behind a lock leave the neighbour its answers", async () => {
  const holder = await sql.reserve();
  const over = new AbortController();
  try {
    await holder`begin`;
    await holder`lock table app.kudos in access exclusive mode`;
    const hanging = Array.from({ length: 40 }, () =>
      fetch(`${instances[0]?.url}/activity`, { headers: { "X-API-Key": ofOne() }, signal: over.signal }).catch(
        () => {},
      ),
    );
    const waiting = () => sql`select from pg_locks where not granted and relation = 'app.kudos'::regclass`;
    await expect.poll(async () => (await waiting()).length).toBeGreaterThan(0);
    const statuses = [];
    for (let count = 0; count < 50; count++) {
      statuses.push(await ask("/members?limit=20", second.key, instances[0] as FunctionProcess));
    }
    // They still wait for the lock, and only a few of them have reached the database.
    expect((await waiting()).length).toBeGreaterThan(0);
    expect((await waiting()).length).toBeLessThanOrEqual(4);
    expect(new Set(statuses)).toEqual(new Set([200]));
    over.abort();
    await Promise.all(hanging);
  } finally {
    over.abort();
    await holder`rollback`;
    holder.release();
  }
});
