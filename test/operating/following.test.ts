// sql/commands/follow.sql (docs/operate/follow-your-database.md) with sql/commands/follow/example.sql, run by the command of
// the page beside a second real database, which has the schema of the example.
import { readFile, writeFile } from "node:fs/promises";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { root, withoutPassword } from "../../scripts/stack/process.ts";
import { runProgram, startProgram, workFolder } from "../support/command_line.ts";
import { codeBlocks } from "../support/pages.ts";
import { createCompany, readList } from "../support/project_companies.ts";
import { hold } from "../support/rpc.ts";
import { everything, newDatabase, newProject, removeProjects } from "../support/two_projects.ts";

afterAll(removeProjects);
const folder = workFolder();
const target = await newProject();
const followed = await createCompany(target.sql, "Followed");
await target.sql`update app.members set role = 'left' where id = ${followed.admin}`;
await target.sql`update app.companies set retention = '30 days' where id = ${followed.id}`;

/** The vendor's database: 40 people, of whom one has left and one is deleted; kudos of each of the last 60 days. */
const own = await newDatabase();
await own.sql.unsafe(`
  create table departments (id bigint primary key, account_id bigint, title text);
  insert into departments values (1, 7, 'Support'), (2, 7, 'Closed'), (3, 8, 'Another company''s');
  create table users (id bigint primary key, account_id bigint, first_name text, last_name text, mail text, kind text,
    active boolean default true, department_id bigint, joined_at timestamptz default '2026-01-02 03:04:05.123456+01', deleted_at timestamptz);
  insert into users (id, account_id, first_name, mail, kind, department_id)
    select n, 7 + n / 50, 'Person ' || n, n || '@own.example', case n when 1 then 'boss' end, 1 from generate_series(1, 60) as n;
  update users set last_name = E'\\\\.', mail = 'A,"b"@own.example' where id = 2;
  update users set active = false where id = 3;
  update users set deleted_at = now() where id = 4 or id between 41 and 49;
  create table company_values (id bigint, account_id bigint, title text);
  insert into company_values values (1, 7, 'Teamwork');
  create table thanks (id bigint, from_user bigint, to_user bigint, value_id bigint, body text, sent_at timestamptz, deleted_at timestamptz);
  insert into thanks select n, 1 + n % 4, 5, 1, E'Thanks,\\n"' || n || '"', now() - n * interval '1 day', null from generate_series(1, 60) as n;
  create table moods (id bigint, department_id bigint, score integer, note text, at timestamptz);
  insert into moods select n, 1, 4, null, now() - n * interval '1 day' from generate_series(1, 60) as n;
  create table polls (id bigint, account_id bigint, text text);
  insert into polls values (1, 7, 'How was it?');
  create table answers (id bigint, poll_id bigint, answer text, at timestamptz);
  insert into answers select n, 1, 'Fine', now() - n * interval '1 day' from generate_series(1, 60) as n;
  grant all on all tables in schema public to postgres`);

/** The command of the page, as an operator runs it in the folder of the test file, with these queries and more settings. */
const [{ text: page = "" } = {}] = codeBlocks("docs/operate/follow-your-database.md");
const script = page
  .replace(/^export.*\n/, "exec ")
  .replace(" --set dry_run=on", "")
  .replace("bf6cf59e-da60-43e3-aaf3-4df79f1e2cf5", followed.id)
  .replace("Hollander Optics", followed.name)
  .replace("…", root);
const example = `${root}/sql/commands/follow/example.sql`;
const withQueries = (more: string) => script.replace("queries=queries.sql", `queries=${more}`);
const { address, env } = withoutPassword(target.url);
const settings = { ...env, DATABASE_URL: address, OWN_DATABASE_URL: withoutPassword(own.url).address };
const follow = (more = example) => runProgram("bash", ["-ec", withQueries(more)], folder, settings);
const runGone = () => runProgram("psql", [address, "--quiet", "--file", "gone.sql"], folder, settings);
/** The lines of gone.sql without its first three and the last one, or none. */
const gone = async () => (await readFile(`${folder}/gone.sql`, "utf8").catch(() => "")).split("\n").slice(3, -2);
/** The rows of a list as its key reads them. */
const read = async (list: string) => (await readList(target.sql, followed.key, list)) as Record<string, string>[];
/** Changes the vendor's database until the end of a test. */
async function change(statement: string, undo: string): Promise<void> {
  await own.sql.unsafe(statement);
  onTestFinished(async () => void (await own.sql.unsafe(undo)));
}

test("the first night loads all that the company keeps; the next one writes nothing", async () => {
  const noError = expect.not.stringContaining("ERROR");
  expect(await follow(`${example} --set days=4000`)).toMatchObject({ code: 0, stderr: noError });
  const people = await read("list_members");
  expect(people).toHaveLength(40);
  const some = people.filter(({ email }) => /^([1345]@|A)/.test(email ?? ""));
  expect(some.map((one) => [one.name, one.email, one.role, one.team_name]).sort()).toEqual([
    ["Person 1", "1@own.example", "admin", "Support"],
    ["Person 2 \\.", 'A,"b"@own.example', "employee", "Support"],
    ["Person 3", "3@own.example", "inactive", "No Team"],
    ["Person 5", "5@own.example", "employee", "Support"],
  ]);
  const kudos = await read("list_activity");
  // Of 29 days, without those of the person who is deleted.
  expect(kudos).toHaveLength(22);
  expect(kudos[0]).toMatchObject({ sender_name: "Person 2 \\.", message: 'Thanks,\n"1"', category: "Teamwork" });
  for (const list of ["list_day_ratings", "list_pulse_responses"]) expect(await read(list)).toHaveLength(29);

  const before = await everything(target.sql);
  expect(await follow()).toMatchObject({ code: 0 });
  expect(await everything(target.sql)).toEqual(before);
  expect(await gone()).toEqual([]);
});

const deleted = (condition: string) =>
  change(
    `update users set deleted_at = now() where ${condition}`,
    `update users set deleted_at = null where ${condition}`,
  );

test("what is gone is reported, not done: then people leave or are erased, other rows are deleted, and it is not reported again", async () => {
  await deleted("id in (1, 2)");
  await change("delete from departments where id = 2", "insert into departments values (2, 7, 'Closed')");
  // The second one's sender is gone: it stays.
  await change("update thanks set deleted_at = now() where id in (2, 5)", "update thanks set deleted_at = null");
  const before = await everything(target.sql);
  const counts = expect.stringContaining("Gone, see gone.sql: 1 of 2 teams, 1 of 22 kudos, 2 of 40 members\n");
  expect(await follow()).toMatchObject({ code: 0, stdout: counts });
  expect(await everything(target.sql)).toEqual(before);
  const statements = await gone();
  expect(statements.map((line) => line.replace(/'[^']*'|\d.*\+00/g, "…"))).toEqual([
    ...["Person 1", "Person 2 \\."].flatMap((name) => [
      `-- ${name} leaves:`,
      "update app.members set role = …, team_id = null where company_id = … and id = …;",
      "select app.delete_accounts(…, array[…]::uuid[]) as accounts;",
      "-- or is erased: select * from app.erase_member(…, …, blank_messages => false);",
    ]),
    ...["-- Closed", "delete from app.teams where company_id = … and id = …;"],
    ...["-- …", "delete from app.kudos where company_id = … and id = …;"],
  ]);
  // The first person leaves, the second one is erased.
  const chosen = [...statements.slice(0, 5), statements[7]?.replace(/^.*: /, ""), ...statements.slice(8)];
  await writeFile(`${folder}/gone.sql`, chosen.join("\n"));
  expect(await runGone()).toMatchObject({ code: 0, stderr: "" });
  const people = await read("list_members");
  expect(people.find(({ name }) => name === "Person 1")).toMatchObject({ role: "left", team_id: null });
  expect(people.find(({ name }) => name?.startsWith("Person 2 "))).toBeUndefined();
  expect(await read("list_activity")).toHaveLength(21);
  expect(await target.sql`select name from app.teams where company_id = ${followed.id}`).toEqual([{ name: "Support" }]);
  expect(await follow()).toMatchObject({ code: 0, stdout: expect.not.stringContaining("Gone") });
});

const moodsOf = (department: number) => `update moods set department_id = ${department}`;
const usersOf = (account: number) => `update users set account_id = ${account} where id between 10 and 12`;
const tooMuch = "what seems too much to be gone:";
test.each<[what: string, statement: string, undo: string, told: string, more?: string]>([
  ["a query that fails", "alter table polls rename to x", "alter table x rename to polls", '"polls" does not exist'],
  ["a query without rows", moodsOf(3), moodsOf(1), `${tooMuch} 29 of 29 day_ratings. Are`, "--set many_gone=on"],
  ["more than 5 percent", usersOf(9), usersOf(7), `${tooMuch} 3 of 39 members. Are the queries complete?`],
])("nothing is gone by %s", async (_what, statement, undo, told, more = "") => {
  await follow();
  await change(statement, undo);
  const before = await everything(target.sql);
  expect(await follow(`${example} ${more}`)).toMatchObject({ code: 3, stderr: expect.stringContaining(told) });
  expect(await gone()).toEqual([]);
  expect(await everything(target.sql)).toEqual(before);
});

test("a query that ignores the window stops the load; with many_gone=on, more than 5 percent are reported", async () => {
  const text = await readFile(example, "utf8");
  await writeFile(`${folder}/all.sql`, text.replace("t.sent_at >= :'since'", "true"));
  const early = expect.stringMatching(/ERROR: {2}kudos\.csv has rows from before 20/);
  expect(await follow("all.sql")).toMatchObject({ code: 3, stderr: early });
  await deleted("id between 10 and 12");
  expect(await follow(`${example} --set many_gone=on`)).toMatchObject({ code: 0 });
  expect((await gone()).filter((line) => line.endsWith("leaves:"))).toHaveLength(3);
  const incomplete = { ...settings, OWN_DATABASE_URL: undefined };
  const { stderr } = await runProgram("bash", ["-ec", withQueries(example)], folder, incomplete);
  expect(stderr).toMatch(/ERROR: {2}set company_id, .* and OWN_DATABASE_URL/);
});

test.each([
  ["reads", own, "lock table answers in access exclusive mode"],
  ["loads", target, "lock table app.pulse_responses in access exclusive mode"],
])("killed while it %s, it has written nothing, and the next run goes on", async (_what, at, lock) => {
  await change("update moods set note = 'Rain' where id = 2", "update moods set note = null");
  const before = await everything(target.sql);
  const held = await hold(at.sql, lock);
  const killed = startProgram("bash", ["-ec", withQueries(example)], { cwd: folder, env: settings });
  await held.reached();
  await killed.kill();
  await held.tx`rollback`;
  held.tx.release();
  await expect.poll(() => target.sql`select from pg_stat_activity where application_name ~ '^load into'`).toEqual([]);
  expect(await everything(target.sql)).toEqual(before);
  expect(await follow()).toMatchObject({ code: 0 });
  expect((await read("list_day_ratings"))[1]).toMatchObject({ comment: "Rain" });
});
