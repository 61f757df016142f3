// Loading with psql and sql/commands/load.sql (docs/operate/load-data.md): what the files say is stored to the letter,
// what psql refuses, what waits for what, and how a large load is written.
import { randomUUID } from "node:crypto";
import { mkdtemp, writeFile } from "node:fs/promises";
import { afterAll, beforeEach, expect, test } from "vitest";
import { withDatabase } from "../../scripts/stack/database.ts";
import { root } from "../../scripts/stack/process.ts";
import { type Run, runProgram, startProgram, workFolder } from "../support/command_line.ts";
import { type Cells, countsOf, csvOf, good, headers, ids, inserted } from "../support/loading.ts";
import { besideNeighbour } from "../support/neighbour.ts";
import { createCompany, type ProjectCompany, readList } from "../support/project_companies.ts";
import { hold, isolationLevels } from "../support/rpc.ts";
import { newProject, removeProjects } from "../support/two_projects.ts";

const { url, sql } = await newProject();
let company: ProjectCompany;
beforeEach(async () => {
  company = await createCompany(sql, "Files", "de");
});
afterAll(removeProjects);
const folder = workFolder();

const texts = (files: Record<string, Cells[]>) =>
  Object.fromEntries(Object.entries(files).map(([file, rows]) => [file, csvOf(file, rows)]));

/** A folder with files of these texts. */
async function folderOf(files: Record<string, string>): Promise<string> {
  const cwd = await mkdtemp(`${folder}/`);
  for (const [file, text] of Object.entries(files)) await writeFile(`${cwd}/${file}.csv`, text);
  return cwd;
}
/** The arguments with which psql runs load.sql. */
const loading = (...args: string[]) => {
  const options = ["--no-psqlrc", "--quiet", "--csv", "--tuples-only"];
  return [url, ...options, ...args, "--file", `${root}/sql/commands/load.sql`];
};
/** Runs load.sql with psql as an operator does, on files with these texts. */
const psql = async (files: Record<string, string>, ...args: string[]): Promise<Run> =>
  runProgram("psql", loading(...args), await folderOf(files), process.env);
const empty = texts(Object.fromEntries(Object.keys(headers).map((file) => [file, []])));
const into = ({ id, name }: ProjectCompany) => ["--set", `company_id=${id}`, "--set", `company=${name}`];
/** Other tests load the same rows into other companies. */
const intoOneOfSeveral = (one: ProjectCompany) => [...into(one), "--set", "also_elsewhere=on"];
const runLoad = (files: Record<string, string>, one = company, ...args: string[]) =>
  psql({ ...empty, ...files }, ...intoOneOfSeveral(one), ...args);

test("what the files say is what the API says, to the letter", async () => {
  const { stdout } = await runLoad(texts(good()));
  const lines = stdout.trim().split("\n");
  expect(countsOf(lines.map((line) => line.split(",")))).toEqual(inserted);

  const { members: [ines, olaf] = [], kudos: [first, second] = [], ...files } = good();
  const cells = async (list: string) => {
    const rows = (await readList(sql, company.key, list)) as object[];
    return rows.filter((row) => !Object.values(row).includes("First Admin")).map((row) => Object.values(row));
  };
  expect(await cells("list_members")).toEqual([
    [ids.olaf, olaf?.name, olaf?.email, "employee", null, "No Team", "2026-03-29T02:30:00.000000Z"],
    [ids.ines, ines?.name, ines?.email, "admin", ids.design, "Design & Fertigung", "2026-03-29T01:30:00.123457Z"],
  ]);
  const [fromInes, fromOlaf] = [ines, olaf].map((person) => [person?.name, person?.email, olaf?.name, olaf?.email]);
  expect(await cells("list_activity")).toEqual([
    [ids.kudos, "2026-11-20T23:59:59.999999Z", ...(fromInes ?? []), first?.message, "Zusammenarbeit"],
    [ids.plusOne, "2026-11-20T04:45:30.000000Z", ...(fromOlaf ?? []), second?.message, "Zusammenarbeit"],
  ]);
  expect(await cells("list_day_ratings")).toEqual([
    [ids.rating, 5, files.day_ratings?.[0]?.comment, ids.design, 10, "2026-11-20T18:15:30.000000Z"],
    [ids.bareRating, 1, null, null, null, "0001-01-01T00:00:00.000000Z"],
  ]);
  const value = { choices: ["a", "ü"], sure: true };
  expect(await cells("list_pulse_responses")).toEqual([
    [ids.orphan, "9999-12-31T23:59:59.999999Z", null, null, null, ""],
    [ids.answer, "2026-11-20T10:15:30.000000Z", "Wie läuft es?", "choice", value, "so so"],
  ]);
});

test.each(["\n", "\r\n"])("a line \\. in a cell is text like any other, lines ending in %j", async (end) => {
  const lines = ["\\.", "one", "\\.", "\\..", '\\."', '\\.""two', "\\.", ""].join(end);
  const files = good();
  const fields = { kudos: "message", day_ratings: "comment", pulse_questions: "question", pulse_responses: "comment" };
  for (const [file, field] of Object.entries(fields)) Object.assign(files[file]?.[0] as Cells, { [field]: lines });
  expect((await runLoad(texts(files))).code).toBe(0);
  for (const [table, field] of Object.entries(fields)) {
    const found = sql`select id from app.${sql(table)} where company_id = ${company.id} and ${sql(field)} = ${lines}`;
    expect(await found, table).toEqual([{ id: files[table]?.[0]?.id }]);
  }
});

test.each<[what: string, files: Record<string, string>, message: string]>([
  ["ends in the middle of a cell", { ...empty, kudos: `${headers.kudos}\n"` }, "unterminated CSV quoted field"],
  ["is not there", {}, "teams.csv"],
  [
    "has NUL bytes",
    { ...empty, teams: "id,name\n1,One\n2,T\0wo\n3,\0\n" },
    "ERROR:  teams.csv line 3: a NUL byte is no text",
  ],
  ...Object.entries(headers).map(([file, [first, second, ...rest]]): [string, Record<string, string>, string] => [
    `has other columns (${file}.csv)`,
    { ...empty, [file]: `${[second, first, ...rest]}\n` },
    `column name mismatch in header line field 1: got "${second}", expected "${first}"`,
  ]),
])("a file that %s stops the load", async (_what, files, message) => {
  const { code, stderr } = await psql(files, ...into(company));
  expect(code).toBe(3);
  expect(stderr).toContain(message);
  expect(await sql`select from app.teams where company_id = ${company.id}`).toHaveLength(0);
});

test("a load reports its progress every 50,000 rows, and keeps no neighbour waiting", async () => {
  const teams = Array.from({ length: 50_001 }, (_, index) => ({ id: randomUUID(), name: `Team ${index}` }));
  const neighbour = await createCompany(sql, "Neighbour");
  const large = () => runLoad(texts({ teams }));
  const { code, stdout, stderr } = await besideNeighbour(large, () => readList(sql, neighbour.key));
  expect({ code, first: stdout.split("\n")[0] }).toEqual({ code: 0, first: "teams,50001,0,0,0" });
  // Autovacuum may be at the tables of staging when a load begins.
  const notices = stderr.match(/(?<=NOTICE: {2})(?!waiting for another session).*/g);
  const written = [50_000, 50_001].map((rows) => `teams: ${rows} of 50001 rows written`);
  expect(notices).toEqual(["checking the files", ...written]);
});

test.each(isolationLevels)("at %s, a load waits for another one, and says for which", async (level) => {
  const atLevel = ["--command", `set default_transaction_isolation = '${level}'`];
  const other = await createCompany(sql, "Other");
  const earlier = await hold(sql, "select app.begin_load($1, 'Other')", [other.id]);
  const waiting = runLoad(texts(good()), company, ...atLevel);
  await earlier.reached();
  await earlier.release();
  const notice = /NOTICE: {2}waiting for a load into Other \(process \d+, since \d\d:\d\d:\d\d UTC\)/;
  expect((await waiting).stderr).toMatch(notice);
  const loads = await Promise.all([company, company, other].map((one) => runLoad(texts(good()), one, ...atLevel)));
  const counts = ["teams,0,0,2,0", "teams,0,0,2,0", "teams,2,0,0,0"];
  expect(loads.map(({ stdout }) => stdout.split("\n")[0]).sort()).toEqual(counts);
});

test("a load into no company, or another than the one that is named, is refused; without a name psql shows it and asks", async () => {
  const missing = "company_id is missing: psql … --set company_id=<the id of the company>";
  expect(await psql(empty)).toEqual({ code: 3, stdout: "", stderr: expect.stringContaining(missing) });
  const wrong = await psql(texts(good()), "--set", `company_id=${company.id}`, "--set", "company=Larkfield");
  expect(wrong).toMatchObject({ code: 3, stdout: "" });
  const why = `${company.id} is of "Files", not of "Larkfield"`;
  expect(wrong.stderr).toContain(`company must be the name of the company that company_id names: ${why}`);
  const cwd = await folderOf(empty);
  const answer = (name: string, id = company.id) => {
    const args = ["-c", `echo ${name} | psql "$@"`, "", ...loading("--set", `company_id=${id}`)];
    return runProgram("bash", args, cwd, process.env);
  };
  expect(await answer("Files")).toMatchObject({ code: 0, stdout: expect.stringMatching(/^The company is Files\n/) });
  expect(await answer("Files.")).toMatchObject({ code: 3, stderr: expect.stringContaining('is of "Files", not of') });
  const none = await answer("Files", randomUUID());
  expect(none).toMatchObject({ code: 3, stdout: expect.stringContaining("The company is none of this project") });
  expect(none.stderr).toContain("company_id must be the id of a company");
});

test("files whose rows are another company's are refused, and nothing is written, unless that is said to be right", async () => {
  const owner = await createCompany(sql, "Owner");
  // Ids and addresses that no other test has.
  const own = (text: string) =>
    text.replaceAll("0a8f3f6e-2f0c", owner.id.slice(0, 13)).replaceAll("files.ex", "own.ex");
  const files = Object.fromEntries(Object.entries(texts(good())).map(([file, text]) => [file, own(text)]));
  expect((await psql(files, ...into(owner))).code).toBe(0);
  expect((await psql(files, ...into(owner))).stdout, "again, into its own company").toContain("members,0,0,2,0");
  const refused = async (sent: Record<string, string>) => {
    const { code, stderr } = await psql({ ...empty, ...sent }, ...into(company));
    expect(code).toBe(3);
    return stderr;
  };
  const message = (what: string) => `${what} are those of the company "Owner" (${owner.id}). Are these its files?`;
  expect(await refused(files)).toContain(message("teams: of 2 ids 2"));
  for (const file of ["day_ratings", "pulse_responses"] as const) {
    const rows = (good()[file] ?? []).map((row): Cells => ({ ...row, team_id: "", question_id: "" }));
    const columns = rows.map((row) => Object.fromEntries((headers[file] ?? []).map((name) => [name, row[name] ?? ""])));
    expect(await refused({ [file]: own(csvOf(file, columns)) })).toContain(message(`${file}: of 2 ids 2`));
  }
  // Other ids, as from a system that has made them anew.
  const people = csvOf("members", good().members?.map((row) => ({ ...row, id: randomUUID(), team_id: "" })) ?? []);
  expect(await refused({ members: own(people) })).toContain(message("members: of 2 addresses 2"));
  expect(await sql`select from app.members where company_id = ${company.id}`, "only its admin").toHaveLength(1);

  const half = `${own(people).trim()}\n${["Ada", "Bea"].map((name) => `${randomUUID()},${name},${name}@new.example,employee,,2026-01-01T00:00Z`).join("\n")}\n`;
  expect((await psql({ ...empty, members: half }, ...into(company))).stdout, "not most").toContain("members,4,0,0,0");
  expect((await psql(files, ...into(company), "--set", "also_elsewhere=on")).code).toBe(3);
  const another = await createCompany(sql, "Another");
  expect((await psql(files, ...into(another), "--set", "also_elsewhere=on")).stdout).toContain("members,2,0,0,0");
});

test("a load whose psql is killed ends at the server", async () => {
  const cwd = await folderOf({ ...empty, ...texts(good()) });
  const locked = await hold(sql, "lock table app.pulse_responses in access exclusive mode");
  const { kill } = startProgram("psql", loading(...intoOneOfSeveral(company)), { cwd });
  await locked.reached();
  await kill();
  const running = () => sql`select from pg_stat_activity where application_name = ${`load into ${company.id}`}`;
  await expect.poll(running, { timeout: 20_000 }).toEqual([]);
  await locked.release();
});

test("a load waits for a session that is still filling staging, and checks its rows", async () => {
  const filling = await hold(sql, "insert into staging.teams (id, name) values ('1', 'Sales')");
  const load = sql`select from app.load_staging(${company.id})`;
  const loaded = expect(load).rejects.toThrow("teams line 2: id must be a uuid");
  await filling.reached();
  await filling.release("commit");
  await loaded;
  await sql`delete from staging.teams`;
});

test("a big first load reads no table again and again, also after one that was broken off", async () => {
  const fill = `
    insert into staging.members (id, name, email, role, created_at)
    select md5('member' || i)::uuid, 'Member ' || i, i || '@files.example', 'employee', '2026-01-01T00:00:00Z'
    from generate_series(1, 10000) as i;
    insert into staging.categories (id, language, name) values ('${ids.teamwork}', 'en', 'Teamwork');
    insert into staging.kudos (id, sender_id, receiver_id, category_id, message, created_at)
    select md5('kudos' || i)::uuid, md5('member' || 1 + i % 10000)::uuid, md5('member' || 1 + i * 7 % 10000)::uuid,
      '${ids.teamwork}', 'Thanks for number ' || i, '2026-01-01T00:00:00Z'
    from generate_series(1, 20000) as i`;
  const fresh = await newProject();
  await fresh.sql`insert into app.companies (id, name) values (${company.id}, 'First')`;
  const load = `select * from app.load_staging('${company.id}')`;
  // Autovacuum analyzes the tables soon after a load that was broken off. The planner then believes that all tables are
  // empty.
  await withDatabase(fresh.url, async (operator) => {
    await operator.unsafe(`begin; ${fill}; ${load}; rollback; analyze`).simple();
    await operator.begin(async (tx) => {
      await tx.unsafe(fill).simple();
      const loaded = await tx.unsafe(load);
      expect(loaded.find(({ file }) => file === "kudos")?.inserted).toBe("20000");
      const [read] = await tx`
        select sum(seq_tup_read)::int as rows from pg_stat_xact_user_tables where schemaname in ('app', 'staging')`;
      // Each of the 30,001 rows is read a few times, to check it and to write it. A bad plan reads hundreds of millions.
      expect(read?.rows).toBeLessThan(20 * 30_001);
    });
  });
});
