// Loading files without a mistake (docs/operate/load-data.md): what is stored, and that nothing else changes.
import { randomUUID } from "node:crypto";
import { afterAll, beforeEach, expect, test } from "vitest";
import { type Cells, type Files, good, headers, ids, inserted, load, untouched } from "../support/loading.ts";
import { createCompany, everything, newProject, removeProjects } from "../support/two_projects.ts";

const { url, sql } = await newProject();
const other = await createCompany(sql, "Other files");
let company: string;
beforeEach(async () => {
  company = (await createCompany(sql, "Files", "de")).id;
});
afterAll(removeProjects);

const loaded = (files: Files) => load(url, company, files);

test("files may come one at a time; loading them again writes nothing, also all at once and with ids in capital letters", async () => {
  for (const [file, rows] of Object.entries(good()))
    expect((await loaded({ [file]: rows }))[file]).toEqual(inserted[file]);
  const before = await everything(sql);
  expect(await loaded(good())).toEqual(untouched);
  const files = good();
  for (const row of Object.values(files).flat()) {
    for (const [field, cell] of Object.entries(row)) if (/id$/.test(field)) row[field] = cell.toUpperCase();
  }
  expect(await loaded(files)).toEqual(untouched);
  expect(await everything(sql)).toEqual(before);
});

test("the same ids in another company are other rows", async () => {
  await load(url, other.id, good());
  const before = await everything(sql, company);
  expect(
    await loaded({ ...good(), teams: [{ id: ids.design, name: "Other" }, ...(good().teams?.slice(1) ?? [])] }),
  ).toEqual(inserted);
  expect(await everything(sql, company)).toEqual(before);
});

test("a value may nest 60 levels and hold numbers of 1000 characters, and a text may look like either", async () => {
  const values = [
    "[".repeat(60) + "]".repeat(60),
    `${'{"a":'.repeat(60)}1${"}".repeat(60)}`,
    ...["1e999", "-1e998", "[1e-998, 0.5]", JSON.stringify("[".repeat(61) + "9".repeat(1001))],
  ];
  const rows = values.map((value) => ({ ...(good().pulse_responses?.[1] as Cells), id: randomUUID(), value }));
  expect((await loaded({ pulse_responses: rows })).pulse_responses).toEqual(["6", "0", "0"]);
});

/** For each column: cells for the first row of a file, loaded one after the other. An empty one is stored as null. */
const corrections: Record<string, string[]> = {
  name: ["Inês Müller"],
  email: ["new@files.example", "New@files.example"],
  role: ["employee"],
  team_id: [ids.sales, "", ids.design],
  created_at: ["2026-03-29T01:30:00.123458+00:00", "2026-11-20T17:15:30+00:00"],
  sender_id: [ids.olaf],
  receiver_id: [ids.ines],
  category_id: [ids.speed],
  message: [" Danke "],
  rating: ["4"],
  comment: ["Regen", "", "Nebel"],
  points_awarded: ["0", "", "2147483647"],
  question: ["Wie war es?"],
  response_type: ["text", "", "scale"],
  question_id: [ids.otherQuestion, "", ids.question],
  value: ["null", "", "1", "1.0", '"1.0"'],
};

const tableOf = (file: string): string => (file === "categories" ? "category_names" : file);

/** Every row of the company, by table and key, with its fields as text. JSON is compared as text too: 1.0 is not 1. */
async function stored(): Promise<Record<string, Record<string, string | null>>> {
  const found: Record<string, Record<string, string | null>> = {};
  for (const table of ["categories", ...Object.keys(headers).map(tableOf)]) {
    const value = table === "pulse_responses" ? sql`|| jsonb_build_object('value', t.value::text)` : sql``;
    const rows = await sql`
      select jsonb_object_agg(cell.name, cell.text) as fields
      from app.${sql(table)} as t, jsonb_each_text(to_jsonb(t) - 'changed_in' ${value}) as cell (name, text) where company_id = ${company} group by t`;
    for (const { fields } of rows) found[`${table} ${fields.id ?? fields.category_id + fields.language}`] = fields;
  }
  return found;
}

test.each(Object.entries(headers))(
  "a corrected cell of each column of %s is stored, and nothing else changes",
  async (file, columns) => {
    const files = good();
    await loaded(files);
    const before = await stored();
    const row = (files[file] ?? [])[0] as Cells;
    const place = `${tableOf(file)} ${row.id}${row.language ?? ""}`;
    for (const field of columns.filter((name) => !["id", "language"].includes(name))) {
      for (const cell of corrections[field] ?? [`no correction of ${field}`]) {
        row[field] = cell;
        const counts = { ...untouched, [file]: ["0", "1", String((files[file]?.length ?? 0) - 1)] };
        expect(await loaded(files), `${field} ${cell}`).toEqual(counts);
        const value = cell === "" && `${file} ${field}` !== "pulse_responses comment" ? null : cell;
        before[place] = { ...before[place], [field]: value };
        // The first name is in the language of the company.
        if (file === "categories") before[`categories ${row.id}`] = { ...before[`categories ${row.id}`], name: value };
        expect(await stored(), `${field} ${cell}`).toEqual(before);
      }
    }
  },
);

test("a row with another key is a new row, and the one that the file no longer names stays", async () => {
  await loaded(good());
  const before = await stored();
  const files = good();
  Object.assign(files.kudos?.[1] as Cells, { id: randomUUID() });
  Object.assign(files.categories?.[0] as Cells, { language: "fr" });
  expect(await loaded(files)).toEqual({ ...untouched, kudos: ["1", "0", "1"], categories: ["1", "0", "2"] });
  const after = await stored();
  expect(after).toMatchObject(before);
  expect(Object.keys(after)).toHaveLength(Object.keys(before).length + 2);
});

test("addresses may pass from one member to another in one load", async () => {
  await loaded(good());
  const [ines, olaf] = good().members as [Cells, Cells];
  const swapped = [
    { ...ines, email: "OLAF@files.example" },
    { ...olaf, email: "ines@files.example" },
  ];
  expect((await loaded({ members: swapped })).members).toEqual(["0", "2", "0"]);
  const handedOn = [
    { ...olaf, email: "olaf@files.example" },
    { ...ines, email: "new@files.example" },
    { ...ines, id: randomUUID(), email: "ines@files.example" },
  ];
  expect((await loaded({ members: handedOn })).members).toEqual(["1", "2", "0"]);
  const emails = await sql`select email from app.members where company_id = ${company} and name <> 'First Admin'`;
  expect(emails.map(({ email }) => email).sort()).toEqual(handedOn.map(({ email }) => email).sort());
});

test("somebody who comes back with a new id has their address again when the old row gives it up, or was erased", async () => {
  await loaded(good());
  const [ines, olaf] = good().members as [Cells, Cells];
  const back = { ...ines, id: randomUUID() };
  await expect(loaded({ members: [back] })).rejects.toThrow(
    `email must be unique in the company, member ${ines.id} has it too`,
  );
  const left = { ...ines, email: `left-${ines.id}@invalid.example` };
  expect((await loaded({ members: [left, back] })).members).toEqual(["1", "1", "0"]);

  await sql`select app.erase_member(${company}, ${String(olaf.id)}, blank_messages => false)`;
  expect((await loaded({ members: [olaf] })).members, "left out").toEqual(["0", "0", "0", "1"]);
  expect((await loaded({ members: [{ ...olaf, id: randomUUID() }] })).members).toEqual(["1", "0", "0"]);
});
