import type { Sql } from "postgres";
import type { Database } from "./database.ts";
import { type Figure, median, type Part } from "./figure.ts";

/** A call of a list: what it is an example of, its arguments after key and limit, `id('kind', n)` being an id in the first company. */
interface Page {
  group: string;
  list: string;
  name: string;
  args: string[];
}

/** Filters of each list that name a common value, a rare one with three rows, and one that nothing has. */
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
  day_ratings: { team_id: ["id('team', 1)", "id('team', 49)", "id('team', 50)"] },
  pulse_responses: {},
  rewards: {},
};
const frequencies = ["a common", "a rare", "no"] as const;

const windows: Record<string, string[]> = {
  "the new end": ["since => '2026-09-01Z'"],
  "the middle": ["since => '2026-04-01Z'", "until => '2026-07-01Z'"],
  "the old end": ["until => '2026-02-01Z'"],
  "an empty window": ["since => '2030-01-01Z'"],
};
const hasWindows = (list: string): boolean => list !== "members" && list !== "rewards";

/** Every filter of every list, alone and with every window. */
export function pages(): Page[] {
  const all: Page[] = [];
  for (const [list, values] of Object.entries(filters)) {
    const inWindows = hasWindows(list) ? Object.entries(windows) : [];
    all.push({ group: `${list}, no filter`, list, name: "everything", args: [] });
    for (const [window, args] of inWindows) all.push({ group: `${list}, windows`, list, name: window, args });
    for (const [filter, examples] of Object.entries(values)) {
      examples.forEach((value, place) => {
        const name = `${frequencies[place]} ${filter}`;
        const filtered = [`${filter} => ${value}`];
        all.push({ group: `${list}, ${filter}`, list, name, args: filtered });
        for (const [window, args] of inWindows) {
          all.push({
            group: `${list}, ${filter} and windows`,
            list,
            name: `${name}, ${window}`,
            args: [...filtered, ...args],
          });
        }
      });
    }
  }
  all.push({ group: "rewards, no filter", list: "rewards", name: "archived too", args: ["include_archived => true"] });
  return all;
}

/** Two filters at once, told but not judged. */
const together: Page[] = [
  ["activity", "a common sender, a rare receiver", "sender_id => id('member', 1)", "receiver_id => id('member', 3)"],
  ["activity", "a rare sender, a common receiver", "sender_id => id('member', 2)", "receiver_id => id('member', 1)"],
  ["activity", "a common sender, a rare category", "sender_id => id('member', 1)", "category_id => id('category', 8)"],
  [
    "activity",
    "a common receiver, a common category",
    "receiver_id => id('member', 1)",
    "category_id => id('category', 1)",
  ],
  [
    "activity",
    "a common sender and receiver that never met",
    "sender_id => id('member', 1)",
    "receiver_id => id('member', 1)",
  ],
  ["members", "a common team, a rare role", "team_id => id('team', 1)", "role => 'rare'"],
  ["members", "a rare team, a common role", "team_id => id('team', 49)", "role => 'employee'"],
].map(([list = "", name = "", ...args]) => ({ group: list, list, name, args }));

const limit = 100;

function statement({ list, args }: Page): string {
  const named = args.map((arg) => arg.replace(/id\('(\w+)', (\d+)\)/, "bench.id(1, '$1', $2)"));
  return `select public.list_${list}(bench.key_hash(1), ${[limit, ...named].join(", ")})`;
}

interface Plan {
  "Execution Time": number;
  Plan: { "Shared Hit Blocks": number; "Shared Read Blocks": number };
}

/** One call: how long the database took in milliseconds, and how many pages of 8 KiB it looked at, the key check included. */
async function look(sql: Sql, page: Page): Promise<{ ms: number; buffers: number }> {
  const explain = `explain (analyze, buffers, timing off, format json) ${statement(page)}`;
  const [row] = await sql.unsafe<{ "QUERY PLAN": Plan[] }[]>(explain);
  const plan = row?.["QUERY PLAN"][0];
  if (!plan) throw new Error("explain answered nothing");
  return {
    ms: plan["Execution Time"],
    buffers: plan.Plan["Shared Hit Blocks"] + plan.Plan["Shared Read Blocks"],
  };
}

const rounds = 15;

/** What a page answered and cost in one database. */
export interface Measured {
  page: Page;
  rows: number;
  ms: number;
  buffers: number;
}

/** The medians of a page in each database, looked at in turn and warm. */
export async function measurePage(page: Page, databases: Database[]): Promise<Measured[]> {
  const looks = databases.map(({ sql }) => ({ sql, ms: [] as number[], buffers: [] as number[], rows: 0 }));
  for (const each of looks) {
    // Warm, and with a plan: the first call of a session makes it.
    const [row] = await each.sql.unsafe(statement(page));
    each.rows = (Object.values(row ?? {})[0] as unknown[]).length;
    await look(each.sql, page);
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const each of looks) {
      const { ms, buffers } = await look(each.sql, page);
      each.ms.push(ms);
      each.buffers.push(buffers);
    }
  }
  return looks.map(({ rows, ms, buffers }) => ({ page, rows, ms: median(ms), buffers: median(buffers) }));
}

/** The largest of some, by a number. */
function worst<T>(items: readonly T[], number: (item: T) => number): T | undefined {
  return [...items].sort((a, b) => number(b) - number(a))[0];
}

/** That a page costs the same however long the history behind it: time beside a small company, and buffers beside the rows answered. */
export const flatPages: Part = {
  name: "flat-pages",
  title:
    "A page of 100 in the large company: time beside the same page in a company of 10,000 kudos, and pages of 8 KiB read",
  async measure({ databases, progress }) {
    const { small, large } = await databases();
    const groups = new Map<string, { few: Measured; many: Measured }[]>();
    for (const page of pages()) {
      progress(`${page.list}, ${page.name}`);
      const [few, many] = await measurePage(page, [small, large]);
      if (few && many) groups.set(page.group, [...(groups.get(page.group) ?? []), { few, many }]);
    }
    const figures: Figure[] = [];
    for (const [group, measured] of groups) {
      const slowest = worst(measured, ({ few, many }) => many.ms / few.ms);
      if (slowest) {
        const { few, many } = slowest;
        figures.push({
          name: `${group}: time`,
          value: many.ms / few.ms,
          unit: "times the small one",
          target: { atMost: 1.5 },
          note: `${many.page.name}: ${many.ms.toFixed(2)} ms for ${many.rows} rows, ${few.ms.toFixed(2)} ms for ${few.rows}`,
        });
      }
      const widest = worst(measured, ({ many }) => many.buffers / (60 + 12 * many.rows));
      if (widest) {
        const { many } = widest;
        figures.push({
          name: `${group}: read`,
          value: many.buffers,
          unit: "buffers",
          target: { atMost: 60 + 12 * many.rows },
          note: `${many.page.name}: ${many.rows} rows; ${measured.length} pages tried`,
        });
      }
    }
    for (const page of together) {
      progress(`${page.list}, ${page.name}`);
      const [many] = await measurePage(page, [large]);
      if (!many) continue;
      const note = `${many.rows} rows, ${many.ms.toFixed(2)} ms`;
      figures.push({ name: `${page.list}, two filters: ${page.name}`, value: many.buffers, unit: "buffers", note });
    }
    return figures;
  },
};
