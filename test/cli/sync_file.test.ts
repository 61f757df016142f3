// The file of public-data-api sync (docs/connect/sqlite.md): what a user has built in it survives, other programs read it,
// nothing stays in it that was deleted, and no answer of a server ends in a stack trace. The answers are made up here; only
// the check of the key reaches the API.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, watch, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { syncCommand } from "../../cli/src/commands/sync.ts";
import { CliError } from "../../cli/src/errors.ts";
import { lists, nameOf } from "../../cli/src/lists.ts";
import { Copy } from "../../cli/src/sync/copy.ts";
import { openSqlite } from "../../cli/src/sync/sqlite.ts";
import { columnsOf } from "../../cli/src/sync/tables.ts";
import { startProgram } from "../support/command_line.ts";
import { companyOfFile } from "../support/companies.ts";
import type { Row } from "../support/stack.ts";
import { folderAndProxy, page, runHere, startCli, status } from "./faulty_proxy.ts";

const { folder, proxy } = await folderAndProxy();
const file = `${folder}/company.sqlite`;
const { company } = await companyOfFile("Connect");
const keyFor = async (scope: string) => (await company.makeKey([scope])).api_key;
const people = { company, key: await keyFor("read:members"), analytics: await keyFor("read:analytics") };

/** Rows of a list as JSON. A column that is not given is null. */
const rowsText = (name: string, values: Row[]): string => {
  const list = lists.find((list) => nameOf(list) === name);
  const none = Object.fromEntries((list ? columnsOf(list) : []).map((column) => [column.name, null]));
  return JSON.stringify(values.map((value) => ({ ...none, deleted: false, ...value })));
};
const rows = (name: string, values: Row[], hasMore = "false") => page(rowsText(name, values), hasMore);
const members = (...values: Row[]) => rows("members", values);
const none = page("[]", "false");

/** Syncs the lists of the key, members and teams, from these answers. */
const sync = (answers: typeof proxy.faults, args = [file], key = people.key, more = {}) => {
  proxy.faults = [undefined, ...answers];
  return runHere(syncCommand, args, proxy.url, key, more);
};

/** Syncs from these answers, which is to end with this list not up to date, and to say why. */
async function syncWithout(missing: string, why: string, ...answers: typeof proxy.faults): Promise<void> {
  const lines: string[] = [];
  const ended = sync(answers, [file], people.key, { say: (line: string) => void lines.push(line) });
  await expect(ended).rejects.toThrow(`Not up to date: ${missing}\nRun the same command again to continue`);
  expect(lines).toContain(`${missing}: ${why}`);
}

const open = (): DatabaseSync => {
  const database = new DatabaseSync(file);
  onTestFinished(() => database.close());
  return database;
};
const [anna, bert, cleo] = [
  { id: "a", name: "Anna", cursor: "01" },
  { id: "b", name: "Bert", cursor: "02" },
  { id: "c", name: "Cleo", cursor: "03" },
];

test("what a user has built on the tables survives changes, and a fetch of the whole list", async () => {
  await sync([members(anna, bert), none]);
  const own = open();
  own.exec(`
    alter table members add column note text;
    update members set note = 'mine';
    create index my_index on members (lower(name));
    create view my_view as select name, note from members_with_names join members using (id, name);
    create table log (what text);
    create trigger my_trigger after update on members begin insert into log values (new.name); end;
    create trigger my_rows instead of insert on members_with_names begin insert into log values (new.name); end;
    create table notes (member_id text references members (id), note text);
    insert into notes values ('b', 'of Bert');
    create view broken as select * from no_such_table`);
  const objects = () => own.prepare("select name from sqlite_schema order by name").all();
  const before = objects();
  const annie = { ...anna, name: "Annie", cursor: "03" };
  expect((await sync([members(annie), none])).done).toContain(": 0 added, 1 changed, 0 deleted");

  const { done } = await sync([status(410), members(annie, { ...cleo, cursor: "04" }), none]);
  expect(done).toContain(": 1 added, 0 changed, 1 deleted");
  expect(own.prepare("select * from my_view order by name").all()).toEqual([
    { name: "Annie", note: "mine" },
    { name: "Cleo", note: null },
  ]);
  expect(own.prepare("select * from log").all(), "once, for the row that was changed").toEqual([{ what: "Annie" }]);
  expect(own.prepare("select * from notes").all()).toEqual([{ member_id: "b", note: "of Bert" }]);
  expect(objects()).toEqual(before);

  // As if another version had made the view: it is made anew, and what stands on it stays.
  own.exec("drop view broken; alter table teams rename column name to title");
  await sync([none, none]);
  own.exec("insert into members_with_names (name) values ('through the view')");
  expect(own.prepare("select count(*) as n from log").get()).toEqual({ n: 2 });
});

test("what is in the way is named, all other lists are brought up to date, and the next sync goes on", async () => {
  await sync([members(anna), none]);
  const own = open();
  own.exec("create trigger guard before update on members begin select raise(abort, 'hands off'); end");
  const annie = { ...anna, name: "Annie", cursor: "02" };
  const teams = rows("teams", [{ id: "t", name: "Team", cursor: "01" }]);
  const why = "hands off; perhaps what you have on the table members is in the way: trigger guard";
  await syncWithout("members", why, members(annie), teams);
  expect(own.prepare("select name from teams").all()).toEqual([{ name: "Team" }]);
  own.exec("drop trigger guard");
  expect((await sync([members(annie), none])).done).toContain(": 0 added, 1 changed, 0 deleted");
  expect(proxy.requests.some(({ path }) => path.includes("=01&"))).toBe(true);
});

test("a table of the user's with the name of a list stays as it is, and is named", async () => {
  const { lines } = await sync([none, none], [file], people.analytics);
  expect(lines[0]).toBe("members left out: the key has no scope read:members");
  const own = open();
  own.exec(`create table teams (id text); create view broken as select * from no_such_table`);
  const schema = () => own.prepare("select sql from sqlite_schema where name = 'teams'").get();
  const before = schema();
  await syncWithout("teams", "in the file is a table of your own with the name teams. Rename it", members(anna));
  expect(schema()).toEqual(before);
  expect(own.prepare("select name from members_with_names").all()).toEqual([{ name: "Anna" }]);
});

test("a column that the API has only now, and the user already, is named; a view of the user's with our name stays", async () => {
  await sync([members(anna), none]);
  const own = open();
  own.exec("drop view members_with_names; create view members_with_names as select 'mine' as name");
  const { lines } = await sync([none, none], ["--to", folder]);
  expect(lines).toContain("members_with_names is a view of your own and stays as it is");
  expect(own.prepare("select name from members_with_names").all()).toEqual([{ name: "mine" }]);
  expect(readFileSync(`${folder}/members.csv`, "utf8")).toContain("a,Anna,");

  own.exec("update sync_lists set columns = replace(columns, ',role', '') where list = 'members'");
  await syncWithout("members", "members.role is a column of your own, and now one of the API too. Rename it", none);
  own.exec("alter table members rename column role to my_role");
  await sync([members(anna), none]);
  expect(own.prepare("select count(role) + count(my_role) as n from members").get()).toEqual({ n: 0 });
});

const has = (text: string): boolean => readFileSync(file).includes(text);

test("a file in WAL mode keeps no name of an erased person, also while a viewer is open; a viewer that reads is named", async () => {
  await sync([members(anna, bert), none]);
  const viewer = open();
  viewer.exec("pragma journal_mode = wal");
  expect(has("Anna")).toBe(true);
  const gone = { ...anna, cursor: "03", deleted: true };
  expect((await sync([members(gone), none])).done).toContain(": 0 added, 0 changed, 1 deleted");
  expect(has("Anna")).toBe(false);

  // A database of its own, because that of the command waits half a minute for the viewer.
  const database = open();
  const copy = new Copy(database, file, { id: people.company.id, name: "Connect" });
  const state = () => database.prepare("pragma user_version").get();
  database.exec("pragma user_version = 0");
  viewer.exec("begin; select * from members");
  expect(() => copy.removeLeftovers()).toThrow(
    `${file}: another program was reading it all the time; its rows are up to date, but text of changed or deleted rows may be left in the file`,
  );
  expect(state(), "not marked as clean").toEqual({ user_version: 0 });
  viewer.exec("commit");
  copy.removeLeftovers();
  expect(state()).toEqual({ user_version: 1 });
});

/** 600 members. Rows of other lengths in another order: SQLite moves some of them, and leaves a copy where they were. */
const crowd = (change: number, step: number, name: (n: number) => string) => {
  const row = (n: number) => ({ id: `${1000 + ((n * step) % 600)}`, name: name(n), cursor: `${change}${1000 + n}` });
  return members(...Array.from(Array(600).keys(), row));
};
const ofBefore = crowd(1, 1, (n) => `of before${".".repeat(n % 200)}`);
const corrected = crowd(2, 7, () => "corrected ".repeat(100));

test("a list that was fetched again leaves nothing of its old rows in the file", async () => {
  await sync([ofBefore, none]);
  await sync([status(410), corrected, none]);
  expect(has("corrected")).toBe(true);
  expect(has("of before")).toBe(false);
});

test("a name is overwritten as soon as its row is deleted, not only at the end of a sync", async () => {
  await sync([members(anna, bert), none]);
  const database = await openSqlite(file);
  database.exec("delete from members where name = 'Anna'");
  database.close();
  expect([has("Anna"), has("Bert")]).toEqual([false, true]);
});

test("temporary files are beside the copy; without room for them, the message says what to set", async () => {
  const seen: (string | null)[] = [];
  const watcher = watch(folder, (_, name) => void seen.push(name));
  onTestFinished(() => watcher.close());
  // More than the 2 MB that SQLite keeps in memory.
  await sync([crowd(1, 1, () => "long ".repeat(1000)), none]);
  open().exec("pragma user_version = 0");
  await sync([none, none]);
  await expect.poll(() => seen).toContainEqual(expect.stringMatching(/^etilqs_/));

  open().exec("pragma user_version = 0");
  const advices = {
    3: "disk I/O error. Check that its folder has room",
    300: "left in the file. Free twice its size in its folder, or once there and in a folder that SQLITE_TMPDIR names",
  };
  for (const [kilobytes, advice] of Object.entries(advices)) {
    proxy.faults = [undefined, none, none];
    const limited = ["bash", "-c", `ulimit -f ${kilobytes}; exec "$@"`, "bash"];
    const { ended } = startCli(["sync", file], folder, proxy, people.key, limited);
    expect((await ended).output).toContain(advice);
  }
});

// Proves: copies.15
test("a second sync at the same time is refused; nothing of a corrected text is left, also when the sync was killed", async () => {
  await sync([ofBefore, none]);
  proxy.requests.length = 0;
  // The teams are not answered.
  proxy.faults = [undefined, corrected, () => {}];
  const { kill } = startCli(["sync", file], folder, proxy, people.key);
  await expect.poll(() => proxy.requests.length).toBe(3);
  const before = readFileSync(file);
  const began = performance.now();
  await expect(sync([])).rejects.toThrow(/^Another sync is writing .*company\.sqlite\. Wait until it has ended$/);
  expect(performance.now() - began, "at once, not after the 30 seconds of a reader").toBeLessThan(15_000);
  expect(readFileSync(file).equals(before)).toBe(true);
  await kill();
  const own = open();
  const changed = own.prepare("select count(*) as n from members where name like 'corrected%'").get();
  expect(changed).toEqual({ n: 600 });
  expect(has("of before"), "SQLite has left it where it moved rows").toBe(true);

  // A folder stands where a CSV file has to be written.
  mkdirSync(`${folder}/members.csv`);
  await expect(sync([none, none], ["--to", folder])).rejects.toThrow("members.csv");
  expect(has("of before")).toBe(false);
  const version = () => own.prepare("pragma schema_version").get();
  const written = version();
  expect((await sync([none, none])).done).toBe(`${file}: 0 added, 0 changed, 0 deleted`);
  expect(version(), "not rewritten without need: VACUUM raises this number").toEqual(written);
});

test("synced_at is when a list was last complete; a fetch that an older version began starts again", async () => {
  const syncedAt = () => open().prepare("select synced_at from sync_lists where list = 'members'").get()?.synced_at;
  await expect(sync([rows("members", [anna], "true"), status(400)])).rejects.toThrow("400 Not now");
  expect(syncedAt()).toBe(null);
  // As if the older version knew fewer columns.
  open().exec("alter table sync_members drop column role");
  proxy.requests.length = 0;
  expect((await sync([members(anna, bert), none])).done).toContain(": 2 added, 0 changed, 0 deleted");
  expect(proxy.requests[1]?.path).toContain("after=start&");
  const before = syncedAt();
  expect(before).toMatch(/^2\d{3}-.+Z$/);
  await expect(sync([rows("members", [cleo], "true"), status(400)])).rejects.toThrow("400 Not now");
  expect(syncedAt()).toBe(before);
});

test("a copy that a later version has written is refused, and stays as it is", async () => {
  await expect(sync([rows("members", [anna], "true"), status(400)])).rejects.toThrow("400 Not now");
  for (const [written, unknown] of [
    ["alter table sync_members add column pronouns", "members.pronouns"],
    ["drop table sync_members; update sync_lists set columns = 'id,mood' where list = 'members'", "members.mood"],
    ["delete from sync_lists; insert into sync_lists (list, cursor) values ('surveys', '01')", "surveys.id"],
  ] as const) {
    open().exec(written);
    const before = readFileSync(file);
    const message = `${file} has ${unknown} of a later version of public-data-api. Install that version`;
    for (const args of [[file], ["--to", folder]])
      await expect(sync([], args)).rejects.toMatchObject({ message, exitCode: 2 });
    expect(readFileSync(file).equals(before)).toBe(true);
  }
});

test("a program that has the file for a moment is waited for", async () => {
  await sync([members(anna), none]);
  const hold = `
    const database = new (require("node:sqlite").DatabaseSync)(${JSON.stringify(file)});
    database.exec("begin exclusive");
    console.log("held");
    setTimeout(() => database.exec("commit"), 1000);`;
  const program = startProgram(process.execPath, ["-e", hold], {});
  await expect.poll(() => program.output).toBe("held\n");
  expect((await sync([members(bert), none])).done).toContain(": 1 added");
});

test("a file with the name file:me.sqlite is one of that name, and for its owner alone", async () => {
  proxy.faults = [undefined, members(anna), none];
  const { ended } = startCli(["sync", "file:me.sqlite"], folder, proxy, people.key);
  expect(await ended).toMatchObject({ code: 0 });
  expect(readdirSync(folder)).toEqual(["file:me.sqlite", "file:me.sqlite.lock"]);
  expect((statSync(`${folder}/file:me.sqlite`).mode & 0o777).toString(8)).toBe("600");
});

test("numbers are stored, and written as CSV, with all their digits", async () => {
  const digits = '{"n":12345678901234567890,"d":[1.10,-7]}';
  const one = [{ id: "1", cursor: "01" }];
  const ratings = rowsText("day-ratings", one).replace('"rating":null', '"rating":9007199254740993');
  const responses = rowsText("pulse-responses", one).replace('"value":null', `"value":${digits}`);
  await sync([page(ratings, "false"), page(responses, "false")], ["--to", folder], people.analytics);
  expect(open().prepare("select cast(rating as text) as n from day_ratings").get()).toEqual({ n: "9007199254740993" });
  expect(readFileSync(`${folder}/day-ratings.csv`, "utf8")).toContain(",9007199254740993,");
  expect(open().prepare("select value from pulse_responses").get()).toEqual({ value: digits });
});

test("answers that do not follow each other end the sync, and nothing of them is in the file", async () => {
  const first = rows("members", [anna], "true");
  const notContinued = "an answer does not continue the one before";
  await expect(sync([first, first])).rejects.toThrow(notContinued);
  await expect(sync([page("[]", "true")])).rejects.toThrow(notContinued);
  await expect(sync([page("[]")])).rejects.toThrow("does not say whether there are more rows");
  await expect(sync(Array(9).fill(status(410)))).rejects.toThrow("410 Not now");
  await sync([members(bert), none]);
  expect(open().prepare("select name from members").all()).toEqual([{ name: "Bert" }]);
});

test("the lock stays and holds nobody up; one of version 1.2.0, which is no SQLite file, is named, and so is a FIFO", async () => {
  await sync([members(anna), none]);
  expect(readFileSync(`${file}.lock`, "latin1")).toMatch(/^SQLite format 3/);
  await sync([none, none]);
  writeFileSync(`${file}.lock`, "4711 a-container\n");
  await expect(sync([])).rejects.toThrow(`${file}.lock is of an older version. If no sync is running, delete it`);
  for (const path of [`${file}.lock`, `${file}-journal`]) {
    rmSync(path, { force: true });
    execFileSync("mkfifo", [path]);
    const message = `${path} is not a file. Choose another name, or remove it`;
    await expect(sync([])).rejects.toMatchObject({ exitCode: 2, message });
    rmSync(path);
  }
});

test("whatever a server answers, the sync ends with a sentence and without a row of it", async () => {
  const deep = (n: number) => `${"[".repeat(n)}${"]".repeat(n)}`;
  // The last value of a key counts.
  const withCell = (cell: string) => rowsText("members", [anna]).replace("}]", `,${cell}}]`);
  const answers = [
    ...["", "null", "{}", '"text"', "[null]", "[[]]", "[1]", "[", deep(100_000), "[{}]"],
    ...['"id":7', '"id":null', '"cursor":7', '"cursor":"Z"', '"cursor":null', '"deleted":1', '"deleted":null'],
    rowsText("members", [anna]).replace('"role":null,', ""),
    ...['"name":{"a":1}', '"name":["a"]', '"name":7', '"name":true', '"name":1e400', '"name":1.10'],
  ].map((text) => page(text.startsWith('"') && text.includes(":") ? withCell(text) : text, "false"));
  const numbers = ["3.0", "1e3", "1e400", "true", '"3"', "{}", "9223372036854775808"].map((rating) =>
    page(rowsText("day-ratings", [{ id: "1", cursor: "01" }]).replace('"rating":null', `"rating":${rating}`), "false"),
  );
  for (const [key, wrong] of [[people.key, answers] as const, [people.analytics, numbers] as const])
    for (const answer of wrong) {
      const ended = sync(Array(6).fill(answer), [file], key);
      await expect(ended).rejects.toThrow(CliError);
      await expect(ended).rejects.toThrow(/^no whole answer \(.+\), 6 times\nRun the same command again to continue$/);
    }
  expect(open().prepare("select count(*) as n from sync_members").get()).toEqual({ n: 0 });
  await sync([rows("day-ratings", [{ id: "1", rating: 3, cursor: "01" }]), none], [file], people.analytics);
  expect(open().prepare("select rating from day_ratings").all()).toEqual([{ rating: 3 }]);
});

const [earlier, later] = ["2026-11-28T10:15:29.123456Z", "2026-11-28T10:15:30.123456Z"];

// Proves: copies.18
test.each([
  ["the earliest moment of its lists", earlier, `; has all changes until ${earlier}`],
  ["nothing if one list has none", "", ""],
  ["nothing if it is no moment", "soon", ""],
])("sync says until when it has every change: %s", async (_, other, said) => {
  const answers = [later, other].map((until) => page("[]", "false", { "X-Changes-Until": until }));
  expect((await sync(answers)).done).toBe(`${file}: 0 added, 0 changed, 0 deleted${said}`);
});
