// format=csv on every list (docs/api.md, CSV): read back with papaparse, and compared byte by byte.
import Papa from "papaparse";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newCompany, type TestCompany } from "../support/companies.ts";
import { lists as model } from "../support/model.ts";
import { call, demo, expectError, first, list, type Row, sql } from "../support/stack.ts";

const lists = ["/members", "/activity", "/rewards", "/day-ratings", "/pulse-responses"] as const;
const aliases = { "/users": "/members", "/kudos": "/activity" } as const;
const header = (path: (typeof lists)[number]) => model[path]?.columns ?? [];

/** Texts that break carelessly written CSV, and texts that a spreadsheet would run as a formula. */
const hostile = [
  'a "quoted" text',
  '"',
  "comma, semicolon; and\ttab",
  "line\nbreak",
  "carriage\rreturn",
  "both\r\nof them\r\n",
  "\n",
  " leading and trailing ",
  "=1+1",
  "+1",
  "-1",
  "@here",
  "\ttab first",
  "\rreturn first",
  "=first\nsecond line",
  '=HYPERLINK("https://example.com";"x")',
  "'=quoted already",
  " =a blank before",
  "👩‍🔬 é 漢字 \u2028 \ufeff",
  "\ufeffbyte-order mark first",
  "null",
  "true",
  "\\N",
];
const formula = /^[=+\-@\t\r]/;

let company: TestCompany;
let key: string;
beforeAll(async () => {
  company = await newCompany("CSV");
  key = (await company.makeKey()).api_key;
  const { id } = company;
  await sql`insert into app.categories (company_id) values (${id})`;
  await sql`insert into app.category_names select company_id, id, 'en', '=Any' from app.categories where company_id = ${id}`;
  await sql`insert into app.teams (company_id, name) values (${id}, '-Team-')`;
  for (const [n, text] of hostile.entries()) {
    await sql`
      with sender as (
        insert into app.members (company_id, name, email, team_id)
        select ${id}, ${text}, ${`=${n}@csv.example`}, t.id from app.teams as t where t.company_id = ${id}
        returning id
      ), question as (
        insert into app.pulse_questions (company_id, question, response_type) values (${id}, ${text}, '+scale') returning id
      ), reward as (
        insert into app.rewards (company_id, name, description, points_cost, reward_type, image_url, vendor_name)
        values (${id}, ${text}, ${text}, ${n}, '-type', ${text}, ${text})
      ), rating as (
        insert into app.day_ratings (company_id, rating, comment) values (${id}, 1, ${text})
      ), text_answer as (
        insert into app.pulse_responses (company_id, value, comment) values (${id}, to_jsonb(${text}::text), ${text})
      )
      insert into app.pulse_responses (company_id, value, comment)
      values (${id}, jsonb_build_array(${text}::text), ${text}), (${id}, jsonb_build_object(${text}::text, ${-n}::int), ''),
        (${id}, to_jsonb(${-n}::int), '')`;
  }
  await sql`
    insert into app.kudos (company_id, sender_id, receiver_id, category_id, message)
    select ${id}, m.id, m.id, c.id, m.name from app.members as m, app.categories as c where m.company_id = ${id} and c.company_id = ${id}`;
  await sql`update app.pulse_responses as p set question_id = q.id from app.pulse_questions as q
    where p.company_id = ${id} and q.company_id = ${id} and p.comment = q.question`;
});
afterAll(() => company.remove());

/** The lines of a CSV as cells, without the empty line after the last CRLF. */
function parse(text: string): string[][] {
  const { data, errors } = Papa.parse<string[]>(text, { delimiter: ",", newline: "\r\n" });
  expect(errors).toEqual([]);
  expect(data.at(-1), "the last line ends in CRLF too").toEqual([""]);
  return data.slice(0, -1);
}

/** The text of a cell for a value of the JSON. */
function cellOf(value: unknown): string {
  if (value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

async function csv(path: string, apiKey: string): Promise<string> {
  const response = await call(path, apiKey);
  expect(response.status).toBe(200);
  // Not text(), which would remove a byte-order mark.
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await response.arrayBuffer());
}

async function expectSameRows(
  path: (typeof lists)[number],
  query: string,
  apiKey: string,
  csvPath: string = path,
): Promise<void> {
  const rows = await list(`${path}?${query}`, apiKey);
  const cells = rows.map((row) => header(path).map((name) => cellOf(row[name])));
  expect(parse(await csv(`${csvPath}?${query}&format=csv`, apiKey))).toEqual([header(path), ...cells]);
}

test("the CSV of every list holds the rows of its JSON, cell by cell, under a header of the field names", async () => {
  for (const { key: demoKey } of demo) {
    for (const path of lists) await expectSameRows(path, "limit=1000", demoKey);
  }
});

test("the CSV of an alias is the same", async () => {
  for (const [alias, path] of Object.entries(aliases)) await expectSameRows(path, "limit=500", first.key, alias);
});

test("quotes, commas, line breaks, blanks, emoji and formulas come through CSV exactly, on every list", async () => {
  for (const path of lists) {
    await expectSameRows(path, "limit=1000", key);
    const cells = parse(await csv(`${path}?limit=1000&format=csv`, key)).flat();
    for (const text of hostile) expect(cells).toContain(text);
  }
});

test("filters, since and until choose the same rows in CSV", async () => {
  const [member] = await list("/members?limit=1&role=manager", first.key);
  await expectSameRows("/members", `role=manager&team_id=${member?.team_id}`, first.key);
  await expectSameRows("/activity", "since=2026-03-01&until=2026-03-31&limit=50", first.key);
  await expectSameRows("/rewards", "include_archived=true", first.key);
});

test("null is an empty cell, a JSON null of a pulse value too; booleans are true and false", async () => {
  const rows = await list("/pulse-responses?limit=1000", first.key);
  const cells = parse(await csv("/pulse-responses?limit=1000&format=csv", first.key)).slice(1);
  const values = rows.map(({ value }, index) => [value, cells[index]?.[4]]);
  expect(values.filter(([value]) => value === null).length).toBeGreaterThan(0);
  for (const [value, cell] of values) if (value === null) expect(cell).toBe("");
  expect(values).toContainEqual([true, "true"]);
  expect(values).toContainEqual([false, "false"]);
});

test("every line of a CSV ends in CRLF, also the last, and cells are quoted after RFC 4180", async () => {
  for (const path of lists) {
    for (const apiKey of [first.key, key]) {
      const text = await csv(`${path}?limit=1000&format=csv`, apiKey);
      // Once the quoted cells are removed, no other cell may contain a quote, and lines may be separated only by CRLF.
      const bare = text.replace(/(?<=^|,|\r\n)"(?:[^"]|"")*"(?=,|\r\n)/g, "");
      expect(bare).not.toContain('"');
      expect(bare).not.toMatch(/\r(?!\n)|(?<!\r)\n/);
      expect(bare.endsWith("\r\n")).toBe(true);
      const rows = await list(`${path}?limit=1000`, apiKey);
      expect(bare.split("\r\n")).toHaveLength(rows.length + 2);
    }
  }
});

test("a CSV without rows is the header and CRLF", async () => {
  const nobody = "00000000-0000-4000-8000-000000000000";
  expect(await csv(`/members?format=csv&team_id=${nobody}`, key)).toBe(`${header("/members").join()}\r\n`);
  expect(await csv(`/activity?format=csv&sender_id=${nobody}`, key)).toBe(`${header("/activity").join()}\r\n`);
  expect(await csv(`/day-ratings?format=csv&team_id=${nobody}`, key)).toBe(`${header("/day-ratings").join()}\r\n`);
  expect(await csv("/pulse-responses?format=csv&until=0001-01-01", key)).toBe(
    `${header("/pulse-responses").join()}\r\n`,
  );
  const empty = await newCompany("No rewards");
  const { api_key } = await empty.makeKey(["read:rewards"]);
  expect(await csv("/rewards?format=csv", api_key)).toBe(`${header("/rewards").join()}\r\n`);
  await empty.remove();
});

test("a CSV has no byte-order mark", async () => {
  for (const path of lists) {
    const bytes = new Uint8Array(await (await call(`${path}?format=csv`, first.key)).arrayBuffer());
    expect([...bytes.slice(0, 2)]).toEqual([..."id"].map((character) => character.charCodeAt(0)));
  }
});

test("a CSV is text/csv; charset=utf-8; header=present and an attachment named after its resource, under an alias too", async () => {
  for (const path of [...lists, ...(Object.keys(aliases) as (keyof typeof aliases)[])]) {
    const response = await call(`${path}?format=csv&limit=1`, first.key);
    await response.text();
    expect(response.headers.get("Content-Type")).toBe("text/csv; charset=utf-8; header=present");
    const resource = path in aliases ? aliases[path as keyof typeof aliases] : path;
    expect(response.headers.get("Content-Disposition")).toBe(`attachment; filename="${resource.slice(1)}.csv"`);
  }
});

test("limit and X-Has-More mean the same in CSV", async () => {
  for (const [limit, more] of [
    [7, "true"],
    [1000, "false"],
  ]) {
    const response = await call(`/members?format=csv&limit=${limit}`, first.key);
    expect(response.headers.get("X-Has-More")).toBe(more);
    expect(parse(await response.text()).length - 1).toBe((await list(`/members?limit=${limit}`, first.key)).length);
  }
});

/** The cells with escape_formulas: as in the JSON, with an apostrophe before text that a spreadsheet would run. */
function escaped(path: (typeof lists)[number], row: Row): string[] {
  const untouched = /^(id|team_id|created_at|timestamp|rating|points_cost|points_awarded|stock_count|is_archived)$/;
  return header(path).map((name) => {
    const value = row[name];
    if (typeof value !== "string" || untouched.test(name)) return cellOf(value ?? null);
    return formula.test(value) ? `'${value}` : value;
  });
}

test("escape_formulas=true puts a ' before text that starts with =, +, -, @, tab or CR, and touches nothing else", async () => {
  for (const apiKey of [first.key, key]) {
    for (const path of lists) {
      const cells = parse(await csv(`${path}?limit=1000&format=csv&escape_formulas=true`, apiKey)).slice(1);
      expect(cells).toEqual((await list(`${path}?limit=1000`, apiKey)).map((row) => escaped(path, row)));
    }
  }
  const names = parse(await csv("/members?format=csv&escape_formulas=true", key)).map((cells) => cells[1]);
  for (const text of ["'=1+1", "'+1", "'-1", "'@here", "'\ttab first", "'\rreturn first", "'=first\nsecond line"]) {
    expect(names).toContain(text);
  }
});

test("escape_formulas=true leaves numbers alone, a negative pulse value too", async () => {
  const cells = parse(await csv("/pulse-responses?limit=1000&format=csv&escape_formulas=true", key)).map(
    (row) => row[4],
  );
  expect(cells).toContain("-5");
  expect(cells).toContain("'-1");
});

test("errors of a CSV request are JSON", async () => {
  await expectError(
    await call("/members?format=csv&limit=0", first.key),
    400,
    "limit must be an integer from 1 to 1000",
  );
  await expectError(await call("/members?format=csv", null), 401, "Unauthorized: Invalid or missing API Key");
  const { api_key } = await company.makeKey(["read:rewards"]);
  await expectError(
    await call("/members?format=csv", api_key),
    403,
    'Forbidden: this key is missing the "read:members" scope',
  );
});
