// Loading files (docs/operate/load-data.md): what is stored, that nothing else changes, and which mistakes are refused.
import { randomUUID } from "node:crypto";
import { afterAll, beforeEach, expect, test } from "vitest";
import { type Cells, type Files, good, headers, ids, inserted, load, stage, untouched } from "../support/loading.ts";
import { createCompany } from "../support/project_companies.ts";
import { everything, newProject, removeProjects } from "../support/two_projects.ts";
import { noTeam } from "../support/world.ts";

const { url, sql } = await newProject();
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

test("a value may nest 60 levels and hold numbers of 1000 characters, and a text may look like either", async () => {
  const values = [
    "[".repeat(60) + "]".repeat(60),
    `${'{"a":'.repeat(60)}1${"}".repeat(60)}`,
    ...["1e999", "-1e998", "[1e-998, 0.5]", JSON.stringify("[".repeat(61) + "9".repeat(1001))],
  ];
  const rows = values.map((value) => ({ ...(good().pulse_responses?.[1] as Cells), id: randomUUID(), value }));
  expect((await loaded({ pulse_responses: rows })).pulse_responses).toEqual(["6", "0", "0"]);
});

/** Cells for the first row of a file, loaded one after the other. In other columns it is the cell of the second row. */
const corrections: Record<string, string[]> = {
  email: ["new@files.example", "New@files.example"],
  created_at: ["2026-03-29T01:30:00.123458+00:00", "2026-11-20T17:15:30+00:00"],
  receiver_id: [ids.ines],
  category_id: [ids.speed],
  value: ["null", "", "1", "1.0", '"1.0"'],
  sender_team_then_id: [ids.sales, noTeam],
  receiver_team_then_id: [noTeam, randomUUID()],
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

test.each(Object.entries(headers))("each corrected cell of %s is stored, and nothing else", async (file, columns) => {
  const files = good();
  await loaded(files);
  const before = await stored();
  const [row, second] = files[file] as [Cells, Cells];
  const place = `${tableOf(file)} ${row.id}${row.language ?? ""}`;
  for (const field of columns.filter((name) => !["id", "language"].includes(name))) {
    for (const cell of corrections[field] ?? [second[field] ?? "", String(row[field])]) {
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
});

// Proves: questions.14
test("teams of a kudos that the file does not say stay, of a new kudos are those of now; another person's are unknown", async () => {
  const files = good();
  const [kudos] = files.kudos as [Cells];
  const teams = async (changed: Cells) => {
    Object.assign(kudos, changed);
    const { kudos: counts } = await loaded(files);
    const [row] = await sql`
      select sender_team_then_id as sender, receiver_team_then_id as receiver from app.kudos
      where company_id = ${company} and id = ${String(kudos.id)}`;
    expect((await loaded(files)).kudos, "loaded again").toEqual(untouched.kudos);
    return [row?.sender, row?.receiver, counts?.join()];
  };
  kudos.created_at = new Date().toISOString();
  expect(await teams({})).toEqual([ids.design, noTeam, "2,0,0"]);
  expect(await teams({ sender_team_then_id: ids.sales })).toEqual([ids.sales, noTeam, "0,1,1"]);
  expect(await teams({ sender_team_then_id: "", message: "new" })).toEqual([ids.sales, noTeam, "0,1,1"]);
  expect(await teams({ sender_id: ids.olaf })).toEqual([null, noTeam, "0,1,1"]);
  // Of the second one, a colleague, the file says the same.
  for (const receiver_id of [ids.ines, ids.olaf])
    expect(await teams({ receiver_id, receiver_team_then_id: ids.design })).toEqual([null, ids.design, "0,1,1"]);
});

test("addresses may pass from one member to another in one load", async () => {
  await loaded(good());
  const [ines, olaf] = good().members as [Cells, Cells];
  const at = (name: string, member: Cells): Cells => ({ ...member, email: `${name}@files.example` });
  expect((await loaded({ members: [at("OLAF", ines), at("ines", olaf)] })).members).toEqual(["0", "2", "0"]);
  const handedOn = [at("olaf", olaf), at("new", ines), at("ines", { ...ines, id: randomUUID() })];
  expect((await loaded({ members: handedOn })).members).toEqual(["1", "2", "0"]);
  const emails = await sql`select email from app.members where company_id = ${company} and name <> 'First Admin'`;
  expect(emails.map(({ email }) => email).sort()).toEqual(handedOn.map(({ email }) => email).sort());
});

test("somebody who comes back with a new id has their address again when the old row gives it up, or was erased", async () => {
  await loaded(good());
  const [ines, olaf] = good().members as [Cells, Cells];
  const back = { ...ines, id: randomUUID(), email: "INES@files.example" };
  const taken = `email must be unique in the company, member ${ines.id} has it too`;
  await expect(loaded({ members: [back] })).rejects.toThrow(taken);
  const left = { ...ines, email: `left-${ines.id}@invalid.example` };
  expect((await loaded({ members: [left, back] })).members).toEqual(["1", "1", "0"]);

  await sql`select app.erase_member(${company}, ${String(olaf.id)}, blank_messages => false)`;
  expect((await loaded({ members: [olaf] })).members, "left out").toEqual(["0", "0", "0", "1"]);
  expect((await loaded({ members: [{ ...olaf, id: randomUUID() }] })).members).toEqual(["1", "0", "0"]);
});

// Files with a mistake: the error names the mistake, and nothing is written. The rows that the files name are there.
const full = await createCompany(sql, "Files");
await load(url, full.id, good());

/** The message with which this load is refused. Checks that it has written nothing. */
async function refusal(files: Files, id = full.id): Promise<string> {
  const before = await everything(sql);
  const message = await load(url, id, files).then(String, (error: Error) => error.message);
  expect(await everything(sql)).toEqual(before);
  return message;
}

const label = (field: string, length: number) =>
  `${field} must be one line of 1 to ${length} characters without blanks around it`;
const dateTime = "created_at must be an ISO 8601 date-time with a zone, such as 2026-11-20T10:15:30Z";
const json = 'value must be JSON of at most 10000 characters (such as 4, true or "yes") or empty';
const comment = "comment must be 1 to 10000 characters or empty";
const deep = (levels: number) => "[".repeat(levels) + "]".repeat(levels);

const rating = "rating must be a whole number from 1 to 5";
const email = "email must be an email address";
const points = "points_awarded must be a whole number from 0 to 2147483647 or empty";
const tooDeep = "value must nest at most 60 levels of arrays and objects or empty";
const tooLong = "value must hold numbers of at most 1000 characters each, written out or empty";

/** File, field, error message, and cells that must be refused. */
const refused: [file: string, field: string, problem: string, ...cells: string[]][] = [
  ...Object.keys(headers).flatMap((file): [string, string, string, ...string[]][] => [
    [file, "id", "id must be a uuid", "", "7", `{${ids.kudos}}`, `${ids.design}\n`, ` ${ids.design}`],
    [file, "id", "id must be a uuid", ids.kudos.replaceAll("-", "")],
  ]),
  ["teams", "name", label("name", 255), "", " Design", "Design ", "De\nsign", "Design\u00a0", "x".repeat(256)],
  ["members", "name", label("name", 255), "", "\tInês", "I\u0007nês"],
  ["members", "role", label("role", 50), "", "admin ", "x".repeat(51)],
  ["members", "email", email, "", "ines", "ines@", "@files.example", "a@b@c", "i n@x.example"],
  ["members", "email", email, `${"x".repeat(320)}@files.example`],
  ["members", "team_id", "team_id must be a uuid or empty", "design"],
  ["members", "created_at", dateTime, "epoch"],
  ["categories", "language", "language must be a language tag, such as en or pt-BR", "", "EN", "english", "en_US"],
  ["categories", "name", label("name", 255), ""],
  ["kudos", "sender_id", "sender_id must be a uuid", "", "ines@files.example"],
  ["kudos", "receiver_id", "receiver_id must be a uuid", ""],
  ["kudos", "category_id", "category_id must be a uuid", "", "Teamwork"],
  ["kudos", "message", "message must be 1 to 10000 characters", "", "x".repeat(10001)],
  ["kudos", "created_at", dateTime, "", "infinity", "-infinity", "now", "yesterday", "2026-11-20", "1763633730"],
  ["kudos", "created_at", dateTime, "2026-11-20T10:15:30", "2026-11-20 10:15:30Z", "20.11.2026 10:15"],
  ["kudos", "created_at", dateTime, "2026-02-29T10:15:30Z", "2026-11-20T24:00:00Z", "2026-11-20T10:15:60Z"],
  ["kudos", "created_at", dateTime, "2026-11-20T10:15:30Z\n", "0000-01-01T00:00:00Z", "10000-01-01T00:00:00Z"],
  ["kudos", "created_at", dateTime, "9999-12-31T23:59:59-01:00", "0001-01-01T00:00:00+01:00"],
  ["kudos", "created_at", dateTime, "2026-11-20T10:15:30+16:00", "2026-11-20T10:15:30 Europe/Berlin"],
  ["day_ratings", "created_at", dateTime, "today"],
  ["day_ratings", "rating", rating, "", "0", "6", "4.0", "1e0", "05", "+4", " 4", "٤", "five", "99999999999999999999"],
  ["day_ratings", "comment", comment, "x".repeat(10001)],
  ["day_ratings", "points_awarded", points, "-1", "1.5", "2147483648", "NaN", "0x10", "1_000"],
  ["day_ratings", "team_id", "team_id must be a uuid or empty", "x"],
  ["pulse_questions", "question", "question must be 1 to 2000 characters", "", "x".repeat(2001)],
  ["pulse_questions", "response_type", `${label("response_type", 50)} or empty`, " scale", "x".repeat(51)],
  ["pulse_responses", "created_at", dateTime, "allballs"],
  ["pulse_responses", "question_id", "question_id must be a uuid or empty", "1"],
  ["pulse_responses", "value", json, "yes", "{", "NaN", "'a'", "4,", '"\\u0000"', '"\\ud800"', "1e400000"],
  ["pulse_responses", "value", json, `"${"x".repeat(9999)}"`, "[".repeat(1_000_000)],
  ["pulse_responses", "value", tooDeep, deep(61), `${'{"a":'.repeat(61)}1${"}".repeat(61)}`, deep(5000)],
  ["pulse_responses", "value", tooLong, "1e1000", "1e131071", '[{"a": -1e999}]', "1e-999"],
  ["pulse_responses", "value", tooLong, `[${"1e131071,".repeat(99)}1]`],
  ["pulse_responses", "comment", comment, "x".repeat(10001)],
];

test.each(refused)("%s: %s", async (file, field, problem, ...cells) => {
  const rows = cells.map((cell) => ({ ...(good()[file]?.[0] as Cells), id: randomUUID(), [field]: cell }));
  // Only the tested field may be wrong, so no two members have the same address.
  if (file === "members" && field !== "email") for (const row of rows) row.email = `${randomUUID()}@files.example`;
  const connection = await sql.reserve();
  await connection`begin`;
  await stage(connection, { [file]: rows });
  const found = await connection`select problem from app.staging_problems(${full.id}) where file = ${file}`;
  await connection`rollback`;
  connection.release();
  expect(found.map((row) => row.problem)).toEqual(rows.map(() => problem));
});

test("lines are counted as an editor counts them, however many a cell has", async () => {
  const row = good().kudos?.[1] as Cells;
  const kudos = [
    { ...row, id: randomUUID(), message: "one\ntwo\nthree" },
    { ...row, id: randomUUID(), message: "one\r\n" },
    { ...row, id: "?" },
    { ...row, id: "!", message: "\n\n" },
  ];
  expect(await refusal({ kudos })).toBe("kudos line 7: id must be a uuid; kudos line 8: id must be a uuid");
});

test("ids, categories' languages and addresses must be unique, and the first line that has them is named", async () => {
  const { members: [ines, olaf] = [], ...files } = good();
  const twice = Object.entries(files).map(([file, rows]) => [file, [...rows, { ...rows[0], name: "Other" }]]);
  const members = [ines, olaf, { ...ines, id: randomUUID(), email: "INES@files.example" }];
  const teams = [...(files.teams ?? []), { ...files.teams?.[0], id: ids.design.toUpperCase() }];
  expect(await refusal({ ...Object.fromEntries(twice), members, teams })).toBe(
    [
      ...["teams line 4: id", "members line 4: email", "categories line 5: id and language", "kudos line 6: id"],
      ...["day_ratings line 5: id", "pulse_questions line 5: id", "pulse_responses line 4: id"],
    ]
      .map((again) => `${again} must be unique in the file, line 2 has it too`)
      .join("; "),
  );
});

test("twenty problems are named, the rest is counted", async () => {
  const teams = Array.from({ length: 23 }, () => ({ id: "", name: "Team" }));
  const named = teams.slice(0, 20).map((_, index) => `teams line ${index + 2}: id must be a uuid`);
  expect(await refusal({ teams: teams.slice(0, 20) })).toBe(named.join("; "));
  expect(await refusal({ teams })).toBe(`${named.join("; ")}; and 3 more`);
});

test("another company's teams, members, categories and questions are unknown, and what is right in the files is not written", async () => {
  const { teams: _, members, categories: __, pulse_questions: ___, ...naming } = good();
  const empty = await createCompany(sql, "Empty");
  expect(await refusal({ ...naming, members: [members?.[0] as Cells] }, empty.id)).toBe(
    [
      `members line 2: team_id must be the id of a team, ${ids.design} is unknown`,
      `kudos line 2: category_id must be the id of a category, ${ids.teamwork} is unknown`,
      `kudos line 2: receiver_id must be the id of a member, ${ids.olaf} is unknown`,
      `kudos line 5: category_id must be the id of a category, ${ids.teamwork} is unknown`,
      `kudos line 5: receiver_id must be the id of a member, ${ids.olaf} is unknown`,
      `kudos line 5: sender_id must be the id of a member, ${ids.olaf} is unknown`,
      `day_ratings line 2: team_id must be the id of a team, ${ids.design} is unknown`,
      `pulse_responses line 2: question_id must be the id of a question, ${ids.question} is unknown`,
    ].join("; "),
  );
});
