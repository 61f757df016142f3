import type { Sql } from "postgres";
import { processorTime } from "./database.ts";
import { compare, type Figure, median, type Part, type Run, shown } from "./figure.ts";

const ids = (kind: string, ...numbers: number[]) => numbers.map((n) => `bench.id(:company, '${kind}', ${n})`);

/** The filters of each list, each with a common value, a rare one with three rows, and one without rows. */
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

const windows: [name: string, args: string][] = [
  ["", ""],
  [", the new end", ", since => '2026-09-01Z'"],
  [", the middle", ", since => '2026-04-01Z', until => '2026-07-01Z'"],
  [", the old end", ", until => '2026-02-01Z'"],
  [", an empty window", ", since => '2030-01-01Z'"],
];

/** A list without a filter and with each of its filters: a name, and the arguments after key and limit. */
function filtered(list: string): [name: string, args: string][] {
  const examples: [name: string, args: string][] = [["everything", ""]];
  for (const [filter, [common, rare, nothing]] of Object.entries(filters[list] ?? {})) {
    examples.push([`a common ${filter}`, `, ${filter} => ${common}`]);
    examples.push([`a rare ${filter}`, `, ${filter} => ${rare}`]);
    examples.push([`no ${filter}`, `, ${filter} => ${nothing}`]);
  }
  return examples;
}

/** The call of a page of 100 rows. */
const page = (list: string, company: number, args: string) =>
  `public.list_${list}(bench.key_hash(:company), 100${args})`.replaceAll(":company", String(company));

/** A page, and the one that it is compared with. */
export type Pair = [name: string, call: string, other: string];

interface Plan {
  Plan: { "Shared Hit Blocks": number; "Shared Read Blocks": number };
}

/** The number of buffers that the database reads for a page. */
async function buffersOf(sql: Sql, call: string): Promise<number> {
  const [row] = await sql.unsafe<{ "QUERY PLAN": [Plan] }[]>(`explain (analyze, buffers, format json) select ${call}`);
  if (!row) throw new Error("explain returned nothing");
  const [{ Plan: plan }] = row["QUERY PLAN"];
  return plan["Shared Hit Blocks"] + plan["Shared Read Blocks"];
}

/** Makes pages by turns, ten a round. Returns their processor times in microseconds, and what the first one reads. */
async function measurePair(sql: Sql, [name, call, other]: Pair, buffersPerRow: number) {
  const perPage = (page: string) => async () =>
    (await processorTime(sql, `do $do$ begin for n in 1..10 loop perform ${page}; end loop; end $do$`)) / 10;
  const { rounds, own } = await compare(9, perPage(call), perPage(other));
  const buffers = await buffersOf(sql, call);
  const [{ rows } = { rows: 0 }] = await sql.unsafe<{ rows: number }[]>(`select json_array_length(${call}) as rows`);
  return { name, rows, rounds, own, buffers, allowed: 60 + buffersPerRow * rows };
}

/**
 * A part's `measure`: of each list, the slowest page in comparison, and the one that reads the most of what its rows
 * allow. `pairsOf` tells what to measure of a list.
 */
export function worstOfLists(
  lists: string[],
  unit: string,
  pairsOf: (list: string, sql: Sql) => Promise<{ about: string; pairs: Pair[] }>,
  buffersPerRow = 12,
) {
  return async ({ database, progress }: Run): Promise<Figure[]> => {
    const { superuser } = await database();
    const figures: Figure[] = [];
    for (const list of lists) {
      progress(list);
      const { about, pairs } = await pairsOf(list, superuser);
      const pages = [];
      for (const pair of pairs) pages.push(await measurePair(superuser, pair, buffersPerRow));
      const [slowest] = pages.toSorted((a, b) => median(b.rounds) - median(a.rounds));
      const [widest] = pages.toSorted((a, b) => b.buffers / b.allowed - a.buffers / a.allowed);
      if (!slowest || !widest) throw new Error(`nothing to measure of ${list}`);
      const { name, rows, own, rounds } = slowest;
      const time = `${name}: ${rows} rows in ${shown(own)} µs; ${pages.length} kinds of pages`;
      const read = `${widest.name}: ${widest.rows} rows`;
      const target = { atMost: widest.allowed };
      figures.push({ name: `${about}: time`, rounds, unit, target: { atMost: 1.5 }, note: time });
      figures.push({ name: `${about}: read`, rounds: [widest.buffers], unit: "buffers", target, note: read });
    }
    return figures;
  };
}

/** Compares the pages of a large company with those of a small one. */
export const flatPages: Part = {
  name: "flat-pages",
  title: "The worst page of 100 of each list: beside a company of 10,000 kudos, and pages of 8 KiB read",
  measure: worstOfLists(Object.keys(filters), "times the small company's", async (list) => {
    const hasWindows = list !== "members" && list !== "rewards";
    const examples = filtered(list).flatMap(([name, args]) =>
      (hasWindows ? windows : [["", ""]]).map(([window, bounds]) => [`${name}${window}`, `${args}${bounds}`] as const),
    );
    return { about: list, pairs: examples.map(([name, args]) => [name, page(list, 1, args), page(list, 2, args)]) };
  }),
};

/** Compares the pages after a row far back with the first pages. */
export const deepPages: Part = {
  name: "deep-pages",
  title: "The worst page of 100 of each list that starts after a row far back: beside the first page",
  measure: worstOfLists(Object.keys(filters), "times the first page's", async (list, sql) => {
    const [start] = await sql.unsafe<{ id: string; place: number }[]>(`
      select id, place::float8 from (
        select v.id, row_number() over (order by v.instant desc, v.id desc) as place, count(*) over () as rows
        from api.${list} as v where v.company_id = bench.id(1, 'company', 0)
      ) as ordered where place = rows * 5 / 6`);
    const after = `, starting_after => '${start?.id}'`;
    return {
      about: `${list}, after row ${start?.place.toLocaleString("en-US")}`,
      pairs: filtered(list).map(([name, args]) => [name, page(list, 1, args + after), page(list, 1, args)]),
    };
  }),
};
