// Files with a mistake (docs/operations.md, How data gets in): the error names the mistake, and nothing is written.
import { randomUUID } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { withDatabase } from "../../scripts/stack/database.ts";
import { sql, stack } from "../support/stack.ts";
import { type Cells, csv, good, headers, ids, load, newLoading } from "./loading.ts";

const { company, other, empty, problemsOf } = await newLoading();

const label = (field: string, length: number) =>
  `${field} must be one line of 1 to ${length} characters without blanks around it`;
const dateTime = "created_at must be an ISO 8601 date-time with a zone, such as 2026-11-20T10:15:30Z";
const json = 'value must be JSON of at most 10000 characters (such as 4, true or "yes") or empty';
const nesting = "value must nest at most 60 levels of arrays and objects or empty";
const digits = "value must hold numbers of at most 1000 characters each, written out or empty";

/** File, field, error message, and values that must be refused. */
const refused: [file: string, field: string, problem: string, cells: string[]][] = [
  ...Object.keys(headers).map((file): [string, string, string, string[]] => [
    file,
    "id",
    "id must be a uuid",
    ["", "7", `{${ids.kudos}}`, ids.kudos.replaceAll("-", ""), `${ids.design}\n`, ` ${ids.design}`],
  ]),
  ["teams", "name", label("name", 255), ["", " Design", "Design ", "De\nsign", "Design\u00a0", "x".repeat(256)]],
  ["members", "name", label("name", 255), ["", "\tInês", "I\u0007nês"]],
  ["members", "role", label("role", 50), ["", "admin ", "x".repeat(51)]],
  [
    "members",
    "email",
    "email must be an email address",
    ["", "ines", "ines@", "@files.example", "i nes@files.example", "a@b@c", `${"x".repeat(320)}@files.example`],
  ],
  ["members", "team_id", "team_id must be a uuid or empty", ["design"]],
  ["categories", "language", "language must be a language tag, such as en or pt-BR", ["", "EN", "english", "en_US"]],
  ["categories", "name", label("name", 255), [""]],
  ["kudos", "sender_id", "sender_id must be a uuid", ["", "ines@files.example"]],
  ["kudos", "receiver_id", "receiver_id must be a uuid", [""]],
  ["kudos", "category_id", "category_id must be a uuid", ["", "Teamwork"]],
  ["kudos", "message", "message must be 1 to 10000 characters", ["", "x".repeat(10001)]],
  [
    "kudos",
    "created_at",
    dateTime,
    [
      ...["", "infinity", "-infinity", "now", "yesterday", "2026-11-20", "2026-11-20T10:15:30", "2026-11-20 10:15:30Z"],
      ...["20.11.2026 10:15", "2026-02-29T10:15:30Z", "2026-11-20T24:00:00Z", "2026-11-20T10:15:60Z"],
      ...["0000-01-01T00:00:00Z", "10000-01-01T00:00:00Z", "9999-12-31T23:59:59-01:00", "0001-01-01T00:00:00+01:00"],
      ...["2026-11-20T10:15:30+16:00", "2026-11-20T10:15:30 Europe/Berlin", "1763633730", "2026-11-20T10:15:30Z\n"],
    ],
  ],
  ["members", "created_at", dateTime, ["epoch"]],
  ["day_ratings", "created_at", dateTime, ["today"]],
  ["pulse_responses", "created_at", dateTime, ["allballs"]],
  [
    "day_ratings",
    "rating",
    "rating must be a whole number from 1 to 5",
    ["", "0", "6", "4.0", "1e0", "05", "+4", " 4", "five", "٤", "99999999999999999999"],
  ],
  ["day_ratings", "comment", "comment must be 1 to 10000 characters or empty", ["x".repeat(10001)]],
  [
    "day_ratings",
    "points_awarded",
    "points_awarded must be a whole number from 0 to 2147483647 or empty",
    ["-1", "1.5", "2147483648", "NaN", "0x10", "1_000"],
  ],
  ["day_ratings", "team_id", "team_id must be a uuid or empty", ["x"]],
  ["pulse_questions", "question", "question must be 1 to 2000 characters", ["", "x".repeat(2001)]],
  ["pulse_questions", "response_type", `${label("response_type", 50)} or empty`, [" scale", "x".repeat(51)]],
  ["pulse_responses", "question_id", "question_id must be a uuid or empty", ["1"]],
  [
    "pulse_responses",
    "value",
    json,
    [
      ...["yes", "{", "NaN", "'a'", "4,", '"\\u0000"', '"\\ud800"', "1e400000", `"${"x".repeat(9999)}"`],
      "[".repeat(1_000_000),
    ],
  ],
  [
    "pulse_responses",
    "value",
    nesting,
    ["[".repeat(61) + "]".repeat(61), `${'{"a":'.repeat(61)}1${"}".repeat(61)}`, "[".repeat(5000) + "]".repeat(5000)],
  ],
  [
    "pulse_responses",
    "value",
    digits,
    ["1e1000", "1e131071", '[{"a": -1e999}]', "1e-999", `[${"1e131071,".repeat(99)}1]`],
  ],
  ["pulse_responses", "comment", "comment must be 1 to 10000 characters or empty", ["x".repeat(10001)]],
];

// The other files are loaded already, and these rows must stay unchanged.
beforeAll(async () => {
  await empty();
  await load(company.id, good());
});

test.each(refused)("%s: %s", async (file, field, problem, cells) => {
  const rows = cells.map((cell) => ({ ...(good()[file]?.[0] as Cells), id: randomUUID(), [field]: cell }));
  // Only the tested field may be wrong, so no two members have the same address.
  if (file === "members" && field !== "email") for (const row of rows) row.email = `${randomUUID()}@files.example`;
  const line = (index: number) => csv(file, rows.slice(0, index)).split("\n").length;
  expect(await problemsOf(company.id, { [file]: rows })).toBe(
    rows.map((_, index) => `${file} line ${line(index)}: ${problem}`).join("; "),
  );
});

test("lines are counted as an editor counts them, however many a cell has", async () => {
  const { kudos = [], ...files } = good();
  const row = kudos[1] as Cells;
  const withBreaks = [
    { ...row, id: randomUUID(), message: "one\ntwo\nthree" },
    { ...row, id: randomUUID(), message: "one\r\n" },
    { ...row, id: "?" },
    { ...row, id: "!", message: "\n\n" },
  ];
  expect(csv("kudos", withBreaks).split("\n")[6]).toMatch(/^\?,/);
  expect(await problemsOf(company.id, { ...files, kudos: withBreaks })).toBe(
    "kudos line 7: id must be a uuid; kudos line 8: id must be a uuid",
  );
});

test("ids, categories' languages and addresses must be unique, and the first line that has them is named", async () => {
  const files = good();
  const [ines, olaf] = files.members as [Cells, Cells];
  const twice = (file: string, change: Cells = {}) => [
    ...(files[file] ?? []),
    { ...(files[file]?.[0] as Cells), ...change },
  ];
  expect(
    await problemsOf(company.id, {
      teams: twice("teams", { id: ids.design.toUpperCase() }),
      members: [ines, olaf, { ...ines, id: randomUUID(), email: "INES@files.example" }],
      categories: twice("categories", { name: "Miteinander" }),
      kudos: twice("kudos"),
      day_ratings: twice("day_ratings"),
      pulse_questions: twice("pulse_questions"),
      pulse_responses: twice("pulse_responses"),
    }),
  ).toBe(
    [
      "teams line 4: id must be unique in the file, line 2 has it too",
      "members line 4: email must be unique in the file, line 2 has it too",
      "categories line 5: id and language must be unique in the file, line 2 has it too",
      "kudos line 6: id must be unique in the file, line 2 has it too",
      "day_ratings line 5: id must be unique in the file, line 2 has it too",
      "pulse_questions line 5: id must be unique in the file, line 2 has it too",
      "pulse_responses line 4: id must be unique in the file, line 2 has it too",
    ].join("; "),
  );
});

test("an address that a member outside the file has is refused, and the member is named", async () => {
  const files = good();
  const [admin] = await sql`
    select id from app.members where company_id = ${company.id} and email = ${company.admin_email}`;
  Object.assign(files.members?.[1] as Cells, { email: company.admin_email.toUpperCase() });
  expect(await problemsOf(company.id, files)).toBe(
    `members line 3: email must be unique in the company, member ${admin?.id} has it too`,
  );
});

test("twenty problems are named, the rest is counted", async () => {
  const teams = Array.from({ length: 23 }, () => ({ id: "", name: "Team" }));
  const named = teams.slice(0, 20).map((_, index) => `teams line ${index + 2}: id must be a uuid`);
  expect(await problemsOf(company.id, { teams: teams.slice(0, 20) })).toBe(named.join("; "));
  expect(await problemsOf(company.id, { teams })).toBe(`${named.join("; ")}; and 3 more`);
});

test("one mistake in the last file, and nothing of the others is written", async () => {
  const files = good();
  Object.assign(files.pulse_responses?.[1] as Cells, { value: "?" });
  expect(await problemsOf(company.id, files)).toBe(`pulse_responses line 3: ${json}`);
});

test("a company that does not exist is named", async () => {
  const unknown = randomUUID();
  expect(await problemsOf(unknown, good())).toBe(`company_id must be the id of a company, ${unknown} is none`);
});

test("the whole list of problems can be read, and nobody but postgres may load", async () => {
  const problems = await withDatabase(stack.database_url, (connection) =>
    connection.begin(async (tx) => {
      await tx`insert into staging.teams (id, name) values ('1', 'Sales'), (${ids.sales}, '')`;
      const found = await tx`select * from app.staging_problems(${company.id})`;
      await tx`delete from staging.teams`;
      return found;
    }),
  );
  expect([...problems]).toEqual([
    { file: "teams", line: "2", problem: "id must be a uuid" },
    { file: "teams", line: "3", problem: label("name", 255) },
  ]);
  for (const role of ["anon", "authenticated", "service_role", "public_api"]) {
    const asRole = sql.begin(async (tx) => {
      await tx`set local role ${tx(role)}`;
      await tx`select app.load_staging(${company.id})`;
    });
    await expect(asRole, role).rejects.toThrow("permission denied");
  }
});

test("another company's teams, members, categories and questions are unknown", async () => {
  await empty();
  await load(other.id, good());
  const { teams, members, categories, pulse_questions, ...naming } = good();
  expect(await problemsOf(company.id, { ...naming, members: [members?.[0] as Cells] })).toBe(
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
