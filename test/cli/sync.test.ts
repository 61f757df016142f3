// public-data-api sync (docs/connect/sqlite.md): a copy that equals a full export, whatever happens to the rows, to the
// process and to the cursor.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import papaparse from "papaparse";
import { expect, test } from "vitest";
import { exportCommand } from "../../cli/src/commands/export.ts";
import { syncCommand } from "../../cli/src/commands/sync.ts";
import { companyOfTest } from "../support/companies.ts";
import { tried } from "../support/counts.ts";
import { allServed, type Row, sql } from "../support/stack.ts";
import { forAllTests, lists, makeLists } from "./connect/companies.ts";
import { blocks, runRecipe } from "./connect/recipe.ts";
import { folderAndProxy, runHere, startCli, status } from "./faulty_proxy.ts";

const { folder, proxy } = await folderAndProxy();
const file = `${folder}/company.sqlite`;
const copy = `${folder}/copy/company.sqlite`;
const year = await forAllTests(makeLists);

const sync = (args = [file], key = year.key) => runHere(syncCommand, args, proxy.url, key);

const open = <T>(read: (database: DatabaseSync) => T, path = file): T => {
  using database = new DatabaseSync(path);
  return read(database);
};
const rowsOf = (query: string, path = file): Row[] => open((database) => database.prepare(query).all() as Row[], path);

/** Syncs into a folder, whose CSV files are then, byte by byte, those of a full export. */
async function expectWholeCopy(): Promise<void> {
  const args = ["all", "--include_archived", "--out", `${folder}/whole`];
  await runHere(exportCommand, args, proxy.url, year.key);
  const read = (place: string, list: string) => readFileSync(`${folder}/${place}/${list}.csv`, "utf8");
  await allServed();
  await sync(["--to", `${folder}/copy`]);
  expect(lists.filter((list) => read("copy", list) !== read("whole", list))).toEqual([]);
}

// Other changes: hardening/copies.test.ts.
// Proves: copies.15
test("a copy equals a full export, also after people were renamed and erased, and no name of theirs is left in its file", async () => {
  await expectWholeCopy();
  const { id } = year.company;
  for (const n of [1, 2]) {
    const [old] = await sql`select id, email from app.members where company_id = ${id} and name = ${`Ä, "${n}`}`;
    const renamed = `Ä, "50${n}`;
    await sql`update app.members set name = ${`Renamed ${n}`} where company_id = ${id} and name = ${renamed}`;
    await sql`update app.kudos set sender_id = ${old?.id} where id = ${String(year.rows[n]?.id)}`;
    await sql`select app.erase_member(${id}, ${old?.id}, ${n === 2})`;
    const left = () => [old?.email, renamed].filter((text) => readFileSync(copy).includes(text));
    expect(left()).toHaveLength(2);
    await expectWholeCopy();
    expect(left(), "not in the free pages of the file either").toEqual([]);
  }
  const indexes = rowsOf("select name from sqlite_schema where type = 'index'", copy).map(({ name }) => name);
  const some = ["activity_timestamp", "activity_sender_team_then_id", "members_team_id"];
  expect(indexes).toEqual(expect.arrayContaining(some));
  expect(rowsOf("pragma table_info(activity_with_names)", copy).map(({ type }) => type)).not.toContain("");
  // Date-times are declared as text, which Python, SQLAlchemy and sqlite-jdbc leave as it is.
  const types = rowsOf(
    `select distinct lower(c.type) as type from sqlite_schema as o, pragma_table_info(o.name) as c
     where o.type in ('table', 'view') and c.name in ('created_at', 'timestamp')`,
    copy,
  );
  expect(types).toEqual([{ type: "text" }]);
});

test("a kill at any moment loses nothing: the next sync goes on, and the copy is whole", async () => {
  const kills = 8;
  for (let killed = 1; killed <= kills; killed++) {
    if (killed === kills) await sql`update app.teams set name = name || '.' where company_id = ${year.company.id}`;
    proxy.requests.length = 0;
    const { ended, kill } = startCli(["sync", "--to", `${folder}/copy`], folder, proxy, year.key);
    const at = 1 + Math.floor(Math.random() * 8);
    await Promise.race([ended, expect.poll(() => proxy.requests.length, { interval: 1 }).toBeGreaterThanOrEqual(at)]);
    await pause(Math.random() * 30);
    await kill();
    // Killed early, the first sync has not made the folder yet.
    if (existsSync(dirname(copy))) expect(rowsOf("pragma integrity_check", copy)).toEqual([{ integrity_check: "ok" }]);
  }
  tried(`syncs killed at random moments: ${kills}`);
  await expectWholeCopy();
});

// Proves: copies.16
test("a cursor that the server no longer knows begins again by itself; the rows of before stay until the new ones are whole", async () => {
  await allServed();
  await sync();
  const stray = "00000000-0000-4000-8000-000000000000";
  open((database) => {
    database.exec(
      `update sync_lists set cursor = '00000000' || substr(cursor, 9) where list in ('activity', 'rewards')`,
    );
    database.exec(`insert into activity (id, message) values ('${stray}', 'not on the server')`);
    database.exec(`delete from activity where id = (select max(id) from activity)`);
    // As if an older version had made the table, when the list had other columns.
    database.exec("alter table teams rename column name to title");
  });
  const rows = () => rowsOf(`select count(*) as n, count(*) filter (where id = '${stray}') as strays from activity`)[0];
  const before = rows();
  // The key, members, two pages of teams, the old cursor of activity and its first page are answered, then one is not.
  proxy.faults = [...Array(6).fill(undefined), status(400)];
  proxy.requests.length = 0;
  await expect(sync()).rejects.toThrow("400 Not now\nRun the same command again to continue");
  expect(proxy.requests.at(-2)?.path).toMatch(/^\/activity\/changes\?after=start&/);
  expect(rows()).toEqual(before);
  expect(before).toMatchObject({ strays: 1 });
  expect(rowsOf("select count(name) as n from teams")).toEqual([{ n: 1100 }]);

  const { lines, done } = await sync();
  expect(lines).toEqual(["rewards: the server no longer knows the cursor of the copy; fetching the whole list again"]);
  expect(rows()).toMatchObject({ n: before?.n, strays: 0 });
  expect(done).toMatch(/: 1 added, 0 changed, 1 deleted; has all changes until 2/);
});

test("a file of another company or of something else is refused and not touched", async () => {
  const other = await companyOfTest("Other");
  await sync();
  const before = readFileSync(file);
  await expect(sync([file], other.key)).rejects.toThrow("is a copy of another company (Connect). Choose another file");
  expect(readFileSync(file).equals(before)).toBe(true);
  rmSync(file);
  open((database) => database.exec("create table mine (id integer)"));
  await expect(sync()).rejects.toThrow("was not made by sync. Choose another file");
  writeFileSync(file, "text ".repeat(1000));
  const message = `${file} is not an SQLite file. Choose another file`;
  await expect(sync()).rejects.toMatchObject({ exitCode: 2, message });
  expect(readFileSync(file, "utf8")).toBe("text ".repeat(1000));
});

const tools = [
  ["python", "python3", "-c", "import pandas"],
  ["r", "Rscript", "-e", "library(RSQLite)"],
] as const;
test.for(tools)("sqlite.md: %s counts the kudos of each month", async ([language, program, flag, library], context) => {
  context.skip(spawnSync(program, [flag, library]).status !== 0, `${program} with ${library} is missing`);
  await sync();
  const output = await runRecipe(folder, year.key, program, [flag, blocks("sqlite.md", language)[0] ?? ""]);
  const months = rowsOf(
    "select strftime('%Y-%m', timestamp) as month, category, count(*) as n from activity_with_names group by 1, 2",
  );
  const counted = papaparse.parse<string[]>(output.trim()).data.filter(([month]) => month !== "month");
  expect(counted.sort()).toEqual(months.map(({ month, category, n }) => [month, category, String(n)]).sort());
});
