// Random text in every text column, read as CSV through the whole stack. Two independent parsers must read the same
// texts that are in the JSON of the same rows.
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import fc from "fast-check";
import papaparse from "papaparse";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newCompany, type TestCompany } from "../support/companies.ts";
import { count, tried } from "../support/counts.ts";
import { cells } from "../support/model.ts";
import { call, list, sql } from "../support/stack.ts";

const paths = ["/members", "/activity", "/rewards", "/day-ratings", "/pulse-responses"];
const rows = count(150, 1000);
let company: TestCompany;
let key: string;

/** Texts that PostgreSQL can store: any Unicode except NUL and lone surrogates. */
const odd = [
  '"',
  '""',
  ",",
  ";",
  "\t",
  "\r",
  "\n",
  "\r\n",
  "=1+1",
  "+1",
  "-1",
  "@a",
  "'",
  " ",
  "\ufeff",
  "\u2028",
  "\\",
];
const anyText = fc
  .array(fc.oneof(fc.string({ unit: "binary", maxLength: 12 }), fc.constantFrom(...odd, "\\.", "null")), {
    maxLength: 5,
  })
  .map((pieces) => pieces.join("").replaceAll("\0", "") || "x");

beforeAll(async () => {
  company = await newCompany("CSV of anything");
  key = (await company.makeKey()).api_key;
  const texts = fc.sample(anyText, rows * 17);
  const text = (): string => texts.pop() ?? "";
  const ids = Array.from({ length: rows }, () => randomUUID());
  const rowsOf: Record<string, (id: string, index: number) => object> = {
    teams: (id) => ({ id, name: text() }),
    // An address has no spaces, but it may have quotes and commas.
    members: (id, index) => ({ id, name: text(), email: `"=,;${index}"@${id}`, role: text(), team_id: id }),
    categories: (id) => ({ id }),
    category_names: (category_id) => ({ category_id, language: "en", name: text() }),
    kudos: (id) => ({ id, sender_id: id, receiver_id: id, category_id: id, message: text() }),
    rewards: (id) => ({
      ...{ id, name: text(), description: text(), points_cost: 1, reward_type: text(), image_url: text() },
      ...{ vendor_name: text(), is_archived: false },
    }),
    day_ratings: (id) => ({ id, rating: 3, comment: text(), team_id: id }),
    pulse_questions: (id) => ({ id, question: text(), response_type: text() }),
    pulse_responses: (id, index) => ({
      ...{ id, question_id: id, comment: text() },
      value: [text(), [text()], -index, { a: text() }][index % 4],
    }),
  };
  for (const [table, row] of Object.entries(rowsOf)) {
    const made = ids.map((id, index) => ({ company_id: company.id, ...row(id, index) }));
    const columns = sql(Object.keys(made[0] ?? {}));
    await sql`
      insert into app.${sql(table)} (${columns})
      select ${columns} from jsonb_populate_recordset(null::app.${sql(table)}, ${JSON.stringify(made)}::text::jsonb)`;
  }
});
afterAll(() => company.remove());

/** The exact text of a list as CSV, and the cells that it must have according to the JSON. */
async function csvAndCells(path: string, escaped: boolean): Promise<{ csv: string; expected: string[][] }> {
  const bytes = await call(`${path}?limit=1000&format=csv${escaped ? "&escape_formulas=true" : ""}`, key);
  const csv = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await bytes.arrayBuffer());
  const asked = { path, parameters: escaped ? { escape_formulas: "true" } : {} };
  return { csv, expected: cells(asked, await list(`${path}?limit=1000`, key)) };
}

const readByPython = `import csv, io, json, sys
text = sys.stdin.buffer.read().decode("utf-8")
csv.field_size_limit(1 << 30)
json.dump(list(csv.reader(io.StringIO(text, newline=""), strict=True)), sys.stdout)`;

// Proves: requests.42, requests.44, responses.9, responses.17, layer.4
test.each(paths)(
  "%s as CSV is read by papaparse and Python as it stands in the JSON; escaped, a spreadsheet runs no cell",
  async (path) => {
    for (const escaped of [false, true]) {
      const { csv, expected } = await csvAndCells(path, escaped);
      // A cell may begin with a byte-order mark. papaparse would remove it only at the beginning of a file, which here
      // is the header.
      const { data, errors } = papaparse.parse<string[]>(csv.replace(/\r\n$/, ""), { delimiter: ",", newline: "\r\n" });
      expect(errors).toEqual([]);
      expect(data.length).toBeGreaterThan(rows);
      expect(data).toEqual(expected);
      const { stdout, stderr, status } = spawnSync("python3", ["-c", readByPython], { input: csv, maxBuffer: 1 << 28 });
      expect([status, stderr?.toString()], "python3 runs").toEqual([0, ""]);
      expect(JSON.parse(stdout.toString())).toEqual(expected);
      // A spreadsheet also reads a negative number as a number.
      const formulas = data.flat().filter((cell) => /^[=+\-@\t\r]/.test(cell) && !/^-\d+$/.test(cell));
      if (escaped) expect(formulas).toEqual([]);
      else expect(formulas.length).toBeGreaterThan(5);
    }
    tried(`CSV: ${rows} rows of arbitrary text in ${path}, read by papaparse and by Python's csv module`);
  },
);
