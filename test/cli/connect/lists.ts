// A company whose lists all have several pages. Several rows have the same time wherever a page can end. It is for
// tests of what reads whole lists.
import { sql } from "../../support/stack.ts";
import { type Customer, makeYear, type Year } from "./year.ts";

/** The lists, and the tables that hold their rows. */
const tables = {
  members: "members",
  teams: "teams",
  activity: "kudos",
  categories: "categories",
  rewards: "rewards",
  "day-ratings": "day_ratings",
  "pulse-responses": "pulse_responses",
} as const;

export type List = keyof typeof tables;
export const lists = Object.keys(tables) as List[];

const size = 1100;

export async function makeLists(): Promise<Year> {
  const year = await makeYear();
  const { id } = year.company;
  const at = sql`'2026-02-01Z'::timestamptz + n / 7 * interval '1 hour'`;
  await sql`
    insert into app.members (company_id, name, email, role, created_at)
    select ${id}, 'Ä, "' || n, n || '@' || ${id} || '.example', 'employee', ${at} from generate_series(1, ${size}) as n`;
  await sql`
    insert into app.teams (company_id, name, created_at)
    select ${id}, 'Team ' || n, ${at} from generate_series(1, ${size}) as n`;
  await sql`
    insert into app.categories (company_id, created_at) select ${id}, ${at} from generate_series(1, ${size}) as n`;
  await sql`
    insert into app.rewards (company_id, external_id, name, description, points_cost, created_at)
    select ${id}, case when n % 10 > 0 then 'sku-' || n end, 'Reward ' || n, E'two\nlines, "quoted"', n, ${at} from generate_series(1, ${size}) as n`;
  await sql`
    insert into app.day_ratings (company_id, rating, comment, created_at)
    select ${id}, 1 + n % 5, nullif('comment ' || n, 'comment 7'), ${at} from generate_series(1, ${size}) as n`;
  await sql`
    insert into app.pulse_responses (company_id, value, comment, created_at)
    select ${id}, jsonb_build_object('n', n), '', ${at} from generate_series(1, ${size}) as n`;
  const { api_key } = await year.company.makeKey();
  return { ...year, key: api_key };
}

/** The ids of a list's rows, read from the table, in the order of the list. */
export async function idsOf(list: List, { company }: Customer): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id::text from ${sql(`app.${tables[list]}`)} where company_id = ${company.id} order by created_at desc, id desc`;
  return rows.map(({ id }) => id);
}

export async function addKudos({ company }: Customer, ...times: string[]): Promise<void> {
  await sql`
    insert into app.kudos (company_id, sender_id, receiver_id, category_id, message, created_at)
    select company_id, sender_id, receiver_id, category_id, E'new, "quoted"\nline', t.created_at
    from (select * from app.kudos where company_id = ${company.id} limit 1) as k, unnest(${times}::timestamptz[]) as t (created_at)`;
}
