// A flood of requests from one company does not affect another one (docs/api.md, Limits). The function runs on
// PostgreSQL with a pool of ten connections here, because the local Data API has only one. The tests count answers; npm
// run bench measures times.
import { Agent, request } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Server, startThread } from "../../scripts/bench/http.ts";
import { newCompany, type TestCompany } from "../support/companies.ts";
import { type FunctionProcess, startFunction } from "../support/function_process.ts";
import { madeUpKey } from "../support/made_up_key.ts";
import { first, second, sql, stack } from "../support/stack.ts";

let dataApi: Server;
let instances: FunctionProcess[];
let importer: TestCompany;
const agent = new Agent({ keepAlive: true });
beforeAll(async () => {
  dataApi = await startThread("pooled_data_api.ts", stack.superuser_url);
  instances = await Promise.all([startFunction(dataApi.url), startFunction(dataApi.url)]);
  importer = await newCompany("Importer");
});
afterAll(async () => {
  agent.destroy();
  await Promise.all(instances.map((instance) => instance.kill()));
  await dataApi.stop();
  await importer.remove();
});

/** Sends a GET, or a POST if there is a body. */
function ask(path: string, key: string, { url }: FunctionProcess, body?: string): Promise<number> {
  const options = { agent, method: body ? "POST" : "GET", headers: { "X-API-Key": key } };
  return new Promise((resolve, reject) => {
    request(`${url}${path}`, options, (response) => {
      response.resume().on("error", reject);
      response.on("end", () => resolve(response.statusCode ?? 0));
    })
      .on("error", reject)
      .end(body);
  });
}

type Counts = Record<number, number>;
const allStatuses = (counts: Counts) => Object.keys(counts).map(Number);
const sum = (counts: Counts) => Object.values(counts).reduce((total, count) => total + count, 0);

/** As many answers as the flood may get while the neighbour gets fifty: without the queue it gets hundreds for one. */
const tooMany = 50 * 30;

/**
 * A hundred callers send requests all the time, while a neighbour sends one after the other until it has fifty answers.
 * Returns how often each got which status. The neighbour begins when the flood has got `answers` answers. How long an
 * answer takes does not count: on a busy machine the neighbour, too, gets a 429 now and then, and asks again.
 */
async function flood(
  path: string,
  key: () => string,
  functions: FunctionProcess[],
  { body, answers = 1 }: { body?: string; answers?: number } = {},
): Promise<[Counts, Counts]> {
  const [of, neighbours]: [Counts, Counts] = [{}, {}];
  let isOver = false;
  const callers = Array.from({ length: 100 }, async (_, index) => {
    while (!isOver) {
      const status = await ask(path, key(), functions[index % functions.length] as FunctionProcess, body);
      if (!isOver) of[status] = (of[status] ?? 0) + 1;
    }
  });
  await expect.poll(() => sum(of)).toBeGreaterThanOrEqual(answers);
  while ((neighbours[200] ?? 0) < 50 && sum(of) < tooMany) {
    const status = await ask("/members?limit=20", second.key, functions[0] as FunctionProcess);
    neighbours[status] = (neighbours[status] ?? 0) + 1;
  }
  isOver = true;
  await Promise.all(callers);
  return [of, neighbours];
}

// Without the queue, the neighbour gets one answer while the flood gets several hundred.
// Proves: requests.65
test.each([
  ["pages of 1,000", "/activity?limit=1000", 1],
  ["pages of 100", "/activity?limit=100", 1],
  ["pages of 100 from two instances", "/activity?limit=100", 2],
])("a flood of %s leaves the neighbour its answers", async (_what, path, count) => {
  const [of, neighbours] = await flood(path, () => first.key, instances.slice(0, count));
  expect(neighbours[200]).toBe(50);
  expect(allStatuses(neighbours).filter((status) => ![200, 429].includes(status))).toEqual([]);
  expect(allStatuses(of).filter((status) => ![200, 429].includes(status))).toEqual([]);
  expect(of[200]).toBeGreaterThan(0);
  expect(sum(of)).toBeLessThan(tooMany);
});

// All imports write the same rewards, so that one waits for the locks of another and keeps its place and its
// connection.
test.each([
  ["an instance", 1],
  ["two instances", 2],
])("a flood of imports from %s leaves the neighbour its answers", async (_where, count) => {
  const { api_key } = await importer.makeKey();
  const rewards = Array.from({ length: 20 }, (_, n) => ({ external_id: `${n}`, name: "Mug", points_cost: n }));
  const [of, neighbours] = await flood("/rewards", () => api_key, instances.slice(0, count), {
    body: JSON.stringify(rewards),
  });
  expect(neighbours[200]).toBe(50);
  expect(allStatuses(neighbours).filter((status) => ![200, 429].includes(status))).toEqual([]);
  expect(allStatuses(of).filter((status) => ![200, 429].includes(status))).toEqual([]);
  expect(of[200]).toBeGreaterThan(0);
  expect(sum(of)).toBeLessThan(tooMany);
});

// Proves: requests.65
test("a flood of made-up keys, each another one, leaves the neighbour its answers", async () => {
  let sent = 0;
  // The first requests all reach the database at once; refusals are spaced from then on.
  const key = () => madeUpKey(++sent);
  const [of, neighbours] = await flood("/members?limit=20", key, instances.slice(0, 1), { answers: 100 });
  expect(neighbours[200]).toBe(50);
  expect(allStatuses(neighbours).filter((status) => ![200, 429].includes(status))).toEqual([]);
  expect(allStatuses(of)).toEqual([401]);
  expect(sum(of)).toBeLessThan(tooMany);
});

// Proves: requests.65
test("calls that hang behind a lock leave the neighbour its answers", async () => {
  const holder = await sql.reserve();
  const over = new AbortController();
  try {
    await holder`begin`;
    await holder`lock table app.kudos in access exclusive mode`;
    const hanging = Array.from({ length: 40 }, () =>
      fetch(`${instances[0]?.url}/activity`, { headers: { "X-API-Key": first.key }, signal: over.signal }).catch(
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
