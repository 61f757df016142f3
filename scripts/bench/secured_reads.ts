import { type Candidate, candidates, type List, lists, makeBareFunctions } from "./bare.ts";
import { type Figure, median, type Part } from "./figure.ts";
import { throughput } from "./throughput.ts";

/**
 * How many rows, the target, and how many runs of a second each side has in a pair, of which the fastest counts: whatever else the
 * machine does only ever slows a run. More where less is between the figures and the target.
 */
const limits = [
  { rows: 20, atLeast: 0.7, runs: 3 },
  { rows: 100, atLeast: 0.8, runs: 2 },
  { rows: 1000, atLeast: 0.85, runs: 2 },
] as const;
const pairs = 9;

/** The large company, two more giants and five small ones, each as often as the others. All of them fill the page. */
const companies = [1, 2, 3, 4, 5, 6, 7, 8];

const secured = (list: List, rows: number) =>
  companies.map((company) => ({ company, call: `public.list_${list}($key, ${rows})` }));
const bare = (list: List, candidate: Candidate, rows: number) =>
  companies.map((company) => ({ company, call: `bench.${candidate}_${list}($company, ${rows})` }));

/** What a page costs with key, scope, policies and headers, beside the fastest text that answers the same rows, and whether there are more, without them. */
export const securedReads: Part = {
  name: "secured-reads",
  title: "A secured page beside a bare one: throughput, 4 connections",
  async measure({ databases, folder, progress }) {
    const { url, superuser } = (await databases()).large;
    await makeBareFunctions(superuser);
    const known = await superuser<{ company: number; id: string; key: string }[]>`
      select company, bench.id(company, 'company', 0) as id, bench.key_hash(company) as key from bench.companies`;
    const byNumber = new Map(known.map((company) => [company.company, company]));
    const statements = (calls: { company: number; call: string }[]) =>
      calls.map(({ company, call }) => {
        const { id, key } = byNumber.get(company) ?? { id: "", key: "" };
        return `select ${call.replace("$key", `'${key}'`).replace("$company", `'${id}'`)}`;
      });
    const { tool, of } = await throughput(folder);
    const figures: Figure[] = [];
    for (const list of lists) {
      for (const { rows, atLeast, runs } of limits) {
        progress(`${list}, ${rows} rows`);
        const speeds = new Map<Candidate, number>(candidates.map((candidate) => [candidate, 0]));
        for (const candidate of [...candidates, ...candidates]) {
          const speed = await of(url, statements(bare(list, candidate, rows)), 1);
          speeds.set(candidate, Math.max(speed, speeds.get(candidate) ?? 0));
        }
        const [[fastest] = ["numbered" as const]] = [...speeds].sort(([, a], [, b]) => b - a);
        const ratios: number[] = [];
        const answered: number[] = [];
        for (let pair = 0; pair < pairs; pair += 1) {
          const sides = [secured(list, rows), bare(list, fastest, rows)].map((calls) => ({ calls, speed: 0 }));
          // Whoever is first in one pair is second in the next.
          const order = pair % 2 === 0 ? sides : sides.toReversed();
          for (let run = 0; run < runs; run += 1) {
            for (const side of order) side.speed = Math.max(side.speed, await of(url, statements(side.calls), 1));
          }
          const [here, there] = sides.map(({ speed }) => speed);
          ratios.push((here ?? 0) / (there ?? 0));
          answered.push(here ?? 0);
        }
        figures.push({
          name: `${list}, ${rows} rows`,
          value: median(ratios),
          unit: "of the bare page",
          target: { atLeast },
          note: `${Math.round(median(answered))} a second by ${tool}; bare: ${fastest}`,
        });
      }
    }
    return figures;
  },
};
