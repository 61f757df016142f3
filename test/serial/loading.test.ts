// Files without a mistake (docs/operations.md, How data gets in): the API returns what the files say.
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { beforeEach, expect, test } from "vitest";
import { list, sql } from "../support/stack.ts";
import { type Cells, good, ids, inserted, load, newLoading, tables, untouched } from "./loading.ts";

const { company, other, empty, contents } = await newLoading();

beforeEach(empty);

test("the statement that writes a file is the one that its comment shows for teams", async () => {
  const text = await readFile("sql/loading/40_loading.sql", "utf8");
  const shown = /For teams it is:\n--\n(.*?)\ncreate function/s.exec(text)?.[1]?.replace(/^-- {3}/gm, "");
  const [row] = await sql<{ statement: string }[]>`select app.write_query('teams') as statement`;
  expect(row?.statement).toBe(shown);
});

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

/** The rows of one company in a table, without ctid and xmin. */
const rowsOf = (id: string, table: string) =>
  sql`select * from ${sql(`app.${table}`)} as t where company_id = ${id} order by t::text`;

test("the same ids in another company are other rows", async () => {
  await load(other.id, good());
  const before = await Promise.all(tables.map((table) => rowsOf(other.id, table)));
  const files = good();
  Object.assign(files.members?.[0] as Cells, { name: "Somebody Else" });
  await load(company.id, files);
  expect(await Promise.all(tables.map((table) => rowsOf(other.id, table)))).toEqual(before);
});

test("a value may nest 60 levels and hold numbers of 1000 characters, and a text may look like either", async () => {
  const values = [
    "[".repeat(60) + "]".repeat(60),
    `${'{"a":'.repeat(60)}1${"}".repeat(60)}`,
    "1e999",
    "-1e998",
    "[1e-998, 0.5]",
    JSON.stringify("[".repeat(61) + "9".repeat(1001)),
  ];
  const rows = values.map((value) => ({ ...(good().pulse_responses?.[1] as Cells), id: randomUUID(), value }));
  expect((await load(company.id, { pulse_responses: rows })).pulse_responses).toEqual(["6", "0", "0"]);
});

test("each row of a file looks for its own by its id, also in a new company, which the planner takes for one like the others", async () => {
  const [{ query = "", settings = [] } = {}] = await sql<{ query: string; settings: string[] }[]>`
    select app.write_query('kudos') as query, proconfig as settings from pg_proc where oid = 'app.write_file'::regproc`;
  const plans: string[] = [];
  await sql
    .begin(async (transaction) => {
      await transaction`set local session_replication_role = replica`;
      await transaction`insert into app.kudos (company_id, id, sender_id, receiver_id, category_id, message, created_at)
        select md5('company ' || n % 2000)::uuid, md5('kudos ' || n)::uuid, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), '', now()
        from generate_series(1, 40000) as n`;
      await transaction`insert into staging.kudos (id, created_at)
        select md5('new ' || n)::uuid, now() from generate_series(1, 20000) as n`;
      await transaction`analyze app.kudos, staging.kudos`;
      for (const setting of settings.map((text) => text.split("=")))
        await transaction`select set_config(${setting[0] ?? ""}, ${setting[1]?.replace('""', "") ?? ""}, true)`;
      const plan = await transaction.unsafe(`explain (costs off) ${query}`, [randomUUID(), 1, 1_000_000_000]);
      plans.push(plan.map((line) => line["QUERY PLAN"]).join("\n"));
      throw new Error("to be rolled back");
    })
    .catch((error: Error) => expect(error.message).toBe("to be rolled back"));
  expect(plans.join()).toMatch(/Index Cond: \(\(company_id = .*\) AND \(id = /);
  expect(plans.join()).not.toContain("Join Filter");
});
