// public-data-api sync (docs/connect/sqlite.md): a copy that equals a full export, whatever happens to the rows, to the
// process and to the cursor.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import papaparse from "papaparse";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { syncCommand } from "../../cli/src/commands/sync.ts";
import { root } from "../../scripts/stack/process.ts";
import { environment, run, workFolder } from "../support/command_line.ts";
import { newCompany } from "../support/companies.ts";
import { tried } from "../support/counts.ts";
import { needs } from "../support/optional_tool.ts";
import { type Row, sql } from "../support/stack.ts";
import { lists, makeLists } from "./connect/lists.ts";
import { blocks, runRecipe } from "./connect/recipe.ts";
import type { Year } from "./connect/year.ts";
import { type MoodyProxy, page, patient, startMoodyProxy, status } from "./moody_proxy.ts";

const folder = workFolder();
const file = `${folder}/company.sqlite`;
let year: Year;
let proxy: MoodyProxy;
beforeAll(async () => {
  [year, proxy] = await Promise.all([makeLists(), startMoodyProxy()]);
});
afterAll(() => Promise.all([proxy.close(), year.company.remove()]));
beforeEach(() => {
  for (const name of readdirSync(folder)) rmSync(`${folder}/${name}`, { recursive: true });
  proxy.requests.length = 0;
  proxy.moods = [];
});

/** Syncs in this process, through the proxy. Returns the last line, and the lines about problems. */
async function sync(args = [file], key = year.key): Promise<{ done: string; said: string[] }> {
  const connection = patient(proxy.url, key);
  let done = "";
  const progress = {
    show: () => {},
    done(line: string) {
      done = line;
    },
    warn: connection.say,
  };
  await syncCommand.run(args, { env: {}, output: process.stdout, progress, connect: () => connection });
  return { done, said: connection.said };
}

const open = <T>(read: (database: DatabaseSync) => T, path = file): T => {
  const database = new DatabaseSync(path);
  try {
    return read(database);
  } finally {
    database.close();
  }
};
const rowsOf = (query: string): Row[] => open((database) => database.prepare(query).all() as Row[]);

/**
 * Syncs into a folder until the CSV files are, byte by byte, those of a full export. A change is served when every
 * transaction that began before it has ended, also those of other tests.
 */
async function expectWholeCopy(): Promise<void> {
  const exported = await run("export", folder, year.key, "all", "--include_archived", "--out", "whole");
  expect(exported).toMatchObject({ code: 0, stderr: "" });
  const read = (place: string, list: string) => readFileSync(`${folder}/${place}/${list}.csv`, "utf8");
  await expect
    .poll(async () => {
      await sync(["--to", `${folder}/copy`]);
      return lists.filter((list) => read("copy", list) !== read("whole", list));
    })
    .toEqual([]);
}

/**
 * Adds, changes and deletes rows of every list, renames what other lists show, and erases a person. Returns the address
 * of that person.
 */
async function change(n: number): Promise<string> {
  const { id } = year.company;
  const some = (table: string) =>
    sql`id in (select id from ${sql(`app.${table}`)} where company_id = ${id} order by id offset ${n * 7} limit 3)`;
  await sql.begin(async (sql) => {
    await sql`update app.members set name = ${`Renamed ${n}`} where company_id = ${id} and not is_former and ${some("members")}`;
    await sql`update app.teams set name = ${`Renamed ${n}`} where company_id = ${id} and ${some("teams")}`;
    await sql`update app.category_names set name = ${`Renamed ${n}`} where company_id = ${id}`;
    await sql`update app.kudos set message = ${`corrected ${n}`} where company_id = ${id} and ${some("kudos")}`;
    await sql`update app.rewards set is_archived = not is_archived where company_id = ${id} and ${some("rewards")}`;
    await sql`delete from app.day_ratings where company_id = ${id} and ${some("day_ratings")}`;
    await sql`delete from app.pulse_responses where company_id = ${id} and ${some("pulse_responses")}`;
    await sql`
      insert into app.kudos (company_id, sender_id, receiver_id, category_id, message, created_at)
      select company_id, sender_id, receiver_id, category_id, ${`late ${n}`}, '2026-01-01Z'
      from app.kudos where company_id = ${id} and ${some("kudos")}`;
  });
  const [person] = await sql`
    select id, email from app.members where company_id = ${id} and not is_former and name like 'Ä, "1___' order by id limit 1`;
  await sql`update app.kudos set sender_id = ${person?.id} where company_id = ${id} and ${some("kudos")}`;
  await sql`select app.erase_member(${id}, ${person?.id}, ${n % 2 === 0})`;
  return String(person?.email);
}

// Proves: copies.15
test("a copy equals a full export, after changes, deletions, renames and erasures too", async () => {
  await expectWholeCopy();
  const copy = `${folder}/copy/company.sqlite`;
  for (const n of [1, 2]) {
    const erased = await change(n);
    expect(readFileSync(copy).includes(erased)).toBe(true);
    await expectWholeCopy();
    expect(readFileSync(copy).includes(erased), "not in the free pages of the file either").toBe(false);
  }
  const indexes = open(
    (database) => database.prepare("select name from sqlite_schema where type = 'index'").all(),
    copy,
  );
  expect(indexes.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["activity_timestamp", "activity_sender_id", "members_team_id"]),
  );
  const columns = open((database) => database.prepare("pragma table_info(activity_with_names)").all(), copy);
  expect(columns.map(({ type }) => type)).not.toContain("");
});

test("the last line says what was added, changed and deleted", async () => {
  const company = await newCompany("Counts");
  try {
    const { api_key } = await company.makeKey(["read:rewards"]);
    const until = (line: string) =>
      expect.poll(async () => (await sync([file], api_key)).done).toBe(`${file}: ${line}`);
    await sql`
      insert into app.rewards (company_id, external_id, name, points_cost)
      select ${company.id}, n, 'New', 1 from generate_series(1, 3) as n`;
    await until("3 added, 0 changed, 0 deleted");
    await sql.begin(async (sql) => {
      await sql`update app.rewards set name = 'Changed' where company_id = ${company.id} and external_id = '1'`;
      await sql`delete from app.rewards where company_id = ${company.id} and external_id = '2'`;
      await sql`insert into app.rewards (company_id, external_id, name, points_cost) values (${company.id}, '4', 'New', 1)`;
    });
    await until("1 added, 1 changed, 1 deleted");
    expect(rowsOf("select external_id, name from rewards order by 1")).toMatchObject([
      { external_id: "1", name: "Changed" },
      { external_id: "3", name: "New" },
      { external_id: "4", name: "New" },
    ]);
    expect((await sync([file], api_key)).said[0]).toBe("members left out: the key has no scope read:members");
  } finally {
    await company.remove();
  }
});

/** Starts a sync in a process of its own, through the proxy. */
function start(): { child: ChildProcess; gone: Promise<number | null> } {
  const child = spawn(process.execPath, [`${root}/cli/src/main.ts`, "sync", file], {
    env: environment(year.key, proxy.url),
    stdio: "ignore",
  });
  return { child, gone: new Promise((resolve) => child.once("exit", resolve)) };
}

test("a kill at any moment loses nothing: the next sync goes on, and the copy is whole", async () => {
  const kills = 8;
  let changed = 0;
  for (let kill = 0; kill < kills; kill++) {
    if (kill % 8 === 7) await change(10 + changed++);
    proxy.requests.length = 0;
    const { child, gone } = start();
    const at = 1 + Math.floor(Math.random() * 8);
    await Promise.race([gone, expect.poll(() => proxy.requests.length, { interval: 1 }).toBeGreaterThanOrEqual(at)]);
    await pause(Math.random() * 30);
    child.kill("SIGKILL");
    await gone;
    expect(rowsOf("pragma integrity_check")).toEqual([{ integrity_check: "ok" }]);
  }
  tried(`syncs killed at random moments: ${kills}`);
  await sync();
  expect(rowsOf("select count(*) as n from sync_lists where cursor is null")).toEqual([{ n: 0 }]);
  rmSync(`${folder}/copy`, { recursive: true, force: true });
  await run("export", folder, year.key, "all", "--out", "whole");
  await sync(["--to", `${folder}/copy`]);
  copyFileSync(file, `${folder}/copy/company.sqlite`);
  await expectWholeCopy();
});

test("of two syncs of one file at once the second is refused and touches nothing", async () => {
  proxy.moods = [undefined, undefined, () => {}];
  const { child, gone } = start();
  await expect.poll(() => proxy.requests.length).toBe(3);
  const before = readFileSync(file);
  await expect(sync()).rejects.toThrow(/^Another process is writing .*company\.sqlite \(process \d+ .+\)\. If that/);
  expect(readFileSync(file).equals(before)).toBe(true);
  child.kill("SIGKILL");
  await gone;
  await sync();
  expect(rowsOf("select count(*) as n from sync_lists where cursor is null")).toEqual([{ n: 0 }]);
});

// Proves: copies.16
test("a cursor that has died begins again by itself, and the rows of before stay until the new ones are whole", async () => {
  await expect.poll(async () => (await sync()).done).toMatch(/: 0 added, 0 changed, 0 deleted$/);
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
  // The key, members, two pages of teams, the dead cursor of activity and its first page are answered, then one is not.
  proxy.moods = [...Array(6).fill(undefined), status(400)];
  const cut = proxy.requests.length;
  await expect(sync()).rejects.toThrow("400 Not now\nRun the same command again to continue");
  expect(proxy.requests.slice(cut).at(-2)?.path).toMatch(/^\/activity\?changed_after=start&/);
  expect(rows()).toEqual(before);
  expect(before).toMatchObject({ strays: 1 });
  expect(rowsOf("select count(name) as n from teams")).toEqual([{ n: 1100 }]);

  const { said, done } = await sync();
  expect(said).toEqual(["rewards: the server no longer knows where the copy stands; fetching the whole list again"]);
  expect(rows()).toMatchObject({ n: before?.n, strays: 0 });
  expect(done).toMatch(/: 1 added, 0 changed, 1 deleted$/);
});

test("a file of another company, of something else or of the future is refused and not touched", async () => {
  const other = await newCompany("Other");
  try {
    await sync();
    const { api_key } = await other.makeKey(["read:rewards"]);
    const before = readFileSync(file);
    await expect(sync([file], api_key)).rejects.toThrow("is a copy of another company (Connect). Choose another file");
    expect(readFileSync(file).equals(before)).toBe(true);
  } finally {
    await other.remove();
  }
  rmSync(file);
  open((database) => database.exec("create table mine (id integer)"));
  await expect(sync()).rejects.toThrow("was not made by sync. Choose another file");
  writeFileSync(file, "text ".repeat(1000));
  await expect(sync()).rejects.toThrow("file is not a database");
  expect(readFileSync(file, "utf8")).toBe("text ".repeat(1000));
});

const row = (id: string, cursor: string, value: string): string =>
  `{"id":"${id}","timestamp":"2026-11-21T00:00:00.000000Z","question":"?","response_type":"number","value":${value},"comment":null,"question_id":"7","cursor":"${cursor}","deleted":false}`;

test("numbers keep their digits, and answers that do not follow each other end the sync", async () => {
  const { api_key } = await year.company.makeKey(["read:analytics"]);
  const digits = '{"n":12345678901234567890,"d":[1.10,-7]}';
  const first = page(`[${row("1", "01", digits)}]`, "true");
  // The key and the day ratings are the server's, the pulse responses the test's.
  const through = (...moods: typeof proxy.moods) => {
    proxy.moods = [undefined, page("[]", "false"), ...moods];
    return sync([file], api_key);
  };
  await expect(through(first, first)).rejects.toThrow("an answer does not continue the one before");
  await expect(through(page("[]", "true"))).rejects.toThrow("an answer does not continue the one before");
  await expect(through(page("[]"))).rejects.toThrow("does not say whether there are more rows");
  const broken = page(`[${row("2", "02", "1").replace('"comment":null,', "")}]`, "false");
  await expect(through(...Array(6).fill(broken))).rejects.toThrow("no whole answer (a row that is not whole), 6 times");
  await expect(through(...Array(9).fill(status(410)))).rejects.toThrow("410 Not now");
  await through(page(`[${row("2", "02", "7")}]`, "false"));
  expect(rowsOf("select id, value from pulse_responses order by id")).toEqual([{ id: "2", value: "7" }]);
  await through(page(`[${row("3", "03", digits)}]`, "false"));
  expect(rowsOf("select value from pulse_responses where id = '3'")).toEqual([{ value: digits }]);
});

const tools = [
  ["python", "python3", "import pandas"],
  ["r", "Rscript", "library(RSQLite)"],
] as const;
test.for(tools)(
  "sqlite.md: its recipe in %s counts the kudos of each month",
  async ([language, program, library], context) => {
    const flag = program === "Rscript" ? "-e" : "-c";
    needs(context, `${program} with ${library}`, spawnSync(program, [flag, library]).status === 0);
    await sync();
    const output = await runRecipe(folder, year.key, program, [flag, blocks("sqlite.md", language)[0] ?? ""]);
    const months = rowsOf(
      "select strftime('%Y-%m', timestamp) as month, category, count(*) as n from activity_with_names group by 1, 2",
    );
    const counted = papaparse.parse<string[]>(output.trim()).data.filter(([month]) => month !== "month");
    expect(counted.sort()).toEqual(months.map(({ month, category, n }) => [month, category, String(n)]).sort());
  },
);

test.each([
  [[], "Name one file"],
  [["a.csv"], "Name one file"],
  [["a.sqlite", "--to", "b"], "Name one file"],
  [["none/a.sqlite"], "There is no folder none"],
])("sync %j is refused", async (args, problem) => {
  const { code, stderr } = await run("sync", folder, year.key, ...args);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(problem) });
  expect(readdirSync(folder)).toEqual([]);
});
