// Companies whose lists have several pages, for tests of what reads whole lists. Several rows have the same time wherever
// a page can end, and some kudos are at both ends of 2026 and just outside it.
import { afterAll } from "vitest";
import { lists as endpoints, nameOf } from "../../../cli/src/lists.ts";
import { newCompany } from "../../support/companies.ts";
import { dateTime, type Row, sql } from "../../support/stack.ts";

const messages = [
  "plain",
  'a "quoted" text, with a comma',
  "line\nbreak",
  "both\r\nof them\r\n",
  "=1+1",
  "\ttab first",
  " blanks ",
  "👩‍🔬 漢字 é",
  'a "backslash\\", at the end \\',
  "00000000-0000-4000-8000-000000000000,2026-01-01",
];

export type Year = Awaited<ReturnType<typeof makeYear>>;

/** Makes a year for a test file, and removes it after the last test. */
export async function forAllTests(make: () => Promise<Year>): Promise<Year> {
  const year = await make();
  afterAll(() => year.company.remove());
  return year;
}

/** `rows` are the kudos of 2026 with all columns, read from the tables, in the form in which the API must return them. */
export async function makeYear() {
  const company = await newCompany("Connect");
  const { id } = company;
  const { api_key } = await company.makeKey(["read:activity"]);
  await sql`insert into app.categories (company_id) values (${id})`;
  await sql`insert into app.category_names select company_id, id, 'en', 'Team, "play"' from app.categories where company_id = ${id}`;
  await sql`
    insert into app.kudos (company_id, sender_id, receiver_id, category_id, message, created_at)
    select ${id}, m.id, m.id, c.id, (${messages}::text[])[1 + n % ${messages.length}::int], t.created_at
    from app.members as m, app.categories as c, (
      select n, '2026-03-01Z'::timestamptz + n / 7 * interval '4 hours' as created_at from generate_series(1, 1200) as n
      union all
      select n, '2026-01-01Z'::timestamptz + n / 7 * interval '2 days' from generate_series(1, 1145) as n
      union all
      select 0, unnest('{2025-12-31 23:59:59.999999Z, 2026-12-31 23:59:59.999999Z, 2027-01-01Z}'::timestamptz[])
    ) as t
    where m.company_id = ${id} and c.company_id = ${id}`;
  // A person of this name is not a missing value.
  await sql`update app.members set name = 'NA' where company_id = ${id} and id = (select min(id::text)::uuid from app.members where company_id = ${id})`;
  const rows = await sql<Row[]>`
    select k.id, ${dateTime("k.created_at")} as timestamp, m.name as sender_name, m.email as sender_email,
      m.name as receiver_name, m.email as receiver_email, k.message, 'Team, "play"' as category,
      k.sender_id, k.receiver_id, k.category_id
    from app.kudos as k join app.members as m on m.id = k.sender_id
    where k.company_id = ${id} and k.created_at >= '2026-01-01Z' and k.created_at < '2027-01-01Z'
    order by k.created_at desc, k.id desc`;
  return { company, key: api_key, rows: [...rows] };
}

/** The names of all lists. */
export const lists = endpoints.map(nameOf);

/** A year, and 1100 rows in every other list, one with a cell that is longer than 131,072 characters. The key has every scope. */
export async function makeLists(): Promise<Year> {
  const year = await makeYear();
  const { id } = year.company;
  const row = (values: string) =>
    `select '${id}', ${values}, '2026-02-01Z'::timestamptz + n / 7 * interval '1 hour' from generate_series(1, 1100) as n`;
  await sql.unsafe(`
    insert into app.members (company_id, name, email, role, created_at)
    ${row(`'Ä, "' || n, 'p' || n || '@${id}.example', 'employee'`)};
    insert into app.teams (company_id, name, created_at) ${row("'Team ' || n")};
    insert into app.categories (company_id, id, created_at) ${row("gen_random_uuid()")};
    insert into app.rewards (company_id, external_id, name, description, points_cost, created_at)
    ${row(`case when n % 10 > 0 then 'sku-' || n end, 'Reward ' || n, E'two\\nlines, "quoted"', n`)};
    insert into app.day_ratings (company_id, rating, comment, created_at)
    ${row("1 + n % 5, nullif('comment ' || n, 'comment 7')")};
    insert into app.pulse_responses (company_id, value, comment, created_at) ${row("jsonb_build_object('n', rpad(n::text, case n when 1 then 140000 else 4 end)), ''")}`);
  const { api_key } = await year.company.makeKey();
  return { ...year, key: api_key };
}

/** The ids of a list's rows, read from the table, in the order of the list. */
export async function idsOf(list: string, { company }: Year): Promise<string[]> {
  const table = list === "activity" ? "kudos" : list.replace("-", "_");
  const rows = await sql<{ id: string }[]>`
    select id::text from ${sql(`app.${table}`)} where company_id = ${company.id} order by created_at desc, id desc`;
  return rows.map(({ id }) => id);
}
