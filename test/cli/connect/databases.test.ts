// databases.md: its commands run unchanged, with the stack, DuckDB and a separate database.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type postgres from "postgres";
import { afterAll, expect, test } from "vitest";
import { runSql } from "../../../scripts/stack/database.ts";
import { root } from "../../../scripts/stack/process.ts";
import { main, workFolder } from "../../support/command_line.ts";
import { expectRows, list, type Row, sql } from "../../support/stack.ts";
import { newDatabase, removeProjects } from "../../support/two_projects.ts";
import { forAllTests, idsOf, lists, makeLists } from "./companies.ts";
import { blocks, runRecipe } from "./recipe.ts";

const tools = `${root}/test/cli/tools`;
const folder = workFolder();
const [duckdb = "", pipes = "", postgresql = ""] = blocks("databases.md", "sh");
const [question = "", reader = ""] = blocks("databases.md", "sql");
const [tables = "", fill = ""] = ["tables", "fill"].map((name) =>
  readFileSync(`${root}/docs/connect/${name}.sql`, "utf8"),
);

/** psql before version 18 takes the second line for the end of the file, even inside a cell. */
const endOfFile = "one\n\\.\ntwo";

const year = await forAllTests(async () => {
  const year = await makeLists();
  await sql`update app.kudos set message = ${endOfFile} where id = ${String(year.rows.at(-1)?.id)}`;
  Object.assign(year.rows.at(-1) ?? {}, { message: endOfFile });
  return year;
});

const commands = `public-data-api() { "${process.execPath}" "${main}" "$@"; }
duckdb() { "${process.execPath}" "${tools}/duckdb.mjs" "$@"; }`;
/** Runs a code block of the page in a folder, with the commands public-data-api and duckdb. */
const run = (script: string, more: NodeJS.ProcessEnv = {}): Promise<string> =>
  runRecipe(folder, year.key, "bash", ["-e", "-o", "pipefail", "-c", `${commands}\n${script}`], more);

const idOf = (name: string) => `select '${name}' as list, cast(id as text) as id from ${name.replace("-", "_")}`;
const everyId = lists.map(idOf).join(" union all ");

/** Expects every row of every list. */
async function expectWhole(rows: Row[]): Promise<void> {
  for (const name of lists) {
    const ids = rows.filter(({ list }) => list === name).map(({ id }) => id);
    expect(ids.sort(), name).toEqual((await idsOf(name, year)).sort());
  }
}

test("DuckDB holds every list whole, answers the question, and reads from the API through a pipe", async (context) => {
  context.skip(!existsSync(`${tools}/node_modules`), "npm install --prefix test/cli/tools is missing");
  writeFileSync(`${folder}/tables.sql`, tables);
  await run(duckdb);
  await run(duckdb);
  const ask = async (statement: string): Promise<Row[]> =>
    JSON.parse(await run(`duckdb lists.duckdb "$SQL"`, { SQL: statement }));
  await expectWhole(await ask(everyId));
  // An empty column, a vendor that looks like a time and a list without rows have the types of the tables.
  const [types = {}] = await ask(
    "select typeof(external_id) as id, typeof(vendor_name) as vendor, typeof(stock_count) as stock from rewards limit 1",
  );
  expect(types).toEqual({ id: "VARCHAR", vendor: "VARCHAR", stock: "BIGINT" });

  const months = await ask(question);
  const march = months.filter(({ month }) => String(month).startsWith("2026-03"));
  const inMarch = year.rows.filter(({ timestamp }) => String(timestamp).startsWith("2026-03"));
  expect(march).toMatchObject([{ category: 'Team, "play"', kudos: String(inMarch.length) }]);

  const [whole = "", page = ""] = (await run(pipes)).split("\n");
  const all = await idsOf("activity", year);
  expect(JSON.parse(whole)).toEqual([{ category: 'Team, "play"', kudos: String(all.length) }]);
  const [newest] = await list("/activity?limit=1", year.key);
  const [{ newest: found } = {}] = JSON.parse(page);
  expect(Date.parse(String(found).replace(" ", "T").replace("+00", "Z"))).toBe(Date.parse(String(newest?.timestamp)));
});

test("PostgreSQL holds every list whole, night for night, for a role that may only read", async () => {
  const { url, sql: copy } = await newDatabase();
  const night = () => run(postgresql, { DATABASE_URL: url });
  for (const statements of [tables, reader]) await runSql(url, statements);
  writeFileSync(`${folder}/fill.sql`, fill);
  await night();
  await expectCopy(copy);

  const [reward] = await idsOf("rewards", year);
  await sql`delete from app.rewards where id = ${String(reward)}`;
  await night();
  await expectCopy(copy);

  // The files have columns that the tables do not have. The load is refused, and the rows of the night before remain.
  const truncated = fill
    .replace("lists/teams.csv", "lists/categories.csv")
    .replace("lists/rewards.csv", "lists/members.csv");
  writeFileSync(`${folder}/fill.sql`, truncated);
  await expect(night()).rejects.toThrow(/column name mismatch|wrong number of fields/);
  await expectCopy(copy);

  const metabase = await copy.reserve();
  await metabase`set role metabase`;
  await expect(metabase`delete from members`).rejects.toThrow("permission denied");
  expect(await metabase`select id from pulse_responses limit 1`).toHaveLength(1);
  metabase.release();
});
afterAll(async () => {
  await removeProjects();
  await sql`drop role if exists metabase`;
});

/** Expects every row of every list, and every field of kudos. */
async function expectCopy(copy: postgres.Sql): Promise<void> {
  await expectWhole(await copy.unsafe(everyId));
  const kudos = await copy<Row[]>`
    select id, to_char(timestamp at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as timestamp, sender_name, sender_email,
      receiver_name, receiver_email, message, category, sender_id, receiver_id, category_id
    from activity where timestamp >= '2026-01-01Z' and timestamp < '2027-01-01Z' order by activity.timestamp desc, id desc`;
  expectRows([...kudos], year.rows);
}
