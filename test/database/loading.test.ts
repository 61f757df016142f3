// How data gets in (docs/operations.md): an operator's files, loaded with sql/load.sql.
import { randomUUID } from "node:crypto";
import { globSync } from "node:fs";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import papaparse from "papaparse";
import postgres from "postgres";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createDatabase, withDatabase } from "../../scripts/stack/database.ts";
import { root } from "../../scripts/stack/process.ts";
import { newCompany, type TestCompany } from "../api/companies.ts";
import { list, sql, stack } from "../api/stack.ts";

type Cells = Record<string, string>;
type Files = Record<string, Cells[]>;

const headers: Record<string, string[]> = {
  teams: ["id", "name"],
  members: ["id", "name", "email", "role", "team_id", "created_at"],
  categories: ["id", "language", "name"],
  kudos: ["id", "sender_id", "receiver_id", "category_id", "message", "created_at"],
  day_ratings: ["id", "rating", "comment", "team_id", "points_awarded", "created_at"],
  pulse_questions: ["id", "question", "response_type"],
  pulse_responses: ["id", "question_id", "value", "comment", "created_at"],
};

/** The tables that a load writes, in an order in which rows can be deleted. */
const tables = [
  ...["kudos", "day_ratings", "pulse_responses", "pulse_questions", "category_names", "categories"],
  ...["members", "teams"],
];

const ids = {
  design: randomUUID(),
  sales: randomUUID(),
  ines: randomUUID(),
  olaf: randomUUID(),
  teamwork: randomUUID(),
  kudos: randomUUID(),
  plusOne: randomUUID(),
  rating: randomUUID(),
  bareRating: randomUUID(),
  question: randomUUID(),
  answer: randomUUID(),
  orphan: randomUUID(),
};

/** Two rows in each file: one with everything, one with as little as there may be. */
const good = (): Files => ({
  teams: [
    { id: ids.design, name: "Design & Fertigung" },
    { id: ids.sales, name: "营业部" },
  ],
  members: [
    {
      id: ids.ines,
      name: "Inês Ærø, jr.",
      email: "ines@files.example",
      role: "admin",
      team_id: ids.design,
      created_at: "2026-03-29T02:30:00.123456789+01:00",
    },
    {
      id: ids.olaf,
      name: 'Olaf "Ole" 李',
      email: "Olaf@Files.example",
      role: "employee",
      team_id: "",
      created_at: "2026-03-29T02:30Z",
    },
  ],
  categories: [
    { id: ids.teamwork, language: "de", name: "Zusammenarbeit" },
    { id: ids.teamwork, language: "en", name: "Teamwork" },
  ],
  kudos: [
    {
      id: ids.kudos,
      sender_id: ids.ines,
      receiver_id: ids.olaf,
      category_id: ids.teamwork,
      message: ' Danke,\n"Ole" 🎉\\. \r\nund NULL ',
      created_at: "2026-11-20T23:59:59.999999Z",
    },
    {
      id: ids.plusOne,
      sender_id: ids.olaf,
      receiver_id: ids.olaf,
      category_id: ids.teamwork,
      message: "+1",
      created_at: "2026-11-20T10:15:30+0530",
    },
  ],
  day_ratings: [
    {
      id: ids.rating,
      rating: "5",
      comment: "Endlich\nSonne",
      team_id: ids.design,
      points_awarded: "10",
      created_at: "2026-11-20T10:15:30-08",
    },
    {
      id: ids.bareRating,
      rating: "1",
      comment: "",
      team_id: "",
      points_awarded: "",
      created_at: "0001-01-01T00:00:00Z",
    },
  ],
  pulse_questions: [{ id: ids.question, question: "Wie läuft es?", response_type: "choice" }],
  pulse_responses: [
    {
      id: ids.answer,
      question_id: ids.question,
      value: '{"choices": ["a", "ü"], "sure": true}',
      comment: "so so",
      created_at: "2026-11-20T10:15:30Z",
    },
    { id: ids.orphan, question_id: "", value: "", comment: "", created_at: "9999-12-31T23:59:59.999999Z" },
  ],
});

function csv(file: string, rows: Cells[] = []): string {
  const fields = headers[file] ?? [];
  const lines = [fields, ...rows.map((row) => fields.map((field) => row[field] ?? ""))];
  return `${papaparse.unparse(lines, { newline: "\n" })}\n`;
}

// Without delay, or each COPY waits for the server's delayed acknowledgement.
const { hostname: host, port } = new URL(stack.database_url);
const operator = { max: 1, onnotice: () => {}, socket: () => connect({ host, port: Number(port), noDelay: true }) };

/**
 * Does what psql does with sql/load.sql, on one connection, which an error ends.
 * @param texts the contents of the CSV files; those that are left out hold their header alone
 * @returns what the last query printed: per file, rows inserted, updated and unchanged
 */
async function loadText(company: string, texts: Record<string, string>): Promise<Record<string, string[]>> {
  const script = await readFile(`${root}/sql/load.sql`, "utf8");
  const statements = script.replace(/^(--.*|\\set .*)$/gm, "").match(/^\\copy .*$|^\w[^;]*;/gm) ?? [];
  const connection = postgres(stack.database_url, operator);
  try {
    let counts: Record<string, string[]> = {};
    for (const statement of statements) {
      const [, target, file = "", options] = /^\\copy (.*) from '(\w+)\.csv' (.*)$/.exec(statement) ?? [];
      if (target) {
        const copy = await connection.unsafe(`copy ${target} from stdin ${options}`).writable();
        await pipeline(Readable.from(Buffer.from(texts[file] ?? csv(file))), copy);
      } else {
        const rows = await connection.unsafe(statement.replace(":'company_id'", `'${company}'`));
        if (rows.length > 0)
          counts = Object.fromEntries(rows.map(({ file, ...found }) => [file, Object.values(found)]));
      }
    }
    return counts;
  } finally {
    await connection.end();
  }
}

const load = (company: string, files: Files) =>
  loadText(company, Object.fromEntries(Object.entries(files).map(([file, rows]) => [file, csv(file, rows)])));

/** What is wrong with files, to the letter. Nothing may have been written by them. */
async function problemsOf(company: string, files: Files): Promise<string> {
  const before = await contents();
  const problem = await load(company, files).then(
    () => "none",
    (error: Error) => error.message,
  );
  expect(await contents()).toEqual(before);
  return problem;
}

/** Every row of both companies and of staging, with its place and version on disk: what nobody has written has not moved. */
async function contents(): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  const ofBoth = sql`where company_id in ${sql([company.id, other.id])}`;
  for (const name of [
    ...tables.map((table) => `app.${table}`),
    ...Object.keys(headers).map((file) => `staging.${file}`),
  ]) {
    const [row] = await sql`
      select string_agg(concat(t.ctid, t.xmin, ' ', t), ' ' order by t.ctid) as rows
      from ${sql(name)} as t ${name.startsWith("app.") ? ofBoth : sql``}`;
    found[name] = row?.rows ?? "";
  }
  return found;
}

/** The rows of one company in a table, by id, without the versions. */
const rowsOf = (company: string, table: string) =>
  sql`select * from ${sql(`app.${table}`)} as t where company_id = ${company} order by t::text`;

const versionOf = async (company: string, table: string, id: string) =>
  (await sql`select ctid, xmin from ${sql(`app.${table}`)} where company_id = ${company} and id = ${id}`)[0];

const company: TestCompany = await newCompany("Files", "de");
const other: TestCompany = await newCompany("Other files");
afterAll(async () => {
  await empty();
  await company.remove();
  await other.remove();
  await sql.end();
});

/** Deletes what a load has written, in an order that needs no search for what refers to a row. */
async function empty(): Promise<void> {
  for (const table of tables) {
    const kept = table === "members" ? sql`and name <> 'First Admin'` : sql``;
    await sql`delete from ${sql(`app.${table}`)} where company_id in ${sql([company.id, other.id])} ${kept}`;
  }
}

const label = (field: string, length: number) =>
  `${field} must be one line of 1 to ${length} characters without blanks around it`;
const dateTime = "created_at must be an ISO 8601 date-time with a zone, such as 2026-11-20T10:15:30Z";
const json = 'value must be JSON of at most 10000 characters, such as 4, true or "yes", or empty';

/** File, field, what is wrong with it, cells that must be refused. */
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
    "email must be an e-mail address",
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
  ["day_ratings", "comment", "comment must be at most 10000 characters", ["x".repeat(10001)]],
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
  ["pulse_responses", "comment", "comment must be at most 10000 characters", ["x".repeat(10001)]],
];

const inserted = {
  teams: ["2", "0", "0"],
  members: ["2", "0", "0"],
  categories: ["2", "0", "0"],
  kudos: ["2", "0", "0"],
  day_ratings: ["2", "0", "0"],
  pulse_questions: ["1", "0", "0"],
  pulse_responses: ["2", "0", "0"],
};

const untouched = Object.fromEntries(
  Object.entries(inserted).map(([file, [rows = ""]]) => [file, ["0", "0", rows]]),
) as Record<string, string[]>;

describe("good files", () => {
  beforeEach(empty);

  test("what the files say is what the API says, to the letter", async () => {
    expect(await load(company.id, good())).toEqual(inserted);

    const { api_key } = await company.makeKey();
    const members = await list("/members", api_key);
    expect(members.filter(({ name }) => name !== "First Admin")).toEqual([
      {
        id: ids.olaf,
        name: 'Olaf "Ole" 李',
        email: "Olaf@Files.example",
        role: "employee",
        team_id: null,
        team_name: "No Team",
        created_at: "2026-03-29T02:30:00.000000Z",
      },
      {
        id: ids.ines,
        name: "Inês Ærø, jr.",
        email: "ines@files.example",
        role: "admin",
        team_id: ids.design,
        team_name: "Design & Fertigung",
        created_at: "2026-03-29T01:30:00.123457Z",
      },
    ]);
    expect(await list("/activity", api_key)).toEqual([
      {
        id: ids.kudos,
        timestamp: "2026-11-20T23:59:59.999999Z",
        sender_name: "Inês Ærø, jr.",
        sender_email: "ines@files.example",
        receiver_name: 'Olaf "Ole" 李',
        receiver_email: "Olaf@Files.example",
        message: ' Danke,\n"Ole" 🎉\\. \r\nund NULL ',
        category: "Zusammenarbeit",
      },
      {
        id: ids.plusOne,
        timestamp: "2026-11-20T04:45:30.000000Z",
        sender_name: 'Olaf "Ole" 李',
        sender_email: "Olaf@Files.example",
        receiver_name: 'Olaf "Ole" 李',
        receiver_email: "Olaf@Files.example",
        message: "+1",
        category: "Zusammenarbeit",
      },
    ]);
    expect(await list("/day-ratings", api_key)).toEqual([
      {
        id: ids.rating,
        rating: 5,
        comment: "Endlich\nSonne",
        team_id: ids.design,
        points_awarded: 10,
        created_at: "2026-11-20T18:15:30.000000Z",
      },
      {
        id: ids.bareRating,
        rating: 1,
        comment: null,
        team_id: null,
        points_awarded: null,
        created_at: "0001-01-01T00:00:00.000000Z",
      },
    ]);
    expect(await list("/pulse-responses", api_key)).toEqual([
      {
        id: ids.orphan,
        timestamp: "9999-12-31T23:59:59.999999Z",
        question: null,
        response_type: null,
        value: null,
        comment: "",
      },
      {
        id: ids.answer,
        timestamp: "2026-11-20T10:15:30.000000Z",
        question: "Wie läuft es?",
        response_type: "choice",
        value: { choices: ["a", "ü"], sure: true },
        comment: "so so",
      },
    ]);
  });

  test("loading the same files again writes nothing", async () => {
    await load(company.id, good());
    const before = await contents();
    expect(await load(company.id, good())).toEqual(untouched);
    expect(await contents()).toEqual(before);
  });

  test("a corrected file changes the rows that differ and no others", async () => {
    await load(company.id, good());
    const changes: [string, string, Cells][] = [
      ["teams", "name", { name: "Sales" }],
      ["members", "team_id", { team_id: ids.sales }],
      ["categories", "name", { name: "Team play" }],
      ["kudos", "message", { message: "-1" }],
      ["day_ratings", "points_awarded", { points_awarded: "0" }],
      ["pulse_questions", "response_type", { response_type: "" }],
      ["pulse_responses", "value", { value: "null" }],
    ];
    for (const [file, , change] of changes) {
      const files = good();
      const rows = files[file] ?? [];
      const row = rows.at(-1) as Cells;
      const neighbour = rows.length > 1 && file !== "categories" ? rows[0] : undefined;
      const before = neighbour && (await versionOf(company.id, file, neighbour.id as string));
      Object.assign(row, change);

      const expected = { ...untouched, [file]: ["0", "1", String(rows.length - 1)] };
      expect(await load(company.id, files)).toEqual(expected);
      if (neighbour) expect(await versionOf(company.id, file, neighbour.id as string)).toEqual(before);
      expect(await load(company.id, good())).toEqual(expected);
    }
  });

  test("an id in capital letters is the same id", async () => {
    await load(company.id, good());
    const files = good();
    for (const row of Object.values(files).flat()) {
      for (const [field, cell] of Object.entries(row)) if (/id$/.test(field)) row[field] = cell.toUpperCase();
    }
    expect(await load(company.id, files)).toEqual(untouched);
  });

  test("files may come one at a time: what they name may be there already, and what they leave out stays", async () => {
    const files = good();
    for (const [file, rows] of Object.entries(files)) {
      expect((await load(company.id, { [file]: rows }))[file]).toEqual(inserted[file as keyof typeof inserted]);
    }
    expect(await load(company.id, files)).toEqual(untouched);
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

  test("the same ids in another company are other rows", async () => {
    await load(other.id, good());
    const before = await Promise.all(tables.map((table) => rowsOf(other.id, table)));
    const files = good();
    Object.assign(files.members?.[0] as Cells, { name: "Somebody Else" });
    await load(company.id, files);
    expect(await Promise.all(tables.map((table) => rowsOf(other.id, table)))).toEqual(before);
  });

  test("another company's teams, members, categories and questions are unknown", async () => {
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

  test("loads at the same time wait for each other", async () => {
    const counts = await Promise.all([company, company, other].map(({ id }) => load(id, good())));
    expect(counts).toContainEqual(untouched);
    expect(counts.filter((count) => count !== undefined && count.teams?.[0] === "2")).toHaveLength(2);
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
});

test("a big first load is quick, also after one that was broken off", async () => {
  const fill = `
    insert into staging.members (id, name, email, role, created_at)
    select md5('member' || i)::uuid, 'Member ' || i, i || '@files.example', 'employee', '2026-01-01T00:00:00Z'
    from generate_series(1, 10000) as i;
    insert into staging.categories (id, language, name) values ('${ids.teamwork}', 'en', 'Teamwork');
    insert into staging.kudos (id, sender_id, receiver_id, category_id, message, created_at)
    select md5('kudos' || i)::uuid, md5('member' || 1 + i % 10000)::uuid, md5('member' || 1 + i * 7 % 10000)::uuid,
      '${ids.teamwork}', 'Thanks for number ' || i, '2026-01-01T00:00:00Z'
    from generate_series(1, 20000) as i`;
  const name = `loading_${randomUUID()}`;
  const fresh = await createDatabase(stack, name, globSync(`${root}/supabase/migrations/*.sql`).sort());
  try {
    await withDatabase(fresh, async (connection) => {
      await connection`insert into app.companies (id, name) values (${company.id}, 'First')`;
      const loading = `select * from app.load_staging('${company.id}')`;
      // What autovacuum does soon after a load that was broken off: the planner then believes that all tables are empty.
      await connection.unsafe(`begin; ${fill}; ${loading}; rollback; analyze`).simple();

      await connection.unsafe(fill).simple();
      const begin = performance.now();
      const loaded = await connection.unsafe(loading);
      expect(loaded.find(({ file }) => file === "kudos")?.inserted).toBe("20000");
      expect((performance.now() - begin) / 1000).toBeLessThan(15);
    });
  } finally {
    await sql`drop database ${sql(name)}`;
  }
}, 120_000);

describe("files with a mistake", () => {
  // Every file but those of a test is there already, and stays as it is.
  beforeAll(async () => {
    await empty();
    await load(company.id, good());
  });

  test.each(refused)("%s: %s", async (file, field, problem, cells) => {
    const rows = cells.map((cell) => ({ ...(good()[file]?.[0] as Cells), id: randomUUID(), [field]: cell }));
    // Nothing else is wrong: no two members have one address.
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
        "categories line 4: id and language must be unique in the file, line 2 has it too",
        "kudos line 6: id must be unique in the file, line 2 has it too",
        "day_ratings line 5: id must be unique in the file, line 2 has it too",
        "pulse_questions line 3: id must be unique in the file, line 2 has it too",
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

  test("a file with other columns is refused by its header", async () => {
    // From a file of the server's, because the client library never tells of an error in the middle of a COPY.
    const folder = await mkdtemp(`${tmpdir()}/loading-`);
    await chmod(folder, 0o755);
    const copies = [
      ...(await readFile(`${root}/sql/load.sql`, "utf8")).matchAll(/^\\copy (.*) from '(\w+)\.csv' (.*)$/gm),
    ];
    expect(copies.map(([, , file]) => file)).toEqual(Object.keys(headers));
    for (const [, target = "", file = "", options = ""] of copies) {
      const [first, second, ...rest] = headers[file] ?? [];
      await writeFile(`${folder}/${file}.csv`, `${[second, first, ...rest].join()}\n`);
      await expect(sql.unsafe(`copy ${target} from '${folder}/${file}.csv' ${options}`)).rejects.toThrow(
        `column name mismatch in header line field 1: got "${second}", expected "${first}"`,
      );
    }
    await rm(folder, { recursive: true });
  });

  test("a company that does not exist is named", async () => {
    const unknown = randomUUID();
    expect(await problemsOf(unknown, good())).toBe(`company_id must be the id of a company, ${unknown} is none`);
  });
});
