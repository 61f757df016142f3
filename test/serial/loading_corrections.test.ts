// Loading a corrected file (docs/operations.md, How data gets in): it corrects every column of every file, and changes
// nothing else.
import { randomUUID } from "node:crypto";
import { beforeEach, expect, test } from "vitest";
import { sql } from "../support/stack.ts";
import { type Cells, good, headers, ids, load, newLoading, tables, untouched } from "./loading.ts";

const { company, empty } = await newLoading();
beforeEach(empty);

/** For each field of a file: values for its first row, loaded one after the other, and what is then stored. */
const corrections: Record<string, Record<string, [cell: string, stored: unknown][]>> = {
  teams: { name: [["Sales", "Sales"]] },
  members: {
    name: [["Inês Müller", "Inês Müller"]],
    email: [
      ["new@files.example", "new@files.example"],
      ["New@files.example", "New@files.example"],
    ],
    role: [["employee", "employee"]],
    team_id: [
      [ids.sales, ids.sales],
      ["", null],
      [ids.design, ids.design],
    ],
    created_at: [["2026-03-29T02:30:00.123458+01:00", "2026-03-29T01:30:00.123458+00:00"]],
  },
  categories: { name: [["Miteinander", "Miteinander"]] },
  kudos: {
    sender_id: [[ids.olaf, ids.olaf]],
    receiver_id: [[ids.ines, ids.ines]],
    category_id: [[ids.speed, ids.speed]],
    message: [[" Danke ", " Danke "]],
    created_at: [["2026-11-20T23:59:59.999998Z", "2026-11-20T23:59:59.999998+00:00"]],
  },
  day_ratings: {
    rating: [["4", 4]],
    comment: [
      ["Regen", "Regen"],
      ["", null],
      ["Nebel", "Nebel"],
    ],
    team_id: [
      [ids.sales, ids.sales],
      ["", null],
      [ids.design, ids.design],
    ],
    points_awarded: [
      ["0", 0],
      ["", null],
      ["2147483647", 2147483647],
    ],
    created_at: [["2026-11-20T10:15:30-07", "2026-11-20T17:15:30+00:00"]],
  },
  pulse_questions: {
    question: [["Wie war es?", "Wie war es?"]],
    response_type: [
      ["text", "text"],
      ["", null],
      ["scale", "scale"],
    ],
  },
  pulse_responses: {
    question_id: [
      [ids.otherQuestion, ids.otherQuestion],
      ["", null],
      [ids.question, ids.question],
    ],
    value: [
      ["null", "null"],
      ["", null],
      ["1", "1"],
      ["1.0", "1.0"],
      ['"1.0"', '"1.0"'],
    ],
    comment: [
      ["gut", "gut"],
      ["", ""],
      ["besser", "besser"],
    ],
    created_at: [["2026-11-20T10:15:31Z", "2026-11-20T10:15:31+00:00"]],
  },
};

type Rows = Record<string, Record<string, unknown>>;

/**
 * Every row of the company, by table and key, as JSON. The value of a pulse response is text, so that 1.0 and 1 differ.
 */
function stored(): Promise<Rows> {
  return sql.begin(async (tx) => {
    const found: Rows = {};
    await tx`set local timezone to 'UTC'`;
    for (const table of tables) {
      const value = table === "pulse_responses" ? tx`|| jsonb_build_object('value', t.value::text)` : tx``;
      const rows = await tx`
        select to_jsonb(t) - 'changed_in' ${value} as fields from ${tx(`app.${table}`)} as t where company_id = ${company.id}`;
      for (const { fields } of rows) {
        const key = table === "category_names" ? `${fields.category_id} ${fields.language}` : fields.id;
        found[`${table} ${key}`] = fields;
      }
    }
    return found;
  });
}

test("every column of every file but its key is corrected here", () => {
  const keys = ["id", "language"];
  const columns = Object.entries(headers).map(([file, fields]) => [
    file,
    fields.filter((field) => !keys.includes(field)),
  ]);
  expect(Object.entries(corrections).map(([file, fields]) => [file, Object.keys(fields)])).toEqual(columns);
});

test.each(Object.keys(corrections))("a corrected cell of %s is stored, and nothing else changes", async (file) => {
  await load(company.id, good());
  let before = await stored();
  const files = good();
  const row = (files[file] ?? [])[0] as Cells;
  const place = file === "categories" ? `category_names ${row.id} ${row.language}` : `${file} ${row.id}`;
  for (const [field, cells] of Object.entries(corrections[file] ?? {})) {
    for (const [cell, value] of cells) {
      row[field] = cell;
      const changed = { ...untouched, [file]: ["0", "1", String((files[file]?.length ?? 0) - 1)] };
      expect(await load(company.id, files), `${field} ${cell}`).toEqual(changed);
      const after = await stored();
      expect(after, `${field} ${cell}`).toEqual({ ...before, [place]: { ...before[place], [field]: value } });
      before = after;
    }
  }
});

test("another key is another row: the one that the file names no more stays", async () => {
  await load(company.id, good());
  const before = await stored();
  const files = good();
  Object.assign(files.kudos?.[1] as Cells, { id: randomUUID() });
  Object.assign(files.categories?.[0] as Cells, { language: "fr" });
  const counts = { ...untouched, kudos: ["1", "0", "1"], categories: ["1", "0", "2"] };
  expect(await load(company.id, files)).toEqual(counts);
  const after = await stored();
  expect(after).toMatchObject(before);
  expect(Object.keys(after)).toHaveLength(Object.keys(before).length + 2);
});

test("addresses may pass from one member to another in one load", async () => {
  await load(company.id, good());
  const { members = [] } = good();
  const [ines, olaf] = members as [Cells, Cells];
  const swapped = [
    { ...ines, email: "OLAF@files.example" },
    { ...olaf, email: "ines@files.example" },
  ];
  expect((await load(company.id, { members: swapped })).members).toEqual(["0", "2", "0"]);
  const handedOn = [
    { ...olaf, email: "olaf@files.example" },
    { ...ines, email: "new@files.example" },
    { ...ines, id: randomUUID(), email: "ines@files.example" },
  ];
  expect((await load(company.id, { members: handedOn })).members).toEqual(["1", "2", "0"]);
  const emails = await sql`select email from app.members where company_id = ${company.id} order by email collate "C"`;
  expect(emails.map(({ email }) => email)).toEqual([
    company.admin_email,
    "ines@files.example",
    "new@files.example",
    "olaf@files.example",
  ]);
});
