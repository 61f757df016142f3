// Companies that a test creates for itself. The kudos of makeYear fill several windows in 2026: one month has over
// 1000, several have the same time wherever a window can end, and some are at both ends of the year and just outside
// it.
import { newCompany, type TestCompany } from "../../support/companies.ts";
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
  "00000000-0000-4000-8000-000000000000,2026-01-01",
];

export interface Customer {
  company: TestCompany;
  key: string;
}

export interface Year extends Customer {
  /** The rows of 2026, read from the tables, in the form in which the API must return them. */
  rows: Row[];
  /** The same rows with the columns that can be included. */
  exported: Row[];
}

async function makeCustomer(): Promise<Customer> {
  const company = await newCompany("Connect");
  const { id } = company;
  const { api_key } = await company.makeKey(["read:activity"]);
  await sql`insert into app.categories (company_id) values (${id})`;
  await sql`insert into app.category_names select company_id, id, 'en', 'Team, "play"' from app.categories where company_id = ${id}`;
  return { company, key: api_key };
}

/** A company whose 1001 kudos, or as many as given, all have the same time in 2026. */
export async function makeCrowd(size = 1001): Promise<Customer> {
  const customer = await makeCustomer();
  const { id } = customer.company;
  await sql`
    insert into app.kudos (company_id, sender_id, receiver_id, category_id, message, created_at)
    select ${id}, m.id, m.id, c.id, 'crowd', '2026-06-15 12:00Z'
    from app.members as m, app.categories as c, generate_series(1, ${size})
    where m.company_id = ${id} and c.company_id = ${id}`;
  return customer;
}

export async function makeYear(): Promise<Year> {
  const customer = await makeCustomer();
  const { id } = customer.company;
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
  const rows = await sql<Row[]>`
    select k.id, ${dateTime("k.created_at")} as timestamp, m.name as sender_name, m.email as sender_email,
      m.name as receiver_name, m.email as receiver_email, k.message, 'Team, "play"' as category,
      k.sender_id, k.receiver_id, k.category_id
    from app.kudos as k join app.members as m on m.id = k.sender_id
    where k.company_id = ${id} and k.created_at >= '2026-01-01Z' and k.created_at < '2027-01-01Z'
    order by k.created_at desc, k.id desc`;
  const exported = rows.map((row) => ({ ...row }));
  return { ...customer, exported, rows: exported.map(({ sender_id, receiver_id, category_id, ...row }) => row) };
}

/** The newest rows of the year. */
export const onePage = ({ rows }: Year): Row[] => rows.slice(0, 99);
