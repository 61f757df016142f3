import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { Request } from "autocannon";
import { root } from "../stack/process.ts";
import { type Database, pgbench } from "./database.ts";
import { alternate, type Figure, median, type Part, ratios, shown } from "./figure.ts";
import type { Flood } from "./flood.ts";
import { functionCommand, startDeno, startThread } from "./http.ts";

/** A flood of company A. */
interface Scenario {
  name: string;
  flood: Flood;
  /** The status that A gets when the limits do not refuse the request; 200 if it is not given. */
  due?: "401";
  /** Another transaction locks A's rewards most of the time. */
  locked?: true;
  /** Also measured with an instance that has no queue, while the database accepts 1000 requests of A at once. */
  unboundedUrl?: string;
}

const rewards = Array.from({ length: 500 }, (_, n) => ({ external_id: `fair ${n}`, name: "Mug", points_cost: n }));
const catalogue: Request = { method: "POST", path: "/public-api/rewards", body: JSON.stringify(rewards) };
const page = (limit: number): Request => ({ path: `/public-api/activity?limit=${limit}` });

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

/** B asks for 20 members, one request after the other. */
async function askAsB(url: string, key: string, milliseconds: number): Promise<Round> {
  const times: number[] = [];
  let failures = 0;
  const end = performance.now() + milliseconds;
  while (performance.now() < end) {
    const begin = performance.now();
    const response = await fetch(`${url}/public-api/members?limit=20`, { headers: { "X-API-Key": key } });
    await response.text();
    times.push(performance.now() - begin);
    if (response.status !== 200) failures += 1;
  }
  times.sort((a, b) => a - b);
  return { p95: times[Math.ceil(times.length * 0.95) - 1] ?? Number.NaN, failures, statuses: {} };
}

/** B asks while A floods the same instance. */
async function askDuringFlood(key: string, flood: Flood): Promise<Round> {
  const [url = ""] = flood.urls;
  const worker = new Worker(new URL("flood.ts", import.meta.url), { workerData: flood });
  const flooding = once(worker, "message");
  await sleep(500);
  const round = await askAsB(url, key, 3000);
  const [statuses] = await flooding;
  // The answer to this request comes after those to the flood. So the next round begins with empty queues.
  await askAsB(url, key, 1);
  return { ...round, statuses };
}

/** Three rounds each of B alone, of B while A floods, and of B while A floods without any bound. */
async function measureRounds(scenario: Scenario, { url, superuser }: Database, keyOfB: string): Promise<Round[][]> {
  const { flood, locked, unboundedUrl } = scenario;
  const alone = () => askAsB(flood.urls[0] ?? "", keyOfB, 1000);
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

function figuresOfScenario(name: string, [alone = [], bounded = [], unbounded]: Round[][]): Figure[] {
  const p95s = (rounds: Round[]) => rounds.map(({ p95 }) => p95);
  const p95 = (rounds: Round[]) => `${shown(median(p95s(rounds)))} ms`;
  const slowdown: Figure = {
    name: `${name}: B's p95`,
    rounds: ratios(p95s(bounded), p95s(alone)),
    unit: "times its p95 alone",
    target: { atMost: 6 },
    note: `${p95(bounded)}, alone ${p95(alone)}`,
  };
  if (unbounded === undefined) return [slowdown];

  slowdown.note += `, without any bound ${p95(unbounded)}`;
  const speeds = (rounds: Round[]) => rounds.map(({ statuses }) => (statuses["200"] ?? 0) / 4);
  const throughput: Figure = {
    name: `${name}: A's good answers`,
    rounds: ratios(speeds(bounded), speeds(unbounded)),
    unit: "of those without any bound",
    target: { atLeast: 0.85 },
    note: `${shown(median(speeds(bounded)))} a second, without any bound ${shown(median(speeds(unbounded)))}`,
  };
  return [slowdown, throughput];
}

/** The figures of all floods together, except those without any bound. */
function figuresOfAll(results: { due?: "401"; bounded: Round[] }[]): Figure[] {
  let failures = 0;
  let others = 0;
  const total: Record<string, number> = {};
  for (const { due = "200", bounded } of results) {
    for (const round of bounded) {
      failures += round.failures;
      for (const [status, count] of Object.entries(round.statuses)) {
        total[status] = (total[status] ?? 0) + count;
        if (status !== due && status !== "429") others += count;
      }
    }
  }
  const none = { unit: "in all", target: { atMost: 0 } };
  const note = Object.entries(total)
    .map(([status, count]) => `${shown(count)} × ${status}`)
    .join(", ");
  return [
    { name: "B's answers that are no 200", rounds: [failures], ...none },
    { name: "A's answers that are neither good nor a 401 or 429 that is due", rounds: [others], ...none, note },
  ];
}

/** What companies A and B get while A floods the service. */
export const fairness: Part = {
  name: "fairness",
  title: "Company A floods over 200 connections, company B asks for 20 members, one request after the other",
  async measure({ database, folder, progress }) {
    const filled = await database();
    const [made] = await filled.superuser<{ ofA: string; ofB: string; madeUp: string[] }[]>`
      select bench.key(1) as "ofA", bench.key(3) as "ofB",
        array(select app.new_api_key() from generate_series(1, 200)) as "madeUp"`;
    const { ofA = "", ofB = "", madeUp = [] } = made ?? {};
    const dataApi = await startThread("pooled_data_api.ts", filled.url);
    const start = (name: string, script?: string) =>
      startDeno(functionCommand(dataApi, script), `${folder}/${name}.log`);
    const first = await start("first");
    const second = await start("second");
    const unbounded = await start("unbounded", `${root}/scripts/bench/unbounded_function.ts`);

    const toOne = (request: Request): Flood => ({ urls: [first.url], keys: [ofA], request });
    const toTwo: Flood = { ...toOne(page(1000)), urls: [first.url, second.url] };
    const unboundedUrl = unbounded.url;
    const scenarios: Scenario[] = [
      { name: "pages of 1000", flood: toOne(page(1000)), unboundedUrl },
      { name: "pages of 100", flood: toOne(page(100)), unboundedUrl },
      { name: "imports of 500", flood: toOne(catalogue), unboundedUrl },
      { name: "imports that hang behind a lock", flood: toOne(catalogue), locked: true },
      { name: "pages of 1000 from two instances", flood: toTwo },
      { name: "pages with 200 made-up keys", flood: { ...toOne(page(20)), keys: madeUp }, due: "401" },
    ];
    const figures: Figure[] = [];
    const results = [];
    for (const scenario of scenarios) {
      progress(scenario.name);
      const rounds = await measureRounds(scenario, filled, ofB);
      figures.push(...figuresOfScenario(scenario.name, rounds));
      results.push({ ...scenario, bounded: rounds[1] ?? [] });
    }
    await Promise.all([first, second, unbounded, dataApi].map(({ stop }) => stop()));
    return [...figures, ...figuresOfAll(results)];
  },
};
