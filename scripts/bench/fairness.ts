import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { Request } from "autocannon";
import { root } from "../stack/process.ts";
import { type Database, pgbench } from "./database.ts";
import { alternate, type Figure, median, type Part, ratios, shown } from "./figure.ts";
import type { Flood } from "./flood.ts";
import { functionCommand, memory, processorTime, type Server, startDeno, startThread } from "./http.ts";

/** A flood of company A, or of nobody. */
interface Scenario {
  name: string;
  flood: Flood;
  /** The statuses that A may get besides 429; 200 if it is not given. */
  due?: string[];
  /** Another transaction locks A's rewards most of the time. */
  locked?: true;
  /** Also measured with an instance that has no queue, while the database accepts 1000 requests of A at once. */
  unboundedUrl?: string;
}

const rewards = Array.from({ length: 500 }, (_, n) => ({ external_id: `fair ${n}`, name: "Mug", points_cost: n }));
const catalogue: Request = { method: "POST", path: "/public-api/rewards", body: JSON.stringify(rewards) };
const page = (limit: number): Request => ({ path: `/public-api/activity?limit=${limit}` });
const largeUpload: Request = { method: "POST", path: "/public-api/rewards", body: " ".repeat(8 * 1024 * 1024) };

const lockRewards = `
  begin;
  select from app.rewards where company_id = bench.id(1, 'company', 0) for update;
  \\sleep 1500 ms
  commit;
  \\sleep 200 ms`;

/** What happened in a round. */
interface Round {
  /** Of B's requests, 95 of 100 took no more milliseconds. */
  p95: number;
  /** How many of B's requests were not answered with a 200. */
  failures: number;
  /** How many answers of each status A got. */
  statuses: Record<string, number>;
}

/** B asks for 20 members, one request after the other, each instance in turn. */
async function askAsB(urls: string[], key: string, milliseconds: number): Promise<Round> {
  const times: number[] = [];
  let failures = 0;
  const end = performance.now() + milliseconds;
  for (let turn = 0; performance.now() < end; turn += 1) {
    const begin = performance.now();
    const response = await fetch(`${urls[turn % urls.length]}/public-api/members?limit=20`, {
      headers: { "X-API-Key": key },
    });
    await response.text();
    times.push(performance.now() - begin);
    if (response.status !== 200) failures += 1;
  }
  times.sort((a, b) => a - b);
  return { p95: times[Math.ceil(times.length * 0.95) - 1] ?? Number.NaN, failures, statuses: {} };
}

/** B asks while A floods the same instances. */
async function askDuringFlood(key: string, flood: Flood): Promise<Round> {
  const { urls } = flood;
  const worker = new Worker(new URL("flood.ts", import.meta.url), { workerData: flood });
  const flooding = once(worker, "message");
  await sleep(500);
  const round = await askAsB(urls, key, 3000);
  const [statuses] = await flooding;
  // The answers to these requests come after those to the flood. So the next round begins with empty queues.
  for (const url of urls) await askAsB([url], key, 1);
  return { ...round, statuses };
}

/** Three rounds each of B alone, of B while A floods, and of B while A floods without any bound. */
async function measureRounds(scenario: Scenario, { url, superuser }: Database, keyOfB: string): Promise<Round[][]> {
  const { flood, locked, unboundedUrl } = scenario;
  const alone = () => askAsB(flood.urls, keyOfB, 1000);
  const bounded = async () => {
    const locking = locked && pgbench(url, lockRewards, 1, 4);
    const round = await askDuringFlood(keyOfB, flood);
    await locking;
    return round;
  };
  if (unboundedUrl === undefined) return alternate(3, [alone, bounded]);

  const [row] = await superuser<{ bound: number }[]>`select app.requests_at_once() as bound`;
  const setBound = (bound = 0) =>
    superuser.unsafe(`create or replace function app.requests_at_once() returns integer
      language sql stable set search_path = '' return ${bound}`);
  const unbounded = async () => {
    await setBound(1000);
    const round = await askDuringFlood(keyOfB, { ...flood, urls: [unboundedUrl] });
    await setBound(row?.bound);
    return round;
  };
  return alternate(3, [alone, bounded, unbounded]);
}

function figuresOfScenario({ name, flood }: Scenario, [alone = [], bounded = [], unbounded]: Round[][]): Figure[] {
  const instances = flood.urls.length;
  const p95s = (rounds: Round[]) => rounds.map(({ p95 }) => p95);
  const p95 = (rounds: Round[]) => `${shown(median(p95s(rounds)))} ms`;
  const slowdown: Figure = {
    name: `${name}: B's p95`,
    rounds: ratios(p95s(bounded), p95s(alone)),
    unit: "times its p95 alone",
    target: { atMost: instances === 1 && !flood.hangsUp ? 12 : 18 },
    note: `${p95(bounded)}, alone ${p95(alone)}`,
  };
  if (unbounded === undefined) return [slowdown];

  slowdown.note += `, without any bound ${p95(unbounded)}`;
  const speeds = (rounds: Round[]) => rounds.map(({ statuses }) => (statuses["200"] ?? 0) / 4);
  const throughput: Figure = {
    name: `${name}: A's good answers`,
    rounds: ratios(speeds(bounded), speeds(unbounded)),
    unit: "of those without any bound",
    target: { atLeast: 0.7 },
    note: `${shown(median(speeds(bounded)))} a second, without any bound ${shown(median(speeds(unbounded)))}`,
  };
  return [slowdown, throughput];
}

/** The figures of all floods together, except those without any bound. */
function figuresOfAll(results: { due?: string[]; bounded: Round[] }[]): Figure[] {
  let failures = 0;
  let others = 0;
  const total: Record<string, number> = {};
  for (const { due = ["200"], bounded } of results) {
    for (const round of bounded) {
      failures += round.failures;
      for (const [status, count] of Object.entries(round.statuses)) {
        total[status] = (total[status] ?? 0) + count;
        if (!due.includes(status) && status !== "429") others += count;
      }
    }
  }
  const none = { unit: "in all", target: { atMost: 0 } };
  const note = Object.entries(total)
    .map(([status, count]) => `${shown(count)} × ${status}`)
    .join(", ");
  return [
    { name: "B's answers that are no 200", rounds: [failures], ...none },
    { name: "A's answers that are not due", rounds: [others], ...none, note },
  ];
}

/** Makes keys of a company. */
async function makeKeys({ superuser }: Database, company: number, count: number): Promise<string[]> {
  // The trigger would make the key itself, for an admin who is signed in.
  await superuser`alter table app.api_keys disable trigger user`;
  const [row] = await superuser<{ keys: string[] }[]>`
    with keys as materialized (select app.new_api_key() as key from generate_series(1, ${count}::integer)),
    stored as (
      insert into app.api_keys (company_id, name, scopes, key_hash, hint, created_by)
      select bench.id(${company}, 'company', 0), 'Bench', app.scopes(), sha256(key::bytea), '…',
        bench.id(${company}, 'member', 1)
      from keys
      returning company_id, id
    ),
    uses as (insert into app.api_key_uses (company_id, key_id) select company_id, id from stored)
    select array_agg(key) as keys from keys`;
  await superuser`alter table app.api_keys enable trigger user`;
  return row?.keys ?? [];
}

/** What the line costs where nobody waits: the processor time of B's pages, with the line and without it. */
async function costOfTheLine(sides: Server[], key: string): Promise<Figure> {
  const pages = 3000;
  const measure = (server: Server) => async () => {
    const before = processorTime(server);
    for (let page = 0; page < pages; page += 1) {
      const response = await fetch(`${server.url}/public-api/members?limit=20`, { headers: { "X-API-Key": key } });
      await response.text();
    }
    return processorTime(server) - before;
  };
  const [bounded = [], unbounded = []] = await alternate(5, sides.map(measure));
  return {
    name: "a page of 20 rows: processor time of the function",
    rounds: ratios(bounded, unbounded),
    unit: "of that without the line",
    target: { atMost: 1.02 },
    note: `${shown(median(bounded) / pages)} ms a page`,
  };
}

/** The floods of company A, of nobody, and of callers who do not behave. */
function scenariosOf(urls: string[], unboundedUrl: string, keys: { ofA: string[]; madeUp: string[] }): Scenario[] {
  const [one = "", two = ""] = urls;
  const ofA = (count: number, connections: number, request: Request, to = [one]): Flood => ({
    ...{ urls: to, keys: keys.ofA.slice(0, count), connections, request },
  });
  const made = (connections: number, more: Partial<Flood> = {}): Flood => ({
    ...{ urls: [one], keys: keys.madeUp, connections, request: page(20), ...more },
  });
  return [
    { name: "pages of 1000, 1 key", flood: ofA(1, 200, page(1000)), unboundedUrl },
    { name: "pages of 1000, 200 keys", flood: ofA(200, 200, page(1000)), unboundedUrl },
    { name: "pages of 100, 1 key", flood: ofA(1, 200, page(100)), unboundedUrl },
    { name: "GET /, 2,000 keys, 2,000 connections", flood: ofA(2000, 2000, { path: "/public-api" }) },
    { name: "imports of 500", flood: ofA(1, 200, catalogue), unboundedUrl },
    { name: "imports that hang behind a lock", flood: ofA(1, 200, catalogue), locked: true },
    { name: "pages of 1000, 200 keys, two instances", flood: ofA(200, 200, page(1000), [one, two]) },
    { name: "1,000 connections with made-up keys", flood: made(1000), due: ["401"] },
    { name: "200 connections with made-up keys that hang up", flood: made(200, { hangsUp: 30 }), due: ["401"] },
    {
      name: "120 uploads of 60 keys that never end",
      flood: { ...ofA(60, 120, largeUpload), endsAt: 7.9 * 1024 * 1024 },
      due: ["408"],
    },
  ];
}

/** What companies A and B get while A floods the service. */
export const fairness: Part = {
  name: "fairness",
  title: "Company A floods over 200 connections, company B asks for 20 members, one request after the other",
  async measure({ database, folder, progress }) {
    const filled = await database();
    const [made] = await filled.superuser<{ ofB: string; madeUp: string[] }[]>`
      select bench.key(3) as "ofB", array(select app.new_api_key() from generate_series(1, 20000)) as "madeUp"`;
    const { ofB = "", madeUp = [] } = made ?? {};
    const ofA = await makeKeys(filled, 1, 2000);
    const dataApi = await startThread("pooled_data_api.ts", filled.url);
    const start = (name: string, script?: string) =>
      startDeno(functionCommand(dataApi, script), `${folder}/${name}.log`);
    const first = await start("first");
    const second = await start("second");
    const unbounded = await start("unbounded", `${root}/scripts/bench/unbounded_function.ts`);

    const scenarios = scenariosOf([first.url, second.url], unbounded.url, { ofA, madeUp });
    const figures: Figure[] = [];
    const results = [];
    for (const scenario of scenarios) {
      progress(scenario.name);
      const rounds = await measureRounds(scenario, filled, ofB);
      figures.push(...figuresOfScenario(scenario, rounds));
      results.push({ ...scenario, bounded: rounds[1] ?? [] });
    }
    progress("what the line costs");
    figures.push(await costOfTheLine([first, unbounded], ofB));
    figures.push(...figuresOfAll(results));
    const most: Figure = {
      name: "the most memory of an instance",
      rounds: [memory(first, "VmHWM")],
      unit: "MB",
      target: { atMost: 200 },
    };
    await Promise.all([first, second, unbounded, dataApi].map(({ stop }) => stop()));
    return [...figures, most];
  },
};
