import type { Sql } from "postgres";
import { alternate, type Figure, median, type Part, ratios } from "./figure.ts";

/** Filters of each list, each with an argument for a common value, a rare one with three rows, and one that nothing has. */
const filters: Record<string, Record<string, [common: string, rare: string, nothing: string]>> = {
  activity: {
    sender_id: ["id('member', 1)", "id('member', 2)", "id('member', 4)"],
    receiver_id: ["id('member', 1)", "id('member', 3)", "id('member', 4)"],
    category_id: ["id('category', 1)", "id('category', 8)", "id('category', 9)"],
  },
  members: {
    team_id: ["id('team', 1)", "id('team', 49)", "id('team', 50)"],
    role: ["'employee'", "'rare'", "'nobody'"],
  },
  rewards: {},
  day_ratings: { team_id: ["id('team', 1)", "id('team', 49)", "id('team', 50)"] },
  pulse_responses: {},
};

const windows: Record<string, string[]> = {
  "": [],
  ", the new end": ["since => '2026-09-01Z'"],
  ", the middle": ["since => '2026-04-01Z'", "until => '2026-07-01Z'"],
  ", the old end": ["until => '2026-02-01Z'"],
  ", an empty window": ["since => '2030-01-01Z'"],
};

type Example = [name: string, args: string[]];

/** Arguments of a list after key and limit, by what they are an example of: every filter. */
function filtered(list: string): Example[] {
  return [
    ["everything", []],
    ...Object.entries(filters[list] ?? {}).flatMap(([filter, values]) =>
      values.map((value, n): Example => [`${["a common", "a rare", "no"][n]} ${filter}`, [`${filter} => ${value}`]]),
    ),
  ];
}

/** Every filter, alone and with every window. */
function examples(list: string): Example[] {
  if (list === "members" || list === "rewards") return filtered(list);
  return filtered(list).flatMap(([name, args]) =>
    Object.entries(windows).map(([window, bounds]): Example => [name + window, [...args, ...bounds]]),
  );
}

interface Plan {
  "Execution Time": number;
  Plan: { "Shared Hit Blocks": number; "Shared Read Blocks": number };
}

const limit = 100;

/** One page: the milliseconds that the database took for it, the pages of 8 KiB that it looked at, and its rows. */
async function look(sql: Sql, call: string): Promise<{ ms: number; buffers: number }> {
  const [row] = await sql.unsafe<{ "QUERY PLAN": Plan[] }[]>(
    `explain (analyze, buffers, timing off, format json) select ${call}`,
  );
  const plan = row?.["QUERY PLAN"][0];
  if (!plan) throw new Error("explain answered nothing");
  return { ms: plan["Execution Time"], buffers: plan.Plan["Shared Hit Blocks"] + plan.Plan["Shared Read Blocks"] };
}

/** The call of a list's page for a company: `id` in an argument is one of its ids. */
function callOf(list: string, company: number, args: string[]): string {
  const ids = args.map((arg) => arg.replace("id(", `bench.id(${company}, `));
  return `public.list_${list}(${[`bench.key_hash(${company})`, limit, ...ids].join(", ")})`;
}

/** What a page cost, and how often the time of another. */
async function compare(sql: Sql, name: string, call: string, other: string) {
  const buffers: number[] = [];
  const own = async () => {
    const page = await look(sql, call);
    buffers.push(page.buffers);
    return page.ms;
  };
  const [here = [], there] = await alternate(9, [own, async () => (await look(sql, other)).ms]);
  const [{ rows } = { rows: 0 }] = await sql.unsafe<{ rows: number }[]>(`select json_array_length(${call}) as rows`);
  return {
    name,
    rows,
    times: ratios(here, there),
    ms: median(here),
    buffers: median(buffers),
    allowed: 60 + 12 * rows,
  };
}

/** The slowest and the widest of the pages that were compared. */
function worst(title: string, measured: Awaited<ReturnType<typeof compare>>[], unit: string): Figure[] {
  const [slowest] = measured.toSorted((a, b) => median(b.times) - median(a.times));
  const [widest] = measured.toSorted((a, b) => b.buffers / b.allowed - a.buffers / a.allowed);
  if (!slowest || !widest) return [];
  return [
    {
      name: `${title}: time`,
      rounds: slowest.times,
      unit,
      target: { atMost: 1.5 },
      note: `${slowest.name}: ${slowest.rows} rows in ${slowest.ms.toFixed(2)} ms; ${measured.length} kinds of pages`,
    },
    {
      name: `${title}: read`,
      rounds: [widest.buffers],
      unit: "buffers",
      target: { atMost: widest.allowed },
      note: `${widest.name}: ${widest.rows} rows`,
    },
  ];
}

/** That a page costs the same however long the history behind it: time beside a small company, and buffers beside the rows answered. */
export const flatPages: Part = {
  name: "flat-pages",
  title: "The worst page of 100 of each list: beside a company of 10,000 kudos, and pages of 8 KiB read",
  async measure({ database, progress }) {
    const { sql } = await database();
    const figures: Figure[] = [];
    for (const list of Object.keys(filters)) {
      progress(list);
      const measured = [];
      for (const [name, args] of examples(list))
        measured.push(await compare(sql, name, callOf(list, 1, args), callOf(list, 2, args)));
      figures.push(...worst(list, measured, "times the small company's"));
    }
    return figures;
  },
};

/** That the page that starts after a row far back costs what the first one costs, with every filter. */
export const deepPages: Part = {
  name: "deep-pages",
  title: "The worst page of 100 of each list that starts after a row far back: beside the first page",
  async measure({ database, progress }) {
    const { sql } = await database();
    const figures: Figure[] = [];
    for (const list of Object.keys(filters)) {
      progress(list);
      const [row] = await sql.unsafe<{ id: string; place: number }[]>(`
        select id, place::float8 from (
          select v.id, row_number() over (order by v.instant desc, v.id desc) as place, count(*) over () as rows
          from api.${list} as v where v.company_id = bench.id(1, 'company', 0)
        ) as ordered where place = rows * 5 / 6`);
      const measured = [];
      for (const [name, args] of filtered(list)) {
        const deep = callOf(list, 1, [...args, `starting_after => '${row?.id}'`]);
        measured.push(await compare(sql, name, deep, callOf(list, 1, args)));
      }
      const title = `${list}, after row ${row?.place.toLocaleString("en-US")}`;
      figures.push(...worst(title, measured, "times the first page's"));
    }
    return figures;
  },
};
