import type { Sql } from "postgres";
import { compare, type Figure, median, type Part, type Run } from "./figure.ts";

const ids = (kind: string, ...numbers: number[]) => numbers.map((n) => `bench.id(:company, '${kind}', ${n})`);

/** Filters of each list, each with a common value, a rare one with three rows, and one that nothing has. */
const filters: Record<string, Record<string, string[]>> = {
  activity: {
    sender_id: ids("member", 1, 2, 4),
    receiver_id: ids("member", 1, 3, 4),
    category_id: ids("category", 1, 8, 9),
  },
  members: { team_id: ids("team", 1, 49, 50), role: ["'employee'", "'rare'", "'nobody'"] },
  rewards: {},
  day_ratings: { team_id: ids("team", 1, 49, 50) },
  pulse_responses: {},
};

const windows = {
  "": "",
  ", the new end": ", since => '2026-09-01Z'",
  ", the middle": ", since => '2026-04-01Z', until => '2026-07-01Z'",
  ", the old end": ", until => '2026-02-01Z'",
  ", an empty window": ", since => '2030-01-01Z'",
};

/** Every filter of a list: what it is an example of, and its arguments after key and limit. */
function filtered(list: string): [name: string, args: string][] {
  const values = Object.entries(filters[list] ?? {}).flatMap(([filter, [common, rare, nothing]]) =>
    Object.entries({ "a common": common, "a rare": rare, no: nothing }).map(([kind, value]): [string, string] => [
      `${kind} ${filter}`,
      `, ${filter} => ${value}`,
    ]),
  );
  return [["everything", ""], ...values];
}

/** The call of a page of a list, for a company. */
const page = (list: string, company: number, args: string) =>
  `public.list_${list}(bench.key_hash(:company), 100${args})`.replaceAll(":company", String(company));

/** A page and the one it is held against. */
type Pair = [name: string, call: string, other: string];

interface Plan {
  "Execution Time": number;
  Plan: { "Shared Hit Blocks": number; "Shared Read Blocks": number };
}

/** The milliseconds that the database takes for a page, and how many pages of 8 KiB it looks at. */
async function look(sql: Sql, call: string): Promise<{ ms: number; buffers: number }> {
  const explain = `explain (analyze, buffers, timing off, format json) select ${call}`;
  const [row] = await sql.unsafe<{ "QUERY PLAN": [Plan] }[]>(explain);
  if (!row) throw new Error("explain answered nothing");
  const [{ "Execution Time": ms, Plan: plan }] = row["QUERY PLAN"];
  return { ms, buffers: plan["Shared Hit Blocks"] + plan["Shared Read Blocks"] };
}

/** What a page costs, beside the other and beside what its rows allow. */
async function cost(sql: Sql, [name, call, other]: Pair) {
  const looks: number[] = [];
  const time = async () => {
    const { ms, buffers } = await look(sql, call);
    looks.push(buffers);
    return ms;
  };
  const { rounds, own } = await compare(9, time, async () => (await look(sql, other)).ms);
  const [{ rows } = { rows: 0 }] = await sql.unsafe<{ rows: number }[]>(`select json_array_length(${call}) as rows`);
  return { name, rows, rounds, ms: own, buffers: median(looks), allowed: 60 + 12 * rows };
}

/** The slowest and the widest of some pages. */
async function worst(sql: Sql, about: string, unit: string, pairs: Pair[]): Promise<Figure[]> {
  const costs = [];
  for (const pair of pairs) costs.push(await cost(sql, pair));
  const [slowest] = costs.toSorted((a, b) => median(b.rounds) - median(a.rounds));
  const [widest] = costs.toSorted((a, b) => b.buffers / b.allowed - a.buffers / a.allowed);
  if (!slowest || !widest) return [];
  const { name, rows, ms, rounds } = slowest;
  const note = `${name}: ${rows} rows in ${ms.toFixed(2)} ms; ${costs.length} kinds of pages`;
  const [read, target] = [`${widest.name}: ${widest.rows} rows`, { atMost: widest.allowed }];
  return [
    { name: `${about}: time`, rounds, unit, target: { atMost: 1.5 }, note },
    { name: `${about}: read`, rounds: [widest.buffers], unit: "buffers", target, note: read },
  ];
}

/** Tells the worst of the pages of each list. `held` says against what they are held. */
async function worstOfLists(
  { database, progress }: Run,
  unit: string,
  held: (list: string, sql: Sql) => Promise<{ about: string; pairs: Pair[] }>,
): Promise<Figure[]> {
  const { superuser } = await database();
  const figures: Figure[] = [];
  for (const list of Object.keys(filters)) {
    progress(list);
    const { about, pairs } = await held(list, superuser);
    figures.push(...(await worst(superuser, about, unit, pairs)));
  }
  return figures;
}

/** That a page costs the same however long the history behind it: time beside a small company, and buffers beside the rows answered. */
export const flatPages: Part = {
  name: "flat-pages",
  title: "The worst page of 100 of each list: beside a company of 10,000 kudos, and pages of 8 KiB read",
  measure: (run) =>
    worstOfLists(run, "times the small company's", async (list) => {
      const spans = Object.entries(list === "members" || list === "rewards" ? { "": "" } : windows);
      const examples = filtered(list).flatMap(([name, args]) =>
        spans.map(([window, bounds]) => [name + window, args + bounds] as const),
      );
      const pairs = examples.map(([name, args]): Pair => [name, page(list, 1, args), page(list, 2, args)]);
      return { about: list, pairs };
    }),
};

/** That the page that starts after a row far back costs what the first one costs, with every filter. */
export const deepPages: Part = {
  name: "deep-pages",
  title: "The worst page of 100 of each list that starts after a row far back: beside the first page",
  measure: (run) =>
    worstOfLists(run, "times the first page's", async (list, sql) => {
      const [start] = await sql.unsafe<{ id: string; place: number }[]>(`
        select id, place::float8 from (
          select v.id, row_number() over (order by v.instant desc, v.id desc) as place, count(*) over () as rows
          from api.${list} as v where v.company_id = bench.id(1, 'company', 0)
        ) as ordered where place = rows * 5 / 6`);
      const after = `, starting_after => '${start?.id}'`;
      const pairs = filtered(list).map(
        ([name, args]): Pair => [name, page(list, 1, args + after), page(list, 1, args)],
      );
      return { about: `${list}, after row ${start?.place.toLocaleString("en-US")}`, pairs };
    }),
};
