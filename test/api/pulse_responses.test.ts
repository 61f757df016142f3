// GET /pulse-responses (docs/api.md, Pulse responses).
import papaparse from "papaparse";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newCompany, type TestCompany } from "../support/companies.ts";
import {
  call,
  combinations,
  type DemoCompany,
  dateTime,
  demo,
  expectRows,
  list,
  type Row,
  sql,
} from "../support/stack.ts";

let company: TestCompany;
beforeAll(async () => {
  company = await newCompany("Pulse");
});
afterAll(() => company.remove());

/** The rows of the tables, read without the views. */
async function answers({ id }: Pick<DemoCompany, "id">): Promise<Row[]> {
  return [
    ...(await sql<Row[]>`
      select p.id::text, ${dateTime("p.created_at")} as timestamp,
        (select q.question from app.pulse_questions q where q.company_id = p.company_id and q.id = p.question_id) as question,
        (select q.response_type from app.pulse_questions q where q.company_id = p.company_id and q.id = p.question_id) as response_type,
        p.value, p.comment
      from app.pulse_responses p where p.company_id = ${id}
      order by p.created_at desc, p.id desc`),
  ];
}

test("GET /pulse-responses answers every answer of the company, newest first, ties by id descending", async () => {
  for (const one of demo) {
    const expected = await answers(one);
    expect(expected.length).toBeGreaterThanOrEqual(800);
    expectRows(await list("/pulse-responses?limit=1000", one.key), expected);
  }
});

test("a pulse answer has id, timestamp, question, response_type, value and comment, in this order and of these types", async () => {
  for (const { key } of demo) {
    const rows = await list("/pulse-responses?limit=1000", key);
    for (const row of rows) {
      expect(row).toEqual({
        id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
        question: row.question === null ? null : expect.any(String),
        response_type: row.response_type === null ? null : expect.any(String),
        value: row.value,
        comment: expect.any(String),
      });
      expect(Object.keys(row)).toEqual(["id", "timestamp", "question", "response_type", "value", "comment"]);
    }
    expect(rows.some(({ question }) => question === null)).toBe(true);
    expect(rows.some(({ question, response_type }) => question !== null && response_type === null)).toBe(true);
  }
});

test("comment is the empty text when there is none", async () => {
  for (const one of demo) {
    const comments = (await list("/pulse-responses?limit=1000", one.key)).map(({ comment }) => comment);
    expect(comments).toContain("");
    expect(comments.every((comment) => typeof comment === "string")).toBe(true);
    expect(comments.some((comment) => comment !== "")).toBe(true);
  }
});

test("value is passed through whatever JSON it is: text, number, boolean, null, list, object", async () => {
  const values = [
    "text",
    "",
    "true",
    "5",
    'quotes " and \\ and \u2028',
    "👍🏽",
    0,
    -1,
    3.5,
    1e21,
    true,
    false,
    null,
    [],
    ["a", ["b", null]],
    {},
    { z: 1, a: { "": [true] }, ä: "ö" },
  ];
  await sql`
    insert into app.pulse_responses (company_id, value, created_at)
    select ${company.id}, value, '2026-11-20 12:00Z'::timestamptz - place * interval '1 minute'
    from jsonb_array_elements(${JSON.stringify(values)}::text::jsonb) with ordinality as v (value, place)`;
  await sql`insert into app.pulse_responses (company_id, value, created_at) values (${company.id}, null, '2026-11-19 12:00Z')`;
  const { api_key } = await company.makeKey(["read:analytics"]);
  const rows = await list("/pulse-responses", api_key);
  expect(rows.map(({ value }) => value)).toEqual([...values, null]);
  // PostgreSQL and PostgREST keep 1.10. Supabase Lite parses the JSON and writes it again as 1.1, so this test cannot
  // see whether our own code does the same.
  expectRows(rows, await answers(company));
});

test("a value that nests as deep as the loading takes is answered as it is, as JSON and as CSV", async () => {
  // The stand-in for the Data API cannot read deeper values, nor numbers beyond the range of JavaScript. They are
  // tested in test/function/csv.test.ts.
  const values = ["[".repeat(60) + "]".repeat(60), `${'{"a":'.repeat(60)}1${"}".repeat(60)}`];
  const deep = await newCompany("Deep");
  try {
    await sql`
      insert into app.pulse_responses (company_id, value, created_at)
      select ${deep.id}, value::jsonb, '2026-11-20 12:00Z'::timestamptz - place * interval '1 minute'
      from unnest(${values}::text[]) with ordinality as v (value, place)`;
    const { api_key } = await deep.makeKey(["read:analytics"]);
    const rows = await list("/pulse-responses", api_key);
    expect(rows.map(({ value }) => JSON.stringify(value))).toEqual(values);
    const csv = await (await call("/pulse-responses?format=csv", api_key)).text();
    const { data } = papaparse.parse<Row>(csv, { header: true, skipEmptyLines: true });
    expect(data.map(({ value }) => value)).toEqual(values);
  } finally {
    await deep.remove();
  }
});

test("every JSON type of value occurs in the demo data, under at least four response types", async () => {
  for (const one of demo) {
    const rows = await list("/pulse-responses?limit=1000", one.key);
    const kind = (value: unknown) => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value);
    const kinds = new Set(rows.map(({ value }) => kind(value)));
    expect(kinds).toEqual(new Set(["null", "array", "string", "number", "boolean", "object"]));
    expect(new Set(rows.map(({ response_type }) => response_type)).size).toBeGreaterThan(4);
  }
});

test("since and until filter pulse answers, alone and together", async () => {
  for (const one of demo) {
    const all = await answers(one);
    const filters = { since: String(all[600]?.timestamp), until: String(all[200]?.timestamp) };
    for (const filter of combinations(filters)) {
      const { since, until } = filter;
      const expected = all
        .filter(({ timestamp }) => !since || String(timestamp) >= since)
        .filter(({ timestamp }) => !until || String(timestamp) <= until);
      expectRows(
        await list(`/pulse-responses?${new URLSearchParams({ limit: "1000", ...filter })}`, one.key),
        expected,
      );
    }
  }
});

test("no value of a pulse answer is a person's id, name or email address, or a team's id", async () => {
  for (const { id, key } of demo) {
    const people = await sql`select id::text, name, email, team_id::text from app.members where company_id = ${id}`;
    const personal = new Set(people.flatMap(Object.values).filter((value) => value !== null));
    for (const row of await list("/pulse-responses?limit=1000", key)) {
      expect(Object.values(row).filter((value) => personal.has(value))).toEqual([]);
    }
  }
});
