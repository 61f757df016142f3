// Random text in every text column, read as CSV through the whole stack. Two independent parsers must read the same
// texts that are in the JSON of the same rows.
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import fc from "fast-check";
import papaparse from "papaparse";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newCompany, type TestCompany } from "../support/companies.ts";
import { count, tried } from "../support/counts.ts";
import { cells, lists } from "../support/model.ts";
import { call, list, sql } from "../support/stack.ts";

const paths = ["/members", "/activity", "/rewards", "/day-ratings", "/pulse-responses"];
const rows = count(150, 1000);
let company: TestCompany;
let key: string;

/** Texts that PostgreSQL can store: any Unicode except NUL and lone surrogates. */
const piece = fc.oneof(
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.constantFrom(
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
    "|",
    "\\.",
    "null",
  ),
);
const anyText = fc
  .array(piece, { minLength: 1, maxLength: 5 })
  .map((pieces) => pieces.join("").replaceAll("\0", "") || "x");

beforeAll(async () => {
  company = await newCompany("CSV of anything");
  key = (await company.makeKey()).api_key;
  const company_id = company.id;
  const texts = fc.sample(anyText, rows * 17);
  const text = (): string => texts.pop() ?? "";
  const ids = Array.from({ length: rows }, () => randomUUID());
  const insert = (table: string, made: object[]) => {
    const columns = sql(Object.keys(made[0] ?? {}));
    return sql`
      insert into app.${sql(table)} (${columns})
      select ${columns} from jsonb_populate_recordset(null::app.${sql(table)}, ${JSON.stringify(made)}::text::jsonb)`;
  };
  const rowsOf: Record<string, (id: string, index: number) => object> = {
    teams: () => ({ name: text() }),
    // An address has no spaces, but it may have quotes and commas.
    members: (id, index) => ({ name: text(), email: `"=,;${index}"@${id}`, role: text(), team_id: id }),
    categories: () => ({}),
    kudos: (id) => ({ sender_id: id, receiver_id: id, category_id: id, message: text() }),
    rewards: () => ({
      name: text(),
      description: text(),
      points_cost: 1,
      reward_type: text(),
      image_url: text(),
      vendor_name: text(),
      is_archived: false,
    }),
    day_ratings: (id) => ({ rating: 3, comment: text(), team_id: id }),
    pulse_questions: () => ({ question: text(), response_type: text() }),
    pulse_responses: (id, index) => ({
      question_id: id,
      value: [text(), [text()], -index, { a: text() }][index % 4],
      comment: text(),
    }),
  };
  for (const [table, row] of Object.entries(rowsOf)) {
    const common = { company_id, created_at: "2026-01-01Z" };
    await insert(
      table,
      ids.map((id, index) => ({ ...common, id, ...row(id, index) })),
    );
  }
  await insert(
    "category_names",
    ids.map((category_id) => ({ company_id, category_id, language: "en", name: text() })),
  );
});
afterAll(() => company.remove());

/** The exact text of a list as CSV, and the cells that it must have according to the JSON. */
async function csvAndCells(path: string, escaped: boolean): Promise<{ csv: string; expected: string[][] }> {
  const query = `${path}?limit=1000&format=csv${escaped ? "&escape_formulas=true" : ""}`;
  const bytes = await (await call(query, key)).arrayBuffer();
  const csv = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  return {
    csv,
    expected: cells(
      { path, parameters: escaped ? { escape_formulas: "true" } : {} },
      await list(`${path}?limit=1000`, key),
    ),
  };
}

// Proves: requests.44, responses.9, responses.17
test("any text in any column is read back from CSV by papaparse as it stands in the JSON", async () => {
  for (const path of paths) {
    for (const escaped of [false, true]) {
      const { csv, expected } = await csvAndCells(path, escaped);
      // A cell may begin with a byte-order mark. papaparse would remove it only at the beginning of a file, which here
      // is the header.
      const { data, errors } = papaparse.parse<string[]>(csv.replace(/\r\n$/, ""), { delimiter: ",", newline: "\r\n" });
      expect(errors).toEqual([]);
      expect(data.length).toBeGreaterThan(rows);
      expect(data).toEqual(expected);
    }
  }
  tried(`CSV: ${rows} rows of arbitrary text in each of ${paths.length} lists, read by papaparse`);
});

const readByPython = `import csv, io, json, sys
text = sys.stdin.buffer.read().decode("utf-8")
csv.field_size_limit(1 << 30)
json.dump(list(csv.reader(io.StringIO(text, newline=""), strict=True)), sys.stdout)`;

test("any text in any column is read back from CSV by Python as it stands in the JSON", async () => {
  for (const path of paths) {
    const { csv, expected } = await csvAndCells(path, false);
    const { stdout, stderr, status } = spawnSync("python3", ["-c", readByPython], { input: csv, maxBuffer: 1 << 28 });
    expect([path, status, stderr?.toString()], "python3 runs").toEqual([path, 0, ""]);
    expect(JSON.parse(stdout.toString())).toEqual(expected);
  }
  tried(`CSV: the same read by Python's csv module`);
});

// Proves: requests.42, layer.4
test("with escape_formulas=true no cell of text is left that a spreadsheet would run", async () => {
  let formulas = 0;
  for (const path of paths) {
    const { csv, expected } = await csvAndCells(path, true);
    const [header = [], ...lines] = papaparse.parse<string[]>(csv.replace(/\r\n$/, ""), {
      delimiter: ",",
      newline: "\r\n",
    }).data;
    const { csv: exact } = await csvAndCells(path, false);
    formulas += exact.split(/[,\n]"?(?=[=+@\t\r-])/).length - 1;
    // A spreadsheet also reads a negative number as a number.
    for (const line of lines)
      for (const cell of line) if (!/^-\d+$/.test(cell)) expect(cell).not.toMatch(/^[=+\-@\t\r]/);
    expect([header, lines.length]).toEqual([lists[path]?.columns, expected.length - 1]);
  }
  expect(formulas).toBeGreaterThan(20);
});
