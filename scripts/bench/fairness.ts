import type { Request } from "autocannon";
import type { Sql } from "postgres";
import { root } from "../stack/process.ts";
import { alternate, type Figure, median, type Part, p95, ratios, shown } from "./figure.ts";
import { functionCommand, secretKey, startDeno, startThread } from "./http.ts";
import { askOneByOne, flooded, newKey, newKeys, whileLocked } from "./neighbours.ts";

const rounds = 3;
const seconds = 4;

interface Scenario {
  name: string;
  request: Request;
  /** Measured without any bound too. */
  unbounded?: true;
  /** While A's rewards are locked most of the time. */
  locked?: true;
  /** Over two instances of the function. */
  spread?: true;
  /** With 200 keys that are none. */
  madeUp?: true;
}

const rewards = Array.from({ length: 500 }, (_, n) => ({ external_id: `fair ${n}`, name: "Mug", points_cost: n }));
const page = (limit: number): Request => ({ path: `/public-api/activity?limit=${limit}` });
const catalogue: Request = { method: "POST", path: "/public-api/rewards", body: JSON.stringify(rewards) };

/** What A sends. */
const scenarios: Scenario[] = [
  { name: "pages of 1000", request: page(1000), unbounded: true },
  { name: "pages of 100", request: page(100), unbounded: true },
  { name: "imports of 500", request: catalogue, unbounded: true },
  { name: "imports that hang behind a lock", request: catalogue, locked: true },
  { name: "pages of 1000 from two instances", request: page(1000), spread: true },
  { name: "pages with 200 made-up keys", request: page(20), madeUp: true },
];

/** What a scenario needs: the function twice and once without its line, and a key of each company. */
interface Stage {
  urls: string[];
  unbounded: string;
  ofA: string;
  ofB: string;
  superuser: Sql;
}

/** What happened in all bounded floods together. */
interface Seen {
  notAnsweredToB: number;
  statusesOfA: Record<string, number>;
}

const expected = ["200", "429", "401 for a made-up key", "429 for a made-up key"];

/** Lets the database take 1000 requests of a company at the same moment while something runs. */
async function withoutBound<T>(superuser: Sql, run: () => Promise<T>): Promise<T> {
  const setBound = (number: number) =>
    superuser.unsafe(`create or replace function app.requests_at_once() returns integer
      language sql stable set search_path = '' return ${number}`);
  const [row] = await superuser<{ bound: number }[]>`select app.requests_at_once() as bound`;
  await setBound(1000);
  return run().finally(() => setBound(row?.bound ?? 0));
}

/** Lets A flood, round by round, and says what B and A got. All statuses are counted into `seen`. */
async function tryOut(scenario: Scenario, stage: Stage, seen: Seen): Promise<Figure[]> {
  const { urls, ofA, ofB, superuser } = stage;
  const madeUp = scenario.madeUp && Array.from({ length: 200 }, newKey);
  const keys = madeUp ?? [ofA];
  const flood = { urls: scenario.spread ? urls : urls.slice(0, 1), keys, request: scenario.request, seconds };
  const good = { bounded: [] as number[], unbounded: [] as number[] };
  const bounded = async () => {
    const run = () => flooded(ofB, flood);
    const got = await (scenario.locked ? whileLocked(superuser, run) : run());
    good.bounded.push(got.good);
    seen.notAnsweredToB += got.notAnswered;
    for (const [status, count] of Object.entries(got.statuses)) {
      const kind = madeUp ? `${status} for a made-up key` : status;
      seen.statusesOfA[kind] = (seen.statusesOfA[kind] ?? 0) + count;
    }
    return got.p95;
  };
  const unbounded = async () => {
    const got = await withoutBound(superuser, () => flooded(ofB, { ...flood, urls: [stage.unbounded] }));
    good.unbounded.push(got.good);
    return got.p95;
  };
  const alone = async () => p95((await askOneByOne(urls[0] ?? "", ofB, 1000)).times);
  const sides = scenario.unbounded ? [alone, bounded, unbounded] : [alone, bounded];
  const [before = [], during = [], without = []] = await alternate(rounds, sides);

  const ms = (times: number[]) => `${shown(median(times))} ms`;
  const figures: Figure[] = [
    {
      name: `${scenario.name}: B's p95`,
      rounds: ratios(during, before),
      unit: "times its p95 alone",
      target: { atMost: 6 },
      note: `${ms(during)}, alone ${ms(before)}${scenario.unbounded ? `, without any bound ${ms(without)}` : ""}`,
    },
  ];
  if (scenario.unbounded)
    figures.push({
      name: `${scenario.name}: A's good answers`,
      rounds: ratios(good.bounded, good.unbounded),
      unit: "of those without any bound",
      target: { atLeast: 0.85 },
      note: `${shown(median(good.bounded))} a second, without any bound ${shown(median(good.unbounded))}`,
    });
  return figures;
}

/** What company B and company A get while A floods the service. */
export const fairness: Part = {
  name: "fairness",
  title: "Company A floods over 200 connections, company B asks for 20 members, one request after the other",
  async measure({ database, folder, progress }) {
    const { url, superuser } = await database();
    const [ofA = ""] = await newKeys(superuser, 1, 1);
    const [ofB = ""] = await newKeys(superuser, 3, 1);
    const dataApi = await startThread("data_api.ts", { databaseUrl: url, secretKey });
    const withoutLine = functionCommand(dataApi, `${root}/scripts/bench/unbounded_function.ts`);
    const commands = [functionCommand(dataApi), functionCommand(dataApi), withoutLine];
    const instances = await Promise.all(
      commands.map((command, n) => startDeno(command, `${folder}/function-${n}.log`)),
    );
    const [unbounded = "", ...urls] = instances.map(({ url }) => url).reverse();
    const stage = { urls, unbounded, ofA, ofB, superuser };
    const seen: Seen = { notAnsweredToB: 0, statusesOfA: {} };
    try {
      const figures: Figure[] = [];
      for (const scenario of scenarios) {
        progress(scenario.name);
        figures.push(...(await tryOut(scenario, stage, seen)));
      }
      const none = { unit: "in all", target: { atMost: 0 } };
      const statuses = Object.entries(seen.statusesOfA);
      const others = statuses.reduce((sum, [status, count]) => sum + (expected.includes(status) ? 0 : count), 0);
      const note = statuses.map(([status, count]) => `${shown(count)} × ${status}`).join(", ");
      return [
        ...figures,
        { name: "B's answers that are no 200", rounds: [seen.notAnsweredToB], ...none },
        { name: "A's answers that are neither good nor a 401 or 429 that is due", rounds: [others], ...none, note },
      ];
    } finally {
      await Promise.all([...instances.map((instance) => instance.stop()), dataApi.stop()]);
    }
  },
};
