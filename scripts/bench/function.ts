import vectors from "../../test/vectors/api_keys.json" with { type: "json" };
import { denoCommand, functionSettings } from "../stack/edge_function.ts";
import { root } from "../stack/process.ts";
import { type Figure, median, type Part, type Target } from "./figure.ts";
import { type Call, forTime, load } from "./load.ts";
import { type Deno, startDeno, startScript } from "./processes.ts";

const rounds = 9;
const milliseconds = 800;
/** How often each is measured in a round; the fastest counts, because whatever else the machine does only ever slows. */
const runs = 2;
const connections = 4;
const key = vectors.valid[0]?.key ?? "";

/** One thing that is measured, and what it is called in the tables. */
interface Candidate {
  name: string;
  port: number;
  call: Call;
  rates: number[];
}

/** How many calls of the upstream requests with keys that cannot be one cause; each is answered with 401. */
async function callsForMalformedKeys(port: number, upstreamCalls: () => Promise<unknown>): Promise<number> {
  const keys = ["", "sk_live_", key.slice(0, -1), `${key}0`, `${key.slice(0, -1)}${key.endsWith("0") ? 1 : 0}`, "a b"];
  const calls = keys.map((text): Call => ({ path: "/activity", headers: { "X-API-Key": text }, status: 401 }));
  const before = Number(await upstreamCalls());
  await load(port, calls, connections, (answers) => answers < 1000);
  return Number(await upstreamCalls()) - before;
}

/** The function over an upstream that answers at once, beside proxies that only pass its body on. */
export const functionSpeed: Part = {
  name: "function",
  title: "The function against a bare proxy",
  async measure({ folder, progress }) {
    const upstream = await startScript<number>("upstream.ts");
    const url = `http://127.0.0.1:${upstream.first}`;
    const running: Deno[] = [];
    const start = async (name: string, command = denoCommand({}, `${root}/scripts/bench/proxy.ts`)): Promise<Deno> => {
      if (name !== "function") command.args.push(url, name);
      const deno = await startDeno(command, `${folder}/${name}.log`);
      running.push(deno);
      return deno;
    };
    try {
      const subject = await start("function", denoCommand(functionSettings(url, "sb_secret_bench")));
      const proxies = {
        streamed: await start("streamed"),
        buffered: await start("buffered"),
        parsed: await start("parsed"),
      };
      const candidate = (name: string, { port }: Deno, query: string): Candidate => {
        const call = { path: `/public-api/activity?${query}`, headers: { "X-API-Key": key }, status: 200 };
        return { name, port, call, rates: [] };
      };
      const groups = [100, 1000].map((rows) => [
        candidate("function", subject, `limit=${rows}`),
        ...Object.entries(proxies).map(([name, deno]) => candidate(`${name} by a proxy`, deno, `limit=${rows}`)),
        ...(rows === 1000 ? [candidate("function, CSV", subject, "limit=1000&format=csv")] : []),
      ]);

      for (let round = 0; round <= rounds; round++) {
        progress(round === 0 ? "warming up" : `round ${round} of ${rounds}`);
        const fastest = new Map<Candidate, number>();
        for (const each of Array.from({ length: runs }, () => groups.flat()).flat()) {
          const { perSecond } = await load(each.port, [each.call], connections, forTime(milliseconds));
          fastest.set(each, Math.max(perSecond, fastest.get(each) ?? 0));
        }
        if (round > 0) for (const [each, perSecond] of fastest) each.rates.push(perSecond);
      }
      const malformed = await callsForMalformedKeys(subject.port, upstream.ask);
      return [
        ...groups.flatMap((group, index) => groupFigures(group, [100, 1000][index] ?? 0)),
        {
          name: "calls of the upstream for 1000 malformed keys",
          value: malformed,
          unit: "calls",
          target: { atMost: 0 },
        },
      ];
    } finally {
      for (const deno of running) await deno.stop();
      await upstream.stop();
    }
  },
};

const targets: Record<string, Target> = {
  "function, 100 rows": { atLeast: 0.45 },
  "function, 1000 rows": { atLeast: 0.65 },
  "function, CSV, 1000 rows": { atLeast: 0.1 },
};

/** Each candidate's speed as a part of the streaming proxy's in the same round. */
function groupFigures(group: readonly Candidate[], rows: number): Figure[] {
  const bare = group.find(({ name }) => name.startsWith("streamed"));
  return group
    .filter((candidate) => candidate !== bare)
    .map((candidate) => {
      const name = `${candidate.name}, ${rows} rows`;
      const ratios = candidate.rates.map((rate, round) => rate / (bare?.rates[round] ?? Number.NaN));
      const [own, other] = [candidate.rates, bare?.rates ?? []].map((rates) => Math.round(median(rates)));
      const target = targets[name];
      return {
        name,
        value: median(ratios),
        unit: "of the streaming proxy",
        ...(target && { target }),
        note: `${own} of ${other} requests/s`,
      };
    });
}
